"""`connector`: programs and addresses of others whose tools runs can call; what they have, and what people say of it."""

from __future__ import annotations

import asyncio
import webbrowser
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from counterfoil.cli.call import Call
from counterfoil.cli.commands import EVERYWHERE
from counterfoil.cli.opening import Opened, opened
from counterfoil.cli.options import Context, call_of
from counterfoil.cli.tables import table
from counterfoil.cli.words import Cell
from counterfoil.connectors import importing, keeping
from counterfoil.connectors.declared import SECONDS, Declared, Given, declared_of
from counterfoil.connectors.line import NoLine
from counterfoil.connectors.signing_in import Granted
from counterfoil.connectors.supervising import Connectors, SignedOut, sign_in_here
from counterfoil.effects.secrets import Keyring
from counterfoil.engine.ports import EffectTrouble
from counterfoil.errors import NoAnswer, WrongUse
from counterfoil.inbox.accounts import account
from counterfoil.places import followed
from counterfoil.sandbox.probing import measured
from counterfoil.store import connector_rows
from counterfoil.views.connectors import connector_document, connector_documents, tool_documents

app = typer.Typer(
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    help="Programs and addresses of others (MCP) whose tools runs can call.",
    epilog=EVERYWHERE,
)
Name = Annotated[str, typer.Argument(metavar="NAME", help="What it is called, such as files.", show_default=False)]
Tool = Annotated[str, typer.Argument(metavar="TOOL", help="The tool, as its connector calls it.", show_default=False)]


def _several(flag: str, metavar: str, about: str) -> Any:
    return typer.Option(flag, metavar=metavar, help=about, show_default=False)


@app.command("list", epilog=EVERYWHERE)
def list_(context: Context) -> None:
    """Every connector: where it runs, whether it answers, what has changed."""
    call = call_of(context)
    with opened(call) as home:
        documents = connector_documents(home.database.reader)
    call.document(documents)
    if not documents:
        call.line("No connectors yet. Add one: counterfoil connector add NAME -- PROGRAM WORD…")
        return
    lines = [[Cell(one["name"]), Cell(_state(one)), Cell(one["where"]), Cell(_tools(one))] for one in documents]
    call.lines(table(["name", "", "where", "tools"], lines, call.width))


def _state(one: Mapping[str, Any]) -> str:
    health = one["health"]
    words = "Nobody has looked yet." if health is None else health["words"]
    return words if one["on"] else f"off. {words}"


def _tools(one: Mapping[str, Any]) -> str:
    changed = f", {one['changed']} to look at" if one["changed"] else ""
    return f"{one['tools']}{changed}" if one["health"] is not None else ""


@app.command("add", epilog=EVERYWHERE)
def add(
    context: Context,
    name: Name,
    program: Annotated[
        list[str] | None,
        typer.Argument(metavar="-- PROGRAM WORD…", help="What is started here, isolated.", show_default=False),
    ] = None,
    url: Annotated[str, typer.Option("--url", metavar="URL", help="An address instead of a program.")] = "",
    title: Annotated[str, typer.Option("--title", metavar="TEXT", help="What people call it.")] = "",
    code: Annotated[list[Path] | None, _several("--code", "DIR", "A folder of its own that the program reads.")] = None,
    setting: Annotated[
        list[str] | None, _several("--set", "NAME=VALUE", "A setting in its environment; for an address a header.")
    ] = None,
    secret: Annotated[
        list[str] | None,
        _several("--secret", "NAME=SECRET", "A setting or header from the keyring, by its name there."),
    ] = None,
    host: Annotated[list[str] | None, _several("--host", "HOST", "A host that the program may reach.")] = None,
    may: Annotated[
        list[str] | None,
        _several("--may", "read-files|ask-llms", "It may read a run's files at /job, or ask llms in a run's name."),
    ] = None,
    seconds: Annotated[float, typer.Option("--seconds", metavar="N", help="How long a call may take.")] = SECONDS,
    by_hand: Annotated[bool, typer.Option("--even-restricted", help="Also where programs are not isolated.")] = False,
) -> None:
    """Keep a connector, off until somebody has looked at it."""
    call = call_of(context)
    argv = tuple(program or ())
    folders = tuple(str(followed(one)) for one in code or ())
    if argv:
        found, own = importing.program_of(argv[0])
        argv, folders = (found, *argv[1:]), (*folders, *own)
    given_leave = _leave(may)
    given: dict[str, Given] = {**_pairs("--set", setting)}
    given |= {key: {"$secret": value} for key, value in _pairs("--secret", secret).items()}
    declared = Declared(
        name=name,
        title=title,
        argv=argv,
        url=url,
        code=tuple(dict.fromkeys(folders)),
        settings={} if url else given,
        headers=given if url else {},
        hosts=tuple(host or ()),
        stage="read" if "read-files" in given_leave else "",
        seconds=seconds,
        llms="ask-llms" in given_leave,
        by_hand=by_hand,
    )
    with opened(call) as home:
        home.database.transact(lambda txn: keeping.add(txn, declared, account()))
        call.document(connector_document(home.database.reader, keeping.connector(home.database.reader, name)))
    call.line(f"{name} is kept, and off. Look at what it can do: counterfoil connector test {name}")


