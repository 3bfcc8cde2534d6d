"""A runner that is killed while a connector's server performs a call: it is not called again unasked, unless somebody said that it may."""

import asyncio
import json
import os
from collections.abc import Generator, Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import pytest

from connectors.counter import declared
from connectors.house import House
from counterfoil.connectors import keeping
from counterfoil.connectors.declared import Declared
from counterfoil.connectors.supervising import Connectors
from counterfoil.effects.secrets import Keyring
from counterfoil.facts import GateKind, RunState, Verdict
from counterfoil.inbox.deciding import Wish, decide
from counterfoil.places import Home
from counterfoil.sandbox.probing import measured
from counterfoil.store import intents, records
from counterfoil.store.database import Database, open_database
from counterfoil.store.transactions import Row
from kill.jobs import Job
from kill.outside import Outside
from kill.points import QUICK
from kill.processes import HERE, Nursery
from kill.tally import Tally
from kill.world import PERSON, World

_DISCOVERY = "mcp.client.session.DISCOVER_TIMEOUT_SECONDS"
UNHURRIED = {**QUICK, _DISCOVERY: 100.0}  # a server that starts slowly is not taken for one of the older protocol


class Desk:
    """A server that tells which calls it has seen, and ends none of them while it is held."""

    declared: Declared

    def seen(self) -> list[Any]:
        """The calls so far."""
        raise NotImplementedError

    def hold(self) -> None:
        """End no call from now on."""
        raise NotImplementedError

    def let_go(self) -> None:
        """End calls again."""
        raise NotImplementedError

    def close(self) -> None:
        """End it."""


class Program(Desk):
    """A program in a sandbox; what it sees comes through a named pipe."""

    def __init__(self, folder: Path, *words: str) -> None:
        folder.mkdir()
        self._held = folder / "held"
        os.mkfifo(folder / "calls")
        self._pipe = os.open(folder / "calls", os.O_RDWR | os.O_NONBLOCK)  # never at its end, nobody waits for us
        self._told = b""
        told = (f"tells={folder / 'calls'}", f"holds-while={self._held}")
        self.declared = declared("fake", *told, *words, code_beside=(str(folder),))

    def seen(self) -> list[Any]:
        with suppress(BlockingIOError):
            self._told += os.read(self._pipe, 65_536)
        return [json.loads(line) for line in self._told.splitlines()]

    def hold(self) -> None:
        self._held.touch()

    def let_go(self) -> None:
        self._held.unlink(missing_ok=True)

    def close(self) -> None:
        os.close(self._pipe)


class Address(Desk):
    """A server over HTTP."""

    def __init__(self) -> None:
        self._house = House(locked=False)
        self.declared = Declared(name="desk", url=self._house.url, seconds=90)

    def seen(self) -> list[Any]:
        return list(self._house.performed)

    def hold(self) -> None:
        self._house.answers.clear()

    def let_go(self) -> None:
        self._house.answers.set()

    def close(self) -> None:
        self._house.close()


class Calling(Job):
    """The template that calls; its connector leads to the server of the test."""

    def __init__(self, root: Path, nursery: Nursery, outside: Outside, desk: Desk) -> None:
        self._declared = desk.declared
        super().__init__(root, nursery, outside, HERE / "templates" / "calling")

    def furnish(self, workspace: Path) -> None:
        workspace.mkdir()

    def parameters(self) -> dict[str, Any]:
        return {"to": "ben@b.example"}

    def plant(self, seed: Path) -> None:
        super().plant(seed)
        home = Home(seed / "home")
        with closing(open_database(home)) as database:
            database.transact(lambda txn: keeping.add(txn, self._declared, PERSON))
            asyncio.run(self._look(database, home))
            database.transact(lambda txn: keeping.switch(txn, "desk", PERSON, on=True))

    async def _look(self, database: Database, home: Home) -> None:
        connectors = Connectors(database, home, lambda: measured(home), Keyring(home))
        await connectors.look(self._declared)
        await connectors.close()


