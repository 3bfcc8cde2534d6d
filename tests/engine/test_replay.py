"""Replay meets every record, in order, or a person is asked (engine.md 1 to 4, 13).

| number | tests |
|---|---|
| 1 identity | test_identities_count_all_durable_calls_of_a_branch |
| 2 mismatch | test_another_name…, test_other_arguments…, test_a_record_too_many…, test_a_new_call_before… |
| 2 mismatch of branches | test_a_new_call_in_a_branch…, test_a_step_where_branches…, test_branches_where_a_step… |
| 2 keep, retry, stop | test_keep_what_was_recorded, test_retry_replays_again, test_stop_ends_the_run_as_failed |
| 3 gates | test_a_decided_gate…, test_an_undecided_gate…, test_an_unchanged_question… |
| 4 now, uuid, random | test_time_and_chance_are_the_same_on_replay |
| 13 the body's own exception | test_an_exception_of_the_body_is_put_before_a_person |
| 18 never awaited | test_a_call_that_is_never_awaited_fails_the_run_at_its_end |
"""

from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import Any

import pytest

from counterfoil import (
    Returned,
    StepFailed,
    approve,
    ask,
    first,
    now,
    parallel,
    random,
    sleep,
    step,
    uuid,
    workflow,
)
from counterfoil.authoring.workflows import Workflow
from counterfoil.facts import GateState, RunState
from counterfoil.testing import Crashed
from engine.doing import Nothing, asking, keyed
from engine.power_cut import PowerCut


@step
def one(n: int) -> int:
    return n + 1


@step
def other(n: int) -> int:
    return n * 10


@step
def third(n: int) -> int:
    return n - 1


Body = Callable[[], Awaitable[Any]]


def flow(body: Body) -> Workflow[Nothing, Any]:
    """A workflow of one name for any body, so that one run can be carried on with another version of the code."""

    @workflow("flow")
    async def made(p: Nothing) -> Any:
        return await body()

    return made


def crashed(harness: PowerCut, body: Body, point: str, visit: int) -> None:
    """Start a run of this body and cut the power at a visit of a point."""
    harness.start(flow(body))
    harness.crash_at(point, visit)
    with pytest.raises(Crashed):
        harness.advance()


def carried_on(harness: PowerCut, body: Body) -> dict[str, Any]:
    """Carry the run on with another body; what the failure gate shows that this opens."""
    harness.use(flow(body))
    assert harness.advance() == RunState.WAITING
    gate = harness.gate()
    assert gate["kind"] == "failure"
    about: dict[str, Any] = harness.spec(gate)["about"]
    return about


async def two_steps() -> int:
    a = await one(1)
    b = await other(a)
    return a + b


def identities(harness: PowerCut) -> list[tuple[str, int, str]]:
    """Where each record stands, and its name."""
    return [(row["path"], row["ordinal"], row["name"]) for row in harness.records()]


# ------------------------------------------------------------------------------------------------------------ identity


def test_identities_count_all_durable_calls_of_a_branch(harness: PowerCut) -> None:
    async def branch(n: int) -> int:
        a = await one(n)
        await keyed(f"e{n}")
        (b,) = await parallel(other(a))
        return b

    async def body() -> Any:
        a = await one(0)
        both = await parallel(branch(1), branch(2))
        index, won = await first(third(5))
        return [a, both, index, won, await other(7)]

    harness.start(flow(body))
    assert harness.advance() == RunState.DONE
    assert harness.result() == [1, [20, 30], 0, 4, 70]
    assert sorted(identities(harness)) == [
        ("", 0, "one"),
        ("", 2, "first"),
        ("", 3, "other"),
        ("1/0", 0, "one"),
        ("1/0", 1, "keyed@1"),
        ("1/0/2/0", 0, "other"),
        ("1/1", 0, "one"),
        ("1/1", 1, "keyed@1"),
        ("1/1/2/0", 0, "other"),
        ("2/0", 0, "third"),
    ]


