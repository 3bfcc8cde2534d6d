"""One runner at a time: a second one says so, a stale one is harmless, and one that is told to stop lets effects end."""

import json
import os
import signal
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

import pytest

from counterfoil.errors import RunnerTrouble
from counterfoil.facts import GateKind
from counterfoil.store import gates, trail_rows
from kill.jobs import Job
from kill.points import QUICK, compare
from kill.processes import Process, children_of, state_of, until
from kill.world import World


@contextmanager
def closing(world: World) -> Iterator[World]:
    try:
        yield world
    finally:
        world.close()


def _says(world: World, log: str) -> str:
    return (world.home.logs / log).read_text(encoding="utf-8")


def test_a_second_runner_says_that_one_is_working(small_job: Job) -> None:
    with closing(small_job.world()) as world:
        first = world.start(constants=QUICK)
        until(world.open_gates, world.told)
        second = world.nursery.command(world.home.root, "runner")
        assert second.wait() == RunnerTrouble.exit_code
        assert f"A runner is working already (process {first.pid})." in _says(world, "command.log")
        assert world.play(first)
        compare(world)


def test_of_two_runners_started_at_once_one_works(small_job: Job) -> None:
    with closing(small_job.world()) as world:
        for _ in range(3):
            both = [world.nursery.start("run", world.home.root, constants=QUICK) for _ in range(2)]
            until(lambda: sum(one.alive() for one in both) == 1, "one of two runners ends")  # noqa: B023 - used at once
            world.decide_all(tell=False)
            for one in both:
                one.kill()
            assert sorted(one.status() or 0 for one in both) == [-signal.SIGKILL, 1]
        world.start(constants=QUICK)
        world.until(world.has_ended, decide=True)
        compare(world)


STANDS = [
    ("after_claim", 2),
    ("after_record", 2),
    ("after_gate", 2),
    ("after_intent", 1),  # a request that may be repeated
    ("after_intent", 3),  # a request that may not
    ("after_intent", 5),  # a mail
    ("after_perform", 3),
    ("after_perform", 6),  # a request that can be looked up
    ("after_outcome", 5),
]


@pytest.mark.parametrize("stand", STANDS, ids=lambda stand: f"{stand[0]}:{stand[1]}")
def test_a_runner_that_slept_past_its_lease_is_harmless(errands: Job, stand: tuple[str, int]) -> None:
    with closing(errands.world()) as world:
        sleeper = _asleep(world, stand)
        assert world.play(world.start(constants=QUICK)), world.told()
        compare(world)
        _wake(world, sleeper)
        compare(world)


def test_a_runner_that_slept_writes_nothing_when_another_has_claimed_its_run(errands: Job) -> None:
    """Its lease is gone and it does not know it yet; the other one has claimed the run and stands still."""
    with closing(errands.world()) as world:
        sleeper = _asleep(world, ("after_record", 1), constants={})
        second = world.start(stop=("after_claim", 1))
        until(lambda: state_of(second.pid) == "T", "the second runner has claimed the run")
        before = world.rows()
        sleeper.signal(signal.SIGCONT)
        until(lambda: len(children_of(sleeper.pid)) < 2, "the first one lets go of the run's host")
        assert world.rows() == before
        sleeper.kill()
        second.signal(signal.SIGCONT)
        assert world.play(second), world.told()
        compare(world)


def test_a_runner_that_slept_between_two_files_is_waited_for(errands: Job) -> None:
    """The folder is locked while a set is applied, so two holders of one set cannot be in it."""
    with closing(errands.world()) as world:
        sleeper = _asleep(world, ("after_each_file", 2))
        second = world.start(constants=QUICK)
        fence = world.row()["fence"]
        world.until(lambda: world.row()["fence"] > fence)
        _wake(world, sleeper)
        assert world.play(second), world.told()
        compare(world)


def _asleep(world: World, stand: tuple[str, int], constants: Mapping[str, float] = QUICK) -> Process:
    """A runner that stands still at a point, and whose lease has run out."""
    sleeper = world.start(stop=stand, constants=constants)
    world.until(lambda: state_of(sleeper.pid) == "T", decide=True)
    world.write("UPDATE runner SET expires_at = 1")
    return sleeper


def _wake(world: World, sleeper: Process) -> None:
    """Let it go on; it sees that it was replaced, and ends."""
    sleeper.signal(signal.SIGCONT)
    assert sleeper.wait("a runner that was replaced ends") == 0
    assert "another runner has taken over" in _says(world, "process.log")


@pytest.mark.parametrize("victim", ["host", "runner"])
def test_an_effect_under_way_is_recorded_and_not_doubted(errands: Job, victim: str) -> None:
    """The host is killed, or the runner told to stop, while a request that must not be repeated waits for its answer."""
    with closing(errands.world()) as world:
        runner = world.start(constants=QUICK)
        until(lambda: _decided_up_to(world, "plain"), world.told)
        with world.outside.shut():
            world.decide_all()
            until(lambda: world.outside.callers() and world.moment().kind == "effect", "a request waits for its answer")
            hosts = world.hosts()
            if victim == "host":
                for host in hosts:
                    os.kill(host, signal.SIGKILL)
            else:
                runner.signal(signal.SIGTERM)
            until(lambda: not set(hosts) <= set(world.hosts()), "a host is gone")
        if victim == "runner":
            assert runner.wait() == 0
            assert not world.moment().intents
            assert (
                world.row()["recoveries"] == 0
            )  # a runner that is told to stop is nothing to be counted against the run
            runner = world.start(constants=QUICK)
        assert world.play(runner), world.told()
        compare(world)
        kinds = {gate["kind"] for gate in gates.of_run(world.database.reader, world.run_id)}
        assert GateKind.DOUBT not in kinds
        entries = trail_rows.entries(world.database.reader, subject=world.run_id)
        told = [json.loads(entry["after"])["reason"] for entry in entries if entry["kind"] == "claim"]
        assert told.count("runner or host had ended") == 1


def _decided_up_to(world: World, place: str) -> bool:
    """Whether what is asked now is a request to that place; what is asked before it is decided."""
    asked = world.open_gates()
    if any(f"/{place}" in gate["title"] for gate in asked):
        return True
    for gate in asked:
        world.decide(gate)
    return False
