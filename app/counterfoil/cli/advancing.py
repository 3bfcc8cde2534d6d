"""`runner`: be the one process that advances the runs of this home."""

from __future__ import annotations

import os
from typing import Annotated

import typer

from counterfoil.cli.call import Call
from counterfoil.cli.logs import keep_logs
from counterfoil.cli.opening import opened
from counterfoil.cli.options import Context, call_of
from counterfoil.cli.words import counted
from counterfoil.runner.running import Runner
from counterfoil.store import gates


def runner(
    context: Context,
    until_idle: Annotated[bool, typer.Option("--until-idle", help="End when nothing is left to do now.")] = False,
) -> int:
    """Advance runs until Ctrl+C; ending it loses nothing."""
    call = call_of(context)
    with opened(call) as home:
        keep_logs(call.home)
        working = Runner(home.database, call.home)
        if until_idle:
            working.run_until_idle()
        else:
            working.run_forever(ready=lambda: _ready(call))
        waiting = gates.count_open(home.database.reader)
    call.document({"ended": "idle" if until_idle else "stopped", "open_gates": waiting})
    if not until_idle:
        call.say("the runner has stopped; every step and decision is kept.")
    if waiting:
        call.say(f"{counted(waiting, 'gate waits', 'gates wait')} for you: counterfoil inbox")
    return 3 if until_idle and waiting else 0


def _ready(call: Call) -> None:
    call.say(f"the runner is running (process {os.getpid()}). Ctrl+C ends it; nothing is lost.")
