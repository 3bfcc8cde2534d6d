"""Real processes for the benchmarks: a runner of its own, and what the system says of its memory, threads and CPU (Linux's /proc)."""

from __future__ import annotations

import contextlib
import os
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from counterfoil.places import Home

APP = Path(__file__).resolve().parents[2] / "app"
PATIENCE = 60.0  # seconds until something that should happen counts as broken
LOOK_EVERY = 0.005  # seconds between two looks


def can_look() -> bool:
    """Whether the system tells of processes."""
    told = ("smaps_rollup", "schedstat", f"task/{os.getpid()}/children")
    return all(Path("/proc/self", name).exists() for name in told)


def environment() -> dict[str, str]:
    """The environment of a process that finds this checkout."""
    return {**os.environ, "PYTHONPATH": str(APP)}


def until(happened: Callable[[], bool], what: str) -> None:
    """Look again and again until it has happened."""
    deadline = time.monotonic() + PATIENCE
    while not happened():
        if time.monotonic() > deadline:
            raise TimeoutError(f"after {PATIENCE:g} s still not: {what}")
        time.sleep(LOOK_EVERY)


def _tasks(pid: int) -> list[Path]:
    """Where the system tells of the threads of a process; of one that has ended there are none."""
    try:
        return list(Path(f"/proc/{pid}/task").iterdir())
    except OSError:
        return []


def cpu_seconds(pid: int) -> float:
    """CPU that a process has used in all its threads."""
    spent = 0
    for task in _tasks(pid):
        with contextlib.suppress(OSError):  # it ended meanwhile
            spent += int((task / "schedstat").read_text().split()[0])
    return spent / 1e9


def memory_mib(pid: int) -> float:
    """Memory of a process, its share of what it has in common with others included."""
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("Rss:")) / 1024


def threads(pid: int) -> int:
    """How many threads a process has."""
    return sum(1 for _ in Path(f"/proc/{pid}/task").iterdir())


def children(pid: int) -> list[int]:
    """The processes that a process has started and not ended."""
    found: list[int] = []
    for task in _tasks(pid):
        with contextlib.suppress(OSError):
            found += [int(word) for word in (task / "children").read_text().split()]
    return found


def beneath(pid: int) -> list[int]:
    """The processes beneath one: of an isolated host, those that keep its walls too."""
    return [one for child in children(pid) for one in (child, *beneath(child))]


class RunnerProcess:
    """A runner, as `counterfoil runner` starts it."""

    def __init__(self, home: Home) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", "counterfoil", "--home", str(home.root), "runner"],
            env=environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.pid = self._process.pid
        self._home = home
        self._warm = 0  # the host that stood by the last time

    def ready(self) -> None:
        """Wait until it says that it works."""
        said = self._process.stderr.readline() if self._process.stderr is not None else ""
        if "is running" not in said:
            raise RuntimeError(f"the runner did not start: {said}")

    def calm(self) -> None:
        """Wait until a warm host stands by, one that was not there the last time, and nobody does anything any more.

        In a home without runs nobody knows for which workspace one should stand by, so there is none.
        """
        until(self._has_fresh_host, "a fresh warm host and no other")
        spent = -1.0
        while abs((now := self.cpu()) - spent) > 0.001:  # one millisecond in a tenth of a second
            spent = now
            time.sleep(0.1)

    def _has_fresh_host(self) -> bool:
        found = children(self.pid)
        if not found and self._is_new():
            return True
        if len(found) != 1 or found[0] == self._warm:
            return False
        self._warm = found[0]
        return True

    def cpu(self) -> float:
        """Seconds of CPU that it and its living hosts have used."""
        return sum(cpu_seconds(pid) for pid in [self.pid, *beneath(self.pid)])

    def _is_new(self) -> bool:
        with contextlib.closing(sqlite3.connect(self._home.database)) as database:
            return bool(database.execute("SELECT count(*) = 0 FROM run").fetchone()[0])

    def stop(self) -> None:
        """End it as Ctrl+C does."""
        self._process.terminate()
        self._process.communicate(timeout=PATIENCE)


@contextlib.contextmanager
def runner_process(home: Home, *, calm: bool = True) -> Iterator[RunnerProcess]:
    """A runner that is ready, with a warm host unless it need not be calm."""
    runner = RunnerProcess(home)
    try:
        runner.ready()
        if calm:
            runner.calm()
        yield runner
    finally:
        runner.stop()
