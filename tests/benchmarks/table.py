"""The speed of the engine in one table, beside what the disk allows: `python tests/benchmarks/table.py [--quick] [--only NAME]`.

Machines are noisy and disks drift, so the raw limit is measured in alternating blocks in the same run; read ratios, syncs and CPU before
rates. Targets are those of the design; "missed" is a figure to look at, never a failure.
"""

from __future__ import annotations

import argparse
import os
import platform
import sqlite3
import sys
import time
from collections.abc import Sequence
from pathlib import Path

if __name__ == "__main__":
    _ROOT = Path(__file__).resolve().parents[2]
    sys.path[:1] = [str(_ROOT / folder) for folder in ("tests", "app", "workflows/pay-invoices")]

from benchmarks import (
    agent_rows,
    big_gate_rows,
    diff_rows,
    host_rows,
    invoice_rows,
    screen_rows,
    set_rows,
    stage_rows,
    start_rows,
    step_rows,
    sync_rows,
    waiting_rows,
    window_rows,
)
from benchmarks.measuring import Ground, Measure, Row, ground, lines
from counterfoil.store.database import filesystem_of

ROWS: dict[str, Measure] = {
    "syncs-alone": sync_rows.alone,
    "syncs-together": sync_rows.together,
    "syncs-requests": sync_rows.requests,
    "syncs-files": sync_rows.files,
    "set-moves": set_rows.moves,
    "set-moves-disk": set_rows.moves_on_disk,
    "set-deletions": set_rows.deletions,
    "set-writes": set_rows.writes,
    "set-writes-disk": set_rows.writes_on_disk,
    "stage": stage_rows.copied,
    "diff": diff_rows.changed,
    "cpu-async": step_rows.cpu_async,
    "cpu-thread": step_rows.cpu_thread,
    "cpu-host": step_rows.cpu_host,
    "rate-memory": step_rows.rate_memory,
    "rate-memory-host": step_rows.rate_memory_host,
    "rate-disk": step_rows.rate_disk,
    "rate-disk-host": step_rows.rate_disk_host,
    "at-once": step_rows.at_once,
    "agent-replay": agent_rows.replay,
    "resume": waiting_rows.resume,
    "resume-host": waiting_rows.resume_host,
    "decision-lingering": waiting_rows.decision_lingering,
    "decision-pool": waiting_rows.decision_pool,
    "click-warm": waiting_rows.click_warm,
    "click-cold": waiting_rows.click_cold,
    "hosts-at-once": host_rows.at_once,
    "waiting": waiting_rows.waiting,
    "idle": waiting_rows.idle,
    "import": start_rows.door,
    "inbox": start_rows.inbox,
    "invoices": invoice_rows.invoices,
    "window-open": screen_rows.opening,
    "window-switch": screen_rows.switching,
    "window-live": screen_rows.live,
    "window-frames": screen_rows.frames,
    "window-rest": screen_rows.resting,
    "window-evidence": big_gate_rows.evidence,
    "office-first": window_rows.first_page,
    "office-pages": window_rows.switches,
    "office-look": window_rows.looks,
}


def measure(place: Ground, only: Sequence[str] = ()) -> dict[str, Row]:
    """Every row, or those named, in the order of the table; which one is measured is told on stderr."""
    found: dict[str, Row] = {}
    for name, row in ROWS.items():
        if only and name not in only:
            continue
        began = time.perf_counter()
        found[name] = row(place)
        print(f"{name}: {time.perf_counter() - began:.1f} s", file=sys.stderr)
    return found


def machine(place: Ground) -> str:
    """Where this was measured, in one line."""
    kinds = [filesystem_of(place.disk) or "disk", *(["tmpfs"] if place.memory else [])]
    load = f", load {os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else ""
    return (
        f"Python {platform.python_version()}, SQLite {sqlite3.sqlite_version}, {platform.system()}, "
        f"{os.cpu_count()} cores{load}, {' and '.join(kinds)}"
    )


def main() -> None:
    """Print the table."""
    words = argparse.ArgumentParser(description="The speed of the engine beside the raw limit of the disk.")
    words.add_argument("--quick", action="store_true", help="fewer and shorter blocks")
    words.add_argument("--only", action="append", choices=list(ROWS), default=[], help="only this row; may be repeated")
    words.add_argument("--disk", type=Path, metavar="DIR", help="measure the disk under this folder")
    given = words.parse_args()
    with ground(quick=given.quick, disk=given.disk) as place:
        about = machine(place)
        rows = measure(place, given.only)
    print(about, *lines(list(rows.values())), sep="\n")


if __name__ == "__main__":
    main()
