"""Intents: the row committed before an effect is tried. An intent without a record is an effect whose outcome nobody knows."""

from __future__ import annotations

from dataclasses import dataclass

import sqlalchemy as sa

from counterfoil.facts import DoubtPolicy
from counterfoil.store import tables
from counterfoil.store.transactions import Prepared, Row, Txn

_INTENT = tables.intent
_RECORD = tables.record
_INSERT = Prepared(lambda: sa.insert(_INTENT), [column.name for column in _INTENT.c])
_GET = Prepared(
    lambda: sa.select(_INTENT).where(
        _INTENT.c.run_id == sa.bindparam("rid"),
        _INTENT.c.path == sa.bindparam("at"),
        _INTENT.c.ordinal == sa.bindparam("nth"),
    )
)
_OF_RUN = Prepared(
    lambda: sa.select(_INTENT).where(_INTENT.c.run_id == sa.bindparam("rid")).order_by(_INTENT.c.committed_at)
)
_ITS_RECORD = sa.and_(
    _RECORD.c.run_id == _INTENT.c.run_id, _RECORD.c.path == _INTENT.c.path, _RECORD.c.ordinal == _INTENT.c.ordinal
)
_OPEN = Prepared(
    lambda: (
        sa.select(_INTENT)
        .outerjoin(_RECORD, _ITS_RECORD)
        .where(_INTENT.c.run_id == sa.bindparam("rid"), _RECORD.c.row.is_(None))
    )
)


_OF_DIGEST = Prepared(
    lambda: (
        sa.select(_INTENT.c.path, _INTENT.c.ordinal, _RECORD.c.outcome)
        .outerjoin(_RECORD, _ITS_RECORD)
        .where(_INTENT.c.run_id == sa.bindparam("rid"), _INTENT.c.digest == sa.bindparam("sha"))
        .order_by(_INTENT.c.committed_at)
    )
)


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
    _INSERT.run(
        txn.conn,
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
    return _GET.first(conn, {"rid": run_id, "at": path, "nth": ordinal})


def of_run(conn: sa.Connection, run_id: str) -> list[Row]:
    """Every intent of a run."""
    return _OF_RUN.all(conn, {"rid": run_id})


def of_digest(conn: sa.Connection, run_id: str, digest: str) -> list[Row]:
    """Where a run has begun exactly this effect: path, ordinal, and the outcome (None while there is no record)."""
    return _OF_DIGEST.all(conn, {"rid": run_id, "sha": digest})


def open_ones(conn: sa.Connection, run_id: str) -> list[Row]:
    """Intents of a run without a record: effects that are in the middle or in doubt."""
    return _OPEN.all(conn, {"rid": run_id})
