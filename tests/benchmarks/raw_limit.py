"""What the disk allows at best: plain sqlite3, WAL, synchronous=FULL, one insert and one commit for each step."""

from __future__ import annotations

import contextlib
import sqlite3
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

_COLUMNS = 16  # as many as a record has
_VALUES = ("0123456789abcdef" * 4,) * 4 + ("a short text",) * 4 + (1_700_000_000_000_000,) * 8


@dataclass(slots=True)
class Raw:
    """Measured blocks: commits per second, CPU milliseconds per commit, and the median commit in milliseconds."""

    rates: list[float] = field(default_factory=list)
    cpu_ms: list[float] = field(default_factory=list)
    commit_ms: list[float] = field(default_factory=list)


class RawLimit:
    """A plain database in a folder."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._conn = sqlite3.connect(folder / "raw.db", isolation_level=None)
        self._conn.execute("PRAGMA journal_mode=WAL")
        self._conn.execute("PRAGMA synchronous=FULL")
        names = ", ".join(f"c{n}" for n in range(_COLUMNS))
        self._conn.execute(f"CREATE TABLE IF NOT EXISTS step (row INTEGER PRIMARY KEY, {names})")
        self._insert = f"INSERT INTO step ({names}) VALUES ({', '.join('?' * _COLUMNS)})"
        self.seen = Raw()

    def block(self, steps: int) -> float:
        """Insert and commit this many times; the rate."""
        took: list[float] = []
        cpu, begun = time.process_time(), time.perf_counter()
        for _ in range(steps):
            at = time.perf_counter()
            self._conn.execute("BEGIN IMMEDIATE")
            self._conn.execute(self._insert, _VALUES)
            self._conn.execute("COMMIT")
            took.append(time.perf_counter() - at)
        rate = steps / (time.perf_counter() - begun)
        self.seen.rates.append(rate)
        self.seen.cpu_ms.append((time.process_time() - cpu) / steps * 1000)
        self.seen.commit_ms.append(median(took) * 1000)
        return rate

    def close(self) -> None:
        """Let go of the database."""
        self._conn.close()


@contextlib.contextmanager
def raw_limit(folder: Path) -> Iterator[RawLimit]:
    """A plain database in this folder."""
    limit = RawLimit(folder)
    try:
        yield limit
    finally:
        limit.close()
