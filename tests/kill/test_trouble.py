"""Steps that end their process, children that are left alone, wake-ups that nobody hears, a store that cannot be written."""

import json
import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from counterfoil.facts import GateKind, RunState, Verdict
from counterfoil.inbox.deciding import Wish, decide
from counterfoil.store import records, runs
from kill.jobs import Job, Stuck
from kill.outside import Outside
from kill.points import QUICK, compare
from kill.processes import Nursery, state_of, until
from kill.world import PERSON, World, beneath

RECOVERIES = 5  # after so many without a new step a run is set aside


@contextmanager
def closing(world: World) -> Iterator[World]:
    try:
        yield world
    finally:
        world.close()


@pytest.fixture
def stuck(tmp_path: Path, nursery: Nursery, outside: Outside) -> Callable[[str], Job]:
    """A job whose step leaves, or stays."""
    return lambda how: Stuck(tmp_path / how, nursery, outside, how)


def test_a_run_that_ends_its_process_is_set_aside_and_others_go_on(stuck: Callable[[str], Job]) -> None:
    job = stuck("leave")
    with closing(job.world()) as world:
        quiet = world.home.root.parent / "quiet"
        quiet.mkdir()
        other = job.commit(world.home.root, quiet)
        world.start(constants=QUICK)
        world.until(world.open_gates)
        until(lambda: runs.get(world.database.reader, other)["state"] == RunState.DONE, "the other run is done")
        gate = world.open_gates()[0]
        about = world.spec(gate)["about"]
        assert (gate["kind"], about["why"], about["attempts"]) == (GateKind.FAILURE, "set_aside", RECOVERIES)
        assert world.marks() == ["+ leave"] * (RECOVERIES + 1)  # the other run has left its mark as well
        (world.aside / "hold-1").unlink()
        world.decide(gate)
        until(world.has_ended, world.told)
        assert json.loads(world.row()["result"]) == "stayed"


def test_a_run_that_was_set_aside_can_be_stopped(stuck: Callable[[str], Job]) -> None:
    with closing(stuck("leave").world()) as world:
        world.start(constants=QUICK)
        world.until(world.open_gates)
        wish = Wish(Verdict.ANSWERED, PERSON, answers={"choice": "stop"}, comment="It never works")
        decide(world.database, world.blobs, world.open_gates()[0]["gate_id"], wish)
        until(world.has_ended, world.told)
        assert world.row()["state"] == RunState.FAILED


@pytest.mark.parametrize("victim", ["host", "runner"])
def test_the_child_of_a_step_ends_with_its_host(stuck: Callable[[str], Job], victim: str) -> None:
    with closing(stuck("stay").world()) as world:
        runner = world.start(constants=QUICK)
        stepping = until(lambda: _stepping(world), "a step in a child of a host")
        assert stepping is not None
        host, child = stepping
        if victim == "host":
            os.kill(host, signal.SIGKILL)
        else:
            runner.kill()
        until(lambda: state_of(child) in ("", "Z") and state_of(host) in ("", "Z"), "host and child are gone")
        (world.aside / "hold-1").unlink()
        if victim == "runner":
            world.start(constants=QUICK)
        world.until(world.has_ended)
        assert world.row()["state"] == RunState.DONE


def _stepping(world: World) -> tuple[int, int] | None:
    """A host and the child in which it performs a step."""
    found = [(host, child) for host in world.hosts() for child in beneath(host)[1:]]
    return found[0] if found and world.marks() else None


def test_a_wake_up_that_nobody_hears(small_job: Job) -> None:
    """The runner is told nothing, ever; it looks by itself."""
    with closing(small_job.world()) as world:
        world.start(constants=QUICK)
        world.until(world.has_ended, decide=True, tell=False)
        compare(world)


def test_a_runner_for_each_answer(small_job: Job) -> None:
    """`counterfoil runner --until-idle` after each decision, as from a crontab: it says by its exit code whether somebody is asked."""
    with closing(small_job.world()) as world:
        codes = []
        for _ in range(4):
            codes.append(world.nursery.command(world.home.root, "runner", "--until-idle").wait())
            world.decide_all(tell=False)
        assert codes == [3, 3, 3, 0]
        compare(world)


def test_a_store_that_cannot_be_written_for_a_while(errands: Job) -> None:
    """It costs no try of any step: the run is carried on when the store can be used."""
    with closing(errands.world()) as world:
        runner = world.start(constants={**QUICK, "counterfoil.store.database.BUSY_MS": 300})
        until(world.marks, "a step begins")
        log = world.home.logs / "process.log"
        world.write("BEGIN IMMEDIATE")
        until(lambda: "could not be given back" in log.read_text(encoding="utf-8"), "the runner gives up for now")
        world.write("ROLLBACK")
        assert world.play(runner)
        compare(world)
        assert world.row()["recoveries"] <= 1
        assert all(attempt["state"] == "ok" for attempt in records.attempts(world.database.reader, world.run_id))


def test_an_answer_between_claim_and_replay_is_recorded_once(errands: Job) -> None:
    with closing(errands.world()) as world:
        runner = world.start()
        until(lambda: len(world.open_gates()) == 2, world.told)
        runner.kill()
        first, second = world.open_gates()
        world.decide(first)
        runner = world.start(stop=["after_claim", 1])
        until(lambda: state_of(runner.pid) == "T", "the runner stands still after its claim")
        world.decide(second)
        runner.signal(signal.SIGCONT)
        world.decide_all()
        assert world.play(runner)
        compare(world)
