"""How an answer becomes the next record: a decided gate and a due timer turn into records of the run that waits for them.

This is the seam between a person's decision and the next step: `take` is called when a run is claimed and whenever a held run is told
that something changed.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from counterfoil.authoring.codec import canonical, digest
from counterfoil.facts import GateState, Outcome, RunState, Slot, StepKind, Verdict, person
from counterfoil.store import gates, records, runs, seals, timers, trail_rows
from counterfoil.store.blobs import Blobs
from counterfoil.store.transactions import Row, Txn

_SLOTS = frozenset(Slot)


@dataclass(frozen=True, slots=True)
class Answered:
    """A wait that is over: its identity and what kind of wait it was (a gate's slot, or a timer's kind)."""

    path: str
    ordinal: int
    slot: str


def is_outside(over: Answered) -> bool:
    """Whether a wait was for the outside: a person, or a time that the workflow named. The pause between two tries is not."""
    return over.slot == "sleep" or over.slot in _SLOTS


def take(txn: Txn, blobs: Blobs, run_id: str) -> list[Answered]:
    """Turn every answer that is in effect into a record, and name the other waits that are over."""
    over: list[Answered] = []
    for row in gates.answered(txn.conn, run_id, txn.now_us):
        if row["slot"] == Slot.OUTCOME:
            record_decision(txn, blobs, row)
        over.append(Answered(row["path"], row["ordinal"], row["slot"]))
    for timer in timers.due(txn.conn, txn.now_us, run_id):
        timers.end(txn, run_id, timer["path"], timer["ordinal"], timer["kind"], "fired")
        if timer["kind"] == "sleep":
            _record_timer(txn, timer)
        over.append(Answered(timer["path"], timer["ordinal"], timer["kind"]))
    return over


def drop(txn: Txn, blobs: Blobs, run_id: str) -> None:
    """Take up answers to questions that nothing asks any more, so that they make the run ready no further."""
    for row in gates.answered(txn.conn, run_id, txn.now_us):
        if not concerns_replay(blobs, row):
            gates.take(txn, row["gate_id"])


def concerns_replay(blobs: Blobs, row: Row) -> bool:
    """Whether an answer is for the next claim: on the run as a whole, on a mismatch, or that the run shall stop."""
    if row["slot"] != Slot.FAILURE:
        return False
    stops = json.loads(row["answers"]).get("choice") == "stop"
    return row["ordinal"] < 0 or stops or is_mismatch(blobs, row)


def is_mismatch(blobs: Blobs, gate: Row) -> bool:
    """Whether a failure gate shows a replay that did not meet its records."""
    about = json.loads(blobs.text(gate["spec"], gate["spec_blob"])).get("about") or {}
    return bool(about.get("why") == "mismatch")


def payload_of(txn: Txn, row: Row) -> dict[str, Any]:
    """A decision as the workflow sees it: the verdict, the answers, and the bodies that were sealed."""
    return {
        "verdict": str(Verdict.APPROVED) if row["verdict"] == Verdict.ANSWERED else row["verdict"],
        "by": row["principal"],
        "comment": row["comment"],
        "answers": json.loads(row["answers"]),
        "items": [
            {"n": item["n"], "body": json.loads(item["body"])} for item in seals.of_gate(txn.conn, row["gate_id"])
        ],
    }


def record_decision(txn: Txn, blobs: Blobs, row: Row) -> None:
    """Turn the decision on approve() or ask() into its record; `row` is the gate with the decision's columns."""
    spec = json.loads(blobs.text(row["spec"], row["spec_blob"]))
    shape = digest(canonical([spec["kind"], [item["body"]["kind"] for item in spec["plan"]]]))
    kept, in_blob = blobs.keep_text(canonical(payload_of(txn, row)))
    records.append(
        txn,
        records.NewRecord(
            run_id=row["run_id"],
            path=row["path"],
            ordinal=row["ordinal"],
            kind=StepKind.GATE,
            name="ask" if row["kind"] == "question" else "approve",
            args_digest=shape,
            outcome=Outcome.OK,
            payload=kept,
            payload_blob=in_blob,
            summary=f"{row['verdict']} by {person(row['principal'])}",
            started_at=row["asked_at"],
        ),
    )
    gates.take(txn, row["gate_id"])


def _record_timer(txn: Txn, timer: Row) -> None:
    records.append(
        txn,
        records.NewRecord(
            run_id=timer["run_id"],
            path=timer["path"],
            ordinal=timer["ordinal"],
            kind=StepKind.TIMER,
            name="sleep",
            args_digest=timer["args_digest"],
            outcome=Outcome.OK,
            payload="null",
            started_at=timer["set_at"],
        ),
    )


def wake_due(txn: Txn) -> list[str]:
    """Make runs ready whose timers are due, and expire gates whose time is over; the ids of runs to look at."""
    woken = {row["run_id"] for row in timers.due(txn.conn, txn.now_us)}
    for gate in gates.due(txn.conn, txn.now_us):
        _expire(txn, gate)
        woken.add(gate["run_id"])
    for run_id in woken:
        if runs.get(txn.conn, run_id)["state"] == RunState.WAITING:
            runs.make_ready(txn, run_id)
    return sorted(woken)


def _expire(txn: Txn, gate: Row) -> None:
    if not gates.close(txn, gate["gate_id"], GateState.EXPIRED, "Nobody decided in time"):
        return
    gates.add_decision(
        txn,
        gate_id=gate["gate_id"],
        principal="runner",
        verdict="expired",
        answers="{}",
        comment="",
        at=txn.now_us,
        effective_at=txn.now_us,
        digest=gate["digest"],
        signature="runner",
    )
    trail_rows.append(
        txn,
        by="runner",
        kind="gate_expired",
        subject=gate["run_id"],
        summary=f"Nobody decided “{gate['title']}” in time",
        after={"gate": gate["gate_id"], "digest": gate["digest"]},
    )
