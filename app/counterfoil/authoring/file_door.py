"""The one door through which steps read the team's files. Today it opens on the workspace, later on the run's stage.

Every path component is opened without following links, so a link cannot lead out of the folder; names come back as text with
undecodable bytes kept (surrogateescape).
"""

from __future__ import annotations

import contextlib
import contextvars
import hashlib
import os
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from counterfoil.authoring import machine
from counterfoil.errors import RefusedUse


class FileRefused(OSError):
    """A file cannot be read through the door; `reason` is a sentence for people."""

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(reason)
        self.path = path
        self.reason = reason


@dataclass(frozen=True, slots=True)
class FileFacts:
    """One file: path relative to the workspace, size in bytes, time of last change (UTC), whether it is a link."""

    path: str
    size: int
    changed_at: datetime
    is_link: bool


@dataclass(frozen=True, slots=True)
class LeftOut:
    """What `Files.list` leaves out: path relative to the workspace, and "folder", "hidden file" or "special file" (a pipe, a device)."""

    path: str
    kind: str


class Files:
    """Read-only access to the files beneath one root."""

    def __init__(self, root: str | os.PathLike[str]) -> None:
        self.root = Path(root)

    @contextlib.contextmanager
    def bound(self) -> Iterator[Files]:
        """Make this the door that `files()` returns; for unit tests of steps."""
        token = _bound.set(self)
        try:
            yield self
        finally:
            _bound.reset(token)

    def list(self, folder: str = "") -> list[FileFacts]:
        """Regular files and links directly in a folder, by name; hidden ones and sub-folders are left out.

        Raises:
            FileRefused: the folder is missing, a link, or may not be read.
        """
        handle = self._open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            found = [
                self._facts(handle, folder, name) for name in sorted(os.listdir(handle)) if not name.startswith(".")
            ]
        except OSError as problem:
            raise FileRefused(folder, f"The folder “{folder}” cannot be listed: {problem.strerror}.") from problem
        finally:
            os.close(handle)
        return [facts for facts in found if facts is not None]

    def left_out(self, folder: str = "") -> Sequence[LeftOut]:
        """What lies directly in a folder and is not listed, by name, so that nothing is passed over in silence.

        The program's own files (`.counterfoil…`) are not told.

        Raises:
            FileRefused: as `list`.
        """
        handle = self._open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            names = [name for name in sorted(os.listdir(handle)) if not name.startswith(".counterfoil")]
            found = [(name, _kind_left_out(handle, name)) for name in names]
        except OSError as problem:
            raise FileRefused(folder, f"The folder “{folder}” cannot be listed: {problem.strerror}.") from problem
        finally:
            os.close(handle)
        return [LeftOut(f"{folder}/{name}" if folder else name, kind) for name, kind in found if kind]

    @staticmethod
    def _facts(handle: int, folder: str, name: str) -> FileFacts | None:
        try:
            status = os.stat(name, dir_fd=handle, follow_symlinks=False)
        except FileNotFoundError:
            return None
        if not (stat.S_ISREG(status.st_mode) or stat.S_ISLNK(status.st_mode)):
            return None
        path = f"{folder}/{name}" if folder else name
        changed = datetime.fromtimestamp(status.st_mtime, UTC)
        return FileFacts(path, status.st_size, changed, stat.S_ISLNK(status.st_mode))

    def exists(self, path: str) -> bool:
        """Whether a regular file is there."""
        try:
            os.close(self._open(path, os.O_RDONLY))
        except FileRefused:
            return False
        return True

    def is_folder(self, path: str) -> bool:
        """Whether a folder is there."""
        try:
            os.close(self._open(path, os.O_RDONLY | os.O_DIRECTORY))
        except FileRefused:
            return False
        return True

    def read(self, path: str, *, limit: int = 50 * 1024 * 1024) -> bytes:
        """All bytes of one file.

        Raises:
            FileRefused: it is missing, a link, no regular file, may not be read, changed while being read, or is over `limit` bytes.
        """
        handle = self._open(path, os.O_RDONLY)
        with os.fdopen(handle, "rb") as source:
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

    def _open(self, path: str, flags: int) -> int:
        parts = [part for part in path.split("/") if part not in ("", ".")]
        if ".." in parts or path.startswith("/") or "\x00" in path:
            raise FileRefused(path, "The path does not lie beneath the workspace.")
        try:
            return open_beneath(self.root, parts, flags)
        except FileNotFoundError as problem:
            raise FileRefused(path, "It is not there any more.") from problem
        except PermissionError as problem:
            raise FileRefused(path, "This account may not read it.") from problem
        except NotADirectoryError as problem:
            raise FileRefused(path, "It is a link or no folder; links are not followed.") from problem
        except OSError as problem:
            reason = (
                "It is a link; links are not followed."
                if problem.errno == 40
                else f"It cannot be opened: {problem.strerror}."
            )
            raise FileRefused(path, reason) from problem


def _kind_left_out(handle: int, name: str) -> str:
    """Why an entry is not listed; "" when it is, or is gone meanwhile."""
    try:
        mode = os.stat(name, dir_fd=handle, follow_symlinks=False).st_mode
    except FileNotFoundError:
        return ""
    if stat.S_ISDIR(mode):
        return "folder"
    if not (stat.S_ISREG(mode) or stat.S_ISLNK(mode)):
        return "special file"
    return "hidden file" if name.startswith(".") else ""


def open_beneath(root: Path, parts: list[str], flags: int) -> int:
    """Open component by component with O_NOFOLLOW, so that no link on the way is followed."""
    handle = os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    for index, part in enumerate(parts):
        last = index == len(parts) - 1
        wanted = (flags | os.O_NONBLOCK) if last else os.O_RDONLY | os.O_DIRECTORY
        try:
            child = os.open(part, wanted | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=handle)
        finally:
            os.close(handle)
        handle = child
    if not flags & os.O_DIRECTORY and not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise FileRefused("/".join(parts), "It is no regular file.")
    return handle


_bound: contextvars.ContextVar[Files | None] = contextvars.ContextVar("counterfoil_files", default=None)


def files() -> Files:
    """The files of the running workspace; call it in a step.

    Raises:
        RefusedUse: there is no run, and no `Files(...).bound()` in a test.
    """
    door = _bound.get()
    if door is not None:
        return door
    branch = machine.current()
    if branch is None:
        raise RefusedUse("files() needs a run; in a unit test write `with Files(folder).bound():`")
    return Files(branch.machine.run.workspace)
