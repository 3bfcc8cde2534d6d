"""Advancing one claimed run through a host: open, listen, linger for a quick answer, and clear up."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from counterfoil.catalogue.packing import unpack
from counterfoil.catalogue.shelf import Shelf
from counterfoil.engine import aftermath, staging
from counterfoil.engine.claiming import Claimed, reclaim
from counterfoil.engine.desk import Desk
from counterfoil.engine.holding import Hold, Powers
from counterfoil.errors import NotIsolated, PackagesMissing
from counterfoil.facts import ENDED, RunState
from counterfoil.places import Home
from counterfoil.policy.protection import NONE, NOTHING, badge, code_of, is_lower
from counterfoil.runner.consent import refuse_unconfined
from counterfoil.sandbox.hosts import Host
from counterfoil.sandbox.launching import Unfit
from counterfoil.sandbox.pool import HostPool

LINGER = 5.0  # seconds a suspended host waits for a quick answer
GRACE = 2.0  # seconds a closed host gets to end by itself; one that broke the rules gets none


@dataclass(slots=True)
class Advance:
    """One run in a host. `lingering` is true while it only waits for a quick answer (`rested` is told when that
    begins); `wake` ends that wait."""

    powers: Powers
    home: Home
    pool: HostPool
    shelf: Shelf
    claimed: Claimed
    desk: Desk
    rested: Callable[[], None]
    lingering: bool = False
    wake: asyncio.Event = field(default_factory=asyncio.Event)
    dropped: bool = False

    async def run(self) -> RunState:
        """Advance until the run ends, waits for longer than a moment, or its host is gone; the run's state."""
        hold = self.claimed.hold
        why = self._too_little()
        if why is not None:
            return await self._refuse(*why)
        try:
            folder, brought = await asyncio.to_thread(self._code)
        except PackagesMissing as problem:
            return await aftermath.set_aside(hold, "Needs repair: its packages are missing", _sentence(problem))
        except BaseException:
            hold.end(RunState.RUNNING)
            raise
        try:
            stopped = await aftermath.laid_out(self.claimed)
        except BaseException:
            hold.end(RunState.RUNNING)
            raise
        state = await self._in_host(folder, brought) if stopped is None else stopped
        if state in ENDED:
            await asyncio.to_thread(self.powers.stages.remove, hold.run_id)
        return state

    async def _in_host(self, folder: Path, brought: Path | None) -> RunState:
        """Give the run to a host, and stay until it is over."""
        hold = self.claimed.hold
        try:
            host = await self.pool.take(brought)
        except Unfit as problem:
            return await self._refuse(_sentence(problem))
        died = False
        try:
            if host.cell.measured.is_isolated:
                await staging.lend(hold, host.cell.slot.root)
            output = self.home.logs / f"r-{hold.number}.log"
            await host.open(self.desk, staging.on_stage(hold, self.claimed.opening), folder, self.claimed.name, output)
            await self._until_over(host)
            died = host.gone.is_set()
        except Unfit as problem:
            return await self._refuse(_sentence(problem))
        except BaseException:
            hold.end(RunState.RUNNING)
            raise
        finally:
            await _end(host, hold)
        return await aftermath.settle(hold, host_died=died)

    def _too_little(self) -> tuple[str, str] | None:
        """Why the run is not carried on with the protection there is, and the command by which a person lets it; None where it is."""
        found, claimed, retry = self.pool.measured, self.claimed, f"counterfoil retry r-{self.claimed.hold.number}"
        workspace = Path(claimed.hold.workspace)
        if is_lower(found.mark, claimed.isolation):
            began = f"“{badge(claimed.isolation)}” ({code_of(claimed.isolation)})"
            more = f" --unprotected ‘{workspace.name}’" if found.level is NONE else ""
            return f"It was started {began}; now: {found.sentence}", f"{retry} --protection {found.code}{more}"
        try:
            refuse_unconfined(self.home, found, claimed.name, claimed.version, workspace, NOTHING)
        except NotIsolated as problem:
            return problem.message, f"{retry} --unprotected ‘{workspace.name}’"
        return None

    async def _refuse(self, why: str, how: str = "") -> RunState:
        """Nothing runs with less protection than the run was promised: a person is asked instead."""
        title = "Needs repair: its workflow cannot be protected as it must"
        return await aftermath.set_aside(self.claimed.hold, title, why, kind="protection", how=how)

    def _code(self) -> tuple[Path, Path | None]:
        """The folder of the run's version, and that of the packages it requires."""
        archive = self.powers.blobs.get(self.claimed.source)
        folder = unpack(archive, self.claimed.version, self.home.versions)
        fetch = f"Run: counterfoil template add --version {self.claimed.version[:12]}, then answer retry."
        return folder, self.shelf.of_template(folder, fetch)

    async def _until_over(self, host: Host) -> None:
        hold = self.claimed.hold
        while not hold.over.is_set():
            await _first_of(hold.over, hold.suspended, host.gone)
            if hold.over.is_set():
                return
            if hold.suspended.is_set():
                if not await self._linger(host):
                    hold.end(RunState.WAITING)
            elif host.gone.is_set():
                hold.end(RunState.RUNNING)

    async def _linger(self, host: Host) -> bool:
        """Wait a moment with the host kept; True when the run was claimed again in that time."""
        self.lingering = True
        self.rested()
        try:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(LINGER):
                    await _first_of(self.wake, host.gone)
            if not self.wake.is_set() or self.dropped or host.gone.is_set():
                return False
            self.wake.clear()
            if not await reclaim(self.claimed.hold):
                return False
        finally:
            self.lingering = False
        self.desk.resumed()
        await self.desk.poll()
        return True

    def drop(self) -> None:
        """Give the place of a lingering host to somebody else."""
        self.dropped = True
        self.wake.set()


def _sentence(problem: Exception) -> str:
    text = str(problem)
    return f"{text[:1].upper()}{text[1:]}{'' if text.endswith('.') else '.'}"


async def _first_of(*events: asyncio.Event) -> None:
    waiting = [asyncio.ensure_future(event.wait()) for event in events]
    try:
        await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in waiting:
            task.cancel()


async def _end(host: Host, hold: Hold) -> None:
    """End the host; the files that it had come back before its slot goes."""
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(0 if hold.breach else GRACE):
            await host.gone.wait()
    host.kill()
    await host.died()
    try:
        await staging.take_back(hold)
    finally:
        await host.ended()