def _leave(given: list[str] | None) -> set[str]:
    wrong = next((word for word in given or [] if word not in ("read-files", "ask-llms")), None)
    if wrong is not None:
        raise WrongUse(f"“{wrong}” is nothing that a connector may do.", "Write --may read-files or --may ask-llms.")
    return set(given or [])


def _pairs(flag: str, given: list[str] | None) -> dict[str, str]:
    pairs = [text.partition("=") for text in given or []]
    wrong = next((name for name, equals, _ in pairs if not equals or not name), None)
    if wrong is not None:
        raise WrongUse(f"{flag} {wrong} has no name and value.", f"Write {flag} NAME=VALUE.")
    return {name: value for name, _, value in pairs}


@app.command("import", epilog=EVERYWHERE)
def import_(
    context: Context,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="JSON of another program.", show_default=False)],
) -> None:
    """Take over connectors from another program's file, off; their secrets go into the keyring."""
    call = call_of(context)
    found, left_out = importing.read_file(file)
    keyring = Keyring(call.home.create())
    kept: list[str] = []
    with opened(call) as home:
        for one in found:
            name = one.declared.name
            if connector_rows.get(home.database.reader, name) is not None:
                left_out.append(f"“{name}” is left out: there is one of that name already.")
                continue
            for secret, value in one.secrets.items():
                keyring.set(secret, value)
            home.database.transact(lambda txn, one=one: keeping.add(txn, one.declared, account()))  # type: ignore[misc]
            kept.append(name)
            call.line(f"{name} is kept, and off. Look at what it can do: counterfoil connector test {name}")
            call.lines([f"  its secret {secret} is in the keyring now" for secret in one.secrets])
            call.lines([f"  {note}" for note in one.notes])
        documents = [one for one in connector_documents(home.database.reader) if one["name"] in kept]
    call.document({"connectors": documents, "left_out": left_out})
    for sentence in left_out:
        call.say(sentence)


@app.command("test", epilog=EVERYWHERE)
def test(context: Context, name: Name) -> None:
    """Start it, ask what it can do, and end it again."""
    call = call_of(context)
    with opened(call) as home:
        _look(home, declared_of(keeping.connector(home.database.reader, name)))
        row = keeping.connector(home.database.reader, name)
        document = connector_document(home.database.reader, row)
        call.document({**document, "tools": tool_documents(home.database.reader, name)})
        health = document["health"]
        call.line(
            f"{name}: {health['words']} {health['server']}, {document['tools']} tools, protocol {health['protocol']}"
        )
        call.lines([f"  {sentence}" for sentence in health["left_out"]])
        if health["noise"]:
            call.line(f"  It is noisy: {health['noise']} lines that were no message.")
        _say_tools(call, home, name)
        if not row["is_on"]:
            call.say(f"{name} is off. Switch it on: counterfoil connector on {name}")


def _look(home: Opened, declared: Declared) -> None:
    """Connect once, in this process.

    Raises:
        NoAnswer: it does not answer.
    """

    async def look() -> None:
        connectors = Connectors(home.database, home.home, lambda: measured(home.home), Keyring(home.home))
        try:
            await connectors.look(declared)
        finally:
            await connectors.close()

    try:
        asyncio.run(look())
    except SignedOut as problem:
        raise NoAnswer(str(problem)) from problem
    except EffectTrouble as problem:
        words = connector_document(home.database.reader, keeping.connector(home.database.reader, declared.name))
        last = (words["health"] or {}).get("last_words", "").strip()
        raise NoAnswer(str(problem), f"Its last words: {' '.join(last[-300:].split())}" if last else "") from problem


@app.command("tools", epilog=EVERYWHERE)
def tools(
    context: Context,
    name: Name,
    accept: Annotated[
        bool,
        typer.Option("--accept", help="You have looked at those that are new or have changed; they ask less again."),
    ] = False,
) -> None:
    """What its tools do, and what has changed of them since somebody looked."""
    call = call_of(context)
    with opened(call) as home:
        keeping.connector(home.database.reader, name)
        call.document(tool_documents(home.database.reader, name))
        _say_tools(call, home, name)
        if accept:
            seen = home.database.transact(lambda txn: keeping.agree(txn, name, [], account()))
            call.say(f"Looked at: {', '.join(seen)}." if seen else "There was nothing new.")


