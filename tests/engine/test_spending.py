"""Limits of spending: reserved before, settled after; the gate that opens where one is reached, and what each answer does."""

from collections.abc import Generator
from decimal import Decimal
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from counterfoil import Conversation, LimitReached, Said, ToolCall, ToolOffer, ToolResult, llm, parallel, workflow
from counterfoil.engine import spending
from counterfoil.errors import WrongAnswer
from counterfoil.facts import LlmEnd, RunState, Verdict
from counterfoil.places import Home
from counterfoil.routing import keeping
from counterfoil.store import llm_budgets, llm_calls
from counterfoil.store.llm_budgets import EVERY, RUN, Limit, Spent
from counterfoil.store.llm_money import UNIT, dollars, units, words
from counterfoil.testing import Crashed
from counterfoil.views.consequences import consequences
from engine.doing import Nothing
from engine.power_cut import PowerCut, power_cut

CENT = UNIT // 100
ANSWER = UNIT // 1000  # what an answer of a script costs


@workflow("three")
async def three(p: Nothing) -> str:
    said: list[str] = []
    try:
        for n in range(3):
            said += [await llm(f"{n}?", name="ask")]
    except LimitReached as reached:
        return f"{len(said)} answers, then {reached}"
    return " ".join(said)


@pytest.fixture
def asked(tmp_path: Path, blank: Home) -> Generator[PowerCut]:
    """Three questions, and a limit that fits two of them."""
    harness = power_cut(tmp_path, blank, llms=["a", "b", "c"])
    limit(harness, RUN, EVERY, 2 * ANSWER)
    harness.start(three)
    yield harness
    harness.close()


def limit(harness: PowerCut, scope: str, subject: str, most: int | None, tokens: int | None = None) -> None:
    harness.database.transact(lambda txn: llm_budgets.put(txn, scope, subject, most, tokens, "user:test"))


def test_a_limit_that_is_reached_opens_the_gate_and_sends_nothing(asked: PowerCut) -> None:
    assert asked.advance() == RunState.WAITING
    gate, spec = asked.gate(), asked.spec()
    assert (gate["kind"], gate["slot"]) == ("budget", "budget")
    assert gate["title"] == "$0.0020 of $0.0020 spent for this run. The next call may cost up to $0.0010."
    assert [field["choices"] for field in spec["fields"] if field["choices"]] == [
        ["raise_once", "raise", "finish", "stop"]
    ]
    assert consequences(spec)[1] == "If you answer raise_once: this one call is made; the limit stays."
    assert len(asked.asked_llms()) == 2
    with pytest.raises(WrongAnswer, match="answered with a choice"):
        asked.decide(Verdict.REJECTED, comment="no")


def test_raised_once_lets_this_call_through_and_no_other(asked: PowerCut) -> None:
    asked.advance()
    asked.answer(choice="raise_once")
    assert asked.advance() == RunState.DONE
    assert asked.result() == "a b c"
    assert llm_budgets.limits_of(asked.database.reader, asked.run(), "", asked.clock.now_us())[0] == Limit(
        RUN, asked.run_id, 2 * ANSWER, None, Spent(3 * ANSWER, 0)
    )


def test_raised_holds_for_the_run_and_is_in_the_trail(asked: PowerCut) -> None:
    asked.advance()
    asked.answer(choice="raise", most="0.01")
    assert asked.advance() == RunState.DONE
    row = llm_budgets.get(asked.database.reader, RUN, asked.run_id)
    assert row is not None
    assert (row["most"], row["by"]) == (CENT, "user:test")
    every = llm_budgets.get(asked.database.reader, RUN, EVERY)
    assert every is not None
    assert every["most"] == 2 * ANSWER, "the limit of other runs stays"


def test_finish_gives_the_workflow_what_there_is_and_is_recorded(asked: PowerCut) -> None:
    asked.advance()
    asked.answer(choice="finish")
    assert asked.advance() == RunState.DONE
    assert asked.result() == "2 answers, then Test chose to finish with what there is"
    assert asked.records()[-1]["outcome"] == "failed"
    assert len(asked.asked_llms()) == 2


def test_stop_ends_the_run(asked: PowerCut) -> None:
    asked.advance()
    asked.answer(choice="stop")
    assert asked.advance() == RunState.FAILED


