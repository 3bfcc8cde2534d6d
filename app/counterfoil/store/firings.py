"""Firings: what became of each due instant of a routine. The key of a row is what makes an instant happen once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import sqlalchemy as sa
from sqlalchemy.dialects.sqlite import insert

from counterfoil.facts import FiringOrigin, FiringState, GateState
from counterfoil.store import routine_tables, tables
from counterfoil.store.transactions import Row, Txn

_FIRING, _RUN = routine_tables.firing, tables.run
_FUTURE_US = 60_000_000  # a row settled this far ahead of the present was written by a clock that was wrong


def settle(
    txn: Txn,
    schedule: Row,
    due_at: int,
    state: FiringState,
    reason: str = "",
    *,
    run_id: str | None = None,
    origin: FiringOrigin = FiringOrigin.GRID,
) -> bool:
    """Write what became of an instant; False where it is settled already. What was queued may become anything."""
    values = {
        "schedule_id": schedule["schedule_id"],
        "origin": str(origin),
        "due_at": due_at,
        "rev": schedule["rev"],
        "state": str(state),
        "reason": reason,
        "run_id": run_id,
        "settled_at": txn.now_us,
    }
    fresh = {name: values[name] for name in ("rev", "state", "reason", "run_id", "settled_at")}
    reopened = sa.or_(
        _FIRING.c.state == str(FiringState.QUEUED),
        sa.and_(_FIRING.c.run_id.is_(None), _FIRING.c.settled_at > txn.now_us + _FUTURE_US),
    )
    statement = insert(_FIRING).values(values)
    return txn.do(statement.on_conflict_do_update(index_elements=_KEY, set_=fresh, where=reopened)) == 1


_KEY = [_FIRING.c.schedule_id, _FIRING.c.origin, _FIRING.c.due_at]


def miss(txn: Txn, schedule: Row, dues: Iterable[int], reason: str) -> int:
    """Write that instants did not start; how many were not settled before."""
    return sum(settle(txn, schedule, due, FiringState.MISSED, reason) for due in dues)


def settled(conn: sa.Connection, schedule_id: str, due_at: int, now_us: int) -> bool:
    """Whether an instant of the grid has its row; one that a wrong clock wrote, from the future, does not count."""
    query = sa.select(_FIRING.c.state).where(
        _FIRING.c.schedule_id == schedule_id,
        _FIRING.c.origin == str(FiringOrigin.GRID),
        _FIRING.c.due_at == due_at,
        sa.or_(_FIRING.c.run_id.is_not(None), _FIRING.c.settled_at <= now_us + _FUTURE_US),
    )
    return conn.execute(query).first() is not None


def get(conn: sa.Connection, schedule_id: str, due_at: int, origin: FiringOrigin = FiringOrigin.GRID) -> Row | None:
    """The row of one instant."""
    query = sa.select(_FIRING).where(
        _FIRING.c.schedule_id == schedule_id, _FIRING.c.origin == str(origin), _FIRING.c.due_at == due_at
    )
    return conn.execute(query).mappings().first()


def of_run(conn: sa.Connection, run_id: str) -> Row | None:
    """The firing that a run was started by."""
    return conn.execute(sa.select(_FIRING).where(_FIRING.c.run_id == run_id)).mappings().first()


def queued(conn: sa.Connection, schedule_id: str | None = None) -> Sequence[Row]:
    """Firings that wait for a run to end, of one routine or of all, oldest first."""
    query = sa.select(_FIRING).where(_FIRING.c.state == str(FiringState.QUEUED)).order_by(_FIRING.c.due_at)
    if schedule_id is not None:
        query = query.where(_FIRING.c.schedule_id == schedule_id)
    return conn.execute(query).mappings().all()


def newest(conn: sa.Connection, schedule_id: str, count: int, *, before_us: int | None = None) -> Sequence[Row]:
    """The newest firings of a routine, newest first."""
    query = sa.select(_FIRING).where(_FIRING.c.schedule_id == schedule_id).order_by(_FIRING.c.due_at.desc())
    if before_us is not None:
        query = query.where(_FIRING.c.due_at < before_us)
    return conn.execute(query.limit(count)).mappings().all()


def between(conn: sa.Connection, schedule_id: str, first_us: int, last_us: int) -> Sequence[Row]:
    """The firings of a routine that were due from the first instant on and before the last one, ascending."""
    due = sa.and_(_FIRING.c.due_at >= first_us, _FIRING.c.due_at < last_us)
    query = sa.select(_FIRING).where(_FIRING.c.schedule_id == schedule_id, due).order_by(_FIRING.c.due_at)
    return conn.execute(query).mappings().all()


def ended_runs(conn: sa.Connection, run_ids: Iterable[str]) -> dict[str, Row]:
    """Of runs that have ended: state, result, error, and whether they `acted`: began an effect, or were decided about."""
    wanted = [run_id for run_id in run_ids if run_id]
    if not wanted:
        return {}
    begun = sa.exists().where(tables.intent.c.run_id == _RUN.c.run_id)
    decided = sa.exists().where(tables.gate.c.run_id == _RUN.c.run_id, tables.gate.c.state == str(GateState.DECIDED))
    query = sa.select(_RUN.c.run_id, _RUN.c.state, _RUN.c.result, _RUN.c.error, sa.or_(begun, decided).label("acted"))
    rows = conn.execute(query.where(_RUN.c.run_id.in_(wanted), _RUN.c.ended_at.is_not(None))).mappings()
    return {row["run_id"]: row for row in rows}


def counted(conn: sa.Connection, schedule_id: str) -> dict[str, int]:
    """How many firings of a routine there are of each state."""
    query = sa.select(_FIRING.c.state, sa.func.count()).where(_FIRING.c.schedule_id == schedule_id)
    return {str(state): int(many) for state, many in conn.execute(query.group_by(_FIRING.c.state))}


def time_taken(conn: sa.Connection, schedule_id: str) -> int:
    """Microseconds from start to end of all runs of a routine that have ended; waiting for people is in it."""
    query = sa.select(sa.func.sum(_RUN.c.ended_at - _RUN.c.started_at)).where(
        _RUN.c.schedule_id == schedule_id, _RUN.c.ended_at.is_not(None)
    )
    return int(conn.execute(query).scalar() or 0)
