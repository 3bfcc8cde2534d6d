"""Killed at random moments, again and again: the runner, its hosts, or both, until steps, effects and gates have all been hit often enough.

The seed is printed and can be given: COUNTERFOIL_KILL_SEED. It makes the same choices again; where they land depends on the computer too.
"""

import os
import random
import signal
import time
from contextlib import suppress

from kill.jobs import Job
from kill.points import QUICK, compare, side_by_side
from kill.processes import Process, until
from kill.tally import KINDS, Tally
from kill.world import World

FRUITLESS = 4  # rounds of up to fifty kills each, none of which hit what is missing: then it never will
LIFE = 3.0  # seconds after which a runner is killed wherever it is
JITTER = 0.02  # seconds at most between seeing what was aimed at and striking
KILLS = 25  # of one run; then it may end
AIMS = ("step", *KINDS, "anything")  # steps are the shortest of the three


def test_random_kills_end_as_if_nothing_had_happened(errands: Job, small_job: Job, tally: Tally) -> None:
    print(f"COUNTERFOIL_KILL_SEED={tally.seed}")
    round_of = fruitless = 0
    while tally.missing() and fruitless < FRUITLESS:
        before = tally.short_of()
        jobs = (errands, small_job) if round_of % 2 == 0 else (errands, errands)
        names = [f"{tally.seed}/{round_of}/{index}" for index in range(len(jobs))]
        side_by_side(lambda pair: _killed_again_and_again(*pair, tally), list(zip(jobs, names, strict=True)))
        round_of += 1
        fruitless = fruitless + 1 if tally.short_of() == before else 0
    assert not tally.missing(), tally.line()


def _killed_again_and_again(job: Job, name: str, tally: Tally) -> None:
    chance = random.Random(name)
    world = job.world()
    try:
        kills = 0
        while not world.has_ended():
            runner = world.start(constants=QUICK)
            kills += _life(world, runner, chance, tally if kills < KILLS else None)
        compare(world)
        assert not world.performed_again(), world.told()
    finally:
        world.close()


def _life(world: World, runner: Process, chance: random.Random, tally: Tally | None) -> int:
    """The life of one runner; how many kills it has seen. Without a tally it is left alone."""
    kills = 0
    while runner.alive() and not world.has_ended():
        aim = _aim(chance, tally) if tally else "the end"
        seen = _aimed(world, runner, aim, chance)
        if seen and tally:
            kills += _strike(world, runner, chance, tally)
    return kills


def _aim(chance: random.Random, tally: Tally) -> str:
    """What to wait for: nothing that was hit often enough while something else was not."""
    aim, missing = chance.choice(AIMS), tally.missing()
    return missing[0] if missing and aim in KINDS and aim not in missing else aim


def _aimed(world: World, runner: Process, aim: str, chance: random.Random) -> bool:
    """Wait for the moment that is aimed at, deciding what is asked on the way; False when the run has ended before."""
    born = time.monotonic()
    patience = chance.uniform(0.02, LIFE / 2) if aim == "anything" else LIFE
    tell = chance.random() < 0.9

    def look() -> str | None:
        if world.has_ended() or not runner.alive():
            return "over"
        if aim != "the end" and (time.monotonic() - born > patience or (aim in KINDS and world.moment().kind == aim)):
            return "seen"
        world.hurry()
        if aim != "gate":
            world.decide_all(tell=tell)
        return None

    if until(look, world.told) == "over":
        return False
    late = time.monotonic() + chance.uniform(0, JITTER)
    until(lambda: time.monotonic() >= late, "a moment")
    return True


def _strike(world: World, runner: Process, chance: random.Random, tally: Tally) -> int:
    """Kill the runner, its hosts, or both, and count what was in the middle."""
    victim = chance.choice(("runner", "runner", "hosts", "both"))
    with world.held_still(runner):
        if world.has_ended() or not runner.alive():
            return 0
        kind = world.moment().kind
        world.note_records()
        if victim != "runner":
            for host in world.hosts():
                with suppress(ProcessLookupError):
                    os.kill(host, signal.SIGKILL)
        if victim != "hosts":
            runner.kill()
    tally.add(kind)
    return 1
