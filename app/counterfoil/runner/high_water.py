"""How far the trail of a home had come, kept beside its database: the number of an entry and its hash.

A database in which that entry is not to be found is an earlier one that somebody has put in its place, or has lost what was written to it.
The mark is written after a commit that has waited for the disk, so neither a kill nor a power cut leaves the database behind it. Each mark
is a file of another name, so that an earlier data folder that is copied over this one does not take the mark back as well.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path

from counterfoil.places import Home
from counterfoil.store import trail_rows
from counterfoil.store.blobs import sync_folder
from counterfoil.store.transactions import Connection

_NAME = re.compile(r"trail-(\d{1,18})")
_TEXT = re.compile(rb"([0-9a-f]{64}) (\d{1,18})\n")


@dataclass(frozen=True, slots=True)
class Mark:
    """An entry of the trail: its number, its hash, when it was made (microseconds)."""

    seq: int
    hash: str
    at: int


def reached(conn: Connection) -> Mark | None:
    """How far a database has come; None before its first entry."""
    newest = trail_rows.newest(conn)
    return None if newest is None else Mark(newest["seq"], newest["hash"], newest["at"])


def fallen_behind(conn: Connection, home: Home) -> Mark | None:
    """The mark of a home if its database has not come to it; None where all is well, or nothing is known."""
    marks = [mark for path in home.run.glob("trail-*") if (mark := _read(path)) is not None]
    newest = max(marks, key=lambda mark: mark.seq, default=None)
    return None if newest is None or trail_rows.has(conn, newest.seq, newest.hash) else newest


def keep(home: Home, mark: Mark | None) -> None:
    """Let this be the only mark of a home; None: a trail without entries has none. Everything up to it is on the disk already.

    Raises:
        OSError: it cannot be written; those before it stay.
    """
    name = f"trail-{mark.seq}" if mark is not None else ""
    if mark is not None:
        with (home.run / name).open("wb") as out:
            out.write(f"{mark.hash} {mark.at}\n".encode("ascii"))
            out.flush()
            os.fsync(out.fileno())
        sync_folder(home.run)
    for other in home.run.glob("trail-*"):
        if other.name != name:
            other.unlink(missing_ok=True)


def _read(path: Path) -> Mark | None:
    """One that was torn when it was written says nothing; the one before it is still there."""
    name = _NAME.fullmatch(path.name)
    try:
        text = _TEXT.fullmatch(path.read_bytes())
    except OSError:
        return None
    return Mark(int(name[1]), text[1].decode("ascii"), int(text[2])) if name and text else None
