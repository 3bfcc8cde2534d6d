"""Template versions: manifest, parameter schema and source, kept by content digest for as long as a run needs them."""

from __future__ import annotations

import sqlalchemy as sa
from sqlalchemy.dialects.sqlite import insert

from counterfoil.store import tables, trail_rows
from counterfoil.store.transactions import Prepared, Row, Txn

_VERSION = tables.template_version
_GET = Prepared(lambda: sa.select(_VERSION).where(_VERSION.c.digest == sa.bindparam("digest")))


def get(conn: sa.Connection, digest: str) -> Row | None:
    """One version's row."""
    return _GET.first(conn, {"digest": digest})


def add(txn: Txn, by: str, **row: str) -> None:
    """Keep a version once; the trail says when it was first seen."""
    added = txn.do(insert(_VERSION).on_conflict_do_nothing(), {**row, "stored_at": txn.now_us})
    if added:
        trail_rows.append(
            txn,
            by=by,
            kind="template",
            subject=row["name"],
            summary=f"Kept template “{row['title']}” version {row['digest'][:8]}",
            after={"digest": row["digest"], "origin": row["origin"]},
        )


def beginning_with(conn: sa.Connection, prefix: str) -> list[Row]:
    """The rows whose digest begins so; at most two."""
    near = sa.select(_VERSION).where(_VERSION.c.digest.startswith(prefix, autoescape=True)).limit(2)
    return list(conn.execute(near).mappings().all())
