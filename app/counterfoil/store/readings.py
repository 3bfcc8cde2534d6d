"""What of a gate was on a person's screen: which digest, which parts, when. A gate that changed since is unread again."""

from __future__ import annotations

import json
from collections.abc import Sequence

import sqlalchemy as sa
from sqlalchemy.dialects.sqlite import insert

from counterfoil.store import tables
from counterfoil.store.transactions import Row, Txn

_READING = tables.reading
_KEY = ["gate_id", "principal"]


def get(conn: sa.Connection, gate_id: str, principal: str) -> Row | None:
    """The row of a person who has seen a gate, or None."""
    query = sa.select(_READING).where(_READING.c.gate_id == gate_id, _READING.c.principal == principal)
    return conn.execute(query).mappings().first()


def opened_in(row: Row | None) -> tuple[str, ...]:
    """The parts that a row says were in view."""
    return tuple(json.loads(row["opened"])) if row is not None else ()


def mark(txn: Txn, gate_id: str, principal: str, digest: str) -> None:
    """This digest was on the screen; parts that were opened of another one count no more."""
    row = {"gate_id": gate_id, "principal": principal, "digest": digest, "opened": "[]", "read_at": txn.now_us}
    kept = sa.case((_READING.c.digest == digest, _READING.c.opened), else_="[]")
    changed = {"opened": kept, "digest": digest, "read_at": txn.now_us}
    txn.do(insert(_READING).values(row).on_conflict_do_update(index_elements=_KEY, set_=changed))


def note_opened(txn: Txn, gate_id: str, principal: str, digest: str, opened: Sequence[str]) -> None:
    """These parts of this digest were in view."""
    parts = json.dumps(sorted(opened), ensure_ascii=False)
    row = {"gate_id": gate_id, "principal": principal, "digest": digest, "opened": parts, "read_at": txn.now_us}
    changed = {"opened": parts, "digest": digest, "read_at": txn.now_us}
    txn.do(insert(_READING).values(row).on_conflict_do_update(index_elements=_KEY, set_=changed))
