"""Branches: `parallel` settles them all, `first` records who won (engine.md 1, 12, 14).

| number | test |
|---|---|
| 14 settles all, lowest index | test_every_branch_settles_before_the_lowest_failure_speaks |
| 14 a failed branch shows at once | test_a_failed_branch_shows_in_the_inbox_at_once |
| 14 the winner is a record | test_a_race_…, test_the_losers_… |
| 12 liveness | test_no_order_of_ends_and_crashes_leaves_a_run… |
"""

import asyncio
from collections.abc import Awaitable
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from counterfoil import Effect, RefusedUse, approve, ask, first, parallel, sleep, step, workflow
from counterfoil.authoring.workflows import Workflow
from counterfoil.facts import GateState, RunState
from counterfoil.store import intents, timers
from counterfoil.testing import Crashed
from engine.doing import Nothing, asking, keyed, looked_up
from engine.power_cut import PowerCut


@step
def one(n: int) -> int:
    return n + 1


@step
async def after(turns: int, n: int) -> int:
    """Ends after so many turns of the loop."""
    for _ in range(turns):
        await asyncio.sleep(0)
    return n


async def failing(n: int) -> int:
    await one(n)
    raise RuntimeError(f"branch {n}")


def test_results_stand_in_the_order_given(harness: PowerCut) -> None:
    @workflow("order")
    async def flow(p: Nothing) -> Any:
        return [await parallel(after(5, 0), after(0, 1), after(3, 2)), await parallel(), await parallel(one(1))]

    harness.start(flow)
    assert harness.advance() == RunState.DONE
    assert harness.result() == [[0, 1, 2], [], [2]]


def test_every_branch_settles_before_the_lowest_failure_speaks(harness: PowerCut) -> None:
    async def slow(n: int) -> int:
        for _ in range(5):
            await one(n)
        raise RuntimeError(f"branch {n}")

    @workflow("failing")
    async def flow(p: Nothing) -> str:
        try:
            await parallel(one(0), slow(1), failing(2))
        except RuntimeError as problem:
            return str(problem)
        return "well"

    harness.start(flow)
    assert harness.advance() == RunState.DONE
    assert harness.result() == "branch 1"
    assert len(harness.records()) == 1 + 5 + 1


def test_a_failed_branch_shows_in_the_inbox_at_once(harness: PowerCut) -> None:
    @step
    def broken() -> int:
        raise ValueError("wrong")

    @workflow("mixed")
    async def flow(p: Nothing) -> Any:
        return await parallel(broken(), ask("Why?", []), broken())

    harness.start(flow)
    assert harness.advance() == RunState.WAITING
    assert [gate["kind"] for gate in sorted(harness.gates(), key=lambda row: row["path"])] == [
        "failure",
        "question",
        "failure",
    ]


def test_a_race_is_won_by_whoever_ends_first(harness: PowerCut) -> None:
    @workflow("race")
    async def flow(p: Nothing) -> Any:
        return await first(ask("Slow?", []), after(3, 7), sleep(timedelta(days=1)))

    harness.start(flow)
    assert harness.advance() == RunState.DONE
    assert harness.result() == [1, 7]
    winner = next(row for row in harness.records() if row["kind"] == "race")
    assert (winner["path"], winner["ordinal"], winner["payload"]) == ("", 0, "1")


def test_the_losers_gates_and_timers_end_with_the_race(harness: PowerCut) -> None:
    @workflow("race")
    async def flow(p: Nothing) -> Any:
        index, _ = await first(
            _deep(), ask("B?", []), asking_about("x"), sleep(timedelta(days=1)), parallel(ask("C?", []), ask("D?", []))
        )
        return [index, await one(5)]

    async def _deep() -> None:
        await one(1)
        await approve("A?")

    harness.start(flow)
    assert harness.advance() == RunState.WAITING
    assert len(harness.gates()) == 5
    harness.answer(next(gate for gate in harness.gates() if gate["title"] == "B?"))
    assert harness.advance() == RunState.DONE
    assert harness.result() == [1, 6]
    assert harness.gates() == []
    assert len(harness.gates(GateState.WITHDRAWN)) == 4
    assert timers.pending(harness.database.reader, harness.run_id) == []
    assert harness.ledger.lines() == []


