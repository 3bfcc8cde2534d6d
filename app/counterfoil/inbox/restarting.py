"""A step that has said nothing for its limit: a person waits for it longer, or has it begin anew."""

from __future__ import annotations

from typing import Any

from counterfoil.errors import Declined
from counterfoil.facts import NoticeKind, RunState, person
from counterfoil.inbox.deciding import refuse_ended
from counterfoil.store import notices, runs, trail_rows
from counterfoil.store.database import Database
from counterfoil.store.transactions import Connection, Row, Txn


def silent_steps(conn: Connection, run_id: str) -> list[dict[str, Any]]:
    """What of a run people were told is silent, and nobody has answered yet: path, ordinal, name, title, kind, since, minutes."""
    row = notices.newest(conn, NoticeKind.SILENT, run_id)
    steps: list[dict[str, Any]] = notices.body_of(row)["steps"] if row and row["closed_at"] is None else []
    return steps


def wait_longer(txn: Txn, run_id: str, by: str) -> None:
    """Let what is silent go on: its clock starts anew.

    Raises:
        Declined: nothing of the run is silent.
    """
    if not notices.close(txn, NoticeKind.SILENT, run_id, by):
        raise Declined(
            f"Nothing of run {runs.get(txn.conn, run_id)['number']} is silent.", "There is nothing to wait for."
        )


def restart_step(database: Database, run_id: str, by: str, *, silent_only: bool = False) -> Row:
    """Have a run begin anew what it is in: what people were told is silent, else all it is in the middle of. The runner does it; the
    wish is kept with the run. `silent_only`: only if it is silent still. The run's row.

    Raises:
        RunEnded: it had ended before.
        Declined: it is in the middle of nothing, or there is news of it by now.
    """

    def operation(txn: Txn) -> Row:
        run = runs.get(txn.conn, run_id)
        refuse_ended(run)
        if run["state"] != RunState.RUNNING:
            raise Declined(
                f"Run {run['number']} is in the middle of nothing, so there is nothing to restart.",
                f"See what it waits for: counterfoil show r-{run['number']}",
            )
        steps = silent_steps(txn.conn, run_id)
        if silent_only and not steps:
            raise Declined("There is news of it by now, so nothing was restarted.", "Look at its steps.")
        of = [[step["path"], step["ordinal"]] for step in steps] or None
        runs.ask_to_restart(txn, run_id, {"by": by, "of": of})
        trail_rows.append(
            txn,
            by=by,
            kind="restart_asked",
            subject=run_id,
            summary=f"{person(by)} asked to restart {_named(steps)} of run {run['number']}",
            after={"of": of},
        )
        return run

    return database.transact(operation)


def _named(steps: list[dict[str, Any]]) -> str:
    titles = [f"‘{step['title'] or step['name']}’" for step in steps if step["name"]]
    return ", ".join(titles) or "the step"
