"""What an apply set keeps beside itself: the originals it displaces, and a note of how far it has come.

Originals are not copied: they are renamed into a slot of the store, so they keep their permission bits and times, and putting them back
needs no room on a full disk. For that the store lies on the folder's own file system: in the home where that is the same one, else in
the workspace's `.counterfoil`, which no effect may touch.

The note lets a second call after a crash tell its own work from a stranger's. It is durable before the first file changes.
"""

from __future__ import annotations

import contextlib
import dataclasses
import json
import os
from pathlib import Path
from typing import Self

from counterfoil.effects.beneath import Beneath, Blocked, Seen, write_all
from counterfoil.places import Home
from counterfoil.store.originals import IN_WORKSPACE, slot_of

_LARGEST_NOTE = 256 * 1024 * 1024


def remove_store(home: Home, workspace: str, store: str) -> None:
    """Remove what a set has kept, wherever it lies; what is not there or may not be removed is left."""
    with contextlib.suppress(OSError, Blocked):
        folder = home.undo / store
        if folder.is_dir() and not folder.is_symlink():
            with Beneath(str(home.undo)) as kept:
                _remove(kept, store)
    with contextlib.suppress(OSError, Blocked), Beneath(workspace) as ground:
        _remove(ground, f"{IN_WORKSPACE}/{store}")


def _remove(ground: Beneath, path: str) -> None:
    """A store is flat: files of ours, no folder in it."""
    with ground.inner(path) as store, store.folder_of("x") as (folder, _):
        for name in os.listdir(folder):
            os.unlink(name, dir_fd=folder)
    ground.remove_folder(path)


@dataclasses.dataclass(slots=True)
class Note:
    """`todo`: indices of changes that were not done at the start. `made`: folders that were missing then, outermost first.

    `sources`: device and inode of each file that is carried, by the mark of its change; `copies`: those of a copy that is about to take
    a name, where renaming was not possible. `modes`: permission bits of folders that are removed. `left_alone`: what was as it should be
    before the set began, as what would have been done and the path; undoing the set leaves it alone, too.
    """

    todo: list[int]
    made: list[str]
    sources: dict[str, list[int]] = dataclasses.field(default_factory=dict)
    copies: dict[str, list[int]] = dataclasses.field(default_factory=dict)
    modes: dict[str, int] = dataclasses.field(default_factory=dict)
    left_alone: list[list[str]] = dataclasses.field(default_factory=list)
    complete: bool = False


class UndoStore:
    """The store of one apply set beside an open folder; several sets may share it. Close it, or use it in `with`."""

    def __init__(self, folder: str, set_id: str, ground: Beneath) -> None:
        self.set_id = set_id
        self._note = f"set-{set_id[:32]}.json"
        self._home = Path(folder)
        self._workspace = ground
        self._opened: Beneath | None = None
        self._inside = self._lies_inside()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._opened is not None:
            self._opened.close()
            self._opened = None

    def slot(self, path: str) -> str:
        """The name under which what lay at a path is kept."""
        return slot_of(self.set_id, path)

    @property
    def ground(self) -> Beneath:
        """The store as an open folder; made where it is missing."""
        if self._opened is None:
            self._opened = self._open(inside=self._inside, make=True)
        return self._opened

    def look(self, slot: str) -> Seen | None:
        """What a slot holds; None where that is nothing."""
        if self._opened is None:
            try:
                self._opened = self._open(inside=self._inside, make=False)
            except FileNotFoundError:
                return None
        return self._opened.look(slot)

    def note(self) -> Note | None:
        """What an earlier call noted; None if this set has not begun."""
        return self._read(inside=self._inside)

    def keep_note(self, note: Note) -> None:
        """Write the note, durable when this returns."""
        staged = f"{self._note}.part"
        with self.ground.folder_of(self._note) as (folder, name):
            with contextlib.suppress(FileNotFoundError):
                os.unlink(staged, dir_fd=folder)
            handle = os.open(staged, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600, dir_fd=folder)
            try:
                write_all(handle, json.dumps(dataclasses.asdict(note)).encode())
                os.fsync(handle)
            except OSError:  # a full disk: half a note is nothing to keep
                os.unlink(staged, dir_fd=folder)
                raise
            finally:
                os.close(handle)
            os.replace(staged, name, src_dir_fd=folder, dst_dir_fd=folder)
            os.fsync(folder)

    def forget(self) -> None:
        """Remove the note: everything was put back, so the set has not begun."""
        with self.ground.folder_of(self._note) as (folder, name):
            with contextlib.suppress(FileNotFoundError):
                os.unlink(name, dir_fd=folder)
            os.fsync(folder)

    def _lies_inside(self) -> bool:
        """Whether it lies in the workspace: where it has begun, else where files are renamed and not copied."""
        for inside in (False, True):
            if self._read(inside=inside) is not None:
                return inside
        self._home.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with Beneath(str(self._home.parent)) as home:
            return home.device != self._workspace.device

    def _read(self, *, inside: bool) -> Note | None:
        try:
            with self._open(inside=inside, make=False) as place:
                data = place.read(self._note, _LARGEST_NOTE)
        except FileNotFoundError:
            return None
        return None if data is None else Note(**json.loads(data))

    def _open(self, *, inside: bool, make: bool) -> Beneath:
        """The folder at one of its two places.

        Raises:
            FileNotFoundError: it is not there, and is not to be made.
        """
        if inside:
            place = self._workspace.inner(f"{IN_WORKSPACE}/{self._home.name}", make=make)
            if make:
                place.make_private()
            return place
        if make:
            self._home.mkdir(mode=0o700, parents=True, exist_ok=True)
        elif not self._home.is_dir():
            raise FileNotFoundError(self._home)
        return Beneath(str(self._home))