def test_a_recorded_step_is_never_performed_again(harness: PowerCut) -> None:
    performed: list[int] = []

    @step
    def noted(n: int) -> int:
        performed.append(n)
        return n

    async def body() -> int:
        total = 0
        for n in range(5):
            total += await noted(n)
        return total

    harness.start(flow(body))
    for visit in range(1, 5):
        harness.crash_at("after_record", 1)
        with pytest.raises(Crashed):
            harness.advance()
        assert len(harness.records()) == visit
    assert harness.advance() == RunState.DONE
    assert performed == [0, 1, 2, 3, 4]
    assert harness.result() == 10


# ---------------------------------------------------------------------------------------------------------- mismatches


def test_another_name_opens_a_gate_that_shows_both_sides(harness: PowerCut) -> None:
    async def changed() -> int:
        return await third(1)

    crashed(harness, two_steps, "after_record", 1)
    about = carried_on(harness, changed)
    assert about["why"] == "mismatch"
    assert about["recorded"].startswith("one ")
    assert about["asked"].startswith("third ")
    assert harness.spec()["fields"][0]["choices"] == ["retry", "stop"]  # another step's record is never kept


def test_other_arguments_open_a_gate(harness: PowerCut) -> None:
    async def changed() -> int:
        return await other(await one(2))

    crashed(harness, two_steps, "after_record", 1)
    about = carried_on(harness, changed)
    assert about["recorded"].split(" ")[0] == about["asked"].split(" ")[0] == "one"
    assert about["recorded"] != about["asked"]
    assert harness.spec()["fields"][0]["choices"] == ["retry", "skip", "stop"]


def test_keep_what_was_recorded(harness: PowerCut) -> None:
    async def changed() -> int:
        return await other(await one(41))

    crashed(harness, two_steps, "after_record", 1)
    carried_on(harness, changed)
    harness.answer(choice="skip")
    assert harness.advance() == RunState.DONE
    assert harness.result() == 20  # one(1) = 2 was kept


def test_keeping_one_record_keeps_no_other(harness: PowerCut) -> None:
    async def three() -> int:
        return await third(await other(await one(1)))

    async def changed() -> int:
        return await third(await other(await one(2) + 1))

    crashed(harness, three, "after_record", 2)
    carried_on(harness, changed)
    harness.answer(choice="skip")
    assert harness.advance() == RunState.WAITING
    assert harness.spec()["about"]["recorded"].startswith("other ")


def test_retry_replays_again(harness: PowerCut) -> None:
    async def changed() -> int:
        return await third(1)

    crashed(harness, two_steps, "after_record", 1)
    carried_on(harness, changed)
    harness.answer(choice="retry")
    assert harness.advance() == RunState.WAITING  # nothing has changed, so it is asked again
    assert harness.gate()["round"] == 2
    harness.use(flow(two_steps))
    harness.answer(choice="retry")
    assert harness.advance() == RunState.DONE
    assert harness.result() == 22


def test_stop_ends_the_run_as_failed(harness: PowerCut) -> None:
    async def changed() -> int:
        return await third(1)

    crashed(harness, two_steps, "after_record", 1)
    carried_on(harness, changed)
    harness.answer(choice="stop")
    assert harness.advance() == RunState.FAILED
    assert "stopped" in harness.run()["error"]
    assert harness.gates() == []


def test_a_record_too_many_is_found_at_the_end(harness: PowerCut) -> None:
    async def changed() -> int:
        return await one(1)

    crashed(harness, two_steps, "after_record", 2)
    about = carried_on(harness, changed)
    assert (about["recorded"], about["asked"]) == ("other", "the end of the workflow")


def test_a_rejection_that_ends_before_every_record_is_met_is_a_mismatch(harness: PowerCut) -> None:
    async def body() -> Any:
        await one(1)
        await approve("Go on?")
        return await one(2)

    async def changed() -> Any:
        await one(1)
        await approve("Go on?")

    harness.start(flow(body))
    harness.advance()
    harness.approve()
    harness.crash_at("after_record", 1)
    with pytest.raises(Crashed):
        harness.advance()
    about = carried_on(harness, changed)
    assert about["asked"] == "the end of the workflow"


def test_a_new_call_before_later_records_is_found_before_it_is_performed(harness: PowerCut) -> None:
    async def body() -> int:
        await asyncio_free()
        (a,) = await parallel(one(1))
        return await other(a)

    async def changed() -> int:
        await asyncio_free()
        await keyed("new")
        (a,) = await parallel(one(1))
        return await other(a)

    crashed(harness, body, "after_record", 1)
    about = carried_on(harness, changed)
    assert about["asked"] == "keyed@1"
    assert harness.ledger.lines() == []


