"""The journal of file effects: one row per file of an apply set, written with the intent, so that a crash can be carried on or
rolled back from the rows alone."""

from __future__ import annotations

from collections.abc import Sequence

import sqlalchemy as sa

from counterfoil.facts import storable, unspelled
from counterfoil.store import tables
from counterfoil.store.transactions import Row, Txn

_OP = tables.file_op


def add(txn: Txn, rows: Sequence[dict[str, object]]) -> None:
    """Write the ops of an apply set, all `planned`. Paths are spelled as text that a row can hold; `places` reads them back."""
    if rows:
        spelled = [
            {name: storable(value) if isinstance(value, str) else value for name, value in row.items()} for row in rows
        ]
        txn.do(sa.insert(_OP), [{**row, "state": "planned"} for row in spelled])


def places(row: Row) -> tuple[str, str | None]:
    """Path and target of an op as the file system has them."""
    return unspelled(row["path"]), None if row["target"] is None else unspelled(row["target"])


def of_gate(conn: sa.Connection, gate_id: str) -> list[Row]:
    """The ops of an apply set, in order."""
    return list(conn.execute(sa.select(_OP).where(_OP.c.gate_id == gate_id).order_by(_OP.c.row)).mappings().all())


def of_run(conn: sa.Connection, run_id: str) -> list[Row]:
    """The ops of every apply set of a run, in order."""
    gate = tables.gate
    query = (
        sa.select(_OP).join(gate, gate.c.gate_id == _OP.c.gate_id).where(gate.c.run_id == run_id).order_by(_OP.c.row)
    )
    return list(conn.execute(query).mappings().all())


def set_state(txn: Txn, rows: Sequence[int], state: str) -> None:
    """Planned -> applied | rolled_back."""
    txn.do(sa.update(_OP).where(_OP.c.row.in_(list(rows))).values(state=state))


def forget(txn: Txn, gate_id: str) -> None:
    """Drop a journal of which nothing is applied, so that it is made anew."""
    txn.do(sa.delete(_OP).where(_OP.c.gate_id == gate_id))
