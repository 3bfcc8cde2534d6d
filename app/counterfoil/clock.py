"""Time is a parameter: whoever needs an instant is given a clock, so tests set it and never sleep.

Instants are kept in the database as microseconds since the epoch in UTC (BIGINT), which sorts and compares alike on SQLite
and PostgreSQL.
"""

from __future__ import annotations

import contextlib
import functools
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Protocol

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_GAP = 60.0  # seconds between two looks at a clock of awake time that were not slept through


class Clock(Protocol):
    """Where the present comes from."""

    def now_us(self) -> int:
        """Microseconds since the epoch, UTC."""
        ...


class SystemClock:
    """The clock of this computer."""

    def now_us(self) -> int:
        """Microseconds since the epoch, UTC."""
        return time.time_ns() // 1000

    def since_start_us(self) -> int:
        """Microseconds since this computer was started, whatever its clock was set to meanwhile; sleep counts where the system can tell."""
        counting = getattr(time, "CLOCK_BOOTTIME", None)
        return (time.monotonic_ns() if counting is None else time.clock_gettime_ns(counting)) // 1000


class AwakeClock:
    """Seconds that this process has been awake, while somebody looks at least once a minute: a longer gap between two looks was sleep of
    the computer, or of the process, and counts as a minute. `monotonic` counts seconds."""

    def __init__(self, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._monotonic = monotonic
        self._last = monotonic()
        self._awake = 0.0

    def now(self) -> float:
        """Seconds awake since this clock was made."""
        last, self._last = self._last, self._monotonic()
        self._awake += min(max(self._last - last, 0.0), _GAP)
        return self._awake


class FakeClock:
    """A clock that moves only when told; the Harness uses it."""

    def __init__(self, start: datetime = datetime(2026, 11, 30, 8, 55, tzinfo=UTC)) -> None:
        self._us = to_us(start)

    def now_us(self) -> int:
        """Microseconds since the epoch, UTC; each reading is one microsecond later than the one before."""
        self._us += 1
        return self._us

    def advance(self, by: timedelta) -> None:
        """Move the present forward."""
        self._us += by // timedelta(microseconds=1)


def to_us(at: datetime) -> int:
    """An aware instant as microseconds since the epoch.

    Raises:
        ValueError: the instant has no zone.
    """
    if at.tzinfo is None:
        raise ValueError("an instant needs a zone")
    return (at - _EPOCH) // timedelta(microseconds=1)


def from_us(us: int) -> datetime:
    """Microseconds since the epoch as an aware UTC instant."""
    return _EPOCH + timedelta(microseconds=us)


def iso(us: int | None) -> str | None:
    """The instant as JSON shows it: milliseconds, `Z` (`2026-11-30T08:55:12.204Z`)."""
    if us is None:
        return None
    return from_us(us).strftime("%Y-%m-%dT%H:%M:%S.") + f"{us // 1000 % 1000:03d}Z"


@functools.cache
def boot() -> str:
    """What names this start of the computer; "" where the system does not say."""
    with contextlib.suppress(OSError):
        return Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    return ""