async def asking_about(text: str) -> Any:
    return await asking(text, may="ask")


def test_a_race_replays_the_same_a_hundred_times(harness: PowerCut) -> None:
    seen: list[Any] = []

    @workflow("race")
    async def flow(p: Nothing) -> Any:
        won = await first(_question("A?"), _question("B?"), sleep(timedelta(days=1)))
        seen.append(list(won))
        await ask("Enough?", [])
        return won

    async def _question(title: str) -> str:
        await one(1)
        await ask(title, [])
        return f"{title} {await one(2)}"

    harness.start(flow)
    harness.advance()
    # decided within a moment of each other, and the timer due as well: one of them is the winner for ever
    for gate in harness.gates():
        harness.answer(gate)
    harness.tick(timedelta(days=2))
    for _ in range(100):
        assert harness.advance() == RunState.WAITING
        harness.wake()
    harness.advance()
    harness.answer(next(gate for gate in harness.gates() if gate["title"] == "Enough?"))
    assert harness.advance() == RunState.DONE
    assert len(seen) >= 100
    assert all(won == seen[0] for won in seen)


@pytest.mark.parametrize("point", ["after_record", "after_intent", "after_outcome"])
@pytest.mark.parametrize("visit", range(1, 7))
def test_a_race_survives_a_crash_anywhere(harness: PowerCut, point: str, visit: int) -> None:
    async def branch(n: int) -> list[int]:
        return [await after(n, n), await after(0, n + 10), await one(n)]

    async def acting() -> Any:
        return await keyed("x")

    @workflow("race")
    async def flow(p: Nothing) -> Any:
        won = await first(branch(3), branch(1), acting())
        return [*won, await one(40)]

    harness.start(flow)
    harness.crash_at(point, visit)
    assert harness.finish() == RunState.DONE
    index, value, last = harness.result()
    assert last == 41
    assert value == ([[3, 13, 4], [1, 11, 2], {"kept": "x"}][index])
    assert harness.ledger.happened("x") <= 1
    race = [row for row in harness.records() if row["kind"] == "race"]
    assert [row["payload"] for row in race] == [str(index)]


def test_a_loser_that_was_recorded_in_part_is_no_mismatch_later(harness: PowerCut) -> None:
    """Its records are passed over, live and on replay."""

    async def loser() -> None:
        for n in range(3):
            await one(n)
        await ask("Never answered", [])

    @workflow("race")
    async def flow(p: Nothing) -> Any:
        index, _ = await first(loser(), ask("Answered", []))
        await ask("Then", [])
        return index

    harness.start(flow)
    harness.advance()
    harness.answer(next(gate for gate in harness.gates() if gate["title"] == "Answered"))
    assert harness.advance() == RunState.WAITING
    harness.answer()
    assert harness.advance() == RunState.DONE
    assert harness.result() == 1


def test_a_lost_branch_begins_nothing_more(harness: PowerCut) -> None:
    ran: list[str] = []

    async def stubborn() -> None:
        try:
            await ask("Never answered", [])
        finally:
            ran.append("finally")
            await keyed("too late")
            ran.append("not reached")

    @workflow("race")
    async def flow(p: Nothing) -> Any:
        index, _ = await first(stubborn(), after(2, 5))
        return [index, await one(1)]

    harness.start(flow)
    assert harness.advance() == RunState.DONE
    assert harness.result() == [1, 2]
    assert ran == ["finally"]
    assert harness.ledger.lines() == []


