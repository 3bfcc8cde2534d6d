"""Limits of a sandbox that the kernel keeps, set by its first process from inside. What is watched from outside is in `watching`."""

from __future__ import annotations

import contextlib
import ctypes
import os
import sys
from pathlib import Path

PROCESSES = 256  # of one sandbox, threads included
OPEN_FILES = 1024
LONGEST_FILE = 512 * 1024 * 1024  # bytes
MEMORY = 2 * 1024 * 1024 * 1024  # bytes of all processes of a sandbox together
_SACRIFICE = 500  # added to what the kernel makes of a process when memory is short: ours goes before the person's
_NICE = 10
_IDLE = 3 << 13  # the class of disk access that waits for everybody else's
_SET_IO_PRIORITY = {"x86_64": 251, "aarch64": 30}


def lower(*, own_users: bool, seconds: float = 0.0) -> None:
    """Lower this process's limits for good; children inherit them. The number of processes only with `own_users`, that is in a user
    namespace, since elsewhere all that the account runs would be counted. `seconds` of processor time, 0 for no end.

    The address space is not limited: it is per process, and programs reserve what they never use.
    """
    if sys.platform == "win32":
        return
    import resource

    wanted = {"RLIMIT_NOFILE": OPEN_FILES, "RLIMIT_FSIZE": LONGEST_FILE, "RLIMIT_CORE": 0}
    wanted |= {"RLIMIT_MEMLOCK": 64 * 1024, "RLIMIT_MSGQUEUE": 0}
    wanted |= {"RLIMIT_NPROC": PROCESSES} if own_users else {}
    wanted |= {"RLIMIT_CPU": max(1, int(seconds))} if seconds else {}
    for name, value in wanted.items():
        number = getattr(resource, name, None)
        if number is not None:
            highest = resource.getrlimit(number)[1]
            lower = value if highest == resource.RLIM_INFINITY else min(value, highest)
            resource.setrlimit(number, (lower, lower))


def stand_back() -> None:
    """Let everything else on the computer go first."""
    with contextlib.suppress(OSError, AttributeError):
        os.nice(_NICE)
    number = _SET_IO_PRIORITY.get(os.uname().machine) if sys.platform == "linux" else None
    if number is not None:
        ctypes.CDLL(None).syscall(number, 1, 0, _IDLE)


def sacrifice() -> None:
    """When memory is short, let the kernel end this process before those of the person; where /proc can be written."""
    with contextlib.suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text(str(_SACRIFICE), encoding="ascii")


def sacrificed(command: list[str]) -> list[str]:
    """A command that does the same before it begins, for one that sees /proc only to read; its environment is empty."""
    before = f'echo {_SACRIFICE} 2>/dev/null >/proc/self/oom_score_adj; exec /usr/bin/env -i "$@"'  # a shell adds some
    return ["/bin/sh", "-c", before, "sh", *command]
