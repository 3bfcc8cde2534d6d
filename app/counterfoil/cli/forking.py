"""`fork`: a new run that goes on from a step of another one; what that one did before is kept and not repeated."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from counterfoil.cli.consenting import Protection, Unprotected, with_consent
from counterfoil.cli.logs import keep_logs
from counterfoil.cli.opening import opened
from counterfoil.cli.options import Comment, Context, Run, call_of
from counterfoil.cli.starting import Wait, started
from counterfoil.errors import WrongUse
from counterfoil.inbox.accounts import account
from counterfoil.inbox.finding import find_run
from counterfoil.policy.protection import Consent
from counterfoil.runner.forking import fork_run
from counterfoil.views.fork_plan import fork_plan


def fork(
    context: Context,
    run: Run,
    step: Annotated[
        str,
        typer.Option("--from", metavar="STEP", help="The number of a step, as show RUN lists it.", show_default=False),
    ],
    again: Annotated[
        bool,
        typer.Option("--again", help="Do again what the run did outside before that step; each is asked about anew."),
    ] = False,
    comment: Comment = "",
    wait: Wait = False,
    protection: Protection = "",
    unprotected: Unprotected = "",
) -> int:
    """Go on from a step of a run in a new run; approvals are asked anew."""
    call = call_of(context)
    at = _ordinal(step)
    with opened(call) as home:
        keep_logs(call.home)
        old = find_run(home.database.reader, run)
        plan = fork_plan(home.database.reader, home.blobs, old, at, again=again)
        if not plan.refusal:
            call.say(" ".join(plan.sentences))
        row = with_consent(
            call,
            Path(old["workspace"]),
            Consent(protection, unprotected),
            lambda consent: fork_run(
                home.database,
                call.home,
                old["run_id"],
                at,
                by=account(),
                again=again,
                reason=comment,
                consent=consent,
            ),
        )
        return started(call, home, row, wait=wait)


def _ordinal(step: str) -> int:
    """The ordinal in the root branch of a step as people count it.

    Raises:
        WrongUse: it is no number of a step, or that of one inside another.
    """
    whole, _, inner = step.strip().partition(".")
    if not whole.isdecimal() or len(whole) > 9 or int(whole) < 1:
        raise WrongUse(f"--from {step} names no step.", "Write its number, as counterfoil show RUN lists it.")
    if inner:
        raise WrongUse(
            f"Step {step} lies inside another one, which is kept or done again whole.", f"Write --from {whole}."
        )
    return int(whole) - 1
