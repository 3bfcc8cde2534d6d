"""Rooms to be abused: homes whose hosts have a given level, with real runs that try what a test wants tried."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

from counterfoil.facts import RunState
from counterfoil.places import Home
from counterfoil.runner.running import Runner
from counterfoil.runner.starting import start_run
from counterfoil.sandbox.levels import Measured
from counterfoil.store import gates, runs
from counterfoil.store.blobs import Blobs
from counterfoil.store.database import open_database
from counterfoil.store.transactions import Row

T = TypeVar("T")
TEMPLATE = Path(__file__).parent / "templates/abuse"
APP = Path(__file__).resolve().parents[2] / "app"
TRYING = '''
import ctypes, errno, os, socket, stat, sys
libc = ctypes.CDLL(None, use_errno=True)
def refusal(act, *arguments):
    """The name of the errno with which something is refused, or what it gave."""
    try:
        return act(*arguments)
    except OSError as problem:
        return errno.errorcode.get(problem.errno, str(problem.errno))
def call(number, *arguments):
    """The same for a bare system call."""
    ctypes.set_errno(0)
    result = libc.syscall(ctypes.c_long(number), *[ctypes.c_long(one) if isinstance(one, int) else one for one in arguments])
    return errno.errorcode[ctypes.get_errno()] if result == -1 else result
def make(path):
    os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    return "made"
def text(path):
    with open(path, "rb") as source:
        return source.read(100_000).decode("utf-8", "replace")
'''


class Room:
    """A home and a workspace; `inside` runs code in a host and gives what it found."""

    def __init__(self, folder: Path, measured: Measured) -> None:
        self.measured = measured
        self.home = Home(folder / "home").create()
        self.workspace = folder / "workspace"
        self.workspace.mkdir(exist_ok=True)
        self.database = open_database(self.home)
        self.blobs = Blobs(self.home)

    def close(self) -> None:
        """Let go of the database."""
        self.database.close()

    @property
    def level(self) -> str:
        """Which walls there are: L3 (L4 is the same with caps), or L2."""
        return "L3" if self.measured.is_isolated else self.measured.code

    def start(self, code: str, *, forked: bool = False, workspace: Path | None = None) -> str:
        """Commit a run that is to try something; its id."""
        row = start_run(
            self.database,
            self.home,
            template=TEMPLATE,
            workspace=workspace or self.workspace,
            parameters=lambda _: {"code": TRYING + code, "forked": forked},
            started_by="user:anna",
        )
        return str(row["run_id"])

    def advance(self, run_id: str) -> Row:
        """Be the runner until a run ends or waits; its row."""
        Runner(self.database, self.home, only=run_id).run_until(run_id)
        return runs.get(self.database.reader, run_id)

    def inside(self, code: str, *, forked: bool = False, workspace: Path | None = None) -> Any:
        """What code leaves in `found` when it is run in a host at this room's level."""
        row = self.advance(self.start(code, forked=forked, workspace=workspace))
        assert row["isolation"] == self.measured.mark
        assert row["state"] == RunState.DONE, self.asked(row["run_id"])
        return json.loads(json.loads(row["result"]))

    def asked(self, run_id: str) -> str:
        """What the open gates of a run say, as text."""
        found = gates.open_of_runs(self.database.reader, [run_id])
        return " ".join(self.blobs.text(gate["spec"], gate["spec_blob"]) for gate in found)


def until(look: Callable[[], T | None], what: str, patience: float = 60.0) -> T:
    """Look again and again until something is seen.

    Raises:
        AssertionError: it was not seen in time.
    """
    end = time.monotonic() + patience
    while time.monotonic() < end:
        seen = look()
        if seen:
            return seen
        time.sleep(0.01)
    raise AssertionError(f"not seen within {patience:g} s: {what}")


def beneath(pid: int) -> list[int]:
    """Every living process beneath one."""
    found: list[int] = []
    with contextlib.suppress(OSError):
        for task in os.listdir(f"/proc/{pid}/task"):
            children = Path(f"/proc/{pid}/task/{task}/children").read_text(encoding="ascii").split()
            found += [one for child in map(int, children) for one in (child, *beneath(child))]
    return found


def lives(pid: int) -> bool:
    """Whether a process is there and not only waiting to be reaped."""
    try:
        return (
            Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace").rpartition(") ")[2][:1] not in "ZX"
        )
    except OSError:
        return False


@contextlib.contextmanager
def runner_of(home: Home) -> Iterator[subprocess.Popen[bytes]]:
    """A runner as a process of its own."""
    process = subprocess.Popen(
        [sys.executable, "-P", "-m", "counterfoil", "--home", str(home.root), "runner"],
        env=os.environ | {"PYTHONPATH": os.pathsep.join([str(APP), *sys.path])},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        yield process
    finally:
        process.kill()
        process.wait()
