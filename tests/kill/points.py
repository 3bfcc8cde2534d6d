"""Killing a job at every visit of a named point, and comparing each end with the undisturbed one."""

import signal
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from counterfoil.store.transactions import Row
from kill.jobs import Job
from kill.processes import until
from kill.tally import Tally
from kill.world import World

T = TypeVar("T")
A = TypeVar("A")
AT_ONCE = 2  # worlds side by side
POINTS = (
    "after_claim",
    "after_blob",
    "after_intent",
    "after_perform",
    "after_outcome",
    "after_record",
    "after_gate",
    "after_journal",
    "after_each_file",
)
QUICK = {"counterfoil.runner.running.SWEEP": 0.5}  # a runner that need not be told


def side_by_side(work: Callable[[A], T], things: Iterable[A]) -> list[T]:
    """Do something for each of several things, a few at once; the first failure speaks."""
    with ThreadPoolExecutor(AT_ONCE) as pool:
        return list(pool.map(work, things))


def killed_at_every_visit(job: Job, point: str, tally: Tally) -> None:
    """One world for each visit of a point, killed there and carried on.

    How often a run is claimed depends on how soon its answers come, so of claims the last may be missed.
    """
    assert job.visits.get(point), f"{job.name} never passes {point}"
    struck = side_by_side(lambda visit: killed_at(job, point, visit, tally), range(1, job.visits[point] + 1))
    sure = len(struck) // 2 if point == "after_claim" else len(struck)
    assert sum(struck) >= sure, f"{point} was passed {len(struck)} times undisturbed; struck: {struck}"


def killed_at(job: Job, point: str, visit: int, tally: Tally) -> bool:
    """Kill a run's runner at one visit of a point, carry the run on, and compare; whether the kill has struck.

    The first visit of each point is met by a runner that was started as a person would.
    """
    world = job.world(late=point in job.late)
    try:
        runner = world.start(kill=f"{point}:{visit}", cold=visit == 1)
        struck = not world.play(runner, settled=True)
        if struck:
            assert runner.wait() == -signal.SIGKILL, world.told()
            tally.add(world.moment().kind)
            assert world.play(world.start()), world.told()
        compare(world)
        return struck
    finally:
        world.close()


def killed_after_each_decision(job: Job, tally: Tally) -> int:
    """Every decision is given by a process that is killed when it is committed: it stands, nobody was told, and the run goes on from it.

    How many there were.
    """
    world = job.world()
    killed = 0
    try:
        runner = world.start(constants=QUICK)
        while until(lambda: world.has_ended() or world.open_gates(), world.told) is not True:
            for gate in world.open_gates():
                assert _decide_and_die(world, gate) == -signal.SIGKILL
                tally.add(world.moment().kind)
                killed += 1
        assert runner.end() == 0
        compare(world)
    finally:
        world.close()
    return killed


def _decide_and_die(world: World, gate: Row) -> int:
    """Decide a gate in a process of its own, which is killed when the decision is committed; how it ended."""
    wish = world.wish(gate)
    order = {"verdict": wish.verdict, "principal": wish.principal, "comment": wish.comment, "answers": wish.answers}
    return world.nursery.start(
        "decide", world.home.root, kill="after_decision:1", gate=gate["gate_id"], wish=order
    ).wait()


def compare(world: World) -> None:
    """The end of a world is the undisturbed end, to the byte, and the outside has seen everything once."""
    ending, expected = world.ending(), world.expected
    assert expected is not None
    assert ending.records == expected.records
    assert ending.result == expected.result
    assert ending.outside == expected.outside
    assert sorted(ending.files) == sorted(expected.files)
    assert ending.files == expected.files
