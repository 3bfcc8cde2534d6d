"""Processes as a test sees them: started warm or cold, watched, stopped, and ended by their pid."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

T = TypeVar("T")
HERE = Path(__file__).resolve().parent
APP = HERE.parents[1] / "app"
PATIENCE = 180.0  # seconds; a shared computer may be slow, but not that slow
GLANCE = 0.002  # seconds between two looks


def until(look: Callable[[], T], what: str | Callable[[], str], patience: float = PATIENCE) -> T:
    """Look again and again until something is seen, which is anything true.

    Raises:
        AssertionError: it was not seen in time.
    """
    end = time.monotonic() + patience
    while time.monotonic() < end:
        seen = look()
        if seen:
            return seen
        time.sleep(GLANCE)
    raise AssertionError(f"not seen within {patience:g} s: {what if isinstance(what, str) else what()}")


class Process:
    """One process. `status` gives its exit status (minus the signal that ended it), or None while it lives."""

    def __init__(self, pid: int, status: Callable[[], int | None]) -> None:
        self.pid = pid
        self._status = status

    def status(self) -> int | None:
        """How it ended, or None."""
        return self._status()

    def alive(self) -> bool:
        """Whether it lives, asked of the kernel."""
        return state_of(self.pid) not in ("", "Z", "X")

    def wait(self, what: str = "the process ends") -> int:
        """Wait until it has ended; its status."""
        until(lambda: not self.alive() and self._status() is not None, what)
        return self._status() or 0

    def signal(self, number: int) -> None:
        """Send a signal to it, if it lives."""
        if self.alive():
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.pid, number)

    def kill(self) -> int:
        """End it the hard way; its status."""
        self.signal(signal.SIGKILL)
        return self.wait("a killed process ends")

    def end(self) -> int:
        """Ask it to end; its status."""
        self.signal(signal.SIGTERM)
        return self.wait("a process that was asked to ends")


def children_of(pid: int) -> list[int]:
    """The pids of a process's living children."""
    found: list[int] = []
    with contextlib.suppress(FileNotFoundError, ProcessLookupError):
        for task in os.listdir(f"/proc/{pid}/task"):
            with contextlib.suppress(FileNotFoundError, ProcessLookupError):
                found += map(int, Path(f"/proc/{pid}/task/{task}/children").read_text(encoding="ascii").split())
    return found


def state_of(pid: int) -> str:
    """The kernel's letter for a process's state (T stopped, Z dead and not yet reaped); "" where there is none."""
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace").rpartition(") ")[2][:1]
    except (FileNotFoundError, ProcessLookupError):
        return ""


def command_of(pid: int) -> str:
    """The short name of a process's program; "" where there is none."""
    try:
        return Path(f"/proc/{pid}/comm").read_text(encoding="utf-8", errors="replace").strip()
    except (FileNotFoundError, ProcessLookupError):
        return ""


class Nursery:
    """Where warm processes come from; usable from several threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._process = subprocess.Popen(
            [sys.executable, str(HERE / "nursery.py")],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": str(APP), "COUNTERFOIL_UNDER_TEST": "1"},
        )
        self._cold: list[subprocess.Popen[bytes]] = []

    def close(self) -> None:
        """End it, and everything that was started through it."""
        for process in self._cold:
            process.kill()
            process.wait()
        self._process.communicate()

    def _order(self, order: Mapping[str, Any]) -> dict[str, Any]:
        with self._lock:
            if self._process.stdin is None or self._process.stdout is None:
                raise RuntimeError("the nursery has no ears")
            self._process.stdin.write(json.dumps(order) + "\n")
            self._process.stdin.flush()
            answer: dict[str, Any] = json.loads(self._process.stdout.readline())
            return answer

    def start(self, job: str, home: Path, *, kill: str = "", **more: Any) -> Process:
        """Fork a process that does a job of nursery.JOBS; `kill` is a point and a visit, as after_gate:2."""
        env = {"COUNTERFOIL_KILL": kill} if kill else {}
        pid = self._order({"do": "start", "job": job, "home": str(home), "env": env, **more})["pid"]
        return Process(pid, lambda: self._order({"do": "status", "pid": pid})["status"])

    def warm(self, module: str) -> None:
        """Have a module load what it otherwise loads at its first use."""
        self._order({"do": "warm", "module": module})

    def command(self, home: Path, *words: str, kill: str = "", aside: Path | None = None) -> Process:
        """Start `counterfoil WORDS` from nothing, as a person would; what it says goes to a file of the home. `aside` is one more folder of
        packages."""
        path = os.pathsep.join(str(folder) for folder in (APP, aside) if folder)
        env = {**os.environ, "PYTHONPATH": path, "COUNTERFOIL_UNDER_TEST": "1"}
        if kill:
            env["COUNTERFOIL_KILL"] = kill
        command = [sys.executable, "-m", "counterfoil", "--home", str(home), *words]
        with (home / "logs" / "command.log").open("ab") as log:
            process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=env)
        with self._lock:
            self._cold.append(process)
        return Process(process.pid, process.poll)
