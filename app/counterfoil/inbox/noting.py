"""A note on a run that was stopped while it was not known whether something had happened: what a person found out of it."""

from __future__ import annotations

from counterfoil.errors import Declined
from counterfoil.facts import RunState, person
from counterfoil.store import runs, trail_rows
from counterfoil.store.database import Database
from counterfoil.store.transactions import Row, Txn


def note_on_run(database: Database, run_id: str, principal: str, text: str) -> Row:
    """Keep a note with a run, in the place of an earlier one; the run's row. The trail keeps both.

    Raises:
        Declined: there are no words, or nothing of the run is open.
    """

    def operation(txn: Txn) -> Row:
        run = runs.get(txn.conn, run_id)
        _refuse(run, text)
        before = runs.note_of(run)
        runs.put_note(txn, run_id, {"by": principal, "at": txn.now_us, "text": text})
        trail_rows.append(
            txn,
            by=principal,
            kind="run_noted",
            subject=run_id,
            summary=f"{person(principal)} noted on run {run['number']}: {text}",
            before=None if before is None else {"note": before["text"]},
            after={"note": text},
        )
        return runs.get(txn.conn, run_id)

    return database.transact(operation)


def _refuse(run: Row, text: str) -> None:
    """Only what is open needs a note, and a note needs words.

    Raises:
        Declined: it is refused.
    """
    if run["state"] != RunState.CANCELLED or not runs.not_undone(run):
        raise Declined(
            f"Nothing of run {run['number']} is open, so there is nothing to note. Nothing was changed.",
            f"See: counterfoil show r-{run['number']}",
        )
    if not text:
        raise Declined(
            "A note needs words. Nothing was changed.",
            f"Say what was found out: counterfoil note r-{run['number']} --comment TEXT",
        )
