"""Runs: made, claimed, suspended, ended. Every change names the states it starts from, so the database decides who was first."""

from __future__ import annotations

import functools
import json
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from counterfoil.facts import RUN_ARROWS, RunState, storable
from counterfoil.store import notices, tables, trail_rows
from counterfoil.store.transactions import Prepared, Row, Txn, any_of

_RUN = tables.run
_BY_ID = Prepared(lambda: sa.select(_RUN).where(_RUN.c.run_id == sa.bindparam("rid")))
_FENCE = Prepared(lambda: sa.select(_RUN.c.fence, _RUN.c.state).where(_RUN.c.run_id == sa.bindparam("rid")))
_HASTEN = Prepared(
    lambda: (
        sa.update(_RUN)
        .where(
            _RUN.c.run_id == sa.bindparam("rid"),
            _RUN.c.state == str(RunState.READY),
            _RUN.c.ready_at > sa.bindparam("at"),
        )
        .values(ready_at=sa.bindparam("at"))
    )
)
_NEXT_NUMBER = sa.select(sa.func.coalesce(sa.func.max(_RUN.c.number), 0) + 1)
_CLAIM = Prepared(
    lambda: (
        sa.update(_RUN)
        .where(_RUN.c.run_id == sa.bindparam("rid"), _RUN.c.state == str(RunState.READY))
        .values(
            state=str(RunState.RUNNING),
            fence=_RUN.c.fence + 1,
            ready_at=None,
            started_at=sa.func.coalesce(_RUN.c.started_at, sa.bindparam("now")),
        )
    )
)
_CLAIMABLE = Prepared(
    lambda: (
        sa.select(_RUN.c.run_id)
        .where(_RUN.c.state == str(RunState.READY), _RUN.c.ready_at <= sa.bindparam("now"))
        .order_by(sa.case((_RUN.c.started_at.is_(None), 1), else_=0), _RUN.c.ready_at)
        .limit(sa.bindparam("most"))
    )
)
_NEXT_READY = Prepared(
    lambda: sa.select(sa.func.min(_RUN.c.ready_at)).where(
        _RUN.c.state == str(RunState.READY),
        sa.or_(sa.bindparam("rid").is_(None), _RUN.c.run_id == sa.bindparam("rid")),
    )
)
_TO_CANCEL = Prepared(
    lambda: sa.select(_RUN).where(
        any_of(_RUN.c.state, [RunState.READY, RunState.WAITING, RunState.RUNNING]), _RUN.c.cancel_by.is_not(None)
    )
)
_DONE_AGAIN = Prepared(lambda: sa.select(_RUN).where(_RUN.c.again_of == sa.bindparam("rid")).order_by(_RUN.c.number))
_SET_ACTIVITY = Prepared(lambda: sa.update(_RUN).where(_RUN.c.run_id == sa.bindparam("rid")), ["activity"])


class Stale(Exception):
    """A write came from a holder whose right to the run has passed on; nothing was written."""


@dataclass(frozen=True, slots=True)
class Again:
    """The run that a new one does again, and why. Of one that goes on from a step, `step` is that step's ordinal in the root branch, `seed`
    what chance is made from, and `begun_us` when it had begun for its code."""

    run_id: str
    reason: str = ""
    step: int | None = None
    seed: str | None = None
    begun_us: int | None = None


FRESH = Again("")


@dataclass(frozen=True, slots=True)
class NewRun:
    """A run to be started. `parameters` is canonical JSON text; `workspace` a canonical path."""

    template: str
    version: str
    workspace: str
    title: str
    parameters: str
    started_by: str
    program: str
    isolation: str = "L0"
    ready_at: int | None = None
    schedule_id: str | None = None
    planned_at: int | None = None
    again: Again = FRESH


def create(txn: Txn, new: NewRun) -> Row:
    """Commit a ready run; its row."""
    run_id, again = uuid.uuid4().hex, new.again
    txn.do(
        sa.insert(_RUN),
        {
            "run_id": run_id,
            "number": txn.value(_NEXT_NUMBER),
            "template": new.template,
            "version": new.version,
            "workspace": new.workspace,
            "title": storable(new.title),
            "state": str(RunState.READY),
            "fence": 0,
            "seed": again.seed or uuid.uuid4().hex,
            "parameters": new.parameters,
            "created_at": txn.now_us,
            "started_by": new.started_by,
            "isolation": new.isolation,
            "program": new.program,
            "recoveries": 0,
            "recovered_at_count": 0,
            "lost": False,
            "ready_at": new.ready_at or txn.now_us,
            "schedule_id": new.schedule_id,
            "planned_at": new.planned_at,
            "again_of": again.run_id or None,
            "again_from": again.step,
            "begun_at": again.begun_us,
            "reason": storable(again.reason) or None,
        },
    )
    row = get(txn.conn, run_id)
    trail_rows.append(
        txn,
        by=new.started_by,
        kind="run_started",
        subject=run_id,
        summary=f"Started “{new.title}” as run {row['number']}" + _again_words(txn, again),
        after={
            "template": new.template,
            "version": new.version,
            "workspace": new.workspace,
            "isolation": new.isolation,
            **({"again_of": again.run_id, "from": again.step, "reason": row["reason"]} if again.run_id else {}),
        },
    )
    return row


