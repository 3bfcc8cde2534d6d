"""The rows that name kept bytes; the bytes themselves are those of `blobs`, which a first look reads without SQLAlchemy."""

from __future__ import annotations

from sqlalchemy.dialects.sqlite import insert

from counterfoil.store import tables
from counterfoil.store.transactions import Txn

_INSERT = insert(tables.blob).on_conflict_do_nothing()


def note(txn: Txn, sha: str, size: int) -> None:
    """Write the row that names a blob."""
    txn.do(_INSERT, {"sha": sha, "size": size, "stored_at": txn.now_us})
