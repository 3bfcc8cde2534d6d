"""Notices: what people should know of a routine or of the runner where no run is there to ask. One is open per kind and subject."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa

from counterfoil.facts import NoticeKind
from counterfoil.store import routine_tables
from counterfoil.store.transactions import Prepared, Row, Txn

_NOTICE = routine_tables.notice
_HUSH = Prepared(
    lambda: (
        sa.update(_NOTICE)
        .where(
            _NOTICE.c.kind == str(NoticeKind.SILENT),
            _NOTICE.c.subject == sa.bindparam("rid"),
            _NOTICE.c.closed_at.is_(None),
        )
        .values(closed_at=sa.bindparam("now"), closed_by="runner")
    )
)


def post(txn: Txn, kind: NoticeKind, subject: str, body: dict[str, Any]) -> bool:
    """Put a notice up, or renew the words of the open one; whether it is new."""
    text = json.dumps(body, ensure_ascii=False, sort_keys=True)
    open_one = sa.and_(_NOTICE.c.kind == str(kind), _NOTICE.c.subject == subject, _NOTICE.c.closed_at.is_(None))
    if txn.do(sa.update(_NOTICE).where(open_one).values(body=text)):
        return False
    txn.do(sa.insert(_NOTICE), {"kind": str(kind), "subject": subject, "body": text, "at": txn.now_us})
    return True


def close(txn: Txn, kind: NoticeKind, subject: str, by: str) -> bool:
    """Take a notice down; False where none is up."""
    changed = txn.do(
        sa.update(_NOTICE)
        .where(_NOTICE.c.kind == str(kind), _NOTICE.c.subject == subject, _NOTICE.c.closed_at.is_(None))
        .values(closed_at=txn.now_us, closed_by=by)
    )
    return changed == 1


def hush(txn: Txn, run_id: str) -> None:
    """A run is not in the middle of anything any more, so nothing of it is silent."""
    _HUSH.run(txn.conn, {"rid": run_id, "now": txn.now_us})


def silent(conn: sa.Connection) -> dict[str, Row]:
    """The open notices of silence, by run."""
    return {row["subject"]: row for row in standing(conn) if row["kind"] == NoticeKind.SILENT}


def newest(conn: sa.Connection, kind: NoticeKind, subject: str) -> Row | None:
    """The newest notice of a kind about a subject, open or closed."""
    query = sa.select(_NOTICE).where(_NOTICE.c.kind == str(kind), _NOTICE.c.subject == subject)
    return conn.execute(query.order_by(_NOTICE.c.row.desc()).limit(1)).mappings().first()


def standing(conn: sa.Connection) -> Sequence[Row]:
    """The open notices, oldest first."""
    return (
        conn.execute(sa.select(_NOTICE).where(_NOTICE.c.closed_at.is_(None)).order_by(_NOTICE.c.row)).mappings().all()
    )


def body_of(row: Row) -> dict[str, Any]:
    """What a notice says."""
    found: dict[str, Any] = json.loads(row["body"])
    return found
