"""The four questions of a run, answered from rows: where it is kept, what is in the middle, who pays twice, how to check."""

from __future__ import annotations

import json
import sys
from typing import Any

from counterfoil.clock import iso
from counterfoil.facts import FILE_EFFECTS, DoubtPolicy, RunState
from counterfoil.places import Home
from counterfoil.store import intents, llm_calls, records, trail_rows
from counterfoil.store.transactions import Connection, Row
from counterfoil.views.llms import paid_of

Document = dict[str, Any]
_WOULD = {
    str(
        DoubtPolicy.RETRY
    ): "“{name}” would be tried again with the same key: doing it twice is the same as doing it once.",
    str(DoubtPolicy.RECONCILE): "“{name}” would be looked up first; it is done again only if it has not happened.",
    str(DoubtPolicy.ASK): "You would be asked whether “{name}” happened; it is not tried again by itself.",
}
_OF_FILES = "“{name}” would be carried on from its journal: each file is compared by its seal, and only what is missing is done."


def checkpoint_of(conn: Connection, home: Home, run: Row, steps: list[Document]) -> Document:
    """The checkpoint document (contract.md 4); `steps` are the run's step documents."""
    return {
        "where": _where(conn, home, run),
        "middle": _middle(conn, run, steps),
        "paid": paid_of(conn, run, llm_calls.attempts(conn, run["run_id"])),
        "resumptions": [_resumption(row) for row in trail_rows.entries(conn, subject=run["run_id"]) if _is_claim(row)],
    }


def _where(conn: Connection, home: Home, run: Row) -> Document:
    """Before the first record the run itself is the checkpoint."""
    last = records.last(conn, run["run_id"])
    return {
        "file": str(home.database),
        "row": last["row"] if last else None,
        "committed_at": iso(last["committed_at"] if last else run["created_at"]),
        "durability": "fullfsync" if sys.platform == "darwin" else "fsync",
        "bytes": records.size(conn, run["run_id"]),
    }


def _middle(conn: Connection, run: Row, steps: list[Document]) -> Document | None:
    """What stopping right now would leave half done; None where nothing is."""
    pending = intents.open_ones(conn, run["run_id"])
    if pending:
        intent = pending[0]
        return {
            "step": intent["kind"],
            "policy": intent["policy"],
            "would": would_follow(intent, _said(intent, steps)),
        }
    begun = [step for step in steps if step["state"] in ("running", "retrying")]
    if begun:
        name = begun[0]["name"]
        told = f"“{name}”" if name else f"The step at “{begun[0]['summary']}”" if begun[0]["summary"] else ""
    elif run["state"] == RunState.RUNNING:
        name = told = ""
    else:
        return None
    words = f"{told or 'The step that is running'} would start again. {_kept(steps)}"
    return {"step": name or "the step that is running", "policy": str(DoubtPolicy.RETRY), "would": words}


def would_follow(intent: Row, name: str) -> str:
    """What follows for an effect, called so, that is ended in the middle."""
    words = _OF_FILES if intent["kind"].partition("@")[0] in FILE_EFFECTS else _WOULD[intent["policy"]]
    return words.format(name=name)


def _said(intent: Row, steps: list[Document]) -> str:
    """What the plan called an effect, else its kind."""
    identity = (intent["path"], intent["ordinal"])
    found = next((step["summary"] for step in steps if (step["path"], step["ordinal"]) == identity), None)
    return found or str(intent["kind"])


def _kept(steps: list[Document]) -> str:
    done = sum(step["state"] in ("done", "failed", "skipped") for step in steps)
    if done == 0:
        return "Nothing was recorded before it."
    return "1 step before it stays." if done == 1 else f"{done} steps before it stay."


def _is_claim(row: Row) -> bool:
    return bool(row["kind"] == "claim")


def _resumption(row: Row) -> Document:
    told = json.loads(row["after"]) if row["after"] else {}
    return {
        "at": iso(row["at"]),
        "reason": told.get("reason"),
        "from_step": told.get("from_step"),
        "reran": told.get("reran") or [],
        "compensated": told.get("compensated") or [],
        "doubts": told.get("doubts") or [],
    }
