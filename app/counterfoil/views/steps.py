"""The steps of one run as the contract writes them: what is recorded, and in front of it what is begun, retried or waited for.

Records are the truth; attempts, intents, timers and gates only speak for identities that have no record yet.
"""

from __future__ import annotations

import json
from typing import Any

from counterfoil.clock import iso
from counterfoil.facts import AttemptState, GateState, NoticeKind, Outcome, RunState, Slot, StepKind
from counterfoil.store import gates, intents, llm_calls, notices, records, timers
from counterfoil.store.blobs import Blobs
from counterfoil.store.transactions import Connection, Row
from counterfoil.views.llms import costs_of, down
from counterfoil.views.plain import kept

Document = dict[str, Any]
Identity = tuple[str, int]

# What the engine records beyond the contract's kinds is a plain step to a reader.
_KINDS = {str(StepKind.RACE): "step", str(StepKind.LOOKUP): "step"}
_RECORDED = {str(Outcome.OK): "done", str(Outcome.FAILED): "failed", str(Outcome.CANCELLED): "skipped"}


def steps_of(conn: Connection, blobs: Blobs, run: Row) -> list[Document]:
    """Every step of a run in the order of its branches (contract.md 4)."""
    said = effect_summaries(conn, blobs, run)
    found = {
        identity: {**step, "summary": step["summary"] or said.get(identity)} for identity, step in _kept(conn, run)
    }
    known = frozenset(found)
    for source in (_attempted, _intended, _told, _timed, _asked, _silent):
        for identity, step in source(conn, run):
            if identity not in known:
                found[identity] = _merged(
                    found.get(identity), {**step, "summary": step["summary"] or said.get(identity)}
                )
    if run["state"] == RunState.RUNNING and run["activity"] and not _in_the_middle(found):
        identity = ("", max((_order(one)[0] for one in found), default=-1) + 1)  # a branch stands for what opened it
        found.setdefault(identity, _step(*identity, "step", "", "running", summary=run["activity"]))
    costs = costs_of(llm_calls.attempts(conn, run["run_id"]))
    ordered = [
        {**found[identity], "cost": costs.get(identity)} for identity in sorted(found, key=_order) if identity[1] >= 0
    ]
    return [{**step, "kind": step["kind"] or "step"} for step in ordered]


def _kept(conn: Connection, run: Row) -> list[tuple[Identity, Document]]:
    return [((row["path"], row["ordinal"]), _recorded(row)) for row in records.of_run(conn, run["run_id"])]


def effect_summaries(conn: Connection, blobs: Blobs, run: Row) -> dict[Identity, str]:
    """What the plan of its gate said of each effect that was begun under an approval."""
    found: dict[Identity, str] = {}
    plans: dict[str, list[Document]] = {}
    for row in intents.of_run(conn, run["run_id"]):
        if row["gate_id"] is None:
            continue
        if row["gate_id"] not in plans:
            gate = gates.get(conn, row["gate_id"])
            plans[row["gate_id"]] = kept(blobs, gate["spec"], gate["spec_blob"])["plan"]
        item = next((entry for entry in plans[row["gate_id"]] if entry["n"] == row["item"]), None)
        if item is not None:
            found[(row["path"], row["ordinal"])] = item["summary"]
    return found


def _in_the_middle(found: dict[Identity, Document]) -> bool:
    return any(step["state"] in ("running", "retrying") for step in found.values())


def _order(identity: Identity) -> list[int]:
    """Branches stand behind the step that opened them: "0/2" step 1 is 0, 2, 1."""
    path, ordinal = identity
    return [*(int(part) for part in path.split("/") if part), ordinal]


def _step(path: str, ordinal: int, kind: str, name: str, state: str, **more: Any) -> Document:
    return {
        "path": path,
        "name": name,
        "ordinal": ordinal,
        "kind": kind,
        "state": state,
        "attempts": more.get("attempts", 0),
        "started_at": iso(more.get("started_at")),
        "ended_at": iso(more.get("ended_at")),
        "key": more.get("key"),
        "summary": more.get("summary"),
        "cost": None,
    }


def _merged(before: Document | None, step: Document) -> Document:
    """A later source knows the state better; what it does not know, and when it began, is kept from the earlier one."""
    if before is None:
        return step
    known = {key: value for key, value in before.items() if step[key] in (None, "", 0)}
    known["name"] = before["name"] or step["name"]
    return {**step, **known, "started_at": before["started_at"] or step["started_at"]}


def _recorded(row: Row) -> Document:
    summary = row["summary"]
    if summary is None and row["outcome"] == Outcome.FAILED and not row["payload_blob"]:
        failure = json.loads(row["payload"])
        summary = failure.get("message") if isinstance(failure, dict) else None
    return _step(
        row["path"],
        row["ordinal"],
        _KINDS.get(row["kind"], row["kind"]),
        row["name"],
        _RECORDED[row["outcome"]],
        attempts=row["attempts"],
        started_at=row["started_at"],
        ended_at=row["committed_at"],
        key=row["key"],
        summary=summary,
    )


