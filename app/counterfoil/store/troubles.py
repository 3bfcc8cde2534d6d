"""What SQLite complains about, as a sentence with the next step: a full disk, a lock, damage, missing rights.

Standard library only: quick looks use it before SQLAlchemy is there.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
import stat
from pathlib import Path

from counterfoil.errors import Damaged, DiskFull, StoreTrouble
from counterfoil.places import Home

_DOCTOR = "Run: counterfoil doctor"
_ELSEWHERE = "Choose another folder with --home DIR."


def is_full(problem: BaseException) -> bool:
    """Whether it says that the disk is full; SQLite has then rolled the transaction back by itself."""
    return _code(problem) == sqlite3.SQLITE_FULL


def is_busy(problem: BaseException) -> bool:
    """Whether it says that another connection has the database."""
    return _code(problem) == sqlite3.SQLITE_BUSY


def trouble_of(problem: BaseException, place: Path | None = None) -> StoreTrouble | None:
    """What is wrong with the user's world; None for a fault of this program (a constraint, a wrong statement). `place` is the folder of the
    data, so that a full disk can be told with its size."""
    text = str(problem)
    match _code(problem):
        case sqlite3.SQLITE_FULL:
            return disk_full(place)
        case sqlite3.SQLITE_BUSY | sqlite3.SQLITE_LOCKED:
            return StoreTrouble(
                "The database is locked by another program, so it could not be used. Nothing was changed.",
                "Try again. If it stays, close the other programs that use the data folder.",
            )
        case sqlite3.SQLITE_CORRUPT | sqlite3.SQLITE_NOTADB:
            return Damaged(
                f"The database is damaged ({text}). Nothing was changed.",
                "See what is wrong: counterfoil doctor. Then restore a backup of the data folder.",
            )
        case sqlite3.SQLITE_READONLY | sqlite3.SQLITE_PERM | sqlite3.SQLITE_CANTOPEN | sqlite3.SQLITE_AUTH:
            return StoreTrouble(
                f"This account may not use the database ({text}). Nothing was changed.",
                f"Give it the right to read and write the data folder. {_ELSEWHERE}",
            )
        case sqlite3.SQLITE_IOERR:
            return StoreTrouble(f"The disk could not be read or written ({text}). Nothing was changed.", _DOCTOR)
    if isinstance(problem, sqlite3.OperationalError):
        return StoreTrouble(f"The database could not be used: {text}.", _DOCTOR)
    return None


def disk_full(place: Path | None) -> DiskFull:
    """What a full disk means, with its size where the folder of the data is known."""
    return DiskFull(
        f"The disk is full{_room(place)}. Decisions cannot be kept, so none is accepted. Nothing is lost.",
        "Free some space, then decide again.",
    )


def refuse_unusable(home: Home) -> None:
    """Say what is wrong with a data folder before anything is tried in it; one that is not there yet is fine where it can be made.

    Raises:
        StoreTrouble: it is no folder, or this account may not use it or make it.
    """
    root = home.root
    try:
        kind = root.stat().st_mode
    except FileNotFoundError:
        place = next(folder for folder in root.parents if folder.exists())
        if not os.access(place, os.W_OK | os.X_OK):
            raise StoreTrouble(
                f"The data folder {root} cannot be made: this account may not write in {place}.", _ELSEWHERE
            ) from None
        return
    except NotADirectoryError as problem:
        raise StoreTrouble(f"The data folder {root} cannot be made: it would lie in a file.", _ELSEWHERE) from problem
    except OSError as problem:
        raise StoreTrouble(
            f"The data folder {root} cannot be looked at ({problem.strerror}). Nothing was changed.", _ELSEWHERE
        ) from problem
    if not stat.S_ISDIR(kind):
        raise StoreTrouble(f"{root} is no folder, so it cannot be the data folder. Nothing was changed.", _ELSEWHERE)
    if not os.access(root, os.R_OK | os.W_OK | os.X_OK):
        raise StoreTrouble(
            f"This account may not read and write in the data folder {root}. Nothing was changed.",
            f"Give it that right. {_ELSEWHERE}",
        )


def _room(place: Path | None) -> str:
    """` (0 MB of 256 GB free)`; nothing where it cannot be told."""
    if place is None:
        return ""
    try:
        room = shutil.disk_usage(place)
    except OSError:
        return ""
    total = f"{room.total / 1e9:,.0f} GB" if room.total >= 1e9 else f"{room.total / 1e6:,.0f} MB"
    return f" ({room.free // 1_000_000:,} MB of {total} free)"


def _code(problem: BaseException) -> int:
    """SQLite's primary result code; -1 where it says none."""
    return getattr(problem, "sqlite_errorcode", -1) & 0xFF
