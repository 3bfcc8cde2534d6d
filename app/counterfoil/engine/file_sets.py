"""The apply set of a gate: all file effects of one approval are applied together, by a journal, once.

The first of them that is awaited applies the whole set; the others answer from the journal. The journal's rows name bytes that are kept
as blobs, so a crash at any point is carried on from rows alone.
"""

from __future__ import annotations

import asyncio
import json
from typing import Any

from counterfoil.engine import killpoints
from counterfoil.engine.holding import Hold, Identity
from counterfoil.engine.ports import FileOp
from counterfoil.store import blobs as blob_rows
from counterfoil.store import file_ops, gates, intents
from counterfoil.store.transactions import Row, Txn

Item = tuple[int, dict[str, Any], dict[str, str | None]]


def _anchor(hold: Hold, identity: Identity) -> str:
    """The gate whose set an intended file effect belongs to."""
    with hold.powers.database.connect() as conn:
        intent = intents.get(conn, hold.run_id, *identity)
    if intent is None or intent["gate_id"] is None:
        raise LookupError("a file effect is always covered by a gate")
    return str(intent["gate_id"])


def items_of(hold: Hold, identity: Identity) -> list[Item]:
    """The file effects of the set: number, body and sealed base, in order."""
    gate_id = _anchor(hold, identity)
    with hold.powers.database.connect() as conn:
        rows = gates.seals(conn, gate_id)
    items = [(row["n"], json.loads(row["body"]), json.loads(row["base"])) for row in rows]
    return [item for item in items if hold.powers.effects.is_file(item[1])]


async def apply(hold: Hold, identity: Identity) -> Any:
    """Apply the set, or what a crash has left of it; the outcome of the effect at this identity.

    Raises:
        Conflict: a file is not what was approved; nothing of the set is written.
        EffectTrouble: the folder could not be written.
    """
    gate_id = _anchor(hold, identity)
    with hold.powers.database.connect() as conn:
        intent = intents.get(conn, hold.run_id, *identity)
        rows = file_ops.of_gate(conn, gate_id)
    n = intent["item"] if intent is not None else 0
    if not rows:
        rows = await _journal(hold, gate_id, identity)
    outcomes = await asyncio.to_thread(_apply_rows, hold, gate_id, rows)
    if any(row["state"] != "applied" for row in rows):
        await hold.do(lambda txn: file_ops.set_state(txn, [row["row"] for row in rows], "applied"), durable=False)
    return outcomes[n]


async def _journal(hold: Hold, gate_id: str, identity: Identity) -> list[Row]:
    items = items_of(hold, identity)
    ops = await asyncio.to_thread(hold.powers.effects.file_ops, items, hold.workspace)
    for op in ops:
        if op.content is not None:
            await asyncio.to_thread(hold.powers.blobs.put, op.content)
    killpoints.reach("after_blob")

    def operation(txn: Txn) -> list[Row]:
        for op in ops:
            if op.content is not None and op.after is not None:
                blob_rows.note(txn, op.after, len(op.content))
        file_ops.add(txn, [_row(hold, gate_id, op) for op in ops])
        return file_ops.of_gate(txn.conn, gate_id)

    rows = await hold.do(operation)
    killpoints.reach("after_journal")
    return rows


def _row(hold: Hold, gate_id: str, op: FileOp) -> dict[str, object]:
    return {
        "gate_id": gate_id,
        "n": op.n,
        "workspace": hold.workspace,
        "op": op.op,
        "path": op.path,
        "target": op.target,
        "before": op.before,
        "after": op.after,
    }


def _apply_rows(hold: Hold, gate_id: str, rows: list[Row]) -> dict[int, Any]:
    ops = [
        FileOp(
            n=row["n"],
            op=row["op"],
            path=row["path"],
            target=row["target"],
            before=row["before"],
            after=row["after"],
            content=None if row["op"] == "move" else hold.powers.blobs.get(row["after"]),
        )
        for row in rows
    ]
    if all(row["state"] == "applied" for row in rows):
        return hold.powers.effects.outcomes(ops)
    return hold.powers.effects.apply_files(ops, hold.workspace, str(hold.powers.database.home.undo / gate_id))


async def rebase(hold: Hold, identity: Identity, fresh_gate: str) -> None:
    """A person approved the set again on what is there now: its journal is made anew from the fresh bases."""
    gate_id = _anchor(hold, identity)

    def operation(txn: Txn) -> None:
        file_ops.forget(txn, gate_id)
        gates.rebase(txn, gate_id, fresh_gate, [item[0] for item in items_of(hold, identity)])

    await hold.do(operation)
