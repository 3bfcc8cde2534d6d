"""Routines: added, changed, paused, removed; every change is a trail entry, and the next instant moves by compare-and-set."""

from __future__ import annotations

import json
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from counterfoil.facts import ENDED, FiringState
from counterfoil.store import routine_tables, tables, trail_rows
from counterfoil.store.transactions import Row, Txn

_SCHEDULE, _RUN, _FIRING = routine_tables.schedule, tables.run, routine_tables.firing
_NEXT_NUMBER = sa.select(sa.func.coalesce(sa.func.max(_SCHEDULE.c.number), 0) + 1)
_TOLD = ("name", "template", "workspace", "rule", "zone", "policy", "parameters")


@dataclass(frozen=True, slots=True)
class NewSchedule:
    """A routine to be kept. `rule`, `policy` and `parameters` are JSON texts; instants are microseconds, None where nothing is due."""

    name: str
    template: str
    workspace: str
    rule: str
    zone: str
    policy: str
    parameters: str
    created_by: str
    next_at: int | None
    wake_at: int | None
    paused: bool = False


def add(txn: Txn, new: NewSchedule) -> Row:
    """Keep a routine from now on; its row. The name must be free, which the caller looks up in this transaction."""
    schedule_id = uuid.uuid4().hex
    values = {name: getattr(new, name) for name in new.__slots__}
    txn.do(
        sa.insert(_SCHEDULE),
        {
            **values,
            "schedule_id": schedule_id,
            "number": txn.value(_NEXT_NUMBER),
            "rev": 1,
            "paused_by": new.created_by if new.paused else None,
            "effective_from": txn.now_us,
            "created_at": txn.now_us,
        },
    )
    row = get(txn.conn, schedule_id)
    _note(txn, row, new.created_by, f"Added the schedule ‘{new.name}’", None, told(row))
    return row


def told(row: Row) -> dict[str, Any]:
    """What a routine says, for the trail."""
    parsed = {name: row[name] for name in _TOLD}
    for name in ("rule", "policy", "parameters"):
        parsed[name] = json.loads(row[name])
    return parsed


def _note(txn: Txn, row: Row, by: str, summary: str, before: Any, after: Any) -> None:
    trail_rows.append(
        txn, by=by, kind="schedule", subject=row["schedule_id"], summary=summary, before=before, after=after
    )


def get(conn: sa.Connection, schedule_id: str) -> Row:
    """One routine's row; a KeyError for an unknown id is a bug of the caller."""
    row = conn.execute(sa.select(_SCHEDULE).where(_SCHEDULE.c.schedule_id == schedule_id)).mappings().first()
    if row is None:
        raise KeyError(schedule_id)
    return row


def named(conn: sa.Connection, name: str) -> Row | None:
    """The routine of a name, where it is not removed."""
    query = sa.select(_SCHEDULE).where(_SCHEDULE.c.name == name, _SCHEDULE.c.removed_at.is_(None))
    return conn.execute(query).mappings().first()


def living(conn: sa.Connection) -> Sequence[Row]:
    """Every routine that is not removed, by name."""
    query = sa.select(_SCHEDULE).where(_SCHEDULE.c.removed_at.is_(None)).order_by(_SCHEDULE.c.name)
    return conn.execute(query).mappings().all()


def to_look_at(conn: sa.Connection, now_us: int) -> Sequence[Row]:
    """Routines that are on and have an instant due, or one that waits for a run to end."""
    queued = sa.select(_FIRING.c.schedule_id).where(_FIRING.c.state == str(FiringState.QUEUED))
    query = sa.select(_SCHEDULE).where(
        _SCHEDULE.c.removed_at.is_(None),
        _SCHEDULE.c.paused.is_(False),
        sa.or_(_SCHEDULE.c.wake_at <= now_us, _SCHEDULE.c.schedule_id.in_(queued)),
    )
    return conn.execute(query.order_by(_SCHEDULE.c.number)).mappings().all()


def awake(conn: sa.Connection) -> Sequence[Row]:
    """Routines that are on: neither paused nor removed."""
    query = sa.select(_SCHEDULE).where(_SCHEDULE.c.removed_at.is_(None), _SCHEDULE.c.paused.is_(False))
    return conn.execute(query.order_by(_SCHEDULE.c.number)).mappings().all()


def next_wake(conn: sa.Connection) -> int | None:
    """The earliest instant at which a routine is due."""
    query = sa.select(sa.func.min(_SCHEDULE.c.wake_at)).where(
        _SCHEDULE.c.wake_at.is_not(None), _SCHEDULE.c.removed_at.is_(None), _SCHEDULE.c.paused.is_(False)
    )
    return conn.execute(query).scalar()


def change(txn: Txn, row: Row, by: str, summary: str, **values: object) -> Row:
    """Change what a routine says or whether it is on: a new revision, and an entry with before and after; the new row."""
    txn.do(
        sa.update(_SCHEDULE)
        .where(_SCHEDULE.c.schedule_id == row["schedule_id"])
        .values(**values, rev=_SCHEDULE.c.rev + 1)
    )
    after = get(txn.conn, row["schedule_id"])
    before_told, after_told = told(row), told(after)
    differs = [name for name in after_told if after_told[name] != before_told[name]]
    pick: Any = lambda found: {name: found[name] for name in differs} or None  # noqa: E731
    _note(txn, after, by, summary, pick(before_told), pick(after_told))
    return after


def set_next(txn: Txn, row: Row, next_at: int | None, wake_at: int | None) -> bool:
    """Move the next instant on; False where another scan or an edit was first."""
    changed = txn.do(
        sa.update(_SCHEDULE)
        .where(
            _SCHEDULE.c.schedule_id == row["schedule_id"],
            _SCHEDULE.c.rev == row["rev"],
            _SCHEDULE.c.next_at.is_(None) if row["next_at"] is None else _SCHEDULE.c.next_at == row["next_at"],
        )
        .values(next_at=next_at, wake_at=wake_at)
    )
    return changed == 1


def open_runs(conn: sa.Connection, schedule_id: str) -> Sequence[Row]:
    """The runs of a routine that have not ended, oldest first; one that waits for a person counts."""
    query = sa.select(_RUN).where(
        _RUN.c.schedule_id == schedule_id, _RUN.c.state.not_in([str(state) for state in ENDED])
    )
    return conn.execute(query.order_by(_RUN.c.number)).mappings().all()


def remove(txn: Txn, row: Row, by: str) -> None:
    """Take a routine away; its firings and runs stay."""
    values: Mapping[str, Any] = {"removed_at": txn.now_us, "next_at": None, "wake_at": None}
    change(txn, row, by, f"Removed the schedule ‘{row['name']}’", **values)
