"""Calls of llms: asked once, recorded, answered from the record; what a request has for its row; what people are asked."""

import asyncio
import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any, Literal

import pytest

from counterfoil import Conversation, LlmFailed, Said, ToolCall, ToolOffer, ToolResult, approve, llm, parallel, workflow
from counterfoil.engine import llm_turns
from counterfoil.engine.llm_ports import Heard, LlmReply, LlmRequest, LlmTrouble, Told
from counterfoil.facts import LlmEnd, RunState, StepKind
from counterfoil.places import Home
from counterfoil.routing import scripted as scripted_llms
from counterfoil.store import gates, llm_calls, runs
from counterfoil.store.llm_calls import AttemptEnd, NewAttempt
from counterfoil.store.llm_money import UNIT
from counterfoil.testing import Crashed
from counterfoil.views.llms import down
from counterfoil.views.steps import steps_of
from engine.doing import Nothing
from engine.power_cut import PowerCut, power_cut

Make = Callable[..., PowerCut]
LOOK = ToolOffer("look", "Look something up", {"type": "object", "properties": {"what": {"$ref": "#/$defs/what"}}})


@pytest.fixture
def scripted(tmp_path: Path, blank: Home) -> Any:
    """Makes harnesses that speak a script."""
    made: list[PowerCut] = []

    def make(*script: Any, ask: Any = None) -> PowerCut:
        harness = power_cut(tmp_path, blank, llms=ask or list(script))
        made.append(harness)
        return harness

    yield make
    for harness in made:
        harness.close()


@dataclass(frozen=True)
class Finding:
    """What a test asks for."""

    kind: Literal["fee", "fine"]
    amount: Decimal
    due: date | None
    quotes: list[str]


@workflow("one question")
async def one_question(p: Nothing) -> Finding:
    return await llm("What is in it?", output=Finding, name="look")


def attempts(harness: PowerCut) -> list[Any]:
    return llm_calls.attempts(harness.database.reader, harness.run_id)


def test_a_typed_answer_is_asked_for_by_its_schema_and_recorded(scripted: Make) -> None:
    harness = scripted({"kind": "fee", "amount": "12.50", "due": "2026-12-01", "quotes": ["a"]})
    harness.start(one_question)
    assert harness.advance() == RunState.DONE
    assert harness.result() == {
        "$type": "Finding", "kind": "fee", "amount": {"$dec": "12.50"}, "due": {"$date": "2026-12-01"}, "quotes": ["a"],
    }  # fmt: skip
    (request,) = harness.asked_llms()
    assert request.output is not None
    assert request.output["required"] == ["kind", "amount", "due", "quotes"]
    assert request.output["properties"]["kind"] == {"enum": ["fee", "fine"]}
    assert request.history == [
        Told("What is in it?"),
        Heard('{"kind": "fee", "amount": "12.50", "due": "2026-12-01", "quotes": ["a"]}', (), None),
    ]
    (record,) = harness.records()
    assert (record["kind"], record["name"], record["outcome"]) == (StepKind.LLM, "look", "ok")
    (attempt,) = attempts(harness)
    assert (attempt["end"], attempt["charge"], attempt["tokens"]) == (LlmEnd.OK, 1_000_000_000, 110)


def test_an_answer_that_does_not_fit_is_told_so_and_asked_again(scripted: Make) -> None:
    harness = scripted(
        {"kind": "tax", "amount": "1", "due": None, "quotes": []},
        "no JSON",
        {"kind": "fine", "amount": 3, "due": None, "quotes": []},
    )
    harness.start(one_question)
    assert harness.advance() == RunState.DONE
    told = [message.text for message in harness.asked_llms()[2].history if isinstance(message, Told)]
    assert "answer.kind must be one of 'fee', 'fine'" in told[1]
    assert "it is not JSON" in told[2]


def test_after_its_repairs_the_workflow_hears_of_it(scripted: Make) -> None:
    @workflow("picky")
    async def picky(p: Nothing) -> str:
        try:
            await llm("How many?", output=int, repairs=1)
        except LlmFailed as problem:
            return str(problem)
        return "done"

    harness = scripted({"result": "two"}, {"result": True})
    harness.start(picky)
    assert harness.advance() == RunState.DONE
    assert harness.result() == "llm: no answer fits after 2 tries: result must be a whole number"


@workflow("talking")
async def talking(p: Nothing) -> str:
    talk = Conversation(system="Be brief.", tools=[LOOK], name="talk")
    answer = await talk.say(Said("Begin."))
    for _ in range(3):
        results = [ToolResult(call.id, call.tool, f"{call.args['what']} is there") for call in answer.calls]
        answer = await talk.say(*results)
    talk.compacted("So far: all is well.")
    answer = await talk.say(Said("And now?"))
    return answer.text


def turns() -> list[Any]:
    return [*([ToolCall("", "look", {"what": n, "$blob": "a" * 64})] for n in range(3)), "Well.", "Very well."]


