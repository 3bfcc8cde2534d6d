"""The home of a call, opened: its database and blobs for a command, and who is alive to act on what was committed."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from counterfoil.cli.call import Call
from counterfoil.errors import WrongWorkspace
from counterfoil.inbox.hinting import hint
from counterfoil.inbox.pausing import pause_sentence
from counterfoil.places import Home
from counterfoil.runner.lease import runner_alive
from counterfoil.store.blobs import Blobs
from counterfoil.store.database import Database, open_database, translated


@dataclass(frozen=True, slots=True)
class Opened:
    """An open home."""

    home: Home
    database: Database
    blobs: Blobs


@contextlib.contextmanager
def opened(call: Call) -> Iterator[Opened]:
    """Open the home of a call and let go of it afterwards; the driver's errors become ours."""
    database = open_database(call.home)
    try:
        with translated():
            yield Opened(call.home, database, Blobs(call.home))
    finally:
        database.close()


def workspace_of(given: Path | None) -> Path:
    """The workspace folder: the one given, else where the shell stands; its canonical path.

    Raises:
        WrongWorkspace: it is no folder, or this account may not look at it.
    """
    chosen = given or Path()
    try:
        found = chosen.expanduser().resolve(strict=True)
    except (OSError, RuntimeError, ValueError) as problem:  # the latter two: links in a circle, signs that no name has
        why = getattr(problem, "strerror", None) or "its links lead in a circle, or nothing can be called that"
        raise WrongWorkspace(
            f"the workspace {chosen} cannot be used: {why}.", "Name a folder with --workspace DIR."
        ) from problem
    if not found.is_dir():
        raise WrongWorkspace(f"the workspace {chosen} is no folder.", "Name a folder with --workspace DIR.")
    return found


def tell_standstill(call: Call, home: Opened, what: str) -> None:
    """Say that `what` does not happen while everything is paused, or while no runner lives; nothing where it does."""
    paused = pause_sentence(home.database.reader)
    if paused:
        call.say(f"{paused[:1].lower()}{paused[1:]} {what} until: counterfoil runner resume")
    elif not runner_alive(home.database):
        call.say(f"the runner is off; {what[:1].lower()}{what[1:]} until it runs: counterfoil runner")


def tell_runner(call: Call, home: Opened, kept: str) -> bool:
    """Wake the runner, or say that none is there to act on what was just kept, or that everything is paused; whether one lives."""
    hint(call.home)
    alive = runner_alive(home.database)
    paused = pause_sentence(home.database.reader)
    if paused:
        call.say(f"{paused[:1].lower()}{paused[1:]} It is kept, and goes on after: counterfoil runner resume")
    elif not alive:
        call.say(f"the runner is off; {kept}: counterfoil runner")
    return alive
