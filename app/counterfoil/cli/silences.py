"""A step that has said nothing for its limit: `wait` for it longer, or `restart` it."""

from __future__ import annotations

from counterfoil.cli.call import Call
from counterfoil.cli.deciding import acting
from counterfoil.cli.opening import Opened, opened, tell_runner
from counterfoil.cli.options import As, Context, Run, call_of
from counterfoil.inbox.finding import find_run
from counterfoil.inbox.restarting import restart_step, silent_steps, wait_longer
from counterfoil.store import runs
from counterfoil.store.transactions import Row
from counterfoil.views.restarting import restart_follows
from counterfoil.views.runs import run_document


def wait(context: Context, run: Run, principal: As = None) -> None:
    """Wait longer for a step that has said nothing for its limit: its clock starts anew."""
    call = call_of(context)
    with opened(call) as home:
        row = find_run(home.database.reader, run)
        by, _ = acting(principal)
        home.database.transact(lambda txn: wait_longer(txn, row["run_id"], by))
        call.line(f"r-{row['number']} goes on; its silent step has its whole time again.")
        tell_runner(call, home, "it is waited for when it starts")
        _document(call, home, row)


def restart(context: Context, run: Run, principal: As = None) -> None:
    """Have a run begin anew what it is in the middle of, such as a step that hangs; the steps before are kept."""
    call = call_of(context)
    with opened(call) as home:
        row = find_run(home.database.reader, run)
        by, _ = acting(principal)
        with home.database.snapshot() as conn:
            follows = restart_follows(conn, row["run_id"], silent_steps(conn, row["run_id"]))
        restart_step(home.database, row["run_id"], by)
        call.line(f"r-{row['number']} begins anew what it is in the middle of.")
        for sentence in follows:
            call.line(f"  {sentence}")
        tell_runner(call, home, "the wish is kept and takes effect when it starts")
        _document(call, home, row)


def _document(call: Call, home: Opened, row: Row) -> None:
    with home.database.snapshot() as conn:
        call.document(run_document(conn, home.blobs, runs.get(conn, row["run_id"])))
