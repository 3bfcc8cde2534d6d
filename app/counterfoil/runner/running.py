"""The runner: holds the lease, sweeps for work, advances runs in hosts. Killing it loses nothing.

A wake-up is a hint; the sweep every 30 s, and at the next due instant, finds whatever a hint has missed. Every loop survives trouble of
the database with a growing pause.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import signal
import threading
import time
from collections.abc import Callable

from counterfoil.agents.commands import SandboxCommands, code_of
from counterfoil.agents.team import WorkspaceTeam
from counterfoil.catalogue.shelf import Shelf
from counterfoil.connectors.calls import Calls
from counterfoil.connectors.ruling import reading_rule
from counterfoil.connectors.supervising import Connectors
from counterfoil.effects.catalogue import EffectCatalogue
from counterfoil.effects.secrets import Keyring
from counterfoil.engine import answers, claiming, garbage
from counterfoil.engine.desk import Desk
from counterfoil.engine.holding import Powers
from counterfoil.errors import CounterfoilError, RunnerTrouble
from counterfoil.facts import ENDED, GateState, RunState
from counterfoil.inbox.pausing import paused
from counterfoil.places import Home
from counterfoil.policy.judging import Rules
from counterfoil.routing.asking import Router
from counterfoil.routing.breakers import Breakers
from counterfoil.runner import handing_over, waking
from counterfoil.runner.advancing import Advance
from counterfoil.runner.firing import RunStarter
from counterfoil.runner.mailing import MailNotices
from counterfoil.runner.tending import Tending
from counterfoil.runner.tenure import Tenure
from counterfoil.runner.undoing import Wishes
from counterfoil.runner.unheld import Unheld, put_back_orphans
from counterfoil.sandbox.launching import clear_slots
from counterfoil.sandbox.pool import HostPool
from counterfoil.sandbox.probing import measured
from counterfoil.schedules import heartbeat
from counterfoil.schedules.clock_jumps import ClockWatch
from counterfoil.schedules.scanning import realign, scan_due
from counterfoil.schedules.triggers import Triggers
from counterfoil.stage.copies import RunCopies
from counterfoil.stage.stages import StageFolder
from counterfoil.store import gates, leases, runs, schedules, timers, undoings
from counterfoil.store.blobs import Blobs
from counterfoil.store.database import Database, translated
from counterfoil.store.transactions import Txn
from counterfoil.store.writer import Writer

WIND_DOWN = 10.0  # seconds that an effect in progress gets to end when the runner is told to stop
MAIL_DOWN = 2.0  # and a mail that is being sent
SWEEP = 30.0  # seconds between sweeps when nothing is due earlier
AFTERWARDS = 0.05  # and from a claim to the next, so that its host begins undisturbed
AWAY_US = 90_000_000  # no look for so long: this computer was asleep, or no runner was there
_log = logging.getLogger(__name__)


def host_cap() -> int:
    """How many hosts there may be at once."""
    return max(4, 2 * (os.cpu_count() or 1))


class Runner:
    """One process's runner. With `only`, it advances that run and no other."""

    def __init__(self, database: Database, home: Home, *, only: str | None = None) -> None:
        self._database = database
        self._home = home
        self._only = only
        self.advanced: dict[str, None] = {}  # the runs that were carried on, in order
        self._tenure = Tenure(database, home)
        self._live: dict[str, Advance] = {}
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._woken = asyncio.Event()
        self._stop = asyncio.Event()
        self._beaten = threading.Event()
        self._hurries = False  # what beats would look at is looked at at once, since nobody waits for the next one
        self._troubles = 0
        self._wishes = Wishes(database, home, self._woken.set)
        self._unheld = Unheld(database, self._tenure.lease, self._tasks, SWEEP)
        self._put_off = False  # whether the last sweep did no more than claim
        self._pool = HostPool(0 if only else 1, home, measured(home))
        self._shelf = Shelf(home)
        self._starter = RunStarter(database, home)
        self._tending = Tending(database, home, self._starter)
        self._clock_watch = ClockWatch(database)
        self._triggers = Triggers(database, self._starter.given, self._starter.prepare)
        self._mails = MailNotices(database, home)
        self._looked_us = 0  # when due instants were looked for last

    def run_forever(self, *, ready: Callable[[], None] = lambda: None) -> None:
        """Work until told to stop (SIGTERM, SIGINT).

        Raises:
            RunnerTrouble: another runner lives.
        """
        garbage.settle()
        self._work(lambda: False, ready)

    def run_until_idle(self) -> None:
        """Work until no run is ready or running, no timer or retry is due, and no file in a watched folder is yet to settle, or until
        somebody pauses everything. A run that is ready a little later is waited for: one that lost its host, one that was decided and
        can still be taken back.

        Raises:
            RunnerTrouble: another runner lives.
        """
        self._hurries = True
        self._beaten.set()
        self._work(lambda: self._is_paused() or self._idle(), lambda: None)

    def run_until(self, run_id: str, *, changed: Callable[[], None] = lambda: None) -> None:
        """Advance one run until it has ended or an open gate holds it, or until somebody pauses everything.

        Raises:
            RunnerTrouble: another runner lives.
        """
        self._work(lambda: self._is_paused() or held_or_ended(self._database, run_id), lambda: None, changed)

    def _work(
        self, enough: Callable[[], bool], ready: Callable[[], None], changed: Callable[[], None] = lambda: None
    ) -> None:
        self._looked_us = self._tenure.begin() or self._database.clock.now_us()
        try:
            asyncio.run(self._main(enough, ready, changed))
        finally:
            self._tenure.end()

    # --------------------------------------------------------------------------------------------------------- the loop

    async def _main(self, enough: Callable[[], bool], ready: Callable[[], None], changed: Callable[[], None]) -> None:
        writer = Writer(self._database)
        blobs = Blobs(self._home)
        keyring = Keyring(self._home)
        connectors = Connectors(self._database, self._home, lambda: measured(self._home), keyring)
        effects = EffectCatalogue(self._home, blobs, keyring, calls=Calls(self._database, connectors))
        clock, copies = self._database.clock, RunCopies(self._home, blobs)
        stages = StageFolder(self._home, blobs, clock)
        rules = Rules([reading_rule(self._database)])
        llms = Router(self._database, keyring.get, Breakers(time.monotonic))
        commands = SandboxCommands(self._home, lambda: measured(self._home), code_of(self._database, self._home))
        rooms = effects, rules, stages, copies, llms, connectors, WorkspaceTeam(self._database), commands
        powers = Powers(self._database, writer, blobs, clock, *rooms)
        listener = await waking.listen(self._home, self._woken.set)
        renewing = asyncio.ensure_future(self._tenure.renew(writer, self._taken_over))
        beating = None if self._only else heartbeat.begin(self._beat)
        self._listen_to_signals()
        handing_over.forget(self._home)
        try:
            await writer.submit(put_back_orphans)
            await asyncio.to_thread(stages.take_back_all)  # first: the slots of dead hosts go
            await asyncio.to_thread(clear_slots, self._home)
            self._stand_by()
            ready()
            await self._sweep_until(powers, enough, changed)
        finally:
            renewing.cancel()
            if beating is not None:
                beating.shutdown(wait=False)
            listener.close()
            await self._wind_down()
            await asyncio.to_thread(self._mails.end, MAIL_DOWN)
            await connectors.close()
            await asyncio.to_thread(writer.close)

    def _stand_by(self) -> None:
        """Have a host ready where there have been runs."""
        if runs.page(self._database.reader, limit=1):
            self._pool.fill()

    def _listen_to_signals(self) -> None:
        loop = asyncio.get_running_loop()
        for name in ("SIGTERM", "SIGINT"):
            with contextlib.suppress(NotImplementedError, RuntimeError, ValueError):
                loop.add_signal_handler(getattr(signal, name), self._halt)

    def _halt(self) -> None:
        self._stop.set()
        self._woken.set()

    async def _sweep_until(self, powers: Powers, enough: Callable[[], bool], changed: Callable[[], None]) -> None:
        trouble = 0
        while not self._stop.is_set():
            self._woken.clear()
            try:
                with translated(self._home.root):
                    await self._sweep(powers)
                    wait = self._next_look()
                trouble = 0
            except CounterfoilError:
                trouble += 1
                wait = min(2.0**trouble, SWEEP)
                _log.exception("a sweep failed; trying again")
            changed()
            if not self._tasks_running() and enough():
                return
            if not self._only and handing_over.is_wished(self._home):
                self._halt()
                return
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(wait):
                    await self._woken.wait()

    def _tasks_running(self) -> bool:
        return any(not self._live[run_id].lingering for run_id in self._tasks if run_id in self._live)

    def _next_look(self) -> float:
        """Seconds until the next instant at which something is due."""
        conn = self._database.reader
        due = [timers.next_due(conn), gates.next_due(conn)]
        due += [] if self._is_paused() else [runs.next_ready_at(conn, self._only)]
        due += [] if self._only or self._clock_watch.held else [schedules.next_wake(conn)]
        due += [self._triggers.again_at] if self._hurries and not self._only else []
        due += [gates.next_effective(conn, run_id) for run_id in self._live]
        quiet = [advance.claimed.hold.hearing.next_look() for advance in self._live.values() if not advance.lingering]
        now = self._database.clock.now_us()
        # What is ready waits for a place, or is being claimed; both wake this loop, and time does not.
        pending = len(self._tasks) >= host_cap() or any(run_id not in self._live for run_id in self._tasks)
        waits = [(at - now) / 1_000_000 for at in due if at is not None and not (pending and at <= now)]
        return min([SWEEP, *(max(wait, 0.005) for wait in [*waits, *quiet])])

    async def _sweep(self, powers: Powers) -> None:
        if not leases.held_by(self._database.reader, self._tenure.lease.holder):
            self._taken_over()
            return
        now = self._database.clock.now_us()
        if timers.due(self._database.reader, now) or gates.due(self._database.reader, now):
            await powers.writer.submit(answers.wake_due)
        for advance in list(self._live.values()):
            if not advance.lingering:
                await advance.desk.poll()
        if not self._is_paused() and self._claim(powers) and not self._put_off:
            self._put_off = True  # what somebody waits for goes first, the rest is looked after when it has begun
            self._look_soon()
            return
        self._put_off = False
        await self._unheld.look(powers)
        if self._only is None:
            self._wishes.look()
            await asyncio.to_thread(self._fire)
        if self._is_paused():
            self._hold_still()
        else:
            self._claim(powers)

    def _look_soon(self) -> None:
        asyncio.get_running_loop().call_later(AFTERWARDS, self._woken.set)

    def _is_paused(self) -> bool:
        return paused(self._database.reader) is not None

    def _hold_still(self) -> None:
        """Everything is paused: every host goes at its next boundary, and its run is ready to be carried on from there."""
        for advance in list(self._live.values()):
            advance.claimed.hold.end(RunState.WAITING if advance.lingering else RunState.READY)
            advance.drop()

    def _fire(self) -> None:
        """Turn due instants of routines into runs; at each heartbeat every routine's next instant is computed anew, and what it needs
        is looked at."""
        beaten, now = self._beaten.is_set(), self._database.clock.now_us()
        self._beaten.clear()
        if not self._clock_watch.holds():
            if beaten:
                realign(self._database)
            away = self._looked_us if now - self._looked_us > AWAY_US else None
            scan_due(self._database, self._starter, away)
            self._looked_us = now
        if beaten or (self._hurries and self._triggers.again_at):
            self._triggers.look()
        if beaten:
            self._tending.look()

    def _beat(self) -> None:
        """On a thread of the heartbeat's."""
        self._beaten.set()
        self._woken.set()
        self._mails.begin()

    def _claim(self, powers: Powers) -> bool:
        """Begin with what is ready, as far as there is room; whether there was any."""
        begun, ready = False, runs.claimable(self._database.reader, self._database.clock.now_us(), 4 * host_cap())
        for run_id in ready:
            if self._only is not None and run_id != self._only:
                continue
            advance = self._live.get(run_id)
            if advance is not None:
                if advance.lingering:
                    begun = True
                    advance.wake.set()
                continue
            if run_id in self._tasks or not self._has_place():
                continue
            begun = True
            self._tasks[run_id] = asyncio.ensure_future(self._advance(powers, run_id))
        return begun

    def _has_place(self) -> bool:
        if len(self._tasks) < host_cap():
            return True
        for advance in self._live.values():
            if advance.lingering:
                advance.drop()
                break
        return False

    async def _advance(self, powers: Powers, run_id: str) -> None:
        try:
            claimed = await claiming.claim(powers, run_id)
            if claimed is not None:
                advance = Advance(
                    powers, self._home, self._pool, self._shelf, claimed, Desk(claimed.hold), self._woken.set
                )
                self._live[run_id] = advance
                self._look_soon()
                await advance.run()
            self._troubles = 0
        except Exception:  # noqa: BLE001 - one run's trouble must not end the others
            _log.exception("advancing run %s failed", run_id)
            await self._give_back(powers, run_id)
            await self._pause()
        finally:
            self.advanced[run_id] = None
            self._live.pop(run_id, None)
            self._tasks.pop(run_id, None)
            if self._hurries:
                self._beaten.set()  # its end may start another run
            self._woken.set()

    async def _pause(self) -> None:
        """After trouble of ours the run is looked at again, but not at once, and later each time."""
        self._troubles += 1
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(min(2.0**self._troubles / 4, SWEEP)):
                await self._stop.wait()

    async def _give_back(self, powers: Powers, run_id: str) -> None:
        """Something of ours failed under a claimed run: it is ready again, counted as a recovery."""

        def operation(txn: Txn) -> None:
            row = runs.get(txn.conn, run_id)
            if row["state"] == RunState.RUNNING:
                claiming.recover(txn, row)

        try:
            await powers.writer.submit(operation)
        except CounterfoilError:
            _log.warning("run %s could not be given back; a later look finds it", run_id)

    def _taken_over(self) -> None:
        if not self._stop.is_set():
            _log.error("another runner has taken over; this one stops")
            self._halt()

    async def _wind_down(self) -> None:
        """Stop claiming, let every host go at once; what was in the middle is carried on by the next runner."""
        tasks = list(self._tasks.values())
        for advance in list(self._live.values()):
            advance.claimed.hold.end(RunState.WAITING if advance.lingering else RunState.RUNNING)
            advance.drop()
        if tasks:
            await asyncio.wait(tasks, timeout=WIND_DOWN)
        await self._pool.close()

    # ----------------------------------------------------------------------------------------------------------- enough

    def _idle(self) -> bool:
        conn, now = self._database.reader, self._database.clock.now_us()
        busy = runs.in_state(conn, [RunState.RUNNING]) or runs.next_ready_at(conn) is not None
        waits = timers.due(conn, now) or undoings.asked(conn)
        fires = not self._clock_watch.held and schedules.to_look_at(conn, now)
        return not (busy or waits or fires or self._beaten.is_set() or self._triggers.again_at)


def held_or_ended(database: Database, run_id: str) -> bool:
    """Whether a run has ended, or waits at an open gate with no timer that would move it on."""
    conn = database.reader
    run = runs.get(conn, run_id)
    if run["state"] in ENDED:
        return True
    asked = any(gate["state"] == GateState.OPEN for gate in gates.of_run(conn, run_id))
    return run["state"] == RunState.WAITING and asked and not timers.pending(conn, run_id)


def advance_here(database: Database, home: Home, run_id: str, *, changed: Callable[[], None] = lambda: None) -> bool:
    """Be the runner for one run until it ends or a gate holds it; False when another runner lives, which will do it."""
    try:
        Runner(database, home, only=run_id).run_until(run_id, changed=changed)
    except RunnerTrouble:
        return False
    return True
