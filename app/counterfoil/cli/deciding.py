"""Deciding: `approve`, `reject`, `return`, `answer`. Each commits one decision on exactly what was shown, and says what follows."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import Annotated, Any

import typer

from counterfoil.catalogue.parameters import parse_texts
from counterfoil.cli.call import Call
from counterfoil.cli.gate_sheet import answer_lines
from counterfoil.cli.opening import Opened, opened, tell_runner
from counterfoil.cli.options import As, Comment, Context, Digest, Gate, Set, call_of, pairs_of
from counterfoil.cli.words import person, seal
from counterfoil.errors import WrongAnswer, WrongUse
from counterfoil.facts import Verdict
from counterfoil.inbox.accounts import account
from counterfoil.inbox.deciding import DecisionMade, Wish, decide
from counterfoil.inbox.finding import find_gate
from counterfoil.store import runs, versions
from counterfoil.store.transactions import Row
from counterfoil.views.asked import decision_document, spec_of
from counterfoil.views.plain import contract
from counterfoil.views.sent_back import what_follows

_SAID = {
    "approved": "approved; exactly what it showed is carried out",
    "rejected": "rejected; nothing of it is carried out",
    "returned": "sent back",
    "answered": "answered",
}


def approve(
    context: Context,
    gate: Gate,
    only: Annotated[
        str | None,
        typer.Option("--only", metavar="N,M", help="Only these items, where the gate allows it.", show_default=False),
    ] = None,
    confirm: Annotated[
        str | None,
        typer.Option(
            "--confirm",
            metavar="N,M",
            help="Items whose files run later, each confirmed by its number; needed where there are any.",
            show_default=False,
        ),
    ] = None,
    settings: Set = None,
    comment: Comment = "",
    digest: Digest = None,
    principal: As = None,
) -> None:
    """Approve a gate: what it shows is carried out, and nothing else."""
    chosen, confirmed = _numbers("--only", only), _numbers("--confirm", confirm) or []
    _decide(context, gate, Verdict.APPROVED, settings, comment, digest, principal, chosen, confirmed)


def reject(context: Context, gate: Gate, comment: Comment = "", digest: Digest = None, principal: As = None) -> None:
    """Say no to a gate; --comment says why."""
    _decide(context, gate, Verdict.REJECTED, None, comment, digest, principal)


def give_back(
    context: Context,
    gate: Gate,
    settings: Set = None,
    comment: Comment = "",
    digest: Digest = None,
    principal: As = None,
) -> None:
    """Send a gate back to be done differently; --comment says how. The run keeps its work; what follows is said then."""
    _decide(context, gate, Verdict.RETURNED, settings, comment, digest, principal)


def answer(
    context: Context,
    gate: Gate,
    settings: Set = None,
    comment: Comment = "",
    digest: Digest = None,
    principal: As = None,
) -> None:
    """Answer a question, a doubt, a failure or changed files with --set NAME=VALUE."""
    _decide(context, gate, Verdict.ANSWERED, settings, comment, digest, principal)


def _decide(
    context: Context,
    reference: str,
    verdict: Verdict,
    settings: list[str] | None,
    comment: str,
    digest: str | None,
    principal: str | None,
    only: list[int] | None = None,
    confirmed: Sequence[int] = (),
) -> None:
    call = call_of(context)
    with opened(call) as home:
        row = find_gate(home.database.reader, reference)
        by, signature = acting(principal)
        wish = Wish(
            verdict=verdict,
            principal=by,
            comment=comment,
            answers=answers_of(home, row, settings),
            only=only,
            confirmed=confirmed,
            digest=digest or row["digest"],
            signature=signature,
            entered_by=account() if signature == "unverified" else None,
        )
        made = decide(home.database, home.blobs, row["gate_id"], wish)
        report(call, home, row, made)


def answers_of(home: Opened, row: Row, settings: list[str] | None) -> dict[str, Any]:
    """`--set` texts by the types of the gate's fields."""
    if not settings:
        return {}
    fields = spec_of(home.blobs, row)["fields"]
    return parse_texts(fields, pairs_of(settings), what=f"gate g-{row['number']}", wrong=WrongAnswer)


def acting(principal: str | None) -> tuple[str, str]:
    """Who acts, and how sure that is: the account itself, or another whose key this account would have to hold."""
    own = account()
    if principal is None:
        return own, "account"
    chosen = principal if ":" in principal else f"user:{principal}"
    kind, _, name = chosen.partition(":")
    if kind != "user" or not name.strip():
        raise WrongUse(f"‘{principal}’ is no person.", "Write --as user:NAME.")
    return chosen, "account" if chosen == own else "unverified"


def report(call: Call, home: Opened, row: Row, made: DecisionMade) -> None:
    """What was committed, and whether anybody is there to act on it."""
    call.line(
        f"g-{row['number']} {_SAID[made.verdict]}. By {person(made.by)}, seal {seal(made.digest)} ({made.digest})."
    )
    if made.verdict == Verdict.RETURNED:
        call.line(f"  {_what_follows(home, row)}")
    if made.signature == "unverified":
        call.say(f"recorded as unverified, entered by {account()}: nothing proves yet that this was {person(made.by)}.")
    call.lines([f"  {line}" for line in answer_lines(contract(made.answers))])
    tell_runner(call, home, "the decision is kept and takes effect when it starts")
    # last: whatever fails before it has the error document to itself
    call.document(decision_document({**asdict(made), "principal": made.by}))


def _what_follows(home: Opened, row: Row) -> str:
    """What the run will do with a question that was sent back."""
    run = runs.get(home.database.reader, row["run_id"])
    version = versions.get(home.database.reader, run["version"])
    return what_follows(json.loads(version["manifest"]) if version is not None else {}, row)


def _numbers(option: str, text: str | None) -> list[int] | None:
    if text is None:
        return None
    parts = [part.strip() for part in text.split(",")]
    if not all(part.isdigit() for part in parts):
        raise WrongUse(f"{option} {text} is no list of item numbers.", f"Write {option} 1,3.")
    return [int(part) for part in parts]
