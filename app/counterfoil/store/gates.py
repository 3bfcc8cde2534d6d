"""Gates, the decisions on them, and the seals that decisions make."""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from counterfoil.facts import GateKind, GateState, Slot
from counterfoil.store import seals, tables
from counterfoil.store.gate_lines import NO_LINE, GateLine
from counterfoil.store.transactions import Prepared, Row, Txn, any_of

_GATE = tables.gate
_DECISION = tables.decision
_CLAIM = tables.claim
_AT_GATE: sa.BindParameter[str] = sa.bindparam("gid")
_OF = _GATE.c.run_id == sa.bindparam("rid")
_IS_OPEN = _GATE.c.state == str(GateState.OPEN)
_SLOT = (
    _OF,
    _GATE.c.path == sa.bindparam("at"),
    _GATE.c.ordinal == sa.bindparam("nth"),
    _GATE.c.slot == sa.bindparam("what"),
)
_NEXT_NUMBER = Prepared(lambda: sa.select(sa.func.coalesce(sa.func.max(_GATE.c.number), 0) + 1))
_GET = Prepared(lambda: sa.select(_GATE).where(_GATE.c.gate_id == _AT_GATE))
_NEWEST = Prepared(lambda: sa.select(_GATE).where(*_SLOT).order_by(_GATE.c.number.desc()).limit(1))
_ROUNDS = Prepared(lambda: sa.select(sa.func.count()).where(*_SLOT))
_OF_RUN = Prepared(lambda: sa.select(_GATE).where(_OF).order_by(_GATE.c.number))
_TAKEN_IDS = Prepared(
    lambda: sa.select(_GATE.c.gate_id).where(_OF, _GATE.c.slot == str(Slot.OUTCOME), _GATE.c.taken_at.is_not(None))
)
_OPEN_IDS = Prepared(lambda: sa.select(_GATE.c.gate_id).where(_OF, _IS_OPEN))
_CLOSE = Prepared(
    lambda: (
        sa.update(_GATE)
        .where(_GATE.c.gate_id == _AT_GATE, _IS_OPEN)
        .values(state=sa.bindparam("became"), closed_at=sa.bindparam("now"), closed_why=sa.bindparam("said"))
    )
)
_DECISIONS = Prepared(
    lambda: (
        sa.select(_DECISION)
        .where(_DECISION.c.gate_id == _AT_GATE, _DECISION.c.voided_at.is_(None))
        .order_by(_DECISION.c.row)
    )
)
_OF_DECISION = [_DECISION.c[name] for name in ("verdict", "answers", "comment", "principal", "effective_at")]
_ANSWERED = Prepared(
    lambda: (
        sa.select(_GATE, *_OF_DECISION)
        .join(_DECISION, sa.and_(_DECISION.c.gate_id == _GATE.c.gate_id, _DECISION.c.voided_at.is_(None)))
        .where(
            _OF,
            any_of(_GATE.c.state, [GateState.DECIDED, GateState.EXPIRED]),
            _GATE.c.taken_at.is_(None),
            _DECISION.c.effective_at <= sa.bindparam("now"),
        )
        .order_by(_GATE.c.number)
    )
)
_ANSWER_AT = Prepared(
    lambda: (
        sa.select(_GATE, *_OF_DECISION)
        .join(_DECISION, sa.and_(_DECISION.c.gate_id == _GATE.c.gate_id, _DECISION.c.voided_at.is_(None)))
        .where(
            *_SLOT,
            any_of(_GATE.c.state, [GateState.DECIDED, GateState.EXPIRED]),
            _GATE.c.taken_at.is_(None),
            _DECISION.c.effective_at <= sa.bindparam("now"),
        )
        .order_by(_GATE.c.number.desc())
        .limit(1)
    )
)
_UNTAKEN = Prepared(
    lambda: (
        sa.select(_GATE)
        .where(
            *_SLOT[:3],
            any_of(_GATE.c.state, [GateState.OPEN, GateState.DECIDED, GateState.EXPIRED]),
            _GATE.c.taken_at.is_(None),
        )
        .order_by(_GATE.c.number)
    )
)
_UNCLAIM = Prepared(lambda: sa.delete(_CLAIM).where(_CLAIM.c.gate_id == _AT_GATE, _CLAIM.c.held.is_(False)))
_TAKE = Prepared(lambda: sa.update(_GATE).where(_GATE.c.gate_id == _AT_GATE).values(taken_at=sa.bindparam("now")))
_DUE = Prepared(lambda: sa.select(_GATE).where(_IS_OPEN, _GATE.c.due_at <= sa.bindparam("now")))
_NEXT_DUE = Prepared(lambda: sa.select(sa.func.min(_GATE.c.due_at)).where(_IS_OPEN))
_NEXT_EFFECTIVE = Prepared(
    lambda: (
        sa.select(sa.func.min(_DECISION.c.effective_at))
        .join(_GATE, _GATE.c.gate_id == _DECISION.c.gate_id)
        .where(
            _OF, _GATE.c.state == str(GateState.DECIDED), _GATE.c.taken_at.is_(None), _DECISION.c.voided_at.is_(None)
        )
    )
)