def _again_words(txn: Txn, again: Again) -> str:
    """What the trail says of a run that does another one again."""
    if not again.run_id:
        return ""
    number, why = get(txn.conn, again.run_id)["number"], f": {storable(again.reason)}" if again.reason else ""
    return (
        f", run {number} again{why}" if again.step is None else f", run {number} again from step {again.step + 1}{why}"
    )


def get(conn: sa.Connection, run_id: str) -> Row:
    """One run's row; a KeyError for an unknown id is a bug of the caller."""
    row = _BY_ID.first(conn, {"rid": run_id})
    if row is None:
        raise KeyError(run_id)
    return row


def check_fence(txn: Txn, run_id: str, fence: int) -> None:
    """Refuse a stale holder, and anybody once the run is not held at all; read once per run and transaction.

    Raises:
        Stale: another holder has the run now, or nobody has.
    """
    held = txn.fences.get(run_id)
    if held is None:
        now, state = _FENCE.run(txn.conn, {"rid": run_id}).fetchone()
        held = txn.fences[run_id] = int(now) if state == RunState.RUNNING else -1
    if held != fence:
        raise Stale(f"run {run_id[:8]}: fence {fence}, now {held}")


def confirm(conn: sa.Connection, run_id: str, fence: int) -> None:
    """See outside of a transaction whether a holder is stale.

    Raises:
        Stale: it is.
    """
    run = get(conn, run_id)
    if run["fence"] != fence or run["state"] != RunState.RUNNING:
        raise Stale(f"run {run_id[:8]}: fence {fence}, now {run['fence']} and {run['state']}")


def move(txn: Txn, run_id: str, target: RunState, **changes: object) -> bool:
    """Take one arrow to `target`, from any state that has it; False where the run is in no such state."""
    changed = _move(target, tuple(changes)).do(txn.conn, {"rid": run_id, **changes})
    notices.hush(txn, run_id)
    txn.touched.add(run_id)
    txn.fences.pop(run_id, None)
    return changed == 1


@functools.cache
def _move(target: RunState, names: tuple[str, ...]) -> Prepared:
    sources = [state for state, targets in RUN_ARROWS.items() if target in targets]
    return Prepared(
        lambda: (
            sa.update(_RUN)
            .where(_RUN.c.run_id == sa.bindparam("rid"), any_of(_RUN.c.state, sources))
            .values(state=str(target))
        ),
        names,
    )


def claim(txn: Txn, run_id: str) -> Row | None:
    """Take the right to advance a ready run: the fence grows, so every earlier holder is harmless. None when not ready."""
    changed = _CLAIM.do(txn.conn, {"rid": run_id, "now": txn.now_us})
    txn.fences.pop(run_id, None)
    txn.heads.pop(run_id, None)  # another process may have written since this one held the run
    return get(txn.conn, run_id) if changed else None


def claimable(conn: sa.Connection, now_us: int, limit: int) -> list[str]:
    """Ids of runs that may be claimed: those carried on before those not begun, oldest first."""
    return [row["run_id"] for row in _CLAIMABLE.all(conn, {"now": now_us, "most": limit})]


def next_ready_at(conn: sa.Connection, run_id: str | None = None) -> int | None:
    """The earliest instant at which a ready run, or this one, may be claimed."""
    at: int | None = _NEXT_READY.value(conn, {"rid": run_id})
    return at


def make_ready(txn: Txn, run_id: str, at_us: int | None = None) -> bool:
    """A wait was answered: the run may be claimed from `at_us` on. A run that would be ready later is hastened."""
    at = at_us or txn.now_us
    _HASTEN.run(txn.conn, {"rid": run_id, "at": at})
    return move(txn, run_id, RunState.READY, ready_at=at)


def in_state(conn: sa.Connection, states: Sequence[RunState]) -> list[Row]:
    """Runs in any of these states, oldest first."""
    query = sa.select(_RUN).where(_RUN.c.state.in_([str(state) for state in states])).order_by(_RUN.c.number)
    return list(conn.execute(query).mappings().all())


def set_activity(txn: Txn, run_id: str, text: str | None) -> None:
    """What a run does just now, in one line; progress, not truth."""
    _SET_ACTIVITY.run(txn.conn, {"rid": run_id, "activity": text})


def found(txn: Txn, run_id: str) -> None:
    """A run that was lost is held again, or waits for a person."""
    txn.do(sa.update(_RUN).where(_RUN.c.run_id == run_id).values(lost=False))


