"""Several runners on one database, one of them with a clock that is off: no hole and no double."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import sqlalchemy as sa

from counterfoil.store import firings, tables
from schedules.routines import Desk

_COUNT = 500
_EVERY = 60  # seconds of a clock that runs three thousand times as fast


def test_three_scanners_settle_every_instant_once(desk: Desk, tmp_path: Path) -> None:
    policy = {"overlap": "allow", "overlap_most": 50, "missed": "all", "missed_most": 1000}
    rule = {"kind": "interval", "seconds": _EVERY, "anchor_utc": "2026-01-01T00:00:00Z"}
    kept = [desk.add(f"r{n}", rule=rule, policy=policy) for n in range(2)]
    start = desk.clock.now_us()
    last = start + (_COUNT + 20) * _EVERY * 1_000_000
    folder = str(desk.database.home.root)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(["app", "tests"])}
    racers = [
        subprocess.Popen(
            [sys.executable, "-m", "schedules.racing", folder, str(start), str(off), str(last)],
            env=environment,
            cwd=Path(__file__).parents[2],
        )
        for off in (0.0, 0.7, -45.0)
    ]
    assert [racer.wait(timeout=300) for racer in racers] == [0, 0, 0]
    conn = desk.database.reader
    for schedule_id in kept:
        rows = firings.newest(conn, schedule_id, 10_000)
        dues = sorted(row["due_at"] for row in rows)
        assert len(dues) >= _COUNT
        assert dues == list(range(dues[0], dues[-1] + 1, _EVERY * 1_000_000))
        started = [row["run_id"] for row in rows if row["run_id"]]
        assert (
            len(started)
            == len(set(started))
            == conn.execute(sa.select(sa.func.count()).where(tables.run.c.schedule_id == schedule_id)).scalar()
        )
