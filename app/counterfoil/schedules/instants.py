"""From a rule and a zone to instants: where clocks jump over a local time, repeat it, or where nothing ever fires.

Local times are mapped by a round trip through UTC (PEP 495): one that does not come back does not exist that day. The result is a set of
instants, strictly after `after`, ascending.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from itertools import islice
from zoneinfo import ZoneInfo

from counterfoil.errors import WrongRule
from counterfoil.schedules.days import FARTHEST_MOVE, Days
from counterfoil.schedules.rules import After, Cron, Interval, Rule, Watch

NEVER = timedelta(days=12 * 366)  # 29 February needs eight years around 2100
_MARGIN = 1  # days around a window in which a clock change may carry a firing over its edge
_WINDOW, _WIDEST = 1, 256  # days looked at together, at first and at most


@dataclass(frozen=True, slots=True)
class Firing:
    """One due instant (UTC), the local date that the rule named for it, and what is unusual about it ("" mostly)."""

    due_at: datetime
    named: date
    note: str = ""

    def local(self, zone: ZoneInfo) -> datetime:
        """The due instant on the clocks of the zone."""
        return self.due_at.astimezone(zone)


def firings(rule: Rule, zone: ZoneInfo, after: datetime) -> Iterator[Firing]:
    """The firings of a rule strictly after an instant, ascending; ends where 12 years bring no further one."""
    if isinstance(rule, (Watch, After)):
        return
    found = _grid(rule, zone, after) if isinstance(rule, Interval) else _wall_clock(rule, zone, after)
    last = after
    for firing in found:
        if firing.due_at - last > NEVER:
            return
        last = firing.due_at
        yield firing


def next_firings(rule: Rule, zone: ZoneInfo, after: datetime, count: int) -> list[Firing]:
    """At most `count` firings strictly after an instant."""
    return list(islice(firings(rule, zone, after), count))


def refuse_never(rule: Rule, zone: ZoneInfo, after: datetime) -> None:
    """Refuse a rule that will not fire.

    Raises:
        WrongRule: it has no firing in the next 12 years.
    """
    if not isinstance(rule, (Watch, After)) and not next_firings(rule, zone, after, 1):
        over = rule.end_date or rule.end_local
        why = f"It ended on {over.day} {over:%B %Y}." if over and _is_past(over, after) else "Look at its dates."
        raise WrongRule("This rule has no firing in the next 12 years.", why)


def _is_past(bound: date, after: datetime) -> bool:
    return (bound.date() if isinstance(bound, datetime) else bound) < after.date()


def _grid(rule: Interval, zone: ZoneInfo, after: datetime) -> Iterator[Firing]:
    step = timedelta(seconds=rule.seconds)
    holidays = frozenset(rule.holidays)
    if rule.start_local is not None:  # a day early, whatever the clocks did
        after = max(after, rule.start_local.replace(tzinfo=zone).astimezone(UTC) - timedelta(days=1))
    due = rule.anchor_utc + ((after - rule.anchor_utc) // step + 1) * step
    while due - after <= NEVER:
        local = due.astimezone(zone)
        wall = local.replace(tzinfo=None)
        if _is_over(rule, wall):
            return
        if _has_begun(rule, wall) and local.date() not in holidays:
            yield Firing(due, local.date())
            after = due
        due += step


def _wall_clock(rule: Rule, zone: ZoneInfo, after: datetime) -> Iterator[Firing]:
    """Window by window, each wider than the last one: a set per window, so that a clock change cannot put two out of order."""
    days = Days(rule)
    day, width = after.astimezone(zone).date(), _WINDOW
    reached, quiet_since = after, after
    on: dict[date, list[Firing]] = {}  # the days of a window and its margin, which is in the next window again
    while reached.year < 9990 and reached - quiet_since <= NEVER + timedelta(days=_WIDEST + FARTHEST_MOVE):
        until = day + timedelta(days=width)
        edge = datetime.combine(until, time(), zone).astimezone(UTC)
        found: dict[datetime, Firing] = {}
        around = [day + timedelta(days=offset) for offset in range(-_MARGIN, width + _MARGIN)]
        on = {each: on[each] if each in on else list(_of_day(days, each, zone)) for each in around}
        for each in around:
            for firing in on[each]:
                if reached < firing.due_at <= edge:
                    found.setdefault(firing.due_at, firing)
        for due in sorted(found):
            yield found[due]
        if found:
            quiet_since = edge
        if _is_over(rule, datetime.combine(day, time()) - timedelta(days=_MARGIN)):
            return
        day, reached, width = until, max(reached, edge), width if found else min(width * 2, _WIDEST)


def _of_day(days: Days, day: date, zone: ZoneInfo) -> Iterator[Firing]:
    rule = days.rule
    passes = isinstance(rule, Cron) and rule.elapsed
    for at, named in days.on(day):
        wall = datetime.combine(day, at)
        if not _has_begun(rule, wall) or _is_over(rule, wall):
            continue
        moved = f"moved from {named:%a} {named.day} {named:%b}, a holiday" if named != day else ""
        for due, note in _passes(wall, zone) if passes else _once(wall, zone, rule):
            yield Firing(due, named, "; ".join(part for part in (moved, note) if part))


def _passes(wall: datetime, zone: ZoneInfo) -> list[tuple[datetime, str]]:
    """Every instant at which the clocks show this time: none in a gap, two in a fold."""
    first, second = _instants(wall, zone)
    if first == second:
        return [(first, "")]
    return [(instant, "") for instant in (first, second)] if _shows(first, wall, zone) else []


def _once(wall: datetime, zone: ZoneInfo, rule: Rule) -> list[tuple[datetime, str]]:
    first, second = _instants(wall, zone)
    if first == second:
        return [(first, "")]
    if not _shows(first, wall, zone):
        if rule.gap == "skip":
            return []
        # PEP 495: fold=0 in a gap reads the time with the offset that was valid before it.
        return [(first, f"{wall:%H:%M} does not exist that day: {first.astimezone(zone):%H:%M}")]
    return [(first if rule.fold == "first" else second, f"{wall:%H:%M} comes twice that day: the {rule.fold} one")]


def _instants(wall: datetime, zone: ZoneInfo) -> tuple[datetime, datetime]:
    """A local time read with the offset before a change and with the one after it: the same instant except in a gap or a fold (PEP 495)."""
    local = wall.replace(tzinfo=zone)
    first, after = local.astimezone(UTC), local.replace(fold=1)
    return first, first if after.utcoffset() == local.utcoffset() else after.astimezone(UTC)


def _shows(instant: datetime, wall: datetime, zone: ZoneInfo) -> bool:
    return instant.astimezone(zone).replace(tzinfo=None) == wall


def _has_begun(rule: Rule, wall: datetime) -> bool:
    return rule.start_local is None or wall >= rule.start_local


def _is_over(rule: Rule, wall: datetime) -> bool:
    return (rule.end_local is not None and wall > rule.end_local) or (
        rule.end_date is not None and wall.date() > rule.end_date
    )
