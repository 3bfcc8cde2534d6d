"""`secret set`, `secret list`, `secret remove`: passwords in this computer's keyring. A value is never an argument, where every
process could read it: it is asked for without being shown, or read from stdin."""

from __future__ import annotations

import getpass
import sys
from typing import Annotated

import typer

from counterfoil.cli.commands import EVERYWHERE
from counterfoil.cli.options import Context, call_of
from counterfoil.effects.secrets import Keyring
from counterfoil.errors import WrongUse

app = typer.Typer(
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    help="Keep passwords in this computer's keyring.",
    epilog=EVERYWHERE,
)
Name = Annotated[str, typer.Argument(metavar="NAME", help="What templates and settings call it.", show_default=False)]


@app.command("set", epilog=EVERYWHERE)
def set_(context: Context, name: Name, extra: Annotated[list[str] | None, typer.Argument(hidden=True)] = None) -> None:
    """Keep a secret; its value is asked for or read from stdin."""
    call = call_of(context)
    if extra:  # not repeated in the message: it may be the value
        raise WrongUse(
            "The value of a secret is never given on the command line, where other programs can read it.",
            f"Write: counterfoil secret set {name}, and type it when asked, or send it on stdin.",
        )
    Keyring(call.home.create()).set(name, _value(name))
    call.document({"name": name, "kept": True})
    call.line(f"{name} is kept in the keyring.")


@app.command("list", epilog=EVERYWHERE)
def list_(context: Context) -> None:
    """The names of the secrets that are kept; values are never shown."""
    call = call_of(context)
    names = Keyring(call.home).names()
    call.document([{"name": name} for name in names])
    call.lines(names)
    if not names:
        call.say("no secrets are kept. Keep one: counterfoil secret set NAME")


@app.command("remove", epilog=EVERYWHERE)
def remove(context: Context, name: Name) -> None:
    """Remove a secret from the keyring."""
    call = call_of(context)
    Keyring(call.home).remove(name)
    call.document({"name": name, "removed": True})
    call.line(f"{name} is removed from the keyring.")


def _value(name: str) -> str:
    if sys.stdin is not None and sys.stdin.isatty():
        return getpass.getpass(f"Value of {name} (it is not shown): ")
    return (sys.stdin.readline() if sys.stdin is not None else "").rstrip("\r\n")