@pytest.fixture
def desk(request: pytest.FixtureRequest, tmp_path: Path) -> Generator[Desk]:
    """The server that the test names by words of its own, or by `address`."""
    made = Address() if request.param == "address" else Program(tmp_path / "desk", *request.param.split())
    yield made
    made.close()


@pytest.fixture
def world(
    tmp_path: Path, nursery: Nursery, outside: Outside, desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> Iterator[World]:
    """A run that is about to call."""
    monkeypatch.setattr(_DISCOVERY, UNHURRIED[_DISCOVERY])
    nursery.warm("counterfoil.connectors.line")
    found = Calling(tmp_path / "calling", nursery, outside, desk).world()
    yield found
    found.close()


def killed_in_the_middle(world: World, desk: Desk, tally: Tally) -> None:
    """Kill the runner when the server has the call and has not answered it."""
    desk.hold()
    runner = world.start(constants=UNHURRIED)
    world.until(desk.seen, decide=True)
    runner.kill()
    tally.add(world.moment().kind)
    assert world.moment().kind == "effect", "the call was under way"
    desk.let_go()


def tries(world: World) -> list[Row]:
    """The attempts of the call."""
    [intent] = intents.of_run(world.database.reader, world.run_id)
    return records.attempts_of(world.database.reader, world.run_id, intent["path"], intent["ordinal"])


@pytest.mark.parametrize("desk", ["", "address"], indirect=True, ids=["program", "address"])
def test_a_call_that_was_under_way_is_a_doubt_and_is_made_once(world: World, desk: Desk, tally: Tally) -> None:
    killed_in_the_middle(world, desk, tally)
    world.start(constants=UNHURRIED)
    [gate] = world.until(world.open_gates)
    assert gate["kind"] == GateKind.DOUBT
    assert gate["title"] == "Did this happen? desk: send, to ben@b.example"
    answers = {"choice": "happened", "result": "seen there"}
    decide(world.database, world.blobs, gate["gate_id"], Wish(Verdict.ANSWERED, PERSON, answers=answers))
    world.until(world.has_ended)
    assert world.row()["state"] == RunState.DONE
    assert json.loads(world.row()["result"]) == "seen there"
    assert (len(desk.seen()), len(tries(world))) == (1, 1)


@pytest.mark.parametrize("desk", ["", "address"], indirect=True, ids=["program", "address"])
def test_a_call_that_may_be_made_twice_is_made_again_unasked(world: World, desk: Desk, tally: Tally) -> None:
    how = {"does": "reads"} if isinstance(desk, Program) else {"does": "changes", "repeatable": True}
    world.database.transact(lambda txn: keeping.classify(txn, "desk", "send", by=PERSON, **how))
    killed_in_the_middle(world, desk, tally)
    world.start(constants=UNHURRIED)
    world.until(lambda: world.has_ended() or world.open_gates())
    assert world.open_gates() == []
    assert json.loads(world.row()["result"])["text"] == "sent to ben@b.example"
    assert (len(desk.seen()), len(tries(world))) == (2, 2)


@pytest.mark.parametrize("desk", ["asks modern"], indirect=True)
def test_a_question_of_a_server_outlives_the_runner_that_asked_it(world: World, desk: Desk, tally: Tally) -> None:
    runner = world.start(constants=UNHURRIED)
    world.until(lambda: any(gate["kind"] == GateKind.QUESTION for gate in asked(world)))
    runner.kill()
    [gate] = world.open_gates()
    answers = {"sure": True, "copies": 3, "how": "slow"}
    decide(world.database, world.blobs, gate["gate_id"], Wish(Verdict.ANSWERED, PERSON, answers=answers))
    world.start(constants=UNHURRIED)
    world.until(world.has_ended)
    given = {"action": "accept", "content": answers}
    assert json.loads(json.loads(world.row()["result"])["text"]) == [given, "state-of-the-server"]
    first, *_, last = desk.seen()
    assert "requestState" not in first
    assert last["requestState"] == "state-of-the-server", "the call went on where the server had stopped"


def asked(world: World) -> list[Row]:
    """What is asked; a question is left alone, anything else is decided."""
    found = world.open_gates()
    for gate in found:
        if gate["kind"] != GateKind.QUESTION:
            world.decide(gate)
    return found
