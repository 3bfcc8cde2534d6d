"""What is left to do when a session has ended without ending its run: a breach, a step that took too long, a host that died."""

from __future__ import annotations

from collections.abc import Sequence

from counterfoil.authoring.parameters import Field
from counterfoil.engine import staging
from counterfoil.engine.claiming import Claimed, open_run_gate, recover
from counterfoil.engine.desk_failures import run_spec
from counterfoil.engine.holding import Hold
from counterfoil.errors import DiskFull, Stopped, TooMuch, WrongWorkspace
from counterfoil.facts import RunState, as_sentence
from counterfoil.store import runs
from counterfoil.store.transactions import Txn

SETTLED = frozenset({RunState.DONE, RunState.FAILED, RunState.CANCELLED, RunState.WAITING})


async def settle(hold: Hold, *, host_died: bool = False) -> RunState:
    """Bring the run's row in line with how its hold ended; the run's state now.

    A host that was ended because the desk asked for it (READY: a step took too long, the store was in trouble) has not died by itself.
    """
    if hold.ended in SETTLED and not hold.breach:
        return hold.ended
    await hold.quiet()  # an effect in progress is recorded before anybody claims the run again

    def operation(txn: Txn) -> RunState:
        run = runs.get(txn.conn, hold.run_id)
        if run["fence"] != hold.fence or run["state"] != RunState.RUNNING:
            return RunState(run["state"])
        if hold.breach is not None:
            said = as_sentence(f"The workflow's process broke the rules: {hold.breach}")
            error = {"type": "", "message": said, "traceback": ""}
            open_run_gate(
                txn, hold.powers.blobs, run, run_spec("set_aside", "Needs repair: the workflow was stopped", error)
            )
        else:
            recover(txn, run, progress_counts=host_died and hold.ended is not RunState.READY)
        return RunState(runs.get(txn.conn, hold.run_id)["state"])

    return await hold.powers.writer.submit(operation)


async def set_aside(
    hold: Hold, title: str, why: str, *, kind: str = "set_aside", how: str = "", parts: Sequence[str] = ()
) -> RunState:
    """Put a held run before a person without having run any of its code; `how` it can go on, or `parts` that could be left out of its
    files. The run's state now."""
    error = {"type": "", "message": why, "traceback": ""}

    def operation(txn: Txn) -> None:
        spec = run_spec(kind, title, error, how=how)
        if parts:
            spec["fields"].append(
                Field(name="leave_out", type="list[text]", label="Leave out", choices=parts).to_json()
            )
        open_run_gate(txn, hold.powers.blobs, runs.get(txn.conn, hold.run_id), spec)

    await hold.powers.writer.submit(operation, run_id=hold.run_id, fence=hold.fence)
    hold.end(RunState.WAITING)
    return RunState.WAITING


async def laid_out(claimed: Claimed) -> RunState | None:
    """Make a claimed run's files ready; None, or the run's state where that cannot be done and a person is asked, or it is over."""
    hold = claimed.hold
    try:
        await staging.lay_out(hold, spare=claimed.spare)
    except Stopped:
        return await settle(hold)
    except (WrongWorkspace, DiskFull) as problem:
        parts = problem.parts if isinstance(problem, TooMuch) else ()
        return await set_aside(
            hold, "Needs repair: the folder's files cannot be copied", str(problem), kind="files", parts=parts
        )
    return None