async def asyncio_free() -> None:
    """Something that is no durable call."""


def test_a_new_call_in_a_branch_that_has_later_records(harness: PowerCut) -> None:
    async def branch(*, longer: bool) -> int:
        a = await one(1)
        if longer:
            await keyed("new")
        return a

    async def body(*, longer: bool) -> int:
        both = await parallel(branch(longer=longer), one(5))
        return await other(sum(both))

    crashed(harness, lambda: body(longer=False), "after_record", 3)
    about = carried_on(harness, lambda: body(longer=True))
    assert (about["recorded"], about["asked"]) == ("nothing", "keyed@1")
    assert harness.ledger.lines() == []
    harness.answer(choice="retry")  # a gate at an identity without a record can be answered, too
    harness.use(flow(lambda: body(longer=False)))
    assert harness.advance() == RunState.DONE


def test_a_mismatch_without_a_record_can_be_stopped(harness: PowerCut) -> None:
    async def body(*, longer: bool) -> int:
        async def branch() -> int:
            return await one(1) + (await one(9) if longer else 0)

        (a,) = await parallel(branch())
        return await other(a)

    crashed(harness, lambda: body(longer=False), "after_record", 2)
    carried_on(harness, lambda: body(longer=True))
    harness.answer(choice="stop")
    assert harness.advance() == RunState.FAILED


def test_a_step_where_branches_were_recorded(harness: PowerCut) -> None:
    async def body() -> int:
        return sum(await parallel(one(1), one(2)))

    async def changed() -> Any:
        return await keyed("new")

    crashed(harness, body, "after_record", 1)
    about = carried_on(harness, changed)
    assert about["recorded"] == "steps side by side"
    assert harness.ledger.lines() == []


def test_branches_where_a_step_was_recorded(harness: PowerCut) -> None:
    async def body() -> int:
        return await one(await one(1))

    async def changed() -> int:
        return sum(await parallel(one(1), one(2)))

    crashed(harness, body, "after_record", 1)
    about = carried_on(harness, changed)
    assert (about["recorded"], about["asked"]) == ("one", "parallel")


def test_a_mismatch_in_one_branch_shows_at_once_while_another_waits(harness: PowerCut) -> None:
    async def body(call: Any) -> Any:
        async def stepping() -> Any:
            begun = await call(1)
            await sleep(timedelta(hours=1))  # the question is committed by then
            return begun

        return await parallel(ask("Why?", []), stepping())

    harness.start(flow(lambda: body(one)))
    assert harness.advance() == RunState.WAITING
    harness.tick(timedelta(hours=1))
    harness.use(flow(lambda: body(third)))
    assert harness.advance() == RunState.WAITING
    assert sorted(gate["kind"] for gate in harness.gates()) == ["failure", "question"]


def test_an_answer_to_what_is_not_reached_makes_no_run_spin(harness: PowerCut) -> None:
    """The run waits for the gate that shows the mismatch, though another answer lies ready for later."""

    async def body(call: Any) -> Any:
        await call(1)
        return await asking("x", may="ask")

    harness.start(flow(lambda: body(one)))
    harness.advance()
    harness.approve()
    harness.use(flow(lambda: body(third)))
    assert harness.advance() == RunState.WAITING
    assert harness.run()["state"] == RunState.WAITING
    harness.use(flow(lambda: body(one)))
    harness.answer(choice="retry")
    assert harness.advance() == RunState.DONE
    assert harness.ledger.happened("x") == 1


def test_an_effect_begun_with_other_arguments_is_no_breach_but_a_question(harness: PowerCut) -> None:
    async def body(text: str) -> Any:
        return await keyed(text)

    crashed(harness, lambda: body("this"), "after_intent", 1)
    about = carried_on(harness, lambda: body("that"))
    assert about["why"] == "mismatch"
    assert about["recorded"].startswith("keyed@1 ")
    harness.use(flow(lambda: body("this")))
    harness.answer(choice="retry")
    assert harness.advance() == RunState.DONE
    assert [text for _, _, text in harness.ledger.lines()] == ["this"]


