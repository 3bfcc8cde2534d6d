"""Carrying out wishes to put files back: by the runner, or by the command that asked while no runner lives."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Callable

from counterfoil.effects.beneath import Blocked
from counterfoil.effects.undo_store import remove_store
from counterfoil.effects.undoing import put_back, written_plan
from counterfoil.engine.ports import Conflict, EffectTrouble, OutcomeUnknown
from counterfoil.errors import CounterfoilError, RunnerTrouble
from counterfoil.facts import storable, unspelled
from counterfoil.places import Home
from counterfoil.runner.lease import Lease
from counterfoil.store import file_ops, gates, runs, trail_rows, undoings
from counterfoil.store.database import Database
from counterfoil.store.transactions import Connection, Row, Txn
from counterfoil.views.undo_plan import undo_plan
from counterfoil.views.undoing import KEPT_FOR_US, paths_of, undo_view

EXPIRE_EVERY = 86_400 * 1_000_000  # microseconds between two looks at what was kept long enough
_log = logging.getLogger(__name__)


class Wishes:
    """The runner's part: wishes are carried out beside everything else, one after the other, on a thread and a connection of their own."""

    def __init__(self, database: Database, home: Home, wake: Callable[[], None]) -> None:
        self._database, self._home, self._wake = database, home, wake
        self._at_work: asyncio.Task[None] | None = None
        self._expired_us: int | None = None

    def look(self) -> None:
        """Begin with what is asked, and once a day with what was kept long enough, unless that is going on."""
        if self._at_work is not None and not self._at_work.done():
            return
        now = self._database.clock.now_us()
        if self._expired_us is None or now - self._expired_us > EXPIRE_EVERY:
            self._expired_us = now
            self._at_work = asyncio.ensure_future(self._work(lambda mine: expire(mine, self._home, now)))
        elif undoings.asked(self._database.reader):
            self._at_work = asyncio.ensure_future(self._work(lambda mine: carry_out(mine, self._home)))

    async def _work(self, what: Callable[[Database], None]) -> None:
        def alone() -> None:
            mine = Database(self._home, self._database.clock)
            try:
                what(mine)
            finally:
                mine.close()

        try:
            await asyncio.to_thread(alone)
        except CounterfoilError:
            _log.exception(
                "files could not be put back yet; trying again"
            )  # at the next sweep: a full disk, a locked database
        else:
            self._wake()


def carry_out(database: Database, home: Home) -> None:
    """Carry out every wish that stands, or carry on what a crash has left of one. Whoever calls this holds the lease."""
    for wish in undoings.asked(database.reader):
        _carry_out(database, home, wish["undo_id"])


def carry_out_here(database: Database, home: Home) -> bool:
    """Be the runner for as long as it takes; False where another one lives, which will do it."""
    lease = Lease(database, home)
    try:
        lease.take()
    except RunnerTrouble:
        return False
    try:
        carry_out(database, home)
    finally:
        lease.release()
    return True


def expire(database: Database, home: Home, now_us: int) -> None:
    """Remove what sets displaced that were applied more than 30 days ago, and what was displaced by undoing them."""
    reader = database.reader
    waiting = {wish["run_id"] for wish in undoings.asked(reader)}
    for row in file_ops.stores_older(reader, now_us - KEPT_FOR_US):
        if gates.get(reader, row["gate_id"])["run_id"] not in waiting:
            remove_store(home, row["workspace"], row["gate_id"])
    for wish in undoings.older(reader, now_us - KEPT_FOR_US):
        remove_store(home, str(runs.get(reader, wish["run_id"])["workspace"]), wish["undo_id"])


def _carry_out(database: Database, home: Home, undo_id: str) -> None:
    wish = undoings.get(database.reader, undo_id)
    run = runs.get(database.reader, wish["run_id"])
    workspace = str(run["workspace"])
    try:
        plan = wish["plan"] or _begin(database, home, wish, run)
        if plan is None:
            return
        put_back(plan, home, workspace, undo_id)
    except Conflict as conflict:
        _refuse(database, undo_id, _said(conflict))
    except (EffectTrouble, Blocked) as trouble:  # a full disk, too: whoever asked asks again once there is room
        _refuse(database, undo_id, _said(trouble))
    except OutcomeUnknown as unknown:
        _refuse(database, undo_id, str(unknown))
    else:
        database.transact(lambda txn: _done(txn, undo_id, json.loads(plan)))


def _begin(database: Database, home: Home, wish: Row, run: Row) -> str | None:
    """Look once more, and write down what will be done; None where it is refused."""
    wanted = paths_of(wish)
    with database.snapshot() as conn:
        view = undo_view(conn, home, run, wish["asked_at"])
        plan = undo_plan(conn, home, run["run_id"])
    known = {storable(file.path): file for file in view.files}
    stuck = next((file.why for file in view.stuck if storable(file.path) in wanted), "")
    gone = next((path for path in wanted if path not in known), None)
    why = view.refusal or stuck or (f"The run has nothing at {gone} any more." if gone is not None else "")
    if why:
        _refuse(database, wish["undo_id"], f"{why} Nothing was put back.")
        return None
    text = written_plan(plan, [unspelled(path) for path in wanted], home, str(run["workspace"]))
    database.transact(lambda txn: undoings.begin(txn, wish["undo_id"], text))
    return text


def _said(problem: Exception) -> str:
    """What applying says of itself, said of undoing."""
    told = (
        str(problem)
        .replace("nothing was written", "nothing was put back")
        .replace("while it was being written", "just now")
    )
    for approving in (" since it was approved", " since they were approved"):
        told = told.replace(approving, " just now")
    return told


def _refuse(database: Database, undo_id: str, message: str) -> None:
    def operation(txn: Txn) -> None:
        if undoings.end(txn, undo_id, "refused", storable(message)):
            _note(txn, undo_id, "undo_refused", storable(message), [])

    database.transact(operation)


def _done(txn: Txn, undo_id: str, plan: dict[str, object]) -> None:
    wish = undoings.get(txn.conn, undo_id)
    paths = paths_of(wish)
    files = "1 file is" if len(paths) == 1 else f"{len(paths):,} files are"
    if not undoings.end(txn, undo_id, "done", f"{files} put back."):
        return
    file_ops.set_state(txn, _rows_of(txn.conn, wish["run_id"], plan), "undone")
    number = runs.get(txn.conn, wish["run_id"])["number"]
    _note(txn, undo_id, "undone", f"{files} put back as before run {number}", paths)


def _rows_of(conn: Connection, run_id: str, plan: dict[str, object]) -> list[int]:
    """The rows of the journals that are undone: all of them, or those of these names and of where the files had been in between."""
    rows = [row for row in file_ops.of_run(conn, run_id) if row["state"] == "applied"]
    if plan["whole"]:
        return [row["row"] for row in rows]
    names = {str(name) for name in plan["names"]} if isinstance(plan["names"], list) else set()
    found: set[int] = set()
    more = True
    while more:
        more = False
        for row in rows:
            its = {name for name in file_ops.places(row) if name is not None}
            if row["row"] not in found and not names.isdisjoint(its):
                found.add(row["row"])
                names |= its
                more = True
    return sorted(found)


def _note(txn: Txn, undo_id: str, kind: str, summary: str, paths: list[str]) -> None:
    wish = undoings.get(txn.conn, undo_id)
    after = {"undo": undo_id, "by": wish["by"], "comment": wish["comment"], "paths": paths}
    trail_rows.append(txn, by="runner", kind=kind, subject=wish["run_id"], summary=summary, after=after)
