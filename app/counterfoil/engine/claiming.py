"""Claiming: the moment a runner gets the right to advance a run, with everything a session needs to replay it.

The claim grows the fence, takes up answers that came while nobody held the run, and counts recoveries without progress before any
of the author's code runs, so that a run that kills its host is set aside after five.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from counterfoil.authoring.codec import blob_shas, canonical, digest
from counterfoil.authoring.machine import RunFacts
from counterfoil.engine import answers, killpoints
from counterfoil.engine.desk_failures import RETRY, run_spec, stop_run
from counterfoil.engine.gate_lines import line_of
from counterfoil.engine.holding import RUN_ITSELF, Hold, Identity, Powers
from counterfoil.engine.session import Opening, Recorded
from counterfoil.facts import DoubtPolicy, GateKind, GateState, RunState, Slot
from counterfoil.store import gates, intents, records, runs, timers, trail_rows, versions
from counterfoil.store.transactions import Row, Txn

RECOVERIES = 5  # recoveries without a new record before a run is set aside
BY_REFERENCE = 4096  # characters; a longer recorded value is fetched on demand


@dataclass(frozen=True, slots=True)
class Claimed:
    """A held run and where its session opens. `name` and `source` say which workflow; `reason` why it goes on."""

    hold: Hold
    opening: Opening
    name: str
    source: str
    version: str
    recovered: bool


async def claim(powers: Powers, run_id: str) -> Claimed | None:
    """Claim a ready run; None when somebody was first, it is not ready, or it was set aside."""

    def operation(txn: Txn) -> tuple[Row, Row] | None:
        row = runs.claim(txn, run_id)
        if row is None:
            return None
        if row["cancel_by"]:
            return None
        answer = answer_run_gate(txn, run_id)
        if answer is not None and answer["answers"].get("choice") == "stop":
            stop_run(txn, row, "the workflow", answer["by"], answer["comment"])
            return None
        if _is_poison(txn, row) and answer is None:
            _set_aside(txn, row)
            return None
        kept = records.count(txn.conn, run_id)
        answers.take(txn, powers.blobs, run_id)
        _note_claim(txn, row, kept)
        version = versions.get(txn.conn, row["version"])
        if version is None:
            raise LookupError(f"version {row['version']} of run {run_id} is gone")
        return row, version

    claimed = await powers.writer.submit(operation, durable=False)
    killpoints.reach("after_claim")
    if claimed is None:
        return None
    row, version = claimed
    with powers.database.connect() as conn:
        hold = _hold(powers, row, version, conn)
        opening = _opening(hold, row, conn)
    return Claimed(hold, opening, version["name"], version["source"], row["version"], bool(row["recoveries"]))


async def reclaim(hold: Hold) -> bool:
    """Claim a run again whose host still lingers; False when somebody else has it."""

    def operation(txn: Txn) -> Row | None:
        row = runs.claim(txn, hold.run_id)
        if row is not None:
            _note_claim(txn, row, records.count(txn.conn, hold.run_id), lingering=True)
        return row

    row = await hold.powers.writer.submit(operation, durable=False)
    killpoints.reach("after_claim")
    if row is None:
        return False
    hold.fence = row["fence"]
    return True


def _is_poison(txn: Txn, row: Row) -> bool:
    return bool(row["recoveries"] >= RECOVERIES and records.count(txn.conn, row["run_id"]) == row["recovered_at_count"])


def _set_aside(txn: Txn, row: Row) -> None:
    error = {"type": "", "message": f"It ended its process {RECOVERIES} times without a new step.", "traceback": ""}
    spec = run_spec(
        "set_aside", f"Needs repair: {row['title']} was set aside after {RECOVERIES} tries", error, RECOVERIES
    )
    open_run_gate(txn, row, spec)


def open_run_gate(txn: Txn, row: Row, spec: dict[str, Any]) -> None:
    """Leave a run waiting at a failure gate that concerns it as a whole."""
    text = canonical(spec)
    standing = gates.newest(txn.conn, row["run_id"], *RUN_ITSELF, Slot.FAILURE)
    if standing is None or standing["state"] != GateState.OPEN:
        gates.open_gate(
            txn,
            gates.NewGate(
                run_id=row["run_id"],
                path=RUN_ITSELF[0],
                ordinal=RUN_ITSELF[1],
                slot=Slot.FAILURE,
                kind=GateKind.FAILURE,
                title=spec["title"],
                spec=text,
                spec_blob=False,
                asked_digest=digest(text),
                digest=digest(text),
                round=gates.rounds(txn.conn, row["run_id"], *RUN_ITSELF, Slot.FAILURE) + 1,
                line=line_of(spec),
            ),
        )
    runs.move(txn, row["run_id"], RunState.WAITING, activity=None, recoveries=0)


def _note_claim(txn: Txn, row: Row, kept: int, *, lingering: bool = False) -> None:
    """The trail entry of a carry-on: from where, what is in the middle, what is in doubt. The first start has one of its own."""
    if row["fence"] == 1:
        return
    open_intents = intents.open_ones(txn.conn, row["run_id"])
    after = {
        "reason": "runner or host had ended"
        if row["recoveries"]
        else "an answer came"
        if not lingering
        else "an answer came at once",
        "from_step": kept + 1,
        "reran": [intent["kind"] for intent in open_intents if intent["policy"] != DoubtPolicy.ASK],
        "compensated": [],
        "doubts": [intent["kind"] for intent in open_intents if intent["policy"] == DoubtPolicy.ASK],
        "fence": row["fence"],
        "head": records.head(txn.conn, row["run_id"]),
    }
    trail_rows.append(
        txn,
        by="runner",
        kind="claim",
        subject=row["run_id"],
        summary=f"Run {row['number']} carried on from step {kept + 1}",
        after=after,
    )


def _hold(powers: Powers, row: Row, version: Row, conn: Any) -> Hold:
    run_id = row["run_id"]
    hold = Hold(
        powers=powers,
        run_id=run_id,
        number=row["number"],
        title=row["title"],
        workspace=row["workspace"],
        fence=row["fence"],
        seed=row["seed"],
        created_us=row["created_at"],
        manifest=json.loads(version["manifest"]),
    )
    hold.intended = {(intent["path"], intent["ordinal"]) for intent in intents.of_run(conn, run_id)}
    hold.gated = {
        (gate["path"], gate["ordinal"]) for gate in gates.of_run(conn, run_id) if gate["slot"] == Slot.OUTCOME
    }
    hold.tried = {(attempt["path"], attempt["ordinal"]) for attempt in records.attempts(conn, run_id)}
    return hold


def _opening(hold: Hold, row: Row, conn: Any) -> Opening:
    recorded: dict[Identity, Recorded] = {}
    for record in records.of_run(conn, hold.run_id):
        identity = (record["path"], record["ordinal"])
        hold.known.add(identity)
        small = not record["payload_blob"] and len(record["payload"]) <= BY_REFERENCE
        if small and '"$blob"' in record["payload"]:
            hold.shas.update(blob_shas(json.loads(record["payload"])))
        recorded[identity] = Recorded(
            record["kind"],
            record["name"],
            record["args_digest"],
            record["outcome"],
            record["payload"] if small else None,
            record["committed_at"],
        )
    held, kept = _held(hold, conn)
    facts = RunFacts(hold.run_id, row["number"], row["template"], row["version"], row["workspace"], row["created_at"])
    return Opening(facts, row["seed"], row["parameters"], recorded, held, kept)


def _held(hold: Hold, conn: Any) -> tuple[frozenset[Identity], frozenset[Identity]]:
    """Identities that wait at the desk before they are tried, and records that a person chose to keep despite a mismatch."""
    held = {(timer["path"], timer["ordinal"]) for timer in timers.pending(conn, hold.run_id) if timer["kind"] == RETRY}
    kept: set[Identity] = set()
    for gate in gates.of_run(conn, hold.run_id):
        if gate["slot"] != Slot.FAILURE or gate["ordinal"] < 0:
            continue
        identity = (gate["path"], gate["ordinal"])
        if gate["taken_at"] is None and gate["state"] in (GateState.OPEN, GateState.DECIDED):
            held.add(identity)
        decided = gates.decisions(conn, gate["gate_id"])
        if decided and json.loads(decided[-1]["answers"]).get("choice") == "skip" and identity in hold.known:
            kept.add(identity)
    return frozenset(held - hold.known), frozenset(kept)


def answer_run_gate(txn: Txn, run_id: str) -> dict[str, Any] | None:
    """The decision on the run's own failure gate, or on a mismatch, taken up before a replay; None where there is none."""
    for gate in gates.answered(txn.conn, run_id, txn.now_us):
        recorded = gate["ordinal"] >= 0 and records.get(txn.conn, run_id, gate["path"], gate["ordinal"]) is not None
        if gate["slot"] == Slot.FAILURE and (gate["ordinal"] < 0 or recorded):
            gates.take(txn, gate["gate_id"])
            return answers.payload_of(txn, gate)
    return None


async def put_back(powers: Powers, run_id: str, fence: int, *, progress_counts: bool) -> None:
    """A host or a runner ended in the middle: the run is ready again, and its recoveries are counted."""

    def operation(txn: Txn) -> None:
        runs.check_fence(txn, run_id, fence)
        recover(txn, runs.get(txn.conn, run_id), progress_counts=progress_counts)

    await powers.writer.submit(operation)


def recover(txn: Txn, row: Row, *, progress_counts: bool = True) -> None:
    """Make a running run ready again after its holder ended; recoveries without a new record add up."""
    count = records.count(txn.conn, row["run_id"])
    stuck = count == row["recovered_at_count"] and row["recoveries"] > 0
    recoveries = row["recoveries"] + 1 if stuck else 1
    wait = min(2 ** max(recoveries - 1, 0), 30) * 1_000_000 if stuck else 0
    changes = {"recoveries": recoveries, "recovered_at_count": count} if progress_counts else {}
    runs.move(txn, row["run_id"], RunState.READY, ready_at=txn.now_us + wait, **changes)