# --------------------------------------------------------------------------------------------------------------- gates


def test_a_decided_gate_is_compared_by_name_and_shape(harness: PowerCut) -> None:
    async def body(title: str, kinds: list[Any]) -> Any:
        await approve(title, plan=[kind(f"e{n}") for n, kind in enumerate(kinds)])
        return await one(1)

    harness.start(flow(lambda: body("A", [keyed, keyed])))
    harness.advance()
    harness.approve()
    harness.crash_at("after_record", 1)
    with pytest.raises(Crashed):
        harness.advance()
    about = carried_on(harness, lambda: body("A", [keyed]))  # fewer items
    assert about["recorded"].startswith("approve ")
    harness.answer(choice="retry")
    harness.use(flow(lambda: body("A", [keyed, asking])))  # another kind
    assert harness.advance() == RunState.WAITING
    harness.answer(choice="retry")
    harness.use(
        flow(lambda: body("another title", [keyed, keyed]))
    )  # words may drift: only sealed bytes can be performed
    assert harness.advance() == RunState.DONE


def test_an_undecided_gate_whose_question_changed_is_superseded_by_a_new_round(harness: PowerCut) -> None:
    async def body(title: str) -> Any:
        await approve(title)
        return title

    harness.start(flow(lambda: body("old")))
    harness.advance()
    old = harness.gate()
    harness.use(flow(lambda: body("new")))
    harness.wake()
    assert harness.advance() == RunState.WAITING
    new = harness.gate()
    assert (new["title"], new["round"], old["round"]) == ("new", 2, 1)
    assert [gate["gate_id"] for gate in harness.gates(GateState.SUPERSEDED)] == [old["gate_id"]]
    harness.approve()
    assert harness.advance() == RunState.DONE


def test_an_unchanged_question_keeps_its_gate_over_any_number_of_replays(harness: PowerCut) -> None:
    async def body() -> Any:
        decision = await approve("Once", plan=[asking("x")])
        return await decision.perform()

    harness.start(flow(body))
    harness.advance()
    gate = harness.gate()
    for _ in range(10):
        harness.wake()
        assert harness.advance() == RunState.WAITING
    assert harness.gate() == gate
    harness.approve()
    assert harness.advance() == RunState.DONE
    assert harness.ledger.happened("x") == 1


# ----------------------------------------------------------------------------------------------------- time and chance


def test_time_and_chance_are_the_same_on_replay(harness: PowerCut) -> None:
    async def branch(n: int) -> list[str]:
        before = [str(uuid()), str(random().random()), now().isoformat()]
        await one(n)
        return [*before, now().isoformat(), str(uuid())]

    seen: list[Any] = []

    async def body() -> Any:
        drawn = [str(uuid()), now().isoformat(), str(random().randint(1, 10**9))]
        await one(1)
        drawn.append(now().isoformat())
        drawn += [text for part in await parallel(branch(1), branch(2)) for text in part]
        drawn.append(now().isoformat())
        await keyed("x")
        drawn.append(now().isoformat())
        await first(branch(3), branch(4))
        drawn += [now().isoformat(), str(uuid())]
        seen.append(drawn)
        await ask("Enough?", [])
        drawn.append(now().isoformat())
        return drawn

    harness.start(flow(body))
    harness.advance()
    harness.wake()
    harness.advance()
    harness.answer()
    assert harness.advance() == RunState.DONE
    assert seen[0] == seen[1]
    assert harness.result()[:-1] == seen[0]
    drawn = [text for text in seen[0] if not text.startswith("2026-")]
    assert len(set(drawn)) == len(drawn) == 9  # draws of one branch differ from each other's and from another branch's


def test_now_after_a_failed_step_is_the_same_on_replay(harness: PowerCut) -> None:
    @step(on_failure="raise")
    def failing() -> None:
        raise ValueError("no")

    seen: list[str] = []

    async def body() -> Any:
        try:
            await failing()
        except StepFailed as problem:
            seen.append(f"{now().isoformat()} {problem}")
        await ask("Enough?", [])

    harness.start(flow(body))
    harness.advance()
    harness.answer()
    assert harness.advance() == RunState.DONE
    assert seen[0] == seen[1]


