"""Recorded changes brought into the tree of a stage, file by file, by renaming. Rows and blobs say what; doing it again changes nothing."""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Iterable

from counterfoil.engine import killpoints
from counterfoil.stage.copying import clone
from counterfoil.stage.ladder import Ladder
from counterfoil.stage.manifest import Layout
from counterfoil.store.blobs import Blobs
from counterfoil.store.stage_rows import StagedChange

_WRITE = os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC
_BETWEEN = "1"


def merge(layout: Layout, changes: Iterable[StagedChange], blobs: Blobs) -> None:
    """Make the tree hold these changes, in their order.

    Raises:
        Damaged: the bytes of one are gone.
        OSError: there is no room.
    """
    layout.merging.mkdir(mode=0o700, exist_ok=True)
    with Ladder(layout.tree, make=True) as tree, Ladder(layout.merging) as between:
        for change in changes:
            above, _, name = change.file.rpartition("/")
            if change.kind == "gone":
                _remove(tree, above, name)
            elif change.kind == "folder":
                tree.at(change.file)
            else:
                _place(change, between.at(""), tree.at(above), name, blobs)
            killpoints.reach("after_each_file")
    shutil.rmtree(layout.merging)


def _remove(tree: Ladder, above: str, name: str) -> None:
    try:
        handle = tree.find(above)
    except (FileNotFoundError, NotADirectoryError):
        return
    remove_whole(handle, name)
    tree.forget()  # a folder beneath it may have been open


def remove_whole(folder: int, name: str) -> None:
    """Remove whatever has a name in an open folder, and all beneath it; nothing to do where nothing has it."""
    try:
        os.unlink(name, dir_fd=folder)
    except FileNotFoundError:
        return
    except (IsADirectoryError, PermissionError):
        shutil.rmtree(name, dir_fd=folder)


def _place(change: StagedChange, between: int, folder: int, name: str, blobs: Blobs) -> None:
    if change.sha is None:
        return
    source = blobs.open(change.sha)
    try:
        target = os.open(_BETWEEN, _WRITE, 0o600, dir_fd=between)
        try:
            _fill(source, target)
            os.fchmod(target, change.mode | 0o400)
        finally:
            os.close(target)
    finally:
        os.close(source)
    os.rename(_BETWEEN, name, src_dir_fd=between, dst_dir_fd=folder)


def _fill(source: int, target: int) -> None:
    with contextlib.suppress(OSError):
        clone(source, target)
        return
    with os.fdopen(os.dup(source), "rb") as reading, os.fdopen(os.dup(target), "wb") as writing:
        shutil.copyfileobj(reading, writing, 1024 * 1024)
