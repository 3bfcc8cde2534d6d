"""The home's append-only chain: each entry's hash covers the entry and the hash before it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from typing import Any

import sqlalchemy as sa

from counterfoil.facts import storable
from counterfoil.store import tables
from counterfoil.store.transactions import Prepared, Row, Txn

START = "0" * 64
_TRAIL = tables.trail.c
_LAST = Prepared(lambda: sa.select(_TRAIL.seq, _TRAIL.hash, _TRAIL.at).order_by(_TRAIL.seq.desc()).limit(1))
_INSERT = Prepared(lambda: sa.insert(tables.trail), [column.name for column in tables.trail.c])


def append(txn: Txn, *, by: str, kind: str, subject: str, summary: str, before: Any = None, after: Any = None) -> str:
    """Add one entry; its hash. `before` and `after` are plain JSON values, or None where there is none."""
    last = _LAST.first(txn.conn, {})
    entry: dict[str, Any] = {
        "seq": (last["seq"] if last else 0) + 1,
        "at": txn.now_us,
        "by": by,
        "kind": kind,
        "subject": subject,
        "summary": storable(summary),
        "before": None if before is None else storable(json.dumps(before, sort_keys=True, ensure_ascii=False)),
        "after": None if after is None else storable(json.dumps(after, sort_keys=True, ensure_ascii=False)),
        "prev_hash": last["hash"] if last else START,
    }
    entry["hash"] = entry_hash(entry)
    _INSERT.run(txn.conn, entry)
    return str(entry["hash"])


def newest(conn: sa.Connection) -> Row | None:
    """The number (`seq`), hash and instant (`at`) of the newest entry; None where there is none."""
    return _LAST.first(conn, {})


def has(conn: sa.Connection, seq: int, hash_: str) -> bool:
    """Whether an entry of this number has this hash, and so follows from the same entries."""
    return conn.execute(sa.select(_TRAIL.seq).where(_TRAIL.seq == seq, _TRAIL.hash == hash_)).first() is not None


def entry_hash(entry: dict[str, Any] | Row) -> str:
    """SHA-256 over the entry's fields as a JSON list, the hash before it included."""
    names = ("seq", "at", "by", "kind", "subject", "summary", "before", "after", "prev_hash")
    text = json.dumps([entry[name] for name in names], ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def entries(conn: sa.Connection, *, subject: str | None = None, limit: int | None = None) -> list[Row]:
    """Entries, oldest first; of one subject, or the newest `limit`."""
    query = sa.select(tables.trail).order_by(tables.trail.c.seq.desc())
    if subject is not None:
        query = query.where(tables.trail.c.subject.in_([subject]))
    if limit is not None:
        query = query.limit(limit)
    return list(reversed(conn.execute(query).mappings().all()))


def stream(conn: sa.Connection) -> Iterator[Row]:
    """Every entry, oldest first, without holding them all."""
    query = sa.select(tables.trail).order_by(tables.trail.c.seq)
    yield from conn.execute(query.execution_options(yield_per=1000)).mappings()


def head_in(row: Row) -> str | None:
    """The record head of a run that an entry notes; None where it notes none."""
    if row["after"] is None:
        return None
    told = json.loads(row["after"])
    head = told.get("head") if isinstance(told, dict) else None
    return head if isinstance(head, str) else None
