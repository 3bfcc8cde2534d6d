"""`runner`: be the one process that advances the runs of this home."""

from __future__ import annotations

import os
from typing import Annotated

import typer

from counterfoil.cli.call import Call
from counterfoil.cli.logs import keep_logs
from counterfoil.cli.opening import Opened, opened
from counterfoil.cli.options import Context, call_of
from counterfoil.cli.words import counted, run_state
from counterfoil.runner.running import Runner
from counterfoil.store import gates, runs
from counterfoil.views.runs import run_document


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


def _ready(call: Call) -> None:
    call.say(f"the runner is running (process {os.getpid()}). Ctrl+C ends it; nothing is lost.")
