"""The one door through which steps read and write files: a copy of the team's files that the run has for itself.

What a step writes is seen by itself at once, by later steps once it is recorded, and by nobody where the step fails; the team's folder
changes only by approved effects. Every path component is opened without following links, so a link cannot lead out of the folder; names
come back as text with undecodable bytes kept (surrogateescape).
"""

from __future__ import annotations

import contextlib
import contextvars
import functools
import hashlib
import os
import shutil
import stat
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from counterfoil.authoring import machine
from counterfoil.authoring.file_view import NO_FILE, NOT_THERE, FileRefused, View, join, spelled
from counterfoil.authoring.overlay import NEW_FILE, Made, Overlay, Standing, names_too_long
from counterfoil.authoring.patterns import is_among
from counterfoil.errors import RefusedUse

__all__ = ["FileFacts", "FileRefused", "Files", "LeftOut", "files"]


@dataclass(frozen=True, slots=True)
class FileFacts:
    """One file: path relative to the workspace, size in bytes, time of last change (UTC), whether it is a link."""

    path: str
    size: int
    changed_at: datetime
    is_link: bool


@dataclass(frozen=True, slots=True)
class LeftOut:
    """What `Files.list` leaves out: path relative to the workspace, and "folder", "hidden file", "special file" (a pipe, a device),
    "unreadable", or "not copied" (secrets, version control, what a person chose: no run gets it, be it a file or a folder)."""

    path: str
    kind: str


