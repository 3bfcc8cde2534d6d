"""A person's wish to put back what a run did to files: looked at, committed, and carried out by the runner."""

from __future__ import annotations

from collections.abc import Sequence

from counterfoil.errors import NothingToUndo, UndoRefused
from counterfoil.facts import person, storable
from counterfoil.places import Home
from counterfoil.store import runs, trail_rows, undoings
from counterfoil.store.database import Database
from counterfoil.store.transactions import Row, Txn
from counterfoil.views.undoing import UndoView, chosen, undo_view


def ask_to_undo(
    database: Database, home: Home, run_id: str, principal: str, *, only: Sequence[str] = (), comment: str = ""
) -> Row:
    """Commit a wish; its row. One that is there already for this run is the answer: it is never done twice.

    Raises:
        NothingToUndo: the run changed no files, was undone, has not ended, or what it displaced is not kept any more.
        UndoRefused: a file cannot be put back; the message names it.
    """
    for wish in undoings.of_run(database.reader, run_id):
        if wish["state"] == "asked":
            return wish
    with database.snapshot() as conn:
        run = runs.get(conn, run_id)
        view = undo_view(conn, home, run, database.clock.now_us())
    if view.refusal:
        raise NothingToUndo(view.refusal, f"See: counterfoil show r-{run['number']}")
    paths, why = chosen(view, only)
    if why:
        raise UndoRefused(f"{why} Nothing was put back.", _ways(view, f"counterfoil undo r-{run['number']}"))
    return database.transact(lambda txn: _ask(txn, run_id, principal, storable(comment.strip()), paths))


def _ways(view: UndoView, command: str) -> str:
    """What a person can do about files that cannot go back."""
    ways = []
    if view.can:
        ways.append(f"To put back what can be: {command} --only .")
    if any(file.met for file in view.files):
        ways.append(f"To see what changed: {command} --compare")
    return "; ".join([*ways[:1], *(way[:1].lower() + way[1:] for way in ways[1:])])


def _ask(txn: Txn, run_id: str, principal: str, comment: str, paths: Sequence[str]) -> Row:
    waiting = [wish for wish in undoings.of_run(txn.conn, run_id) if wish["state"] == "asked"]
    if waiting:
        return waiting[0]
    run = runs.get(txn.conn, run_id)
    wish = undoings.ask(txn, run_id, principal, comment, [storable(path) for path in paths])
    files = "1 file" if len(paths) == 1 else f"{len(paths)} files"
    trail_rows.append(
        txn,
        by=principal,
        kind="undo_asked",
        subject=run_id,
        summary=f"{person(principal)} asked to put back {files} of run {run['number']}"
        + (f": {comment}" if comment else ""),
        after={"undo": wish["undo_id"], "paths": [storable(path) for path in paths], "comment": comment},
    )
    return wish
