"""Limits of a sandbox that nobody but the runner keeps: memory and number of all its processes, what it writes into its stage, the
room that is left on the disk. Looked at three times a second; over a limit the sandbox is ended, and the reason says which.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import time
from dataclasses import dataclass
from pathlib import Path

from counterfoil.sandbox.keeping import children
from counterfoil.sandbox.limits import MEMORY, PROCESSES

EVERY = 0.3  # seconds between two looks
WALK_EVERY = 5.0  # seconds between two walks through a stage
STAGE_BYTES = 4 * 1024**3
STAGE_FILES = 200_000
FLOOR_BYTES, FLOOR_SHARE = 2 * 1024**3, 0.05  # of a disk, whichever is more, stays free
_MOST_LOOKED_AT = 4_000  # processes; a bomb is not counted to its end
_HINT_FILES, _HINT_BYTES = 20_000, 512 * 1024**2  # used up on the whole disk since the last walk: walk now
_SCARCE = 8  # an eighth of all memory left is little


@dataclass(frozen=True, slots=True)
class Seen:
    """What a look at a sandbox's processes found: how many with their threads, and the bytes that they hold together."""

    processes: int
    memory: int


class Watch:
    """Watches one sandbox from its start. `stage` is the folder that it may write into, if it may."""

    def __init__(self, stage: Path | None = None) -> None:
        self._stage = stage
        self._shared = _meminfo("Shmem")
        self._walked_at = time.monotonic()
        if stage is not None:
            self._disk = os.statvfs(stage)
            self._before = self._disk
            self._floor = _floor(self._disk)

    async def until_broken(self, pid: int, gone: asyncio.Event) -> str | None:
        """Look again and again; which limit was broken, in words, or None once the sandbox is `gone`."""
        while not gone.is_set():
            broken = self.look(pid)
            if broken is None and self._walk_is_due():
                broken = await asyncio.to_thread(self.walk)
            if broken is not None:
                return broken
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(EVERY):
                    await gone.wait()
        return None

    def look(self, pid: int) -> str | None:
        """One quick look, without walking through the stage."""
        return _too_many(look(pid)) or self._scarce() or self._disk_is_full()

    def _scarce(self) -> str | None:
        """Memory that belongs to no process: files in memory that nobody maps. Nobody can tell whose it is, so only when it matters."""
        if _meminfo("Shmem") - self._shared < MEMORY or _meminfo("MemAvailable") > _meminfo("MemTotal") // _SCARCE:
            return None
        return "the computer's memory ran out while it held much of it"

    def _disk_is_full(self) -> str | None:
        if self._stage is None:
            return None
        with contextlib.suppress(OSError):
            self._disk = os.statvfs(self._stage)
        if _free(self._disk) >= self._floor:
            return None
        return f"it left less than {_size(self._floor)} free on the disk"

    def _walk_is_due(self) -> bool:
        if self._stage is None:
            return False
        now, before = self._disk, self._before
        grown = _free(before) - _free(now) > _HINT_BYTES or before.f_ffree - now.f_ffree > _HINT_FILES
        return grown or time.monotonic() - self._walked_at > WALK_EVERY

    def walk(self) -> str | None:
        """Count what the stage holds; which limit that breaks."""
        if self._stage is None:
            return None
        self._before = self._disk
        files, held = _beneath(self._stage)
        self._walked_at = time.monotonic()
        if files > STAGE_FILES:
            return f"it made more than {STAGE_FILES:,} files"
        if held > STAGE_BYTES:
            return f"it wrote more than {_size(STAGE_BYTES)} of files"
        return None


def _floor(disk: os.statvfs_result) -> int:
    """Bytes that stay free; where there is less already, three quarters of what there is."""
    wanted = max(FLOOR_BYTES, int(disk.f_blocks * disk.f_frsize * FLOOR_SHARE))
    return min(wanted, _free(disk) * 3 // 4)


def _free(disk: os.statvfs_result) -> int:
    return disk.f_bavail * disk.f_frsize


def _size(count: int) -> str:
    return f"{count / 1024**3:.3g} GB"


def _beneath(folder: Path) -> tuple[int, int]:
    """Entries and bytes on the disk beneath a folder that is being written, up to the limits; no link is followed."""
    files = held = 0
    left = [str(folder)]
    while left and files <= STAGE_FILES:
        with contextlib.suppress(OSError), os.scandir(left.pop()) as entries:
            for entry in entries:
                files += 1
                if files > STAGE_FILES:
                    break
                with contextlib.suppress(OSError):
                    held += entry.stat(follow_symlinks=False).st_blocks * 512
                    if entry.is_dir(follow_symlinks=False):
                        left.append(entry.path)
    return files, held


def _meminfo(name: str) -> int:
    """Bytes that the kernel gives for a line of /proc/meminfo; 0 where there is none."""
    with contextlib.suppress(OSError, ValueError, IndexError):
        for line in Path("/proc/meminfo").read_text(encoding="ascii").splitlines():
            if line.startswith(f"{name}:"):
                return int(line.split()[1]) * 1024
    return 0


# -------------------------------------------------------------------------------------------------------------- processes


def look(pid: int) -> Seen:
    """Count a process and everything beneath it. What is gone meanwhile is not counted (Linux only; elsewhere nothing is seen).

    What a forked process shares with its parent is counted twice at first, which is quick, and only when that is too much as it is.
    """
    left, memory, processes = [pid], 0, 0
    found: list[int] = []
    while left and len(found) < _MOST_LOOKED_AT:
        one = left.pop()
        with contextlib.suppress(OSError, ValueError, IndexError):
            threads, held = _status(one)
            processes += threads
            memory += held
            found.append(one)
            left += children(one)
    if memory > MEMORY and processes <= PROCESSES:
        memory = sum(map(_proportional, found))
    return Seen(processes, memory)


def _status(pid: int) -> tuple[int, int]:
    """Threads of a process, and bytes that are its own or shared memory; what it has mapped of files is the page cache's."""
    lines = Path(f"/proc/{pid}/status").read_text(encoding="utf-8", errors="replace").splitlines()
    told = {name: value.split() for name, _, value in (line.partition(":") for line in lines)}
    kilobytes = sum(int(told[name][0]) for name in ("RssAnon", "RssShmem") if name in told)
    return int(told["Threads"][0]), kilobytes * 1024


def _proportional(pid: int) -> int:
    """Bytes of a process, of what it shares only its part; without the right to know that, all of it."""
    with contextlib.suppress(OSError, ValueError, IndexError):
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="ascii").splitlines()
        return sum(int(line.split()[1]) * 1024 for line in lines if line.startswith(("Pss_Anon:", "Pss_Shmem:")))
    with contextlib.suppress(OSError, ValueError, IndexError, KeyError):
        return _status(pid)[1]
    return 0


def _too_many(seen: Seen) -> str | None:
    """Which limit the processes break, in words, or None."""
    if seen.processes > PROCESSES:
        return f"it started more than {PROCESSES} processes at once"
    if seen.memory > MEMORY:
        return f"it used more than {_size(MEMORY)} of memory"
    return None
