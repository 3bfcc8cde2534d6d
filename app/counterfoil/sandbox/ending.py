"""Ending hosts for good, at whatever moment.

Bubblewrap's own promise (what is inside dies with it) begins only when its set-up is done: a process that it has just made waits for
it for ever when it is killed in that moment. Until then that process is of the same group, so the group is ended; and where a whole
runner was killed in that moment, the next one ends what waits.
"""

from __future__ import annotations

import contextlib
import os
import signal
from pathlib import Path

from counterfoil.places import Home


def end(pid: int) -> None:
    """Kill a host's first process and its group."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, signal.SIGKILL)


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
