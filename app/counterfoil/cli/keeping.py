"""`secret set|list|remove|where|vault|unlock`: passwords, in the keyring or in another place that a person chose. A value is never an
argument, where every process could read it: it is asked for without being shown, or read from stdin."""

from __future__ import annotations

import getpass
import sys
from typing import Annotated

import typer

from counterfoil.cli.commands import EVERYWHERE
from counterfoil.cli.options import Context, call_of
from counterfoil.cli.tables import table
from counterfoil.cli.words import Cell
from counterfoil.effects.secrets import FILE, KEYRING, SESSION, Keyring, variable
from counterfoil.errors import WrongUse

app = typer.Typer(
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    help="Keep passwords where only this account can use them.",
    epilog=EVERYWHERE,
)
Name = Annotated[str, typer.Argument(metavar="NAME", help="What templates and settings call it.", show_default=False)]
_SAID = {
    KEYRING: "in the keyring",
    SESSION: "in memory, for this session only",
    FILE: "in the file under the passphrase",
}
_PROBE_PATIENCE = 10.0  # seconds that a keyring may take to be tried


@app.command("set", epilog=EVERYWHERE)
def set_(
    context: Context,
    name: Name,
    extra: Annotated[list[str] | None, typer.Argument(hidden=True)] = None,
    session: Annotated[bool, typer.Option("--session", help="In memory, until this session ends.")] = False,
    file: Annotated[bool, typer.Option("--file", help="In the file under a passphrase.")] = False,
) -> None:
    """Keep a secret; its value is asked for or read from stdin."""
    call = call_of(context)
    if extra:  # not repeated in the message: it may be the value
        raise WrongUse(
            "The value of a secret is never given on the command line, where other programs can read it.",
            f"Write: counterfoil secret set {name}, and type it when asked, or send it on stdin.",
        )
    if session and file:
        raise WrongUse("A secret lies in one place.", "Write --session or --file.")
    keyring = Keyring(call.home.create())
    keyring.set(name, _value(f"Value of {name}"), SESSION if session else FILE if file else "")
    place = keyring.places()[name]
    call.document({"name": name, "kept": True, "place": place})
    call.line(f"{name} is kept {_SAID[place]}.")


@app.command("list", epilog=EVERYWHERE)
def list_(context: Context) -> None:
    """The names of the secrets there are, and where each lies; values are never shown."""
    call = call_of(context)
    places = Keyring(call.home).places()
    call.document([{"name": name, "place": places[name]} for name in sorted(places)])
    call.lines([name if places[name] == KEYRING else f"{name}  ({places[name]})" for name in sorted(places)])
    if not places:
        call.say("no secrets are kept. Keep one: counterfoil secret set NAME")


@app.command("remove", epilog=EVERYWHERE)
def remove(context: Context, name: Name) -> None:
    """Remove a secret from where it lies."""
    call = call_of(context)
    keyring = Keyring(call.home)
    place = keyring.places().get(name, KEYRING)
    if place not in _SAID:
        raise WrongUse(f"The secret “{name}” stands in the environment.", f"Take {variable(name)} away there.")
    keyring.remove(name)
    call.document({"name": name, "removed": True})
    call.line(f"{name} is removed{' from the keyring' if place == KEYRING else ''}.")


@app.command("where", epilog=EVERYWHERE)
def where(context: Context) -> None:
    """The places that secrets can lie in, in the order in which they are looked for; each is tried out."""
    call = call_of(context)
    rungs = Keyring(call.home.create(), _PROBE_PATIENCE).ladder()
    call.document(
        [{"place": one.place, "usable": one.usable, "words": one.words, "names": list(one.names)} for one in rungs]
    )
    lines = [
        [Cell(one.place), Cell("usable" if one.usable else "not usable"), Cell(", ".join(one.names)), Cell(one.words)]
        for one in rungs
    ]
    call.lines(table(["place", "", "secrets", ""], lines, call.width))


@app.command("vault", epilog=EVERYWHERE)
def vault(context: Context) -> None:
    """Have a file for secrets under a passphrase, for where there is no keyring; the passphrase is kept nowhere."""
    call = call_of(context)
    passphrase = _value("A passphrase")
    if call.can_ask and _value("The same again") != passphrase:
        raise WrongUse("The two are not the same, so no file was made.", "Try again.")
    Keyring(call.home.create()).make_vault(passphrase)
    call.document({"made": True})
    call.line("The file is made. Who forgets the passphrase has lost what is in it.")
    call.say(
        "keep a secret in it: counterfoil secret set NAME --file; open it in a later session: counterfoil secret unlock"
    )


@app.command("unlock", epilog=EVERYWHERE)
def unlock(context: Context) -> None:
    """Open the file with secrets for this session."""
    call = call_of(context)
    lasting = Keyring(call.home).unlock(_value("The passphrase"))
    call.document({"unlocked": lasting})
    if lasting:
        call.line("The file is open until this session ends.")
    else:
        call.say(
            "the passphrase is right, but this system keeps nothing in memory: start the runner with COUNTERFOIL_PASSPHRASE."
        )


def _value(what: str) -> str:
    if sys.stdin is not None and sys.stdin.isatty():
        return getpass.getpass(f"{what} (it is not shown): ")
    return (sys.stdin.readline() if sys.stdin is not None else "").rstrip("\r\n")
