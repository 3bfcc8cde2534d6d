"""`runner`: be the one process that advances the runs of this home."""

from __future__ import annotations

import os
import signal
from typing import Annotated

import typer

from counterfoil.cli.call import Call
from counterfoil.cli.commands import EVERYWHERE
from counterfoil.cli.logs import keep_logs
from counterfoil.cli.opening import Opened, opened, tell_runner
from counterfoil.cli.options import Context, call_of
from counterfoil.cli.words import counted, run_state
from counterfoil.errors import WrongUse
from counterfoil.inbox.accounts import account
from counterfoil.inbox.hinting import hint
from counterfoil.inbox.pausing import pause_everything, pause_sentence, refuse_paused, resume_everything
from counterfoil.runner import handing_over
from counterfoil.runner.at_login import runner_command
from counterfoil.runner.keeping_up import KeptUp
from counterfoil.runner.running import Runner
from counterfoil.store import gates, runs
from counterfoil.views.runs import run_document

app = typer.Typer(
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    help="Advance runs until Ctrl+C; ending it loses nothing.",
    epilog=EVERYWHERE,
)


@app.callback(invoke_without_command=True)
def runner(
    context: Context,
    until_idle: Annotated[bool, typer.Option("--until-idle", help="End when nothing is left to do now.")] = False,
    take_over: Annotated[
        bool, typer.Option("--take-over", help="Let a runner that works already drain and leave first.")
    ] = False,
    keep_up: Annotated[
        bool, typer.Option("--keep-up", help="Start it again when it crashes, after a pause that grows.")
    ] = False,
) -> int:
    """Advance runs until Ctrl+C; ending it loses nothing."""
    call = call_of(context)
    if context.invoked_subcommand is not None:
        return 0
    if keep_up:
        return _kept_up(call, until_idle=until_idle)
    if take_over and handing_over.ask(call.home):
        call.say("the runner that worked before has handed over.")
    return _work(call, until_idle=until_idle)


def _kept_up(call: Call, *, until_idle: bool) -> int:
    """Be the parent of a runner that is started again after crashes."""
    if until_idle:
        raise WrongUse("--keep-up and --until-idle do not go together.", "Leave one of them out.")
    call.home.create()
    keep_logs(call.home)
    kept = KeptUp(runner_command(call.home))
    for name in (signal.SIGTERM, signal.SIGINT):
        signal.signal(name, lambda *_: kept.stop())
    return kept.run()


@app.command("pause", epilog=EVERYWHERE)
def pause(context: Context) -> None:
    """Pause everything: no run starts or goes on, no firing, no effect; decisions can be given and wait."""
    call = call_of(context)
    with opened(call) as home:
        changed = home.database.transact(lambda txn: pause_everything(txn, account()))
        hint(call.home)
        call.document({"paused": True, "changed": changed})
        call.say(
            "everything is paused; what is in the middle of an effect ends it first." if changed else _already(home)
        )


@app.command("resume", epilog=EVERYWHERE)
def resume(context: Context) -> None:
    """Let everything go on; firings that passed meanwhile are not made up for."""
    call = call_of(context)
    with opened(call) as home:
        changed = home.database.transact(lambda txn: resume_everything(txn, account()))
        call.document({"paused": False, "changed": changed})
        call.say("everything goes on." if changed else "nothing was paused.")
        tell_runner(call, home, "everything is kept and goes on with it")


def _already(home: Opened) -> str:
    said = pause_sentence(home.database.reader)
    return f"{said[:1].lower()}{said[1:]} Nothing was changed."


def _work(call: Call, *, until_idle: bool) -> int:
    with opened(call) as home:
        keep_logs(call.home)
        working = Runner(home.database, call.home)
        if until_idle:
            refuse_paused(home.database.reader)
            working.run_until_idle()
            if not working.advanced:
                refuse_paused(home.database.reader)  # it may find a reason to hold everything by itself
        else:
            working.run_forever(ready=lambda: _ready(call, home))
        waiting = gates.count_open(home.database.reader)
        if until_idle:
            call.lines([_came_of(home, run_id) for run_id in working.advanced])
    call.document({"ended": "idle" if until_idle else "stopped", "open_gates": waiting})
    if not until_idle:
        call.say("the runner has stopped; every step and decision is kept.")
    if waiting:
        call.say(f"{counted(waiting, 'gate waits', 'gates wait')} for you: counterfoil inbox")
    return 3 if until_idle and waiting else 0


def _came_of(home: Opened, run_id: str) -> str:
    """What has become of a run that was carried on, in one line."""
    run = run_document(home.database.reader, home.blobs, runs.get(home.database.reader, run_id))
    result = run["result"]
    summary = result.get("summary") if isinstance(result, dict) else None
    return f"r-{run['number']} {run['title']}: {summary or run_state(run)}"


def _ready(call: Call, home: Opened) -> None:
    call.say(f"the runner is running (process {os.getpid()}). Ctrl+C ends it; nothing is lost.")
    paused = pause_sentence(home.database.reader)
    if paused:
        call.say(f"{paused[:1].lower()}{paused[1:]} Nothing starts until: counterfoil runner resume")