def _attempted(conn: Connection, run: Row) -> list[tuple[Identity, Document]]:
    """Tries without a record: one that failed is tried again, one without an end is in the middle or in doubt."""
    newest: dict[Identity, Row] = {}
    began: dict[Identity, int] = {}
    for row in records.attempts(conn, run["run_id"]):
        identity = (row["path"], row["ordinal"])
        newest[identity] = row
        began.setdefault(identity, row["started_at"])
    return [
        (
            identity,
            _step(
                *identity,
                _KINDS.get(row["kind"], row["kind"]),
                row["name"],
                "retrying" if row["state"] == AttemptState.FAILED and run["state"] != RunState.RUNNING else _begun(run),
                attempts=row["n"],
                started_at=began[identity],
                summary=row["message"],
            ),
        )
        for identity, row in newest.items()
    ]


def _intended(conn: Connection, run: Row) -> list[tuple[Identity, Document]]:
    found = []
    for row in intents.open_ones(conn, run["run_id"]):
        identity = (row["path"], row["ordinal"])
        state = _begun(run)
        found.append(
            (identity, _step(*identity, "effect", row["kind"], state, started_at=row["committed_at"], key=row["key"]))
        )
    return found


def _told(conn: Connection, run: Row) -> list[tuple[Identity, Document]]:
    """Calls of llms that were begun; without a record they are in the middle, or nobody knows."""
    tries: dict[Identity, list[Row]] = {}
    for row in llm_calls.attempts(conn, run["run_id"]):
        tries.setdefault((row["path"], row["ordinal"]), []).append(row)
    again = {(row["path"], row["ordinal"]): row["due_at"] for row in timers.pending(conn, run["run_id"])}
    return [
        (
            (row["path"], row["ordinal"]),
            _step(
                row["path"],
                row["ordinal"],
                "llm",
                row["name"],
                _begun(run),
                attempts=len(tries.get((row["path"], row["ordinal"]), ())),
                started_at=row["asked_at"],
                summary=down(tries.get((row["path"], row["ordinal"]), ()), again.get((row["path"], row["ordinal"]))),
            ),
        )
        for row in llm_calls.of_run(conn, run["run_id"])
    ]


def _begun(run: Row) -> str:
    """What a begun effect without an outcome is: in the middle while the run is advanced, else nobody knows."""
    return "running" if run["state"] == RunState.RUNNING else "unknown"


def _timed(conn: Connection, run: Row) -> list[tuple[Identity, Document]]:
    found = []
    for row in timers.pending(conn, run["run_id"]):
        identity = (row["path"], row["ordinal"])
        until = f"until {iso(row['due_at'])}"
        if row["kind"] == "sleep":
            step = _step(*identity, "timer", "sleep", "waiting", started_at=row["set_at"], summary=until)
        else:
            step = _step(*identity, "", "", "retrying", started_at=row["set_at"], summary=None)
        found.append((identity, step))
    return found


def _asked(conn: Connection, run: Row) -> list[tuple[Identity, Document]]:
    """Gates that stand before an outcome: open ones, and decided ones that the run has not taken up yet."""
    found = []
    for row in gates.of_run(conn, run["run_id"]):
        if row["taken_at"] is not None or row["state"] not in (GateState.OPEN, GateState.DECIDED, GateState.EXPIRED):
            continue
        identity = (row["path"], row["ordinal"])
        word = "waits in" if row["state"] == GateState.OPEN else f"{row['state']} in"
        summary = f"{word} g-{row['number']}: {row['title']}"
        found.append((identity, _standing(row, identity, summary)))
    return found


def _standing(row: Row, identity: Identity, summary: str) -> Document:
    if row["slot"] == Slot.OUTCOME:
        name = "ask" if row["kind"] == "question" else "approve"
        return _step(*identity, "gate", name, "waiting", started_at=row["asked_at"], summary=summary)
    kind = {str(Slot.FAILURE): "", str(Slot.BUDGET): "llm"}.get(row["slot"], "effect")
    state = "unknown" if row["slot"] == Slot.DOUBT else "waiting"
    return _step(*identity, kind, _name_in(row), state, started_at=row["asked_at"], summary=summary)


def _silent(conn: Connection, run: Row) -> list[tuple[Identity, Document]]:
    """What of a run has said nothing for its limit: a step of its process has no row before it has ended, and is known by that alone."""
    row = notices.newest(conn, NoticeKind.SILENT, run["run_id"])
    if row is None or row["closed_at"] is not None or run["state"] != RunState.RUNNING:
        return []
    return [
        (
            (step["path"], step["ordinal"]),
            _step(step["path"], step["ordinal"], step["kind"], step["name"], "running", summary=None),
        )
        for step in notices.body_of(row)["steps"]
    ]


def _name_in(row: Row) -> str:
    """What the gate of the runner's own is about, where no other row names it."""
    if row["spec_blob"]:
        return ""
    spec = json.loads(row["spec"])
    about = spec.get("about") or {}
    planned = spec["plan"][0]["body"]["kind"] if spec.get("plan") else ""
    return str(about.get("effect") or about.get("step") or planned)
