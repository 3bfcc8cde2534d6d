"""The door of the command line: global options anywhere, one command, one exit code, and never a traceback for a person."""

from __future__ import annotations

import contextlib
import importlib
import io
import re
import sys
import tempfile
import traceback
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from counterfoil import __version__
from counterfoil.cli.call import INTERRUPTED, Call, Interrupted
from counterfoil.cli.commands import COMMANDS, EVERYWHERE, overview
from counterfoil.cli.plain_values import taken_plainly
from counterfoil.effects.redacting import KNOWN
from counterfoil.errors import CounterfoilError, WrongUse, did_you_mean
from counterfoil.places import Home, find_home


class Unexpected(CounterfoilError):
    """A fault of this program."""

    code = "error"


@dataclass(slots=True)
class _Words:
    """What a person typed, with the options that may stand anywhere taken out."""

    rest: list[str]
    home: str | None = None
    json: bool = False
    version: bool = False
    help: bool = False


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one call of the program; its exit code (contract.md 3)."""
    typed = list(sys.argv[1:] if arguments is None else arguments)
    call = Call(Home(Path()), json="--json" in typed)  # until it is known which home is meant
    try:
        words = _read(typed)
        call = Call(find_home(words.home), words.json)
        return _serve(call, words)
    except CounterfoilError as problem:
        call.fail(problem)
        return problem.exit_code
    except KeyboardInterrupt:
        call.fail(Interrupted("Interrupted.", "What was committed is kept."))
        return INTERRUPTED
    except Exception as problem:  # noqa: BLE001 - a person gets a sentence, never a traceback
        call.fail(_unexpected(call, problem))
        return Unexpected.exit_code


def _read(typed: Sequence[str]) -> _Words:
    words = _Words([])
    left = iter(typed)
    for word in left:
        if word == "--":
            words.rest.extend([word, *left])
        elif word == "--json":
            words.json = True
        elif word == "--home":
            words.home = next(left, None)
            if words.home is None:
                raise WrongUse("--home needs a folder.", "Write --home DIR.")
        elif word.startswith("--home="):
            words.home = word.removeprefix("--home=")
        elif word == "--version" and not words.rest:
            words.version = True
        elif word in ("--help", "-h") and not words.rest:
            words.help = True
        else:
            words.rest.append(word)
    return words


def _serve(call: Call, words: _Words) -> int:
    if words.version:
        call.line(f"counterfoil {__version__}")
        call.document({"version": __version__})
        return 0
    if words.help:
        for text in overview().splitlines():
            call.line(text)
        call.document({"commands": {name: command.about for name, command in COMMANDS.items()}})
        return 0
    if not words.rest:
        return _show_window(call)
    name, *rest = words.rest
    if name not in COMMANDS:
        raise _no_such(name)
    return _perform(call, name, rest)


def _show_window(call: Call) -> int:
    if call.json:
        raise WrongUse("--json needs a command.", "See: counterfoil --help")
    desktop = importlib.import_module("counterfoil.desktop")
    return int(desktop.main(call.home))


def _no_such(name: str) -> WrongUse:
    if name.startswith("-"):
        return WrongUse(f"no option ‘{name}’ before the command.", "See: counterfoil --help")
    return WrongUse(f"no command ‘{name}’.", did_you_mean(name, COMMANDS) or "See: counterfoil --help")


def _perform(call: Call, name: str, rest: list[str]) -> int:
    import typer  # third party, lazy: not needed for --version and --help
    from typer.main import get_command

    if call.json and not {"--help", "-h"}.isdisjoint(rest):
        return _help_document(call, name, rest)
    app = _app_of(name)
    program = f"counterfoil {name}"
    try:
        answer: Any = taken_plainly(get_command(app)).main(
            args=rest, prog_name=program, standalone_mode=False, obj=call
        )
    except typer.TyperException as problem:
        raise _misused(program, problem) from problem
    except typer.Abort:
        raise KeyboardInterrupt from None
    if answer == INTERRUPTED:
        raise KeyboardInterrupt
    return answer if isinstance(answer, int) else 0


def _help_document(call: Call, name: str, rest: list[str]) -> int:
    """Help asked for together with --json: the text in a document."""
    told = io.StringIO()
    with contextlib.redirect_stdout(told):
        code = _perform(Call(call.home), name, rest)
    call.document({"command": name, "help": told.getvalue()})
    return code


def _app_of(name: str) -> Any:
    """The typer app of a command; only its own module is loaded."""
    import typer

    command = COMMANDS[name]
    found = getattr(importlib.import_module(f"counterfoil.cli.{command.module}"), command.attribute)
    if isinstance(found, typer.Typer):
        return found
    app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)
    app.command(name, epilog=EVERYWHERE)(found)
    return app


def _misused(program: str, problem: Any) -> WrongUse:
    """What typer found wrong, in our form."""
    text = re.sub(r"'([^']*)'", r"‘\1’", " ".join(str(problem.format_message()).split()))
    text = text if text.endswith((".", "?")) else f"{text}."
    return WrongUse(f"{text[:1].lower()}{text[1:]}", f"See: {program} --help")


def _unexpected(call: Call, problem: Exception) -> Unexpected:
    where = _keep_trace(call, KNOWN("".join(traceback.format_exception(problem))))
    return Unexpected(
        KNOWN(f"This is a fault of Counterfoil itself: {type(problem).__name__}: {problem}."),
        f"What was committed is kept. Details for a report: {where}",
    )


def _keep_trace(call: Call, trace: str) -> str:
    """Keep a traceback in the home's logs; where that cannot be, show it."""
    try:
        call.home.logs.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(
            "w", dir=call.home.logs, prefix="fault-", suffix=".txt", delete=False, encoding="utf-8", errors="replace"
        ) as kept:
            kept.write(trace)
            return str(Path(kept.name))
    except OSError:
        sys.stderr.write(trace)
        return "above"
