"""Listening to a held run: people are told of what is silent, a person may wait for it longer, or have it begin anew.

What is told is one notice for each run, which news from the run takes down. A restart ends the run's host the hard way and replays: steps
that it was in begin anew and steps that are recorded stay; an effect that is cut off is one whose outcome nobody knows, and follows its
policy of doubt.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from counterfoil.engine.desk_failures import title_of_step
from counterfoil.engine.holding import Hold, Identity
from counterfoil.facts import AttemptState, FailureClass, NoticeKind, RunState, person
from counterfoil.store import notices, records, runs
from counterfoil.store.transactions import Connection, Row, Txn

_BY = "runner"


async def listen(hold: Hold, *, at_work: bool) -> None:
    """Tell people what is silent by now, renew it, or take it back.

    Raises:
        Over: the hold has ended.
    """
    hearing, before = hold.hearing, hold.hearing.told
    waiting = [identity for (identity, _), future in hold.parked.items() if not future.done()]
    silent = hearing.silent(waiting, at_work=at_work)
    steps = [{**step, "title": _title(hold, step["name"])} for step in hearing.words(silent)]
    said = {"run": hold.number, "title": hold.title, "steps": steps} if steps else None
    if said == before and (before is None or _stands(hold.powers.database.reader, hold.run_id)):
        return
    kept = await hold.do(lambda txn: _say(txn, hold, said, renewed=before is not None), durable=False)
    hearing.told = said if kept else None
    if before is not None and not kept:  # a person waits for it
        for identity in _identities(before["steps"]):
            hearing.heard(identity)


def _title(hold: Hold, name: str) -> str:
    """What a step is called at the head of a line; "" for the run itself."""
    title = title_of_step(hold.manifest, name)
    return f"{title[:1].upper()}{title[1:]}"


def _stands(conn: Connection, run_id: str) -> bool:
    row = notices.newest(conn, NoticeKind.SILENT, run_id)
    return row is not None and row["closed_at"] is None


def _say(txn: Txn, hold: Hold, said: dict[str, Any] | None, *, renewed: bool) -> bool:
    """Put the notice up, renew it or take it down; False where a person has taken it down before."""
    if renewed and not _stands(txn.conn, hold.run_id):
        return False
    if said is None:
        return notices.close(txn, NoticeKind.SILENT, hold.run_id, _BY)
    schedule_id = runs.get(txn.conn, hold.run_id)["schedule_id"]
    notices.post(txn, NoticeKind.SILENT, hold.run_id, {**said, "schedule_id": schedule_id})
    return True


def _identities(steps: Iterable[Mapping[str, Any]]) -> set[Identity]:
    return {(step["path"], step["ordinal"]) for step in steps}


async def restart_held(hold: Hold, wish: dict[str, Any]) -> None:
    """Have what a held run is in the middle of begin anew because a person said so, unless it has gone on meanwhile. An effect that cannot
    be cut off is waited for."""
    busy = hold.hearing.busy
    of = {(path, ordinal) for path, ordinal in wish["of"] or ()}
    if of and of.isdisjoint(busy) and of.isdisjoint(_identities((hold.hearing.told or {}).get("steps", ()))):
        await hold.do(lambda txn: runs.forget_restart(txn, hold.run_id), durable=False)
        hold.restarting = False
        return
    begun = {identity: one for identity, one in busy.items() if one.in_host}
    for one in list(busy.values()):
        if one.task is not None:
            one.task.cancel()
    await hold.quiet()

    def operation(txn: Txn) -> None:
        for identity, one in begun.items():
            if records.get(txn.conn, hold.run_id, *identity) is None:
                records.note_attempt(
                    txn,
                    hold.run_id,
                    *identity,
                    kind=one.kind,
                    name=one.name,
                    state=AttemptState.FAILED,
                    started_at=one.begun_us,
                    failure_class=FailureClass.RESTARTED,
                    message=f"{person(wish['by'])} had it begin anew",
                )

    await hold.do(operation)
    hold.end(RunState.READY)


def reason_of(txn: Txn, row: Row) -> str | None:
    """Who had a run begin anew what it was in, taken up by the claim that does it; None where nobody has."""
    wish = runs.restart_of(row)
    if wish is None:
        return None
    runs.forget_restart(txn, row["run_id"])
    runs.found(txn, row["run_id"])
    return f"{person(wish['by'])} had the step begin anew"
