"""What went before: the lines of a run's records, what was repeated, where files went, levels, and the trail by pages."""

from __future__ import annotations

from collections.abc import Sequence

import sqlalchemy as sa

from counterfoil.facts import GateKind, RunState
from counterfoil.store import file_tables, tables
from counterfoil.store.transactions import Row

_GATE = tables.gate
_DECISION = tables.decision
_RECORD = tables.record
_RUN = tables.run
_LINE = (
    *(
        _RECORD.c[name]
        for name in ("path", "ordinal", "kind", "name", "outcome", "summary", "started_at", "committed_at")
    ),
    _RECORD.c.origin,
    sa.case((sa.and_(_RECORD.c.outcome != "ok", _RECORD.c.payload_blob.is_(False)), _RECORD.c.payload)).label(
        "failure"
    ),
)


def record_lines(conn: sa.Connection, run_id: str) -> list[Row]:
    """Every record of a run in commit order without its value; `failure` is that of one that did not end well."""
    query = sa.select(*_LINE).where(_RECORD.c.run_id == run_id).order_by(_RECORD.c.row)
    return list(conn.execute(query).mappings().all())


def moved_to(conn: sa.Connection, workspace: str, path: str) -> str | None:
    """Where an applied set has moved a file of a workspace to; the newest of several."""
    op = file_tables.file_op
    query = (
        sa.select(op.c.target)
        .where(op.c.workspace == workspace, op.c.path == path, op.c.op == "move", op.c.state == "applied")
        .order_by(op.c.row.desc())
        .limit(1)
    )
    return conn.execute(query).scalar()


def repeated(conn: sa.Connection, run_id: str, since_us: int) -> dict[str, int]:
    """Steps of a run that had been recorded by an instant and were tried again after it, counted by kind."""
    attempt = tables.attempt
    again = (
        sa.select(_RECORD.c.kind, _RECORD.c.path, _RECORD.c.ordinal)
        .distinct()
        .join(
            attempt,
            sa.and_(
                attempt.c.run_id == _RECORD.c.run_id,
                attempt.c.path == _RECORD.c.path,
                attempt.c.ordinal == _RECORD.c.ordinal,
            ),
        )
        .where(_RECORD.c.run_id == run_id, _RECORD.c.committed_at <= since_us, attempt.c.started_at > since_us)
        .subquery()
    )
    found = conn.execute(sa.select(again.c.kind, sa.func.count()).group_by(again.c.kind))
    return {str(kind): int(number) for kind, number in found}


def trail_page(conn: sa.Connection, words: Sequence[str], before: int | None, limit: int) -> list[Row]:
    """Entries of the trail that hold every one of these words, newest first, from below a number on."""
    trail = tables.trail
    text = trail.c.summary + " " + trail.c.by + " " + trail.c.kind + " " + trail.c.hash
    query = sa.select(trail).where(*(text.icontains(word, autoescape=True) for word in words))
    if before is not None:
        query = query.where(trail.c.seq < before)
    return list(conn.execute(query.order_by(trail.c.seq.desc()).limit(limit)).mappings().all())


def trail_length(conn: sa.Connection) -> int:
    """How many entries the trail has; they are numbered without gaps."""
    return int(conn.execute(sa.select(sa.func.max(tables.trail.c.seq))).scalar() or 0)


def first_written(conn: sa.Connection, run_id: str) -> str | None:
    """The first file that a run has written anew or replaced."""
    op = file_tables.file_op
    query = (
        sa.select(op.c.path)
        .join(_GATE, _GATE.c.gate_id == op.c.gate_id)
        .where(_GATE.c.run_id == run_id, op.c.op == "write", op.c.state == "applied")
        .order_by(op.c.row)
        .limit(1)
    )
    return conn.execute(query).scalar()


def isolation_in(conn: sa.Connection, workspace: str) -> str | None:
    """The mark of the level under which a workspace's newest run was started; None before its first run."""
    query = sa.select(_RUN.c.isolation).where(_RUN.c.workspace == workspace).order_by(_RUN.c.number.desc()).limit(1)
    return conn.execute(query).scalar()


def isolation_of(conn: sa.Connection, template: str) -> str | None:
    """The level under which a template's newest run was started; None before its first run."""
    query = sa.select(_RUN.c.isolation).where(_RUN.c.template == template).order_by(_RUN.c.number.desc()).limit(1)
    return conn.execute(query).scalar()


def people_decided(conn: sa.Connection, limit: int) -> list[Row]:
    """The newest decisions of people on approvals that stand, with number and title of their gates."""
    query = (
        sa.select(_DECISION, _GATE.c.number, _GATE.c.title)
        .join(_GATE, _GATE.c.gate_id == _DECISION.c.gate_id)
        .where(
            _GATE.c.kind == str(GateKind.APPROVAL),
            _DECISION.c.voided_at.is_(None),
            _DECISION.c.principal.startswith("user:"),
        )
        .order_by(_DECISION.c.row.desc())
        .limit(limit)
    )
    return list(conn.execute(query).mappings().all())


def last_done(conn: sa.Connection, template: str, workspace: str) -> Row | None:
    """The newest run of a template in a workspace that has come to its end."""
    query = (
        sa.select(_RUN)
        .where(_RUN.c.template == template, _RUN.c.workspace == workspace, _RUN.c.state == str(RunState.DONE))
        .order_by(_RUN.c.number.desc())
        .limit(1)
    )
    return conn.execute(query).mappings().first()
