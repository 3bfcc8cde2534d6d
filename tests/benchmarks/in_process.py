"""A home to measure in, and the engine in this process: sessions and desks by direct calls, one writer, as many runs at once as wanted."""

from __future__ import annotations

import asyncio
import contextlib
import shutil
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.measuring import Ground, fresh
from benchmarks.templates.measured.workflow import measured
from counterfoil import __version__
from counterfoil.authoring.codec import canonical
from counterfoil.authoring.workflows import Workflow
from counterfoil.clock import SystemClock
from counterfoil.effects.catalogue import EffectCatalogue
from counterfoil.engine import direct, garbage
from counterfoil.engine.holding import Powers
from counterfoil.engine.llm_ports import Llms
from counterfoil.engine.loops import WorkflowLoop
from counterfoil.facts import GateState, RunState, Verdict
from counterfoil.inbox.deciding import Wish, decide
from counterfoil.places import Home
from counterfoil.policy.judging import Rules
from counterfoil.runner.starting import keep_version
from counterfoil.stage.stages import StageFolder
from counterfoil.store import gates, records, runs
from counterfoil.store.blobs import Blobs
from counterfoil.store.database import open_database
from counterfoil.store.transactions import Row, Txn
from counterfoil.store.writer import Writer

TEMPLATE = Path(__file__).parent / "templates/measured"
BY = "user:benchmark"


@dataclass(frozen=True, slots=True)
class Spent:
    """What advancing cost: seconds on the wall, seconds of CPU, and commits that waited for the disk."""

    wall: float
    cpu: float
    syncs: int
    states: list[RunState]


class Office:
    """A home with the measured template kept in it."""

    def __init__(self, folder: Path) -> None:
        garbage.settle()  # as a runner does
        self.home = Home(folder / "home").create()
        self.workspace = folder / "workspace"
        self.workspace.mkdir(exist_ok=True)
        self.database = open_database(self.home)
        self.blobs = Blobs(self.home)
        self.version = keep_version(self.database, self.home, TEMPLATE, BY)

    def start(self, count: int = 1, **parameters: object) -> list[str]:
        """Commit ready runs of the measured template; their ids."""
        text = canonical({"steps": 0, "stops": 0, "threads": False, **parameters})

        def operation(txn: Txn) -> list[str]:
            new = runs.NewRun(
                "measured", self.version["digest"], str(self.workspace), "Measured", text, BY, __version__
            )
            return [str(runs.create(txn, new)["run_id"]) for _ in range(count)]

        return self.database.transact(operation)

    def advance(
        self, run_ids: Sequence[str], workflow: Workflow[Any, Any] = measured, llms: Llms | None = None
    ) -> Spent:
        """Advance runs side by side in this process until each ends or waits."""
        loop = WorkflowLoop()
        writer = Writer(self.database)
        effects = EffectCatalogue(self.home, self.blobs)
        clock = SystemClock()
        stages = StageFolder(self.home, self.blobs, clock)
        powers = Powers(self.database, writer, self.blobs, clock, effects, Rules(), stages, llms=llms)
        try:
            cpu, wall = time.process_time(), time.perf_counter()
            states = loop.run_until_complete(_advance(powers, run_ids, workflow))
            return Spent(time.perf_counter() - wall, time.process_time() - cpu, writer.syncs, states)
        finally:
            writer.close()
            loop.run_until_complete(loop.shutdown_default_executor())
            loop.close()

    def open_gate(self, run_id: str) -> Row | None:
        """The gate that a run waits at, if it does."""
        found = [row for row in gates.of_run(self.database.reader, run_id) if row["state"] == GateState.OPEN]
        return found[-1] if found else None

    def approve(self, run_id: str) -> int:
        """Approve the gate that a run waits at; the instant after the commit, in nanoseconds."""
        gate = self.open_gate(run_id)
        if gate is None:
            raise LookupError(f"run {run_id} waits at no gate")
        decide(self.database, self.blobs, gate["gate_id"], Wish(Verdict.APPROVED, BY))
        return time.time_ns()

    def only_run(self) -> str:
        """The one run that there is."""
        (row,) = runs.page(self.database.reader)
        return str(row["run_id"])

    def newest(self, run_id: str) -> int:
        """The row of the run's last record; 0 without one."""
        last = records.last(self.database.reader, run_id)
        return int(last["row"]) if last is not None else 0

    def moment(self, run_id: str) -> int:
        """The instant in nanoseconds that the run's last record holds; 0 where that is another step's."""
        last = records.last(self.database.reader, run_id)
        return int(last["payload"]) if last is not None and last["name"] == "moment" else 0

    def trouble(self, run_id: str) -> str:
        """What a run says of itself when it did not go as it should."""
        gate = self.open_gate(run_id)
        return str(runs.get(self.database.reader, run_id)["error"]) if gate is None else f"it asks “{gate['title']}”"

    def close(self) -> None:
        """Let go of the database."""
        self.database.close()


async def _advance(powers: Powers, run_ids: Sequence[str], workflow: Workflow[Any, Any]) -> list[RunState]:
    return await asyncio.gather(*(direct.advance(powers, run_id, workflow) for run_id in run_ids))


@contextlib.contextmanager
def office_in(ground: Ground, folder: Path, name: str, seed: Path | None = None) -> Iterator[Office]:
    """An office in a folder of this name: a copy of a seed, by default of an empty one; both take their time to make."""
    seed = seed or seed_of(ground, "empty", lambda office: None)
    target = folder / name
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(seed, target)
    with contextlib.closing(Office(target)) as office:
        yield office


def seed_of(ground: Ground, name: str, fill: Callable[[Office], object]) -> Path:
    """An office that is filled once and copied then; its folder."""
    seed = ground.fastest / f"seed-{name}"
    if not seed.exists():
        with contextlib.closing(Office(fresh(ground.fastest, seed.name))) as office:
            fill(office)
    return seed