# ----------------------------------------------------------------------------------------------------- ends of the body


def test_an_exception_of_the_body_is_put_before_a_person(harness: PowerCut) -> None:
    async def body() -> int:
        return await one(1) // 0

    harness.start(flow(body))
    assert harness.advance() == RunState.WAITING
    gate = harness.gate()
    about = harness.spec(gate)["about"]
    assert (gate["ordinal"], about["why"], about["error"]["type"]) == (-1, "failed", "ZeroDivisionError")
    harness.use(flow(two_steps))
    harness.answer(choice="retry")
    assert harness.advance() == RunState.DONE


def test_the_person_who_stops_a_run_is_named(harness: PowerCut) -> None:
    async def body() -> int:
        raise RuntimeError("no")

    harness.start(flow(body))
    harness.advance()
    harness.answer(choice="stop")
    assert harness.advance() == RunState.FAILED
    assert "Test stopped the run" in harness.run()["error"]


def test_a_rejection_that_nobody_catches_ends_the_run_done_with_the_verdict(harness: PowerCut) -> None:
    async def body() -> int:
        await approve("Pay?")
        return 1

    harness.start(flow(body))
    harness.advance()
    harness.reject("too much")
    assert harness.advance() == RunState.DONE
    assert harness.result() == {"verdict": "rejected", "by": "user:test", "comment": "too much"}


def test_a_return_that_nobody_catches_is_a_failure_gate(harness: PowerCut) -> None:
    async def body() -> int:
        await approve("Pay?")
        return 1

    harness.start(flow(body))
    harness.advance()
    harness.send_back("without the second one")
    assert harness.advance() == RunState.WAITING
    assert harness.spec()["about"]["error"]["type"] == "Returned"


def test_a_return_can_be_caught_and_asked_anew(harness: PowerCut) -> None:
    async def body() -> Any:
        round_, senders = 1, []
        while True:
            try:
                decision = await approve(f"Round {round_}", round=round_)
            except Returned as back:
                round_ += 1
                senders.append(back.by)
                continue
            return [round_, decision.by, *senders]

    harness.start(flow(body))
    for _ in range(3):
        harness.advance()
        harness.send_back("again")
    harness.advance()
    assert harness.gate()["round"] == 4
    harness.approve()
    assert harness.advance() == RunState.DONE
    assert harness.result() == [4, *["user:test"] * 4]


def test_leaving_the_program_in_the_body_is_an_error_like_any_other(harness: PowerCut) -> None:
    async def body() -> int:
        raise SystemExit(3)

    harness.start(flow(body))
    assert harness.advance() == RunState.WAITING
    assert harness.spec()["about"]["error"]["type"] == "SystemExit"


@pytest.mark.parametrize("forgotten", ["step", "gate", "sleep", "parallel", "perform"])
def test_a_call_that_is_never_awaited_fails_the_run_at_its_end(harness: PowerCut, forgotten: str) -> None:
    async def body() -> int:
        decision = await approve("Go?", plan=[asking("x")])
        match forgotten:
            case "step":
                one(1)  # type: ignore[unused-awaitable]  # that is the test
            case "gate":
                ask("Why?", [])  # type: ignore[unused-awaitable]  # that is the test
            case "sleep":
                sleep(timedelta(days=1))  # type: ignore[unused-awaitable]  # that is the test
            case "parallel":
                parallel()  # type: ignore[unused-awaitable]  # that is the test
            case "perform":
                decision.perform()  # type: ignore[unused-awaitable]  # that is the test
        return 1

    harness.start(flow(body))
    harness.advance()
    harness.approve()
    assert harness.advance() == RunState.WAITING
    error = harness.spec()["about"]["error"]
    assert error["type"] == "RefusedUse"
    assert "never awaited" in error["message"]
    assert harness.ledger.lines() == []


def test_a_call_that_is_never_awaited_in_a_branch(harness: PowerCut) -> None:
    async def branch() -> int:
        one(1)  # type: ignore[unused-awaitable]  # that is the test
        return 2

    async def body() -> Any:
        return await parallel(branch(), one(1))

    harness.start(flow(body))
    assert harness.advance() == RunState.WAITING
    assert "never awaited" in harness.spec()["about"]["error"]["message"]
