"""Where the files that an approved set displaced are kept, and under which names: said once for who puts them there and who shows them."""

from __future__ import annotations

import contextlib
import hashlib
import json
from collections.abc import Iterable, Sequence
from pathlib import Path

from counterfoil.places import Home
from counterfoil.store import file_ops
from counterfoil.store.transactions import Connection, Row

IN_WORKSPACE = ".counterfoil/undo"  # in a workspace on another file system than the home, where renaming into the home is not possible


def set_of(plain: Sequence[object]) -> str:
    """What names a set: the digest of all that it does, given as plain JSON."""
    return hashlib.sha256(json.dumps(plain, separators=(",", ":")).encode()).hexdigest()


def slot_of(set_id: str, path: str) -> str:
    """The name under which a set keeps what lay at a path."""
    return hashlib.sha256(f"{set_id}:{path}".encode("utf-8", "surrogateescape")).hexdigest()[:40]


def plain_of(row: Row) -> list[object]:
    """What a row of the journal does, as it counts for the name of its set."""
    path, target = file_ops.places(row)
    return [row["n"], row["op"], path, target, row["before"], row["after"], row["executable"]]


def original_of(conn: Connection, home: Home, gate_id: str, path: str) -> Path | None:
    """Where the file lies that a gate's set displaced at a path; None where it is not kept."""
    rows = file_ops.of_gate(conn, gate_id)
    if not rows:
        return None
    slot = slot_of(set_of([plain_of(row) for row in rows]), path)
    kept = (folder / slot for folder in store_places(home, rows[0]["workspace"], gate_id))
    return next((file for file in kept if file.is_file() and not file.is_symlink()), None)


def store_places(home: Home, workspace: str, store: str) -> tuple[Path, Path]:
    """The two folders of which one may hold what a set displaced; a store is named by its gate, or by the wish that undid it."""
    return home.undo / store, Path(workspace) / IN_WORKSPACE / store


def undo_places(conn: Connection, home: Home) -> list[Path]:
    """Where originals lie: in the data folder or, where that is another drive, in the workspaces."""
    return [home.undo, *(Path(place, IN_WORKSPACE) for place in file_ops.workspaces(conn))]


def size_of(folders: Iterable[Path]) -> int:
    """Bytes of everything that is kept in these folders."""
    total = 0
    for folder in folders:
        with contextlib.suppress(OSError):
            total += sum(file.lstat().st_size for file in folder.rglob("*") if not file.is_dir())
    return total
