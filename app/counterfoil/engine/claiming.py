"""Claiming: the moment a runner gets the right to advance a run, with everything a session needs to replay it.

The claim grows the fence, takes up answers that came while nobody held the run, and counts recoveries without progress before any
of the author's code runs, so that a run that kills its host is set aside after five.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from counterfoil.authoring.codec import blob_shas, canonical, digest
from counterfoil.authoring.machine import RunFacts, root_of
from counterfoil.engine import answers, killpoints, listening
from counterfoil.engine.desk_failures import RETRY, run_spec, stop_run
from counterfoil.engine.desk_gates import bound
from counterfoil.engine.ending import cancel, set_aside
from counterfoil.engine.gate_lines import line_of
from counterfoil.engine.holding import RUN_ITSELF, Hold, Identity, Powers
from counterfoil.engine.replaying import ANY_ARGUMENTS, Opening, Recorded
from counterfoil.errors import Damaged
from counterfoil.facts import DoubtPolicy, GateKind, GateState, RunState, Slot, StepKind, storable
from counterfoil.store import gates, intents, records, runs, timers, trail_rows, versions
from counterfoil.store.blobs import Blobs
from counterfoil.store.transactions import Row, Txn

RECOVERIES = 5  # recoveries without a new record before a run is set aside
BY_REFERENCE = 4096  # characters; a longer recorded value is fetched on demand


@dataclass(frozen=True, slots=True)
class Claimed:
    """A held run and where its session opens. `name` and `source` say which workflow; `isolation` the level it was promised.
    `spare` are the paths of its workspace that a person wants left out from now on."""

    hold: Hold
    opening: Opening
    name: str
    source: str
    version: str
    isolation: str
    spare: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _TakenUp:
    row: Row
    version: Row
    spare: tuple[str, ...]


async def claim(powers: Powers, run_id: str) -> Claimed | None:
    """Claim a ready run; None when somebody was first, it is not ready, it ends with the claim, or it was set aside."""

    def operation(txn: Txn) -> _TakenUp | None:
        row = runs.claim(txn, run_id)
        return None if row is None else _taken_up(txn, powers, row)

    claimed = await powers.writer.submit(operation, durable=False)
    killpoints.reach("after_claim")
    if claimed is None:
        return None
    row, version = claimed.row, claimed.version
    try:
        hold = _hold(powers, row, version)
        opening = _opening(hold, row)
    except Damaged as problem:
        spec = _damage_spec(problem)
        await powers.writer.submit(
            lambda txn: open_run_gate(txn, powers.blobs, row, spec), run_id=run_id, fence=row["fence"]
        )
        return None
    return Claimed(
        hold,
        opening,
        version["name"],
        version["source"],
        row["version"],
        row["isolation"],
        claimed.spare,
    )


def _taken_up(txn: Txn, powers: Powers, row: Row) -> _TakenUp | None:
    """What has to be heeded before any code of the author runs: a wish to cancel, an answer, too many recoveries."""
    run_id = row["run_id"]
    if row["cancel_by"]:
        cancel(txn, row, row["cancel_by"])
        return None
    reason = _reason(txn, row)
    answered = _answered(txn, powers, run_id)
    stop = next((answer for answer in answered if answer["answers"].get("choice") == "stop"), None)
    if stop is not None:
        stop_run(txn, row, "the workflow", stop["by"], stop["comment"])
        return None
    if _is_poison(txn, row) and not answered:
        open_run_gate(txn, powers.blobs, row, _poison_spec(row))
        return None
    kept = records.count(txn.conn, run_id)
    answers.take(txn, powers.blobs, run_id)
    _note_claim(txn, row, kept, reason)
    version = versions.get(txn.conn, row["version"])
    if version is None:
        raise LookupError(f"version {row['version']} of run {run_id} is gone")
    spare = tuple(name for answer in answered for name in answer["answers"].get("leave_out") or ())
    return _TakenUp(row, version, spare)


def _answered(txn: Txn, powers: Powers, run_id: str) -> list[dict[str, Any]]:
    """Decisions on the run as a whole, on mismatches, and to stop, taken up before a replay."""
    found = []
    for gate in gates.answered(txn.conn, run_id, txn.now_us):
        if answers.concerns_replay(powers.blobs, gate):
            gates.take(txn, gate["gate_id"])
            found.append(answers.payload_of(txn, gate))
    return found


async def reclaim(hold: Hold) -> bool:
    """Claim a run again whose host still lingers; False when somebody else has it."""

    def operation(txn: Txn) -> Row | None:
        row = runs.claim(txn, hold.run_id)
        if row is not None:
            _note_claim(txn, row, records.count(txn.conn, hold.run_id), f"{_reason(txn, row)} at once")
        return row

    row = await hold.powers.writer.submit(operation, durable=False)
    killpoints.reach("after_claim")
    if row is None:
        return False
    hold.fence = row["fence"]
    return True


def _is_poison(txn: Txn, row: Row) -> bool:
    return bool(row["recoveries"] >= RECOVERIES and records.count(txn.conn, row["run_id"]) == row["recovered_at_count"])


def _poison_spec(row: Row) -> dict[str, Any]:
    error = {"type": "", "message": f"It ended its process {RECOVERIES} times without a new step.", "traceback": ""}
    title = f"Needs repair: {row['title']} was set aside after {RECOVERIES} tries"
    return run_spec("set_aside", title, error, RECOVERIES)


def _damage_spec(damaged: Damaged) -> dict[str, Any]:
    error = {"type": "Damaged", "message": str(damaged), "traceback": ""}
    return run_spec("set_aside", "Needs repair: what was kept of this run is damaged", error)


def open_run_gate(txn: Txn, blobs: Blobs, row: Row, spec: dict[str, Any]) -> None:
    """Leave a run waiting at a failure gate that concerns it as a whole."""
    spec = bound(spec, row["run_id"], row["workspace"], RUN_ITSELF, Slot.FAILURE)
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
                title=storable(spec["title"]),
                spec=text,
                spec_blob=False,
                asked_digest=digest(text),
                digest=digest(text),
                round=gates.rounds(txn.conn, row["run_id"], *RUN_ITSELF, Slot.FAILURE) + 1,
                line=line_of(spec),
            ),
        )
    set_aside(txn, blobs, row["run_id"], recoveries=0)


def _reason(txn: Txn, row: Row) -> str:
    """Why a run is carried on, asked before anything is taken up; a loss is told before an answer that came beside it."""
    restarted = listening.reason_of(txn, row)
    if restarted is not None:
        return restarted
    if row["lost"]:
        runs.found(txn, row["run_id"])
        return "runner or host had ended"
    return "an answer came" if gates.answered(txn.conn, row["run_id"], txn.now_us) else "a wait was over"


def _note_claim(txn: Txn, row: Row, kept: int, reason: str) -> None:
    """The trail entry of a carry-on: from where, what is in the middle, what is in doubt. The first start has one of its own."""
    if row["fence"] == 1:
        return
    open_intents = intents.open_ones(txn.conn, row["run_id"])
    after = {
        "reason": reason,
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


def _hold(powers: Powers, row: Row, version: Row) -> Hold:
    conn, run_id = powers.database.reader, row["run_id"]
    hold = Hold(
        powers=powers,
        run_id=run_id,
        number=row["number"],
        title=row["title"],
        workspace=row["workspace"],
        fence=row["fence"],
        seed=row["seed"],
        created_us=begun_us(row),
        manifest=json.loads(version["manifest"]),
        template=row["template"],
        again_of=row["again_of"],
        carried=row["again_from"] or 0,
    )
    hold.intended = {(intent["path"], intent["ordinal"]) for intent in intents.of_run(conn, run_id)}
    hold.gated = {
        (gate["path"], gate["ordinal"]) for gate in gates.of_run(conn, run_id) if gate["slot"] == Slot.OUTCOME
    }
    hold.gated |= {
        (timer["path"], timer["ordinal"]) for timer in timers.pending(conn, run_id) if timer["kind"] != RETRY
    }
    hold.tried = {(attempt["path"], attempt["ordinal"]) for attempt in records.attempts(conn, run_id)}
    return hold


def _opening(hold: Hold, row: Row) -> Opening:
    conn = hold.powers.database.reader
    recorded: dict[Identity, Recorded] = {}
    chain = records.links(conn, hold.run_id)
    broken = records.first_broken(hold.run_id, chain)
    if broken is not None:
        raise Damaged(
            f"Record {broken.row} of run r-{row['number']} ({broken.name}) does not match its seal.",
            "Restore a backup of the data folder.",
        )
    for link in chain:
        payload: str | None = link.payload
        if link.payload_blob or len(link.payload) > BY_REFERENCE:
            payload = None
        elif '"$blob"' in link.payload:
            hold.shas.update(blob_shas(json.loads(link.payload)))
        recorded[link.path, link.ordinal] = Recorded(
            link.kind,
            link.name,
            ANY_ARGUMENTS if hold.carried and _takes_any(hold, link) else link.args_digest,
            link.outcome,
            payload,
            link.committed_at,
        )
    hold.known.update(recorded)
    held, kept = _held(hold)
    facts = RunFacts(hold.run_id, row["number"], row["template"], row["version"], row["workspace"], begun_us(row))
    return Opening(facts, row["seed"], row["parameters"], recorded, held, kept)


def begun_us(row: Row) -> int:
    """When a run began for its code: one that goes on from a step of another began with that one."""
    return int(row["created_at"] if row["begun_at"] is None else row["begun_at"])


def _takes_any(hold: Hold, link: records.Link) -> bool:
    """Whether a record was taken over from another run. Code and parameters are that run's, so its arguments can differ only in what a
    workflow knows of its own run. Turns of a conversation are chained by them."""
    return link.kind != StepKind.LLM and root_of(link.path, link.ordinal) < hold.carried


def _held(hold: Hold) -> tuple[frozenset[Identity], frozenset[Identity]]:
    """Identities that wait at the desk before they are tried, and records that a person chose to keep despite other arguments."""
    conn = hold.powers.database.reader
    held = {(timer["path"], timer["ordinal"]) for timer in timers.pending(conn, hold.run_id) if timer["kind"] == RETRY}
    kept: set[Identity] = set()
    for gate in gates.of_run(conn, hold.run_id):
        if gate["slot"] != Slot.FAILURE or gate["ordinal"] < 0:
            continue
        identity = (gate["path"], gate["ordinal"])
        waits = gate["taken_at"] is None and gate["state"] in (GateState.OPEN, GateState.DECIDED)
        if identity not in hold.known:
            held |= {identity} if waits else set()
        elif answers.is_mismatch(hold.powers.blobs, gate):
            decided = gates.decisions(conn, gate["gate_id"])
            kept |= {identity} if decided and json.loads(decided[-1]["answers"]).get("choice") == "skip" else set()
    return frozenset(held - hold.known), frozenset(kept)


def recover(txn: Txn, row: Row, *, progress_counts: bool = True) -> None:
    """Make a running run ready again after its holder ended; recoveries without a new record add up."""
    count = records.count(txn.conn, row["run_id"])
    stuck = count == row["recovered_at_count"] and row["recoveries"] > 0
    recoveries = row["recoveries"] + 1 if stuck else 1
    wait = min(2 ** max(recoveries - 1, 0), 30) * 1_000_000 if stuck else 0
    changes = {"recoveries": recoveries, "recovered_at_count": count} if progress_counts else {}
    runs.move(txn, row["run_id"], RunState.READY, ready_at=txn.now_us + wait, lost=True, **changes)
