"""A runner's time in a home: it begins with the lease and with looking at what it has come to, and is renewed until it ends."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable

from counterfoil.errors import CounterfoilError
from counterfoil.inbox import exports_under_way
from counterfoil.places import Home
from counterfoil.runner import high_water, whereabouts
from counterfoil.runner.lease import RENEW_EVERY, Lease
from counterfoil.store import leases
from counterfoil.store.database import Database
from counterfoil.store.transactions import Txn
from counterfoil.store.writer import Writer

_log = logging.getLogger(__name__)


class Tenure:
    """What a runner holds while it works in a home: its lease, and the mark of how far the home has come."""

    def __init__(self, database: Database, home: Home) -> None:
        self.lease = Lease(database, home)
        self._database = database
        self._home = home
        self._marked: high_water.Mark | None = None

    def begin(self) -> int | None:
        """Become the runner; a home that is not where it was, or not what it was, is paused. Gives the last sign of life of a runner in it
        (microseconds).

        Raises:
            RunnerTrouble: another runner lives.
        """
        before = leases.read(self._database.reader)
        self.lease.take()
        last_us = before["renewed_at"] if before else None
        self._database.transact(lambda txn: whereabouts.settle(txn, self._home, last_us))
        self._mark(high_water.reached(self._database.reader))  # the lease has waited for the disk
        exports_under_way.clear_away(self._database)
        return last_us

    async def renew(self, writer: Writer, lost: Callable[[], None]) -> None:
        """Keep the lease until this is cancelled; `lost` is called whenever somebody else is found to have it."""
        while True:
            await asyncio.sleep(RENEW_EVERY)
            # Tried again in a moment; a lease that ran out meanwhile is found lost.
            with contextlib.suppress(CounterfoilError):
                if not await self.renew_once(writer):
                    lost()

    async def renew_once(self, writer: Writer) -> bool:
        """Keep the lease, and mark how far the home has come since; False when somebody else has the lease."""
        kept, come = await writer.submit(lambda txn: (self._renewed(txn), high_water.reached(txn.conn)), durable=False)
        if kept:
            self.lease.lock()  # whoever had it when this runner took over may be gone
        # The second renewal waits for the disk, and so for everything before it.
        if kept and come != self._marked and await writer.submit(self._renewed):
            await asyncio.to_thread(self._mark, come)
        return kept

    def _renewed(self, txn: Txn) -> bool:
        return leases.renew(txn, self.lease.holder)

    def end(self) -> None:
        """Let the next runner in at once; before that, mark how far the home has come if this is still its runner."""
        with contextlib.suppress(CounterfoilError):
            come = high_water.reached(self._database.reader)
            if come != self._marked and self._database.transact(self._renewed):  # waits for the disk
                self._mark(come)
            self.lease.release()

    def _mark(self, come: high_water.Mark | None) -> None:
        try:
            high_water.keep(self._home, come)
            self._marked = come
        except OSError as problem:
            _log.warning("how far the trail has come could not be marked: %s", problem)
