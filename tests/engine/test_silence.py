"""Silence: what says nothing for its limit is told, news takes it back, a person waits for it or has it begin anew.

The step under test moves the clock of awake time itself and lets the desk look, as the runner's sweep does.
"""

import asyncio
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

import pytest

from counterfoil import approve, ask, parallel, report, sleep, step, workflow
from counterfoil.clock import AwakeClock
from counterfoil.engine import direct, effect_trouble
from counterfoil.engine.desk import Desk
from counterfoil.engine.holding import Hold
from counterfoil.errors import Declined, RefusedUse
from counterfoil.facts import FailureClass, GateKind, NoticeKind, RunState
from counterfoil.inbox.restarting import restart_step, silent_steps, wait_longer
from counterfoil.store import notices, records, trail_rows
from engine.doing import Nothing, asking, keyed
from engine.power_cut import PowerCut


@dataclass
class Watched:
    """The desk of the run that is advanced, and a clock of awake time that tests move."""

    harness: PowerCut
    at: float = 0.0
    desks: list[Desk] = field(default_factory=list)

    def made(self, hold: Hold) -> Desk:
        hold.hearing.awake = AwakeClock(lambda: self.at)
        hold.hearing.whole.heard = 0.0
        self.desks.append(Desk(hold))
        return self.desks[-1]

    async def after(self, minutes: float) -> list[str]:
        """So much awake time later, in looks that are half a minute apart; who is silent."""
        await asyncio.sleep(0)  # what was told before comes first
        for _ in range(int(minutes * 2)):
            self.at += 30
            await self.desks[-1].poll()
        return self.silent()

    def silent(self) -> list[str]:
        return [one["title"] for one in silent_steps(self.harness.database.reader, self.harness.run_id)]

    def body(self) -> dict[str, Any]:
        row = notices.silent(self.harness.database.reader)[self.harness.run_id]
        return notices.body_of(row)

    def wait(self) -> None:
        self.harness.database.transact(lambda txn: wait_longer(txn, self.harness.run_id, "user:anna"))


@pytest.fixture
def watched(harness: PowerCut, monkeypatch: pytest.MonkeyPatch) -> Watched:
    made = Watched(harness)
    monkeypatch.setattr(direct, "Desk", made.made)
    return made


def of(step_: Any) -> Any:
    """A workflow of one step."""

    @workflow("quiet")
    async def flow(p: Nothing) -> Any:
        return await step_()

    return flow


def test_a_silent_step_is_told_and_news_takes_it_back(watched: Watched) -> None:
    seen: list[Any] = []

    @step(title="Read contracts")
    async def read_contracts() -> str:
        seen.append(await watched.after(9.5))
        seen.append(await watched.after(1))
        seen.append(watched.body()["steps"][0]["minutes"])
        await watched.after(5)
        seen.append(watched.body()["steps"][0]["minutes"])
        report("3 of 9")
        await asyncio.sleep(0)  # it is passed on by the loop
        seen.append(await watched.after(0.5))
        seen.append(await watched.after(9))
        seen.append(await watched.after(1))
        return "read"

    watched.harness.start(of(read_contracts))
    assert watched.harness.advance() == RunState.DONE
    assert seen == [[], ["Read contracts"], 10, 15, [], [], ["Read contracts"]]
    assert watched.silent() == []  # a run that has ended says nothing any more
    assert watched.harness.run()["recoveries"] == 0


def test_a_person_waits_and_the_clock_begins_anew(watched: Watched) -> None:
    seen: list[Any] = []

    @step(silent_for=timedelta(minutes=2))
    async def slow() -> None:
        seen.append(await watched.after(2))
        watched.wait()
        seen.append(await watched.after(1.5))
        seen.append(await watched.after(1))
        watched.wait()
        with pytest.raises(Declined, match="Nothing of run"):
            watched.wait()

    watched.harness.start(of(slow))
    assert watched.harness.advance() == RunState.DONE
    assert seen == [["Slow"], [], ["Slow"]]


def test_sleep_of_the_computer_is_no_silence(watched: Watched) -> None:
    @step
    async def slept() -> list[str]:
        watched.at += 8 * 3600
        return await watched.after(8)

    watched.harness.start(of(slept))
    assert watched.harness.advance() == RunState.DONE
    assert watched.harness.result() == []


def test_a_workflow_that_waits_is_not_silent(watched: Watched) -> None:
    seen: list[Any] = []

    @step
    async def looks() -> None:
        seen.append(await watched.after(9.5))

    @workflow("waits")
    async def flow(p: Nothing) -> None:
        await parallel(ask("How far?", []), sleep(timedelta(minutes=9)), looks())

    watched.harness.start(flow)
    assert watched.harness.advance() == RunState.WAITING
    watched.at += 3600
    assert seen == [[]]
    assert watched.silent() == []


def test_a_body_that_hangs_is_told_without_a_name(watched: Watched) -> None:
    """Between its steps a workflow has no business to be at work for long; here its desk looks while it is."""
    seen: list[Any] = []

    @workflow("hangs")
    async def flow(p: Nothing) -> None:
        hearing = watched.desks[-1].hold.hearing
        for _ in range(22):
            watched.at += 30
            seen.append([one["name"] for one in hearing.words(hearing.silent((), at_work=True))])

    watched.harness.start(flow)
    assert watched.harness.advance() == RunState.DONE
    assert seen[18] == []
    assert seen[-1] == [""]