def lower(txn: Txn, run_id: str, isolation: str) -> None:
    """A person agreed that a run goes on with less protection than it was started with."""
    txn.do(sa.update(_RUN).where(_RUN.c.run_id == run_id).values(isolation=isolation))
    txn.touched.add(run_id)


def ask_to_cancel(txn: Txn, run_id: str, by: str) -> None:
    """Leave the wish for the runner, which ends the run at the next boundary."""
    txn.do(sa.update(_RUN).where(_RUN.c.run_id == run_id, _RUN.c.cancel_by.is_(None)).values(cancel_by=by))


def not_undone(row: Row) -> list[dict[str, Any]]:
    """What a run had begun as it was stopped, and of which nobody knows whether it happened: `effect` and `key`."""
    told = json.loads(row["error"]) if row["error"] else {}
    return list(told.get("in_doubt") or ())


def put_note(txn: Txn, run_id: str, note: dict[str, Any]) -> None:
    """Keep what a person found out: `by`, `at` in microseconds, `text`."""
    txn.do(sa.update(_RUN).where(_RUN.c.run_id == run_id).values(note=json.dumps(note, ensure_ascii=False)))


def note_of(row: Row) -> dict[str, Any] | None:
    """What a person found out of what was not undone; None while nobody has."""
    return json.loads(row["note"]) if row["note"] else None


def ask_to_restart(txn: Txn, run_id: str, wish: dict[str, Any]) -> None:
    """Leave the wish for the runner, which has what is in the middle begin anew: `by`, and `of` (identities) or None for all of it."""
    txn.do(sa.update(_RUN).where(_RUN.c.run_id == run_id).values(restart=json.dumps(wish)))


def restart_of(row: Row) -> dict[str, Any] | None:
    """The wish of a run's row."""
    wish: dict[str, Any] | None = json.loads(row["restart"]) if row["restart"] else None
    return wish


def forget_restart(txn: Txn, run_id: str) -> None:
    """The wish is carried out, or there is nothing left to carry out."""
    txn.do(sa.update(_RUN).where(_RUN.c.run_id == run_id).values(restart=None))


def kin(conn: sa.Connection, run_id: str, again_of: str | None) -> list[Row]:
    """Runs that do the same as this one: those that it does again, and every other that does one of them, or this one, again."""
    first = None if again_of is None else get(conn, again_of)
    while first is not None and first["again_of"] is not None:
        first = get(conn, first["again_of"])
    found = _DONE_AGAIN.all(conn, {"rid": run_id}) if first is None else [first]
    for one in found:  # which grows
        found += _DONE_AGAIN.all(conn, {"rid": one["run_id"]})
    return [one for one in found if one["run_id"] != run_id]


def page(
    conn: sa.Connection,
    *,
    states: Sequence[RunState] = (),
    workspace: str | None = None,
    before: int | None = None,
    limit: int | None = None,
) -> list[Row]:
    """Runs, newest first; a page ends before number `before`."""
    query = sa.select(_RUN).order_by(_RUN.c.number.desc())
    if states:
        query = query.where(_RUN.c.state.in_([str(state) for state in states]))
    if workspace is not None:
        query = query.where(_RUN.c.workspace == workspace)
    if before is not None:
        query = query.where(_RUN.c.number < before)
    if limit is not None:
        query = query.limit(limit)
    return list(conn.execute(query).mappings().all())


def find(conn: sa.Connection, reference: str) -> list[Row]:
    """Runs that an id, a prefix of it or `r-12` may mean."""
    if reference.startswith("r-") and reference[2:].isdigit():
        query = sa.select(_RUN).where(_RUN.c.number == int(reference[2:]))
    else:
        query = sa.select(_RUN).where(_RUN.c.run_id.startswith(reference, autoescape=True)).limit(2)
    return list(conn.execute(query).mappings().all())


def to_cancel(conn: sa.Connection) -> list[Row]:
    """Runs that somebody asked to cancel and that have not ended."""
    return _TO_CANCEL.all(conn, {})


def done_since(conn: sa.Connection, schedule_ids: Sequence[str], since_us: int) -> Sequence[Row]:
    """The runs of routines that were done after an instant, the first one first."""
    query = sa.select(_RUN).where(
        _RUN.c.schedule_id.in_(schedule_ids), _RUN.c.state == str(RunState.DONE), _RUN.c.ended_at > since_us
    )
    return conn.execute(query.order_by(_RUN.c.ended_at)).mappings().all() if schedule_ids else []


def ended_since(conn: sa.Connection, template: str, workspace: str, since_us: int) -> Sequence[Row]:
    """The runs of a template in a workspace that have ended after an instant, the first one first."""
    query = sa.select(_RUN).where(
        _RUN.c.template == template,
        _RUN.c.workspace == workspace,
        _RUN.c.ended_at.is_not(None),
        _RUN.c.ended_at > since_us,
    )
    return conn.execute(query.order_by(_RUN.c.ended_at)).mappings().all()
