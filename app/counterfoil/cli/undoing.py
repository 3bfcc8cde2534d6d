"""`undo`: put back what a run did to files. The runner does it, or this command while none lives."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Annotated, Any

import typer

from counterfoil.cli.call import Call, Interrupted
from counterfoil.cli.deciding import acting
from counterfoil.cli.file_sheet import diff_entry, file_lines
from counterfoil.cli.opening import Opened, opened
from counterfoil.cli.options import Comment, Context, Run, call_of
from counterfoil.clock import iso
from counterfoil.errors import NothingToUndo
from counterfoil.inbox.finding import find_run
from counterfoil.inbox.hinting import hint
from counterfoil.inbox.undoing import ask_to_undo
from counterfoil.previews.showing import PATIENCE, PlanFiles
from counterfoil.previews.since import load_since
from counterfoil.runner.lease import runner_alive
from counterfoil.runner.undoing import carry_out_here
from counterfoil.store import undoings
from counterfoil.store.transactions import Row
from counterfoil.views.undoing import UndoFile, paths_of, undo_view

_EVERY = 0.1  # seconds between two looks


def undo(
    context: Context,
    run: Run,
    only: Annotated[
        list[str] | None,
        typer.Option(
            "--only",
            metavar="PATH",
            help="Only this file, or what can be put back in this folder; “.” is all that can. May be repeated.",
            show_default=False,
        ),
    ] = None,
    compare: Annotated[
        bool,
        typer.Option("--compare", help="Only show how files that changed since differ from what the run left there."),
    ] = False,
    comment: Comment = "",
) -> int:
    """Put the files of a run back as they were before it, all of them or none; kept for 30 days."""
    call = call_of(context)
    with opened(call) as home:
        row = find_run(home.database.reader, run)
        if compare:
            _compare(call, home, row, only or ())
            return 0
        by, _ = acting(None)
        wish = ask_to_undo(home.database, call.home, row["run_id"], by, only=only or (), comment=comment)
        wish = _followed(call, home, wish["undo_id"], row["number"])
        done = wish["state"] == "done"
        call.document(undo_document(wish))
        if done:
            call.line(f"r-{row['number']}: {wish['message']}")
            call.lines([f"  {path}" for path in paths_of(wish)])
        else:
            call.say(str(wish["message"]))
    return 0 if done else 1


def _compare(call: Call, home: Opened, run: Row, only: Sequence[str]) -> None:
    """Show files that changed since, as the run left them and as they are; nothing is put back."""
    with home.database.snapshot() as conn:
        view = undo_view(conn, call.home, run, home.database.clock.now_us())
        if view.refusal:
            raise NothingToUndo(view.refusal, f"See: counterfoil show r-{run['number']}")
        met = [file.path for file in view.files if file.met and _is_wanted(file, only)]
        loaded = [load_since(conn, call.home, home.blobs, run, path) for path in met]
    plan_files = PlanFiles(call.home, home.blobs)
    until = time.monotonic() + PATIENCE
    files = [plan_files.compared(one, patient=time.monotonic() < until) for one in loaded]
    call.document([diff_entry(file) for file in files])
    for file in view.stuck:
        if not file.met and not file.held and _is_wanted(file, only):
            call.say(file.why)
    if files:
        call.lines(file_lines(files, None, ""))
    else:
        call.say(f"there is nothing to compare: what is there now is what run r-{run['number']} left.")


def _is_wanted(file: UndoFile, only: Sequence[str]) -> bool:
    """Whether one of the names is the file, where it was or where it is, a folder above it, or all of the workspace."""
    names = [name.rstrip("/") or "." for name in only]
    paths = [path for path in (file.path, file.now) if path is not None]
    return not names or any(name in (".", path) or path.startswith(f"{name}/") for name in names for path in paths)


def _followed(call: Call, home: Opened, undo_id: str, number: int) -> Row:
    """Wait until the runner has done it, or do it here; the wish as it ended."""
    hint(call.home)
    try:
        while (wish := undoings.get(home.database.reader, undo_id))["state"] == "asked":
            if runner_alive(home.database) or not carry_out_here(home.database, call.home):
                time.sleep(_EVERY)
            elif undoings.get(home.database.reader, undo_id)["state"] == "asked":
                raise Interrupted(
                    f"Run r-{number} could not be undone yet; see the log. The wish is kept, and nothing was put back.",
                    "It is tried again by: counterfoil runner",
                )
    except KeyboardInterrupt:
        raise Interrupted(
            f"Stopped watching. The wish to undo run r-{number} is kept.", "It is carried out by: counterfoil runner"
        ) from None
    return wish


def undo_document(wish: Row) -> dict[str, Any]:
    """A wish as `--json` writes it."""
    return {
        "undo_id": wish["undo_id"],
        "run_id": wish["run_id"],
        "state": wish["state"],
        "message": wish["message"],
        "paths": paths_of(wish),
        "by": wish["by"],
        "comment": wish["comment"],
        "asked_at": iso(wish["asked_at"]),
        "ended_at": iso(wish["ended_at"]),
    }
