"""Intents: the row committed before an effect is tried. An intent without a record is an effect whose outcome nobody knows."""

from __future__ import annotations

from dataclasses import dataclass

import sqlalchemy as sa

from counterfoil.facts import DoubtPolicy
from counterfoil.store import tables
from counterfoil.store.transactions import Row, Txn

_INTENT = tables.intent
_INSERT = sa.insert(_INTENT)


@dataclass(frozen=True, slots=True)
class NewIntent:
    """An intent to be written. `body` is canonical text, or a blob's digest when `body_blob`."""

    run_id: str
    path: str
    ordinal: int
    kind: str
    body: str
    body_blob: bool
    digest: str
    key: str
    policy: DoubtPolicy
    gate_id: str | None
    item: int | None


def add(txn: Txn, new: NewIntent) -> None:
    """Write an intent; a second one of one identity is an integrity error."""
    txn.do(
        _INSERT,
        {
            "run_id": new.run_id,
            "path": new.path,
            "ordinal": new.ordinal,
            "kind": new.kind,
            "body": new.body,
            "body_blob": new.body_blob,
            "digest": new.digest,
            "key": new.key,
            "policy": str(new.policy),
            "gate_id": new.gate_id,
            "item": new.item,
            "committed_at": txn.now_us,
        },
    )


def get(conn: sa.Connection, run_id: str, path: str, ordinal: int) -> Row | None:
    """The intent at an identity."""
    query = sa.select(_INTENT).where(_INTENT.c.run_id == run_id, _INTENT.c.path == path, _INTENT.c.ordinal == ordinal)
    return conn.execute(query).mappings().first()


def of_run(conn: sa.Connection, run_id: str) -> list[Row]:
    """Every intent of a run."""
    query = sa.select(_INTENT).where(_INTENT.c.run_id == run_id).order_by(_INTENT.c.committed_at)
    return list(conn.execute(query).mappings().all())


def open_ones(conn: sa.Connection, run_id: str) -> list[Row]:
    """Intents of a run without a record: effects that are in the middle or in doubt."""
    record = tables.record
    query = (
        sa.select(_INTENT)
        .outerjoin(
            record,
            sa.and_(
                record.c.run_id == _INTENT.c.run_id,
                record.c.path == _INTENT.c.path,
                record.c.ordinal == _INTENT.c.ordinal,
            ),
        )
        .where(_INTENT.c.run_id == run_id, record.c.row.is_(None))
    )
    return list(conn.execute(query).mappings().all())
