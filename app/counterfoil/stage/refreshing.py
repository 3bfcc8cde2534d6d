"""A stage is made, and later brought up to date, by one walk: what the workspace holds otherwise than the manifest says is copied
again, what is gone is removed, and what the run itself has changed is left alone, with the base it was changed from.

A stage is whole once its manifest is written. A walk that was cut off is known by the folder `incoming`, and is made again.
"""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace

from counterfoil.clock import boot
from counterfoil.errors import DiskFull, Stopped
from counterfoil.policy.boundaries import visible
from counterfoil.stage.copying import Copier, Unreadable, Unsettled, entry_of, is_as_before
from counterfoil.stage.ladder import Ladder
from counterfoil.stage.leaving_out import Choices, Why
from counterfoil.stage.manifest import Entry, Layout, LeftOut, Manifest
from counterfoil.stage.survey import Seen, Survey, cannot_look, look, refuse_too_much, survey

TRIES = 5
PAUSE = 0.05  # seconds before what would not hold still is looked at again, times the try
FULL = frozenset({errno.ENOSPC, errno.EDQUOT})
_DENIED = frozenset({errno.EACCES, errno.EPERM})


class Refresh:
    """One bringing up to date of one stage.

    `ours` are the paths that the run has written or removed; true where all that lay beneath one is gone with it. `tell` hears how many of
    how many files are copied.
    """

    def __init__(
        self,
        workspace: str,
        layout: Layout,
        choices: Choices,
        ours: Mapping[str, bool] | None = None,
        *,
        tell: Callable[[int, int], None] | None = None,
        stop: Callable[[], bool] = lambda: False,
    ) -> None:
        self._workspace = workspace
        self._layout = layout
        self._choices = choices
        self._ours = dict(ours or {})
        self._holding = {
            above for path in self._ours for above in above_of(path)
        }  # folders with something of the run's own in them
        self._tell = tell
        self._stop = stop
        self._copier = Copier()
        self._entries: dict[str, Entry] = {}
        self._left_out: dict[str, Why] = {}
        self._unsettled: set[str] = set()
        self._fresh = True
        self._acted = False  # whether the tree or what is known of it was touched

    def run(self, before: Manifest | None, now_us: int) -> Manifest:
        """Bring the tree up to date; the manifest, which is written unless only its time is another. `before` is None for a stage that is
        to be made.

        Raises:
            WrongWorkspace: the workspace cannot be read, or holds too much (TooMuch).
            DiskFull: there is no room for the copy.
            Stopped: `stop` said so; what is there is no stage, or is to be brought up to date again.
        """
        self._fresh = before is None
        self._entries = dict(before.entries) if before else {}
        with self._nothing_half(), self._room():
            self._prepare()
            found = self._once()
            for number in range(1, TRIES):
                if not self._unsettled:
                    break
                time.sleep(PAUSE * number)
                found = self._once()
            made = self._manifest(found, now_us)
            if before is None or self._acted or (made.left_out, made.boot) != (before.left_out, before.boot):
                self._keep(made)
        return made

    def take_over(self, before: Manifest, paths: Iterable[str]) -> Manifest:
        """Approved effects have changed these paths of the workspace: the tree has them as well from now on, and so has the base. Where the
        run has gone on from what was approved, only the base has.

        Raises:
            WrongWorkspace, DiskFull: as `run`.
        """
        self._fresh = False
        self._entries = dict(before.entries)
        with self._room():
            self._layout.incoming.mkdir(mode=0o700, exist_ok=True)
            with Ladder(self._workspace) as source, Ladder(self._layout.tree, make=True) as target:
                for path in sorted({*paths, *(above for one in paths for above in above_of(one))}):
                    self._take_over(source, target, path)
            made = replace(before, entries=self._entries)
            self._keep(made)
        return made

    def _take_over(self, source: Ladder, target: Ladder, path: str) -> None:
        seen = look(source, path)
        entry = self._entries.get(path)
        if seen is not None and self._choices.why_not(path, is_folder=seen.kind == "folder") is not None:
            return
        if seen is not None and entry is not None and is_as_before(entry, seen):
            return
        if seen is None and path not in self._ours:
            self._remove(target, path)
        elif seen is None:
            self._entries.pop(path, None)
        elif path not in self._ours or seen.kind == "folder":
            self._take(source, target, seen)
        else:
            self._take_base(source, seen)

    def _take_base(self, source: Ladder, seen: Seen) -> None:
        """The run has gone on from what was approved: only the base is taken."""
        self._layout.incoming.mkdir(mode=0o700, exist_ok=True)
        with Ladder(self._layout.incoming) as incoming, contextlib.suppress(Unsettled, Unreadable):
            between = incoming.at("")
            self._entries[seen.path] = self._copier.copy(seen, source.at(seen.path.rpartition("/")[0]), between, "2")
            os.unlink("2", dir_fd=between)

    @contextlib.contextmanager
    def _nothing_half(self) -> Iterator[None]:
        """A stage that could not be made takes no room: the disk may be full of it."""
        try:
            yield
        except BaseException:
            if self._fresh:
                remove_whole(self._layout)
            raise

    @contextlib.contextmanager
    def _room(self) -> Iterator[None]:
        """A disk that is full, and a workspace that is not there, have words of their own."""
        try:
            yield
        except OSError as problem:
            if problem.errno in FULL:
                raise DiskFull(
                    f"There is no room for a copy of {visible(self._workspace)}: {(problem.strerror or str(problem)).lower()}.",
                    "Make room where the data folder lies.",
                ) from problem
            raise

    def _keep(self, made: Manifest) -> None:
        keep_manifest(self._layout, made)
        if self._layout.incoming.exists():
            shutil.rmtree(self._layout.incoming)

    def _prepare(self) -> None:
        layout = self._layout
        if self._fresh:
            if layout.root.exists():
                remove_whole(layout)
            layout.root.mkdir(mode=0o700, parents=True)
            layout.tree.mkdir(mode=0o700)
        elif layout.incoming.exists():
            self._acted = True  # an earlier walk was cut off
            shutil.rmtree(layout.incoming)

    def _once(self) -> Survey:
        """One walk: what is not as the entries say is copied or removed, and the entries say so then."""
        found = survey(self._workspace, self._choices, stop=self._stop)
        refuse_too_much(found, self._workspace)
        self._left_out = {one.path: one.why for one in found.left_out}
        self._unsettled = set()
        todo = [seen for path, seen in found.seen.items() if self._is_other(path, seen)]
        gone = [path for path in self._entries if path not in found.seen and not self._is_ours(path)]
        if not todo and not gone:
            return found
        self._acted = True
        if not self._fresh:
            self._layout.incoming.mkdir(mode=0o700, exist_ok=True)
        with Ladder(self._workspace) as source, Ladder(self._layout.tree, make=True) as target:
            for path in reversed(gone):
                self._remove(target, path)
            done, files = 0, sum(seen.kind != "folder" for seen in todo)
            for seen in todo:
                if self._stop():
                    raise Stopped
                self._take(source, target, seen)
                done += seen.kind != "folder"
                if self._tell is not None:
                    self._tell(done, files)
        return found

    def _is_other(self, path: str, seen: Seen) -> bool:
        entry = self._entries.get(path)
        if entry is not None and is_as_before(entry, seen):
            return False
        return not self._is_ours(path) and not (path in self._holding and seen.kind != "folder")

    def _is_ours(self, path: str) -> bool:
        """Whether the run has changed this path, or has taken away a folder above it."""
        return bool(self._ours) and (path in self._ours or any(self._ours.get(above) for above in above_of(path)))

    def _take(self, source: Ladder, target: Ladder, seen: Seen) -> None:
        """Copy one entry; one that would not hold still is noted for another try."""
        try:
            self._entries[seen.path] = self._copied(source, target, seen)
        except Unsettled:
            self._unsettled.add(seen.path)
        except Unreadable as unreadable:
            if unreadable.problem.errno not in _DENIED:
                raise cannot_look(f"{self._workspace}/{seen.path}", unreadable.problem) from unreadable
            self._left_out[seen.path] = "unreadable"
            self._remove(target, seen.path)

    def _copied(self, source: Ladder, target: Ladder, seen: Seen) -> Entry:
        folder, _, name = seen.path.rpartition("/")
        before = self._entries.get(seen.path)
        if before is not None and before.kind != seen.kind:
            self._remove(target, seen.path)
        if seen.kind == "folder":
            os.fchmod(target.at(seen.path), 0o700 | (seen.status.st_mode & 0o777))
            return entry_of(seen.path, "folder", seen.status)
        try:
            outside = source.at(folder)
        except OSError as problem:
            raise Unsettled(seen.path) from problem
        inside = target.at(folder)
        if self._fresh and before is None:
            return self._copier.copy(seen, outside, inside, name)
        return self._by_way_of_incoming(seen, outside, inside, name)

    def _by_way_of_incoming(self, seen: Seen, outside: int, inside: int, name: str) -> Entry:
        """A step may be reading what is replaced, so it is replaced whole."""
        self._layout.incoming.mkdir(mode=0o700, exist_ok=True)
        with Ladder(self._layout.incoming) as incoming:
            between = incoming.at("")
            entry = self._copier.copy(seen, outside, between, "1")
            os.rename("1", name, src_dir_fd=between, dst_dir_fd=inside)
            made = os.stat(name, dir_fd=inside, follow_symlinks=False)
        return replace(entry, copy_ctime_ns=made.st_ctime_ns) if entry.kind == "file" else entry

    def _remove(self, target: Ladder, path: str) -> None:
        """Take an entry out of the tree; a folder only if nothing of the run's own is in it."""
        self._entries.pop(path, None)
        folder, _, name = path.rpartition("/")
        with contextlib.suppress(FileNotFoundError):
            remove_entry(target.at(folder), name)

    def _manifest(self, found: Survey, now_us: int) -> Manifest:
        """The manifest of what was taken. What never held still is told, unless an earlier copy of it stands."""
        for path in self._unsettled:
            if path not in self._entries and path in found.seen:
                self._left_out[path] = "changing"
        left_out = tuple(LeftOut(path, why) for path, why in sorted(self._left_out.items()))
        return Manifest(found.root.st_dev, found.root.st_ino, now_us, self._entries, left_out, boot())


def above_of(path: str) -> Iterator[str]:
    """The folders above a path, innermost first."""
    while path := path.rpartition("/")[0]:
        yield path


def remove_entry(folder: int, name: str) -> None:
    """Remove a file, a link, or a folder that is empty; a folder that is not stays.

    Raises:
        FileNotFoundError: there is nothing of that name.
    """
    try:
        os.unlink(name, dir_fd=folder)
    except (IsADirectoryError, PermissionError):
        with contextlib.suppress(OSError):
            os.rmdir(name, dir_fd=folder)


def keep_manifest(layout: Layout, made: Manifest) -> None:
    """Write the manifest, whole or not at all."""
    fresh = layout.base.with_suffix(".new")
    fresh.write_text(made.to_json(), encoding="utf-8")
    fresh.replace(layout.base)


def remove_whole(layout: Layout) -> None:
    """Remove a stage; nothing to do where there is none."""
    shutil.rmtree(layout.root, ignore_errors=True)