def test_what_may_have_been_billed_counts_until_somebody_knows(asked: PowerCut) -> None:
    asked.crash_at("after_intent", 1)
    with pytest.raises(Crashed):
        asked.advance()
    assert asked.advance() == RunState.WAITING
    ends = [row["end"] for row in llm_calls.attempts(asked.database.reader, asked.run_id)]
    assert ends == [LlmEnd.UNKNOWN, LlmEnd.OK], "one lost and one answered fill the limit"


def test_a_limit_raised_elsewhere_answers_the_gate(tmp_path: Path, blank: Home) -> None:
    @workflow("side by side")
    async def side_by_side(p: Nothing) -> list[str]:
        return list(await parallel(llm("a?"), llm("b?")))

    harness = power_cut(tmp_path, blank, llms=lambda request: request.history[0].text)
    limit(harness, RUN, EVERY, ANSWER // 2)
    harness.start(side_by_side)
    assert harness.advance() == RunState.WAITING
    first, _second = harness.gates()
    harness.answer(first, choice="raise", most="1")
    assert harness.advance() == RunState.DONE
    assert harness.gates() == []
    harness.close()


def test_a_conversation_has_a_budget_of_its_own_that_those_beneath_draw_from(tmp_path: Path, blank: Home) -> None:
    async def beneath() -> str:
        return await llm("deep?")

    async def agent() -> str:
        talk = Conversation(system="", budget=Decimal("0.002"))
        await talk.say(Said("one"))
        (said,) = await parallel(beneath())
        return f"{said} {(await talk.say(Said('two'))).text}"

    @workflow("agent")
    async def runs_agent(p: Nothing) -> str:
        (said,) = await parallel(agent())
        return said

    harness = power_cut(tmp_path, blank, llms=["a", "b", "c"])
    harness.start(runs_agent)
    assert harness.advance() == RunState.WAITING
    assert "for this agent" in harness.gate()["title"]
    harness.answer(choice="raise")
    assert harness.advance() == RunState.DONE
    assert harness.result() == "b c"
    harness.close()


def test_limits_of_workspace_and_day_hold_as_well_and_tokens_count_where_no_price_is_known(asked: PowerCut) -> None:
    conn, run = asked.database.reader, asked.run()
    limit(asked, llm_budgets.WORKSPACE, str(asked.workspace), 7)
    limit(asked, llm_budgets.DAY, EVERY, 9, 100)
    found = llm_budgets.limits_of(conn, run, "0/0", asked.clock.now_us())
    assert [(one.scope, one.most, one.most_tokens) for one in found] == [
        ("run", 2 * ANSWER, None), ("workspace", 7, None), ("day", 9, 100),
    ]  # fmt: skip
    unpriced = llm_calls.NewAttempt("r", "p", "h", "x", tokens=101, charge=None)
    with pytest.raises(llm_budgets.Reached) as reached:
        asked.database.transact(lambda txn: llm_budgets.refuse_over(txn, run, "", unpriced))
    assert (reached.value.in_tokens, reached.value.limit.scope) == (True, "day")
    free = llm_calls.NewAttempt("r", "p", "h", "x", tokens=10**9, charge=0)
    asked.database.transact(lambda txn: llm_budgets.refuse_over(txn, run, "", free))


LOOK = ToolOffer("look", "", {"type": "object"})


@workflow("circling")
async def circling(p: Nothing) -> int:
    talk = Conversation(system="", tools=[LOOK])
    answer, turns = await talk.say(Said("go")), 1
    while answer.calls:
        answer = await talk.say(*(ToolResult(call.id, call.tool, "nothing") for call in answer.calls))
        turns += 1
    return turns


@pytest.mark.parametrize(
    "choice, state", [("go_on", RunState.DONE), ("finish", RunState.WAITING), ("stop", RunState.FAILED)]
)
def test_the_same_call_three_times_is_asked_about(tmp_path: Path, blank: Home, choice: str, state: RunState) -> None:
    circle: list[Any] = [[ToolCall("", "look", {"a": 1, "b": n % 2})] for n in range(5)]
    harness = power_cut(tmp_path, blank, llms=[*circle, "Done."])
    harness.start(circling)
    assert harness.advance() == RunState.WAITING
    assert harness.gate()["title"] == "The llm asks for “look” with the same arguments for the third time. Go on?"
    assert len(harness.asked_llms()) == 5
    harness.answer(choice=choice)
    assert harness.advance() == state
    if choice == "go_on":
        assert harness.result() == 6
    harness.close()


def test_the_same_question_three_times_is_asked_about(tmp_path: Path, blank: Home) -> None:
    @workflow("insisting")
    async def insisting(p: Nothing) -> list[str]:
        return [await llm("Are you sure?" if n % 2 else f"{n}?") for n in range(8)]

    harness = power_cut(tmp_path, blank, llms=lambda request: request.history[0].text)
    harness.start(insisting)
    assert harness.advance() == RunState.WAITING
    assert harness.gate()["title"] == "An llm is asked the same, word for word, for the third time. Go on?"
    assert consequences(harness.spec())[1] == "If you answer go_on: the llm is asked once more."
    assert len(harness.asked_llms()) == 5
    harness.answer(choice="go_on")
    assert harness.advance() == RunState.DONE
    assert len(harness.asked_llms()) == 8
    harness.close()


def test_a_call_that_is_asked_about_twice_over_keeps_both_answers(tmp_path: Path, blank: Home) -> None:
    circle: list[Any] = [[ToolCall("", "look", {"a": 1, "b": n % 2})] for n in range(5)]
    harness = power_cut(tmp_path, blank, llms=[*circle, "Done."])
    limit(harness, RUN, EVERY, 5 * ANSWER)
    harness.start(circling)
    assert harness.advance() == RunState.WAITING
    harness.answer(choice="go_on")  # the call repeats itself
    assert harness.advance() == RunState.WAITING
    assert " spent for this run. The next call may cost up to " in harness.gate()["title"]
    harness.answer(choice="raise_once")
    assert harness.advance() == RunState.DONE, "neither question is asked again"
    assert harness.result() == 6
    harness.close()


def test_tokens_raised_for_a_run_leave_its_limit_of_money_as_people_set_it(tmp_path: Path, blank: Home) -> None:
    harness = power_cut(tmp_path, blank, llms=["a", "b", "c"])
    limit(harness, RUN, EVERY, 50 * ANSWER, 100)
    harness.start(three)
    gate = {
        "spec_blob": False,
        "spec": '{"about": {"scope": "run", "subject": "RUN", "in_tokens": true, "most": "100", "need": "7"}}',
    }
    gate["spec"] = str(gate["spec"]).replace("RUN", harness.run_id)
    hold: Any = SimpleNamespace(powers=SimpleNamespace(blobs=harness.blobs), run_id=harness.run_id)
    answer: Any = {"answers": {}, "by": "user:test"}
    harness.database.transact(lambda txn: spending.raise_limit(txn, hold, gate, answer))
    row = llm_budgets.get(harness.database.reader, RUN, harness.run_id)
    assert row is not None
    assert (row["most"], row["most_tokens"]) == (50 * ANSWER, 207)
    harness.close()


def test_each_run_of_a_schedule_has_a_limit_of_its_own(tmp_path: Path, blank: Home) -> None:
    harness = power_cut(tmp_path, blank, llms=["a", "b", "c"])
    limit(harness, RUN, EVERY, 50 * ANSWER, 100)
    harness.start(three)
    here, other = {**harness.run(), "schedule_id": "weekly"}, {**harness.run(), "schedule_id": "daily"}
    harness.database.transact(lambda txn: keeping.limit_each(txn, "weekly", dollars(2 * ANSWER), "user:test"))
    conn = harness.database.reader
    assert llm_budgets.most_of_run(conn, here) == (2 * ANSWER, 100), "tokens stay limited as for every run"
    assert llm_budgets.most_of_run(conn, other) == (50 * ANSWER, 100)
    limit(harness, RUN, harness.run_id, 3 * ANSWER, 5)
    assert llm_budgets.most_of_run(conn, here) == (3 * ANSWER, 5), "somebody has raised it for this one"
    taken = harness.database.transact(lambda txn: keeping.limit_each(txn, "weekly", None, "user:test"))
    again = harness.database.transact(lambda txn: keeping.limit_each(txn, "weekly", None, "user:test"))
    assert (taken, again) == (True, False)
    assert llm_budgets.most_of_run(conn, {**here, "run_id": "another"}) == (50 * ANSWER, 100)
    harness.close()


def test_money_is_exact_and_never_rounded_down_to_nothing() -> None:
    assert units(Decimal("0.0000375")) == 37_500_000
    assert dollars(37_500_000) == Decimal("0.0000375")
    assert [words(Decimal(text)) for text in ("0", "0.00000012", "0.0375", "1.234", "1234.5")] == [
        "$0.00", "$0.00000012", "$0.04", "$1.24", "$1,234.50",
    ]  # fmt: skip
