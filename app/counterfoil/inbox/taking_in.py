"""A file of this computer that a person gives in place of one that a failed step had read: looked at and kept before the decision names it.

Its name and its bytes are a stranger's: it is opened without following a link or waiting for a pipe, and only its bytes go on from here.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Sequence
from pathlib import Path, PurePosixPath
from typing import Any

from counterfoil.errors import WrongAnswer
from counterfoil.policy.boundaries import visible
from counterfoil.store.blobs import Blobs

LARGEST = 50 * 1024 * 1024  # bytes, as much as the door of a step reads at once
_OPEN = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_CHOOSE = "Choose another file."


def taken_in(blobs: Blobs, offered: Sequence[str], text: str) -> dict[str, Any]:
    """Keep the bytes of the file that an answer names, as `PLACE` or `FILE=PLACE` with one of the `offered` files of the run.

    What the decision says of it: `in_place_of` (the path in the run's copy), `name`, `sha256`, `size`.

    Raises:
        WrongAnswer: it cannot take that place; nothing was changed.
    """
    replaced, place = _parts(offered, text)
    named = place.name or str(place)
    sha, size = _kept(blobs, place, named, replaced)
    return {"in_place_of": replaced, "name": visible(named), "sha256": sha, "size": size}


def _parts(offered: Sequence[str], text: str) -> tuple[str, Path]:
    """Which file is replaced, and where the other one lies."""
    if not offered:
        raise WrongAnswer(
            "This question takes no file: it is not known that the step has read one.",
            "Leave file away, or answer skip.",
        )
    named = sorted((file for file in offered if text.startswith(f"{file}=")), key=len)
    if named:
        return named[-1], _place(text[len(named[-1]) + 1 :])
    if len(offered) == 1:
        return offered[0], _place(text)
    known = ", ".join(visible(file) for file in offered)
    raise WrongAnswer(
        f"The step has read {len(offered)} files, so say which one is replaced: {known}.",
        f"Write file={visible(offered[0])}=PLACE.",
    )


def _place(text: str) -> Path:
    if not text.strip() or "\0" in text:
        raise WrongAnswer("No file is named.", "Write file=PLACE.")
    return Path(text).expanduser()


def _kept(blobs: Blobs, place: Path, named: str, replaced: str) -> tuple[str, int]:
    """SHA-256 and length of a file whose bytes are kept now."""
    try:
        opened = os.open(place, _OPEN)
    except OSError as problem:
        raise _refused(named, _why_closed(problem)) from problem
    try:
        before = os.fstat(opened)
        _refuse_odd(named, before)
        _refuse_other_kind(named, replaced)
        kept = blobs.put_file(opened, LARGEST)
        after = os.fstat(opened)
    except ValueError as problem:
        raise _refused(named, _TOO_MUCH) from problem
    except OSError as problem:
        raise _refused(named, f"cannot be read or kept: {(problem.strerror or str(problem)).lower()}") from problem
    finally:
        os.close(opened)
    if kept[1] != after.st_size or before.st_mtime_ns != after.st_mtime_ns:
        raise _refused(named, "changed while it was read; try again when nobody is saving it")
    return kept


_TOO_MUCH = f"holds more than {LARGEST // 2**20} MB"


def _refuse_odd(named: str, status: os.stat_result) -> None:
    if stat.S_ISDIR(status.st_mode):
        raise _refused(named, "is a folder")
    if not stat.S_ISREG(status.st_mode):
        raise _refused(named, "is no regular file")
    if status.st_size == 0:
        raise _refused(named, "is empty")
    if status.st_size > LARGEST:
        raise _refused(named, _TOO_MUCH)


def _refuse_other_kind(named: str, replaced: str) -> None:
    """A step that reads tables cannot read a picture: what takes a place has the ending of what it replaces."""
    wanted, has = (PurePosixPath(name).suffix.lower() for name in (replaced, named))
    if wanted != has:
        kinds = [f"a {visible(kind)} file" if kind else "a file without an ending" for kind in (wanted, has)]
        raise WrongAnswer(
            f"“{visible(named)}” cannot take the place of {visible(replaced)}: the step reads {kinds[0]}, and this is {kinds[1]}. "
            "Nothing was changed.",
            _CHOOSE,
        )


def _why_closed(problem: OSError) -> str:
    match problem.errno:
        case errno.ELOOP:
            return "is a link, and links are not followed"
        case errno.ENOENT | errno.ENOTDIR:
            return "is not there"
        case errno.EACCES | errno.EPERM:
            return "may not be read by this account"
        case _:
            return f"cannot be opened: {(problem.strerror or str(problem)).lower()}"


def _refused(named: str, why: str) -> WrongAnswer:
    return WrongAnswer(f"“{visible(named)}” {why}. Nothing was changed.", _CHOOSE)
