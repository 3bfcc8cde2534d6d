"""What is known of a run's copy of its workspace: when it was taken, and what recorded steps have done to it since.

The rows and the blobs that they name are the truth; the files of a stage can be made from them anew.
"""

from __future__ import annotations

import json
from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

import sqlalchemy as sa
from sqlalchemy.dialects.sqlite import insert

from counterfoil.facts import StepKind
from counterfoil.store import file_tables, tables
from counterfoil.store.transactions import Prepared, Row, Txn

_STAGE = file_tables.stage
_CHANGE = file_tables.staged_change
_MOST = 10_000  # values of one statement
_ADD = Prepared(lambda: sa.insert(_CHANGE), [column.name for column in _CHANGE.c if column.name != "row"])
_OF_RUN = Prepared(
    lambda: (
        sa.select(_CHANGE).where(_CHANGE.c.run_id == sa.bindparam("rid"), ~_CHANGE.c.settled).order_by(_CHANGE.c.row)
    )
)
_GIVEN = Prepared(
    lambda: (
        sa.select(_CHANGE)
        .where(_CHANGE.c.run_id == sa.bindparam("rid"), _CHANGE.c.gate_id.is_not(None))
        .order_by(_CHANGE.c.row)
    )
)
_OF = Prepared(lambda: sa.select(_STAGE).where(_STAGE.c.run_id == sa.bindparam("rid")))


def _last_answer() -> sa.Select[tuple[int | None, int | None]]:
    gate, decision, record = tables.gate, tables.decision, tables.record
    decided = (
        sa.select(sa.func.max(decision.c.effective_at))
        .join(gate, gate.c.gate_id == decision.c.gate_id)
        .where(
            gate.c.run_id == sa.bindparam("rid"),
            decision.c.voided_at.is_(None),
            decision.c.effective_at <= sa.bindparam("now"),
        )
    )
    over = sa.select(sa.func.max(record.c.committed_at)).where(
        record.c.run_id == sa.bindparam("rid"), record.c.kind == str(StepKind.TIMER)
    )
    return sa.select(decided.scalar_subquery(), over.scalar_subquery())


def _note() -> sa.Insert:
    new = insert(_STAGE)
    values = {column.name: column for column in new.excluded if column.name != "run_id"}
    return new.on_conflict_do_update(index_elements=["run_id"], set_=values)


_LAST_ANSWER = Prepared(_last_answer)
_NOTE = Prepared(_note, [column.name for column in _STAGE.c])


@dataclass(frozen=True, slots=True)
class StagedChange:
    """What a step has done to one path of the stage: a whole file (bytes by their digest, permission bits), a folder that is there, or
    something that is gone, with all beneath it."""

    file: str
    kind: Literal["file", "folder", "gone"]
    sha: str | None = None
    size: int = 0
    mode: int = 0


@dataclass(frozen=True, slots=True)
class KeptChange:
    """A change with its row and the identity of its step. `given`: a person gave the file in place of one that the step had read, so the
    run has changed nothing."""

    row: int
    path: str
    ordinal: int
    change: StagedChange
    given: bool = False


def last_answer_us(conn: sa.Connection, run_id: str, now_us: int) -> int | None:
    """When a wait of a run for the outside was last over: a decision took effect, a time came that the workflow had named."""
    found = _LAST_ANSWER.run(conn, {"rid": run_id, "now": now_us}).fetchone()
    return max((at for at in found if at is not None), default=None)


def note(txn: Txn, run_id: str, taken_us: int, files: int, octets: int, left_out: str) -> None:
    """Say when a run's files were taken and what is not among them."""
    values = {"run_id": run_id, "taken_at": taken_us, "files": files, "octets": octets, "left_out": left_out}
    _NOTE.run(txn.conn, values)


def of(conn: sa.Connection, run_id: str) -> Row | None:
    """When a run's files were taken and what is not among them; None before the first time."""
    return _OF.first(conn, {"rid": run_id})


def add(
    txn: Txn, run_id: str, path: str, ordinal: int, changes: Iterable[StagedChange], gate_id: str | None = None
) -> None:
    """Keep what a step has done, in the transaction of its record, or what was given to it at a gate. A path is kept as JSON, which has a
    spelling for any name."""
    for change in changes:
        _ADD.run(
            txn.conn,
            {
                "run_id": run_id,
                "path": path,
                "ordinal": ordinal,
                "file": json.dumps(change.file),
                "kind": change.kind,
                "sha": change.sha,
                "size": change.size,
                "mode": change.mode,
                "settled": False,
                "gate_id": gate_id,
            },
        )


def of_run(conn: sa.Connection, run_id: str) -> list[KeptChange]:
    """What a run has done to its stage and not to its workspace, in order."""
    return [_kept(row) for row in _OF_RUN.all(conn, {"rid": run_id})]


def given_to(conn: sa.Connection, run_id: str) -> list[tuple[KeptChange, str]]:
    """Every file that people gave a run in place of one that a step had read, and the gate where each was given, in order."""
    return [(_kept(row), str(row["gate_id"])) for row in _GIVEN.all(conn, {"rid": run_id})]


def _kept(row: Row) -> KeptChange:
    change = StagedChange(json.loads(row["file"]), row["kind"], row["sha"], row["size"], row["mode"])
    return KeptChange(row["row"], row["path"], row["ordinal"], change, given=row["gate_id"] is not None)


def every(conn: sa.Connection, run_id: str) -> list[Row]:
    """What a run has done to its stage, in order, also what is in its workspace by now."""
    return list(conn.execute(sa.select(_CHANGE).where(_CHANGE.c.run_id == run_id).order_by(_CHANGE.c.row)).mappings())


def carry(txn: Txn, run_id: str, rows: Iterable[Row], settled: Container[str]) -> None:
    """Give a new run what steps of another one have done to its stage; `settled` are the paths that what it keeps of that one has brought
    into the workspace."""
    for row in rows:
        kept = {column.name: row[column.name] for column in _CHANGE.c if column.name != "row"}
        there = row["settled"] and json.loads(row["file"]) in settled
        _ADD.run(txn.conn, kept | {"run_id": run_id, "settled": there})


def settle(txn: Txn, rows: Sequence[int]) -> None:
    """These changes are in the workspace as well."""
    for start in range(0, len(rows), _MOST):
        some = list(rows[start : start + _MOST])
        txn.do(sa.update(_CHANGE).where(_CHANGE.c.row.in_(some)).values(settled=True))
