"""One file's change in an apply set, forth and back, in acts that a crash can fall between.

Three temporary names lie beside a file while it changes, all hidden, all made of the set's digest: `.part` is being written, `.new` is
whole and about to take the file's name (after an exchange it is what the file was), `.old` is a file about to be removed. `tidy` reads
from them what a crash left undone. Nothing is ever removed before its bytes were seen to be ours.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
from dataclasses import dataclass, field
from enum import Enum
from typing import Protocol

from counterfoil.authoring.codec import digest
from counterfoil.effects.beneath import Beneath, Blocked, Seen, exchange, hash_of, open_file, rename_new, write_all
from counterfoil.effects.shapes import LARGEST_CONTENT
from counterfoil.effects.undo_store import Note, UndoStore


class Stand(Enum):
    """Where a file stands in its change."""

    BEFORE = "before"
    AFTER = "after"
    FOREIGN = "foreign"
    PARTLY = "partly"  # foreign, and something of ours may be in place as well


class Raced(Exception):
    """A file turned into something else while it was being changed; it was left as somebody made it."""

    def __init__(self, path: str) -> None:
        super().__init__(path)
        self.path = path


@dataclass(slots=True)
class Site:
    """What a change works with: the folder, the undo store, and the note of its set."""

    ground: Beneath
    undo: UndoStore
    note: Note = field(default_factory=lambda: Note([], []))

    def temporary(self, path: str, ending: str) -> str:
        """The name beside a file that this set uses for it."""
        return f".counterfoil-{digest(f'{self.undo.set_id}:{path}')[:20]}.{ending}"


class Change(Protocol):
    """A file, or a pair of names, that goes from one state to another."""

    @property
    def paths(self) -> list[str]:
        """The names it touches."""

    def originals(self, site: Site) -> list[tuple[str, bytes]]:
        """What must be kept before it is done: SHA-256 and bytes."""

    def tidy(self, site: Site) -> None:
        """Finish or clear what a crash left beside its files."""

    def stand(self, site: Site) -> Stand:
        """Where its files stand now."""

    def do(self, site: Site) -> None:
        """Go from before to after. Raises Raced, Blocked or OSError, with this change not done."""

    def put_back(self, site: Site) -> None:
        """Go from after to before. Raises Raced, Blocked, OriginalMissing or OSError, with this change not put back."""


@dataclass(frozen=True, slots=True)
class Write:
    """A file gets new bytes as a whole; `before` is None where there is none yet."""

    path: str
    before: str | None
    after: str
    content: bytes = field(repr=False)

    @property
    def paths(self) -> list[str]:
        """The file."""
        return [self.path]

    def originals(self, site: Site) -> list[tuple[str, bytes]]:
        """The bytes that will be displaced."""
        if self.before is None or self.before == self.after:
            return []
        data = site.ground.read(self.path, LARGEST_CONTENT)
        if data is None or hashlib.sha256(data).hexdigest() != self.before:
            raise Raced(self.path)
        return [(self.before, data)]

    def stand(self, site: Site) -> Stand:
        """By the digest of what is there."""
        seen = site.ground.look(self.path)
        sha = seen.sha if seen else None
        if sha == self.after:
            return Stand.AFTER
        replaceable = seen is None or seen.names == 1
        return Stand.BEFORE if sha == self.before and replaceable else Stand.FOREIGN

    def do(self, site: Site) -> None:
        """Stage the bytes beside the file, then let them take its name."""
        _replace(site, self.path, self.before, self.content)

    def put_back(self, site: Site) -> None:
        """Stage the original, or remove what was made."""
        if self.before is None:
            _remove(site, self.path, self.after)
        else:
            _replace(site, self.path, self.after, site.undo.original(self.before))

    def tidy(self, site: Site) -> None:
        """What lies beside the file is our staging, or what an exchange or a removal displaced."""
        with contextlib.suppress(FileNotFoundError, Blocked), site.ground.folder_of(self.path) as (folder, name):
            _unlink(folder, site.temporary(self.path, "part"))
            self._tidy_staged(folder, name, site.temporary(self.path, "new"))
            self._tidy_removed(folder, name, site.temporary(self.path, "old"))

    def _tidy_staged(self, folder: int, name: str, staged: str) -> None:
        held = _sha_in(folder, staged)
        if held in (self.before, self.after):
            _unlink(folder, staged)
        # An exchange displaced somebody's change, and the process ended before it could be given back.
        elif held is not None and _sha_in(folder, name) == self.after and exchange(folder, staged, name):
            _clear(folder, staged, {self.after})

    def _tidy_removed(self, folder: int, name: str, removed: str) -> None:
        held = _sha_in(folder, removed)
        if held == self.after:
            _unlink(folder, removed)
        elif held is not None:
            with contextlib.suppress(FileExistsError):
                rename_new(folder, removed, folder, name)


@dataclass(frozen=True, slots=True)
class Move:
    """A file goes to a name that is free; `index` is its place in the set."""

    path: str
    target: str
    sha: str
    index: int

    @property
    def paths(self) -> list[str]:
        """Both names."""
        return [self.path, self.target]

    def originals(self, site: Site) -> list[tuple[str, bytes]]:
        """Nothing is displaced."""
        return []

    def stand(self, site: Site) -> Stand:
        """By the digests at both names."""
        source, target = site.ground.look(self.path), site.ground.look(self.target)
        if target is None and source is not None and source.sha == self.sha:
            return Stand.BEFORE
        if target is not None and target.sha == self.sha:
            return Stand.AFTER if source is None else Stand.PARTLY
        return Stand.FOREIGN

    def do(self, site: Site) -> None:
        """Rename without replacing; between devices copy, sync, then remove."""
        _move(site, self.path, self.target, self.sha, str(self.index))

    def put_back(self, site: Site) -> None:
        """The same, the other way round."""
        _move(site, self.target, self.path, self.sha, f"-{self.index}")

    def tidy(self, site: Site) -> None:
        """Clear half copies; where both names hold our file, carry the move on to its end."""
        for path in self.paths:
            with contextlib.suppress(FileNotFoundError, Blocked), site.ground.folder_of(path) as (folder, name):
                _unlink(folder, site.temporary(path, "part"))
                with contextlib.suppress(FileNotFoundError, FileExistsError):
                    rename_new(folder, site.temporary(path, "old"), folder, name)
        with contextlib.suppress(Blocked):
            self._finish(site, self.path, self.target, str(self.index))
            self._finish(site, self.target, self.path, f"-{self.index}")

    def _finish(self, site: Site, source: str, target: str, mark: str) -> None:
        """Remove the source of a move whose target is in place, if that target is ours."""
        left, arrived = site.ground.look(source), site.ground.look(target)
        if left is None or arrived is None or {left.sha, arrived.sha} != {self.sha}:
            return
        ours = (arrived.device, arrived.inode) in (
            (left.device, left.inode),  # a second name of the same file, where renaming had to be done in two acts
            tuple(site.note.copies.get(mark, ())),
        )
        if ours:
            site.ground.sync(target)
            _remove(site, source, self.sha)


# ---------------------------------------------------------------------------------------------------------------- acts


def _replace(site: Site, path: str, expected: str | None, data: bytes) -> None:
    """Give a file new bytes at once, if it holds what is expected; what it holds is seen again after it was displaced."""
    seen = site.ground.look(path)
    with site.ground.folder_of(path, make=True) as (folder, name):
        staged = site.temporary(path, "new")
        _stage(site, folder, path, seen, data)
        try:
            if expected is None:
                rename_new(folder, staged, folder, name)
            elif not exchange(folder, staged, name):
                _rename_over(site, folder, staged, path, expected)
            elif _sha_in(folder, staged) != expected:
                _give_back(folder, staged, name)
                raise Raced(path)
        except (FileExistsError, FileNotFoundError) as problem:
            raise Raced(path) from problem
        finally:
            _clear(folder, staged, {expected, hashlib.sha256(data).hexdigest()})


def _give_back(folder: int, displaced: str, name: str) -> None:
    """Somebody's file was displaced: it takes its name again, whatever stands or does not stand there by now."""
    try:
        exchange(folder, displaced, name)
    except FileNotFoundError:
        rename_new(folder, displaced, folder, name)


