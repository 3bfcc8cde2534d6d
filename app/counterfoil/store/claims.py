"""Claims: what a gate would take for its run alone, so that of two runs only one can be approved for it."""

from __future__ import annotations

from collections.abc import Sequence

import sqlalchemy as sa

from counterfoil.facts import FILE_EFFECTS
from counterfoil.store import file_tables, tables
from counterfoil.store.transactions import Prepared, Row, Txn, any_of

_CLAIM = tables.claim
_GATE = tables.gate
_SEAL = tables.seal
_GIVING = tables.giving


_AT_GATE = _CLAIM.c.gate_id == sa.bindparam("gid", type_=sa.String)
_KEYS = Prepared(lambda: sa.select(_CLAIM.c.key).where(_AT_GATE).order_by(_CLAIM.c.key))
_HOLD = Prepared(lambda: sa.update(_CLAIM).where(_AT_GATE).values(held=True))
_DROP = Prepared(lambda: sa.delete(_CLAIM).where(_AT_GATE))


def _release() -> sa.Delete:
    """By the run's gates, and not by all that was ever claimed or sealed: every run ends with it."""
    record, intent, op = tables.record, tables.intent, file_tables.file_op
    rid: sa.BindParameter[str] = sa.bindparam("rid")
    one: sa.ColumnClause[int] = sa.literal_column("1")

    def spent_in(table: sa.Table) -> tuple[sa.ColumnElement[bool], ...]:
        return (
            table.c.run_id == rid,
            table.c.path == _SEAL.c.spent_at_path,
            table.c.ordinal == _SEAL.c.spent_at_ordinal,
        )

    performed = sa.select(one).where(*spent_in(record), record.c.outcome == "ok").exists()
    ended = sa.select(one).where(*spent_in(record)).exists()
    begun = sa.select(one).where(op.c.gate_id == _SEAL.c.gate_id).exists()
    of_files = (
        sa.select(one).where(*spent_in(intent), any_of(intent.c.kind, [f"{name}@1" for name in FILE_EFFECTS])).exists()
    )
    in_doubt = sa.and_(~ended, sa.or_(begun, ~of_files))
    kept = (
        sa.select(one)
        .where(_SEAL.c.gate_id == _CLAIM.c.gate_id, _SEAL.c.spent_at_path.is_not(None), sa.or_(performed, in_doubt))
        .exists()
    )
    return sa.delete(_CLAIM).where(_CLAIM.c.gate_id.in_(sa.select(_GATE.c.gate_id).where(_GATE.c.run_id == rid)), ~kept)


_RELEASE = Prepared(_release)


def of_gate(conn: sa.Connection, gate_id: str) -> list[str]:
    """The claim keys of a gate."""
    return [row["key"] for row in _KEYS.all(conn, {"gid": gate_id})]


def hold(txn: Txn, gate_id: str) -> None:
    """The gate was approved: its claims are held by its run from now on."""
    _HOLD.run(txn.conn, {"gid": gate_id})


def rivals(conn: sa.Connection, workspace: str, keys: Sequence[str], run_id: str, *, held_only: bool) -> list[Row]:
    """Claims of other runs on these keys: key, held, the run's number, the gate and what it shows, whom it was given to (or null)."""
    found: list[Row] = []
    for start in range(0, len(keys), 500):
        query = (
            sa.select(
                _CLAIM.c.key,
                _CLAIM.c.held,
                tables.run.c.number.label("run_number"),
                _CLAIM.c.gate_id,
                _GATE.c.spec,
                _GATE.c.spec_blob,
                _GIVING.c.asked,
            )
            .join(tables.run, tables.run.c.run_id == _CLAIM.c.run_id)
            .join(_GATE, _GATE.c.gate_id == _CLAIM.c.gate_id)
            .outerjoin(_GIVING, _GIVING.c.gate_id == _CLAIM.c.gate_id)
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
    _DROP.run(txn.conn, {"gid": gate_id})


def release(txn: Txn, run_id: str) -> None:
    """A run has ended: what its gates claimed stays taken only where an effect was performed, or may have been.

    An intent of a file effect without a journal has touched nothing.
    """
    _RELEASE.run(txn.conn, {"rid": run_id})
