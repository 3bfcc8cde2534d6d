"""What was said between a run and its llms, as documents: turn by turn, with what tools gave, what each answer cost and who gave it."""

from __future__ import annotations

import json
from typing import Any

from counterfoil.clock import iso
from counterfoil.facts import Outcome
from counterfoil.store import llm_calls, permission_rows, records
from counterfoil.store.blobs import Blobs
from counterfoil.store.transactions import Connection, Row
from counterfoil.views.llms import costs_of

Document = dict[str, Any]
Identity = tuple[str, int]


def conversations_of(conn: Connection, blobs: Blobs, run: Row) -> list[Document]:
    """Every conversation of a run, in the order of their branches: `path` and `name` say whose it is, `tools` what it may use, `turns` what
    was told (by the workflow, or as the outcome of a call), what was said and called for then, by which llm, at what cost. An answer
    that is awaited has `said` null. `sources` are what the run has read from outside the team."""
    costs = costs_of(llm_calls.attempts(conn, run["run_id"]))
    answers = {
        (row["path"], row["ordinal"]): row for row in records.of_run(conn, run["run_id"]) if row["kind"] == "llm"
    }
    sources = permission_rows.sources(conn, run["run_id"])
    found: dict[Identity, Document] = {}  # by the identity of the newest turn
    talks: list[Document] = []
    for row in sorted(llm_calls.of_run(conn, run["run_id"]), key=_order):
        identity = (row["path"], row["ordinal"])
        turn = _turn(blobs, row, answers.get(identity), costs.get(identity))
        before = (row["after_path"], row["after_ordinal"]) if row["after_path"] is not None else _compacted(row)
        talk = found.pop(before, None) if before is not None else None
        if talk is None:
            opening = json.loads(blobs.text(row["opening"], row["opening_blob"])) if row["opening"] else {"tools": []}
            names = [tool["name"] for tool in opening["tools"]]
            talk = {"path": row["path"], "name": row["name"], "tools": names, "turns": [], "sources": sources}
            talks.append(talk)
        turn["from_summary"] = row["compacted"] is not None
        talk["turns"].append(turn)
        found[identity] = talk
    return talks


def _order(row: Row) -> list[int]:
    return [*(int(part) for part in row["path"].split("/") if part), row["ordinal"]]


def _compacted(row: Row) -> Identity | None:
    """The turn that a summary stands for."""
    if row["compacted"] is None:
        return None
    path, ordinal = json.loads(row["compacted"])
    return path, ordinal


def _turn(blobs: Blobs, row: Row, record: Row | None, cost: Document | None) -> Document:
    delta = json.loads(blobs.text(row["delta"], row["delta_blob"]))
    answer: Document = {}
    if record is not None and record["outcome"] == Outcome.OK:
        answer = json.loads(blobs.text(record["payload"], record["payload_blob"]))
    return {
        "ordinal": row["ordinal"],
        "asked_at": iso(row["asked_at"]),
        "told": [_told(message) for message in delta],
        "said": answer.get("text"),
        "calls": [{"tool": one["tool"], "args": _args(one["args"])} for one in answer.get("calls", ())],
        "llm": answer.get("llm"),
        "usage": answer.get("usage"),
        "cost": cost,
    }


def _told(message: Document) -> Document:
    if "said" in message:
        return {"tool": None, "outcome": None, "text": message["said"]}
    return {"tool": message["tool"], "outcome": message["outcome"], "text": message["text"]}


def _args(text: str) -> Any:
    """The arguments of a call; as text where an llm wrote no JSON."""
    try:
        return json.loads(text)
    except ValueError:
        return text