def _rename_over(site: Site, folder: int, staged: str, path: str, expected: str) -> None:
    """Best effort where files cannot change places: the gap between looking and renaming stays open."""
    seen = site.ground.look(path)
    if seen is None or seen.sha != expected:
        raise Raced(path)
    os.rename(staged, path.rsplit("/", 1)[-1], src_dir_fd=folder, dst_dir_fd=folder)


def _stage(site: Site, folder: int, path: str, like: Seen | None, data: bytes) -> None:
    """Write bytes to the temporary `.new` of a path, synced, with the permission bits and group of what they replace."""
    part = site.temporary(path, "part")
    handle = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600, dir_fd=folder)
    try:
        try:
            write_all(handle, data)
            _resemble(handle, like)
            os.fsync(handle)
        finally:
            os.close(handle)
        rename_new(folder, part, folder, site.temporary(path, "new"))
    except BaseException:
        _unlink(folder, part)
        raise


def _resemble(handle: int, like: Seen | None) -> None:
    if like is not None:
        with contextlib.suppress(PermissionError):  # somebody else's group stays theirs
            os.fchown(handle, -1, like.group)
    os.fchmod(handle, 0o644 if like is None else like.mode)


def _remove(site: Site, path: str, expected: str) -> None:
    """Remove a file that holds what is expected: first out of its name, then seen again, then gone."""
    removed = site.temporary(path, "old")
    with site.ground.folder_of(path) as (folder, name):
        try:
            rename_new(folder, name, folder, removed)
        except FileNotFoundError as problem:
            raise Raced(path) from problem
        if _sha_in(folder, removed) != expected:
            with contextlib.suppress(FileExistsError):
                rename_new(folder, removed, folder, name)
            raise Raced(path)
        os.unlink(removed, dir_fd=folder)