def test_an_effect_of_a_loser_that_is_under_way_is_recorded(harness: PowerCut) -> None:
    @workflow("race")
    async def flow(p: Nothing) -> Any:
        return await first(_effect("slow"), after(1, 5))

    async def _effect(text: str) -> Any:
        return await keyed(text)

    harness.start(flow)
    assert harness.advance() == RunState.DONE
    assert intents.open_ones(harness.database.reader, harness.run_id) == []
    for intent in intents.of_run(harness.database.reader, harness.run_id):
        assert any((row["path"], row["ordinal"]) == (intent["path"], intent["ordinal"]) for row in harness.records())


def racing(effect: Effect) -> Workflow[Nothing, Any]:
    """A race that an effect loses to a branch that does nothing."""

    async def nothing() -> str:
        return "nothing"

    async def acting() -> Any:
        return await effect

    @workflow("race")
    async def flow(p: Nothing) -> Any:
        return await first(nothing(), acting())

    return flow


@pytest.mark.parametrize(
    "make, point, happened, outcome",
    [
        (keyed, "after_intent", 1, "ok"),  # its key makes a further try safe, and only that tells how it ended
        (keyed, "after_perform", 1, "ok"),
        (looked_up, "after_intent", 0, "cancelled"),  # looked up: it has not happened, and nobody wants it any more
        (looked_up, "after_perform", 1, "ok"),
    ],
)
def test_an_effect_of_a_loser_that_a_crash_cut_off_is_found_out_before_the_run_is_done(
    harness: PowerCut, make: Any, point: str, happened: int, outcome: str
) -> None:
    harness.start(racing(make("x")))
    harness.crash_at(point)
    with pytest.raises(Crashed):
        harness.advance()
    harness.ledger.answers = lambda: _is_won(harness)  # a race that is still open wants its effects
    assert harness.advance() == RunState.DONE
    assert harness.result() == [0, "nothing"]
    assert harness.ledger.happened("x") == happened
    assert [row["outcome"] for row in harness.records() if row["kind"] == "effect"] == [outcome]


def _is_won(harness: PowerCut) -> bool:
    return any(row["kind"] == "race" for row in harness.records())


@pytest.mark.parametrize("choice, outcome", [("happened", "ok"), ("not_happened", "cancelled")])
@pytest.mark.parametrize("point", ["after_intent", "after_perform"])
def test_an_effect_of_a_loser_that_nobody_can_look_up_is_put_to_a_person(
    harness: PowerCut, point: str, choice: str, outcome: str
) -> None:
    harness.start(racing(asking("x")))
    harness.crash_at(point)
    with pytest.raises(Crashed):
        harness.advance()
    assert harness.advance() == RunState.WAITING  # all is done but for this
    assert harness.gate()["kind"] == "doubt"
    harness.wake()
    assert harness.advance() == RunState.WAITING
    tried = list(harness.ledger.tries)
    harness.answer(choice=choice)
    assert harness.advance() == RunState.DONE
    assert harness.ledger.tries == tried  # nothing is begun any more
    assert [row["outcome"] for row in harness.records() if row["kind"] == "effect"] == [outcome]


def test_stop_at_what_is_left_over(harness: PowerCut) -> None:
    harness.start(racing(asking("x")))
    harness.crash_at("after_intent")
    with pytest.raises(Crashed):
        harness.advance()
    harness.advance()
    harness.answer(choice="stop")
    assert harness.advance() == RunState.FAILED


def test_a_winner_that_fails_raises_live_and_on_replay(harness: PowerCut) -> None:
    seen: list[str] = []

    @workflow("race")
    async def flow(p: Nothing) -> Any:
        try:
            await first(ask("Never", []), failing(1))
        except RuntimeError as problem:
            seen.append(str(problem))
        await ask("Then", [])
        return "done"

    harness.start(flow)
    harness.advance()
    harness.answer(next(gate for gate in harness.gates() if gate["title"] == "Then"))
    assert harness.advance() == RunState.DONE
    assert seen == ["branch 1", "branch 1"]


def test_a_race_without_branches_is_refused(harness: PowerCut) -> None:
    @workflow("race")
    async def flow(p: Nothing) -> Any:
        return await first()

    harness.start(flow)
    harness.advance()
    assert "at least one branch" in harness.spec()["about"]["error"]["message"]