@dataclass(frozen=True, slots=True)
class NewGate:
    """A gate to be opened. `spec` is canonical text (or a blob's digest); `digest` is over exactly what will be shown."""

    run_id: str
    path: str
    ordinal: int
    slot: Slot
    kind: GateKind
    title: str
    spec: str
    spec_blob: bool
    asked_digest: str
    digest: str
    round: int = 1
    files_as_of: int | None = None
    due_at: int | None = None
    on_due: str | None = None
    claims: tuple[str, ...] = ()
    workspace: str = ""
    line: GateLine = NO_LINE


def open_gate(txn: Txn, new: NewGate) -> Row:
    """Write a gate and what it would claim; its row."""
    gate_id = uuid.uuid4().hex
    txn.do(
        sa.insert(_GATE),
        {
            "gate_id": gate_id,
            "number": _NEXT_NUMBER.value(txn.conn, {}),
            "run_id": new.run_id,
            "path": new.path,
            "ordinal": new.ordinal,
            "slot": str(new.slot),
            "kind": str(new.kind),
            "state": str(GateState.OPEN),
            "title": new.title,
            "spec": new.spec,
            "spec_blob": new.spec_blob,
            "asked_digest": new.asked_digest,
            "digest": new.digest,
            "round": new.round,
            "files_as_of": new.files_as_of,
            "asked_at": txn.now_us,
            "due_at": new.due_at,
            "on_due": new.on_due,
            "why": new.line.why,
            "figure": new.line.figure,
            "bulk": new.line.bulk,
            "search": new.line.search,
        },
    )
    if new.claims:
        rows = [
            {"gate_id": gate_id, "key": key, "workspace": new.workspace, "run_id": new.run_id, "held": False}
            for key in sorted(set(new.claims))
        ]
        txn.do(sa.insert(_CLAIM), rows)
    txn.touched.add(new.run_id)
    return get(txn.conn, gate_id)


def get(conn: sa.Connection, gate_id: str) -> Row:
    """One gate's row; a KeyError for an unknown id is a bug of the caller."""
    row = _GET.first(conn, {"gid": gate_id})
    if row is None:
        raise KeyError(gate_id)
    return row


def newest(conn: sa.Connection, run_id: str, path: str, ordinal: int, slot: Slot) -> Row | None:
    """The newest gate that stands at an identity and slot."""
    return _NEWEST.first(conn, {"rid": run_id, "at": path, "nth": ordinal, "what": str(slot)})


def rounds(conn: sa.Connection, run_id: str, path: str, ordinal: int, slot: Slot) -> int:
    """How many gates have stood at an identity and slot."""
    return int(_ROUNDS.value(conn, {"rid": run_id, "at": path, "nth": ordinal, "what": str(slot)}))


def of_run(conn: sa.Connection, run_id: str) -> list[Row]:
    """Every gate of a run, oldest first."""
    return _OF_RUN.all(conn, {"rid": run_id})


def open_of_runs(conn: sa.Connection, run_ids: Sequence[str]) -> list[Row]:
    """Open gates of these runs, oldest question first."""
    found: list[Row] = []
    for start in range(0, len(run_ids), 500):
        query = (
            sa.select(_GATE)
            .where(_GATE.c.state == str(GateState.OPEN), _GATE.c.run_id.in_(run_ids[start : start + 500]))
            .order_by(_GATE.c.number)
        )
        found.extend(conn.execute(query).mappings().all())
    return found