class Files:
    """Access to the files beneath one root; what is written goes into an overlay."""

    def __init__(self, root: str | os.PathLike[str], overlay: Overlay | None = None) -> None:
        self._view = View(Path(root), overlay)

    @contextlib.contextmanager
    def bound(self) -> Iterator[Files]:
        """Make this the door that `files()` returns, for unit tests of steps. What is written is seen inside the block, and gone after it;
        the folder is not changed."""
        with tempfile.TemporaryDirectory(prefix="counterfoil-") as overlays:
            door = self if self._view.overlay is not None else Files(self._view.root, Overlay.beneath(Path(overlays)))
            token = _bound.set(door)
            try:
                yield door
            finally:
                _bound.reset(token)

    # ---------------------------------------------------------------------------------------------------------- reading

    def list(self, folder: str = "") -> list[FileFacts]:
        """Regular files and links directly in a folder, by name; hidden ones and sub-folders are left out.

        Raises:
            FileRefused: the folder is missing, a link, or may not be read.
        """
        plain = spelled(folder)
        found = [
            _facts(join(plain, name), status) for name, status in self._view.entries(plain) if not name.startswith(".")
        ]
        return [facts for facts in found if facts is not None]

    def walk(self, folder: str = "") -> Sequence[FileFacts]:
        """Regular files and links in a folder and in all folders beneath it, by path; hidden files and folders are left out.

        Raises:
            FileRefused: as `list`.
        """
        found: list[FileFacts] = []
        todo = [spelled(folder)]
        while todo:
            here = todo.pop()
            for name, status in self._view.entries(here):
                path = join(here, name)
                if name.startswith("."):
                    continue
                if stat.S_ISDIR(status.st_mode):
                    todo.append(path)
                elif (facts := _facts(path, status)) is not None:
                    found.append(facts)
        return sorted(found, key=lambda facts: facts.path.split("/"))

    def left_out(self, folder: str = "") -> Sequence[LeftOut]:
        """What lies directly in a folder and is not listed, by name, so that nothing is passed over in silence.

        The program's own files (`.counterfoil…`) are not told.

        Raises:
            FileRefused: as `list`.
        """
        plain = spelled(folder)
        absent = {name: _KINDS.get(why, "not copied") for name, why in self._not_copied.get(plain, {}).items()}
        there = {name: _kind_left_out(name, status.st_mode) for name, status in self._view.entries(plain)}
        found = sorted((absent | there).items())
        return [
            LeftOut(join(plain, name), kind) for name, kind in found if kind and not name.startswith(".counterfoil")
        ]

    @functools.cached_property
    def _not_copied(self) -> dict[str, dict[str, str]]:
        return self._view.not_copied()

    def exists(self, path: str) -> bool:
        """Whether a regular file is there."""
        try:
            os.close(self._view.open(spelled(path), to_read=False))
        except FileRefused:
            return False
        return True

    def is_foreign(self, path: str) -> bool:
        """Whether a file is marked as holding words of others, by the workspace or the template, or by being a mail."""
        overlay = self._view.overlay
        return overlay is not None and is_among(spelled(path), overlay.foreign)

    def is_folder(self, path: str) -> bool:
        """Whether a folder is there."""
        try:
            status = self._view.status(spelled(path))
        except FileRefused:
            return False
        return status is not None and stat.S_ISDIR(status.st_mode)

    def read(self, path: str, *, limit: int = 50 * 1024 * 1024) -> bytes:
        """All bytes of one file.

        Raises:
            FileRefused: it is missing, a link, no regular file, may not be read, changed while being read, or is over `limit` bytes.
        """
        with os.fdopen(self._view.open(spelled(path)), "rb") as source:
            before = os.fstat(source.fileno())
            if before.st_size > limit:
                raise FileRefused(
                    path,
                    f"It holds {before.st_size // (1024 * 1024)} MB; files up to {limit // (1024 * 1024)} MB are read.",
                )
            data = source.read(limit + 1)
            after = os.fstat(source.fileno())
        if len(data) != after.st_size or before.st_mtime_ns != after.st_mtime_ns:
            raise FileRefused(path, "It changed while it was being read; try again when nobody is saving it.")
        return data

    def sha256(self, path: str) -> str:
        """SHA-256 of one file's bytes, 64 hex digits."""
        return hashlib.sha256(self.read(path)).hexdigest()

    # ---------------------------------------------------------------------------------------------------------- writing

    def write(self, path: str, data: bytes) -> None:
        """Write a whole file in the run's copy; missing folders are made. It reaches the team's folder only when somebody approves it.

        Raises:
            FileRefused: a folder or a link is there, or a file is where a folder must be.
            RefusedUse: this is no step.
        """
        if not isinstance(data, bytes | bytearray | memoryview):
            raise TypeError(f"files().write takes bytes, not {type(data).__name__}; write text.encode()")
        plain, overlay = self._to_change(path)
        with overlay.changing():
            status = self._free_for_file(plain, path)
            overlay.write(plain, bytes(data), stat.S_IMODE(status.st_mode) & 0o777 if status else NEW_FILE)

    def make_folder(self, path: str) -> None:
        """Make a folder in the run's copy, and those above it; nothing to do where it is there.

        Raises:
            FileRefused: something else is there, or a file is where a folder must be.
            RefusedUse: this is no step.
        """
        plain, overlay = self._to_change(path)
        with overlay.changing():
            self._refuse_file_above(plain, path)
            status = self._view.status(plain)
            if status is None:
                overlay.make_folder(plain)
            elif not stat.S_ISDIR(status.st_mode):
                raise FileRefused(path, "Something is there that is no folder.")

    def remove(self, path: str) -> None:
        """Remove a file, a link, or a folder with all that is in it, in the run's copy.

        Raises:
            FileRefused: nothing is there.
            RefusedUse: this is no step.
        """
        plain, overlay = self._to_change(path)
        with overlay.changing():
            if self._view.status(plain) is None:
                raise FileRefused(path, NOT_THERE)
            overlay.remove(plain, was_there=self._view.was_there(plain))

    def move(self, path: str, to: str) -> None:
        """Give a file, or a folder with all that is in it, another path in the run's copy; missing folders are made.

        Raises:
            FileRefused: nothing is there, it is a link or holds one, or something has the new path.
            RefusedUse: this is no step.
        """
        plain, overlay = self._to_change(path)
        target, _ = self._to_change(to)
        if f"{target}/".startswith(f"{plain}/"):
            raise FileRefused(to, "A folder cannot be moved into itself.")
        with overlay.changing():
            status = self._view.status(plain)
            if status is None:
                raise FileRefused(path, NOT_THERE)
            self._refuse_file_above(target, to)
            if self._view.status(target) is not None:
                raise FileRefused(to, "Something has that path already.")
            for one, kind in self._moved(plain, status):
                new = target + one[len(plain) :]
                if stat.S_ISDIR(kind.st_mode):
                    overlay.make_folder(new)
                else:
                    overlay.put(new, self._bytes_of(one, kind))
            overlay.remove(plain, was_there=self._view.was_there(plain))

    def _moved(self, plain: str, status: os.stat_result) -> Sequence[tuple[str, os.stat_result]]:
        """What a path holds, itself first; links are refused before anything is done."""
        found = [(plain, status)]
        for one, kind in found:
            if stat.S_ISDIR(kind.st_mode):
                found += [(join(one, name), below) for name, below in self._view.entries(one)]
            elif not stat.S_ISREG(kind.st_mode):
                raise FileRefused(
                    one, "It is a link; links are not followed." if stat.S_ISLNK(kind.st_mode) else NO_FILE
                )
        return found

    def _bytes_of(self, plain: str, status: os.stat_result) -> Made:
        """The bytes of a file that is moved, in the overlay."""
        overlay = self._view.overlay
        if overlay is None:
            raise RefusedUse(_NO_STEP)
        if overlay.standing(plain) is Standing.FILE:
            return overlay.release(plain)
        number, place = overlay.next_place()
        with os.fdopen(self._view.open(plain), "rb") as source, place.open("xb") as out:
            shutil.copyfileobj(source, out)
        return Made(number, stat.S_IMODE(status.st_mode) & 0o777)

    def _to_change(self, path: str) -> tuple[str, Overlay]:
        plain = spelled(path)
        if self._view.overlay is None:
            raise RefusedUse(_NO_STEP)
        if not plain or names_too_long(plain):
            raise FileRefused(path, "It names no file." if not plain else "The path is longer than file systems take.")
        return plain, self._view.overlay

    def _free_for_file(self, plain: str, path: str) -> os.stat_result | None:
        """The file that is there now, if one is."""
        self._refuse_file_above(plain, path)
        status = self._view.status(plain)
        if status is not None and stat.S_ISLNK(status.st_mode):
            raise FileRefused(path, "It is a link; links are not followed.")
        if status is not None and not stat.S_ISREG(status.st_mode):
            raise FileRefused(path, "It is a folder." if stat.S_ISDIR(status.st_mode) else NO_FILE)
        return status

    def _refuse_file_above(self, plain: str, path: str) -> None:
        above = plain.rpartition("/")[0]
        while above:
            status = self._view.status(above)
            if status is not None and not stat.S_ISDIR(status.st_mode):
                raise FileRefused(path, f"“{above}” is no folder, so nothing can lie in it.")
            above = above.rpartition("/")[0]


