"""The right to advance one run, and what is known of the run while it is held.

Every write goes through `do`, which carries the fence. What waits for an answer is parked here under its identity; an effect in progress is
counted in `busy`, so that a run is never suspended, stopped or ended between an effect and its record.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable, Coroutine, Iterator
from dataclasses import dataclass, field
from typing import Any, TypeVar

from counterfoil.clock import AwakeClock, Clock
from counterfoil.engine.agent_ports import Commands, Team
from counterfoil.engine.copying import Copying
from counterfoil.engine.llm_ports import Llms
from counterfoil.engine.ports import Connectors, Effects, Policy
from counterfoil.engine.silence import Hearing
from counterfoil.engine.stage_ports import Copies, Stage, Stages
from counterfoil.errors import StoreTrouble
from counterfoil.facts import RunState
from counterfoil.settings.workspace import Trust
from counterfoil.store import claims, gates, runs, timers, trail_rows
from counterfoil.store.blobs import Blobs
from counterfoil.store.database import Database
from counterfoil.store.runs import Stale
from counterfoil.store.transactions import Row, Txn
from counterfoil.store.writer import Writer

T = TypeVar("T")
Identity = tuple[str, int]
RUN_ITSELF: Identity = ("", -1)
SAY_EVERY_US = 250_000
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Powers:
    """What an engine works with: the store's writer, the blobs, the clock, the effects, the policy, and where runs have their files."""

    database: Database
    writer: Writer
    blobs: Blobs
    clock: Clock
    effects: Effects
    policy: Policy
    stages: Stages
    copies: Copies | None = None
    llms: Llms | None = None
    connectors: Connectors | None = None
    team: Team | None = None
    commands: Commands | None = None
    copying: Copying = field(default_factory=Copying)
    awake: AwakeClock = field(default_factory=AwakeClock)


class Breach(Exception):
    """A host asked for something no honest session asks for; the run ends here and a person is told."""


class Over(Exception):
    """This hold has ended (suspended, cancelled, stopped), or the branch has lost its race; the peer is told to close."""


