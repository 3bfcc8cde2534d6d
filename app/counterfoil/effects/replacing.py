"""A file gets new bytes as a whole, and may become a program. What it was goes into its slot of the undo store, as it is.

The bytes are staged beside the file and synced; then the two change places at once, and what came out is looked at. On the way back they
change places again, so that putting back needs no room. Where a file system cannot do that, the gap between looking and renaming stays.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from counterfoil.effects.beneath import Blocked, Seen, exchange, rename_new, write_all
from counterfoil.effects.carrying import Spot, copy_file, remove
from counterfoil.effects.changes import ContentLost, Raced, Site, Stand, new_file, sha_in, unlink, what_is_odd

_CHUNK = 1024 * 1024
_RUNS = 0o111


@dataclass(frozen=True, slots=True)
class Write:
    """A file gets new bytes; `before` is None where there is none yet. `executable` None leaves that as it is.

    `source` are the bytes, or the file that holds them. `like` is the slot of a store whose permission bits and time it gets.
    `vacated`: what lies at the name leaves it in the same set.
    """

    path: str
    before: str | None
    after: str
    source: bytes | Path | Spot = field(repr=False)
    executable: bool | None = None
    vacated: bool = False

    @property
    def does(self) -> str:
        """What a note calls it."""
        return "write"

    @property
    def paths(self) -> list[str]:
        """The file."""
        return [self.path]

    @property
    def folders(self) -> list[str]:
        """Where it lies."""
        return [self.path.rpartition("/")[0]]

    def slot(self, site: Site) -> Spot:
        """Where the file that is displaced is kept."""
        return Spot(site.undo.slot(self.path), "")

    def begin(self, site: Site) -> None:
        """Nothing: what it is shows at its name."""

    def stand(self, site: Site) -> Stand:
        """By the digest of what is there, and whether it is a program."""
        try:
            seen = site.ground.look(self.path)
        except Blocked:
            if not self.vacated:
                raise
            return Stand.BEFORE
        if self._is_after(seen):
            return Stand.AFTER
        if seen is None:
            return Stand.BEFORE if self.before is None else Stand.FOREIGN
        return Stand.BEFORE if seen.sha == self.before and seen.names == 1 else Stand.FOREIGN

    def _is_after(self, seen: Seen | None) -> bool:
        if seen is None or seen.sha != self.after:
            return False
        return self.executable is None or bool(seen.mode & 0o100) == self.executable

    def odd(self, site: Site) -> tuple[str, str]:
        """The file."""
        seen = Spot(self.path).look(site)
        if seen is not None and self.before is None:
            return self.path, "was not there when it was approved"
        if seen is not None and seen.sha == self.before:
            return self.path, "has more than one name (hard links) by now"
        return what_is_odd(site, self.path)

    def do(self, site: Site) -> None:
        """Stage the bytes beside the file, let them take its name, and keep what they displaced."""
        seen = site.ground.look(self.path)
        with site.ground.folder_of(self.path, make=True) as (folder, name):
            staged = site.temporary(self.path, "new")
            self._stage(site, folder, seen)
            done = False
            try:
                if self.before is None:
                    rename_new(folder, staged, folder, name)
                elif not exchange(folder, staged, folder, name):
                    self._rename_over(site, folder, staged, name)
                elif sha_in(folder, staged) != self.before:
                    _give_back(folder, staged, name)
                    raise Raced(self.path)
                else:
                    self._keep_or_give_back(site, folder, staged, name)
                done = True
            except (FileExistsError, FileNotFoundError) as problem:
                raise Raced(self.path) from problem
            finally:
                if not done and sha_in(folder, staged) == self.after:
                    unlink(folder, staged)

    def _stage(self, site: Site, folder: int, like: Seen | None) -> None:
        """Write the bytes to the temporary `.new`, synced, with the permission bits and group of what they replace."""
        part = site.temporary(self.path, "part")
        unlink(folder, part)
        with new_file(folder, part) as handle:
            self._fill(site, handle)
            if not isinstance(self.source, Spot):
                _resemble(handle, like, executable=self.executable)
            os.fsync(handle)
        try:
            rename_new(folder, part, folder, site.temporary(self.path, "new"))
        except BaseException:
            unlink(folder, part)
            raise

    def _fill(self, site: Site, handle: int) -> None:
        """The bytes, while they are seen to be those that were sealed."""
        if isinstance(self.source, Spot):
            try:
                with self.source.opened(site) as (store, name):
                    sha = copy_file(store, name, self.source.path, handle)
            except (FileNotFoundError, Blocked) as problem:
                raise ContentLost(self.path) from problem
        else:
            seen = hashlib.sha256()
            for piece in _pieces(self.source, self.path):
                seen.update(piece)
                write_all(handle, piece)
            sha = seen.hexdigest()
        if sha != self.after:
            raise ContentLost(self.path)

    def _keep_or_give_back(self, site: Site, folder: int, displaced: str, name: str) -> None:
        try:
            self._keep(site, folder, displaced)
        except BaseException:
            _give_back(folder, displaced, name)
            raise

    def _keep(self, site: Site, folder: int, displaced: str) -> None:
        """What was displaced goes into its slot; between devices as a copy."""
        slot = self.slot(site)
        with slot.opened(site) as (store, name):
            if sha_in(store, name) == self.before:  # of a call before a crash
                unlink(folder, displaced)
                return
            unlink(store, name)
            try:
                rename_new(folder, displaced, store, name)
            except OSError as problem:
                if problem.errno != errno.EXDEV:
                    raise
                _copy_into(store, name, folder, displaced)
                unlink(folder, displaced)

    def _rename_over(self, site: Site, folder: int, staged: str, name: str) -> None:
        """Best effort where files cannot change places: a copy is kept first."""
        slot = self.slot(site)
        with slot.opened(site) as (store, kept):
            unlink(store, kept)
            _copy_into(store, kept, folder, name)
            if sha_in(store, kept) != self.before or sha_in(folder, name) != self.before:
                raise Raced(self.path)
        os.rename(staged, name, src_dir_fd=folder, dst_dir_fd=folder)

    def put_back(self, site: Site) -> None:
        """The original changes places with what was written, or what was made is removed."""
        if self.before is None:
            remove(site, Spot(self.path), self.after)
            return
        with self.slot(site).opened(site) as (store, kept), site.ground.folder_of(self.path) as (folder, name):
            if sha_in(store, kept) != self.before:
                raise ContentLost(self.path)
            try:
                if not _swapped(store, kept, folder, name):
                    self._lay_over(site, (store, kept), (folder, name))
                    return
            except FileNotFoundError as problem:
                raise Raced(self.path) from problem
            if sha_in(store, kept) != self.after:
                _swapped(store, kept, folder, name)
                raise Raced(self.path)
            unlink(store, kept)

    def _lay_over(self, site: Site, slot: tuple[int, str], place: tuple[int, str]) -> None:
        """Where the two cannot change places: the original takes the name, between devices as a copy."""
        (store, kept), (folder, name) = slot, place
        if sha_in(folder, name) != self.after:
            raise Raced(self.path)
        try:
            os.rename(kept, name, src_dir_fd=store, dst_dir_fd=folder)
        except OSError as problem:
            if problem.errno != errno.EXDEV:
                raise
            part = site.temporary(self.path, "part")
            unlink(folder, part)
            with new_file(folder, part) as handle:
                copy_file(store, kept, self.path, handle)
            os.rename(part, name, src_dir_fd=folder, dst_dir_fd=folder)
            os.fsync(folder)
            unlink(store, kept)

    def tidy(self, site: Site) -> None:
        """What lies beside the file is our staging, or what an exchange or a removal displaced."""
        with contextlib.suppress(FileNotFoundError, Blocked), site.ground.folder_of(self.path) as (folder, name):
            unlink(folder, site.temporary(self.path, "part"))
            self._tidy_staged(site, folder, name)
            self._tidy_removed(folder, name, site.temporary(self.path, "old"))
            self._tidy_slot(site)

    def _tidy_staged(self, site: Site, folder: int, name: str) -> None:
        staged = site.temporary(self.path, "new")
        held = sha_in(folder, staged)
        if held is None:
            return
        exchanged = self.before is not None and self._is_after(Spot(self.path).look(site))
        if exchanged and held == self.before:
            self._keep(site, folder, staged)
        elif held == self.after:
            unlink(folder, staged)
        elif held == self.before:  # somebody has put another file in the place of ours meanwhile: the original is kept
            self._keep(site, folder, staged)
        # An exchange displaced somebody's change, and the process ended before it could be given back.
        elif exchanged and exchange(folder, staged, folder, name) and sha_in(folder, staged) == self.after:
            unlink(folder, staged)

    def _tidy_removed(self, folder: int, name: str, removed: str) -> None:
        held = sha_in(folder, removed)
        if held == self.after:
            unlink(folder, removed)
        elif held is not None:
            with contextlib.suppress(FileExistsError):
                rename_new(folder, removed, folder, name)

    def _tidy_slot(self, site: Site) -> None:
        """The original is back in its place, and the process ended before what was written could be removed from the slot."""
        if self.before is None:
            return
        kept = self.slot(site).look(site)
        if kept is None or not self._is_after(kept) or self._is_after(Spot(self.path).look(site)):
            return
        with self.slot(site).opened(site) as (store, name):
            unlink(store, name)


def _pieces(source: bytes | Path | Spot, path: str) -> Iterator[bytes]:
    if isinstance(source, bytes):
        yield source
        return
    if isinstance(source, Spot):
        raise TypeError("the bytes of a slot are copied from its store")
    try:
        with source.open("rb") as file:
            while piece := file.read(_CHUNK):
                yield piece
    except FileNotFoundError as problem:
        raise ContentLost(path) from problem


def _resemble(handle: int, like: Seen | None, *, executable: bool | None) -> None:
    mode = 0o644 if like is None else like.mode
    if like is not None:
        with contextlib.suppress(PermissionError):  # somebody else's group stays theirs
            os.fchown(handle, -1, like.group)
    if executable is not None:
        # Whoever may read it may run it.
        mode = mode | (mode & 0o444) >> 2 if executable else mode & ~_RUNS
    os.fchmod(handle, mode)


def _give_back(folder: int, displaced: str, name: str) -> None:
    """Somebody's file was displaced: it takes its name again, whatever stands or does not stand there by now."""
    try:
        exchange(folder, displaced, folder, name)
    except FileNotFoundError:
        rename_new(folder, displaced, folder, name)


def _swapped(store: int, kept: str, folder: int, name: str) -> bool:
    """Let two files in two folders change places; False where they lie on different devices, or this system cannot."""
    try:
        return exchange(store, kept, folder, name)
    except OSError as problem:
        if problem.errno != errno.EXDEV:
            raise
        return False


def _copy_into(store: int, kept: str, folder: int, name: str) -> None:
    """Copy a file into a slot, synced."""
    staged = f"{kept}.part"
    unlink(store, staged)
    with new_file(store, staged) as handle:
        copy_file(folder, name, name, handle)
    rename_new(store, staged, store, kept)
    os.fsync(store)