_KINDS = {"special": "special file", "unreadable": "unreadable"}  # of what is not copied, by why
_NO_STEP = "files can be changed only in a step: move this into a function with @step"


def _facts(path: str, status: os.stat_result) -> FileFacts | None:
    if not (stat.S_ISREG(status.st_mode) or stat.S_ISLNK(status.st_mode)):
        return None
    changed = datetime.fromtimestamp(status.st_mtime, UTC)
    return FileFacts(path, status.st_size, changed, stat.S_ISLNK(status.st_mode))


def _kind_left_out(name: str, mode: int) -> str:
    """Why an entry is not listed; "" when it is."""
    if stat.S_ISDIR(mode):
        return "folder"
    if not (stat.S_ISREG(mode) or stat.S_ISLNK(mode)):
        return "special file"
    return "hidden file" if name.startswith(".") else ""


_bound: contextvars.ContextVar[Files | None] = contextvars.ContextVar("counterfoil_files", default=None)


def files() -> Files:
    """The run's files; call it in a step.

    Raises:
        RefusedUse: there is no run, and no `Files(...).bound()` in a test.
    """
    door = _bound.get()
    if door is not None:
        return door
    branch = machine.current()
    if branch is None:
        raise RefusedUse("files() needs a run; in a unit test write `with Files(folder).bound():`")
    return Files(branch.machine.run.workspace, branch.overlay)