def inbox_page(
    conn: sa.Connection, *, workspace: str | None = None, limit: int | None = None, offset: int = 0
) -> list[Row]:
    """Open gates without what they show, oldest question first: a list of thousands reads no spec."""
    run = tables.run
    query = (
        sa.select(
            _GATE.c.gate_id,
            _GATE.c.number,
            _GATE.c.run_id,
            _GATE.c.kind,
            _GATE.c.title,
            _GATE.c.asked_at,
            _GATE.c.due_at,
            _GATE.c.round,
            run.c.number.label("run_number"),
            run.c.title.label("run_title"),
            run.c.template,
            run.c.workspace,
            run.c.schedule_id,
        )
        .join(run, run.c.run_id == _GATE.c.run_id)
        .where(_GATE.c.state == str(GateState.OPEN))
        .order_by(_GATE.c.asked_at, _GATE.c.number)
        .limit(limit)
        .offset(offset)
    )
    if workspace is not None:
        query = query.where(run.c.workspace == workspace)
    return list(conn.execute(query).mappings().all())


def expired_since(conn: sa.Connection, since_us: int) -> list[Row]:
    """Gates whose deadline has passed after an instant, without what they showed: ids, title, deadline, when they were closed."""
    query = (
        sa.select(_GATE.c.gate_id, _GATE.c.title, _GATE.c.due_at, _GATE.c.closed_at, tables.run.c.schedule_id)
        .join(tables.run, tables.run.c.run_id == _GATE.c.run_id)
        .where(_GATE.c.closed_at > since_us, _GATE.c.state == str(GateState.EXPIRED))
        .order_by(_GATE.c.closed_at)
    )
    return list(conn.execute(query).mappings().all())


def count_open(conn: sa.Connection, run_id: str | None = None) -> int:
    """How many gates are open, of every run or one."""
    query = sa.select(sa.func.count()).select_from(_GATE).where(_GATE.c.state == str(GateState.OPEN))
    if run_id is not None:
        query = query.where(_GATE.c.run_id == run_id)
    return int(conn.execute(query).scalar_one())


def find(conn: sa.Connection, reference: str) -> list[Row]:
    """Gates that an id, a prefix of it or `g-81` may mean."""
    if reference.startswith("g-") and reference[2:].isdigit():
        query = sa.select(_GATE).where(_GATE.c.number == int(reference[2:]))
    else:
        query = sa.select(_GATE).where(_GATE.c.gate_id.startswith(reference, autoescape=True)).limit(2)
    return list(conn.execute(query).mappings().all())


def close(txn: Txn, gate_id: str, state: GateState, why: str) -> bool:
    """End an open gate without a decision; False where it was open no more."""
    changed = _CLOSE.do(txn.conn, {"gid": gate_id, "became": str(state), "now": txn.now_us, "said": why})
    if changed:
        txn.do(sa.delete(_CLAIM).where(_CLAIM.c.gate_id == gate_id, _CLAIM.c.held.is_(False)))
    return changed == 1


def withdraw_all(txn: Txn, run_id: str, why: str) -> int:
    """The run is closing: its open gates end with it, in the same transaction; how many."""
    ids = [row["gate_id"] for row in _OPEN_IDS.all(txn.conn, {"rid": run_id})]
    for gate_id in ids:
        close(txn, gate_id, GateState.WITHDRAWN, why)
    return len(ids)


def decide(txn: Txn, gate_id: str, digest: str, why: str) -> bool:
    """Compare-and-set an open gate, with exactly this digest, to decided; False when somebody was first or it changed."""
    changed = txn.do(
        sa.update(_GATE)
        .where(_GATE.c.gate_id == gate_id, _GATE.c.state == str(GateState.OPEN), _GATE.c.digest == digest)
        .values(state=str(GateState.DECIDED), closed_at=txn.now_us, closed_why=why)
    )
    return changed == 1


def reopen(txn: Txn, gate_id: str) -> None:
    """A decision was voided before it took effect: the gate is open again, its seals and held claims are gone."""
    txn.do(
        sa.update(_GATE)
        .where(_GATE.c.gate_id == gate_id, _GATE.c.state == str(GateState.DECIDED), _GATE.c.taken_at.is_(None))
        .values(state=str(GateState.OPEN), closed_at=None, closed_why=None)
    )
    seals.void(txn, gate_id)
    txn.do(sa.update(_CLAIM).where(_CLAIM.c.gate_id == gate_id).values(held=False))


