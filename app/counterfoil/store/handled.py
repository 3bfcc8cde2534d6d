"""What was taken up once and never is again, whatever restarts: committed with what it led to."""

from __future__ import annotations

from collections.abc import Iterable

import sqlalchemy as sa
from sqlalchemy.dialects.sqlite import insert

from counterfoil.store import routine_tables
from counterfoil.store.transactions import Txn

_HANDLED = routine_tables.handled


def take(txn: Txn, owner: str, key: str) -> bool:
    """Take something up; False where that was done before."""
    values = {"owner": owner, "key": key, "at": txn.now_us}
    return txn.do(insert(_HANDLED).values(values).on_conflict_do_nothing()) == 1


def among(conn: sa.Connection, owner: str, keys: Iterable[str]) -> set[str]:
    """Which of these were taken up before."""
    wanted = list(keys)
    found: set[str] = set()
    for start in range(0, len(wanted), 500):
        some = sa.and_(_HANDLED.c.owner == owner, _HANDLED.c.key.in_(wanted[start : start + 500]))
        found |= set(conn.execute(sa.select(_HANDLED.c.key).where(some)).scalars())
    return found
