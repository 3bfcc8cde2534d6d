"""Claims, fences, recoveries and damage (engine.md 12, 23, 26; DESIGN 4, 3 and 5).

A run that kills its holder is set aside after five recoveries without a new record; a damaged record stops its run and no other;
whoever has lost the right to a run writes nothing.
"""

import asyncio
import json
from datetime import timedelta
from typing import Any

import pytest

from counterfoil import ask, sleep, step, workflow
from counterfoil.engine import aftermath, claiming
from counterfoil.engine.desk import Desk
from counterfoil.engine.holding import Powers
from counterfoil.facts import GateState, RunState
from counterfoil.store import gates, records, runs, trail_rows
from counterfoil.store.writer import Writer
from counterfoil.testing import Crashed
from engine.doing import Nothing, asking, keyed
from engine.power_cut import PowerCut


@step
def one(n: int) -> int:
    return n + 1


@workflow("five")
async def five(p: Nothing) -> int:
    total = 0
    for n in range(5):
        total += await one(n)
    return total


def recover(harness: PowerCut) -> None:
    """What a new runner does with a run whose holder has died."""

    def operation(txn: Any) -> None:
        claiming.recover(txn, runs.get(txn.conn, harness.run_id))

    harness.database.transact(operation)


def die(harness: PowerCut, point: str = "after_claim", visit: int = 1) -> None:
    """The run is claimed, its holder dies, and a new runner finds it."""
    harness._after_crash = lambda: None  # type: ignore[method-assign]  # the runner does it, and counts
    harness.crash_at(point, visit)
    with pytest.raises(Crashed):
        harness.advance()
    recover(harness)


def test_a_run_that_ends_its_process_five_times_without_progress_is_set_aside(harness: PowerCut) -> None:
    harness.start(five)
    waits = []
    for _ in range(5):
        die(harness)
        waits.append(harness.run()["ready_at"] - harness.clock.now_us())
    assert waits == sorted(waits)  # each time it has to wait longer
    assert harness.advance() == RunState.WAITING
    gate = harness.gate()
    assert (gate["kind"], gate["ordinal"]) == ("failure", -1)
    assert harness.spec(gate)["about"]["why"] == "set_aside"
    assert harness.records() == []
    harness.answer(choice="retry")
    assert harness.advance() == RunState.DONE


def test_recoveries_with_progress_do_not_count(harness: PowerCut) -> None:
    harness.start(five)
    for _ in range(5):
        die(harness, "after_record", 1)
    assert harness.run()["recoveries"] <= 1
    assert harness.advance() == RunState.DONE


def test_a_run_set_aside_stops_no_other(harness: PowerCut) -> None:
    harness.start(five)
    for _ in range(5):
        die(harness)
    harness.advance()
    poisoned = harness.run_id
    for _ in range(20):
        harness.start(five)
        assert harness.advance() == RunState.DONE
    assert runs.get(harness.database.reader, poisoned)["state"] == RunState.WAITING


def test_stop_at_a_run_set_aside(harness: PowerCut) -> None:
    harness.start(five)
    for _ in range(5):
        die(harness)
    harness.advance()
    harness.answer(choice="stop")
    assert harness.advance() == RunState.FAILED


# ---------------------------------------------------------------------------------------------------------------- fences


def claimed(harness: PowerCut, act: Any) -> Any:
    """Claim the harness's run and do something with the hold, in a loop of its own."""

    async def run() -> Any:
        writer = Writer(harness.database)
        powers = Powers(
            harness.database, writer, harness.blobs, harness.clock, harness.ledger, harness._policy, harness._stages
        )
        try:
            held = await claiming.claim(powers, harness.run_id)
            assert held is not None
            return await act(held)
        finally:
            await asyncio.to_thread(writer.close)

    return asyncio.run(run())


STEP = {"t": "step", "p": "", "o": 0, "n": "one", "d": "0" * 64, "took": 5, "say": None, "r": "1"}


def test_a_holder_that_was_replaced_writes_nothing(harness: PowerCut) -> None:
    harness.start(five)

    async def act(held: Any) -> Any:
        recover(harness)
        await claiming.claim(held.hold.powers, harness.run_id)  # a second holder
        reply = await Desk(held.hold).handle(dict(STEP), b"")
        return reply, held.hold.breach, await aftermath.settle(held.hold)

    reply, breach, state = claimed(harness, act)
    assert reply == ({"k": "close"}, b"")
    assert "fence 1, now 2" in breach
    assert state == RunState.RUNNING
    assert harness.records() == []
    assert harness.gates() == []


def test_a_holder_of_a_run_that_ended_writes_nothing(harness: PowerCut) -> None:
    harness.start(five)

    async def act(held: Any) -> Any:
        desk = Desk(held.hold)
        await desk.handle({"t": "done", "r": "null"}, b"")
        return await Desk(held.hold).handle(dict(STEP), b"")

    assert claimed(harness, act) == ({"k": "close"}, b"")
    assert harness.records() == []


def test_a_run_is_claimed_once_however_many_want_it(harness: PowerCut) -> None:
    harness.start(five)

    async def run() -> list[bool]:
        writers = [Writer(harness.database) for _ in range(8)]
        powers = [
            Powers(
                harness.database, writer, harness.blobs, harness.clock, harness.ledger, harness._policy, harness._stages
            )
            for writer in writers
        ]
        found = await asyncio.gather(*[claiming.claim(one_, harness.run_id) for one_ in powers * 5])
        for writer in writers:
            await asyncio.to_thread(writer.close)
        return [held is not None for held in found]

    assert sum(asyncio.run(run())) == 1
    assert harness.run()["fence"] == 1


