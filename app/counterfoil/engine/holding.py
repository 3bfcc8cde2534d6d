"""The right to advance one run, and what is known of the run while it is held.

Every write goes through `do`, which carries the fence. What waits for an answer is parked here under its identity; `sent` and `busy`
are half of the liveness bargain with the session.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from typing import Any, TypeVar

from counterfoil.clock import Clock
from counterfoil.engine.ports import Effects, Policy
from counterfoil.facts import RunState
from counterfoil.store import gates, runs, timers, trail_rows
from counterfoil.store.blobs import Blobs
from counterfoil.store.database import Database
from counterfoil.store.transactions import Row, Txn
from counterfoil.store.writer import Writer

T = TypeVar("T")
Identity = tuple[str, int]
RUN_ITSELF: Identity = ("", -1)


@dataclass(frozen=True, slots=True)
class Powers:
    """What an engine works with: the store's writer, the blobs, the clock, the effects and the policy."""

    database: Database
    writer: Writer
    blobs: Blobs
    clock: Clock
    effects: Effects
    policy: Policy


class Breach(Exception):
    """A host asked for something no honest session asks for; the run ends here and a person is told."""


class Over(Exception):
    """This hold has ended (suspended, cancelled, stopped); the peer is told to close."""


@dataclass(slots=True)
class Hold:
    """One claimed run. `ended` is the state in which the hold left it, or None while it is held."""

    powers: Powers
    run_id: str
    number: int
    title: str
    workspace: str
    fence: int
    seed: str
    created_us: int
    manifest: dict[str, Any]
    known: set[Identity] = field(default_factory=set)
    intended: set[Identity] = field(default_factory=set)
    gated: set[Identity] = field(default_factory=set)
    shas: set[str] = field(default_factory=set)
    parked: dict[tuple[Identity, str], asyncio.Future[None]] = field(default_factory=dict)
    tried: set[Identity] = field(default_factory=set)
    busy: int = 0
    suspended: asyncio.Event = field(default_factory=asyncio.Event)
    timed_out: tuple[Identity, str, str, int] | None = None
    tasks: set[asyncio.Task[None]] = field(default_factory=set)
    said_us: int = 0
    on_park: Callable[[], None] = lambda: None
    over: asyncio.Event = field(default_factory=asyncio.Event)
    ended: RunState | None = None
    breach: str | None = None

    def do(self, operation: Callable[[Txn], T], *, durable: bool = True) -> asyncio.Future[T]:
        """Run an operation under this hold's fence; answered after its commit."""
        if self.over.is_set():
            raise Over
        return self.powers.writer.submit(operation, run_id=self.run_id, fence=self.fence, durable=durable)

    async def park(self, identity: Identity, slot: str) -> None:
        """Wait until something may have changed for this identity."""
        if self.over.is_set():
            raise Over
        future = self.parked.get((identity, slot))
        if future is None or future.done():
            future = self.parked[(identity, slot)] = asyncio.get_running_loop().create_future()
        self.on_park()
        await future
        if self.over.is_set():
            raise Over

    def wake(self, identity: Identity, slot: str) -> None:
        """Something changed for a parked identity."""
        future = self.parked.pop((identity, slot), None)
        if future is not None and not future.done():
            future.set_result(None)

    def spawn(self, work: Coroutine[Any, Any, None]) -> None:
        """Do something beside the frames; the task is remembered until it ends."""
        task = asyncio.get_running_loop().create_task(work)
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)

    def say(self, text: str) -> None:
        """Show a line of progress, at most four times a second; the last one before a record is its summary anyway."""
        now = self.powers.clock.now_us()
        if self.over.is_set() or now - self.said_us < 250_000:
            return
        self.said_us = now
        future = self.do(lambda txn: runs.set_activity(txn, self.run_id, text), durable=False)
        future.add_done_callback(lambda done: done.exception())

    def end(self, state: RunState) -> None:
        """The hold is over: everything parked goes away."""
        if self.over.is_set():
            return
        self.ended = state
        self.over.set()
        for future in self.parked.values():
            if not future.done():
                future.set_result(None)
        self.parked.clear()


def close_run(txn: Txn, run: Row, state: RunState, why: str, **changes: object) -> bool:
    """Take a run to its end: its gates are withdrawn and its timers end in the same transaction. False when it had ended."""
    run_id = run["run_id"]
    if not runs.move(txn, run_id, state, ended_at=txn.now_us, ready_at=None, activity=None, **changes):
        return False
    gates.withdraw_all(txn, run_id, why)
    timers.cancel_all(txn, run_id)
    if state is not RunState.DONE:
        gates.release_unspent_claims(txn, run_id)
    return True


def note_end(txn: Txn, run: Row, by: str, kind: str, summary: str, head: str, after: dict[str, Any]) -> None:
    """The trail entry of a run's end, with the head of its record chain."""
    trail_rows.append(txn, by=by, kind=kind, subject=run["run_id"], summary=summary, after={"head": head, **after})
