"""Seals: what of a gate's plan was approved, byte for byte; each item is spent once."""

from __future__ import annotations

from collections.abc import Sequence

import sqlalchemy as sa

from counterfoil.store import tables
from counterfoil.store.transactions import Prepared, Row, Txn

_SEAL = tables.seal
_AT_GATE: sa.BindParameter[str] = sa.bindparam("gid")
_SEALS = Prepared(lambda: sa.select(_SEAL).where(_SEAL.c.gate_id == _AT_GATE).order_by(_SEAL.c.n))
_SEAL_OF = Prepared(lambda: sa.select(_SEAL).where(_SEAL.c.gate_id == _AT_GATE, _SEAL.c.n == sa.bindparam("nth")))
_SPEND = Prepared(
    lambda: (
        sa.update(_SEAL)
        .where(_SEAL.c.gate_id == _AT_GATE, _SEAL.c.n == sa.bindparam("item"), _SEAL.c.spent_at_path.is_(None))
        .values(spent_at_path=sa.bindparam("at"), spent_at_ordinal=sa.bindparam("nth"))
    )
)


def add(txn: Txn, gate_id: str, items: Sequence[tuple[int, str, str, str]]) -> None:
    """Seal plan items: (number from 1, body text, base text, digest)."""
    if items:
        rows = [
            {"gate_id": gate_id, "n": n, "body": body, "base": base, "digest": digest}
            for n, body, base, digest in items
        ]
        txn.do(sa.insert(_SEAL), rows)


def of_gate(conn: sa.Connection, gate_id: str) -> list[Row]:
    """The sealed items of a gate, in order."""
    return _SEALS.all(conn, {"gid": gate_id})


def spend(txn: Txn, gate_id: str, n: int, path: str, ordinal: int) -> bool:
    """Spend a sealed item at an identity; False where there is none, or it is spent elsewhere."""
    return _SPEND.do(txn.conn, {"gid": gate_id, "item": n, "at": path, "nth": ordinal}) == 1


def one(conn: sa.Connection, gate_id: str, n: int) -> Row | None:
    """One sealed item."""
    return _SEAL_OF.first(conn, {"gid": gate_id, "nth": n})


def rebase(txn: Txn, gate_id: str, fresh_gate: str) -> None:
    """Give the items of a gate what was approved in their place when somebody answered that files changed, and its bases."""
    for fresh in of_gate(txn.conn, fresh_gate):
        mine = sa.update(_SEAL).where(_SEAL.c.gate_id == gate_id, _SEAL.c.n == fresh["n"])
        txn.do(mine.values(base=fresh["base"], instead=fresh["body"]))


def void(txn: Txn, gate_id: str) -> None:
    """Drop the sealed items of a gate that nothing has spent."""
    txn.do(sa.delete(_SEAL).where(_SEAL.c.gate_id == gate_id, _SEAL.c.spent_at_path.is_(None)))
