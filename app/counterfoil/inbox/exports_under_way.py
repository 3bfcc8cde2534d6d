"""Exports of evidence that are under way, noted before their first byte: what a kill leaves behind is found, told and cleared away.

The order is an auditor's: the entry in the trail is committed before the pack takes its name, so no pack stands under a name without its
entry. Where it did not come to its name after all, a second entry says so. Only taking its name makes the unfinished file go away.
"""

from __future__ import annotations

import contextlib
import os
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote_to_bytes

from counterfoil.errors import CounterfoilError
from counterfoil.store import standing, trail_rows
from counterfoil.store.database import Database
from counterfoil.store.holders import process_lives
from counterfoil.store.transactions import Connection, Txn

KIND = "evidence"  # of entries in the trail
_BY = "runner"


def begin(txn: Txn, part: Path) -> None:
    """Note that this process is about to write an unfinished pack at `part`."""
    _put(txn, {**_all(txn.conn), _key(part): {"pid": os.getpid(), "told": None}})


def enter(txn: Txn, part: Path, by: str, run_id: str, summary: str, after: dict[str, Any]) -> None:
    """Write into the trail that the pack was exported, before it takes its name."""
    trail_rows.append(txn, by=by, kind=KIND, subject=run_id, summary=summary, after=after)
    found = _all(txn.conn)
    _put(txn, {**found, _key(part): {**found[_key(part)], "told": {"run_id": run_id, **after}}})


def end(txn: Txn, part: Path) -> None:
    """Nothing of it is left to be looked after."""
    left = _all(txn.conn)
    left.pop(_key(part), None)
    _put(txn, left)


def give_up(database: Database, part: Path) -> None:
    """Take back an export that came to nothing: a second entry where the trail tells of it, and no unfinished file.

    What cannot be done now is left to `clear_away`.
    """
    with contextlib.suppress(CounterfoilError, OSError):
        if database.transact(lambda txn: _untell(txn, part)):
            part.unlink(missing_ok=True)
            database.transact(lambda txn: end(txn, part))


def clear_away(database: Database) -> None:
    """Give up every export whose process has ended in the middle of it."""
    with database.connect() as conn:
        found = _all(conn)
    for key, one in found.items():
        if not process_lives(one["pid"]):
            give_up(database, Path(os.fsdecode(unquote_to_bytes(key))))


def _untell(txn: Txn, part: Path) -> bool:
    """Let the trail say that the pack did not come to its name, once; if its unfinished file is gone, it did. False where that cannot be
    seen, as on a medium that was taken out."""
    found = _all(txn.conn)
    one = found.get(_key(part))
    if one is None or one["told"] is None:
        return True
    if not part.parent.is_dir():
        return False
    if part.exists():
        told = dict(one["told"])
        run_id, seal = told.pop("run_id"), told["seal"]
        summary = f"The evidence of run {told['run']}, seal {seal[:4]} {seal[4:8]}, did not come to its place: the export broke off"
        trail_rows.append(txn, by=_BY, kind=KIND, subject=run_id, summary=summary, after={**told, "placed": False})
        _put(txn, {**found, _key(part): {**one, "told": None}})
    return True


def _key(part: Path) -> str:
    return quote(os.fsencode(part))  # the name of a file is bytes


def _all(conn: Connection) -> dict[str, Any]:
    return dict(standing.value_of(standing.get(conn, standing.EXPORTS)) or {})


def _put(txn: Txn, under_way: dict[str, Any]) -> None:
    if under_way:
        standing.put(txn, standing.EXPORTS, under_way, _BY)
    else:
        standing.drop(txn, standing.EXPORTS)
