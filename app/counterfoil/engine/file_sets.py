"""The apply set of a gate: all file effects of one approval are applied together, by a journal, once.

The first of them that is awaited applies the whole set; the others answer from the journal. The journal's rows name bytes that are kept
as blobs, so a crash at any point is carried on from rows alone.
"""

from __future__ import annotations

import asyncio
import json
from typing import Any

from counterfoil.engine import killpoints, staging
from counterfoil.engine.conflicts import Performed, performed
from counterfoil.engine.holding import Hold, Identity
from counterfoil.engine.ports import ROOT, FileOp
from counterfoil.store import blob_rows, claims, file_ops, gates, intents, seals
from counterfoil.store.transactions import Connection, Row, Txn


def _intent(conn: Connection, hold: Hold, identity: Identity) -> Row:
    """The intent of a file effect; it always names the gate whose set it belongs to."""
    intent = intents.get(conn, hold.run_id, *identity)
    if intent is None or intent["gate_id"] is None:
        raise LookupError("a file effect is always covered by a gate")
    return intent


def items_of(conn: Connection, hold: Hold, identity: Identity) -> list[Performed]:
    """The file effects of the set as they are performed, in order."""
    rows = seals.of_gate(conn, _intent(conn, hold, identity)["gate_id"])
    of_files = [row for row in rows if hold.powers.effects.is_file(json.loads(row["body"]))]
    return [performed(row["n"], row["body"], row["base"], row["instead"]) for row in of_files]


async def apply(hold: Hold, identity: Identity) -> Any:
    """Apply the set, or what a crash has left of it; the outcome of the effect at this identity.

    Raises:
        Conflict: a file is not what was approved; nothing of the set is written.
        EffectTrouble: the folder could not be written.
    """
    reader = hold.powers.database.reader
    intent = _intent(reader, hold, identity)
    gate_id, n = intent["gate_id"], intent["item"]
    async with hold.locks.setdefault(gate_id, asyncio.Lock()):  # branches may await items of one set side by side
        mine = file_ops.of_item(reader, gate_id, n)
        if mine and all(row["state"] == "applied" for row in mine):  # a set is applied as one, so all of it is
            outcomes = hold.powers.effects.outcomes([op_of(row) for row in mine])
        else:
            outcomes = await _apply_set(hold, gate_id, identity)
    seal = seals.one(reader, gate_id, n)
    notes = performed(n, seal["body"], seal["base"], seal["instead"]).notes if seal is not None else {}
    return {**outcomes.get(n, {}), **notes}


async def _apply_set(hold: Hold, gate_id: str, identity: Identity) -> dict[int, Any]:
    rows = file_ops.of_gate(hold.powers.database.reader, gate_id) or await _journal(hold, gate_id, identity)
    outcomes = await asyncio.to_thread(_apply_rows, hold, gate_id, rows)
    if any(row["state"] != "applied" for row in rows):
        await staging.take_over(hold, rows)
    return outcomes


async def _journal(hold: Hold, gate_id: str, identity: Identity) -> list[Row]:
    items = items_of(hold.powers.database.reader, hold, identity)
    flat = [(item.n, body, item.base) for item in items for body in item.bodies]
    ops = await asyncio.to_thread(hold.powers.effects.file_ops, flat, hold.workspace)
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
        "executable": op.executable,
        "size": op.size,
    }


def _apply_rows(hold: Hold, gate_id: str, rows: list[Row]) -> dict[int, Any]:
    ops = [op_of(row) for row in rows]
    if all(row["state"] == "applied" for row in rows):
        return hold.powers.effects.outcomes(ops)
    bases = [json.loads(seal["base"]) for seal in seals.of_gate(hold.powers.database.reader, gate_id)]
    root = next((base[ROOT] for base in bases if ROOT in base), None)
    undo = str(hold.powers.database.home.undo / gate_id)
    return hold.powers.effects.apply_files(ops, hold.workspace, undo, root)


def op_of(row: Row) -> FileOp:
    """The op that a row of the journal stands for; the bytes that it writes lie in the blob of its digest."""
    path, target = file_ops.places(row)
    return FileOp(
        row["n"],
        row["op"],
        path,
        target,
        row["before"],
        row["after"],
        executable=row["executable"],
        size=row["size"],
    )


def rebase(txn: Txn, hold: Hold, identity: Identity, fresh_gate: str) -> None:
    """A person said what shall become of files that changed: the journal of the set is made anew from that."""
    gate_id = _intent(txn.conn, hold, identity)["gate_id"]
    file_ops.forget(txn, gate_id)
    seals.rebase(txn, gate_id, fresh_gate)


def void(txn: Txn, hold: Hold, identity: Identity) -> None:
    """The approval behind a set covers nothing any more: what of it is unspent, its journal and its claims are dropped."""
    gate_id = _intent(txn.conn, hold, identity)["gate_id"]
    file_ops.forget(txn, gate_id)
    seals.void(txn, gate_id)
    claims.drop(txn, gate_id)


def anchor_of(conn: Connection, hold: Hold, identity: Identity) -> Row:
    """The gate whose approval a set was begun under."""
    return gates.get(conn, _intent(conn, hold, identity)["gate_id"])