def _move(site: Site, source: str, target: str, sha: str, mark: str) -> None:
    with (
        site.ground.folder_of(source) as (from_folder, name),
        site.ground.folder_of(target, make=True) as (folder, new),
    ):
        try:
            rename_new(from_folder, name, folder, new)
        except (FileExistsError, FileNotFoundError) as problem:
            raise Raced(target if isinstance(problem, FileExistsError) else source) from problem
        except OSError as problem:
            if problem.errno != errno.EXDEV:
                raise
            _copy_over(site, (source, target), (from_folder, name, folder, new), sha, mark)
        else:
            if _sha_in(folder, new) != sha:
                with contextlib.suppress(FileExistsError):
                    rename_new(folder, new, from_folder, name)
                raise Raced(source)


def _copy_over(site: Site, paths: tuple[str, str], names: tuple[int, str, int, str], sha: str, mark: str) -> None:
    """Move between devices: copy, sync, take the name, sync that, remove the source. A crash leaves at least one of the two."""
    (source, target), (from_folder, name, folder, new) = paths, names
    part = site.temporary(target, "part")
    handle = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600, dir_fd=folder)
    try:
        try:
            if _copy(from_folder, name, source, handle) != sha:
                raise Raced(source)
            status = os.fstat(handle)
        finally:
            os.close(handle)
        site.note.copies[mark] = [status.st_dev, status.st_ino]
        site.undo.keep_note(site.note)
        rename_new(folder, part, folder, new)
    except FileExistsError as problem:
        _unlink(folder, part)
        raise Raced(target) from problem
    except BaseException:
        _unlink(folder, part)
        raise
    os.fsync(folder)
    try:
        _remove(site, source, sha)
    except Raced:
        _remove(site, target, sha)
        raise


def _copy(folder: int, name: str, path: str, into: int) -> str:
    """Copy bytes, permission bits and times of a file; the SHA-256 of what was copied."""
    handle = open_file(folder, name, path)
    try:
        sha, _ = hash_of(handle, lambda piece: write_all(into, piece))
        status = os.fstat(handle)
    finally:
        os.close(handle)
    os.fchmod(into, status.st_mode & 0o777)
    os.utime(into, ns=(status.st_atime_ns, status.st_mtime_ns))
    os.fsync(into)
    return sha


def _sha_in(folder: int, name: str) -> str | None:
    """SHA-256 of a regular file in an open folder; None where there is none."""
    try:
        handle = open_file(folder, name, name)
    except (FileNotFoundError, Blocked):
        return None
    try:
        return hash_of(handle)[0]
    finally:
        os.close(handle)


def _clear(folder: int, name: str, ours: set[str | None]) -> None:
    """Remove a temporary file, if it holds nothing but what is ours."""
    if _sha_in(folder, name) in ours - {None}:
        os.unlink(name, dir_fd=folder)


def _unlink(folder: int, name: str) -> None:
    with contextlib.suppress(FileNotFoundError):
        os.unlink(name, dir_fd=folder)
