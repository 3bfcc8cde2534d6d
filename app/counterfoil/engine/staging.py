"""A run's files: laid out before its first step, brought up to date after a wait, told what steps and approved effects have written.

Whatever touches the stage of a run does so one after the other, in a thread.
"""

from __future__ import annotations

import asyncio
import dataclasses
import logging
import re
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

from counterfoil.authoring.codec import canonical
from counterfoil.engine import tainting
from counterfoil.engine.holding import Breach, Hold, Identity, Over
from counterfoil.engine.replaying import Opening, ancestors
from counterfoil.engine.stage_ports import Copies, CopyChanges, Stage, Unfitting
from counterfoil.errors import Stopped, WrongWorkspace
from counterfoil.facts import RunState
from counterfoil.settings.workspace import leave_out
from counterfoil.store import blob_rows, file_ops, runs, stage_rows
from counterfoil.store.stage_rows import StagedChange
from counterfoil.store.transactions import Connection, Row, Txn

T = TypeVar("T")
SAY_EVERY = 0.25  # seconds between two words about copying
MOST_TOLD = 500  # paths that were left out and are named
_log = logging.getLogger(__name__)
_TOKEN = re.compile("[0-9a-f]{32}")


class Clash(Exception):
    """Two branches that run side by side have written one path; the message is a sentence."""


async def lay_out(hold: Hold, spare: Sequence[str] = ()) -> None:
    """Make the run's files ready, or put them right: what changed in the workspace before the last answer to the run is taken over.

    `spare` are paths that a person wants left out from now on.

    Raises:
        WrongWorkspace: the workspace cannot be read, or holds too much (TooMuch).
        DiskFull: there is no room for the copy.
        Stopped: the hold has ended.
    """
    powers = hold.powers
    kept = stage_rows.of_run(powers.database.reader, hold.run_id)
    answered_us = stage_rows.last_answer_us(powers.database.reader, hold.run_id, powers.clock.now_us())
    noted = stage_rows.of(powers.database.reader, hold.run_id)
    taken_us = None if noted is None else int(noted["taken_at"])
    tell = _teller(hold)

    def work() -> Stage:
        if spare:
            leave_out(Path(hold.workspace), spare)
        return powers.stages.open(
            hold.run_id, hold.workspace, kept, taken_us=taken_us, since_us=answered_us, tell=tell, stop=hold.over.is_set
        )

    hold.stage = await powers.copying.do(work)
    if hold.stale:  # an answer came meanwhile
        await refresh(hold)
    await _note(hold)


def _teller(hold: Hold) -> Callable[[int, int], None]:
    """What says how far the copying is: from a thread, now and then."""
    loop = asyncio.get_running_loop()
    last = time.monotonic()

    def tell(done: int, of: int) -> None:
        nonlocal last
        if time.monotonic() - last >= SAY_EVERY:
            last = time.monotonic()
            loop.call_soon_threadsafe(hold.say, f"Copying {done:,} of {of:,} files")

    return tell


async def _note(hold: Hold) -> None:
    """Write down when the files were taken, where that is news."""
    sight = stage_of(hold).sight
    known = stage_rows.of(hold.powers.database.reader, hold.run_id)
    if known is not None and known["taken_at"] == sight.taken_us:
        return
    counts: dict[str, int] = {}
    for _, why in sight.left_out:
        counts[why] = counts.get(why, 0) + 1
    told = canonical({"counts": counts, "paths": [list(one) for one in sight.left_out[:MOST_TOLD]]})

    def operation(txn: Txn) -> None:
        stage_rows.note(txn, hold.run_id, sight.taken_us, sight.files, sight.octets, told)
        runs.set_activity(txn, hold.run_id, None)

    await hold.do(operation, durable=False)


def stage_of(hold: Hold) -> Stage:
    """The stage of a held run.

    Raises:
        Over: it has none, so nothing can be done with its files.
    """
    if hold.stage is None:
        raise Over
    return hold.stage


def on_stage(hold: Hold, opening: Opening) -> Opening:
    """The opening of a session that works on the run's stage, where that lies on this computer."""
    stage = stage_of(hold)
    run = dataclasses.replace(opening.run, workspace=stage.root)
    return dataclasses.replace(opening, run=run, overlays=stage.overlays, foreign=tainting.foreign_files(hold))


async def at_stage(hold: Hold, act: Callable[[Stage], T]) -> T:
    """Do something with the stage, one after the other. No fence keeps files, so a holder that slept past its lease looks once more."""
    stage = stage_of(hold)
    async with hold.locks.setdefault("stage", asyncio.Lock()):
        runs.confirm(hold.powers.database.reader, hold.run_id, hold.fence)
        return await asyncio.to_thread(act, stage)


async def lend(hold: Hold, slot: Path) -> None:
    """Put the files into the slot of an isolated host, which sees nothing else of this computer."""
    stage = stage_of(hold)
    async with hold.locks.setdefault("stage", asyncio.Lock()):
        await asyncio.to_thread(stage.lend, slot)


async def take_back(hold: Hold) -> None:
    """The host is gone: the files come back to their own place."""
    stage = stage_of(hold)
    async with hold.locks.setdefault("stage", asyncio.Lock()):
        await asyncio.to_thread(stage.take_back)


