"""Timers are rows: a sleep or a retry that is due at an absolute instant."""

from __future__ import annotations

import sqlalchemy as sa
from sqlalchemy.dialects.sqlite import insert

from counterfoil.store import tables
from counterfoil.store.transactions import Row, Txn

_TIMER = tables.timer


def set_timer(txn: Txn, run_id: str, path: str, ordinal: int, kind: str, due_at: int, args_digest: str = "") -> int:
    """Set a timer once; asking again keeps the instant first set. The instant."""
    txn.do(
        insert(_TIMER).on_conflict_do_nothing(),
        {
            "run_id": run_id,
            "path": path,
            "ordinal": ordinal,
            "kind": kind,
            "args_digest": args_digest,
            "set_at": txn.now_us,
            "due_at": due_at,
            "state": "pending",
        },
    )
    row = get(txn.conn, run_id, path, ordinal, kind)
    return int(row["due_at"]) if row else due_at


def get(conn: sa.Connection, run_id: str, path: str, ordinal: int, kind: str) -> Row | None:
    """One timer."""
    query = sa.select(_TIMER).where(
        _TIMER.c.run_id == run_id, _TIMER.c.path == path, _TIMER.c.ordinal == ordinal, _TIMER.c.kind == kind
    )
    return conn.execute(query).mappings().first()


def reset(txn: Txn, run_id: str, path: str, ordinal: int, kind: str) -> None:
    """Forget a timer, so that the next try can set its own."""
    txn.do(
        sa.delete(_TIMER).where(
            _TIMER.c.run_id == run_id, _TIMER.c.path == path, _TIMER.c.ordinal == ordinal, _TIMER.c.kind == kind
        )
    )


def due(conn: sa.Connection, now_us: int, run_id: str | None = None) -> list[Row]:
    """Pending timers that are due, of every run or one."""
    query = sa.select(_TIMER).where(_TIMER.c.state == "pending", _TIMER.c.due_at <= now_us)
    if run_id is not None:
        query = query.where(_TIMER.c.run_id == run_id)
    return list(conn.execute(query).mappings().all())


def pending(conn: sa.Connection, run_id: str) -> list[Row]:
    """Pending timers of a run, earliest first."""
    query = sa.select(_TIMER).where(_TIMER.c.run_id == run_id, _TIMER.c.state == "pending").order_by(_TIMER.c.due_at)
    return list(conn.execute(query).mappings().all())


def next_due(conn: sa.Connection) -> int | None:
    """The earliest pending instant."""
    return conn.execute(sa.select(sa.func.min(_TIMER.c.due_at)).where(_TIMER.c.state == "pending")).scalar()


def end(txn: Txn, run_id: str, path: str, ordinal: int, kind: str, state: str) -> None:
    """A timer fired or was cancelled."""
    txn.do(
        sa.update(_TIMER)
        .where(_TIMER.c.run_id == run_id, _TIMER.c.path == path, _TIMER.c.ordinal == ordinal, _TIMER.c.kind == kind)
        .values(state=state)
    )


def cancel_all(txn: Txn, run_id: str) -> None:
    """The run is closing: its timers end with it."""
    txn.do(sa.update(_TIMER).where(_TIMER.c.run_id == run_id, _TIMER.c.state == "pending").values(state="cancelled"))


def cancel_below(txn: Txn, run_id: str, path: str) -> None:
    """A branch has lost a race: its timers end with it."""
    below = sa.or_(_TIMER.c.path == path, _TIMER.c.path.startswith(f"{path}/", autoescape=True))
    txn.do(
        sa.update(_TIMER).where(_TIMER.c.run_id == run_id, _TIMER.c.state == "pending", below).values(state="cancelled")
    )
