"""The journal of file effects: one row per file of an apply set, written with the intent, so that a crash can be carried on or
rolled back from the rows alone."""

from __future__ import annotations

from collections.abc import Sequence

import sqlalchemy as sa

from counterfoil.facts import storable, unspelled
from counterfoil.store import file_tables, tables
from counterfoil.store.transactions import Row, Txn

_OP = file_tables.file_op


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


def of_item(conn: sa.Connection, gate_id: str, n: int) -> list[Row]:
    """The ops of one item of an apply set, in order."""
    query = sa.select(_OP).where(_OP.c.gate_id == gate_id, _OP.c.n == n).order_by(_OP.c.row)
    return list(conn.execute(query).mappings().all())


def of_run(conn: sa.Connection, run_id: str) -> list[Row]:
    """The ops of every apply set of a run, in order."""
    gate = tables.gate
    query = (
        sa.select(_OP).join(gate, gate.c.gate_id == _OP.c.gate_id).where(gate.c.run_id == run_id).order_by(_OP.c.row)
    )
    return list(conn.execute(query).mappings().all())


def set_state(txn: Txn, rows: Sequence[int], state: str) -> None:
    """Planned -> applied | rolled_back; applied -> undone."""
    values: dict[str, object] = {"state": state}
    if state == "applied":
        values["applied_at"] = txn.now_us
    for start in range(0, len(rows), 500):
        txn.do(sa.update(_OP).where(_OP.c.row.in_(list(rows[start : start + 500]))).values(**values))


def later_on(conn: sa.Connection, workspace: str, path: str, after: str, than_us: int) -> Row | None:
    """The newest op of another set that has left a file as it is now: with the number of its run."""
    gate, run = tables.gate, tables.run
    there = sa.or_(_OP.c.path == storable(path), _OP.c.target == storable(path))
    query = (
        sa.select(_OP, run.c.number.label("run_number"))
        .join(gate, gate.c.gate_id == _OP.c.gate_id)
        .join(run, run.c.run_id == gate.c.run_id)
        .where(_OP.c.workspace == workspace, there, _OP.c.after == after, _OP.c.applied_at > than_us)
        .order_by(_OP.c.applied_at.desc())
        .limit(1)
    )
    return conn.execute(query).mappings().first()


def stores_older(conn: sa.Connection, than_us: int) -> list[Row]:
    """Gates all of whose files were applied before an instant, each with its workspace: what they displaced is kept no longer."""
    newest = sa.func.max(_OP.c.applied_at)
    query = (
        sa.select(_OP.c.gate_id, _OP.c.workspace)
        .group_by(_OP.c.gate_id, _OP.c.workspace)
        .having(sa.func.count(_OP.c.applied_at) == sa.func.count(), newest < than_us)
    )
    return list(conn.execute(query).mappings().all())


def workspaces(conn: sa.Connection) -> list[str]:
    """Every folder in which a set was ever begun."""
    return [str(path) for path in conn.execute(sa.select(_OP.c.workspace).distinct()).scalars()]


def forget(txn: Txn, gate_id: str) -> None:
    """Drop a journal of which nothing is applied, so that it is made anew."""
    txn.do(sa.delete(_OP).where(_OP.c.gate_id == gate_id))
