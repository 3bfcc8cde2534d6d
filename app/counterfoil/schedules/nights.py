"""Nights when clocks change: on which local date of a zone, at what time, and which way."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

_MINUTE = timedelta(minutes=1)


def changes(zone: ZoneInfo, first: date, days: int) -> dict[date, str]:
    """Local dates among so many from `first` on whose clocks change, with the words for it: `02:00 becomes 03:00`."""
    start = datetime.combine(first, time(), zone).astimezone(UTC)
    found: dict[date, str] = {}
    for number in range(days + 1):
        here, there = start + timedelta(days=number), start + timedelta(days=number + 1)
        if _offset(here, zone) != _offset(there, zone):
            at = _moment(here, there, zone)
            before = (at - _MINUTE).astimezone(zone).replace(tzinfo=None) + _MINUTE
            found.setdefault(before.date(), f"{before:%H:%M} becomes {at.astimezone(zone):%H:%M}")
    return {day: words for day, words in found.items() if first <= day < first + timedelta(days=days)}


def place_of(zone: str) -> str:
    """The city of an IANA name: `New York`."""
    return zone.rpartition("/")[2].replace("_", " ")


def _offset(instant: datetime, zone: ZoneInfo) -> timedelta | None:
    return instant.astimezone(zone).utcoffset()


def _moment(before: datetime, after: datetime, zone: ZoneInfo) -> datetime:
    """The first minute between two instants that has the later one's offset."""
    minutes = int((after - before) / _MINUTE)
    low, high, wanted = 0, minutes, _offset(after, zone)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if _offset(before + middle * _MINUTE, zone) == wanted else (middle, high)
    return before + high * _MINUTE
