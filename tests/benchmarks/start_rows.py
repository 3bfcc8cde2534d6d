"""What a process pays before it works: importing the author's door, and a look at the inbox from the shell."""

from __future__ import annotations

import subprocess
import sys
import time
from statistics import median

from benchmarks.in_process import Office, office_in
from benchmarks.measuring import Ground, Row, number, with_best
from benchmarks.processes import APP, environment

IMPORT_MS, IMPORT_MIB, INBOX_S = 50, 20, 0.5  # DESIGN 7
GATES = 20

# The peak of a new process is that of its parent until it has grown beyond; where the system tells more, it is asked.
_OPEN_THE_DOOR = """
import os, resource, sys, time

def memory():
    if os.path.exists("/proc/self/statm"):
        with open("/proc/self/statm") as told:
            return int(told.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

sys.path.insert(0, sys.argv[1])
before, began = memory(), time.perf_counter()
import counterfoil
print((time.perf_counter() - began) * 1000, (memory() - before) / 1048576)
"""


def _timed(*command: str) -> tuple[float, str]:
    """Seconds that a process takes from start to end, and what it says."""
    began = time.perf_counter()
    done = subprocess.run([sys.executable, *command], env=environment(), check=False, capture_output=True, text=True)
    took = time.perf_counter() - began
    if done.returncode:
        raise RuntimeError(f"{command} ended with {done.returncode}: {done.stderr}")
    return took, done.stdout


def door(ground: Ground) -> Row:
    """`import counterfoil` in a fresh process: what comes on top of starting Python."""
    took: list[float] = []
    grown: list[float] = []
    bare: list[float] = []
    for _ in range(ground.pick(5, 20)):
        bare.append(_timed("-I", "-c", "pass")[0] * 1000)
        said = [float(word) for word in _timed("-I", "-c", _OPEN_THE_DOOR, str(APP))[1].split()]
        took.append(said[0])
        grown.append(said[1])
    ms, mib = median(took), median(grown)
    return Row(
        "import counterfoil, process start excluded",
        f"{with_best(took, 'ms')}, {number(mib)} MiB",
        f"{IMPORT_MS} ms, {IMPORT_MIB} MiB",
        f"starting Python {number(median(bare))} ms, {ms / median(bare):.1f} times",
        ms <= IMPORT_MS and mib <= IMPORT_MIB,
    )


def inbox(ground: Ground) -> Row:
    """`counterfoil inbox --json` from the shell, with gates to show."""
    took: list[float] = []
    bare: list[float] = []
    with office_in(ground, ground.disk, "inbox") as office:
        office.advance(office.start(GATES, stops=1))
        for _ in range(ground.pick(4, 12)):
            bare.append(_timed("-c", "pass")[0])
            took.append(_look(office))
    return Row(
        f"counterfoil inbox --json with {GATES} gates, from the shell",
        with_best(took, "s"),
        f"{INBOX_S} s",
        f"starting Python {number(median(bare))} s, {median(took) / median(bare):.1f} times",
        median(took) <= INBOX_S,
    )


def _look(office: Office) -> float:
    took, said = _timed("-P", "-m", "counterfoil", "--home", str(office.home.root), "inbox", "--json")
    if said.count('"gate_id"') < GATES:
        raise RuntimeError(f"the inbox does not show {GATES} gates: {said[:300]}")
    return took