def test_wake_ups_without_end_perform_nothing_twice(harness: PowerCut) -> None:
    @workflow("woken")
    async def woken(p: Nothing) -> Any:
        await keyed("before")
        await ask("Why?", [])
        await asking("after")

    harness.start(woken)
    for _ in range(30):
        harness.advance()
        harness.wake()
    harness.answer()
    assert harness.advance() == RunState.DONE
    assert [text for _, _, text in harness.ledger.lines()] == ["before", "after"]
    assert harness.ledger.tries == ["before", "after"]


def test_a_long_result_goes_to_the_session_by_reference(harness: PowerCut) -> None:
    @step
    def text(size: int) -> str:
        return "x" * size

    @workflow("long")
    async def long(p: Nothing) -> Any:
        for size in (10, 4000, 5000, 100_000):
            await text(size)
        return await ask("Why?", [])

    harness.start(long)
    harness.advance()
    harness.wake()

    async def act(held: Any) -> Any:
        return [held.opening.records["", n].payload for n in range(4)]

    given = claimed(harness, act)
    assert [payload is None for payload in given] == [False, False, True, True]


# ---------------------------------------------------------------------------------------------------------------- damage


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE record SET payload = '9' WHERE ordinal = 1",
        "UPDATE record SET payload = '{not json' WHERE ordinal = 1",
        "UPDATE record SET outcome = 'failed' WHERE ordinal = 1",
        "UPDATE record SET kind = 'nonsense' WHERE ordinal = 1",
        "UPDATE record SET path = '3/1' WHERE ordinal = 1",
        "DELETE FROM record WHERE ordinal = 0",
        "UPDATE record SET committed_at = committed_at + 1 WHERE ordinal = 0",
    ],
)
def test_a_changed_record_stops_its_run_and_no_other(harness: PowerCut, change: str) -> None:
    harness.start(five)
    harness.crash_at("after_record", 3)
    with pytest.raises(Crashed):
        harness.advance()
    harness.database.transact(lambda txn: txn.conn.exec_driver_sql(change))
    assert harness.advance() == RunState.WAITING
    about = harness.spec()["about"]
    assert about["why"] == "set_aside"
    assert "does not match its seal" in about["error"]["message"]
    assert "restore a backup" in about["error"]["message"].lower()
    harness.start(five)
    assert harness.advance() == RunState.DONE


@pytest.mark.parametrize("how", ["gone", "flipped"])
def test_a_damaged_blob_stops_its_run_and_no_other(harness: PowerCut, how: str) -> None:
    @step
    def big() -> bytes:
        return b"x" * 200_000

    @workflow("big")
    async def flow(p: Nothing) -> int:
        found = await big()
        await ask("Why?", [])
        return len(found)

    harness.start(flow)
    harness.advance()
    (blob,) = [path for path in harness.home.blobs.rglob("*") if path.is_file()]
    if how == "gone":
        blob.unlink()
    else:
        data = bytearray(blob.read_bytes())
        data[1000] ^= 1
        blob.write_bytes(data)
    harness.wake()
    assert harness.advance() == RunState.WAITING
    damage = next(gate for gate in harness.gates() if gate["kind"] == "failure")
    assert harness.spec(damage)["about"]["error"]["type"] == "Damaged"
    harness.start(five)
    assert harness.advance() == RunState.DONE


# ------------------------------------------------------------------------------------------------------------- the trail


def test_each_carrying_on_is_told_in_the_trail(harness: PowerCut) -> None:
    @workflow("told")
    async def told(p: Nothing) -> Any:
        await one(1)
        await asking("x")
        await ask("Why?", [])
        await sleep(timedelta(hours=1))

    harness.start(told)
    die(harness, "after_intent", 1)
    harness.advance()
    harness.answer(choice="happened")
    harness.advance()
    harness.answer()
    harness.advance()
    harness.tick(timedelta(hours=1))
    harness.advance()
    entries = [row for row in trail_rows.entries(harness.database.reader) if row["kind"] == "claim"]
    assert [row["summary"] for row in entries] == [
        "Run 1 carried on from step 2",
        "Run 1 carried on from step 2",
        "Run 1 carried on from step 3",
        "Run 1 carried on from step 4",
    ]
    assert '"doubts": ["asking@1"]' in entries[0]["after"]
    assert [json.loads(row["after"])["reason"] for row in entries] == [
        "runner or host had ended",
        "an answer came",
        "an answer came",
        "a wait was over",
    ]


def test_the_trail_has_every_decision_and_effect_and_the_chain_holds(harness: PowerCut) -> None:
    from counterfoil.trail import verify

    @workflow("told")
    async def told(p: Nothing) -> Any:
        decision = await ask("Why?", [])
        await keyed("x")
        return decision

    harness.start(told)
    harness.advance()
    harness.answer()
    harness.advance()
    kinds = [row["kind"] for row in trail_rows.entries(harness.database.reader)]
    assert kinds == ["template", "run_started", "gate", "decision", "claim", "effect", "run_done"]
    assert verify(harness.database.reader).ok
    head = records.head(harness.database.reader, harness.run_id)
    assert head in trail_rows.entries(harness.database.reader)[-1]["after"]


def test_a_decision_that_comes_while_its_run_is_claimed_is_not_lost(harness: PowerCut) -> None:
    """The answer arrives between a claim and its suspension, in every order."""

    @workflow("asked")
    async def asked(p: Nothing) -> Any:
        return await ask("Why?", [])

    harness.start(asked)
    harness.advance()
    harness.wake()
    harness.crash_at("after_claim")
    with pytest.raises(Crashed):
        harness.advance()
    harness.answer()
    assert harness.advance() == RunState.DONE
    assert [gate["state"] for gate in gates.of_run(harness.database.reader, harness.run_id)] == [GateState.DECIDED]
