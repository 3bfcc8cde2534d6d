"""The trail as the contract writes it, with before and after as values."""

from __future__ import annotations

import json
from typing import Any

from counterfoil.clock import iso
from counterfoil.store import history, trail_rows
from counterfoil.store.transactions import Connection, Row

Document = dict[str, Any]


def trail_documents(conn: Connection, *, subject: str | None = None, limit: int | None = None) -> list[Document]:
    """Entries (contract.md 4), oldest first; of one subject (a run's id), or the newest `limit`."""
    return [_document(row) for row in trail_rows.entries(conn, subject=subject, limit=limit)]


def trail_page(conn: Connection, query: str, before: int | None, limit: int) -> list[Document]:
    """Entries that hold every word of a query, newest first, from below an entry's number on."""
    return [_document(row) for row in history.trail_page(conn, query.split(), before, limit)]


def _document(row: Row) -> Document:
    return {
        "seq": row["seq"],
        "at": iso(row["at"]),
        "by": row["by"],
        "kind": row["kind"],
        "subject": row["subject"],
        "summary": row["summary"],
        "before": json.loads(row["before"]) if row["before"] is not None else None,
        "after": json.loads(row["after"]) if row["after"] is not None else None,
        "prev_hash": row["prev_hash"],
        "hash": row["hash"],
    }
