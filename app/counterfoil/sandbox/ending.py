"""Ending hosts for good, at whatever moment.

Bubblewrap's own promise (what is inside dies with it) begins only when its set-up is done: a process that it has just made waits for
it for ever when it is killed in that moment. Until then that process is of the same group, so the group is ended; and where a whole
runner was killed in that moment, the next one ends what waits.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
from pathlib import Path

from counterfoil.places import Home
from counterfoil.sandbox.keeping import PATIENCE, children

_KEEPERS_TIME = PATIENCE + 2.0  # seconds


def end(pid: int, *, kept: bool = False) -> None:
    """Kill a sandbox's first process and its group; one that is `kept` by a keeper is ended by asking that."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        if kept:
            os.kill(pid, signal.SIGTERM)
        else:
            os.killpg(pid, signal.SIGKILL)


async def reaped(process: asyncio.subprocess.Process) -> int:
    """Wait until a sandbox's first process, which was told to end, is gone; its status. A keeper that hangs is killed."""
    try:
        async with asyncio.timeout(_KEEPERS_TIME):
            return await process.wait()
    except TimeoutError:
        end(process.pid)
        return await process.wait()


class Finish:
    """The end of everything inside walls, for after their first process was killed: what comes then may look at files it wrote.

    It is seen by the first process inside, which the kernel lets end last.
    """

    def __init__(self, pid: int) -> None:
        self._handle: int | None = None
        with contextlib.suppress(OSError, IndexError, AttributeError):
            self._handle = os.pidfd_open(children(pid)[0])

    async def wait(self) -> None:
        """Wait for it; once."""
        handle, self._handle = self._handle, None
        if handle is None:
            return
        over = asyncio.Event()
        loop = asyncio.get_running_loop()
        loop.add_reader(handle, over.set)
        try:
            await over.wait()
        finally:
            loop.remove_reader(handle)
            os.close(handle)


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
