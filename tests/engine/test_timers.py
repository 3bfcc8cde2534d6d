"""Timers are rows (engine.md 16; DESIGN 4, 7).

A sleep of months outlives any number of restarts and fires once; nothing in memory keeps time.
"""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from counterfoil import ask, now, parallel, sleep, sleep_until, step, workflow
from counterfoil.clock import to_us
from counterfoil.facts import RunState
from counterfoil.store import timers
from counterfoil.testing import Crashed
from engine.doing import Nothing, keyed
from engine.power_cut import PowerCut


@step
def one(n: int) -> int:
    return n + 1


def test_a_sleep_of_four_hundred_days_outlives_twenty_restarts_and_fires_once(harness: PowerCut) -> None:
    @workflow("sleeping")
    async def sleeping(p: Nothing) -> Any:
        before = now()
        await keyed("before")
        await sleep(timedelta(days=400))
        await keyed("after")
        return (now() - before).days

    harness.start(sleeping)
    assert harness.advance() == RunState.WAITING
    (timer,) = timers.pending(harness.database.reader, harness.run_id)
    for _ in range(20):
        harness.tick(timedelta(days=19))
        harness.wake()
        assert harness.advance() == RunState.WAITING
        assert timers.pending(harness.database.reader, harness.run_id) == [timer]  # set once, whoever asks again
    assert harness.ledger.happened("after") == 0
    harness.tick(timedelta(days=20))
    assert harness.advance() == RunState.DONE
    assert harness.result() == 400
    assert [text for _, _, text in harness.ledger.lines()] == ["before", "after"]
    assert [row["kind"] for row in harness.records()] == ["effect", "timer", "effect"]


def test_a_sleep_is_not_begun_again_by_a_crash(harness: PowerCut) -> None:
    @workflow("sleeping")
    async def sleeping(p: Nothing) -> None:
        await sleep(timedelta(hours=10))
        await one(1)

    harness.start(sleeping)
    harness.advance()
    harness.tick(timedelta(hours=9))
    harness.wake()
    harness.crash_at("after_claim")
    with pytest.raises(Crashed):
        harness.advance()
    assert harness.advance() == RunState.WAITING
    harness.tick(timedelta(hours=1, seconds=1))
    assert harness.advance() == RunState.DONE


def test_sleeps_side_by_side_fire_each_at_its_time(harness: PowerCut) -> None:
    async def napping(hours: int) -> int:
        await sleep(timedelta(hours=hours))
        return await one(hours)

    @workflow("naps")
    async def naps(p: Nothing) -> Any:
        return await parallel(*[napping(hours) for hours in (3, 1, 2)])

    harness.start(naps)
    for expected in (0, 1, 2):
        assert harness.advance() == RunState.WAITING
        assert sum(1 for row in harness.records() if row["kind"] == "step") == expected
        harness.tick(timedelta(hours=1, seconds=1))
    assert harness.advance() == RunState.DONE
    assert harness.result() == [4, 2, 3]


@pytest.mark.parametrize("span", [timedelta(0), timedelta(microseconds=-5), timedelta(days=-1)])
def test_a_sleep_that_is_over_does_not_wait(harness: PowerCut, span: timedelta) -> None:
    @workflow("awake")
    async def awake(p: Nothing) -> int:
        await sleep(span)
        return await one(1)

    harness.start(awake)
    assert harness.advance() == RunState.DONE


def test_a_time_that_has_passed_does_not_wait(harness: PowerCut) -> None:
    @workflow("awake")
    async def awake(p: Nothing) -> str:
        await sleep_until(datetime(2020, 1, 1, tzinfo=UTC))
        await sleep_until(datetime(2026, 12, 24, 18, tzinfo=UTC))
        return now().isoformat()[:10]

    harness.start(awake)
    assert harness.advance() == RunState.WAITING
    (timer,) = timers.pending(harness.database.reader, harness.run_id)
    assert timer["due_at"] == to_us(datetime(2026, 12, 24, 18, tzinfo=UTC))
    harness.tick(timedelta(days=30))
    assert harness.advance() == RunState.DONE
    assert harness.result() == "2026-12-30"


def test_a_time_without_a_zone_is_refused(harness: PowerCut) -> None:
    @workflow("awake")
    async def awake(p: Nothing) -> None:
        await sleep_until(datetime(2020, 1, 1))  # noqa: DTZ001 - that is the test

    harness.start(awake)
    assert harness.advance() == RunState.WAITING
    assert "zone" in harness.spec()["about"]["error"]["message"]


def test_another_span_on_replay_is_a_mismatch(harness: PowerCut) -> None:
    hours = [1]

    @workflow("drifting")
    async def drifting(p: Nothing) -> None:
        await sleep(timedelta(hours=hours[0]))
        await ask("Go on?", [])

    harness.start(drifting)
    harness.advance()
    harness.tick(timedelta(hours=2))
    harness.advance()
    hours[0] = 2
    harness.wake()
    assert harness.advance() == RunState.WAITING
    assert sorted(gate["kind"] for gate in harness.gates()) == ["failure", "question"]
