"""A run in the middle of everything, held at a desk, with somebody hostile in the session's place.

What is there: at root#0 a recorded step; at #1 an approved plan of which item 1 is spent (at #2) and item 2 is not; at #3 two branches: one
waits at an open question (3/0#0), the other is in doubt about an effect (3/1#0). Beside it another run with an approval and a blob of
its own.
"""

import asyncio
import hashlib
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from counterfoil import approve, ask, parallel, step, workflow
from counterfoil.authoring.codec import canonical
from counterfoil.engine import aftermath, claiming
from counterfoil.engine.desk import Desk
from counterfoil.engine.holding import Hold, Powers
from counterfoil.facts import ENDED, RunState
from counterfoil.places import Home
from counterfoil.store import gates, tables
from counterfoil.store.writer import Writer
from counterfoil.testing import Crashed
from engine.doing import Nothing, asking
from engine.power_cut import PowerCut, power_cut

DIGEST = "0" * 64
FOREIGN = b"y" * 100_000
FOREIGN_SHA = hashlib.sha256(FOREIGN).hexdigest()
CLOSE = ({"k": "close"}, b"")
Dump = dict[str, list[tuple[Any, ...]]]


@step
def one(n: int) -> int:
    return n + 1


@step
def foreign() -> bytes:
    return FOREIGN


@workflow("victim")
async def victim(p: Nothing) -> Any:
    await one(1)
    decision = await approve("Pay", plan=[asking("a", may="ask"), asking("b", may="ask")])
    await decision.plan[0]
    await parallel(ask("Why?", []), doubting())


async def doubting() -> Any:
    return await asking("in doubt")


@workflow("other")
async def other(p: Nothing) -> Any:
    await foreign()
    decision = await approve("Pay", plan=[asking("c", may="ask")])
    await ask("Then?", [])
    return await decision.perform()


def effect_text(kind: str = "asking@1", **args: Any) -> str:
    """The canonical text of an effect's body."""
    return canonical({"kind": kind, "args": args})


def dump(harness: PowerCut) -> Dump:
    """Every row of every table."""
    with harness.database.connect() as conn:
        return {
            table.name: [tuple(row) for row in conn.execute(sa.select(table).order_by(*table.primary_key.columns))]
            for table in tables.metadata.sorted_tables
        }


class Siege:
    """The harness with the held run; `hold` and `desk` are there inside `attack`."""

    def __init__(self, folder: Path, blank: Home) -> None:
        self.harness = power_cut(folder, blank)
        self.other_run = self._prepare_other()
        self._prepare_victim()

    def _prepare_other(self) -> str:
        run_id = self.harness.start(other)
        self.harness.advance()
        self.harness.approve()
        self.harness.advance()
        return run_id

    def _prepare_victim(self) -> None:
        harness = self.harness
        harness.start(victim)
        harness.advance()
        harness.approve()
        harness.crash_at("after_perform", 2)
        with suppress(Crashed):
            harness.advance()
        assert harness.advance() == RunState.WAITING
        assert sorted(gate["kind"] for gate in harness.gates()) == ["doubt", "question"]

    @property
    def foreign_gate(self) -> str:
        """The id of the other run's approved gate."""
        return str(gates.of_run(self.harness.database.reader, self.other_run)[0]["gate_id"])

    def attack(self, act: Callable[[Desk, Hold], Awaitable[Any]]) -> Any:
        """Claim the run and let somebody act at its desk."""
        harness = self.harness
        if harness.run()["state"] in ENDED:
            self._prepare_victim()
        harness.wake()

        async def held() -> Any:
            writer = Writer(harness.database)
            powers = Powers(
                harness.database, writer, harness.blobs, harness.clock, harness.ledger, harness._policy, harness._stages
            )
            try:
                claimed = await claiming.claim(powers, harness.run_id)
                assert claimed is not None
                assert await aftermath.laid_out(claimed) is None
                try:
                    return await act(Desk(claimed.hold), claimed.hold)
                finally:
                    claimed.hold.end(RunState.RUNNING)
                    await asyncio.gather(*claimed.hold.tasks, return_exceptions=True)
            finally:
                await asyncio.to_thread(writer.close)

        try:
            return asyncio.run(held())
        finally:
            harness._after_crash()
            harness.database.transact(lambda txn: _back_to_waiting(txn, harness.run_id))

    @contextmanager
    def unchanged(self) -> Iterator[None]:
        """What happens in this block leaves no trace in the database and none outside."""
        before, outside = dump(self.harness), self.harness.ledger.lines()
        yield
        after = dump(self.harness)
        assert {name for name in before if before[name] != after[name]} == set()
        assert self.harness.ledger.lines() == outside

    def close(self) -> None:
        """Let go of the harness."""
        self.harness.close()


def _back_to_waiting(txn: Any, run_id: str) -> None:
    """As it was before the attack, so that the next one finds it alike."""
    run = tables.run
    txn.do(sa.update(run).where(run.c.run_id == run_id, run.c.state == "ready").values(state="waiting", ready_at=None))


async def handled(desk: Desk, hold: Hold, frame: dict[str, Any], tail: bytes = b"") -> Any:
    """The reply to a frame, or None when it waits (or has none)."""
    parked = asyncio.Event()
    settle = hold.on_park

    def on_park() -> None:
        parked.set()
        settle()

    hold.on_park = on_park
    task = asyncio.ensure_future(desk.handle(frame, tail))
    waiting = asyncio.ensure_future(parked.wait())
    await asyncio.wait([task, waiting], return_when=asyncio.FIRST_COMPLETED)
    waiting.cancel()
    if task.done():
        return task.result()
    task.add_done_callback(lambda done: done.cancelled() or done.exception())
    return None
