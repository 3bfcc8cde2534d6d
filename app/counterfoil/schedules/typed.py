"""A rule while it is typed: what was understood, the firings ahead, and what a person should know of them before saving."""

from __future__ import annotations

import calendar
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from counterfoil.schedules.instants import Firing, firings, next_firings, refuse_never
from counterfoil.schedules.nights import changes, place_of
from counterfoil.schedules.rules import After, Cron, Interval, Monthly, Rule, Watch, Yearly, form_of, rule_of
from counterfoil.schedules.wording import holidays_form, read, say

AHEAD = 5
_CRON = re.compile(r"[\d*?,/-]\S*( \S+){4}")
_NO_SUCH_DAY = re.compile(r"(\d{1,2}) ([A-Z][a-z]+) does not exist")
_YEAR = 400  # days in which a gap or a fold that the rule meets is looked for


@dataclass(frozen=True, slots=True)
class Understood:
    """A rule with its sentence, the next firings, and sentences about what is unusual."""

    rule: Rule
    words: str
    ahead: tuple[Firing, ...]
    notes: tuple[str, ...]


def form_typed(
    text: str, today: date, options: Mapping[str, Any], holidays: Sequence[str] = (), folder: Path = Path()
) -> dict[str, Any]:
    """The JSON form of what was typed, plain words or a crontab line, with options such as `gap`; `holidays` names lists of free days,
    whose files lie in `folder`.

    Raises:
        WrongRule: it is not understood, or cannot be used.
    """
    plain = " ".join(text.split())
    if _CRON.fullmatch(plain):
        typed = {"kind": "cron", "expr": plain, **holidays_form(holidays, today, folder)}
    else:
        typed = form_of(read(text, today, holidays, folder))
    beside_time = typed["kind"] in ("folder", "after")  # to which a gap of clocks means nothing
    return form_of(
        rule_of({**typed, **{name: value for name, value in options.items() if not beside_time or name != "gap"}})
    )


def words_of(rule: Rule) -> str:
    """What would be typed for a kept rule, its free days left out: those are named beside it."""
    if isinstance(rule, Cron):
        return rule.expr
    return say(rule.model_copy(update={"holidays": []}))


def understood(form: Mapping[str, Any], zone: ZoneInfo, after: datetime) -> Understood:
    """What a form means from an instant on.

    Raises:
        WrongRule: it has no firing in 12 years.
    """
    rule = rule_of(form)
    if isinstance(rule, Watch | After):
        return Understood(rule, say(rule), (), ("It starts when that happens, so it has no planned times.",))
    refuse_never(rule, zone, after)
    return Understood(rule, say(rule), tuple(next_firings(rule, zone, after, AHEAD)), tuple(unusual(form, zone, after)))


def unusual(form: Mapping[str, Any], zone: ZoneInfo, after: datetime) -> list[str]:
    """Sentences about dates that a rule leaves out, and about the next night when clocks jump over or show twice what it names."""
    rule = rule_of(form)
    is_timed = not isinstance(rule, Watch | After) and bool(next_firings(rule, zone, after, 1))
    return [*_left_out(rule, zone, after), *_clocks(form, zone, after)] if is_timed else []


def instead_of(text: str, problem: str) -> str:
    """What could be typed where a day of a month does not exist: its last day; "" where nothing is known."""
    found = _NO_SUCH_DAY.search(problem)
    months = list(calendar.month_name)
    if found is None or found[2] not in months:
        return ""
    last = calendar.monthrange(2028, months.index(found[2]))[1]
    return re.sub(rf"\b{found[1]}(st|nd|rd|th)?\b(?!:)", str(last), text, count=1)


def _left_out(rule: Rule, zone: ZoneInfo, after: datetime) -> list[str]:
    """Dates that not every month or year has."""
    if isinstance(rule, Yearly) and (rule.month, rule.day) == (2, 29) and rule.overflow == "skip":
        following = next_firings(rule, zone, after, 1)[0].due_at.astimezone(zone).year
        return [f"29 Feb comes every four years. Next: {following}."]
    if isinstance(rule, Monthly) and isinstance(rule.day, int) and rule.day > 28 and rule.overflow == "skip":
        return [f"Months without a day {rule.day} are left out. “last day of the month” runs in each."]
    return []


def _on_those_nights(rule: Rule, zone: ZoneInfo, after: datetime) -> Iterator[Firing]:
    """The firings of a year on nights when clocks change, and those alone: a rule may fire every minute of it."""
    for day in changes(zone, after.astimezone(zone).date(), _YEAR):
        midnight = datetime.combine(day, time(), zone)
        until = midnight + timedelta(days=2)
        start = max(after, midnight - timedelta(hours=2))
        for firing in firings(rule, zone, start):
            if firing.due_at >= until:
                break
            yield firing


def _clocks(form: Mapping[str, Any], zone: ZoneInfo, after: datetime) -> list[str]:
    """The next time that clocks jump over, or show twice, what the rule names."""
    rule = rule_of(form)
    if isinstance(rule, Interval) or (isinstance(rule, Cron) and rule.elapsed):
        return []  # such a rule names no time that clocks could jump over
    skips, place = form.get("gap") == "skip", place_of(zone.key)
    for firing in _on_those_nights(rule_of({**form, "gap": "shift"}), zone, after):
        local = firing.local(zone)
        if "does not exist" in firing.note:
            named = re.search(r"\d\d:\d\d", firing.note)
            then = "it will not run that day" if skips else f"it will run at {local:%H:%M}"
            day = f"{firing.named.day} {firing.named:%B}"
            return [f"{named[0] if named else ''} does not exist on {day} in {place}: {then}."]
        if "twice" in firing.note:
            which = "second" if form.get("fold") == "second" else "first"
            return [f"{local:%H:%M} comes twice on {local.day} {local:%B} in {place}: it runs once, the {which} time."]
    return []
