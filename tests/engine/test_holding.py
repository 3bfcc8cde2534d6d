"""A hold over its life: suspended, woken for a quick answer, asked to cancel, out of disk (engine.md 12, 15, 23; DESIGN 4, 5).

The session and the desk are the real ones, in one process; what the runner does with a hold is done here by hand.
"""

import asyncio
import sqlite3
from collections.abc import Awaitable, Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from counterfoil import ask, parallel, sleep, step, workflow
from counterfoil.authoring.workflows import Workflow
from counterfoil.engine import aftermath, answers, claiming, staging
from counterfoil.engine.claiming import Claimed
from counterfoil.engine.desk import Desk
from counterfoil.engine.direct import DirectPort
from counterfoil.engine.holding import Powers
from counterfoil.engine.loops import WorkflowLoop
from counterfoil.engine.ports import NO_MOMENT, Moment
from counterfoil.engine.session import Session
from counterfoil.facts import GateKind, RunState
from counterfoil.inbox.cancelling import cancel_run
from counterfoil.places import Home
from counterfoil.store import leases, records, runs, timers
from counterfoil.store.database import Database
from counterfoil.store.writer import Writer
from engine.doing import Nothing, keyed
from engine.power_cut import PowerCut, power_cut

Act = Callable[[Claimed, Desk, "asyncio.Task[None]"], Awaitable[Any]]


@step
def one(n: int) -> int:
    return n + 1


def held(harness: PowerCut, flow: Workflow[Nothing, Any], act: Act) -> Any:
    """Claim the run, let its session play, and act as the runner would."""
    loop = WorkflowLoop()

    async def main() -> Any:
        writer = Writer(harness.database)
        powers = Powers(
            harness.database, writer, harness.blobs, harness.clock, harness.ledger, harness._policy, harness._stages
        )
        try:
            claimed = await claiming.claim(powers, harness.run_id)
            assert claimed is not None
            assert await aftermath.laid_out(claimed) is None
            desk = Desk(claimed.hold)
            session = Session(DirectPort(desk, loop), staging.on_stage(claimed.hold, claimed.opening), loop)
            playing = loop.create_task(session.play(flow, Nothing()))
            try:
                return await act(claimed, desk, playing)
            finally:
                claimed.hold.end(RunState.RUNNING)
                await playing
        finally:
            await asyncio.to_thread(writer.close)

    try:
        return loop.run_until_complete(main())
    finally:
        loop.run_until_complete(loop.shutdown_default_executor())
        loop.close()


@workflow("asked")
async def asked(p: Nothing) -> Any:
    await one(1)
    answer = await ask("Why?", [])
    await one(2)
    await ask("And then?", [])
    return answer


def test_a_suspended_hold_goes_on_when_the_answer_comes_at_once(harness: PowerCut) -> None:
    """The host lingers: the same session goes on under a new fence, nothing is replayed."""
    harness.start(asked)

    async def act(claimed: Claimed, desk: Desk, playing: asyncio.Task[None]) -> None:
        hold = claimed.hold
        for title in ("Why?", "And then?"):
            await hold.suspended.wait()
            assert harness.run()["state"] == RunState.WAITING
            assert harness.gate()["title"] == title
            harness.answer()
            assert harness.run()["state"] == RunState.READY
            assert await claiming.reclaim(hold)
            desk.resumed()
            await desk.poll()
        await playing
        assert hold.ended == RunState.DONE
        assert hold.fence == 3

    held(harness, asked, act)
    assert harness.run()["state"] == RunState.DONE
    assert [row["name"] for row in harness.records()] == ["one", "ask", "one", "ask"]


def test_a_suspended_hold_that_somebody_else_has_claimed_is_let_go(harness: PowerCut) -> None:
    harness.start(asked)

    async def act(claimed: Claimed, desk: Desk, playing: asyncio.Task[None]) -> None:
        await claimed.hold.suspended.wait()
        harness.answer()
        other = await claiming.claim(claimed.hold.powers, harness.run_id)
        assert other is not None
        assert not await claiming.reclaim(claimed.hold)
        claimed.hold.end(RunState.WAITING)
        await playing
        assert await aftermath.settle(claimed.hold) == RunState.WAITING

    held(harness, asked, act)
    assert harness.run()["state"] == RunState.RUNNING  # the other's


def test_a_hold_that_was_woken_and_waits_again_is_suspended_again(harness: PowerCut) -> None:
    """A try of an effect that ends in another wait tells the session nothing, and yet nothing goes on."""

    @workflow("patient")
    async def patient(p: Nothing) -> Any:
        return await keyed("a letter")

    harness.ledger.scripts["a letter"] = ["transient", "structural"]
    harness.start(patient)

    async def act(claimed: Claimed, desk: Desk, playing: asyncio.Task[None]) -> None:
        hold = claimed.hold
        await hold.suspended.wait()  # for its retry
        harness.tick(timedelta(minutes=5))
        await hold.powers.writer.submit(answers.wake_due)
        assert await claiming.reclaim(hold)
        desk.resumed()
        await desk.poll()
        async with asyncio.timeout(60):
            await hold.suspended.wait()  # for a person
        assert harness.run()["state"] == RunState.WAITING
        assert harness.gate()["kind"] == GateKind.FAILURE

    held(harness, patient, act)


