"""What can be done in a folder, found out by doing it in a hidden folder of its own that is gone afterwards.

Nothing but that folder is touched, and the time of change of the one it stood in is put back. What is found is a sentence each: what it
is, and what now.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import shutil
import tempfile
import time
from collections.abc import Callable, Generator
from dataclasses import dataclass
from pathlib import Path

from counterfoil.authoring.codec import digest
from counterfoil.effects import kernel
from counterfoil.places import Home
from counterfoil.policy.boundaries import visible
from counterfoil.stage.copying import clone
from counterfoil.stage.synced import synced_by

PREFIX = ".counterfoil-probe-"  # what begins so is never copied
LOW = 200 * 1000 * 1000  # bytes free; a set of approved files is written beside the old ones
_STALE = 600  # seconds
_ACTS = ("created", "renamed", "removed")
_DENIED = frozenset({errno.EACCES, errno.EPERM})
_FULL = frozenset({errno.ENOSPC, errno.EDQUOT})


@dataclass(frozen=True, slots=True)
class Note:
    """Something about a folder that whoever chose it should know: what it is, and what now."""

    what: str
    now: str


@dataclass(frozen=True, slots=True)
class Findings:
    """What can be done in a folder. `acts` are those of "created", "renamed", "removed" that work; `clones` says that copies for runs share
    their blocks with it; `exchanges` that two files can change places at once; `locks` that programs can keep others off."""

    acts: tuple[str, ...]
    clones: bool
    exchanges: bool
    locks: bool
    synced_by: str
    notes: tuple[Note, ...]


def probe(folder: Path, home: Home) -> Findings:
    """Try a folder out. Blocking; it takes a few milliseconds on a local disk.

    Raises:
        OSError: the folder is not there, or cannot be looked into.
    """
    syncing = synced_by(folder)
    notes = [*_of_its_place(folder, home), *_of_room(folder)]
    acts: list[str] = []
    clones = exchanges = locks = False
    try:
        with _scratch(folder) as scratch:
            acts = _try_acts(scratch)
            exchanges = _exchanges(scratch)
            locks = _tried(lambda: _lock(scratch))
            clones = _tried(lambda: _clone(scratch, home))
    except OSError as problem:
        notes.append(_no_writing(folder, problem))
    if acts and not locks:
        notes.append(
            Note(
                "The drive of this folder knows no locks.",
                "That works; let only one computer run templates that write into it.",
            )
        )
    if "renamed" in acts and not exchanges:
        notes.append(
            Note(
                "The drive of this folder cannot swap two files at once.",
                "That works; let nobody save a file here in the moment in which approved changes are written.",
            )
        )
    if acts and acts != list(_ACTS):
        missing = " or ".join(act for act in _ACTS if act not in acts)
        notes.append(
            Note(
                f"Files here cannot be {missing}.",
                "Templates that need it will stop and say so; choose another folder for them.",
            )
        )
    if syncing:
        notes.append(
            Note(
                f"This folder is synced by {syncing}.",
                "That works, but a colleague's change during a run will be shown to you as a conflict.",
            )
        )
    return Findings(tuple(acts), clones, exchanges, locks, syncing, tuple(notes))


def first_look(folder: Path, home: Home) -> tuple[Note, ...]:
    """What is to be known of a folder before its first run; nothing the next time, as long as it is the same folder.

    Raises:
        OSError: it is not there, or cannot be looked into.
    """
    status = folder.stat()
    mark = home.run / "folders" / digest(str(folder))[:24]
    seen = f"{status.st_dev}:{status.st_ino}"
    with contextlib.suppress(OSError):
        if mark.read_text(encoding="ascii") == seen:
            return ()
    found = probe(folder, home)
    mark.parent.mkdir(mode=0o700, exist_ok=True)
    mark.write_text(seen, encoding="ascii")
    return found.notes


@contextlib.contextmanager
def _scratch(folder: Path) -> Generator[Path]:
    """A hidden folder inside; afterwards it is gone, and the folder's time of change is what it was."""
    before = folder.stat()
    for left in folder.glob(f"{PREFIX}*"):  # by a process that was killed in the middle
        with contextlib.suppress(OSError):  # another process that looks at the same folder has removed its own
            if time.time() - left.lstat().st_mtime > _STALE:
                shutil.rmtree(left, ignore_errors=True)
    scratch = Path(tempfile.mkdtemp(prefix=PREFIX, dir=folder))
    try:
        yield scratch
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
        with contextlib.suppress(OSError):
            os.utime(folder, ns=(before.st_atime_ns, before.st_mtime_ns))


def _try_acts(scratch: Path) -> list[str]:
    """Which acts work.

    Raises:
        OSError: nothing can be written at all.
    """
    first, second = scratch / "a", scratch / "b"
    first.write_bytes(b"counterfoil\n" * 400)
    acts = ["created"]
    if _tried(lambda: first.rename(second)):
        acts.append("renamed")
        second.rename(first)
    kept = scratch / "c"
    kept.write_bytes(b"")
    if _tried(kept.unlink):
        acts.append("removed")
    return acts


def _tried(act: Callable[[], object]) -> bool:
    try:
        act()
    except OSError:
        return False
    return True


def _exchanges(scratch: Path) -> bool:
    """Whether two files can change places at once, as approved files do with those they replace."""
    (scratch / "d").write_bytes(b"")
    handle = os.open(scratch, os.O_RDONLY | os.O_DIRECTORY)
    try:
        return kernel.rename_with(kernel.EXCHANGE, handle, "a", handle, "d")
    except OSError:
        return False
    finally:
        os.close(handle)


def _lock(scratch: Path) -> None:
    handle = os.open(scratch, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    finally:
        os.close(handle)


def _clone(scratch: Path, home: Home) -> None:
    """Whether a file of the folder can be cloned to where stages lie.

    Raises:
        OSError: it cannot.
    """
    with (scratch / "a").open("rb") as source, tempfile.TemporaryFile(dir=home.stages) as target:
        clone(source.fileno(), target.fileno())


def _of_its_place(folder: Path, home: Home) -> list[Note]:
    nearest = next(place for place in (home.stages, *home.stages.parents) if place.exists())
    if folder.stat().st_dev == nearest.stat().st_dev:
        return []
    return [
        Note(
            "This folder lies on another drive than Counterfoil's own data.",
            "That works; each run makes a full copy of it.",
        )
    ]


def _of_room(folder: Path) -> list[Note]:
    usage = os.statvfs(folder)
    free = usage.f_bavail * usage.f_frsize
    if free >= LOW:
        return []
    return [
        Note(
            f"The disk of this folder is full ({free // 1_000_000:,} MB free).",
            "Runs can read it; make room before you approve files that are written here.",
        )
    ]


def _no_writing(folder: Path, problem: OSError) -> Note:
    if problem.errno == errno.EROFS:
        return Note("This folder can only be read: its drive is read-only.", _READ_ONLY)
    if problem.errno in _DENIED:
        return Note(f"This account may not write into {visible(str(folder))}.", _READ_ONLY)
    if problem.errno in _FULL:
        return Note("Nothing can be written here: the disk is full.", _READ_ONLY)
    return Note(f"Nothing can be written here: {(problem.strerror or str(problem)).lower()}.", _READ_ONLY)


_READ_ONLY = "Runs can read it. What they would write cannot be kept here, so choose another folder for templates that write files."