def add_decision(txn: Txn, **row: Any) -> None:
    """Write a decision row."""
    txn.do(sa.insert(_DECISION), row)


def taken_ids(conn: sa.Connection, run_id: str) -> list[str]:
    """The gates of approve() and ask() that a run has its answer of."""
    return [row["gate_id"] for row in _TAKEN_IDS.all(conn, {"rid": run_id})]


def decisions(conn: sa.Connection, gate_id: str) -> list[Row]:
    """Decisions on a gate that stand, oldest first."""
    return _DECISIONS.all(conn, {"gid": gate_id})


def stream_decisions(conn: sa.Connection) -> Iterator[Row]:
    """Every decision that a person gave, voided ones too, oldest first, with its gate's number, without holding them all."""
    query = (
        sa.select(_DECISION, _GATE.c.number)
        .join(_GATE, _GATE.c.gate_id == _DECISION.c.gate_id)
        .where(_DECISION.c.verdict != "expired")
        .order_by(_DECISION.c.row)
    )
    yield from conn.execute(query.execution_options(yield_per=1000)).mappings()


def decisions_on(conn: sa.Connection, gate_ids: Sequence[str]) -> dict[str, list[Row]]:
    """Decisions that stand on these gates, by gate, oldest first."""
    found: dict[str, list[Row]] = {}
    for start in range(0, len(gate_ids), 500):
        query = (
            sa.select(_DECISION)
            .where(_DECISION.c.gate_id.in_(gate_ids[start : start + 500]), _DECISION.c.voided_at.is_(None))
            .order_by(_DECISION.c.row)
        )
        for row in conn.execute(query).mappings():
            found.setdefault(row["gate_id"], []).append(row)
    return found


def void_decision(txn: Txn, row: int) -> None:
    """Take a decision back; its row stays for the trail."""
    txn.do(sa.update(_DECISION).where(_DECISION.c.row == row).values(voided_at=txn.now_us))


def answered(conn: sa.Connection, run_id: str, now_us: int) -> list[Row]:
    """Decided gates of a run whose decision is in effect and was not taken up: gate columns plus the decision's."""
    return _ANSWERED.all(conn, {"rid": run_id, "now": now_us})


def answer_at(conn: sa.Connection, run_id: str, path: str, ordinal: int, slot: Slot, now_us: int) -> Row | None:
    """As `answered`, for the newest gate at one identity and slot."""
    return _ANSWER_AT.first(conn, {"rid": run_id, "at": path, "nth": ordinal, "what": str(slot), "now": now_us})


def untaken(conn: sa.Connection, run_id: str, path: str, ordinal: int) -> list[Row]:
    """Gates at an identity that are open, or decided and not taken up yet, oldest first."""
    return _UNTAKEN.all(conn, {"rid": run_id, "at": path, "nth": ordinal})


def take(txn: Txn, gate_id: str) -> None:
    """Mark a decided gate as taken up by its run: from now on it cannot be voided, and claims nothing unless it was approved."""
    _TAKE.run(txn.conn, {"gid": gate_id, "now": txn.now_us})
    _UNCLAIM.run(txn.conn, {"gid": gate_id})


def due(conn: sa.Connection, now_us: int) -> list[Row]:
    """Open gates whose time is over."""
    return _DUE.all(conn, {"now": now_us})


def next_due(conn: sa.Connection) -> int | None:
    """The earliest instant at which an open gate expires."""
    at: int | None = _NEXT_DUE.value(conn, {})
    return at


def withdraw_below(txn: Txn, run_id: str, path: str, why: str) -> None:
    """A branch has lost a race: its open gates end with it."""
    below = sa.or_(_GATE.c.path == path, _GATE.c.path.startswith(f"{path}/", autoescape=True))
    query = sa.select(_GATE.c.gate_id).where(_GATE.c.run_id == run_id, _GATE.c.state == str(GateState.OPEN), below)
    for gate_id in list(txn.conn.execute(query).scalars()):
        close(txn, gate_id, GateState.WITHDRAWN, why)


def next_effective(conn: sa.Connection, run_id: str) -> int | None:
    """The earliest instant at which a decision on this run that was not taken up takes effect."""
    at: int | None = _NEXT_EFFECTIVE.value(conn, {"rid": run_id})
    return at
