"""The keeper: at levels without a process namespace one process of ours stands above a sandbox's, and nothing it starts outlives it.

Whatever lets go of its parent becomes the keeper's child (it is their subreaper), so a daemon cannot slip away. When the sandbox's
first process ends, when the runner asks (SIGTERM) and when the runner dies, the keeper kills what is left until nothing is, then ends.
It is run as a file and imports nothing of ours, so that it costs little.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from types import FrameType

_SET_DEATH_SIGNAL, _SET_SUBREAPER = 1, 36
PATIENCE = 5.0  # seconds of killing; a process that the kernel does not let go of is left to it


class _Asked(Exception):
    """The runner wants the sandbox to end, or has died."""


def main(command: list[str]) -> None:
    """Start a command with this process's descriptors, keep it until it ends, and end with its status."""
    libc = ctypes.CDLL(None)
    libc.prctl(_SET_SUBREAPER, 1, 0, 0, 0)
    signal.signal(signal.SIGTERM, _ask)
    libc.prctl(_SET_DEATH_SIGNAL, signal.SIGTERM, 0, 0, 0)
    first = os.fork()
    if first == 0:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        os.execv(command[0], command)  # noqa: S606 - that is what it is for
    nothing = os.open(os.devnull, os.O_RDWR)
    for handle in range(3):
        os.dup2(nothing, handle)
    os.closerange(3, os.sysconf("SC_OPEN_MAX"))  # the sockets are the sandbox's; their end must be seen
    status = 128 + signal.SIGKILL
    with contextlib.suppress(_Asked):
        status = _until_ended(first)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    _end_all()
    os._exit(status)


def _ask(_number: int, _frame: FrameType | None) -> None:
    raise _Asked


def _until_ended(first: int) -> int:
    """Reap until the first process has ended; its status as a shell tells it."""
    while True:
        pid, status = os.waitpid(-1, 0)
        if pid == first:
            code = os.waitstatus_to_exitcode(status)
            return code if code >= 0 else 128 - code


def _end_all() -> None:
    """Stop everything first, so that nothing new is made meanwhile, then kill; again until nothing is left."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        for number in (signal.SIGSTOP, signal.SIGKILL):
            for pid in _beneath(os.getpid()):
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.kill(pid, number)
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        except ChildProcessError:
            return
        time.sleep(0.005)


def _beneath(pid: int) -> Iterator[int]:
    with contextlib.suppress(OSError):
        for child in children(pid):
            yield child
            yield from _beneath(child)


def children(pid: int) -> list[int]:
    """The processes that a process has started and not let go of.

    Raises:
        OSError: it is gone.
    """
    found: list[int] = []
    for task in os.listdir(f"/proc/{pid}/task"):
        with contextlib.suppress(OSError):
            text = Path(f"/proc/{pid}/task/{task}/children").read_text(encoding="ascii")
            found += [int(word) for word in text.split()]
    return found


if __name__ == "__main__":
    main(sys.argv[1:])
