"""A look at a workspace without opening any of its files: what would be copied, what would not, and how much it is."""

from __future__ import annotations

import errno
import os
import stat
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from counterfoil.errors import Stopped, TooMuch, WrongWorkspace
from counterfoil.policy.boundaries import visible
from counterfoil.stage.ladder import Ladder
from counterfoil.stage.leaving_out import Choices
from counterfoil.stage.manifest import Kind, LeftOut

MOST_FILES = 50_000  # files and links of a stage, and as many folders
MOST_BYTES = 2 * 1024**3
DEEPEST = 200  # folders in one another
LONGEST_PATH = 4096  # bytes; what every program can open
_MOST_COUNTED = 1_000_000  # entries; a larger folder is told as “more than”
_MOST_SECONDS = 10.0  # spent on counting what is too much anyway
_GONE = frozenset({errno.ENOENT, errno.ENOTDIR, errno.ELOOP})
_DENIED = frozenset({errno.EACCES, errno.EPERM})


@dataclass(frozen=True, slots=True)
class Seen:
    """One entry as it was seen."""

    path: str
    kind: Kind
    status: os.stat_result


@dataclass(slots=True)
class Part:
    """How much lies beneath one name of the workspace's folder: files, bytes."""

    files: int = 0
    octets: int = 0


@dataclass(slots=True)
class Survey:
    """What was seen, each folder before what is in it. `seen` stays short of the whole once it is more than a stage may hold;
    `cut` says that even the counting was given up."""

    root: os.stat_result
    seen: dict[str, Seen] = field(default_factory=dict)
    left_out: list[LeftOut] = field(default_factory=list)
    files: int = 0
    folders: int = 0
    octets: int = 0
    parts: dict[str, Part] = field(default_factory=dict)
    cut: bool = False

    @property
    def too_much(self) -> bool:
        """Whether it is more than a stage may hold."""
        return self.files > MOST_FILES or self.folders > MOST_FILES or self.octets > MOST_BYTES or self.cut


def survey(
    root: str, choices: Choices, *, stop: Callable[[], bool] = lambda: False, try_reading: bool = False
) -> Survey:
    """Look through a workspace. `try_reading` asks of each file whether this account may read it.

    Raises:
        WrongWorkspace: the folder itself cannot be looked into, or the disk fails.
        Stopped: `stop` said so.
    """
    if os.path.realpath(root) != os.path.normpath(root):
        raise WrongWorkspace(
            f"{visible(root)} leads through a link.", "Name the folder itself; links are not followed."
        )
    try:
        with Ladder(root) as ladder:
            return _Walk(ladder, choices, stop, try_reading=try_reading).whole()
    except OSError as problem:
        raise cannot_look(root, problem) from problem


def look(ladder: Ladder, path: str) -> Seen | None:
    """What is at one path now; None where there is nothing that a stage could hold."""
    above, _, name = path.rpartition("/")
    try:
        status = os.stat(name, dir_fd=ladder.find(above), follow_symlinks=False)
    except OSError as problem:
        if problem.errno in _GONE:
            return None
        raise
    kind = _KINDS.get(stat.S_IFMT(status.st_mode))
    return None if kind is None else Seen(path, kind, status)


def cannot_look(root: str, problem: OSError) -> WrongWorkspace:
    """Why a folder cannot be a workspace now, and what to do."""
    if problem.errno in (errno.ENOTDIR, errno.ELOOP):
        return WrongWorkspace(
            f"{visible(root)} is a link or no folder.", "Name the folder itself; links are not followed."
        )
    if problem.errno == errno.ENOENT:
        return WrongWorkspace(f"{visible(root)} is not there.", "Put it back, or connect the drive it lies on.")
    if problem.errno in _DENIED:
        return WrongWorkspace(f"This account may not look into {visible(root)}.", "Allow it, or choose another folder.")
    what = (problem.strerror or str(problem)).lower()
    return WrongWorkspace(f"{visible(root)} cannot be read: {what}.", "Look at the drive it lies on.")


