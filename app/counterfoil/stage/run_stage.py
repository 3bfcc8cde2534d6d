"""One run's stage as the engine uses it: made, put right after a crash, brought up to date, told of what steps and effects have written.

What a step has written is in rows and blobs before it is in the tree, so the tree can always be made good: after a kill from the row it had
come to, after a power cut by looking through it.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from counterfoil.authoring.overlay import NOT_COPIED
from counterfoil.clock import Clock, boot
from counterfoil.engine.stage_ports import Sight
from counterfoil.errors import Damaged, DiskFull
from counterfoil.places import Home
from counterfoil.policy.boundaries import trouble_with
from counterfoil.stage import overlays
from counterfoil.stage.grounds import refuse
from counterfoil.stage.leaving_out import Choices, Why, choices_of
from counterfoil.stage.manifest import Manifest, layout_of, lend, take_back
from counterfoil.stage.merging import merge, remove_whole
from counterfoil.stage.refreshing import FULL, Refresh, above_of
from counterfoil.store.blobs import Blobs
from counterfoil.store.stage_rows import KeptChange, StagedChange


class RunStage:
    """The stage of a run that is held."""

    def __init__(self, home: Home, blobs: Blobs, clock: Clock, run_id: str, workspace: str) -> None:
        self._home = home
        self._blobs = blobs
        self._clock = clock
        self._workspace = workspace
        self._layout = layout_of(home, run_id)
        self._manifest = Manifest(0, 0, 0)

    @property
    def root(self) -> str:
        """The folder that steps read."""
        return str(self._layout.tree)

    @property
    def overlays(self) -> str:
        """The folder in which the tries of steps write."""
        return str(self._layout.overlays)

    @property
    def sight(self) -> Sight:
        """When the files were taken, and what of the workspace is among them."""
        entries = self._manifest.entries.values()
        return Sight(
            taken_us=self._manifest.taken_us,
            files=sum(entry.kind != "folder" for entry in entries),
            octets=sum(entry.size for entry in entries),
            left_out=self._not_copied(),
        )

    def _not_copied(self) -> list[tuple[str, Why]]:
        return [(one.path, one.why) for one in self._manifest.left_out if one.why != "ours"]

    # ---------------------------------------------------------------------------------------------------- laying it out

    def lay_out(
        self,
        kept: Sequence[KeptChange],
        taken_us: int | None,
        since_us: int | None,
        tell: Callable[[int, int], None],
        stop: Callable[[], bool],
    ) -> None:
        """Make it, or put it right; brought up to date where it was taken before `since_us`. `taken_us` is when it was last found to be
        up to date, where that was noted.

        Raises:
            WrongWorkspace, DiskFull, Stopped: nothing is half made.
        """
        before = self._standing()
        if before is not None and taken_us is not None:
            before = replace(before, taken_us=max(before.taken_us, taken_us))
        if before is not None and before.boot and before.boot != boot():
            before, since_us = self._looked_through(before, kept), before.taken_us
        if before is None or (since_us is not None and before.taken_us <= since_us) or self._layout.incoming.exists():
            root = Path(self._workspace)
            if root.is_dir() and not self._home.real.is_relative_to(root):  # of those, our own data are left out
                refuse(root, self._home)
            self._manifest = self._refresh(kept, tell, stop).run(before, self._clock.now_us())
        else:
            self._manifest = before
        if before is not None:
            shutil.rmtree(self._layout.overlays, ignore_errors=True)  # of tries that nobody will hear of any more
        self._layout.overlays.mkdir(mode=0o700)
        if self._not_copied():
            self._say_what_is_not_copied()
        self.merge(kept)

    def _standing(self) -> Manifest | None:
        """The manifest of the stage that is there; None where there is none that could be used."""
        if not self._layout.root.exists():
            return None
        self._layout = take_back(self._layout)
        try:
            return self._layout.manifest()
        except (FileNotFoundError, Damaged):
            return None

    def _looked_through(self, before: Manifest, kept: Sequence[KeptChange]) -> Manifest:
        """After a power cut: what of the tree is not what it must be is taken out of the manifest, so that it is copied again."""
        ours = {one.change.file for one in kept}
        good = {
            path: entry
            for path, entry in before.entries.items()
            if entry.kind != "file" or path in ours or _sha(self._layout.tree / path) == entry.sha256
        }
        self._layout.merged.unlink(missing_ok=True)
        self._remove_strangers({*before.entries, *ours})
        return replace(before, entries=good)

    def _remove_strangers(self, known: set[str]) -> None:
        """What lies in the tree and nobody put there: renames that a power cut has undone by half."""
        folders = {above for path in known for above in above_of(path)}
        for folder, below, files in os.walk(self._layout.tree):
            place = Path(folder).relative_to(self._layout.tree)
            for name in [*below, *files]:
                path = (place / name).as_posix()
                if path not in known and path not in folders:
                    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
                    remove_whole(handle, name)
                    os.close(handle)

    def _refresh(
        self,
        kept: Sequence[KeptChange],
        tell: Callable[[int, int], None] | None = None,
        stop: Callable[[], bool] = lambda: False,
    ) -> Refresh:
        return Refresh(self._workspace, self._layout, self._choices(), _ours(kept), tell=tell, stop=stop)

    def _choices(self) -> Choices:
        return choices_of(Path(self._workspace), self._home)

    def replaceable(self, paths: Sequence[str]) -> list[str]:
        """Those of some paths at which a person may put another file: a file that was copied, or nothing where one could lie."""
        choices = self._choices()
        return [path for path in paths if self._is_replaceable(path, choices)]

    def _is_replaceable(self, path: str, choices: Choices) -> bool:
        entries = self._manifest.entries
        if path in entries:
            return entries[path].kind == "file"
        if trouble_with(path) is not None or any(one.path == path for one in self._manifest.left_out):
            return False
        above = path.rpartition("/")[0]
        there = not above or (above in entries and entries[above].kind == "folder")
        return there and choices.why_not(path, is_folder=False) is None

    def refresh(self, kept: Sequence[KeptChange]) -> None:
        """Take over what has changed in the workspace and was not changed by the run."""
        before = self._manifest
        self._manifest = self._refresh(kept).run(before, self._clock.now_us())
        if self._manifest.left_out != before.left_out:
            self._say_what_is_not_copied()

    def lend(self, slot: Path) -> None:
        """Put the files where an isolated host sees them; its steps write in the slot from now on."""
        self._layout = lend(self._layout, slot)
        self._say_what_is_not_copied()

    def _say_what_is_not_copied(self) -> None:
        """Tell steps, beside what they write. Whatever a host may have put there under that name is replaced, not followed."""
        fresh = self._layout.root / NOT_COPIED
        fresh.write_text(json.dumps(self._not_copied()), encoding="ascii")
        with contextlib.suppress(IsADirectoryError):  # of a host that wants to know nothing
            fresh.replace(self._layout.overlays / NOT_COPIED)

    def take_back(self) -> None:
        """The host is gone: the files come back."""
        self._layout = take_back(self._layout)

    # ------------------------------------------------------------------------------------------------ what was written

    def collect(self, token: str) -> list[StagedChange]:
        """What a try has written, its bytes kept as blobs."""
        with _room():
            return overlays.collect(self._layout.overlays, token, self._blobs)

    def discard(self, token: str) -> None:
        """Drop what a try has written."""
        overlays.discard(self._layout.overlays, token)

    def merge(self, kept: Sequence[KeptChange]) -> None:
        """Bring recorded changes into the tree, from where it had come to."""
        if not kept:
            return
        had = int(_text(self._layout.merged) or 0)
        new = [one for one in kept if one.row > had]
        if not new:
            return
        with _room():
            merge(self._layout, (one.change for one in new), self._blobs)
            self._layout.merged.write_text(str(new[-1].row), encoding="ascii")

    def take_over(self, written: Mapping[str, str | None], kept: Sequence[KeptChange]) -> list[int]:
        """Approved effects have brought these paths to these digests; the rows of changes that are thereby in the workspace."""
        newest = {one.change.file: one for one in kept}
        ahead = {
            path
            for path, sha in written.items()
            if path in newest and not newest[path].given and newest[path].change.sha != sha
        }
        refresh = Refresh(self._workspace, self._layout, self._choices(), dict.fromkeys(ahead, True))
        self._manifest = refresh.take_over(self._manifest, written)
        return [one.row for one in kept if one.change.file in written and one.change.file not in ahead]


@contextlib.contextmanager
def _room() -> Iterator[None]:
    try:
        yield
    except OSError as problem:
        if problem.errno in FULL:
            raise DiskFull(
                f"What a step has written cannot be kept: {(problem.strerror or str(problem)).lower()}.",
                "Make room where the data folder lies.",
            ) from problem
        raise


def _ours(kept: Sequence[KeptChange]) -> dict[str, bool]:
    """The paths that a run has changed; true where nothing of what lay beneath one is left."""
    return {one.change.file: one.change.kind != "folder" for one in kept}


def _text(file: Path) -> str:
    try:
        return file.read_text(encoding="ascii")
    except OSError:
        return ""


def _sha(file: Path) -> str:
    """The digest of a file of the tree; "" where there is none."""
    try:
        with file.open("rb") as source:
            return hashlib.file_digest(source, "sha256").hexdigest()
    except OSError:
        return ""