@pytest.mark.parametrize("asked", ["silent", "any"])
def test_a_restart_begins_the_step_anew_and_keeps_the_others(watched: Watched, asked: str) -> None:
    begun: list[str] = []

    @step
    async def first() -> str:
        begun.append("first")
        return "one"

    @step(retries=1)
    async def stuck(of: str) -> str:
        begun.append("stuck")
        if begun.count("stuck") == 1:
            if asked == "silent":
                await watched.after(10)
            restart_step(watched.harness.database, watched.harness.run_id, "user:anna", silent_only=asked == "silent")
            await watched.desks[-1].poll()
            await asyncio.Event().wait()
        if begun.count("stuck") == 2:
            raise OSError("a failure of its own, which its one retry covers")
        return f"{of} and two"

    @workflow("restarted")
    async def flow(p: Nothing) -> str:
        return await stuck(await first())

    harness = watched.harness
    harness.start(flow)
    assert harness.advance() == RunState.READY
    (attempt,) = records.attempts(harness.database.reader, harness.run_id)
    assert (attempt["failure_class"], attempt["message"]) == (FailureClass.RESTARTED, "Anna had it begin anew")
    assert harness.run()["recoveries"] == 0
    assert watched.silent() == []
    assert harness.advance() == RunState.WAITING  # for its retry
    harness.tick(timedelta(minutes=1))
    assert harness.advance() == RunState.DONE
    assert begun == ["first", "stuck", "stuck", "stuck"]
    assert harness.result() == "one and two"
    entries = trail_rows.entries(harness.database.reader, subject=harness.run_id)
    asked_for = next(one for one in entries if one["kind"] == "restart_asked")
    assert asked_for["by"] == "user:anna"
    assert "Anna asked to restart" in asked_for["summary"]
    claims = [json.loads(one["after"])["reason"] for one in entries if one["kind"] == "claim"]
    assert claims[0] == "Anna had the step begin anew"
    assert claims.count(claims[0]) == 1


def test_a_restart_that_comes_after_news_restarts_nothing(watched: Watched) -> None:
    begun: list[str] = []

    @step
    async def late() -> str:
        begun.append("late")
        await watched.after(10)
        restart_step(watched.harness.database, watched.harness.run_id, "user:anna")
        return "it ended after all"

    @step
    async def next_one() -> str:
        begun.append("next")
        await watched.after(0.5)
        return "kept"

    @workflow("goes on")
    async def flow(p: Nothing) -> str:
        await late()
        return await next_one()

    watched.harness.start(flow)
    assert watched.harness.advance() == RunState.DONE
    assert begun == ["late", "next"]
    assert watched.harness.run()["restart"] is None


@pytest.mark.parametrize("kind", ["asking@1", "keyed@1"])
def test_an_effect_that_is_cut_off_follows_its_policy_of_doubt(
    watched: Watched, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    harness, hangs = watched.harness, [True]
    perform = harness.ledger.perform

    async def slow(*args: Any) -> Any:
        if hangs:
            hangs.clear()
            assert await watched.after(10.5) == [kind[:1].upper() + kind[1:-2]]
            restart_step(harness.database, harness.run_id, "user:anna", silent_only=True)
            await watched.desks[-1].poll()
            await asyncio.Event().wait()
        return await perform(*args)

    monkeypatch.setattr(harness.ledger, "perform", slow)
    monkeypatch.setattr(effect_trouble, "CUT_OFF", (kind,))

    @workflow("sends")
    async def flow(p: Nothing) -> Any:
        decision = await approve("Send it?", plan=[asking("a letter") if kind == "asking@1" else keyed("a letter")])
        return await decision.perform()

    harness.start(flow)
    assert harness.advance() == RunState.WAITING
    harness.approve()
    assert harness.advance() == RunState.READY
    assert harness.run()["recoveries"] == 0
    if kind == "keyed@1":
        assert harness.advance() == RunState.DONE
    else:
        assert harness.advance() == RunState.WAITING
        assert harness.gate()["kind"] == GateKind.DOUBT
        assert harness.ledger.happened("a letter") == 0
        harness.answer(choice="not_happened")
        assert harness.advance() == RunState.DONE
    assert harness.ledger.happened("a letter") == 1


def test_what_cannot_be_restarted_is_refused(watched: Watched) -> None:
    @workflow("asks")
    async def flow(p: Nothing) -> None:
        await ask("How far?", [])

    harness = watched.harness
    harness.start(flow)
    assert harness.advance() == RunState.WAITING
    with pytest.raises(Declined, match="in the middle of nothing"):
        restart_step(harness.database, harness.run_id, "user:anna")


def test_a_limit_of_silence_has_sense() -> None:
    def read() -> None:
        pass

    for span in (timedelta(0), timedelta(days=8)):
        with pytest.raises(RefusedUse, match="cannot be silent for"):
            step(silent_for=span)(read)


def test_a_notice_has_one_subject_per_run(watched: Watched) -> None:
    """Steps side by side are told together."""

    def quiet(name: str) -> Callable[[], Any]:
        async def work() -> None:
            await waited.wait()

        work.__name__ = name
        return step(work)

    waited = asyncio.Event()
    found: list[Any] = []

    @step(silent_for=timedelta(hours=2))
    async def looks() -> None:
        found.append(sorted(await watched.after(10.5)))
        waited.set()
        while len(watched.desks[-1].hold.hearing.busy) > 1:  # noqa: ASYNC110 - there is no event of it
            await asyncio.sleep(0)  # until the other two have ended
        found.append(await watched.after(0.5))

    @workflow("three at once")
    async def flow(p: Nothing) -> None:
        await parallel(quiet("one")(), quiet("two")(), looks())

    watched.harness.start(flow)
    assert watched.harness.advance() == RunState.DONE
    assert found == [["One", "Two"], []]
    told = watched.harness.database.reader.exec_driver_sql("SELECT kind, subject, closed_by FROM notice")
    assert [tuple(row) for row in told] == [(NoticeKind.SILENT, watched.harness.run_id, "runner")]
