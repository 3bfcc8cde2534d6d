"""What people allow, ask about and forbid; what was done under it; what was in force for a run; and what a run has read from outside.

A rule is never changed: it is taken back, and another one is given. `conditions` are JSON, read by `policy.grants`.
"""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import dataclass

import sqlalchemy as sa
from sqlalchemy.dialects.sqlite import insert

from counterfoil.store import tables
from counterfoil.store.columns import identity, instant, row, text
from counterfoil.store.transactions import Connection, Prepared, Row, Txn

permission = sa.Table(
    "permission",
    tables.metadata,
    sa.Column("permission_id", sa.String(32), primary_key=True),
    sa.Column("number", sa.Integer, nullable=False, unique=True),
    sa.Column("verdict", sa.String(8), nullable=False),
    sa.CheckConstraint("verdict IN ('allow','ask','deny')", name="permission_verdict"),
    text("conditions"),
    text("comment"),
    instant("granted_at"),
    text("granted_by"),
    sa.Column("gate_id", sa.String(32), nullable=True),  # where it was proposed
    instant("revoked_at", nullable=True),
    text("revoked_by", nullable=True),
    sa.Index("permission_living", "number", sqlite_where=sa.text("revoked_at IS NULL")),
)

# what was done without asking because of a rule
permission_use = sa.Table(
    "permission_use",
    tables.metadata,
    *identity(),
    sa.Column("permission_id", sa.String(32), sa.ForeignKey("permission.permission_id"), nullable=False),
    instant("at"),
    sa.PrimaryKeyConstraint("run_id", "path", "ordinal", "permission_id"),
    sa.Index("permission_used", "permission_id", "at"),
)

# the rules in force when a run was judged, noted when they differ from before; `rules` is JSON
run_permission = sa.Table(
    "run_permission",
    tables.metadata,
    row(),
    sa.Column("run_id", sa.String(32), sa.ForeignKey("run.run_id"), nullable=False),
    text("rules"),
    instant("at"),
    sa.Index("permissions_of_run", "run_id", "row"),
)

# what a run has read from outside the team: a file, a host, a connector
run_source = sa.Table(
    "run_source",
    tables.metadata,
    sa.Column("run_id", sa.String(32), sa.ForeignKey("run.run_id"), nullable=False),
    text("source"),
    instant("at"),
    sa.PrimaryKeyConstraint("run_id", "source"),
)

_LIVING = Prepared(lambda: sa.select(permission).where(permission.c.revoked_at.is_(None)).order_by(permission.c.number))
_SOURCES = Prepared(
    lambda: (
        sa.select(run_source.c.source)
        .where(run_source.c.run_id == sa.bindparam("rid"))
        .order_by(run_source.c.at, run_source.c.source)
    )
)
_IN_FORCE = Prepared(
    lambda: (
        sa.select(run_permission.c.rules)
        .where(run_permission.c.run_id == sa.bindparam("rid"))
        .order_by(run_permission.c.row.desc())
        .limit(1)
    )
)


@dataclass(frozen=True, slots=True)
class Use:
    """How often something was done under a rule, and when last."""

    times: int
    last_us: int | None


def living(conn: Connection) -> list[Row]:
    """The rules in force, oldest first."""
    return _LIVING.all(conn, {})


def every(conn: Connection) -> list[Row]:
    """All rules, those that were taken back too, oldest first."""
    return list(conn.execute(sa.select(permission).order_by(permission.c.number)).mappings().all())


def find(conn: Connection, reference: str) -> list[Row]:
    """Rules that an id, a prefix of it or `p-3` may mean."""
    if reference.lower().startswith("p-") and reference[2:].isdigit():
        query = sa.select(permission).where(permission.c.number == int(reference[2:]))
    else:
        query = sa.select(permission).where(permission.c.permission_id.startswith(reference, autoescape=True)).limit(2)
    return list(conn.execute(query).mappings().all())


def add(txn: Txn, verdict: str, conditions: str, *, by: str, comment: str, gate_id: str | None) -> Row:
    """Keep a rule; its row."""
    next_number = sa.select(sa.func.coalesce(sa.func.max(permission.c.number), 0) + 1)
    new = {
        "permission_id": uuid.uuid4().hex,
        "number": txn.value(next_number),
        "verdict": verdict,
        "conditions": conditions,
        "comment": comment,
        "granted_at": txn.now_us,
        "granted_by": by,
        "gate_id": gate_id,
    }
    txn.do(sa.insert(permission), new)
    return find(txn.conn, str(new["permission_id"]))[0]


def revoke(txn: Txn, permission_id: str, by: str) -> bool:
    """Take a rule back; False where it was taken back before."""
    mine = sa.update(permission).where(permission.c.permission_id == permission_id, permission.c.revoked_at.is_(None))
    return txn.do(mine.values(revoked_at=txn.now_us, revoked_by=by)) == 1


def note_use(txn: Txn, run_id: str, path: str, ordinal: int, permission_id: str) -> None:
    """Something is done under a rule; noted once however often it is begun."""
    new = {"run_id": run_id, "path": path, "ordinal": ordinal, "permission_id": permission_id, "at": txn.now_us}
    txn.do(insert(permission_use).values(**new).on_conflict_do_nothing())


def uses(conn: Connection) -> dict[str, Use]:
    """How often each rule was used."""
    query = sa.select(
        permission_use.c.permission_id, sa.func.count().label("times"), sa.func.max(permission_use.c.at).label("last")
    ).group_by(permission_use.c.permission_id)
    found = conn.execute(query).mappings().all()
    return {one["permission_id"]: Use(one["times"], one["last"]) for one in found}


def used_by(conn: Connection, run_id: str) -> list[Row]:
    """What a run has done under rules: path, ordinal, permission_id, at."""
    query = sa.select(permission_use).where(permission_use.c.run_id == run_id).order_by(permission_use.c.at)
    return list(conn.execute(query).mappings().all())


def note_in_force(txn: Txn, run_id: str, rules: str) -> None:
    """Keep which rules a run is judged by, where they are others than before; a run that knows none has no row."""
    before = _IN_FORCE.value(txn.conn, {"rid": run_id})
    if (before or "[]") != rules:
        txn.do(sa.insert(run_permission), {"run_id": run_id, "rules": rules, "at": txn.now_us})


def in_force(conn: Connection, run_id: str) -> list[Row]:
    """Which rules a run was judged by, oldest first: `rules` (JSON) and from when."""
    query = sa.select(run_permission).where(run_permission.c.run_id == run_id).order_by(run_permission.c.row)
    return list(conn.execute(query).mappings().all())


def note_sources(txn: Txn, run_id: str, sources: Sequence[str]) -> None:
    """A run has read something from outside the team."""
    for source in sources:
        new = {"run_id": run_id, "source": source, "at": txn.now_us}
        txn.do(insert(run_source).values(**new).on_conflict_do_nothing())


def sources(conn: Connection, run_id: str) -> list[str]:
    """What a run has read from outside the team, in the order of reading; empty for a run that is not tainted."""
    return [str(one["source"]) for one in _SOURCES.all(conn, {"rid": run_id})]
