"""Many runs that want a host each at once: all of them get one, in the order in which they came, and the computer does not swap."""

from __future__ import annotations

import contextlib
import time
from itertools import pairwise
from pathlib import Path

from benchmarks.in_process import Office, office_in
from benchmarks.measuring import NOT_HERE, Ground, Row, number
from benchmarks.processes import beneath, can_look, children, memory_mib, runner_process
from counterfoil.facts import RunState
from counterfoil.inbox.hinting import hint
from counterfoil.runner.running import host_cap
from counterfoil.store import runs

LOOK = 0.05  # seconds between two looks
PATIENCE = 300.0


def at_once(ground: Ground) -> Row:
    """Started together, each of one step; memory is that of the runner and everything beneath it, at its highest."""
    wanted = ground.pick(16, 50)
    what = f"{wanted} runs wanting a host each at once"
    target = "each gets one in its turn, no swap"
    if not can_look():
        return Row(what, NOT_HERE, target)
    with office_in(ground, ground.disk, "hosts") as office, runner_process(office.home) as runner:
        swapped, began = _swapped(), time.perf_counter()
        wanting = office.start(wanted)
        hint(office.home)
        most, memory = 0, 0.0
        while not _ended(office, wanting):
            if time.perf_counter() - began > PATIENCE:
                raise TimeoutError("a run waits for a host in vain")
            most = max(most, len(children(runner.pid)))
            memory = max(memory, _memory(runner.pid))
            time.sleep(LOOK)
        took = time.perf_counter() - began
        swapped = _swapped() - swapped
        moments = [office.moment(run) for run in wanting]
    gap = max(later - sooner for sooner, later in pairwise(sorted(moments))) / 1e6
    passed_over = max(sum(other < mine for other in moments[at + 1 :]) for at, mine in enumerate(moments))
    fair = passed_over <= 2 * host_cap()
    return Row(
        what,
        f"{number(took)} s, {number(took / wanted * 1000)} ms each, {number(memory)} MiB, {swapped} pages swapped",
        target,
        f"at most {most} hosts, {host_cap()} of them at work; longest time without a first line {number(gap)} ms",
        fair and not swapped,
        {"wanted": wanted, "begun": sum(at > 0 for at in moments), "passed over": passed_over},
    )


def _ended(office: Office, wanting: list[str]) -> bool:
    states = {runs.get(office.database.reader, run)["state"] for run in wanting}
    if states & {RunState.FAILED, RunState.WAITING, RunState.CANCELLED}:
        raise RuntimeError(next(office.trouble(run) for run in wanting))
    return states == {RunState.DONE}


def _memory(runner: int) -> float:
    found = 0.0
    for pid in [runner, *beneath(runner)]:
        with contextlib.suppress(OSError, StopIteration):  # it ended meanwhile
            found += memory_mib(pid)
    return found


def _swapped() -> int:
    """Pages that this computer has written to its swap since it was started."""
    lines = Path("/proc/vmstat").read_text(encoding="ascii").splitlines()
    return next((int(line.split()[1]) for line in lines if line.startswith("pswpout ")), 0)