async def refresh(hold: Hold) -> None:
    """A wait is over: what has changed in the workspace and was not changed by the run is taken over.

    Raises:
        Over: the workspace cannot be read now; the next claim tries again, and asks a person where it cannot either.
    """
    if hold.stage is None:  # it is being laid out
        hold.stale = True
        return
    kept = stage_rows.of_run(hold.powers.database.reader, hold.run_id)
    try:
        await at_stage(hold, lambda stage: stage.refresh(kept))
    except (WrongWorkspace, Stopped) as problem:
        _log.info("run %s: its files cannot be brought up to date: %s", hold.run_id[:8], problem)
        hold.end(RunState.READY)
        raise Over from problem
    await _note(hold)


# ------------------------------------------------------------------------------------------------------------- steps


async def collect(hold: Hold, frame: dict[str, Any]) -> list[StagedChange]:
    """What a step says it has written, its bytes kept.

    Raises:
        Breach: no honest step writes that.
        TooMuchWritten: it is more than a stage may hold.
    """
    token = frame.get("files")
    if token is None:
        return []
    if not isinstance(token, str) or not _TOKEN.fullmatch(token):
        raise Breach("written files under a name that no session gives")
    try:
        return await at_stage(hold, lambda stage: stage.collect(token))
    except Unfitting as problem:
        raise Breach(f"written files that no step can write: {problem}") from problem


def keep(txn: Txn, hold: Hold, identity: Identity, changes: Sequence[StagedChange]) -> None:
    """Note what a step has written, in the transaction of its record.

    Raises:
        Clash: a step of a branch beside this one has written one of the paths.
    """
    if not changes:
        return
    refuse_clash(txn.conn, hold, identity, changes)
    for change in changes:
        if change.sha is not None:
            blob_rows.note(txn, change.sha, change.size)
    stage_rows.add(txn, hold.run_id, *identity, changes)


def refuse_clash(conn: Connection, hold: Hold, identity: Identity, changes: Sequence[StagedChange]) -> None:
    """Raise Clash where a branch beside this one has written one of the paths."""
    others = {
        kept.change.file
        for kept in stage_rows.of_run(conn, hold.run_id)
        if kept.change.kind != "folder" and not kept.given and beside(kept.path, identity[0])
    }
    for change in changes:
        if change.kind != "folder" and (change.file in others or _meets(change.file, others)):
            raise Clash(
                f"“{change.file}” was written by another branch that runs side by side with this one. Let one branch write it, or give "
                "each a file of its own."
            )


def _meets(file: str, others: set[str]) -> bool:
    """Whether a path lies beneath one of the others, or one of them beneath it."""
    above = file
    while above := above.rpartition("/")[0]:
        if above in others:
            return True
    return any(other.startswith(f"{file}/") for other in others)


def beside(one: str, other: str) -> bool:
    """Whether two branches run side by side: below one `parallel`, in different children of it."""
    forks = {(path, at): child for path, at, child in _forks(one)}
    return any(forks.get((path, at), child) != child for path, at, child in _forks(other))


def _forks(path: str) -> list[tuple[str, int, str]]:
    """Where a branch and the branches above it were forked, and which child each is."""
    below = [path, *(above for above, _ in ancestors(path))]
    return [(above, at, child.rpartition("/")[2]) for (above, at), child in zip(ancestors(path), below, strict=False)]


async def compared(hold: Hold, copies: Copies) -> CopyChanges:
    """What the run has changed in its files; nothing is written meanwhile.

    Raises:
        CounterfoilError, OSError: as `copies.changes`.
    """
    kept = stage_rows.of_run(hold.powers.database.reader, hold.run_id)
    given = {one.change.file: one.change.sha for one in kept if one.given and one.change.sha is not None}
    return await at_stage(hold, lambda _: copies.changes(hold.run_id, hold.workspace, given))


async def merge(hold: Hold) -> None:
    """Bring what recorded steps have written into the files that steps read."""
    kept = stage_rows.of_run(hold.powers.database.reader, hold.run_id)
    await at_stage(hold, lambda stage: stage.merge(kept))


async def discard(hold: Hold, token: str) -> None:
    """Drop what a try has written that is not recorded."""
    await at_stage(hold, lambda stage: stage.discard(token))


# ----------------------------------------------------------------------------------------------------------- effects


async def take_over(hold: Hold, rows: Sequence[Row]) -> None:
    """A set of file effects is in the workspace: the stage has it from now on as well. `rows` are its journal."""
    written: dict[str, str | None] = {}
    for row in rows:
        path, target = file_ops.places(row)
        written[path] = None if row["op"] == "move" else row["after"]
        if target is not None:
            written[target] = row["after"]
    kept = stage_rows.of_run(hold.powers.database.reader, hold.run_id)
    settled = await at_stage(hold, lambda stage: stage.take_over(written, kept))

    def operation(txn: Txn) -> None:
        file_ops.set_state(txn, [row["row"] for row in rows], "applied")
        stage_rows.settle(txn, settled)

    await hold.do(operation, durable=False, late=True)
