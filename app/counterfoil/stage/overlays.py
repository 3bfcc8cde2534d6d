"""What a try of a step has left in its overlay, read as the work of a stranger: names are checked, links are not followed, sizes are looked
at before any byte is read, and the bytes are kept as blobs before anybody relies on them."""

from __future__ import annotations

import json
import os
import shutil
import stat
from pathlib import Path
from typing import Any

from counterfoil.authoring.overlay import CHANGES, names_too_long
from counterfoil.engine.stage_ports import TooMuchWritten, Unfitting
from counterfoil.policy.boundaries import visible
from counterfoil.stage.ladder import FOLDER
from counterfoil.stage.leaving_out import why_left_out
from counterfoil.stage.survey import MOST_BYTES, MOST_FILES
from counterfoil.store.blobs import Blobs
from counterfoil.store.stage_rows import StagedChange

LARGEST = 512 * 1024 * 1024  # bytes of one file
_LONGEST_LIST = 64 * 1024 * 1024  # bytes of the list of changes
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


def collect(overlays: Path, token: str, blobs: Blobs) -> list[StagedChange]:
    """What a try has changed: what is gone, then folders, then files, each by path.

    Raises:
        Unfitting: no honest step leaves that.
        TooMuchWritten: it is more than a stage may hold.
    """
    try:
        handle = os.open(overlays / token, FOLDER)
    except OSError as problem:
        raise Unfitting("there is no such folder") from problem
    try:
        plain = _listed(handle)
        gone, folders = (_paths(plain.get(part)) for part in ("gone", "folders"))
        files = [_file(one) for one in _list(plain.get("files"))]
        _check_shape(gone, folders, [path for path, _, _ in files])
        changes = [StagedChange(path, "gone") for path in gone] + [StagedChange(path, "folder") for path in folders]
        return changes + _kept(handle, files, blobs)
    finally:
        os.close(handle)


def discard(overlays: Path, token: str) -> None:
    """Drop what a try has left; nothing to do where nothing is."""
    shutil.rmtree(overlays / token, ignore_errors=True)


def _listed(handle: int) -> dict[str, Any]:
    try:
        with os.fdopen(_open(handle, CHANGES), "rb") as source:
            data = source.read(_LONGEST_LIST + 1)
        plain = json.loads(data)
    except (ValueError, RecursionError) as problem:
        raise Unfitting(f"its list of changes cannot be read: {problem}") from problem
    if len(data) > _LONGEST_LIST or not isinstance(plain, dict):
        raise Unfitting("its list of changes is no list")
    return plain


def _open(handle: int, name: str) -> int:
    """An open regular file of the overlay."""
    try:
        opened = os.open(name, _FILE, dir_fd=handle)
    except OSError as problem:
        raise Unfitting(f"{name} cannot be opened: {problem.strerror}") from problem
    if not stat.S_ISREG(os.fstat(opened).st_mode):
        os.close(opened)
        raise Unfitting(f"{name} is no file")
    return opened


def _list(found: Any) -> list[Any]:
    if not isinstance(found, list):
        raise Unfitting("a part of its list of changes is no list")
    if len(found) > MOST_FILES:
        raise TooMuchWritten(
            f"The step has changed {len(found):,} files; at most {MOST_FILES:,} can be changed at a time."
        )
    return found


def _paths(found: Any) -> list[str]:
    return [_path(one) for one in _list(found)]


def _path(found: Any) -> str:
    if not isinstance(found, str) or not found or "\x00" in found:
        raise Unfitting("a path that is no path")
    names = found.split("/")
    try:
        too_long = names_too_long(found)
    except UnicodeEncodeError as problem:
        raise Unfitting("a path that no file system takes") from problem
    if too_long or any(name in ("", ".", "..") for name in names):
        raise Unfitting("a path that is not in its one spelling")
    if any(why_left_out(name, is_folder=False) == "ours" for name in names):
        raise TooMuchWritten(
            f"“{visible(found)}” belongs to Counterfoil itself; let the step write under another name."
        )
    return found


def _file(found: Any) -> tuple[str, int, int]:
    match found:
        case [path, int(number), int(mode)] if not isinstance(number, bool) and number > 0:
            return _path(path), number, mode & 0o777
    raise Unfitting("a file that is none")


def _check_shape(gone: list[str], folders: list[str], files: list[str]) -> None:
    """Nothing twice, and nothing beneath a file."""
    made = [*folders, *files]
    if len(set(made)) != len(made) or len(set(gone)) != len(gone):
        raise Unfitting("a path twice")
    whole = set(files)
    for path in made:
        above = path
        while above := above.rpartition("/")[0]:
            if above in whole:
                raise Unfitting("a path beneath a file")


def _kept(handle: int, files: list[tuple[str, int, int]], blobs: Blobs) -> list[StagedChange]:
    changes: list[StagedChange] = []
    left = MOST_BYTES
    for path, number, mode in files:
        opened = _open(handle, str(number))
        try:
            size = os.fstat(opened).st_size
            if size > LARGEST:
                raise TooMuchWritten(
                    f"“{visible(path)}” is {size / 1e9:,.1f} GB; a step may write files of up to {LARGEST // 2**20} MB."
                )
            left -= size
            if left < 0:
                raise TooMuchWritten(f"The step has written more than {MOST_BYTES // 2**30} GB.")
            sha, length = blobs.put_file(opened, size)
        except ValueError as problem:
            raise Unfitting("a file that grew while it was read") from problem
        finally:
            os.close(opened)
        changes.append(StagedChange(path, "file", sha, length, mode))
    return changes
