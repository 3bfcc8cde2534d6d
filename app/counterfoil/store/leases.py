"""The runner's lease: one row says who may advance runs. The fence grows with every holder, so a stale one is harmless."""

from __future__ import annotations

import sqlalchemy as sa

from counterfoil.store import tables
from counterfoil.store.holders import process_lives
from counterfoil.store.transactions import Row, Txn

_RUNNER = tables.runner
TTL_US = 15_000_000  # a holder that has not renewed for 15 s may be replaced


def read(conn: sa.Connection) -> Row | None:
    """The lease row, or None before the first runner."""
    return conn.execute(sa.select(_RUNNER)).mappings().first()


def held_by(conn: sa.Connection, holder: str) -> bool:
    """Whether this holder is the one who may advance runs."""
    row = read(conn)
    return row is not None and row["holder"] == holder


def alive(row: Row | None, now_us: int) -> bool:
    """Whether the holder of a lease lives: it renewed in time, and its process is there."""
    return row is not None and row["expires_at"] > now_us and process_lives(row["pid"])


def take(txn: Txn, holder: str, pid: int, *, previous_is_dead: bool) -> int | None:
    """Take the lease when it is free, expired, or its holder is known to be dead; the new fence, else None."""
    row = read(txn.conn)
    if row is None:
        txn.do(sa.insert(_RUNNER), _row(txn, holder, pid, 1) | {"one": 1})
        return 1
    if row["expires_at"] > txn.now_us and not previous_is_dead:
        return None
    fence = int(row["fence"]) + 1
    txn.do(sa.update(_RUNNER).values(**_row(txn, holder, pid, fence)))
    return fence


def renew(txn: Txn, holder: str) -> bool:
    """Keep the lease; False when somebody else has it."""
    return (
        txn.do(
            sa.update(_RUNNER)
            .where(_RUNNER.c.holder == holder)
            .values(renewed_at=txn.now_us, expires_at=txn.now_us + TTL_US)
        )
        == 1
    )


def release(txn: Txn, holder: str) -> None:
    """Let the next runner in at once."""
    txn.do(sa.update(_RUNNER).where(_RUNNER.c.holder == holder).values(expires_at=txn.now_us))


def _row(txn: Txn, holder: str, pid: int, fence: int) -> dict[str, object]:
    return {
        "holder": holder,
        "pid": pid,
        "fence": fence,
        "started_at": txn.now_us,
        "renewed_at": txn.now_us,
        "expires_at": txn.now_us + TTL_US,
    }
