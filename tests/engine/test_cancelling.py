"""Cancelling: a record wherever a branch waits, never between an effect and its record (engine.md 15)."""

from datetime import timedelta
from typing import Any

import pytest

from counterfoil import approve, ask, parallel, sleep, step, workflow
from counterfoil.engine.ports import NO_MOMENT, Moment
from counterfoil.errors import GateClosed, RunEnded
from counterfoil.facts import GateState, RunState
from counterfoil.inbox.cancelling import cancel_run
from counterfoil.store import intents, leases, records, runs, timers
from counterfoil.testing import Crashed
from engine.doing import Nothing, asking
from engine.power_cut import PowerCut


@step
def one(n: int) -> int:
    return n + 1


@workflow("waiting")
async def waiting(p: Nothing) -> Any:
    await one(1)
    return await parallel(ask("Why?", []), sleep(timedelta(days=1)), _acting())


async def _acting() -> Any:
    return await asking("x", may="ask")


def cancel(harness: PowerCut) -> str:
    """Cancel the harness's run as a person would."""
    return cancel_run(harness.database, harness.run_id, "user:anna")


def test_a_waiting_run_is_cancelled_where_each_branch_waits(harness: PowerCut) -> None:
    harness.start(waiting)
    harness.advance()
    gates_before = harness.gates()
    assert cancel(harness) == "cancelled"
    assert harness.run()["state"] == RunState.CANCELLED
    ends = {(row["path"], row["ordinal"]): row["outcome"] for row in harness.records()}
    assert ends == {("", 0): "ok", ("1/0", 0): "cancelled", ("1/1", 0): "cancelled", ("1/2", 0): "cancelled"}
    assert harness.gates() == []
    assert len(harness.gates(GateState.WITHDRAWN)) == len(gates_before) == 2
    assert timers.pending(harness.database.reader, harness.run_id) == []
    assert "Cancelled by Anna" in harness.run()["error"]


def test_gates_are_withdrawn_with_the_run(harness: PowerCut) -> None:
    harness.start(waiting)
    harness.advance()
    gate = harness.gates()[0]
    cancel(harness)
    with pytest.raises(GateClosed, match="cancelled by Anna"):
        harness.approve(gate)


def test_a_run_that_has_not_begun_is_cancelled(harness: PowerCut) -> None:
    harness.start(waiting)
    assert cancel(harness) == "cancelled"
    assert harness.advance() == RunState.CANCELLED
    assert harness.records() == []


def test_a_run_that_has_ended_is_not_cancelled(harness: PowerCut) -> None:
    @workflow("short")
    async def short(p: Nothing) -> int:
        return await one(1)

    harness.start(short)
    harness.advance()
    with pytest.raises(RunEnded):
        cancel(harness)
    assert harness.run()["state"] == RunState.DONE


def test_what_is_in_doubt_is_listed(harness: PowerCut) -> None:
    @workflow("doubting")
    async def doubting(p: Nothing) -> Any:
        return await asking("x")

    harness.start(doubting)
    harness.crash_at("after_perform")
    with pytest.raises(Crashed):
        harness.advance()
    harness.advance()
    cancel(harness)
    (intent,) = intents.of_run(harness.database.reader, harness.run_id)
    assert intent["key"] in harness.run()["error"]
    assert [(row["kind"], row["outcome"]) for row in harness.records()] == [("effect", "cancelled")]


def test_a_held_run_is_cancelled_by_its_holder_after_the_effect_in_progress(harness: PowerCut) -> None:
    """The wish comes in the middle of an effect: the effect is recorded, nothing after it is begun."""

    @workflow("busy")
    async def busy(p: Nothing) -> Any:
        await asking("x")
        await ask("Why?", [])
        await asking("y")

    def wish() -> None:
        lease = harness.database.transact(lambda txn: leases.take(txn, "runner", 1, previous_is_dead=True))
        assert lease
        assert cancel(harness) == "asked"

    perform = harness.ledger.perform

    async def interrupted(body: Any, key: str, workspace: str, moment: Moment = NO_MOMENT) -> Any:
        outcome = await perform(body, key, workspace, moment)
        wish()
        return outcome

    harness.ledger.perform = interrupted  # type: ignore[method-assign]  # a person acts while the effect is performed
    harness.start(busy)
    assert harness.advance() == RunState.WAITING
    assert harness.run()["cancel_by"] == "user:anna"
    harness.wake()
    assert harness.advance() == RunState.CANCELLED  # the claim heeds the wish before any code runs
    assert [row["outcome"] for row in records.of_run(harness.database.reader, harness.run_id)] == ["ok", "cancelled"]
    assert [text for _, _, text in harness.ledger.lines()] == ["x"]


def test_a_ready_run_with_a_wish_to_cancel_ends_at_its_claim(harness: PowerCut) -> None:
    harness.start(waiting)
    harness.database.transact(lambda txn: runs.ask_to_cancel(txn, harness.run_id, "user:anna"))
    assert harness.advance() == RunState.CANCELLED
    assert harness.records() == []


def test_finally_blocks_run_when_the_desk_ends_a_session(harness: PowerCut) -> None:
    ran: list[str] = []

    @workflow("tidy")
    async def tidy(p: Nothing) -> None:
        try:
            await approve("Go?")
        except Exception:  # noqa: BLE001 - this must not catch the end of the session
            ran.append("caught")
        finally:
            ran.append("finally")

    harness.start(tidy)
    assert harness.advance() == RunState.WAITING
    assert ran == ["finally"]
