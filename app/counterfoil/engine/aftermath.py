"""What is left to do when a session has ended without ending its run: a breach, a step that took too long, a host that died."""

from __future__ import annotations

from counterfoil.authoring.codec import canonical, digest
from counterfoil.engine.claiming import open_run_gate, recover
from counterfoil.engine.desk_failures import failure_spec, run_spec
from counterfoil.engine.gate_lines import line_of
from counterfoil.engine.holding import Hold
from counterfoil.facts import GateKind, RunState, Slot
from counterfoil.store import gates, runs
from counterfoil.store.runs import Stale
from counterfoil.store.transactions import Txn


async def settle(hold: Hold, *, host_died: bool = False) -> RunState:
    """Bring the run's row in line with how its hold ended; the run's state now."""
    if hold.ended in (RunState.DONE, RunState.FAILED, RunState.CANCELLED, RunState.WAITING) and not hold.breach:
        return hold.ended

    def operation(txn: Txn) -> RunState:
        run = runs.get(txn.conn, hold.run_id)
        if run["fence"] != hold.fence or run["state"] != RunState.RUNNING:
            return RunState(run["state"])
        if hold.breach is not None:
            error = {"type": "", "message": f"The workflow's process broke the rules: {hold.breach}.", "traceback": ""}
            open_run_gate(txn, run, run_spec("set_aside", "Needs repair: the workflow was stopped", error))
        elif hold.timed_out is not None:
            _ask_about_timeout(txn, hold)
        else:
            recover(txn, run, progress_counts=host_died)
        return RunState(runs.get(txn.conn, hold.run_id)["state"])

    try:
        return await hold.powers.writer.submit(operation)
    except Stale:
        return RunState.RUNNING


def _ask_about_timeout(txn: Txn, hold: Hold) -> None:
    """A step took too long too often: its failure gate opens at its own identity."""
    timed_out = hold.timed_out
    if timed_out is None:
        return
    (path, ordinal), name, message, tries = timed_out
    spec = failure_spec(name, {"type": "TimeoutError", "message": message, "traceback": ""}, tries)
    text = canonical(spec)
    gates.open_gate(
        txn,
        gates.NewGate(
            run_id=hold.run_id,
            path=path,
            ordinal=ordinal,
            slot=Slot.FAILURE,
            kind=GateKind.FAILURE,
            title=spec["title"],
            spec=text,
            spec_blob=False,
            asked_digest=digest(canonical([message, tries])),
            digest=digest(text),
            round=gates.rounds(txn.conn, hold.run_id, path, ordinal, Slot.FAILURE) + 1,
            line=line_of(spec),
        ),
    )
    runs.move(txn, hold.run_id, RunState.WAITING, activity=None)
