"""`service`: have the runner start at login, stop doing so, and see how it stands."""

from __future__ import annotations

from typing import Any

import typer

from counterfoil import __version__
from counterfoil.cli.call import Call
from counterfoil.cli.commands import EVERYWHERE
from counterfoil.cli.opening import Opened, opened
from counterfoil.cli.options import Context, call_of
from counterfoil.cli.words import clock
from counterfoil.clock import iso
from counterfoil.facts import person
from counterfoil.inbox.accounts import account
from counterfoil.inbox.home_settings import KIND
from counterfoil.inbox.pausing import pause_sentence
from counterfoil.runner.at_login import AtLogin
from counterfoil.store import leases, standing, trail_rows
from counterfoil.store.transactions import Txn

app = typer.Typer(
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    help="Have the runner start at login, without a window or a terminal.",
    epilog=EVERYWHERE,
)
_ASKED = "This computer has to be on and Counterfoil must run in the background. Start it at login?"


@app.command("install", epilog=EVERYWHERE)
def install(context: Context) -> None:
    """Start the runner now and at each login of this account."""
    call = call_of(context)
    with opened(call) as home:
        _install(call, home)
        call.document(_document(call, home))


def _install(call: Call, home: Opened) -> None:
    at_login = AtLogin(call.home)
    at_login.install()
    _keep(home, start=True)
    for sentence in at_login.did:
        call.line(sentence)


def _keep(home: Opened, *, start: bool) -> None:
    """What was answered, and an entry in the trail where that changes something."""

    def operation(txn: Txn) -> None:
        before = standing.value_of(standing.get(txn.conn, standing.LOGIN)) or {"start": False}
        standing.put(txn, standing.LOGIN, {"start": start}, account())
        if before != {"start": start}:
            does = "has the runner start at login" if start else "has the runner start at login no more"
            said, told = f"{person(account())} {does}", {"start_at_login": start}
            old = {"start_at_login": before["start"]}
            trail_rows.append(
                txn, by=account(), kind=KIND, subject="setting:start_at_login", summary=said, before=old, after=told
            )

    home.database.transact(operation)


@app.command("remove", epilog=EVERYWHERE)
def remove(context: Context) -> None:
    """Start it at login no more; runs, schedules and decisions are kept."""
    call = call_of(context)
    with opened(call) as home:
        at_login = AtLogin(call.home)
        removed = at_login.remove()
        _keep(home, start=False)
        for sentence in at_login.did:
            call.line(sentence)
        if not removed:
            call.line(f"It was not set up: there is no {at_login.file}.")
        call.document(_document(call, home))


@app.command("status", epilog=EVERYWHERE)
def status(context: Context) -> None:
    """Whether it starts at login, and how the runner does now."""
    call = call_of(context)
    with opened(call) as home:
        found = _document(call, home)
        call.document(found)
        call.line(f"At login: {'it starts' if found['installed'] else 'nothing starts'} ({found['file']}).")
        if found["installed"] and found["current"] is False:
            call.line("  It would start another program than this one. Mend it: counterfoil service install")
        if found["installed"] and found["active"] is False:
            call.line("  The system does not run it now.")
        runner = found["runner"]
        call.line(
            f"Runner: running since {clock(runner['since'])} (process {runner['pid']})." if runner else "Runner: off."
        )
        if found["paused"]:
            call.line(found["paused"])


def _document(call: Call, home: Opened) -> dict[str, Any]:
    at_login, conn = AtLogin(call.home), home.database.reader
    lease = leases.read(conn)
    alive = lease if leases.alive(lease, home.database.clock.now_us()) else None
    installed = at_login.file.exists()
    return {
        "installed": installed,
        "file": str(at_login.file),
        "current": at_login.current() if installed else None,
        "active": at_login.active() if installed else None,
        "runner": {"pid": alive["pid"], "since": iso(alive["started_at"])} if alive else None,
        "paused": pause_sentence(conn) or None,
        "version": __version__,
    }


def ask_once(call: Call, home: Opened) -> None:
    """When somebody at a terminal keeps a first schedule, ask whether the runner is to start at login; never again after an answer."""
    if not call.can_ask or standing.get(home.database.reader, standing.LOGIN) is not None:
        return
    if typer.confirm(_ASKED, default=False):
        _install(call, home)
    else:
        _keep(home, start=False)
        call.say("it is not started at login; to change that: counterfoil service install")
