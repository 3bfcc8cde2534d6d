"""Firings found the slow way, by looking at the clocks minute by minute; nothing of the product's arithmetic is used."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import chain
from zoneinfo import ZoneInfo

ZONES = (
    "Europe/Berlin",
    "Europe/London",
    "Europe/Dublin",
    "America/New_York",
    "America/Sao_Paulo",
    "America/Santiago",
    "America/Havana",
    "America/St_Johns",
    "Africa/Cairo",
    "Africa/Casablanca",
    "Asia/Beirut",
    "Asia/Tehran",
    "Asia/Kathmandu",
    "Australia/Lord_Howe",
    "Pacific/Auckland",
    "Pacific/Apia",
)
MINUTE = timedelta(minutes=1)


def transitions(zone: ZoneInfo, since: int = 2015, until: int = 2035) -> Iterator[datetime]:
    """The instants at which the offset of a zone changes, found by halving."""
    at, end = datetime(since, 1, 1, tzinfo=UTC), datetime(until, 12, 31, tzinfo=UTC)
    while at < end:
        later = at + timedelta(days=5)
        if at.astimezone(zone).utcoffset() != later.astimezone(zone).utcoffset():
            low, high = at, later
            while high - low > MINUTE:
                middle = (low + (high - low) / 2).replace(second=0, microsecond=0)
                same = middle.astimezone(zone).utcoffset() == at.astimezone(zone).utcoffset()
                low, high = (middle, high) if same else (low, middle)
            yield high
        at = later


@dataclass(frozen=True)
class Clocks:
    """What the clocks of a zone show in each minute of a span, and the minutes of local time that they leave out."""

    shown: dict[int, dict[datetime, list[datetime]]]  # minute of the hour -> local minute -> instants, ascending
    left_out: dict[
        datetime, datetime
    ]  # local minute that does not exist -> instant it would have been at the old offset


def clocks(zone: ZoneInfo, begin: datetime, end: datetime) -> Clocks:
    """The clocks of a zone between two instants."""
    shown: dict[int, dict[datetime, list[datetime]]] = {minute: {} for minute in range(60)}
    left_out: dict[datetime, datetime] = {}
    before: datetime | None = None
    at = begin
    while at < end:
        wall = at.astimezone(zone).replace(tzinfo=None)
        shown[wall.minute].setdefault(wall, []).append(at)
        if before is not None and wall - before > MINUTE:
            missing, would_be = before + MINUTE, at
            while missing < wall:
                left_out[missing] = would_be
                missing, would_be = missing + MINUTE, would_be + MINUTE
        before, at = wall, at + MINUTE
    return Clocks(shown, left_out)


@dataclass(frozen=True)
class Line:
    """A crontab line with plain numbers, and what it means: minutes, hours (None: every hour), days, months, weekdays (0 is Sunday)."""

    minutes: frozenset[int]
    hours: frozenset[int] | None
    days: frozenset[int] | None
    months: frozenset[int] | None
    weekdays: frozenset[int] | None

    @property
    def expr(self) -> str:
        """The line as text."""
        fields = (self.minutes, self.hours, self.days, self.months, self.weekdays)
        return " ".join("*" if one is None else ",".join(map(str, sorted(one))) for one in fields)

    def names(self, wall: datetime) -> bool:
        """Whether the line names this local minute."""
        if wall.minute not in self.minutes or (self.hours is not None and wall.hour not in self.hours):
            return False
        if self.months is not None and wall.month not in self.months:
            return False
        weekday = wall.isoweekday() % 7
        if self.days is not None and self.weekdays is not None:
            return wall.day in self.days or weekday in self.weekdays
        return (self.days is None or wall.day in self.days) and (self.weekdays is None or weekday in self.weekdays)

    def due(self, seen: Clocks, *, gap: str, fold: str) -> list[datetime]:
        """Every due instant in what was seen of the clocks."""
        found = set()
        for wall, instants in chain.from_iterable(seen.shown[minute].items() for minute in self.minutes):
            if self.names(wall):
                found.update(instants if self.hours is None else [instants[0] if fold == "first" else instants[-1]])
        if self.hours is not None and gap == "shift":
            found.update(instant for wall, instant in seen.left_out.items() if self.names(wall))
        return sorted(found)


def line(chance: random.Random) -> Line:
    """A line somebody might write, more often than not around the hours in which clocks change."""

    def some(low: int, high: int, most: int) -> frozenset[int]:
        return frozenset(chance.sample(range(low, high + 1), chance.randint(1, most)))

    return Line(
        minutes=some(0, 59, 3) if chance.random() < 0.6 else frozenset(range(0, 60, chance.choice((5, 15, 20, 30)))),
        hours=None
        if chance.random() < 0.25
        else chance.choice((some(0, 3, 3), some(0, 23, 4), frozenset(range(0, 24, 2)))),
        days=some(1, 31, 12) if chance.random() < 0.3 else None,
        months=some(1, 12, 8) if chance.random() < 0.2 else None,
        weekdays=some(0, 6, 4) if chance.random() < 0.4 else None,
    )