def test_a_conversation_is_rebuilt_from_its_records(scripted: Make) -> None:
    harness = scripted(*turns())
    harness.start(talking)
    assert harness.advance() == RunState.DONE
    assert harness.result() == "Very well."
    fourth = harness.asked_llms()[3]
    assert [tool.parameters for tool in fourth.tools] == [LOOK.parameters]
    assert [type(message).__name__ for message in fourth.history[:7]] == "Told Heard Told Heard Told Heard Told".split()
    heard, told = fourth.history[1:3]
    assert isinstance(heard, Heard)
    assert isinstance(told, Told)
    assert (told.text, told.call) == ("0 is there", heard.calls[0][0])
    last = harness.asked_llms()[4]
    assert [message.text for message in last.history[:2]] == ["So far: all is well.", "And now?"]
    call = llm_calls.get(harness.database.reader, harness.run_id, "", 4)
    assert call is not None
    assert (call["compacted"], call["after_path"]) == ('["",3]', None)


POINTS = [(point, visit) for point in ("after_intent", "after_perform", "after_outcome") for visit in (1, 3, 5)]


@pytest.mark.parametrize("point, visit", POINTS)
def test_no_recorded_answer_is_asked_for_twice(scripted: Make, point: str, visit: int) -> None:
    answers = turns()

    def ask(request: LlmRequest) -> Any:
        said = sum(isinstance(message, Heard) for message in request.history)
        return answers[4 if request.history[0].text.startswith("So far") else said]

    harness = scripted(ask=ask)
    harness.start(talking)
    harness.crash_at(point, visit)
    with pytest.raises(Crashed):
        harness.advance()
    assert harness.advance() == RunState.DONE
    assert harness.result() == "Very well."
    rows = attempts(harness)
    assert sum(row["end"] == LlmEnd.OK for row in rows) == 5
    asked = len(harness.asked_llms())
    assert asked <= len(rows)
    lost = [row for row in rows if row["end"] != LlmEnd.OK]
    if point == "after_outcome":
        assert lost == []
    else:  # it was sent or about to be, and nobody recorded an answer: it may have been billed, and stays so
        assert [(row["end"], row["charge"]) for row in lost] == [(LlmEnd.UNKNOWN, 1_000_000_000)]


def test_a_replay_asks_nobody(scripted: Make) -> None:
    harness = scripted(*turns())
    harness.start(talking)
    harness.crash_at("after_outcome", 5)
    with pytest.raises(Crashed):
        harness.advance()
    harness.llms = None
    assert harness.advance() == RunState.DONE
    assert harness.result() == "Very well."


def test_what_passes_is_tried_again_after_a_while(scripted: Make) -> None:
    @workflow("patient")
    async def patient(p: Nothing) -> str:
        return await llm("Are you there?")

    harness = scripted(LlmTrouble("Two llms do not answer.", passing=True, retry_after=90), "Yes.")
    harness.start(patient)
    assert harness.advance() == RunState.WAITING
    assert harness.gates() == []
    (step,) = steps_of(harness.database.reader, harness.blobs, harness.run())
    assert step["state"] == "retrying"
    assert re.fullmatch(
        r"One llm in the chain does not answer\. The run waits and tries again \d\d:\d\d\. Nothing was billed\.",
        step["summary"],
    )
    harness.tick(timedelta(seconds=91))
    assert harness.advance() == RunState.DONE
    assert harness.result() == "Yes."
    assert [row["end"] for row in attempts(harness)] == [LlmEnd.REJECTED, LlmEnd.OK]


def test_how_many_llms_do_not_answer_is_told_with_what_may_have_been_billed() -> None:
    def asked(llm: str, end: LlmEnd | None) -> Any:
        return {"provider": "p", "host": "h", "llm": llm, "end": end}

    two = [asked("a", LlmEnd.REJECTED), asked("b", LlmEnd.NOT_SENT), asked("a", LlmEnd.REJECTED)]
    said = down(two, 1_000_000)
    assert said is not None
    assert said.startswith("Two llms in the chain do not answer. The run waits and tries again ")
    assert said.endswith(". Nothing was billed.")
    assert (down([*two, asked("c", LlmEnd.CUT)], 1) or "").endswith(". 1 request may have been billed.")
    assert (down([], 1) or "").startswith("No llm in the chain may be asked yet.")
    assert down(two, None) is None


@workflow("asking")
async def asking(p: Nothing) -> tuple[str, str]:
    return await parallel(llm("One?"), llm("Two?"))


def test_without_an_llm_a_person_is_asked_and_may_answer_instead(scripted: Make) -> None:
    @workflow("alone")
    async def alone(p: Nothing) -> str:
        return await llm("What now?", name="classify")

    harness = scripted("unused")
    harness.llms = None
    harness.start(alone)
    assert harness.advance() == RunState.WAITING
    gate = harness.gate()
    assert gate["title"] == "Needs repair: classify"
    assert "No llm is set up" in harness.spec()["about"]["error"]["message"]
    harness.answer(choice="skip", result="Nothing.")
    assert harness.advance() == RunState.DONE
    assert harness.result() == "Nothing."
    (record,) = harness.records()
    assert (record["kind"], record["origin"]) == (StepKind.LLM, "given by Test")


