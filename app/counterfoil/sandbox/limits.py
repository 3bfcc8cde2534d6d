"""Limits of a sandbox: those that the kernel keeps, set from inside, and those that the runner watches from outside."""

from __future__ import annotations

import contextlib
import os
import sys
from dataclasses import dataclass
from pathlib import Path

PROCESSES = 256  # of one host, threads included
OPEN_FILES = 1024
LONGEST_FILE = 512 * 1024 * 1024  # bytes
MEMORY = 2 * 1024 * 1024 * 1024  # bytes of all processes of a host together
EVERY = 0.3  # seconds between two looks
_MOST_LOOKED_AT = 4_000  # processes; a bomb is not counted to its end


def lower(*, own_users: bool) -> None:
    """Lower this process's limits for good; children inherit them. The number of processes only with `own_users`, that is in a user
    namespace, since elsewhere all that the account runs would be counted.

    The address space is not limited: it is per process, and programs reserve what they never use.
    """
    if sys.platform == "win32":
        return
    import resource

    wanted = {"RLIMIT_NOFILE": OPEN_FILES, "RLIMIT_FSIZE": LONGEST_FILE, "RLIMIT_CORE": 0}
    wanted |= {"RLIMIT_MEMLOCK": 64 * 1024, "RLIMIT_MSGQUEUE": 0}
    wanted |= {"RLIMIT_NPROC": PROCESSES} if own_users else {}
    for name, value in wanted.items():
        number = getattr(resource, name, None)
        if number is not None:
            highest = resource.getrlimit(number)[1]
            lower = value if highest == resource.RLIM_INFINITY else min(value, highest)
            resource.setrlimit(number, (lower, lower))


@dataclass(frozen=True, slots=True)
class Seen:
    """What a look at a host's processes found: how many, and the bytes that they hold together."""

    processes: int
    memory: int


def look(pid: int) -> Seen:
    """Count a process and everything beneath it. What is gone meanwhile is not counted (Linux only; elsewhere nothing is seen).

    What a forked process shares with its parent is counted twice at first, which is quick, and only when that is too much as it is.
    """
    left, memory = [pid], 0
    found: list[int] = []
    while left and len(found) < _MOST_LOOKED_AT:
        one = left.pop()
        with contextlib.suppress(OSError, ValueError, IndexError):
            memory += _resident(one)
            found.append(one)
            left += _children(one)
    if memory > MEMORY and len(found) <= PROCESSES:
        memory = sum(map(_proportional, found))
    return Seen(len(found), memory)


def _resident(pid: int) -> int:
    resident, shared = Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[1:3]
    return (int(resident) - int(shared)) * os.sysconf("SC_PAGE_SIZE")


def _proportional(pid: int) -> int:
    """Bytes of a process, of what it shares only its part; without the right to know that, all of it."""
    with contextlib.suppress(OSError, ValueError):
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="ascii").splitlines():
            if line.startswith("Pss_Anon:"):
                return int(line.split()[1]) * 1024
    with contextlib.suppress(OSError, ValueError, IndexError):
        return _resident(pid)
    return 0


def _children(pid: int) -> list[int]:
    found: list[int] = []
    for task in os.listdir(f"/proc/{pid}/task"):
        with contextlib.suppress(OSError):
            text = Path(f"/proc/{pid}/task/{task}/children").read_text(encoding="ascii")
            found += [int(word) for word in text.split()]
    return found


def broken(seen: Seen) -> str | None:
    """Which limit was broken, in words, or None."""
    if seen.processes > PROCESSES:
        return f"it started more than {PROCESSES} processes at once and was ended"
    if seen.memory > MEMORY:
        return f"it used more than {MEMORY // 1024**3} GB of memory and was ended"
    return None
