"""Rules that people give: what they speak of, when they cover an effect, and how narrow they are.

What is allowed must be covered whole: every file, every recipient, every host. What is asked about or forbidden needs only a part. Names
are compared as they are spelled where something is allowed, and as the most forgiving file system reads them where it is forbidden.
"""

from __future__ import annotations

import dataclasses
import functools
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from typing import Any

from counterfoil.authoring import patterns
from counterfoil.authoring.codec import canonical
from counterfoil.engine.ports import Permission
from counterfoil.errors import WrongUse
from counterfoil.facts import FILE_EFFECTS, Money
from counterfoil.policy.boundaries import folded
from counterfoil.policy.reaching import Reach

EFFECTS = (*FILE_EFFECTS, "mail", "http", "call", "command")
FILES = "files"  # in a rule: every effect on files
# What an allowance of an effect has to say, so that no sentence is wider than it reads.
_NEEDED = {"mail": "to", "http": "host", "call": "connector", "command": "command"}
_FITS = {
    "path": (FILES, *FILE_EFFECTS),
    "to": ("mail",),
    "host": ("http",),
    "method": ("http",),
    "secret": ("http",),
    "connector": ("call",),
    "tool": ("call",),
    "command": ("command",),
}
_LISTED = ("path", "to", "host", "secret")
WIDEST = 10  # narrower than any default
NARROWEST = 900  # wider than what a template ties its own hands with


@dataclass(frozen=True, slots=True, kw_only=True)
class Conditions:
    """What a rule speaks of; empty means any. `path`, `host`, `to` and `secret` are patterns of which one has to fit, `tool`, `command` and
    the values of `args` patterns: `*` stands for any signs (in a path: of one name), `**` for folders too, `[*]` for the sign itself.
    `amount` is the most that is allowed, or what is asked about beyond."""

    effect: str = ""
    workspace: str = ""
    template: str = ""
    path: tuple[str, ...] = ()
    to: tuple[str, ...] = ()
    host: tuple[str, ...] = ()
    method: str = ""
    secret: tuple[str, ...] = ()
    connector: str = ""
    tool: str = ""
    pin: str = ""
    command: str = ""
    args: Mapping[str, str] = field(default_factory=dict)
    amount: Money | None = None

    def to_json(self) -> str:
        """Canonical text, without what is empty."""
        plain: dict[str, Any] = {
            one.name: getattr(self, one.name)
            for one in dataclasses.fields(self)
            if getattr(self, one.name) and one.name not in (*_LISTED, "amount")
        }
        plain |= {name: list(getattr(self, name)) for name in _LISTED if getattr(self, name)}
        if self.args:
            plain["args"] = dict(self.args)
        if self.amount is not None:
            plain["amount"] = {"amount": str(self.amount.amount), "currency": self.amount.currency}
        return canonical(plain)


@functools.lru_cache(maxsize=512)
def read(text: str) -> Conditions:
    """Conditions as they were kept."""
    plain = json.loads(text)
    plain |= {name: tuple(plain[name]) for name in _LISTED if name in plain}
    amount = plain.pop("amount", None)
    money = None if amount is None else Money(Decimal(amount["amount"]), amount["currency"])
    return Conditions(**plain, amount=money)


def money_of(text: str) -> Money:
    """`100 EUR`.

    Raises:
        WrongUse: it is no amount with a currency.
    """
    number, _, currency = text.strip().partition(" ")
    try:
        amount = Decimal(number)
    except InvalidOperation:
        amount = Decimal("nan")
    if not amount.is_finite() or amount < 0 or not re.fullmatch(r"[A-Z]{3}", currency.strip()):
        raise WrongUse(f"“{text}” is no amount.", "Write it as 100.00 EUR.")
    return Money(amount, currency.strip())


def check(verdict: Permission, rule: Conditions) -> None:
    """Refuse a rule that could match nothing, or that allows more than it says.

    Raises:
        WrongUse: what is wrong, and what to write.
    """
    if rule.effect == "llm":
        raise WrongUse(
            "Rules do not hold llms: routes say which of them are asked, limits what they may cost.",
            "See: counterfoil route list, counterfoil route limit",
        )
    if rule.effect and rule.effect not in (*EFFECTS, FILES):
        raise WrongUse(f"There is no effect “{rule.effect}”.", f"One of: {', '.join((FILES, *EFFECTS))}.")
    for name, effects in _FITS.items():
        if getattr(rule, name) and rule.effect and rule.effect not in effects:
            raise WrongUse(
                f"A rule about “{rule.effect}” with --{name} matches nothing.",
                f"--{name} goes with --effect {' or '.join(effects)}.",
            )
    if verdict is not Permission.ALLOW:
        if not rule.effect and not any(getattr(rule, name) for name in (*_FITS, "args", "amount", "template")):
            raise WrongUse("The rule says of nothing what it forbids.", "Add --effect, --path, --host or the like.")
        return
    if not rule.effect:
        raise WrongUse("What is allowed has to be named.", f"Add --effect: {', '.join((FILES, *EFFECTS))}.")
    needed = _NEEDED.get(rule.effect, "path")
    if not getattr(rule, needed):
        raise WrongUse(
            f"Which --{needed} does it allow? A rule is never wider than it reads.",
            f"Add --{needed} PATTERN; '{'**' if needed == 'path' else '*'}' stands for any.",
        )
    if rule.effect == "call" and not rule.tool:
        raise WrongUse("Which tool of the connector does it allow?", "Add --tool NAME.")