@dataclass(slots=True)
class Hold:
    """One claimed run. `ended` is the state in which the hold left it, or None while it is held.

    `known`, `intended` and `gated` are the identities that are recorded, or belong to an effect or to a gate or timer; `tried` those with
    attempt rows. `stage` is there once the run's files are laid out, `stale` where they must be brought up to date then. `resting` is set
    while the run is being suspended and after: nothing wakes a parked call then but a new claim.
    """

    powers: Powers
    run_id: str
    number: int
    title: str
    workspace: str
    fence: int
    seed: str
    created_us: int
    manifest: dict[str, Any]
    template: str = ""
    again_of: str | None = None  # the run that it does again
    carried: int = 0  # what its root branch did before this ordinal was done by that one
    trust: Trust | None = None  # once it was looked at
    stage: Stage | None = None
    stale: bool = False
    known: set[Identity] = field(default_factory=set)
    intended: set[Identity] = field(default_factory=set)
    gated: set[Identity] = field(default_factory=set)
    tried: set[Identity] = field(default_factory=set)
    shas: set[str] = field(default_factory=set)
    parked: dict[tuple[Identity, str], asyncio.Future[None]] = field(default_factory=dict)
    lost: list[str] = field(default_factory=list)
    busy: int = 0
    resting: bool = False
    suspended: asyncio.Event = field(default_factory=asyncio.Event)
    over: asyncio.Event = field(default_factory=asyncio.Event)
    cancelling: asyncio.Event = field(default_factory=asyncio.Event)  # somebody asked to cancel the run
    restarting: bool = False  # somebody asked to have what it is in begin anew
    ended: RunState | None = None
    breach: str | None = None
    said_us: int = 0
    tasks: set[asyncio.Task[None]] = field(default_factory=set)
    locks: dict[str, asyncio.Lock] = field(default_factory=dict)
    on_park: Callable[[], None] = lambda: None
    replaced: dict[str, dict[str, str]] = field(
        default_factory=dict
    )  # by gate, what was approved otherwise, and by whom
    on_quiet: list[asyncio.Future[None]] = field(default_factory=list)
    hearing: Hearing = field(init=False)  # what it is in the middle of, and when it was heard of last

    def __post_init__(self) -> None:
        self.hearing = Hearing(self.powers.awake, self.powers.clock)

    def do(self, operation: Callable[[Txn], T], *, durable: bool = True, late: bool = False) -> asyncio.Future[T]:
        """Run an operation under this hold's fence; answered after its commit.

        `late` is for the outcome of what was done while the run was held: it is kept as long as nobody else has claimed the run.

        Raises:
            Over: the hold has ended.
        """
        if self.over.is_set() and not late:
            raise Over
        return self.powers.writer.submit(operation, run_id=self.run_id, fence=self.fence, durable=durable)

    # ---------------------------------------------------------------------------------------------- waiting and waking

    async def park(self, identity: Identity, slot: str) -> None:
        """Wait until something may have changed for this identity.

        Raises:
            Over: the hold has ended, or the branch has lost a race.
        """
        self.refuse_over(identity)
        future = self.parked.get((identity, slot))
        if future is None or future.done():
            future = self.parked[(identity, slot)] = asyncio.get_running_loop().create_future()
        self.on_park()
        await future
        self.hearing.heard(identity)
        self.refuse_over(identity)

    def refuse_over(self, identity: Identity) -> None:
        """Raise Over where nothing more may be begun at this identity."""
        if self.over.is_set() or any(identity[0] == path or identity[0].startswith(f"{path}/") for path in self.lost):
            raise Over

    def wake(self, identity: Identity, slot: str) -> None:
        """Something changed for a parked identity."""
        if self.resting:
            return
        future = self.parked.pop((identity, slot), None)
        if future is not None and not future.done():
            future.set_result(None)

    def wake_all(self) -> None:
        """Something may have changed for everything parked."""
        for identity, slot in list(self.parked):
            self.wake(identity, slot)

    def lose(self, paths: list[str]) -> None:
        """These branches have lost a race: what is parked below them ends, and nothing more is begun there."""
        self.lost.extend(paths)
        self.hearing.lose(paths)
        for identity, slot in list(self.parked):
            if any(identity[0] == path or identity[0].startswith(f"{path}/") for path in paths):
                self.wake(identity, slot)

    # ------------------------------------------------------------------------------------------- an effect in progress

    @contextlib.contextmanager
    def working(self) -> Iterator[None]:
        """An effect is in progress in this block."""
        self.busy += 1
        try:
            yield
        finally:
            self._work_less()

    @contextlib.contextmanager
    def pausing(self) -> Iterator[None]:
        """The effect is not in progress in this block: it waits for a person or a timer."""
        self._work_less()
        try:
            yield
        finally:
            self.busy += 1

    def _work_less(self) -> None:
        self.busy -= 1
        if not self.busy:
            for future in self.on_quiet:
                if not future.done():
                    future.set_result(None)
            self.on_quiet.clear()
            self.on_park()

    async def quiet(self) -> None:
        """Wait until no effect is in progress."""
        while self.busy:
            future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self.on_quiet.append(future)
            await future

    # -------------------------------------------------------------------------------------------------------- the rest

    def spawn(self, work: Coroutine[Any, Any, None]) -> None:
        """Do something beside the frames; the task is remembered until it ends, and its trouble ends the hold."""
        task = asyncio.get_running_loop().create_task(self._guarded(work))
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)

    async def _guarded(self, work: Coroutine[Any, Any, None]) -> None:
        try:
            await work
        except (Over, Stale):
            self.end(RunState.RUNNING)
        except StoreTrouble:
            self.end(RunState.READY)
        except Exception:  # noqa: BLE001 - a fault of ours is logged, and ends this hold only
            _log.exception("run %s: its hold ends", self.run_id[:8])
            self.end(RunState.RUNNING)

    def say(self, text: str) -> None:
        """Show a line of progress, at most four times a second; the last one before a record is its summary anyway."""
        self.hearing.stirred = True
        now = self.powers.clock.now_us()
        if self.over.is_set() or self.resting or now - self.said_us < SAY_EVERY_US:
            return
        self.said_us = now
        future = self.do(lambda txn: runs.set_activity(txn, self.run_id, text), durable=False)
        future.add_done_callback(_forget)

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


def _forget(done: asyncio.Future[Any]) -> None:
    """Progress is not truth: its trouble is nobody's."""
    if not done.cancelled():
        done.exception()


def close_run(txn: Txn, run: Row, state: RunState, why: str, **changes: object) -> bool:
    """Take a run to its end: its gates are withdrawn and its timers end in the same transaction. False when it had ended.

    The fence grows, so whatever its holder still asks for comes too late.
    """
    run_id = run["run_id"]
    ending = {"ended_at": txn.now_us, "ready_at": None, "activity": None, "fence": run["fence"] + 1}
    if not runs.move(txn, run_id, state, **ending, **changes):
        return False
    gates.withdraw_all(txn, run_id, why)
    timers.cancel_all(txn, run_id)
    claims.release(txn, run_id)
    return True


def note_end(txn: Txn, run: Row, by: str, kind: str, summary: str, head: str, after: dict[str, Any]) -> None:
    """The trail entry of a run's end, with the head of its record chain."""
    trail_rows.append(txn, by=by, kind=kind, subject=run["run_id"], summary=summary, after={"head": head, **after})
