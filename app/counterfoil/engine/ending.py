"""How a held run ends: done with a result, or cancelled at the next boundary, never between an effect and its record."""

from __future__ import annotations

from counterfoil.authoring.codec import canonical
from counterfoil.engine import answers
from counterfoil.engine.holding import Hold, Identity, Over, close_run, note_end
from counterfoil.facts import GateState, Outcome, RunState, Slot, StepKind, person
from counterfoil.store import gates as gate_rows
from counterfoil.store import intents, records, runs, timers
from counterfoil.store.blobs import Blobs
from counterfoil.store.transactions import Row, Txn

NEVER_US = 2**62  # later than any instant


async def finish(hold: Hold, text: str, in_blob: bool) -> None:
    """Commit the result and the run's end, once no effect is in progress.

    Raises:
        Over: the run had ended by other hands.
    """
    await hold.quiet()
    kept = canonical({"$blob_text": text}) if in_blob else text

    def operation(txn: Txn) -> None:
        run = runs.get(txn.conn, hold.run_id)
        if not close_run(txn, run, RunState.DONE, "The run ended", result=kept):
            raise Over
        head = records.head(txn.conn, hold.run_id)
        note_end(txn, run, "runner", "run_done", f"Run {run['number']} “{run['title']}” is done", head, {})

    await hold.do(operation)
    hold.end(RunState.DONE)


async def cancel_held(hold: Hold) -> None:
    """Cancel a held run because somebody asked for it, once no effect is in progress.

    Raises:
        Over: it was cancelled.
    """
    await hold.quiet()

    def operation(txn: Txn) -> bool:
        run = runs.get(txn.conn, hold.run_id)
        return bool(run["cancel_by"]) and cancel(txn, run, run["cancel_by"])

    if await hold.do(operation):
        hold.end(RunState.CANCELLED)
        raise Over


def cancel(txn: Txn, run: Row, by: str) -> bool:
    """End a run as cancelled: `cancelled` is recorded wherever a branch waits; what is in doubt is listed. False when it had ended."""
    run_id = run["run_id"]
    waits = _waits(txn, run_id)
    doubts = [{"effect": row["kind"], "key": row["key"]} for row in intents.open_ones(txn.conn, run_id)]
    error = {
        "kind": "cancelled",
        "message": f"Cancelled by {person(by)}",
        "step": None,
        "next": None,
        "in_doubt": doubts,
    }
    if not close_run(txn, run, RunState.CANCELLED, f"The run was cancelled by {person(by)}", error=canonical(error)):
        return False
    for (path, ordinal), kind in sorted(waits.items()):
        if ordinal >= 0 and records.get(txn.conn, run_id, path, ordinal) is None:
            records.append(
                txn, records.NewRecord(run_id, path, ordinal, kind, "cancelled", "0" * 64, Outcome.CANCELLED, "null")
            )
    head = records.head(txn.conn, run_id)
    summary = f"Cancelled run {run['number']}" + (f", {len(doubts)} in doubt" if doubts else "")
    note_end(txn, run, by, "run_cancelled", summary, head, {"in_doubt": doubts})
    return True


def _waits(txn: Txn, run_id: str) -> dict[Identity, StepKind]:
    """Where the branches of a run wait, and what a record there would be about."""
    waits: dict[Identity, StepKind] = {}
    for timer in timers.pending(txn.conn, run_id):
        waits[timer["path"], timer["ordinal"]] = StepKind.TIMER if timer["kind"] == "sleep" else StepKind.STEP
    for gate in gate_rows.of_run(txn.conn, run_id):
        if gate["state"] == GateState.OPEN:
            kind = StepKind.GATE if gate["slot"] == Slot.OUTCOME else StepKind.STEP
            kind = StepKind.LLM if gate["slot"] == Slot.BUDGET else kind
            waits[gate["path"], gate["ordinal"]] = StepKind.EFFECT if gate["slot"] in (Slot.GATE, Slot.DOUBT) else kind
    for intent in intents.open_ones(txn.conn, run_id):
        if (intent["path"], intent["ordinal"]) in waits:
            waits[intent["path"], intent["ordinal"]] = StepKind.EFFECT
    return waits


def suspend(txn: Txn, run_id: str) -> None:
    """Every branch waits: the run holds nothing from now on. A decision that is not taken up makes it ready for when it takes effect."""
    runs.move(txn, run_id, RunState.WAITING, activity=None, restart=None)
    effective = gate_rows.next_effective(txn.conn, run_id)
    if effective is not None:
        runs.make_ready(txn, run_id, effective)


def set_aside(txn: Txn, blobs: Blobs, run_id: str, **changes: object) -> None:
    """The run waits for the gate that says why. No other answer makes it ready: it would only come here again."""
    runs.move(txn, run_id, RunState.WAITING, activity=None, restart=None, **changes)
    decided = gate_rows.answered(txn.conn, run_id, NEVER_US)
    heeded = [row["effective_at"] for row in decided if answers.concerns_replay(blobs, row)]
    if heeded:
        runs.make_ready(txn, run_id, min(heeded))
