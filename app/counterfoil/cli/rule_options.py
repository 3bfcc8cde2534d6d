"""The options that name a rule, a zone and what is done when a firing cannot be kept; `schedule add` and `preview` share them."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from datetime import date
from typing import Annotated, Any

import typer

from counterfoil.errors import WrongRule, WrongUse
from counterfoil.schedules.policies import Policy, policy_of
from counterfoil.schedules.rules import Rule, form_of, rule_of
from counterfoil.schedules.wording import read

_SPANS = {"s": 1, "m": 60, "min": 60, "h": 3600, "d": 86_400}
_WAYS = "--rule TEXT, --cron TEXT, --every SPAN or --rule-json JSON"
_GRID = "2000-01-01T00:00:00Z"  # every elapsed rule lies on this grid, so two that say the same fire together

Zone = Annotated[
    str | None,
    typer.Option("--zone", metavar="Z", help="An IANA zone; else this computer's.", show_default=False),
]
RuleText = Annotated[
    str | None,
    typer.Option("--rule", metavar="TEXT", help="In plain words: every Monday at 09:00.", show_default=False),
]
Cron = Annotated[str | None, typer.Option("--cron", metavar="TEXT", help="A crontab line.", show_default=False)]
Every = Annotated[
    str | None, typer.Option("--every", metavar="SPAN", help="Elapsed time: 15m, 2h.", show_default=False)
]
RuleJson = Annotated[
    str | None, typer.Option("--rule-json", metavar="JSON", help="The rule as it is stored.", show_default=False)
]
Gap = Annotated[
    str | None, typer.Option("--gap", help="A time that clocks jump over: shift or skip.", show_default=False)
]
Fold = Annotated[
    str | None, typer.Option("--fold", help="A time that comes twice: first or second.", show_default=False)
]
Missed = Annotated[str | None, typer.Option("--missed", help="After sleep: latest, none or all.", show_default=False)]
Grace = Annotated[
    str | None,
    typer.Option("--grace", metavar="SPAN", help="How late a start is still on time; else 5m.", show_default=False),
]
Overlap = Annotated[
    str | None,
    typer.Option("--overlap", help="While one is open: skip, queue, cancel or allow.", show_default=False),
]
Jitter = Annotated[
    str | None, typer.Option("--jitter", metavar="SPAN", help="Spread starts by up to this.", show_default=False)
]
Until = Annotated[
    str | None, typer.Option("--until", metavar="DATE", help="Through the end of this day.", show_default=False)
]


@dataclass(frozen=True, slots=True)
class RuleOptions:
    """What was given of a rule."""

    rule: str | None
    cron: str | None
    every: str | None
    rule_json: str | None
    gap: str | None
    fold: str | None
    until: str | None

    def rule_of(self, today: date) -> Rule:
        """The rule that the options name.

        Raises:
            WrongUse: none or several ways were used.
            WrongRule: the rule cannot be used.
        """
        ways = [way for way in (self.rule, self.cron, self.every, self.rule_json) if way is not None]
        if len(ways) != 1:
            raise WrongUse(
                f"The rule is given {'in several ways' if ways else 'in no way'}.", f"Give it once, by {_WAYS}."
            )
        extras = {"gap": self.gap, "fold": self.fold, "end_date": self.until}
        return rule_of({**self._form(today), **{name: value for name, value in extras.items() if value is not None}})

    def _form(self, today: date) -> dict[str, Any]:
        if self.rule is not None:
            return form_of(read(self.rule, today))
        if self.cron is not None:
            return {"kind": "cron", "expr": self.cron}
        if self.every is not None:
            return {"kind": "interval", "seconds": span(self.every, "--every"), "anchor_utc": _GRID}
        try:
            form = json.loads(self.rule_json or "")
        except ValueError as problem:
            raise WrongRule(
                f"--rule-json holds no JSON: {problem}.", 'Such as {"kind": "cron", "expr": "0 9 * * 1-5"}.'
            ) from problem
        if not isinstance(form, dict):
            raise WrongRule("--rule-json holds no JSON object.", 'Such as {"kind": "cron", "expr": "0 9 * * 1-5"}.')
        return form


def policy_from(missed: str | None, overlap: str | None, jitter: str | None, grace: str | None) -> Policy:
    """The policy that the options name.

    Raises:
        WrongRule: a word is not known.
    """
    given: dict[str, Any] = {"missed": missed, "overlap": overlap}
    given["jitter"] = span(jitter, "--jitter") if jitter is not None else None
    given["grace"] = span(grace, "--grace") if grace is not None else None
    return policy_of({name: value for name, value in given.items() if value is not None})


def span(text: str, option: str) -> int:
    """Seconds of `90s`, `15m`, `2h`, `1d`.

    Raises:
        WrongRule: it is no span.
    """
    found = re.fullmatch(r"(\d{1,6})\s?(s|m|min|h|d)", text.strip().lower())
    if found is None:
        raise WrongRule(f"{option} {text} is no span of time.", "Write it like 15m, 2h or 1d.")
    return int(found[1]) * _SPANS[found[2]]
