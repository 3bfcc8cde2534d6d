"""Killed at random moments while llms answer: each answer is paid once, and nothing has left without a row."""

import random
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from llmock.pytest_plugin import LLMock

from counterfoil.facts import LlmEnd, RunState, StepKind
from counterfoil.places import Home
from counterfoil.store import llm_calls, llm_routes, records
from counterfoil.store.database import open_database
from counterfoil.store.llm_routes import NewEntry
from counterfoil.store.transactions import Txn
from kill.jobs import Job
from kill.outside import Outside
from kill.points import QUICK
from kill.processes import HERE, Nursery, until
from kill.tally import Tally
from kill.world import World

KILLS = 4
TURNS = 2
CALLS = TURNS + 3
FAULTS = ("truncate", "disconnect", "fail", "rate", "none", "none", "none")


class Asking(Job):
    """The template that asks; its route leads to the server of the test."""

    def __init__(self, root: Path, nursery: Nursery, outside: Outside, server: LLMock) -> None:
        self._server = server
        super().__init__(root, nursery, outside, HERE / "templates" / "asking")

    def furnish(self, workspace: Path) -> None:
        workspace.mkdir()

    def parameters(self) -> dict[str, Any]:
        return {"turns": TURNS}

    def plant(self, seed: Path) -> None:
        super().plant(seed)

        def operation(txn: Txn) -> None:
            llm_routes.put_route(txn, "default", stays=True, by="user:test")
            # one llm: the judge takes a request to another for no retry of the first
            new = NewEntry("compatible", self._server.base_url("openai"), "mock", None, None, "set", "1", "2")
            llm_routes.add_entry(txn, "default", new)

        with closing(open_database(Home(seed / "home"))) as database:
            database.transact(operation)


@pytest.fixture
def asking(tmp_path: Path, nursery: Nursery, outside: Outside, llmock: LLMock) -> Asking:
    """The job, with a server that takes its time."""
    nursery.warm("counterfoil.routing.wire")
    llmock.pace(15)
    return Asking(tmp_path / "asking", nursery, outside, llmock)


def test_an_answer_is_paid_once_and_no_request_is_without_its_row(asking: Asking, llmock: LLMock, tally: Tally) -> None:
    chance = random.Random(f"{tally.seed}/llms")
    world = asking.world()
    try:
        for life in range(KILLS):
            _trouble(llmock, chance.choice(FAULTS))
            runner = world.start(constants=QUICK)
            # a run that never comes a step further is set aside after five of these
            if not _is_in_the_middle(world, steps=life % 2, late=life and chance.uniform(0, 0.25)):
                break
            runner.kill()
        else:
            runner = world.start(constants=QUICK)
        until(world.has_ended, world.told)
        runner.kill()
        _check(world, llmock)
    finally:
        world.close()


def _is_in_the_middle(world: World, *, steps: int, late: float) -> bool:
    """Wait for a moment at which a request has begun and not ended, so many steps from now; False when the run has ended before."""
    seen, done = len(rows(world)), world.rows()["record"]

    def look() -> str:
        if world.has_ended():
            return "over"
        further = world.rows()["record"] - done >= steps
        return "seen" if further and any(row["end"] is None for row in rows(world)[seen:]) else ""

    if until(look, world.told) == "over":
        return False
    end = time.monotonic() + late
    until(lambda: time.monotonic() >= end, "a moment")
    return True


def _trouble(server: LLMock, kind: str) -> None:
    match kind:
        case "truncate":
            server.truncate(after_chunks=2)
        case "disconnect":
            server.disconnect(after_chunks=3)
        case "fail":
            server.fail(503, retry_after=0.2)
        case "rate":
            server.rate_limit(retry_after=0.3)


def rows(world: World) -> list[Any]:
    """The requests of the run."""
    return list(llm_calls.attempts(world.database.reader, world.run_id))


def _check(world: World, server: LLMock) -> None:
    assert world.row()["state"] == RunState.DONE, world.told()
    made = [row for row in records.of_run(world.database.reader, world.run_id) if row["kind"] == StepKind.LLM]
    assert len(made) == CALLS
    tries = rows(world)
    answered = [(row["path"], row["ordinal"]) for row in tries if row["end"] == LlmEnd.OK]
    assert sorted(answered) == sorted((row["path"], row["ordinal"]) for row in made), "one answer for each record"
    assert [row for row in tries if row["end"] is None] == []
    assert len(server.requests) <= len(tries), "a request has left without its row"
    lost = [row for row in tries if row["end"] in (LlmEnd.UNKNOWN, LlmEnd.CUT)]
    assert all(row["charge"] for row in lost), "what may have been billed still counts"
    assert any(row["end"] == LlmEnd.UNKNOWN for row in tries), "no kill has hit a request"
    found = server.verdict()
    # lives of equal length look to it like a client that does not back off
    assert [one for one in found.findings if one.code != "no_backoff"] == [], found.render()
    print(f"{len(tries)} requests begun, {len(server.requests)} seen, {len(lost)} perhaps billed, {len(made)} answers")
