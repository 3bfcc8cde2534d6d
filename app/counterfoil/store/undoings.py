"""Wishes to put back what a run did to files. The window and the command line commit them; the runner, or a command while none lives,
carries them out. Once its plan stands, a wish is carried on from it whatever is killed."""

from __future__ import annotations

import uuid
from collections.abc import Sequence

import sqlalchemy as sa

from counterfoil.authoring.codec import canonical
from counterfoil.store import file_tables, tables
from counterfoil.store.transactions import Row, Txn

_UNDOING = file_tables.undoing
_CHUNK = 500  # ids in one IN list


def ask(txn: Txn, run_id: str, by: str, comment: str, paths: Sequence[str]) -> Row:
    """Commit a wish for these paths; its row."""
    undo_id = uuid.uuid4().hex
    txn.do(
        sa.insert(_UNDOING),
        {
            "undo_id": undo_id,
            "run_id": run_id,
            "by": by,
            "comment": comment,
            "paths": canonical(list(paths)),
            "state": "asked",
            "asked_at": txn.now_us,
        },
    )
    txn.touched.add(run_id)
    return get(txn.conn, undo_id)


def get(conn: sa.Connection, undo_id: str) -> Row:
    """One wish; a KeyError for an unknown id is a bug of the caller."""
    row = conn.execute(sa.select(_UNDOING).where(_UNDOING.c.undo_id == undo_id)).mappings().first()
    if row is None:
        raise KeyError(undo_id)
    return row


def of_run(conn: sa.Connection, run_id: str) -> list[Row]:
    """The wishes for a run, oldest first."""
    query = sa.select(_UNDOING).where(_UNDOING.c.run_id == run_id).order_by(_UNDOING.c.asked_at)
    return list(conn.execute(query).mappings().all())


def extent(conn: sa.Connection, run_id: str) -> str:
    """Whether files of a run were put back: "" (none), partly, wholly."""
    done = sa.select(_UNDOING.c.undo_id).where(_UNDOING.c.run_id == run_id, _UNDOING.c.state == "done").limit(1)
    if conn.execute(done).first() is None:
        return ""
    op, gate = file_tables.file_op, tables.gate
    left = (
        sa.select(op.c.row)
        .join(gate, gate.c.gate_id == op.c.gate_id)
        .where(gate.c.run_id == run_id, op.c.state == "applied")
    )
    return "wholly" if conn.execute(left.limit(1)).first() is None else "partly"


def extents(conn: sa.Connection, run_ids: Sequence[str]) -> dict[str, str]:
    """Of these runs those whose files were put back, partly or wholly."""
    found: set[str] = set()
    for start in range(0, len(run_ids), _CHUNK):
        some = list(run_ids[start : start + _CHUNK])
        query = sa.select(_UNDOING.c.run_id).where(_UNDOING.c.run_id.in_(some), _UNDOING.c.state == "done")
        found.update(conn.execute(query).scalars())
    return {run_id: extent(conn, run_id) for run_id in found}


def asked(conn: sa.Connection) -> list[Row]:
    """Wishes that nobody has carried out yet, oldest first."""
    query = sa.select(_UNDOING).where(_UNDOING.c.state == "asked").order_by(_UNDOING.c.asked_at)
    return list(conn.execute(query).mappings().all())


def begin(txn: Txn, undo_id: str, plan: str) -> None:
    """Keep what will be done, before any of it is."""
    txn.do(sa.update(_UNDOING).where(_UNDOING.c.undo_id == undo_id, _UNDOING.c.plan.is_(None)).values(plan=plan))


def end(txn: Txn, undo_id: str, state: str, message: str) -> bool:
    """Asked -> done | refused; False where it had ended."""
    mine = sa.update(_UNDOING).where(_UNDOING.c.undo_id == undo_id, _UNDOING.c.state == "asked")
    changed = txn.do(mine.values(state=state, message=message, ended_at=txn.now_us))
    if changed:
        txn.touched.add(get(txn.conn, undo_id)["run_id"])
    return changed == 1


def older(conn: sa.Connection, than_us: int) -> list[Row]:
    """Wishes that ended before an instant: what they displaced is kept no longer."""
    return list(conn.execute(sa.select(_UNDOING).where(_UNDOING.c.ended_at < than_us)).mappings().all())
