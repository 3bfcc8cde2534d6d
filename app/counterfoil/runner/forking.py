"""Going on from a step of a run in a new one: what that run recorded before it is taken over, and nothing of it is performed again.

All of it is one transaction, so a process that is killed leaves a whole run or none.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from counterfoil import __version__
from counterfoil.authoring.machine import root_of
from counterfoil.engine.claiming import begun_us
from counterfoil.errors import Declined
from counterfoil.facts import StepKind
from counterfoil.places import Home
from counterfoil.policy.protection import NOTHING, Consent
from counterfoil.runner.consent import note_fall
from counterfoil.runner.starting import promised
from counterfoil.store import (
    llm_budgets,
    llm_calls,
    permission_rows,
    records,
    runs,
    stage_rows,
    trail_rows,
)
from counterfoil.store.blobs import Blobs
from counterfoil.store.database import Database
from counterfoil.store.transactions import Row, Txn
from counterfoil.views.effect_names import listed
from counterfoil.views.fork_plan import ForkPlan, fork_plan


def fork_run(
    database: Database,
    home: Home,
    run_id: str,
    step: int,
    *,
    by: str,
    again: bool = False,
    reason: str = "",
    consent: Consent = NOTHING,
) -> Row:
    """Commit a ready run that goes on from a step of another one, an ordinal of its root branch; its row. `again`: what that run did
    outside before the step is done again as well, after new approvals.

    Raises:
        Declined: it cannot be gone on from there; the message says why. Nothing was started.
        WrongWorkspace: as `start_run`.
        NotIsolated, LessProtection: nobody agreed to the protection that there is; nothing was started.
    """
    before = runs.get(database.reader, run_id)
    found, fell_from = promised(
        database, home, before["template"], before["version"], Path(before["workspace"]), consent
    )
    blobs = Blobs(home)

    def operation(txn: Txn) -> Row:
        plan = fork_plan(txn.conn, blobs, runs.get(txn.conn, run_id), step, again=again)
        if plan.refusal:
            raise Declined(plan.refusal, plan.way)
        row = fork(txn, plan, by=by, reason=reason, isolation=found.mark)
        if fell_from is not None:
            note_fall(txn, row, by, fell_from, found)
        return row

    return database.transact(operation)


def fork(txn: Txn, plan: ForkPlan, *, by: str, reason: str, isolation: str) -> Row:
    """Write the new run of a plan that is not refused, with what it takes over; its row."""
    old = plan.run
    row = runs.create(
        txn,
        runs.NewRun(
            template=old["template"],
            version=old["version"],
            workspace=old["workspace"],
            title=old["title"],
            parameters=old["parameters"],
            started_by=by,
            program=__version__,
            isolation=isolation,
            again=runs.Again(old["run_id"], reason, plan.start, old["seed"], begun_us(old)),
        ),
    )
    head = records.carry(txn, row["run_id"], [_taken_over(plan, record) for record in plan.records])
    _take_over_the_rest(txn, plan, row["run_id"])
    what = f"; not repeated: {listed(plan.kept)}" if plan.kept else ""
    count = len(plan.records)
    trail_rows.append(
        txn,
        by=by,
        kind="run_forked",
        subject=row["run_id"],
        summary=f"Run {row['number']} took over {count} {'step' if count == 1 else 'steps'} of run {old['number']}{what}",
        after={
            "again_of": old["run_id"],
            "from": plan.start,
            "records": count,
            "not_repeated": list(plan.kept),
            "head": head,
        },
    )
    return row


def _taken_over(plan: ForkPlan, record: Row) -> dict[str, Any]:
    """A record as the new run keeps it: with where it is from, and of an effect with what its plan said of it."""
    row = {name: record[name] for name in records.FIELDS}
    if record["kind"] == StepKind.EFFECT:
        row["summary"] = record["summary"] or plan.summaries.get((record["path"], record["ordinal"]))
    origin = str(record["origin"] or "")
    if records.TAKEN_OVER not in origin:
        source = f"{records.TAKEN_OVER}{plan.run['number']}, record {record['row']}"
        row["origin"] = f"{origin}; {source}" if origin else source
    return row


def _take_over_the_rest(txn: Txn, plan: ForkPlan, run_id: str) -> None:
    """What stands beside records: files that steps have written, turns of conversations and their budgets, what was read from outside."""
    conn, old = txn.conn, plan.run["run_id"]

    def ours(row: Row) -> bool:
        return root_of(row["path"], row["ordinal"]) < plan.start

    llm_calls.carry(txn, run_id, [row for row in llm_calls.of_run(conn, old) if ours(row)])
    llm_budgets.carry(txn, old, run_id)
    changes = [row for row in stage_rows.every(conn, old) if ours(row)]
    stage_rows.carry(txn, run_id, changes, plan.settled)
    permission_rows.note_sources(txn, run_id, permission_rows.sources(conn, old))
