"""One of several scanners on one database, as a process: `python racing.py HOME SCHEDULE CLOCK_OFF_SECONDS LAST_US`."""

from __future__ import annotations

import contextlib
import sys
import time
from pathlib import Path

from counterfoil.clock import SystemClock
from counterfoil.errors import StoreTrouble
from counterfoil.places import Home
from counterfoil.schedules.scanning import scan_due
from counterfoil.store.database import open_database
from schedules.routines import Bare


class _Fast(SystemClock):
    """A clock that starts at an instant and runs three thousand times as fast, some seconds off, until the last one: on a slow machine
    there are not more instants, only fewer looks."""

    def __init__(self, start_us: int, off: float, last_us: int) -> None:
        self._start, self._last = start_us + int(off * 1_000_000), last_us
        self._began = time.monotonic_ns()

    def now_us(self) -> int:
        return min(self._last, self._start + 3 * (time.monotonic_ns() - self._began))


def main() -> None:
    folder, start, off, last = sys.argv[1:]
    clock = _Fast(int(start), float(off), int(last))
    database = open_database(Home(Path(folder)), clock)
    done = False
    while not done:
        over = clock.now_us() >= int(last)
        with contextlib.suppress(
            StoreTrouble
        ):  # as a sweep does: what is locked for long is looked at again, also at the end
            scan_due(database, Bare())
            done = over
    database.close()


if __name__ == "__main__":
    main()
