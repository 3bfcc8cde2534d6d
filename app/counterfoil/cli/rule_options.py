"""The options that name a rule, a zone and what is done when a firing cannot be kept; `schedule add` and `preview` share them."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Annotated, Any

import typer

from counterfoil.catalogue.finding import called
from counterfoil.errors import WrongRule, WrongUse
from counterfoil.schedules.policies import Policy, form_of_policy, policy_of
from counterfoil.schedules.rules import Rule, form_of, rule_of
from counterfoil.schedules.wording import holidays_form, read

_SPANS = {"s": 1, "m": 60, "min": 60, "h": 3600, "d": 86_400}
_WAYS = "--rule TEXT, --cron TEXT, --every SPAN, --watch FOLDER, --after TEMPLATE or --rule-json JSON"
_GRID = "2000-01-01T00:00:00Z"  # every elapsed rule lies on this grid, so two that say the same fire together

Name = Annotated[str, typer.Argument(metavar="NAME", help="The schedule's name.", show_default=False)]
Count = Annotated[int, typer.Option("--count", metavar="N", min=1, max=1000, help="So many.")]
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
MissedMost = Annotated[
    int | None,
    typer.Option("--missed-most", metavar="N", help="With --missed all: at most so many.", show_default=False),
]
MissedWithin = Annotated[
    str | None,
    typer.Option("--missed-within", metavar="SPAN", help="With --missed all: of the last so long.", show_default=False),
]
OverlapMost = Annotated[
    int | None,
    typer.Option("--overlap-most", metavar="N", help="With --overlap allow: at most so many.", show_default=False),
]
CancelWithin = Annotated[
    str | None,
    typer.Option(
        "--cancel-within", metavar="SPAN", help="With --overlap cancel: how long it may take.", show_default=False
    ),
]
Jitter = Annotated[
    str | None, typer.Option("--jitter", metavar="SPAN", help="Spread starts by up to this.", show_default=False)
]
Tell = Annotated[
    str | None,
    typer.Option(
        "--tell",
        help="When people hear of it: needs (the default), done as well, failures, nothing.",
        show_default=False,
    ),
]
Spend = Annotated[
    str | None,
    typer.Option(
        "--spend",
        metavar="USD",
        help="The most that llms may cost each time; none takes it back.",
        show_default=False,
    ),
]
Until = Annotated[
    str | None, typer.Option("--until", metavar="DATE", help="Through the end of this day.", show_default=False)
]
Holidays = Annotated[
    list[str] | None,
    typer.Option(
        "--holidays",
        metavar="WHOSE",
        help="Free days, copied now: DE-BY, ECB, a date, days.ics or days.csv; may be repeated.",
        show_default=False,
    ),
]
OnHoliday = Annotated[
    str | None, typer.Option("--on-holiday", help="On a free day: skip, next or previous.", show_default=False)
]
WatchFolder = Annotated[
    str | None,
    typer.Option("--watch", metavar="FOLDER", help="When new files have come into it.", show_default=False),
]
Pattern = Annotated[
    str | None,
    typer.Option("--pattern", metavar="NAMES", help="With --watch: only these, such as *.pdf.", show_default=False),
]
Settle = Annotated[
    str | None,
    typer.Option(
        "--settle", metavar="SPAN", help="With --watch: how long they keep still; else 30s.", show_default=False
    ),
]
Into = Annotated[
    str | None,
    typer.Option("--into", metavar="PARAMETER", help="With --watch: what takes the files.", show_default=False),
]
AfterTemplate = Annotated[
    str | None,
    typer.Option("--after", metavar="TEMPLATE", help="When a run of another template is done.", show_default=False),
]


@dataclass(frozen=True, slots=True)
class RuleOptions:
    """What was given of a rule; its fields are the options of every command that takes one."""

    rule: RuleText = None
    cron: Cron = None
    every: Every = None
    rule_json: RuleJson = None
    watch: WatchFolder = None
    pattern: Pattern = None
    settle: Settle = None
    into: Into = None
    after: AfterTemplate = None
    gap: Gap = None
    fold: Fold = None
    holidays: Holidays = None
    on_holiday: OnHoliday = None
    until: Until = None

    def rule_of(self, today: date, before: Rule | None = None) -> Rule:
        """The rule that the options name; without a way to name one, `before` with what else was given of it.

        Raises:
            WrongUse: none or several ways were used.
            WrongRule: the rule cannot be used.
        """
        all_ways = (self.rule, self.cron, self.every, self.rule_json, self.watch, self.after)
        ways = [way for way in all_ways if way is not None]
        if len(ways) != 1 and (ways or before is None):
            raise WrongUse(
                f"The rule is given {'in several ways' if ways else 'in no way'}.", f"Give it once, by {_WAYS}."
            )
        extras: dict[str, Any] = {"gap": self.gap, "fold": self.fold, "end_date": self.until}
        extras |= {"on_holiday": self.on_holiday, "pattern": self.pattern, "into": self.into}
        extras["settle"] = span(self.settle, "--settle") if self.settle is not None else None
        form = self._form(today) if ways or before is None else {**form_of(before), **self._free_days(today)}
        return rule_of({**form, **{name: value for name, value in extras.items() if value is not None}})

    def _form(self, today: date) -> dict[str, Any]:
        if self.rule is not None:
            return form_of(read(self.rule, today, self.holidays or (), Path.cwd()))
        return {**self._written(), **self._free_days(today)}

    def _free_days(self, today: date) -> dict[str, Any]:
        return holidays_form(self.holidays or (), today, Path.cwd())

    def _written(self) -> dict[str, Any]:
        if self.watch is not None:
            return {"kind": "folder", "path": self.watch.rstrip("/") or "."}
        if self.after is not None:
            return {"kind": "after", "template": called(self.after)}
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


@dataclass(frozen=True, slots=True)
class PolicyOptions:
    """What was given of a policy; its fields are options, too."""

    missed: Missed = None
    missed_most: MissedMost = None
    missed_within: MissedWithin = None
    grace: Grace = None
    overlap: Overlap = None
    overlap_most: OverlapMost = None
    cancel_within: CancelWithin = None
    jitter: Jitter = None
    tell: Tell = None

    def policy_of(self, before: Policy | None = None) -> Policy:
        """The policy that the options name; what they do not name is as before, or as it is by default.

        Raises:
            WrongRule: a word is not known, or a number is out of its range.
        """
        given = {name: getattr(self, name) for name in self.__slots__}
        spans = ("missed_within", "grace", "cancel_within", "jitter")
        said = {
            name: span(value, f"--{name.replace('_', '-')}") if name in spans else value
            for name, value in given.items()
            if value is not None
        }
        return policy_of({**(form_of_policy(before) if before else {}), **said})


def span(text: str, option: str) -> int:
    """Seconds of `90s`, `15m`, `2h`, `1d`.

    Raises:
        WrongRule: it is no span.
    """
    found = re.fullmatch(r"(\d{1,6})\s?(s|m|min|h|d)", text.strip().lower())
    if found is None:
        raise WrongRule(f"{option} {text} is no span of time.", "Write it like 15m, 2h or 1d.")
    return int(found[1]) * _SPANS[found[2]]