class _Walk:
    def __init__(self, ladder: Ladder, choices: Choices, stop: Callable[[], bool], *, try_reading: bool) -> None:
        self._ladder = ladder
        self._choices = choices
        self._stop = stop
        self._try_reading = try_reading
        self._until = time.monotonic() + _MOST_SECONDS
        self.found = Survey(os.fstat(ladder.at("")))

    def whole(self) -> Survey:
        """Every folder, each before what is in it."""
        todo = [""]
        while todo and not self.found.cut:
            folder = todo.pop()
            if self._stop():
                raise Stopped
            todo += reversed(self._folder(folder))
        return self.found

    def _folder(self, folder: str) -> list[str]:
        """Take in one folder; the folders in it that are to be looked into."""
        below: list[str] = []
        for name, status, handle in self._entries(folder):
            path = f"{folder}/{name}" if folder else name
            is_folder = stat.S_ISDIR(status.st_mode)
            why = self._choices.why_not(path, is_folder=is_folder)
            kind = _KINDS.get(stat.S_IFMT(status.st_mode))
            if why is None and kind is None:
                why = "special"
            if why is None and (_long(path) or (is_folder and path.count("/") >= DEEPEST)):
                why = "deep"
            if why is None and kind == "file" and self._try_reading and not _may_read(handle, name):
                why = "unreadable"
            if why is not None or kind is None:
                self.found.left_out.append(LeftOut(path, why or "special"))
                continue
            self._count(path, kind, status)
            if is_folder:
                below.append(path)
        return below

    def _entries(self, folder: str) -> Iterator[tuple[str, os.stat_result, int]]:
        """Names of a folder in order, with what they are; what goes away meanwhile is not there."""
        try:
            handle = self._ladder.at(folder)
            names = sorted(os.listdir(handle))
        except OSError as problem:
            if not folder or problem.errno not in _GONE | _DENIED:
                raise
            self.found.seen.pop(folder, None)
            if problem.errno in _DENIED:
                self.found.left_out.append(LeftOut(folder, "unreadable"))
            return
        for name in names:
            try:
                yield name, os.stat(name, dir_fd=handle, follow_symlinks=False), handle
            except FileNotFoundError:
                continue
            except PermissionError:  # it may be listed and not entered
                self.found.left_out.append(LeftOut(f"{folder}/{name}" if folder else name, "unreadable"))

    def _count(self, path: str, kind: Kind, status: os.stat_result) -> None:
        found = self.found
        if kind == "folder":
            found.folders += 1
        else:
            size = status.st_size if kind == "file" else 0
            found.files += 1
            found.octets += size
            part = found.parts.setdefault(path.partition("/")[0], Part())
            part.files += 1
            part.octets += size
        if not found.too_much:
            found.seen[path] = Seen(path, kind, status)
        elif found.files + found.folders > _MOST_COUNTED or time.monotonic() > self._until:
            found.cut = True


_KINDS: dict[int, Kind] = {stat.S_IFREG: "file", stat.S_IFDIR: "folder", stat.S_IFLNK: "link"}


def _long(path: str) -> bool:
    return len(path) * 4 > LONGEST_PATH and len(os.fsencode(path)) > LONGEST_PATH


def _may_read(handle: int, name: str) -> bool:
    return os.access(name, os.R_OK, dir_fd=handle, effective_ids=os.access in os.supports_effective_ids)


def refuse_too_much(found: Survey, root: str) -> None:
    """Say what is too much for a stage and which parts of it could be left out.

    Raises:
        TooMuch: it is.
    """
    if not found.too_much:
        return
    more = "more than " if found.cut else ""
    largest = sorted(found.parts.items(), key=lambda item: (-item[1].files - item[1].octets // 40_000, item[0]))
    parts = {name: part for name, part in largest[:5] if "/" not in name}
    named = ", ".join(f"{visible(name)} ({_amount(part.files, part.octets)})" for name, part in parts.items())
    amount = f"{more}{_amount(found.files, found.octets)} in {_counted(found.folders, 'folder')}"
    raise TooMuch(
        f"{visible(root)} holds {amount}; a run works on a copy, and copies at most {MOST_FILES:,} files, as many folders and "
        f"{MOST_BYTES // 1024**3} GB. Its largest parts: {named}.",
        "Leave parts out where you choose the folder, or with run --leave-out NAME; or choose a smaller folder.",
        tuple(parts),
    )


def _amount(files: int, octets: int) -> str:
    size = f"{octets / 1e9:,.1f} GB" if octets >= 1e9 else f"{octets / 1e6:,.0f} MB"
    return f"{_counted(files, 'file')}, {size}"


def _counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