def test_branches_within_branches_have_an_end(harness: PowerCut) -> None:
    async def deeper(levels: int) -> int:
        if levels == 0:
            return await one(0)
        return sum(await parallel(deeper(levels - 1)))

    @workflow("deep")
    async def flow(p: Nothing) -> Any:
        try:
            await parallel(deeper(40))
        except RefusedUse as problem:
            return [str(problem), await parallel(deeper(29))]
        return "well"

    harness.start(flow)
    assert harness.advance() == RunState.DONE
    assert harness.result() == ["branches within branches go 30 deep; flatten them", [1]]


# -------------------------------------------------------------------------------------------------------------- liveness

LEAF = st.sampled_from(["step", "turns", "gate", "sleep", "effect", "asked", "nothing"])
TREE = st.recursive(
    st.lists(LEAF, max_size=3),
    lambda inner: st.tuples(st.sampled_from(["parallel", "first"]), st.lists(inner, min_size=1, max_size=3)),
    max_leaves=6,
)


def shaped(tree: Any) -> Awaitable[Any]:
    """A coroutine of this shape: a list of leaves in a row, or branches side by side."""

    async def row() -> None:
        for n, leaf in enumerate(tree):
            match leaf:
                case "step":
                    await one(n)
                case "turns":
                    await after(n + 1, n)
                case "gate":
                    await ask("Gate", [])
                case "sleep":
                    await sleep(timedelta(hours=n + 1))
                case "effect":
                    await keyed("x")
                case "asked":
                    await asking("y", may="ask")

    async def branches() -> None:
        kind, parts = tree
        if kind == "parallel":
            await parallel(*[shaped(part) for part in parts])
        else:
            await first(*[shaped(part) for part in parts])

    return row() if isinstance(tree, list) else branches()


CRASHES = st.lists(
    st.tuples(
        st.sampled_from(["after_claim", "after_intent", "after_outcome", "after_record", "after_gate"]),
        st.integers(1, 4),
    ),
    max_size=4,
)


@settings(max_examples=80, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(tree=TREE, crashes=CRASHES)
def test_no_order_of_ends_and_crashes_leaves_a_run_waiting_for_nothing(
    harness: PowerCut, tree: Any, crashes: list[tuple[str, int]]
) -> None:
    """Whenever a run waits there is an open gate or a pending timer, and answering all of them ends it."""

    @workflow("shaped")
    async def flow(p: Nothing) -> str:
        await shaped(tree)
        await one(99)
        return "done"

    harness.start(flow)
    left = list(crashes)
    for _ in range(40):
        if left:
            harness.crash_at(*left.pop())
        try:
            if harness.advance() == RunState.DONE:
                break
        except Crashed:
            continue
        waits = harness.gates()
        assert waits or timers.pending(harness.database.reader, harness.run_id)
        assert all(gate["kind"] in ("question", "approval", "doubt") for gate in waits), [
            harness.spec(gate) for gate in waits
        ]
        for gate in waits:
            if gate["kind"] == "approval":
                harness.approve(gate)
            elif gate["kind"] == "doubt":
                harness.answer(gate, choice="not_happened")
            else:
                harness.answer(gate)
        harness.tick(timedelta(hours=6))
    assert harness.run()["state"] == RunState.DONE
    assert harness.gates() == []
    assert intents.open_ones(harness.database.reader, harness.run_id) == []


def test_a_crash_while_a_race_is_decided(harness: PowerCut) -> None:
    @workflow("race")
    async def flow(p: Nothing) -> Any:
        return await first(ask("A?", []), ask("B?", []))

    harness.start(flow)
    harness.advance()
    for gate in harness.gates():
        harness.answer(gate)
    harness.crash_at("after_record", 1)
    with pytest.raises(Crashed):
        harness.advance()
    assert harness.advance() == RunState.DONE
