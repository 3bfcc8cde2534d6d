"""Supplier payments, killed at every named point: one payment file, the same to the byte, whatever was killed."""

import signal

import pytest

from counterfoil.store.transactions import Row
from kill.jobs import Job
from kill.points import POINTS, QUICK, compare, killed_at_every_visit
from kill.processes import until
from kill.tally import Tally
from kill.world import World


@pytest.mark.parametrize("point", POINTS)
def test_killed_at_every_visit(main_job: Job, tally: Tally, point: str) -> None:
    killed_at_every_visit(main_job, point, tally)


def test_the_undisturbed_end(main_job: Job) -> None:
    expected = main_job.expected
    assert expected is not None
    assert [name for name in expected.files if name.startswith("payments/")] == ["payments/r-1.xml"]
    assert len([name for name in expected.files if name.startswith("archive/")]) == 11
    assert b"<NbOfTxs>11</NbOfTxs>" in expected.files["payments/r-1.xml"]


def test_whoever_decides_is_killed_after_each_decision(main_job: Job, tally: Tally) -> None:
    """The decision stands, nobody was told of it, and the run goes on from it."""
    world = main_job.world()
    try:
        runner = world.start(constants=QUICK)
        killed = 0
        while until(lambda: world.has_ended() or world.open_gates(), "a gate, or the end") is not True:
            for gate in world.open_gates():
                assert _decide_and_die(world, gate) == -signal.SIGKILL
                tally.add(world.moment().kind)
                killed += 1
        assert killed == 3
        assert runner.end() == 0
        compare(world)
    finally:
        world.close()


def _decide_and_die(world: World, gate: Row) -> int:
    """Decide a gate in a process of its own, which is killed when the decision is committed; how it ended."""
    wish = world.wish(gate)
    order = {"verdict": wish.verdict, "principal": wish.principal, "comment": wish.comment, "answers": wish.answers}
    decider = world.nursery.start("decide", world.home.root, kill="after_decision:1", gate=gate["gate_id"], wish=order)
    return decider.wait()
