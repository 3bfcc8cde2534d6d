"""Options and arguments that several commands share, so that each is spelled and explained once."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from counterfoil.cli.call import Call
from counterfoil.errors import WrongUse

Context = typer.Context
Gate = Annotated[str, typer.Argument(metavar="GATE", help="g-81, or the beginning of its id.", show_default=False)]
Run = Annotated[str, typer.Argument(metavar="RUN", help="r-12, or the beginning of its id.", show_default=False)]
Workspace = Annotated[
    Path | None,
    typer.Option(
        "--workspace", metavar="DIR", help="The team's folder; else where the shell stands.", show_default=False
    ),
]
OnlyWorkspace = Annotated[
    Path | None, typer.Option("--workspace", metavar="DIR", help="Only of this folder.", show_default=False)
]
OnlyThis = Annotated[
    Path | None,
    typer.Option("--workspace", metavar="DIR", help="Look at this folder too.", show_default=False),
]
Limit = Annotated[int | None, typer.Option("--limit", metavar="N", min=1, help="At most so many.", show_default=False)]
Set = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="NAME=VALUE", help="A value by its name; repeat it for a list.", show_default=False),
]
Comment = Annotated[str, typer.Option("--comment", metavar="TEXT", help="Why, in a line.", show_default=False)]
Digest = Annotated[
    str | None,
    typer.Option("--digest", metavar="D", help="Decide only if the gate still has this seal.", show_default=False),
]
As = Annotated[
    str | None,
    typer.Option("--as", metavar="PRINCIPAL", help="Decide as another, such as user:anna.", show_default=False),
]


def call_of(context: typer.Context) -> Call:
    """The call that a command serves."""
    found = context.find_object(Call)
    if found is None:
        raise LookupError("a command was started without its call")
    return found


def pairs_of(settings: list[str] | None) -> list[tuple[str, str]]:
    """`name=value` texts as pairs.

    Raises:
        WrongUse: one has no equals sign.
    """
    pairs = []
    for text in settings or []:
        name, equals, value = text.partition("=")
        if not equals or not name.strip():
            raise WrongUse(f"--set {text} has no name and value.", "Write --set name=value.")
        pairs.append((name.strip(), value))
    return pairs
