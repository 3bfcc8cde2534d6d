"""Changing what a run does next from outside: `cancel` it, `note` what was found out then, or `retry` the step that stopped."""

from __future__ import annotations

from pathlib import Path

from counterfoil.cli.consenting import Protection, Unprotected, with_consent
from counterfoil.cli.deciding import acting, report
from counterfoil.cli.opening import opened, tell_runner
from counterfoil.cli.options import As, Comment, Context, Run, call_of
from counterfoil.errors import Declined
from counterfoil.facts import GateKind, Verdict, storable
from counterfoil.inbox.cancelling import cancel_run
from counterfoil.inbox.deciding import Wish, decide, refuse_ended
from counterfoil.inbox.finding import find_run
from counterfoil.inbox.noting import note_on_run
from counterfoil.policy.protection import Consent
from counterfoil.runner.consent import go_on
from counterfoil.store import gates
from counterfoil.store import runs as run_rows
from counterfoil.views.runs import run_document


def cancel(context: Context, run: Run, comment: Comment = "", principal: As = None) -> None:
    """Cancel a run: what waits is withdrawn, what was done stays done."""
    call = call_of(context)
    with opened(call) as home:
        row = find_run(home.database.reader, run)
        by, _ = acting(principal)
        ended = cancel_run(home.database, row["run_id"], by, storable(comment.strip())) == "cancelled"
        if ended:
            call.line(f"r-{row['number']} is cancelled. What it had done stays: counterfoil show r-{row['number']}")
        else:
            call.line(f"r-{row['number']} is cancelled as soon as the step it is in has ended.")
            tell_runner(call, home, "the wish is kept and takes effect when it starts")
        with home.database.snapshot() as conn:
            call.document(run_document(conn, home.blobs, run_rows.get(conn, row["run_id"])))


def note(context: Context, run: Run, comment: Comment = "", principal: As = None) -> None:
    """Note what you found out of a run that was stopped while it was not known whether something had happened."""
    call = call_of(context)
    with opened(call) as home:
        row = find_run(home.database.reader, run)
        by, _ = acting(principal)
        noted = note_on_run(home.database, row["run_id"], by, storable(comment.strip()))
        call.line(f"r-{row['number']} has your note; it needs no more care.")
        with home.database.snapshot() as conn:
            call.document(run_document(conn, home.blobs, noted))


def retry(
    context: Context,
    run: Run,
    comment: Comment = "",
    principal: As = None,
    protection: Protection = "",
    unprotected: Unprotected = "",
) -> None:
    """Try the stopped step of a run again; the steps before it are kept."""
    call = call_of(context)
    with opened(call) as home:
        row = find_run(home.database.reader, run)
        refuse_ended(row)
        asked = gates.open_of_runs(home.database.reader, [row["run_id"]])
        failures = [gate for gate in asked if gate["kind"] == GateKind.FAILURE]
        if not failures:
            raise Declined(
                f"Run r-{row['number']} has no stopped step to try again.", f"See: counterfoil show r-{row['number']}"
            )
        if len(failures) > 1:
            names = ", ".join(f"g-{gate['number']}" for gate in failures)
            raise Declined(
                f"Run r-{row['number']} has {len(failures)} stopped steps: {names}.",
                f"Answer each: counterfoil answer g-{failures[0]['number']} --set choice=retry",
            )
        by, signature = acting(principal)
        gate = failures[0]
        agreed = Consent(protection, unprotected)
        with_consent(
            call, Path(row["workspace"]), agreed, lambda consent: go_on(home.database, call.home, row, by, consent)
        )
        wish = Wish(
            verdict=Verdict.ANSWERED,
            principal=by,
            comment=comment,
            answers={"choice": "retry"},
            digest=gate["digest"],
            signature=signature,
        )
        report(call, home, gate, decide(home.database, home.blobs, gate["gate_id"], wish))