def _say_tools(call: Call, home: Opened, name: str) -> None:
    for one in tool_documents(home.database.reader, name):
        twice = " May be done twice." if one["repeatable"] else ""
        takes = f" ({', '.join(one['takes'])})" if one["takes"] else ""
        new = "New. " if one["is_new"] else ""
        claim = f" Its server says that it {one['claim']}." if one["claim"] and not one["does"] else ""
        call.line(f"  {one['tool']}{takes}: {new}{one['does_words']}{twice}{claim}")
        if one["changes"]:
            call.line(f"    Changed: it {' and '.join(one['changes'])}. It asks again until you look.")


@app.command("classify", epilog=EVERYWHERE)
def classify(
    context: Context,
    name: Name,
    tool: Tool,
    does: Annotated[
        str, typer.Argument(metavar="reads|changes|sends|spends", help="What it does.", show_default=False)
    ],
    repeatable: Annotated[bool, typer.Option("--repeatable", help="Doing it twice is as doing it once.")] = False,
) -> None:
    """Say what a tool does. What only reads needs no question where a template says that it uses the connector."""
    call = call_of(context)
    with opened(call) as home:
        home.database.transact(lambda txn: keeping.classify(txn, name, tool, does, account(), repeatable=repeatable))
        found = next(one for one in tool_documents(home.database.reader, name) if one["tool"] == tool)
        call.document(found)
        call.line(f"{tool} of {name}: {found['does_words']}")


@app.command("on", epilog=EVERYWHERE)
def on(context: Context, name: Name) -> None:
    """Let runs call it. Its tools are shown first, and are agreed to as they are now."""
    call = call_of(context)
    with opened(call) as home:
        _look(home, declared_of(keeping.connector(home.database.reader, name)))
        _say_tools(call, home, name)
        _switched(call, home, name, on=True)


@app.command("sign-in", epilog=EVERYWHERE)
def sign_in(
    context: Context,
    name: Name,
    show: Annotated[bool, typer.Option("--print", help="Print the address of the page instead of opening it.")] = False,
) -> None:
    """Sign in to a connector at an address, in the browser; what it grants goes into the keyring."""
    call = call_of(context)
    with opened(call) as home:
        declared = declared_of(keeping.connector(home.database.reader, name))
        if not declared.url:
            raise WrongUse(
                f"“{name}” is a program of this computer, so nobody signs in to it.", "Nothing is to be done."
            )
        keyring = Keyring(home.home)

        async def page(address: str) -> None:
            call.say(f"the page to sign in: {address}")
            if not show:
                await asyncio.to_thread(webbrowser.open, address)

        try:
            asyncio.run(sign_in_here(declared, home.home, keyring, page))
        except (NoLine, TimeoutError) as problem:
            raise NoAnswer(
                f"Nobody was signed in to {name}: {str(problem) or 'nobody came back from the page'}."
            ) from problem
        home.database.transact(lambda txn: keeping.note_signed_in(txn, name, account()))
        call.document({"name": name, "signed_in": True})
        call.say(f"You are signed in to {name}. Runs that wait for it go on when their gate is answered.")


@app.command("off", epilog=EVERYWHERE)
def off(context: Context, name: Name) -> None:
    """Let nothing call it."""
    call = call_of(context)
    with opened(call) as home:
        _switched(call, home, name, on=False)


def _switched(call: Call, home: Opened, name: str, *, on: bool) -> None:
    changed = home.database.transact(lambda txn: keeping.switch(txn, name, account(), on=on))
    call.document(connector_document(home.database.reader, keeping.connector(home.database.reader, name)))
    word = "on" if on else "off"
    call.say(f"{name} is {word} now." if changed else f"{name} was {word} already.")


@app.command("remove", epilog=EVERYWHERE)
def remove(context: Context, name: Name) -> None:
    """Forget a connector and what was said of its tools; its secrets stay in the keyring."""
    call = call_of(context)
    with opened(call) as home:
        gone = home.database.transact(lambda txn: keeping.remove(txn, name, account()))
        if gone.url:
            asyncio.run(Granted(name, Keyring(call.home)).forget())
    call.document({"name": name, "removed": True})
    call.say(f"{name} is removed.")
    for secret in gone.secrets():
        call.say(f"Its secret {secret} is still in the keyring: counterfoil secret remove {secret}")
