"""Ending a host for good, at whatever moment.

Bubblewrap's own promise (what is inside dies with it) begins only when its set-up is done: a process that it has just made waits for it
for ever when it is killed in that moment. So whoever ends a host that has not reported yet stops it first and ends what it has made.
"""

from __future__ import annotations

import contextlib
import os
import signal
import time
from pathlib import Path

from counterfoil.places import Home
from counterfoil.sandbox import limits

_STANDSTILL = 0.5  # seconds until a stopped process stands still, at the most


def end(pid: int, *, reported: bool) -> None:
    """Kill a host's first process with its session, and what it has made if that may outlive it."""
    made: list[int] = []
    if not reported and hasattr(signal, "SIGSTOP"):
        _stop(pid)
        made = limits.beneath(pid)
    for one in made:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(one, signal.SIGKILL)
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, signal.SIGKILL)


def _stop(pid: int) -> None:
    """Stop a process, and wait until it makes no more of them."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.kill(pid, signal.SIGSTOP)
    end = time.monotonic() + _STANDSTILL
    while time.monotonic() < end and _state(pid) not in ("T", "Z", "X", ""):
        time.sleep(0.0005)


def _state(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace").rpartition(") ")[2][:1]
    except OSError:
        return ""


def end_orphans(home: Home) -> None:
    """Kill what was being set up for slots whose owner was killed in that moment: it waits, and has run nothing."""
    slots = [slot.name for slot in (home.run / "slots").glob("*-*") if not is_owned(slot)]
    if not slots:
        return
    for entry in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            words = (entry / "cmdline").read_bytes().split(b"\0")
            if any(slot.encode() in words for slot in slots):
                os.kill(int(entry.name), signal.SIGKILL)


def is_owned(slot: Path) -> bool:
    """Whether the process that made a slot lives."""
    owner = slot.name.partition("-")[0]
    return not owner.isdigit() or Path(f"/proc/{owner}").exists()
