"""What the window waits for, on years of use: the first inbox page of a fresh process, going to another page, and a look when nothing
changed. The office is measured as its worker thread uses it; painting is the window's own."""

from __future__ import annotations

import functools
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

from benchmarks.fill import fill
from benchmarks.measuring import Ground, Row, number, with_best
from benchmarks.processes import APP, environment
from counterfoil.desktop.office import Tab
from counterfoil.desktop.real_office.office import RealOffice
from counterfoil.places import Home

FIRST_MS, SWITCH_MS, LOOK_US = 300, 100, 50
_FIRST = """
import sys, time
sys.path.insert(0, sys.argv[1])
began = time.perf_counter()
from pathlib import Path
from counterfoil.desktop.office import Tab
from counterfoil.desktop.real_office.office import open_real
from counterfoil.places import Home
rows = open_real(Home(Path(sys.argv[2]))).inbox(Tab.FOR_ME, None)
print((time.perf_counter() - began) * 1000, len(rows), "sqlalchemy" in sys.modules)
"""


@functools.lru_cache(maxsize=2)
def _filled(place: Path, runs: int, gates: int) -> Home:
    home = Home(place / f"window-{runs}")
    fill(home, runs=runs, per_run=10, open_gates=gates)
    return home


def _sizes(ground: Ground) -> tuple[int, int]:
    return ground.pick(2_000, 100_000), ground.pick(200, 10_000)


def first_page(ground: Ground) -> Row:
    """From the first import in a fresh process to every row of the inbox."""
    runs, gates = _sizes(ground)
    home = _filled(ground.disk, runs, gates)
    took: list[float] = []
    said: list[str] = []
    for _ in range(ground.pick(3, 7)):
        command = [sys.executable, "-P", "-c", _FIRST, str(APP), str(home.root)]
        said = subprocess.run(command, env=environment(), check=True, capture_output=True, text=True).stdout.split()
        took.append(float(said[0]))
    counts = {"rows": float(said[1]), "sqlalchemy": float(said[2] == "True")}
    what = f"window: first inbox page, {gates:,} open gates, {runs:,} runs"
    return Row(what, with_best(took, "ms"), f"{FIRST_MS} ms", "", median(took) <= FIRST_MS, counts)


def switches(ground: Ground) -> Row:
    """The slowest page to go to, once the office is warm."""
    runs, gates = _sizes(ground)
    office = RealOffice(_filled(ground.disk, runs, gates))
    try:
        office.inbox(Tab.FOR_ME, None)
        gate = office.inbox(Tab.FOR_ME, None)[-1].gate_id
        acts: dict[str, Callable[[], object]] = {
            "inbox": lambda: office.inbox(Tab.FOR_ME, None),
            "decided": lambda: office.inbox(Tab.DECIDED, None),
            "runs": lambda: office.runs(None),
            "gate": lambda: office.gate(gate),
            "trail": lambda: office.trail("", None),
            "frame": lambda: (office.counts(None), office.runner(), office.workspaces()),
        }
        for act in acts.values():
            act()
        took = {name: _milliseconds(act, ground.pick(3, 9)) for name, act in acts.items()}
    finally:
        office.close()
    slowest = max(took, key=lambda name: took[name])
    measured = ", ".join(f"{name} {number(ms)}" for name, ms in took.items())
    return Row("window: going to another page, ms", measured, f"{SWITCH_MS} ms each", "", took[slowest] <= SWITCH_MS)


def looks(ground: Ground) -> Row:
    """A look for changes when there are none."""
    office = RealOffice(_filled(ground.disk, *_sizes(ground)))
    try:
        office.runs(None)
        office.runner()
        many = ground.pick(200, 5_000)
        us = _milliseconds(lambda: [office.changes() for _ in range(many)], 5) * 1000 / many
    finally:
        office.close()
    return Row("window: a look when nothing changed", f"{number(us)} µs", f"{LOOK_US} µs", "", us <= LOOK_US)


def _milliseconds(act: Callable[[], object], times: int) -> float:
    found = []
    for _ in range(times):
        began = time.perf_counter()
        act()
        found.append((time.perf_counter() - began) * 1000)
    return median(found)
