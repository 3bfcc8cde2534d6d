"""Runs as the contract writes them: one for a list, and the whole of one with its steps, effects, checkpoint and files."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from counterfoil.clock import iso
from counterfoil.errors import Damaged
from counterfoil.facts import RunState, StepKind
from counterfoil.places import Home
from counterfoil.policy.protection import code_of
from counterfoil.store import (
    file_ops,
    firings,
    gates,
    intents,
    llm_calls,
    notices,
    records,
    runs,
    stage_rows,
    timers,
    undoings,
)
from counterfoil.store.blobs import Blobs
from counterfoil.store.transactions import Connection, Row
from counterfoil.views.checkpoint import checkpoint_of
from counterfoil.views.damage import reading_run, way_out, without_stop
from counterfoil.views.effect_names import kind_name
from counterfoil.views.gates import gate_documents
from counterfoil.views.llms import money
from counterfoil.views.plain import contract, kept, recorded
from counterfoil.views.steps import steps_of

Document = dict[str, Any]


def run_document(conn: Connection, blobs: Blobs, row: Row) -> Document:
    """One run (contract.md 4) from its row."""
    return run_documents(conn, blobs, [row])[0]


def run_documents(conn: Connection, blobs: Blobs, rows: Sequence[Row]) -> list[Document]:
    """Many runs, with one read for all their open gates."""
    living = [row["run_id"] for row in rows if row["ended_at"] is None]
    asked: dict[str, list[Row]] = {}
    for gate in gates.open_of_runs(conn, living):
        asked.setdefault(gate["run_id"], []).append(gate)
    undone = undoings.extents(conn, [row["run_id"] for row in rows])
    silent = notices.silent(conn) if living else {}
    return [
        {
            **_document(conn, blobs, row, asked.get(row["run_id"], []), undone.get(row["run_id"])),
            "silent": notices.body_of(silent[row["run_id"]])["steps"] if row["run_id"] in silent else None,
        }
        for row in rows
    ]


def run_detail(conn: Connection, blobs: Blobs, home: Home, row: Row) -> Document:
    """One run with what only `show RUN` tells: steps, effects, checkpoint, files, what was given to it, its copy, when a schedule
    planned it for, and the run that it does again.

    Raises:
        RunDamaged: something of it cannot be read.
    """
    with reading_run(conn, row):
        _error(row), _result(blobs, row), recorded(row["parameters"])  # which a list may leave out
        return _detail(conn, blobs, home, row)


def run_outline(conn: Connection, blobs: Blobs, row: Row) -> Document:
    """As `run_detail` of a run that cannot be read: what its own row and the files it wrote tell, nothing of its steps."""
    return {
        **run_document(conn, blobs, row),
        "steps": [],
        "effects": [],
        "checkpoint": {"where": None, "middle": None, "paid": None, "resumptions": []},
        "files": [_file(op) for op in file_ops.of_run(conn, row["run_id"])],
        "given": [],
    }


def _detail(conn: Connection, blobs: Blobs, home: Home, row: Row) -> Document:
    steps = steps_of(conn, blobs, row)
    return {
        **run_document(conn, blobs, row),
        "steps": steps,
        "effects": _effects(conn, blobs, row, steps),
        "checkpoint": checkpoint_of(conn, home, row, steps),
        "files": [_file(op) for op in file_ops.of_run(conn, row["run_id"])],
        "given": _given(conn, row["run_id"]),
        "planned_at": iso(row["planned_at"]),
        "start_reason": _start_reason(conn, row),
        "copy": _copy(stage_rows.of(conn, row["run_id"])),
        "again_of": _again_of(conn, row),
        "note": _note(row),
    }


def _note(row: Row) -> Document | None:
    """What a person found out of what was not undone: who, when, the words."""
    note = runs.note_of(row)
    return None if note is None else {**note, "at": iso(note["at"])}


def _again_of(conn: Connection, row: Row) -> Document | None:
    """The run that this one does again: from which step of its root branch on (null: from the beginning), and why somebody wanted it."""
    if row["again_of"] is None:
        return None
    before = runs.get(conn, row["again_of"])
    return {
        "run_id": before["run_id"],
        "number": before["number"],
        "ordinal": row["again_from"],
        "reason": row["reason"] or "",
    }


def _start_reason(conn: Connection, row: Row) -> str | None:
    """Why a run of a schedule started when it did: late after sleep, by files that came; None where it was on time, or a person's."""
    firing = firings.of_run(conn, row["run_id"]) if row["planned_at"] else None
    return (firing["reason"] or None) if firing else None


def _copy(row: Row | None) -> Document | None:
    """The run's copy of its workspace: as of when, how much, and what is not in it and why; None before it was made."""
    if row is None:
        return None
    left_out = json.loads(row["left_out"])
    return {
        "files_as_of": iso(row["taken_at"]),
        "files": row["files"],
        "bytes": row["octets"],
        "left_out": [{"path": path, "why": why} for path, why in left_out["paths"]],
        "left_out_counts": left_out["counts"],
    }


