"""Not deciding now: `snooze` puts a gate off for oneself, `give` lets it wait for somebody else. Neither decides anything."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from counterfoil.cli.deciding import acting
from counterfoil.cli.opening import opened
from counterfoil.cli.options import As, Comment, Context, Gate, call_of
from counterfoil.cli.words import clock, person
from counterfoil.clock import iso
from counterfoil.errors import WrongUse
from counterfoil.inbox import giving, snoozing
from counterfoil.inbox.accounts import account
from counterfoil.inbox.finding import find_gate
from counterfoil.inbox.until import read_time


def snooze(
    context: Context,
    gate: Gate,
    until: Annotated[
        str | None,
        typer.Option("--until", metavar="WHEN", help="2h, 16:00, tomorrow 08:00, monday or a day.", show_default=False),
    ] = None,
    wake: Annotated[bool, typer.Option("--wake", help="See it again now.")] = False,
) -> None:
    """Put a gate off for yourself: it comes back by itself. Nothing is decided, and its deadline stays."""
    if (until is None) == (not wake):
        raise WrongUse(
            "Say until when, or --wake.", f"Write: counterfoil snooze {gate} --until 'tomorrow 08:00', or --wake"
        )
    call, me = call_of(context), account()
    with opened(call) as home:
        if until is None:
            row, was = snoozing.wake(home.database, gate, me)
            said, at = "is back in your inbox" if was else "was not snoozed", None
        else:
            at = read_time(until, home.database.clock.now_us())
            row = snoozing.snooze(home.database, gate, me, at)
            said = f"is snoozed until {clock(at)}; then it is back by itself"
        call.line(f"g-{row['number']} {said}.")
        call.document({"gate_id": row["gate_id"], "snoozed_until": iso(at)})


def give(
    context: Context,
    gate: Gate,
    to: Annotated[
        str | None,
        typer.Option("--to", metavar="NAME", help="Who is to answer it, such as ben.", show_default=False),
    ] = None,
    take: Annotated[bool, typer.Option("--take", help="Take it yourself, from whomever it waits for.")] = False,
    comment: Comment = "",
    principal: As = None,
) -> None:
    """Give a gate to somebody: it waits for them from then on. Who may answer it stays as it was."""
    if (to is None) == (not take):
        raise WrongUse("Say to whom, or --take.", f"Write: counterfoil give {gate} --to NAME, or --take")
    call = call_of(context)
    by, signature = acting(principal)
    with opened(call) as home:
        row = find_gate(home.database.reader, gate)
        known = giving.people(home.database.reader, home.blobs, row)
        asked = by if to is None else giving.known_person(to, known)
        entered = account() if signature == "unverified" else None
        handing = giving.Handing(by, asked, comment, signature, entered)
        row = giving.give(home.database, home.blobs, row["gate_id"], handing)
        call.line(f"g-{row['number']} waits for {person(asked)}. Nothing was decided.")
        call.document(_waits_for(row["gate_id"], handing))


def _waits_for(gate_id: str, handing: giving.Handing) -> dict[str, Any]:
    return {"gate_id": gate_id, "waits_for": handing.to, "by": handing.by, "comment": handing.why}
