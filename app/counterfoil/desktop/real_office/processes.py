"""Processes of this computer: whether one lives, since when, what it was started as, whose child it is; and how a runner is ended."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import time
from pathlib import Path

from counterfoil.store.holders import process_lives

_PROC = Path("/proc")
_GONE = 5.0  # seconds a killed process may take to be gone
_SLACK_US = 60_000_000  # a clock that was set meanwhile must not make a living runner look like a stranger


def alive(pid: int) -> bool:
    """Whether a process lives; one that has ended and waits to be reaped does not."""
    if pid <= 0:
        return False
    if sys.platform != "linux":
        return process_lives(pid)
    return (_state(pid) or "X") not in "ZX"


def is_ours(pid: int, begun_us: int) -> bool:
    """Whether a living process is one of this program that lived at an instant, and no stranger with its number."""
    if not alive(pid):
        return False
    if sys.platform != "linux":
        return True
    started = _started_us(pid)
    return b"counterfoil" in _command(pid) and (started is None or started <= begun_us + _SLACK_US)


def children(pid: int) -> list[int]:
    """Processes whose parent this is (Linux; elsewhere none, and they end with their parent's socket)."""
    living = [int(folder.name) for folder in _PROC.glob("[0-9]*")] if sys.platform == "linux" else []
    return [number for number in living if _parent(number) == pid]


def end(pid: int) -> None:
    """End a runner the hard way, and its hosts after it, so that it cannot mend what is done to them.

    Each host is the head of a session of its own.
    """
    hosts = children(pid)
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)
    for host in hosts:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(host, signal.SIGKILL)
    until = time.monotonic() + _GONE
    while any(alive(number) for number in (pid, *hosts)) and time.monotonic() < until:
        time.sleep(0.01)


def _fields(pid: int) -> list[str]:
    """Fields of /proc/PID/stat from the state on: the name before it may hold blanks and brackets."""
    try:
        text = (_PROC / str(pid) / "stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return []
    return text.rpartition(")")[2].split()


def _state(pid: int) -> str:
    fields = _fields(pid)
    return fields[0] if fields else ""


def _parent(pid: int) -> int:
    fields = _fields(pid)
    return int(fields[1]) if len(fields) > 1 else -1


def _command(pid: int) -> bytes:
    try:
        return (_PROC / str(pid) / "cmdline").read_bytes()
    except OSError:
        return b""


def _started_us(pid: int) -> int | None:
    """When a process began, by this computer's clock."""
    fields = _fields(pid)
    try:
        lines = (_PROC / "stat").read_text(encoding="ascii").splitlines()
        boot = next(int(line.split()[1]) for line in lines if line.startswith("btime "))
        return boot * 1_000_000 + int(fields[19]) * 1_000_000 // os.sysconf("SC_CLK_TCK")
    except (OSError, ValueError, IndexError, StopIteration):
        return None