def _document(conn: Connection, blobs: Blobs, row: Row, asked: Sequence[Row], undone: str | None) -> Document:
    parameters, result, error = _told(blobs, row)
    return {
        "run_id": row["run_id"],
        "number": row["number"],
        "template": row["template"],
        "version": row["version"],
        "workspace": row["workspace"],
        "title": row["title"],
        "state": row["state"],
        "wait": _wait(conn, row, asked),
        "created_at": iso(row["created_at"]),
        "started_at": iso(row["started_at"]),
        "ended_at": iso(row["ended_at"]),
        "started_by": row["started_by"],
        "parameters": parameters,
        "gates": gate_documents(conn, blobs, asked),
        "result": result,
        "error": error,
        "cost": money(llm_calls.cost_of(conn, row["run_id"])),
        "isolation": code_of(row["isolation"]),
        "undone": undone,
    }


def _told(blobs: Blobs, row: Row) -> tuple[Any, Any, Document | None]:
    """Parameters, result and error; where one of them cannot be read, an error that says so: a list goes on with the other runs."""
    try:
        return recorded(row["parameters"]), _result(blobs, row), _error(row)
    except (Damaged, ValueError) as problem:
        said = f"What was kept of this run cannot be read: {without_stop(problem)}."
        return {}, None, {"kind": "Damaged", "message": said, "step": None, "next": way_out(row["number"])}


def _wait(conn: Connection, row: Row, asked: Sequence[Row]) -> Document | None:
    """What a suspended run waits for: a person before a timer, and of several the one that ends first."""
    if row["state"] != RunState.WAITING:
        return None
    if asked:
        gate = min(asked, key=lambda gate: (gate["due_at"] or float("inf"), gate["number"]))
        return {"kind": "gate", "on": gate["gate_id"], "until": iso(gate["due_at"])}
    pending = timers.pending(conn, row["run_id"])
    if pending:
        timer = pending[0]
        return {"kind": "timer", "on": timer["kind"], "until": iso(timer["due_at"])}
    return None


def _result(blobs: Blobs, row: Row) -> Any:
    """A result over 64 KiB lies in a blob that the row names."""
    told = json.loads(row["result"]) if row["result"] is not None else None
    if isinstance(told, dict) and "$blob_text" in told:
        told = kept(blobs, told["$blob_text"], in_blob=True)
    return contract(told)


def _error(row: Row) -> Document | None:
    if row["error"] is None:
        return None
    told = json.loads(row["error"])
    doubts = [kind_name(doubt["effect"]) for doubt in told.get("in_doubt") or []]
    message = told.get("message")
    return {
        "kind": told.get("kind"),
        "message": f"{message}; whether it happened is not known of: {', '.join(doubts)}" if doubts else message,
        "step": told.get("step"),
        "next": told.get("next") or f"See what was done before it stopped: counterfoil show r-{row['number']}",
    }


def _effects(conn: Connection, blobs: Blobs, row: Row, steps: Sequence[Document]) -> list[Document]:
    """What the run did, began or asked to do outside itself, in step order; `origin` says so where an outcome was not seen
    but looked up or told by a person."""
    begun = {(intent["path"], intent["ordinal"]): intent for intent in intents.of_run(conn, row["run_id"])}
    ended = {
        (entry["path"], entry["ordinal"]): entry
        for entry in records.of_run(conn, row["run_id"])
        if entry["kind"] == StepKind.EFFECT
    }
    found = []
    for step in steps:
        identity = (step["path"], step["ordinal"])
        if step["kind"] != "effect":
            continue
        intent, record = begun.get(identity), ended.get(identity)
        found.append(
            {
                "path": step["path"],
                "ordinal": step["ordinal"],
                "effect": intent["kind"] if intent else step["name"],
                "summary": step["summary"],
                "state": step["state"],
                "attempts": step["attempts"],
                "key": intent["key"] if intent else step["key"],
                "policy": intent["policy"] if intent else None,
                "gate_id": intent["gate_id"] if intent else None,
                "item": intent["item"] if intent else None,
                "began_at": iso(intent["committed_at"]) if intent else step["started_at"],
                "ended_at": step["ended_at"],
                "outcome": contract(kept(blobs, record["payload"], record["payload_blob"])) if record else None,
                "origin": record["origin"] if record else None,
            }
        )
    return found


def _given(conn: Connection, run_id: str) -> list[Document]:
    """Files that people gave in place of ones that a step had read, in the run's copy alone: whose, when, and the seal of the bytes."""
    found = []
    for one, gate_id in stage_rows.given_to(conn, run_id):
        made = gates.decisions(conn, gate_id)[-1]
        file = json.loads(made["answers"])["file"]
        found.append(
            {
                "path": one.change.file,
                "name": file["name"],
                "sha256": one.change.sha,
                "bytes": one.change.size,
                "by": made["principal"],
                "at": iso(made["at"]),
                "gate_id": gate_id,
                "step": {"path": one.path, "ordinal": one.ordinal},
            }
        )
    return found


def _file(op: Row) -> Document:
    return {
        "op": op["op"],
        "path": op["path"],
        "target": op["target"],
        "before_digest": op["before"],
        "after_digest": op["after"],
        "state": op["state"],
        "gate_id": op["gate_id"],
    }
