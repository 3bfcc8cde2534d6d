"""Files as one step sees them: what lies beneath a root, with what the step has changed laid over it.

Every path component is opened without following links, so a link cannot lead out of the root. Paths are in their one spelling.
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
import stat
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from counterfoil.authoring.overlay import NOT_COPIED, Overlay, Standing

NOT_THERE = "It is not there any more."
NO_FOLDER = "It is a link or no folder; links are not followed."
NO_FILE = "It is no regular file."


class FileRefused(OSError):
    """A file cannot be read through the door; `reason` is a sentence for people."""

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(reason)
        self.path = path
        self.reason = reason


@dataclass(frozen=True, slots=True)
class View:
    """What lies beneath a root, and an overlay where there is one."""

    root: Path
    overlay: Overlay | None = None

    def entries(self, plain: str) -> Sequence[tuple[str, os.stat_result]]:
        """What is in a folder, by name, links not followed.

        Raises:
            FileRefused: the folder is missing, a link, or may not be read.
        """
        overlay = self.overlay
        if overlay is None:
            return sorted(self._entries_before(plain).items())
        standing = overlay.standing(plain) if plain else Standing.FOLDER
        if standing in (Standing.GONE, Standing.FILE):
            raise FileRefused(plain, NOT_THERE if standing is Standing.GONE else NO_FOLDER)
        before: dict[str, os.stat_result] = {}
        if not overlay.is_covered(plain):
            try:
                before = self._entries_before(plain)
            except FileRefused:
                if standing is not Standing.FOLDER or not plain:
                    raise
        found = (
            (name, self._status_over(join(plain, name), before.get(name)))
            for name in {*before, *overlay.names_in(plain)}
        )
        return sorted((name, status) for name, status in found if status is not None)

    def _status_over(self, plain: str, before: os.stat_result | None) -> os.stat_result | None:
        """What is at a path where it was that before the overlay."""
        untouched = self.overlay is None or self.overlay.standing(plain) is Standing.UNTOUCHED
        return before if untouched else self.status(plain)

    def _entries_before(self, plain: str) -> dict[str, os.stat_result]:
        """The same without the overlay."""
        found: dict[str, os.stat_result] = {}
        handle = self._open_before(plain, os.O_RDONLY | os.O_DIRECTORY)
        try:
            for name in os.listdir(handle):
                with contextlib.suppress(FileNotFoundError):
                    found[name] = os.stat(name, dir_fd=handle, follow_symlinks=False)
        except OSError as problem:
            raise FileRefused(plain, f"The folder “{plain}” cannot be listed: {problem.strerror}.") from problem
        finally:
            os.close(handle)
        return found

    def status(self, plain: str) -> os.stat_result | None:
        """What is at a path, links not followed; None where there is nothing.

        Raises:
            FileRefused: a folder above it may not be looked into.
        """
        overlay = self.overlay
        standing = overlay.standing(plain) if overlay is not None and plain else Standing.UNTOUCHED
        if overlay is None or standing is Standing.UNTOUCHED:
            return self._status_before(plain)
        if standing is Standing.FILE:
            return overlay.place(plain).stat()
        return None if standing is Standing.GONE else overlay.folder.stat()

    def _status_before(self, plain: str) -> os.stat_result | None:
        """The same without the overlay."""
        above, _, name = plain.rpartition("/")
        try:
            handle = self._open_before(above, os.O_RDONLY | os.O_DIRECTORY)
        except FileRefused as refused:
            if isinstance(refused.__cause__, FileNotFoundError | NotADirectoryError):
                return None
            raise
        try:
            return os.stat(name or ".", dir_fd=handle, follow_symlinks=False)
        except FileNotFoundError:
            return None
        except OSError as problem:
            raise FileRefused(plain, f"It cannot be looked at: {problem.strerror}.") from problem
        finally:
            os.close(handle)

    def not_copied(self) -> dict[str, dict[str, str]]:
        """What the workspace holds and the run was not given: by folder, names and why."""
        found: dict[str, dict[str, str]] = {}
        if self.overlay is None:
            return found
        try:
            listed = json.loads((self.overlay.folder.parent / NOT_COPIED).read_bytes())
        except FileNotFoundError:  # everything was copied
            return found
        for path, why in listed:
            folder, _, name = path.rpartition("/")
            if not self.overlay.is_covered(folder):
                found.setdefault(folder, {})[name] = why
        return found

    def was_there(self, plain: str) -> bool:
        """Whether something that the overlay did not make lies at a path and is not gone yet."""
        overlay = self.overlay
        above = plain.rpartition("/")[0]
        if overlay is None or overlay.is_covered(above) or plain in overlay.gone:
            return overlay is not None and plain in overlay.gone
        return self._status_before(plain) is not None

    def open(self, plain: str, *, to_read: bool = True) -> int:
        """An open regular file; `to_read`: what stands in it will be read.

        Raises:
            FileRefused: there is none, or it may not be read.
        """
        overlay = self.overlay
        if overlay is not None and to_read:
            overlay.note_read(plain)
        standing = overlay.standing(plain) if overlay is not None and plain else Standing.UNTOUCHED
        if overlay is None or standing is Standing.UNTOUCHED:
            return self._open_before(plain, os.O_RDONLY)
        if standing is Standing.FILE:
            return os.open(overlay.place(plain), os.O_RDONLY | os.O_CLOEXEC)
        raise FileRefused(plain, NOT_THERE if standing is Standing.GONE else NO_FILE)

    def _open_before(self, plain: str, flags: int) -> int:
        try:
            return open_beneath(self.root, plain.split("/") if plain else [], flags)
        except FileNotFoundError as problem:
            raise FileRefused(plain, NOT_THERE) from problem
        except PermissionError as problem:
            raise FileRefused(plain, "This account may not read it.") from problem
        except NotADirectoryError as problem:
            raise FileRefused(plain, NO_FOLDER) from problem
        except OSError as problem:
            reason = (
                "It is a link; links are not followed."
                if problem.errno == errno.ELOOP
                else f"It cannot be opened: {problem.strerror}."
            )
            raise FileRefused(plain, reason) from problem


def spelled(path: str) -> str:
    """A path in its one spelling; "" is the root.

    Raises:
        FileRefused: it does not lie beneath the root.
    """
    parts = [part for part in path.split("/") if part not in ("", ".")]
    if ".." in parts or path.startswith("/") or "\x00" in path:
        raise FileRefused(path, "The path does not lie beneath the workspace.")
    return "/".join(parts)


def join(folder: str, name: str) -> str:
    """The path of a name in a folder; "" is the root."""
    return f"{folder}/{name}" if folder else name


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
        raise FileRefused("/".join(parts), NO_FILE)
    return handle
