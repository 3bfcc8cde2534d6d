"""What holds for the whole home until it is taken back: a pause of everything, this computer's zone and clock as they were last seen,
where the home lies."""

from __future__ import annotations

import json
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects.sqlite import insert

from counterfoil.store import tables
from counterfoil.store.transactions import Row, Txn

# names; `login`: whether somebody was asked to start the runner at login; `mailed` and `told`: when people who are
# away were written to last, and when the window told something last; `exports`: packs of evidence that are being written
PAUSE, ZONE, CLOCK, LOGIN, MAILED, TOLD, PLACE = "pause", "zone", "clock", "login", "mailed", "told", "place"
EXPORTS = "exports"
_STANDING = tables.standing


def get(conn: sa.Connection, name: str) -> Row | None:
    """What holds under a name: its row, with `at` and `by`."""
    return conn.execute(sa.select(_STANDING).where(_STANDING.c.name == name)).mappings().first()


def value_of(row: Row | None) -> Any:
    """The value of a row; None without one."""
    return None if row is None else json.loads(row["value"])


def put(txn: Txn, name: str, value: Any, by: str) -> None:
    """Let something hold from now on."""
    fresh = {"value": json.dumps(value, ensure_ascii=False), "at": txn.now_us, "by": by}
    statement = insert(_STANDING).values(name=name, **fresh)
    txn.do(statement.on_conflict_do_update(index_elements=[_STANDING.c.name], set_=fresh))


def drop(txn: Txn, name: str) -> bool:
    """Take it back; False where nothing held."""
    return txn.do(sa.delete(_STANDING).where(_STANDING.c.name == name)) == 1
