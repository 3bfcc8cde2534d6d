"""Hosts that stand by: started before anybody clicks, given away once, filled again in the background."""

from __future__ import annotations

import asyncio
import logging
from pathlib import Path

from counterfoil.places import Home
from counterfoil.sandbox.hosts import Host
from counterfoil.sandbox.launching import Unfit, canonical
from counterfoil.sandbox.levels import Measured

REST = 0.1  # seconds between giving a host away and starting the next one
_log = logging.getLogger(__name__)


class HostPool:
    """Warm hosts, so that a click does not wait for imports. A host serves one run, of whatever workspace, and is never used again.

    An isolated host has its packages from its start, so those that wait are for the packages that were needed last.
    """

    def __init__(self, warm: int, home: Home, measured: Measured) -> None:
        self.measured = measured
        self._warm = warm
        self._home = home
        self._brought: Path | None = None
        self._ready: list[Host] = []
        self._filling: asyncio.Task[None] | None = None
        self._ending: set[asyncio.Task[int]] = set()
        self._taken = False
        self._awaited = False
        self._closed = False

    async def take(self, brought: Path | None = None) -> Host:
        """A warm host with these packages if there is one, else a fresh one; the pool is filled again in the background.

        Raises:
            Unfit: it is not confined as it must be.
            ConnectionError: it ended before it could be judged.
        """
        found = self._pick(brought)
        if found is None and self._filling is not None and not self._filling.done() and not self._awaited:
            self._awaited = True  # the one that is on its way comes sooner than a second one started now
            try:
                await asyncio.wait([self._filling])
            finally:
                self._awaited = False
            found = self._pick(brought)
        self._taken = True
        self.fill(brought)
        return found or await Host.start(self._home, self.measured, brought)

    def _pick(self, brought: Path | None) -> Host | None:
        """A host that stands by with these packages; those with others are ended, since the next run is likely to need the same."""
        wanted = canonical(brought) if brought else None
        ready, self._ready = self._ready, []
        found: Host | None = None
        for host in ready:
            if host.gone.is_set() or host.cell.brought != wanted:
                self._drop(host)
            elif found is None:
                found = host
            else:
                self._ready.append(host)
        return found

    def fill(self, brought: Path | None = None) -> None:
        """Start what is missing, in the background."""
        self._brought = brought
        if not self._closed and (self._filling is None or self._filling.done()):
            self._filling = asyncio.get_running_loop().create_task(self._fill())

    async def _fill(self) -> None:
        if self._taken:  # the run that has just been given a host needs the processors now
            await asyncio.sleep(REST)
        while len(self._ready) < self._warm and not self._closed:
            try:
                host = await Host.start(self._home, self.measured, self._brought)
            except (Unfit, OSError) as problem:
                _log.info("no host stands by: %s", problem)
                return
            self._keep(host)

    def _keep(self, host: Host) -> None:
        if self._closed:
            self._drop(host)
        else:
            self._ready.append(host)

    def _drop(self, host: Host) -> None:
        host.kill()
        task = asyncio.get_running_loop().create_task(host.ended())
        self._ending.add(task)
        task.add_done_callback(self._ending.discard)

    async def close(self) -> None:
        """End the warm hosts."""
        self._closed = True
        if self._filling is not None:
            await self._filling
        for host in self._ready:
            self._drop(host)
        self._ready.clear()
        if self._ending:
            await asyncio.wait(self._ending)
