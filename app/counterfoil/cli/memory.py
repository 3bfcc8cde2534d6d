"""`memory list|forget`: what agents are told in later runs, where each fact comes from, and who has accepted it."""

from __future__ import annotations

from typing import Annotated

import typer

from counterfoil.cli.commands import EVERYWHERE
from counterfoil.cli.opening import opened, workspace_of
from counterfoil.cli.options import Context, OnlyWorkspace, call_of
from counterfoil.cli.words import person
from counterfoil.errors import WrongUse
from counterfoil.inbox.accounts import account
from counterfoil.inbox.forgetting import forget
from counterfoil.policy.tainting import named
from counterfoil.views.memory import Document, fact_documents

app = typer.Typer(
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    help="What agents are told in later runs, where it comes from, and who has accepted it.",
    epilog=EVERYWHERE,
)
Reference = Annotated[str, typer.Argument(metavar="FACT", help="f-3, as the list shows it.", show_default=False)]


@app.command("list", epilog=EVERYWHERE)
def list_(
    context: Context,
    workspace: OnlyWorkspace = None,
    everything: Annotated[bool, typer.Option("--all", help="Those taken back, too.")] = False,
) -> None:
    """Every fact that counts, with its source and who has accepted it."""
    call = call_of(context)
    only = str(workspace_of(workspace)) if workspace is not None else None
    with opened(call) as home:
        documents = fact_documents(home.database.reader, only, taken_back=everything)
    call.document(documents)
    if not documents:
        call.line("Nothing is remembered. Agents propose facts, and you accept them at a gate.")
        return
    for one in documents:
        call.line(f"f-{one['number']}  {one['fact']}")
        call.line(f"     {_account(one)}")
    call.line("Take one back: counterfoil memory forget f-N")


@app.command("forget", epilog=EVERYWHERE)
def forget_(context: Context, fact: Reference) -> None:
    """Take a fact back: no run that begins from now on is told it."""
    call = call_of(context)
    number = fact.lower().removeprefix("f-")
    if not number.isdigit():
        raise WrongUse(f"“{fact}” is no fact.", "Write f-3, as `counterfoil memory list` shows it.")
    with opened(call) as home:
        row, was_living = home.database.transact(lambda txn: forget(txn, int(number), account()))
        document = next(
            one for one in fact_documents(home.database.reader, taken_back=True) if one["number"] == row["number"]
        )
    call.document(document)
    if was_living:
        call.line(f"f-{number} is forgotten: {row['fact']}")
    else:
        call.line(f"f-{number} was forgotten before by {person(document['revoked_by'])}.")


def _account(one: Document) -> str:
    """Where it comes from and who answers for it, in one line."""
    parts = [
        f"source: {one['source']}",
        f"accepted by {person(one['accepted_by'])} on {one['accepted_at'][:10]} in r-{one['run_number']}",
    ]
    if one["read_before"]:
        parts.append(f"after reading {named(one['read_before'])}")
    if one["revoked_by"] is not None:
        parts.append(f"taken back by {person(one['revoked_by'])} on {one['revoked_at'][:10]}")
    return "; ".join(parts)