def test_an_answer_to_try_again_is_told_to_who_leaves_llms_alone(scripted: Make) -> None:
    harness = scripted(LlmTrouble("No credits are left.", passing=False), "Yes.")
    harness.start(asking_once)
    assert harness.advance() == RunState.WAITING
    harness.answer(choice="retry")
    assert harness.advance() == RunState.DONE
    assert [request.pressed for request in harness.asked_llms()] == [False, True]


def test_one_answer_is_enough_where_several_calls_stopped_for_the_same_reason(scripted: Make) -> None:
    harness = scripted(ask=lambda request: request.history[0].text.replace("?", "."))
    with_llms, harness.llms = harness.llms, None
    harness.start(asking)
    assert harness.advance() == RunState.WAITING
    first, second = harness.gates()
    harness.llms = with_llms
    harness.answer(second, choice="retry")
    assert harness.advance() == RunState.DONE
    assert harness.result() == ["One.", "Two."]
    closed = gates.get(harness.database.reader, first["gate_id"])
    assert closed is not None
    assert closed["state"] == "superseded"


def test_branches_ask_side_by_side(scripted: Make) -> None:
    harness = scripted(ask=lambda request: request.history[0].text.replace("?", "."))
    harness.start(asking)
    assert harness.advance() == RunState.DONE
    assert harness.result() == ["One.", "Two."]


def test_a_conversation_stays_in_its_branch(scripted: Make) -> None:
    @workflow("strays")
    async def strays(p: Nothing) -> None:
        talk = Conversation(system="")
        await talk.say(Said("a"))
        await parallel(talk.say(Said("b")))

    harness = scripted("1", "2")
    harness.start(strays)
    assert harness.advance() == RunState.WAITING
    assert "belongs to one branch" in harness.spec()["about"]["error"]["message"]


def test_what_may_have_cost_a_lot_is_not_asked_for_again_without_a_person(
    scripted: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scripted_llms, "PRICE", UNIT)
    harness = scripted("once", "twice")
    harness.start(asking_once)
    harness.crash_at("after_intent")
    with pytest.raises(Crashed):
        harness.advance()
    assert harness.advance() == RunState.WAITING
    assert "may have been billed (up to $1.00)" in harness.spec()["about"]["error"]["message"]
    asked = len(harness.asked_llms())
    harness.answer(choice="retry")
    assert harness.advance() == RunState.DONE
    assert len(harness.asked_llms()) == asked + 1


@workflow("asking once")
async def asking_once(p: Nothing) -> str:
    return await llm("Well?")


class Slow:
    """An llm that never answers; while it is asked somebody cancels the run."""

    async def ask(self, request: LlmRequest, book: Any) -> LlmReply:
        n = await book.begin(NewAttempt("r", "p", "h", "slow", tokens=1, charge=1))
        hold = book._hold
        await asyncio.to_thread(
            hold.powers.database.transact, lambda txn: runs.ask_to_cancel(txn, hold.run_id, "user:anna")
        )
        await hold.on_park.__self__.poll()
        try:
            await asyncio.Event().wait()
        finally:
            await book.end(n, AttemptEnd(LlmEnd.CANCELLED))
        raise AssertionError


def test_a_run_that_is_cancelled_waits_for_no_answer(scripted: Make) -> None:
    harness = scripted()
    harness.llms = Slow()
    harness.start(asking_once)
    assert harness.advance() == RunState.CANCELLED
    assert [row["end"] for row in attempts(harness)] == [LlmEnd.CANCELLED]


def test_a_replay_of_a_conversation_with_other_words_is_a_mismatch(scripted: Make) -> None:
    harness = scripted("a", "b")

    def saying(words: str) -> Any:
        @workflow("saying")
        async def said(p: Nothing) -> str:
            talk = Conversation(system="")
            await talk.say(Said("first"))
            await approve(words)
            return (await talk.say(Said("second"))).text

        return said

    @workflow("saying")
    async def other(p: Nothing) -> str:
        talk = Conversation(system="another")
        await talk.say(Said("first"))
        await approve("Go on")
        return ""

    harness.start(saying("Go on"))
    assert harness.advance() == RunState.WAITING
    harness.use(other)
    harness.approve()
    assert harness.advance() == RunState.WAITING
    assert "was kept" in harness.gate()["title"]
    assert len(harness.asked_llms()) == 1


@pytest.mark.parametrize(
    "answer, told",
    [
        ("It is a question.\nAnswer it.", "It is a question. Answer it."),
        (
            '{"kind": "question", "sure": true, "parts": [1], "cost": 2, "answer": ""}',
            "kind: question, sure: yes, cost: 2",
        ),
        ('{"kind": "quest', '{"kind": "quest'),
        ("{" * 100_000, "{" * 200),
        ('{"parties": [], "starts": null}', ""),
    ],
)
def test_an_answer_is_told_in_one_line_and_never_as_json(answer: str, told: str) -> None:
    assert llm_turns.summary_of(answer, ()) == told
