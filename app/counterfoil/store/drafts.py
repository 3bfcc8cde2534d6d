"""What a person has filled in at a gate and not decided yet, kept at every stroke so that a power cut costs none of it."""

from __future__ import annotations

import sqlalchemy as sa
from sqlalchemy.dialects.sqlite import insert

from counterfoil.store import tables
from counterfoil.store.transactions import Txn

_DRAFT = tables.draft
_GATE = tables.gate


def get(conn: sa.Connection, gate_id: str, principal: str) -> str | None:
    """The draft's JSON, or None."""
    query = sa.select(_DRAFT.c.body).where(_DRAFT.c.gate_id == gate_id, _DRAFT.c.principal == principal)
    return conn.execute(query).scalar()


def save(txn: Txn, gate_id: str, principal: str, body: str) -> None:
    """Keep a draft in place of the one before; drafts of gates whose run has gone on are dropped with it."""
    row = {"gate_id": gate_id, "principal": principal, "body": body, "saved_at": txn.now_us}
    fresh = insert(_DRAFT).values(row)
    txn.do(
        fresh.on_conflict_do_update(
            index_elements=["gate_id", "principal"], set_={"body": body, "saved_at": txn.now_us}
        )
    )
    _drop_taken(txn)


def forget(txn: Txn, gate_id: str, principal: str) -> None:
    """Nothing is filled in any more."""
    txn.do(sa.delete(_DRAFT).where(_DRAFT.c.gate_id == gate_id, _DRAFT.c.principal == principal))


def _drop_taken(txn: Txn) -> None:
    over = sa.select(_GATE.c.gate_id).where(_GATE.c.gate_id == _DRAFT.c.gate_id, _GATE.c.taken_at.is_not(None))
    txn.do(sa.delete(_DRAFT).where(over.exists()))
