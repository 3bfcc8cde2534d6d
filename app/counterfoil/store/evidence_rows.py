"""Rows that only evidence of a run wants: every decision on its gates, those that were taken back too, and who had what on the screen."""

from __future__ import annotations

import sqlalchemy as sa

from counterfoil.store import tables
from counterfoil.store.transactions import Row


def decisions_of(conn: sa.Connection, run_id: str) -> list[Row]:
    """Every decision on a gate of a run, oldest first."""
    return _of_gates(conn, tables.decision, run_id, tables.decision.c.row)


def readings_of(conn: sa.Connection, run_id: str) -> list[Row]:
    """Who had a gate of a run on the screen, with which digest, and when last."""
    return _of_gates(conn, tables.reading, run_id, tables.reading.c.read_at)


def _of_gates(conn: sa.Connection, table: sa.Table, run_id: str, order: sa.Column[int]) -> list[Row]:
    gate = tables.gate
    query = (
        sa.select(table).join(gate, gate.c.gate_id == table.c.gate_id).where(gate.c.run_id == run_id).order_by(order)
    )
    return list(conn.execute(query).mappings().all())
