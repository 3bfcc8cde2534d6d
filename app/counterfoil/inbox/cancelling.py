"""A person's wish to end a run: carried out at once where nobody holds the run, else by the runner at the next boundary."""

from __future__ import annotations

from counterfoil.engine.ending import cancel
from counterfoil.facts import RunState, person
from counterfoil.inbox.deciding import refuse_ended
from counterfoil.store import leases, runs, trail_rows
from counterfoil.store.database import Database
from counterfoil.store.transactions import Row, Txn


def cancel_run(database: Database, run_id: str, principal: str, reason: str = "") -> str:
    """Cancel a run; "cancelled" when it has ended, "asked" when the runner will end it. A reason is kept in the trail.

    Raises:
        RunEnded: it had ended before.
    """

    def operation(txn: Txn) -> str:
        run = runs.get(txn.conn, run_id)
        refuse_ended(run)
        lease = leases.read(txn.conn)
        alive = leases.alive(lease, txn.now_us)
        held = run["state"] == RunState.RUNNING and alive
        if held or reason:
            _note_wish(txn, run, principal, reason)
        if held:
            runs.ask_to_cancel(txn, run_id, principal)
            return "asked"
        cancel(txn, run, principal)
        return "cancelled"

    return database.transact(operation)


def _note_wish(txn: Txn, run: Row, principal: str, reason: str) -> None:
    trail_rows.append(
        txn,
        by=principal,
        kind="cancel_asked",
        subject=run["run_id"],
        summary=f"{person(principal)} asked to cancel run {run['number']}" + (f": {reason}" if reason else ""),
        after={"reason": reason} if reason else None,
    )
