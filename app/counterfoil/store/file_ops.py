"""The journal of file effects: one row per file of an apply set, written with the intent, so that a crash can be carried on or
rolled back from the rows alone."""

from __future__ import annotations

from collections.abc import Sequence

import sqlalchemy as sa

from counterfoil.store import tables
from counterfoil.store.transactions import Row, Txn

_OP = tables.file_op


def add(txn: Txn, rows: Sequence[dict[str, object]]) -> None:
    """Write the ops of an apply set, all `planned`."""
    if rows:
        txn.do(sa.insert(_OP), [{**row, "state": "planned"} for row in rows])


def of_gate(conn: sa.Connection, gate_id: str) -> list[Row]:
    """The ops of an apply set, in order."""
    return list(conn.execute(sa.select(_OP).where(_OP.c.gate_id == gate_id).order_by(_OP.c.row)).mappings().all())


def set_state(txn: Txn, rows: Sequence[int], state: str) -> None:
    """planned -> applied | rolled_back."""
    txn.do(sa.update(_OP).where(_OP.c.row.in_(list(rows))).values(state=state))