def covers(verdict: Permission, rule: Conditions, reach: Reach, workspace: str, template: str) -> bool:
    """Whether a rule speaks of an effect, as it is; of a tool only as it was when it was allowed."""
    return _fits(verdict, rule, reach, workspace, template) and not is_outdated(verdict, rule, reach)


def is_outdated(verdict: Permission, rule: Conditions, reach: Reach) -> bool:
    """Whether the tool, or the script of a skill, that a rule allows is another one now."""
    return verdict is Permission.ALLOW and rule.effect in ("call", "command") and rule.pin != reach.pin


def fits_but_for_its_pin(verdict: Permission, rule: Conditions, reach: Reach, workspace: str, template: str) -> bool:
    """Whether a rule would cover an effect, had its tool not changed since."""
    return is_outdated(verdict, rule, reach) and _fits(verdict, rule, reach, workspace, template)


def _fits(verdict: Permission, rule: Conditions, reach: Reach, workspace: str, template: str) -> bool:
    allows = verdict is Permission.ALLOW
    same = (
        (rule.effect, reach.effect if rule.effect != FILES or reach.effect not in FILE_EFFECTS else FILES),
        (rule.workspace, workspace),
        (rule.template, template),
        (rule.method, reach.method),
        (rule.connector, reach.connector),
    )
    if any(wanted and wanted != found for wanted, found in same):
        return False
    parts = (
        _matches(rule.path, reach.paths, allows=allows, is_path=True),
        _matches(_lower(rule.to), reach.recipients, allows=allows),
        _matches(_lower(rule.host), reach.hosts, allows=allows),
        _matches(_one(rule.tool), [reach.tool], allows=allows),
        _matches(_one(rule.command), _commands(reach, allows=allows), allows=allows),
        all(_matches(_one(wanted), _values(reach.args, name), allows=allows) for name, wanted in rule.args.items()),
        _secrets(rule.secret, reach.secrets, allows=allows),
        rule.amount is None or _amount(rule.amount, reach.amounts, allows=allows),
    )
    return all(parts)


def width(rule: Conditions) -> int:
    """How little a rule speaks of: the more, the narrower."""
    found = WIDEST + 3 * (rule.amount is not None) + 2 * len(rule.args)
    for name in ("effect", "workspace", "template", "method", "connector"):
        found += 2 * bool(getattr(rule, name))
    for patterns_of in (rule.path, rule.to, rule.host, rule.secret, _one(rule.tool), _one(rule.command)):
        found += 0 if not patterns_of else 1 if any(map(patterns.is_open, patterns_of)) else 2
    found += min((sum(not patterns.is_open(part) for part in path.split("/")) for path in rule.path), default=0)
    return min(found - (rule.effect == FILES), NARROWEST)


def _commands(reach: Reach, *, allows: bool) -> list[str]:
    """A command as a rule has to speak of it: what allows one that is given something to read has to fit that, too."""
    whole = reach.command + reach.given
    return [whole] if allows else [reach.command, whole]


def _one(pattern: str) -> tuple[str, ...]:
    return (pattern,) if pattern else ()


def _lower(given: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(pattern.lower() for pattern in given)


def _matches(wanted: tuple[str, ...], found: Iterable[str], *, allows: bool, is_path: bool = False) -> bool:
    """Whether all that was found (of what is not allowed: any of it) fits one of the patterns."""
    if not wanted:
        return True
    if is_path and not allows:
        wanted, found = tuple(map(_folded, wanted)), map(_folded, found)
    compiled = [patterns.of_path(one) if is_path else patterns.of_text(one) for one in wanted]
    hits = [any(pattern.fullmatch(one) for pattern in compiled) for one in found]
    return bool(hits) and (all(hits) if allows else any(hits))


def _folded(path: str) -> str:
    return "/".join(part if part in ("*", "**") else folded(part) for part in path.split("/"))


def _secrets(wanted: tuple[str, ...], named: tuple[str, ...], *, allows: bool) -> bool:
    """Whoever is allowed to reach a host is not thereby allowed to take a secret there."""
    if allows:
        return not named or (bool(wanted) and _matches(wanted, named, allows=True))
    return _matches(wanted, named, allows=False)


def _amount(limit: Money, found: tuple[Money, ...], *, allows: bool) -> bool:
    """An amount that is not known, or in another currency, is never within a limit."""
    within = bool(found) and all(one.currency == limit.currency and one.amount <= limit.amount for one in found)
    return within if allows else not within


def _values(args: Mapping[str, Any], name: str) -> list[str]:
    """What stands under a dotted name, as texts; a list's items one by one."""
    value: Any = args
    for part in name.split("."):
        value = value.get(part) if isinstance(value, Mapping) else None
    listed = value if isinstance(value, list) else [] if value is None else [value]
    return [one if isinstance(one, str) else canonical(one) for one in listed]
