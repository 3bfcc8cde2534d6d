"""Facts that agents are told in later runs of a workspace: each was proposed by a run, accepted by a person, and can be taken back."""

from __future__ import annotations

from dataclasses import dataclass

import sqlalchemy as sa
from sqlalchemy.dialects.sqlite import insert

from counterfoil.store import tables
from counterfoil.store.columns import instant, text
from counterfoil.store.transactions import Connection, Row, Txn

# `key` is that of the effect, so a fact is kept once; `sources` is JSON: what the run had read from outside the team by then
fact = sa.Table(
    "fact",
    tables.metadata,
    sa.Column("key", sa.String(64), primary_key=True),
    sa.Column("number", sa.Integer, nullable=False, unique=True),
    text("workspace"),
    text("fact"),
    text("source"),
    text("sources"),
    sa.Column("run_id", sa.String(32), sa.ForeignKey("run.run_id"), nullable=False),
    instant("accepted_at"),
    text("accepted_by"),
    instant("revoked_at", nullable=True),
    text("revoked_by", nullable=True),
    sa.Index("facts_of_workspace", "workspace", "number"),
)


@dataclass(frozen=True, slots=True)
class NewFact:
    """A fact as it was accepted."""

    key: str
    workspace: str
    fact: str
    source: str
    sources: str
    run_id: str
    accepted_by: str


def keep(txn: Txn, new: NewFact) -> int:
    """Keep a fact once; its number."""
    next_number = txn.value(sa.select(sa.func.coalesce(sa.func.max(fact.c.number), 0) + 1))
    values = {
        "key": new.key,
        "number": next_number,
        "workspace": new.workspace,
        "fact": new.fact,
        "source": new.source,
        "sources": new.sources,
        "run_id": new.run_id,
        "accepted_at": txn.now_us,
        "accepted_by": new.accepted_by,
    }
    txn.do(insert(fact).values(**values).on_conflict_do_nothing())
    return int(txn.value(sa.select(fact.c.number).where(fact.c.key == new.key)))


def of_workspace(conn: Connection, workspace: str | None = None, *, taken_back: bool = False) -> list[Row]:
    """The facts of a workspace, or of all, oldest first, with the number of their run (`run_number`)."""
    run = tables.run
    query = sa.select(fact, run.c.number.label("run_number")).join(run, run.c.run_id == fact.c.run_id)
    if workspace is not None:
        query = query.where(fact.c.workspace == workspace)
    if not taken_back:
        query = query.where(fact.c.revoked_at.is_(None))
    return list(conn.execute(query.order_by(fact.c.number)).mappings().all())


def revoke(txn: Txn, number: int, by: str) -> bool:
    """Take a fact back; False where it was taken back before."""
    mine = sa.update(fact).where(fact.c.number == number, fact.c.revoked_at.is_(None))
    return txn.do(mine.values(revoked_at=txn.now_us, revoked_by=by)) == 1
