"""Runs that nobody holds: given back where giving back had failed, ended where that was wished, their stages removed once they are over."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Container

from counterfoil.engine import claiming
from counterfoil.engine.ending import cancel
from counterfoil.engine.holding import Powers
from counterfoil.engine.stage_ports import Stages
from counterfoil.facts import ENDED, RunState
from counterfoil.runner.lease import Lease
from counterfoil.store import leases, runs
from counterfoil.store.database import Database
from counterfoil.store.transactions import Txn


class Unheld:
    """Looks after them at every sweep. `held` are the ids of the runs that this runner is about to claim or advances."""

    def __init__(self, database: Database, lease: Lease, held: Container[str], stages_every: float) -> None:
        self._database, self._lease, self._held = database, lease, held
        self._every = stages_every  # seconds
        self._clear_at = 0.0

    async def look(self, powers: Powers) -> None:
        """Put all of them in order."""
        await self._put_back_lost(powers)
        await self._cancel(powers)
        await self._clear_stages(powers.stages)

    async def _put_back_lost(self, powers: Powers) -> None:
        """Runs that nobody holds although they are running: giving them back had failed, as on a full disk."""
        lost = [
            row for row in runs.in_state(self._database.reader, [RunState.RUNNING]) if row["run_id"] not in self._held
        ]

        def operation(txn: Txn) -> None:
            if leases.held_by(txn.conn, self._lease.holder):
                for row in lost:
                    claiming.recover(txn, runs.get(txn.conn, row["run_id"]))

        if lost:
            await powers.writer.submit(operation)

    async def _cancel(self, powers: Powers) -> None:
        """Runs whose cancelling was asked for while somebody held them, and nobody holds now."""
        wanted = [row["run_id"] for row in runs.to_cancel(self._database.reader) if row["run_id"] not in self._held]

        def operation(txn: Txn) -> None:
            for run_id in wanted:
                row = runs.get(txn.conn, run_id)
                if row["state"] != RunState.RUNNING:
                    cancel(txn, row, row["cancel_by"])

        if wanted:
            await powers.writer.submit(operation)

    async def _clear_stages(self, stages: Stages) -> None:
        """Remove, now and then, the stages of runs that have ended without anybody holding them."""
        if time.monotonic() < self._clear_at:
            return
        self._clear_at = time.monotonic() + self._every
        found = await asyncio.to_thread(stages.of_runs)  # before asking who is alive: a run may begin meanwhile
        alive = {
            row["run_id"]
            for row in runs.in_state(self._database.reader, [state for state in RunState if state not in ENDED])
        }
        for run_id in found:
            if run_id not in alive and run_id not in self._held:
                await asyncio.to_thread(stages.remove, run_id)


def put_back_orphans(txn: Txn) -> None:
    """Runs that a dead runner held are ready again."""
    for row in runs.in_state(txn.conn, [RunState.RUNNING]):
        claiming.recover(txn, row)