def test_nothing_wakes_a_suspended_hold_but_a_claim(harness: PowerCut) -> None:
    """A timer in memory must not move a run that is not held: its row wakes it."""

    @workflow("napping")
    async def napping(p: Nothing) -> Any:
        await sleep(timedelta(milliseconds=20))
        return await one(1)

    harness.start(napping)

    async def act(claimed: Claimed, desk: Desk, playing: asyncio.Task[None]) -> None:
        hold = claimed.hold
        await hold.suspended.wait()
        harness.tick(timedelta(seconds=5))
        await desk.poll()  # a sweep that comes too early
        hold.wake(("", 0), "sleep")  # the alarm
        await asyncio.wait([playing], timeout=0.05)
        assert not playing.done()
        assert harness.records() == []
        await hold.powers.writer.submit(answers.wake_due)
        assert await claiming.reclaim(hold)
        desk.resumed()
        await desk.poll()
        await playing

    held(harness, napping, act)
    assert harness.run()["state"] == RunState.DONE


def test_an_answer_that_comes_while_another_branch_works_is_taken_up_by_a_poll(harness: PowerCut) -> None:
    release = asyncio.Event()

    @step
    async def long() -> int:
        await release.wait()
        return 1

    @workflow("busy")
    async def busy(p: Nothing) -> Any:
        return await parallel(long(), _asked())

    async def _asked() -> int:
        await ask("Why?", [])
        return await one(5)

    harness.start(busy)

    async def act(claimed: Claimed, desk: Desk, playing: asyncio.Task[None]) -> None:
        parked, settle = asyncio.Event(), claimed.hold.on_park

        def on_park() -> None:
            parked.set()
            settle()

        claimed.hold.on_park = on_park
        await parked.wait()
        harness.answer()
        while records.count(harness.database.reader, harness.run_id) < 2:
            await desk.poll()
        assert harness.run()["state"] == RunState.RUNNING
        release.set()
        await playing

    held(harness, busy, act)
    assert harness.run()["state"] == RunState.DONE


def test_a_wish_to_cancel_waits_for_the_effect_in_progress_and_for_nothing_else(harness: PowerCut) -> None:
    started, release = asyncio.Event(), asyncio.Event()
    perform = harness.ledger.perform

    async def slow(body: Any, key: str, workspace: str, moment: Moment = NO_MOMENT) -> Any:
        started.set()
        await release.wait()
        return await perform(body, key, workspace, moment)

    harness.ledger.perform = slow  # type: ignore[method-assign]  # it takes its time

    @workflow("acting")
    async def acting(p: Nothing) -> Any:
        await parallel(_effect("x"), ask("Why?", []))
        await keyed("never")

    async def _effect(text: str) -> Any:
        return await keyed(text)

    harness.start(acting)

    async def act(claimed: Claimed, desk: Desk, playing: asyncio.Task[None]) -> None:
        await started.wait()
        harness.database.transact(lambda txn: leases.take(txn, "runner", 1, previous_is_dead=True))
        assert cancel_run(harness.database, harness.run_id, "user:anna") == "asked"
        await desk.poll()
        await desk.poll()  # a second sweep changes nothing
        assert harness.run()["state"] == RunState.RUNNING
        release.set()
        await playing
        assert claimed.hold.ended == RunState.CANCELLED

    held(harness, acting, act)
    assert harness.run()["state"] == RunState.CANCELLED
    assert {(row["name"], row["outcome"]) for row in harness.records()} == {
        ("keyed@1", "ok"),
        ("cancelled", "cancelled"),
    }
    assert [text for _, _, text in harness.ledger.lines()] == ["x"]


def test_a_full_disk_costs_no_try_and_loses_nothing(
    tmp_path: Path, blank: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    tries: list[int] = []

    @step
    def bulky(n: int) -> str:
        tries.append(n)
        return "x" * 30_000

    @workflow("bulky")
    async def flow(p: Nothing) -> int:
        return sum([len(await bulky(n)) for n in range(20)])

    connect = Database._connect
    room = [2**30]

    def small(self: Database) -> sqlite3.Connection:
        raw = connect(self)
        raw.execute(f"PRAGMA max_page_count={room[0]}")
        return raw

    monkeypatch.setattr(Database, "_connect", small)
    harness = power_cut(tmp_path, blank)
    harness.start(flow)
    with harness.database.connect() as conn:
        room[0] = int(conn.exec_driver_sql("PRAGMA page_count").scalar() or 0) + 60
    harness.database.close()
    assert harness.advance() == RunState.READY  # it is carried on when there is room
    kept = len(harness.records())
    assert 0 < kept < 20
    assert harness.run()["recoveries"] == 0
    assert records.attempts(harness.database.reader, harness.run_id) == []
    room[0] = 2**30
    harness.database.close()
    assert harness.advance() == RunState.DONE
    assert harness.result() == 600_000
    assert all(row["attempts"] == 1 for row in harness.records())
    assert len(tries) == 21  # the one whose record did not fit is performed again
    harness.close()


def test_two_gates_answered_while_the_run_is_suspended_are_both_taken_up(harness: PowerCut) -> None:
    @workflow("two")
    async def two(p: Nothing) -> Any:
        return await parallel(ask("A?", []), ask("B?", []))

    harness.start(two)

    async def act(claimed: Claimed, desk: Desk, playing: asyncio.Task[None]) -> None:
        await claimed.hold.suspended.wait()
        for gate in harness.gates():
            harness.answer(gate)
        assert await claiming.reclaim(claimed.hold)
        desk.resumed()
        await desk.poll()
        await playing

    held(harness, two, act)
    assert harness.run()["state"] == RunState.DONE
    assert runs.get(harness.database.reader, harness.run_id)["fence"] == 3
    assert timers.pending(harness.database.reader, harness.run_id) == []
