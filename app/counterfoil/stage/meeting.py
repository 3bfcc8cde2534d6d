"""What a run has changed, held against the folder as it is now: what is there already is done, and what somebody else changed is theirs.

A run works on files as they were when they were copied. Where the folder has gone on since, the run's version was made of something that
is not there any more, so it is told and left out: nobody's change is covered up by an approval of something else.
"""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterator
from dataclasses import replace

from counterfoil.stage.changed import Change, Diff, Side, blocked_because
from counterfoil.stage.copying import facts
from counterfoil.stage.ladder import Ladder
from counterfoil.stage.manifest import Entry, Manifest

_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_CHUNK = 1024 * 1024
_THEIRS = "was changed in your folder since the run copied it, so the run's version is left out"
_NEW_TOO = "is in your folder by now, made by somebody else, so the run's version is left out"


def meet(diff: Diff, manifest: Manifest, workspace: str) -> Diff:
    """The changes that are still to be carried out, and those that must not be.

    Raises:
        OSError: the folder cannot be opened.
    """
    with Ladder(workspace) as ladder:
        place = _Place(ladder, manifest)
        return Diff(tuple(met for change in diff.changes for met in place.met(change)))


class _Place:
    def __init__(self, ladder: Ladder, manifest: Manifest) -> None:
        self._ladder = ladder
        self._entries = manifest.entries

    def met(self, change: Change) -> Iterator[Change]:
        """The change as it stands to the folder; nothing where it is done already."""
        if change.blocked:
            yield change
            return
        if change.what == "moved":
            yield from self._moved(change)
            return
        now = self._now(change.path)
        if _is_done(change.after, now):
            return
        if self._is_as_copied(change.path, change.before, now):
            yield change
        else:
            yield _theirs(change, change.path, _NEW_TOO if change.before is None else _THEIRS)

    def _moved(self, change: Change) -> Iterator[Change]:
        there, here = self._now(change.source), self._now(change.path)
        if there is None and _is_done(change.after, here):
            return
        if not self._is_as_copied(change.source, change.before, there):
            yield _theirs(change, change.source, _THEIRS)
        elif here is not None:
            yield _theirs(change, change.path, _NEW_TOO)
        else:
            yield change

    def _is_as_copied(self, path: str, before: Side | None, now: Side | None) -> bool:
        if before is None or now is None:
            return before is None and now is None
        if before.kind == "folder":
            return now.kind == "folder"
        return (before.kind, before.sha256, before.executable) == (now.kind, now.sha256, now.executable)

    def _now(self, path: str) -> Side | None:
        """What stands in the folder; its bytes are read only where it may not be what was copied."""
        folder, _, name = path.rpartition("/")
        try:
            handle = self._ladder.at(folder)
            status = os.stat(name, dir_fd=handle, follow_symlinks=False)
        except FileNotFoundError:
            return None
        except OSError:
            return Side("special")  # something in the way is no folder, or may not be entered
        if stat.S_ISDIR(status.st_mode):
            return Side("folder")
        if not stat.S_ISREG(status.st_mode):
            return Side("special")
        entry = self._entries.get(path)
        known = entry if entry is not None and entry.kind == "file" and _is_same(entry, status) else None
        sha = known.sha256 if known is not None else _sha_of(name, handle)
        return Side("file", sha, status.st_size, bool(status.st_mode & 0o111))


def _is_same(entry: Entry, status: os.stat_result) -> bool:
    return (entry.size, entry.mtime_ns, entry.ctime_ns, entry.inode) == facts(status)


def _sha_of(name: str, handle: int) -> str | None:
    try:
        opened = os.open(name, _FILE, dir_fd=handle)
    except OSError:
        return None
    try:
        digest = hashlib.sha256()
        while piece := os.read(opened, _CHUNK):
            digest.update(piece)
        return digest.hexdigest()
    finally:
        os.close(opened)


def _is_done(after: Side | None, now: Side | None) -> bool:
    """Whether the folder is already as the run wants it."""
    if after is None or now is None:
        return after is None and now is None
    if after.kind == "folder":
        return now.kind == "folder"
    return (after.kind, after.sha256, after.executable) == (now.kind, now.sha256, now.executable)


def _theirs(change: Change, path: str, reason: str) -> Change:
    return replace(change, blocked=blocked_because(path, reason))
