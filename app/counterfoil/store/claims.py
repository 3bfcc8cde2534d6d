"""Claims: what a gate would take for its run alone, so that of two runs only one can be approved for it."""

from __future__ import annotations

from collections.abc import Sequence

import sqlalchemy as sa

from counterfoil.store import tables
from counterfoil.store.transactions import Row, Txn

_CLAIM = tables.claim
_GATE = tables.gate
_SEAL = tables.seal


def of_gate(conn: sa.Connection, gate_id: str) -> list[str]:
    """The claim keys of a gate."""
    return list(
        conn.execute(sa.select(_CLAIM.c.key).where(_CLAIM.c.gate_id == gate_id).order_by(_CLAIM.c.key)).scalars()
    )


def hold(txn: Txn, gate_id: str) -> None:
    """The gate was approved: its claims are held by its run from now on."""
    txn.do(sa.update(_CLAIM).where(_CLAIM.c.gate_id == gate_id).values(held=True))


def rivals(conn: sa.Connection, workspace: str, keys: Sequence[str], run_id: str, *, held_only: bool) -> list[Row]:
    """Claims of other runs on these keys: key, held, and the run's number and gate's number."""
    found: list[Row] = []
    for start in range(0, len(keys), 500):
        query = (
            sa.select(
                _CLAIM.c.key,
                _CLAIM.c.held,
                tables.run.c.number.label("run_number"),
                _GATE.c.number.label("gate_number"),
            )
            .join(tables.run, tables.run.c.run_id == _CLAIM.c.run_id)
            .join(_GATE, _GATE.c.gate_id == _CLAIM.c.gate_id)
            .where(
                _CLAIM.c.workspace == workspace, _CLAIM.c.run_id != run_id, _CLAIM.c.key.in_(keys[start : start + 500])
            )
            .order_by(_CLAIM.c.held.desc(), tables.run.c.number)
        )
        if held_only:
            query = query.where(_CLAIM.c.held.is_(True))
        found.extend(conn.execute(query).mappings().all())
    return found


def drop(txn: Txn, gate_id: str) -> None:
    """What a gate was approved for will not be done under it: it claims nothing any more."""
    txn.do(sa.delete(_CLAIM).where(_CLAIM.c.gate_id == gate_id))


def release(txn: Txn, run_id: str) -> None:
    """A run has ended: what its gates claimed stays taken only where an effect was performed, or may have been.

    An intent of a file effect without a journal has touched nothing.
    """
    record, intent, op = tables.record, tables.intent, tables.file_op
    same_record = sa.and_(
        record.c.run_id == run_id, record.c.path == _SEAL.c.spent_at_path, record.c.ordinal == _SEAL.c.spent_at_ordinal
    )
    performed = sa.select(sa.literal(1)).where(same_record, record.c.outcome == "ok").exists()
    ended = sa.select(sa.literal(1)).where(same_record).exists()
    begun = sa.select(sa.literal(1)).where(op.c.gate_id == _SEAL.c.gate_id).exists()
    of_files = (
        sa.select(sa.literal(1))
        .where(
            intent.c.run_id == run_id,
            intent.c.path == _SEAL.c.spent_at_path,
            intent.c.ordinal == _SEAL.c.spent_at_ordinal,
            intent.c.kind.in_(["write_file@1", "append_rows@1", "move_files@1"]),
        )
        .exists()
    )
    in_doubt = sa.and_(~ended, sa.or_(begun, ~of_files))
    kept = sa.select(_SEAL.c.gate_id).where(_SEAL.c.spent_at_path.is_not(None), sa.or_(performed, in_doubt))
    txn.do(sa.delete(_CLAIM).where(_CLAIM.c.run_id == run_id, _CLAIM.c.gate_id.not_in(kept)))
