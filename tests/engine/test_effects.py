"""Effects: judged at the moment of performing, spent once, and never guessed (engine.md 6 to 8, 10, 13, 17, 24, 25).

| number | tests |
|---|---|
| 6 authority | test_an_effect_that_policy_allows…, …asks_about…, …denies…, test_what_policy_denies… |
| 7 an approval without a plan | test_an_approval_without_a_plan_covers_nothing |
| 8 decision.plan, NotApproved | test_the_plan_of_a_decision…, test_an_original…, test_what_was_left_out… |
| 8 partial, needs, edits | test_a_plan_is_approved_whole…, test_an_item_that_another_needs…, test_an_edit… |
| 13 failures of effects | test_a_failure_that_may_pass…, test_a_failure_that_will_not_pass…, test_what_a_person_gives… |
| 17 doubt, reconcile | test_doubt_…, test_an_effect_that_can_be_looked_up… |
| 24, 25 syncs | test_a_plan_of_n_effects_costs_n_plus_one_syncs, test_an_effect_alone_costs_two_syncs |
"""

from datetime import timedelta
from functools import partial
from typing import Any

import pytest

from counterfoil import (
    Effect,
    EffectFailed,
    NotApproved,
    approve,
    ask,
    first,
    parallel,
    sleep,
    step,
    workflow,
)
from counterfoil.authoring.workflows import Workflow
from counterfoil.engine.holding import Hold
from counterfoil.engine.ports import Around, Judgement, Permission
from counterfoil.errors import WrongAnswer
from counterfoil.facts import GateState, RunState, Slot, Verdict
from counterfoil.store import intents, records, seals, timers
from counterfoil.testing import Crashed
from engine.doing import Nothing, asking, keyed, looked_up
from engine.power_cut import PowerCut


def flow(*effects: Effect) -> Workflow[Nothing, Any]:
    """A workflow that awaits these effects one by one."""

    @workflow("effects")
    async def made(p: Nothing) -> Any:
        return [await effect for effect in effects]

    return made


def crash(harness: PowerCut, point: str, visit: int = 1) -> None:
    """Advance into a crash."""
    harness.crash_at(point, visit)
    with pytest.raises(Crashed):
        harness.advance()


def tries(harness: PowerCut) -> list[str]:
    """How each try of the run ended."""
    return [row["state"] for row in records.attempts(harness.database.reader, harness.run_id)]


# ----------------------------------------------------------------------------------------------------------- authority


def test_an_effect_that_policy_allows_is_intended_performed_and_recorded(harness: PowerCut) -> None:
    harness.start(flow(keyed("x")))
    assert harness.advance() == RunState.DONE
    assert harness.result() == [{"kept": "x"}]
    (record,) = harness.records()
    (intent,) = intents.of_run(harness.database.reader, harness.run_id)
    assert (record["kind"], record["name"], record["outcome"]) == ("effect", "keyed@1", "ok")
    assert record["key"] == intent["key"] == harness.ledger.lines()[0][0]
    assert tries(harness) == ["ok"]


def test_an_effect_has_its_identity_where_it_is_awaited(harness: PowerCut) -> None:
    @step
    def one() -> int:
        return 1

    @workflow("late")
    async def late(p: Nothing) -> None:
        effect = keyed("x")
        await one()
        await effect

    harness.start(late)
    harness.advance()
    assert [(row["ordinal"], row["name"]) for row in harness.records()] == [(0, "one"), (1, "keyed@1")]


def test_an_effect_that_policy_asks_about_opens_its_own_gate(harness: PowerCut) -> None:
    harness.start(flow(keyed("x", may="ask")))
    assert harness.advance() == RunState.WAITING
    gate = harness.gate()
    spec = harness.spec(gate)
    assert (gate["kind"], gate["slot"], gate["ordinal"], gate["title"]) == ("approval", Slot.GATE, 0, "x")
    assert spec["plan"][0]["body"] == {"kind": "keyed@1", "args": {"text": "x", "may": "ask"}}
    assert harness.ledger.lines() == []
    harness.approve()
    assert harness.advance() == RunState.DONE
    assert harness.ledger.happened("x") == 1
    (record,) = harness.records()  # the gate is a slot of the effect, not a record of its own
    assert record["ordinal"] == 0


def test_an_approval_that_comes_while_the_run_is_suspended_and_its_host_dies_is_not_lost(
    harness: PowerCut, monkeypatch: pytest.MonkeyPatch
) -> None:
    submit = Hold.do

    def do(hold: Hold, operation: Any, **how: bool) -> Any:
        if not isinstance(operation, partial) or operation.func.__name__ != "_suspend_or_take":
            return submit(hold, operation, **how)
        harness.approve()
        monkeypatch.setattr(Hold, "do", submit)
        written = submit(hold, operation, **how)
        hold.end(RunState.RUNNING)  # before the transaction has begun, or in the middle of it
        return written

    harness.start(flow(keyed("x", may="ask")))
    monkeypatch.setattr(Hold, "do", do)
    harness.advance()
    assert harness.finish() == RunState.DONE
    assert harness.ledger.happened("x") == 1


@pytest.mark.parametrize("verdict", ["reject", "return"])
def test_an_effect_that_a_person_does_not_approve_raises_and_names_them(harness: PowerCut, verdict: str) -> None:
    @workflow("asked")
    async def asked(p: Nothing) -> str:
        try:
            await keyed("x", may="ask")
        except NotApproved as problem:
            return str(problem)
        return "done"

    harness.start(asked)
    harness.advance()
    if verdict == "reject":
        harness.reject("not today")
    else:
        harness.send_back("not today")
    assert harness.advance() == RunState.DONE
    assert harness.result() == "keyed@1: Test did not approve it: not today"
    assert harness.ledger.lines() == []


def test_an_effect_that_policy_denies_fails_without_being_tried(harness: PowerCut) -> None:
    @workflow("denied")
    async def denied(p: Nothing) -> str:
        try:
            await keyed("x", may="deny")
        except EffectFailed as problem:
            return str(problem)
        return "done"

    harness.start(denied)
    assert harness.advance() == RunState.DONE
    assert harness.result() == "keyed@1: so the test says"
    assert harness.ledger.tries == []
    assert tries(harness) == []


def test_what_policy_denies_is_not_put_before_a_person(harness: PowerCut) -> None:
    @workflow("denied")
    async def denied(p: Nothing) -> str:
        await (await approve("Go?", plan=[keyed("x", may="deny")])).perform()
        return "done"

    harness.start(denied)
    harness.advance()
    assert harness.gate()["kind"] == "failure"
    assert harness.spec()["about"]["error"]["message"] == "so the test says"
    harness.answer(choice="stop")
    assert harness.advance() == RunState.FAILED
    assert harness.ledger.tries == []


def test_what_policy_has_come_to_deny_is_not_done_even_when_approved(harness: PowerCut) -> None:
    """Policy is heard at the moment of performing, on what is performed."""

    class Later:
        def judge(self, body: Any, workspace: str, manifest: dict[str, Any], around: Around) -> Judgement:
            return Judgement(Permission.DENY, "not any more")

    @workflow("denied")
    async def denied(p: Nothing) -> str:
        decision = await approve("Go?", plan=[keyed("x")])
        try:
            await decision.perform()
        except EffectFailed as problem:
            return str(problem)
        return "done"

    harness.start(denied)
    harness.advance()
    harness.approve()
    harness._policy = Later()
    assert harness.advance() == RunState.DONE
    assert harness.result() == "keyed@1: not any more"
    assert harness.ledger.tries == []


def test_a_question_whose_effect_changed_is_superseded(harness: PowerCut) -> None:
    harness.start(flow(keyed("old", may="ask")))
    harness.advance()
    harness.use(flow(keyed("new", may="ask")))
    harness.wake()
    assert harness.advance() == RunState.WAITING
    assert harness.gate()["title"] == "new"
    assert len(harness.gates(GateState.SUPERSEDED)) == 1
    harness.approve()
    harness.advance()
    assert [text for _, _, text in harness.ledger.lines()] == ["new"]


def test_an_answer_to_another_effect_is_not_taken_for_this_one(harness: PowerCut) -> None:
    harness.start(flow(keyed("old", may="ask")))
    harness.advance()
    harness.approve()
    harness.use(flow(keyed("new", may="ask")))
    assert harness.advance() == RunState.WAITING
    about = harness.spec()["about"]
    assert about["why"] == "mismatch"
    assert harness.ledger.lines() == []


# ---------------------------------------------------------------------------------------------------------------- plans


def test_an_approval_without_a_plan_covers_nothing(harness: PowerCut) -> None:
    @workflow("bare")
    async def bare(p: Nothing) -> Any:
        await approve("Go?")
        return await keyed("x", may="ask")

    harness.start(bare)
    harness.advance()
    harness.approve()
    assert harness.advance() == RunState.WAITING
    assert harness.gate()["slot"] == Slot.GATE
    assert harness.ledger.lines() == []


def planned(*effects: Effect, partial: bool = False) -> Workflow[Nothing, Any]:
    """A workflow that puts these effects before a person and performs what is approved."""

    @workflow("planned")
    async def made(p: Nothing) -> Any:
        decision = await approve("Go?", plan=effects, partial=partial)
        return await decision.perform()

    return made


def test_the_plan_of_a_decision_is_performed_in_order(harness: PowerCut) -> None:
    harness.start(planned(*[asking(f"e{n}", may="ask") for n in range(4)]))
    harness.advance()
    assert [item["n"] for item in harness.spec()["plan"]] == [1, 2, 3, 4]
    harness.approve()
    assert harness.advance() == RunState.DONE
    assert [text for _, _, text in harness.ledger.lines()] == ["e0", "e1", "e2", "e3"]
    sealed = seals.of_gate(harness.database.reader, harness.gates(GateState.DECIDED)[0]["gate_id"])
    assert [(row["n"], row["spent_at_path"], row["spent_at_ordinal"]) for row in sealed] == [
        (1, "", 1),
        (2, "", 2),
        (3, "", 3),
        (4, "", 4),
    ]


def test_an_original_that_was_approved_unchanged_is_the_item(harness: PowerCut) -> None:
    @workflow("originals")
    async def originals(p: Nothing) -> Any:
        a, b = asking("a", may="ask"), asking("b", may="ask")
        await approve("Go?", plan=[a, b])
        return [await b, await a]

    harness.start(originals)
    harness.advance()
    harness.approve()
    assert harness.advance() == RunState.DONE
    assert [text for _, _, text in harness.ledger.lines()] == ["b", "a"]


def test_what_was_left_out_raises_and_names_the_person(harness: PowerCut) -> None:
    @workflow("partial")
    async def partial(p: Nothing) -> Any:
        a, b = asking("a"), asking("b")
        decision = await approve("Go?", plan=[a, b], partial=True)
        done = await decision.perform()
        try:
            await a
        except NotApproved as problem:
            return [done, str(problem)]
        return "done"

    harness.start(partial)
    harness.advance()
    harness.approve(only=[2])
    assert harness.advance() == RunState.DONE
    assert harness.result() == [[{"kept": "b"}], "Test left this out of the approval"]
    assert [text for _, _, text in harness.ledger.lines()] == ["b"]


def test_a_plan_is_approved_whole_unless_the_author_says_otherwise(harness: PowerCut) -> None:
    harness.start(planned(asking("a"), asking("b")))
    harness.advance()
    with pytest.raises(WrongAnswer, match="whole or not at all"):
        harness.approve(only=[1])
    assert harness.gate()["state"] == GateState.OPEN


def test_an_item_that_another_needs_cannot_be_left_out(harness: PowerCut) -> None:
    a = asking("a")
    harness.start(planned(a, Effect("asking@1", {"text": "b"}, needs=[a]), partial=True))
    harness.advance()
    assert [item["needs"] for item in harness.spec()["plan"]] == [[], [1]]
    with pytest.raises(WrongAnswer, match="Item 2 needs item 1"):
        harness.approve(only=[2])
    harness.approve(only=[1])
    assert harness.advance() == RunState.DONE


def test_an_edit_is_what_is_sealed_and_performed(harness: PowerCut) -> None:
    @workflow("edited")
    async def edited(p: Nothing) -> Any:
        a = Effect("asking@1", {"text": "draft"}, editable=["text"])
        decision = await approve("Go?", plan=[a])
        try:
            await a
        except NotApproved as problem:
            return [str(problem), await decision.perform()]
        return "done"

    harness.start(edited)
    harness.advance()
    harness.decide(Verdict.APPROVED, edits={1: {"text": "final"}})
    assert harness.advance() == RunState.DONE
    assert harness.result() == [
        "Test changed this before approving: await decision.plan instead",
        [{"kept": "final"}],
    ]
    assert [text for _, _, text in harness.ledger.lines()] == ["final"]


@pytest.mark.parametrize(
    "edits, words",
    [
        ({1: {"may": "allow"}}, "cannot be changed here"),
        ({1: {"text": 5}}, "is not of the kind"),
        ({1: {"text": None}}, "is not of the kind"),
        ({3: {"text": "x"}}, "no item 3"),
    ],
)
def test_an_edit_beyond_what_is_declared_is_refused(harness: PowerCut, edits: Any, words: str) -> None:
    harness.start(planned(Effect("asking@1", {"text": "draft"}, editable=["text"])))
    harness.advance()
    with pytest.raises(WrongAnswer, match=words):
        harness.decide(Verdict.APPROVED, edits=edits)
    assert harness.gate()["state"] == GateState.OPEN


def test_replay_builds_the_plan_from_what_was_sealed(harness: PowerCut) -> None:
    drift = ["first"]

    @workflow("drifting")
    async def drifting(p: Nothing) -> Any:
        decision = await approve("Go?", plan=[asking(drift[0])])
        return await decision.perform()

    harness.start(drifting)
    harness.advance()
    harness.approve()
    drift[0] = "second"  # the author's code now makes other bytes
    assert harness.advance() == RunState.DONE
    assert [text for _, _, text in harness.ledger.lines()] == ["first"]


def test_a_plan_is_performed_once_however_often_it_is_asked_for(harness: PowerCut) -> None:
    @workflow("greedy")
    async def greedy(p: Nothing) -> Any:
        decision = await approve("Go?", plan=[asking("x", may="ask")])
        await decision.perform()
        return await decision.perform()

    harness.start(greedy)
    harness.advance()
    harness.approve()
    assert harness.advance() == RunState.WAITING
    assert "this approval is spent" in harness.spec()["about"]["error"]["message"]
    assert harness.ledger.happened("x") == 1


@pytest.mark.parametrize("count", [1, 2, 7])
def test_a_plan_of_n_effects_costs_n_plus_one_syncs(harness: PowerCut, count: int) -> None:
    harness.start(planned(*[keyed(f"e{n}") for n in range(count)]))
    harness.advance()
    harness.approve()
    crash(harness, "after_claim")
    harness.advance()
    # beside the plan: the sweep before the claim, and the end of the run
    assert harness.syncs == count + 1 + 2


def test_an_effect_alone_costs_two_syncs(harness: PowerCut) -> None:
    harness.start(flow(keyed("x")))
    harness.advance()
    assert harness.syncs == 2 + 2


@pytest.mark.parametrize("count", [0, 501])
def test_a_plan_may_be_long(harness: PowerCut, count: int) -> None:
    harness.start(planned(*[keyed(f"e{n}") for n in range(count)]))
    harness.advance()
    harness.approve()
    assert harness.advance() == RunState.DONE
    assert [text for _, _, text in harness.ledger.lines()] == [f"e{n}" for n in range(count)]


def test_a_plan_may_be_wide(harness: PowerCut) -> None:
    """Bodies that together are far longer than a frame, and outcomes that are."""
    texts = [f"{n}-" + "\N{EURO SIGN}" * 20_000 for n in range(12)]
    harness.start(planned(*[keyed(text) for text in texts]))
    harness.advance()
    harness.approve()
    assert harness.advance() == RunState.DONE
    assert [item["kept"] for item in harness.result()] == texts


# ---------------------------------------------------------------------------------------------------------------- doubt


def test_doubt_an_effect_that_is_safe_to_repeat_is_repeated_with_its_key(harness: PowerCut) -> None:
    harness.start(flow(keyed("x")))
    crash(harness, "after_perform")
    assert harness.advance() == RunState.DONE
    assert harness.ledger.tries == ["x", "x"]
    assert harness.ledger.happened("x") == 1
    assert harness.records()[0]["attempts"] == 2


@pytest.mark.parametrize("point", ["after_intent", "after_perform"])
def test_doubt_anything_else_is_put_to_a_person(harness: PowerCut, point: str) -> None:
    harness.start(flow(asking("x")))
    crash(harness, point)
    assert harness.advance() == RunState.WAITING
    gate = harness.gate()
    spec = harness.spec(gate)
    (intent,) = intents.of_run(harness.database.reader, harness.run_id)
    assert (gate["kind"], gate["slot"], gate["title"]) == ("doubt", Slot.DOUBT, "Did this happen? x")
    assert spec["about"]["key"] == intent["key"]
    assert spec["fields"][0]["choices"] == ["happened", "not_happened", "stop"]
    tried = list(harness.ledger.tries)
    harness.wake()
    assert harness.advance() == RunState.WAITING  # never repeated in silence
    assert harness.ledger.tries == tried


def test_doubt_it_happened_records_what_the_person_says(harness: PowerCut) -> None:
    harness.start(flow(asking("x")))
    crash(harness, "after_perform")
    harness.advance()
    harness.answer(choice="happened", result='{"kept": "x"}')
    assert harness.advance() == RunState.DONE
    assert harness.result() == [{"kept": "x"}]
    assert harness.ledger.tries == ["x"]
    assert harness.records()[0]["origin"] == "said by Test"
    assert tries(harness) == ["ok"]


def test_doubt_it_did_not_happen_tries_again_with_the_same_key(harness: PowerCut) -> None:
    harness.start(flow(asking("x")))
    crash(harness, "after_intent")
    harness.advance()
    (intent,) = intents.of_run(harness.database.reader, harness.run_id)
    harness.answer(choice="not_happened")
    assert harness.advance() == RunState.DONE
    assert [key for key, _, _ in harness.ledger.lines()] == [intent["key"]]
    assert harness.records()[0]["attempts"] == 2


def test_doubt_stop_ends_the_run_with_the_doubt_in_its_account(harness: PowerCut) -> None:
    harness.start(flow(asking("x")))
    crash(harness, "after_intent")
    harness.advance()
    harness.answer(choice="stop")
    assert harness.advance() == RunState.FAILED
    assert harness.ledger.tries == []
    (in_doubt,) = intents.open_ones(harness.database.reader, harness.run_id)
    assert in_doubt["key"] in harness.run()["error"]


@pytest.mark.parametrize("choice, happened, asked", [("happened", 0, 0), ("not_happened", 1, 1)])
@pytest.mark.parametrize("point", ["after_claim", "after_outcome", "after_intent"])
def test_doubt_an_answer_outlives_a_crash(
    harness: PowerCut, point: str, choice: str, happened: int, asked: int
) -> None:
    harness.start(flow(asking("x"), asking("y")))
    crash(harness, "after_intent")
    harness.advance()
    harness.answer(choice=choice)
    harness.crash_at(point)
    state = harness.finish()
    if state == RunState.WAITING and point == "after_intent":  # the crash came while the answered try was under way
        harness.answer(next(gate for gate in harness.gates() if gate["kind"] == "doubt"), choice="not_happened")
        state = harness.finish()
    assert state == RunState.DONE
    assert harness.ledger.happened("x") == happened


def test_doubt_again_is_asked_again(harness: PowerCut) -> None:
    harness.start(flow(asking("x")))
    for visit in range(3):
        crash(harness, "after_intent")
        assert harness.advance() == RunState.WAITING
        assert harness.gate()["round"] == visit + 1
        harness.answer(choice="not_happened")
    assert harness.advance() == RunState.DONE
    assert harness.ledger.tries == ["x"]


def test_an_answer_that_never_came_is_a_doubt_without_any_crash(harness: PowerCut) -> None:
    harness.ledger.scripts["x"] = ["unknown, done"]
    harness.start(flow(asking("x")))
    assert harness.advance() == RunState.WAITING
    assert harness.gate()["kind"] == "doubt"
    harness.answer(choice="happened")
    assert harness.advance() == RunState.DONE
    assert harness.ledger.happened("x") == 1


@pytest.mark.expects_log("in a way that its hands do not foresee")
def test_a_fault_of_the_hands_is_a_doubt_and_no_breach(harness: PowerCut) -> None:
    harness.ledger.scripts["x"] = ["fault"]
    harness.start(flow(asking("x")))
    assert harness.advance() == RunState.WAITING
    assert harness.gate()["kind"] == "doubt"


def test_a_repeatable_effect_without_any_answer_backs_off_and_is_then_put_to_a_person(harness: PowerCut) -> None:
    harness.ledger.scripts["x"] = ["unknown, not done"] * 9
    harness.start(flow(keyed("x")))
    waits = []
    while harness.advance() == RunState.WAITING and not harness.gates():
        (timer,) = timers.pending(harness.database.reader, harness.run_id)
        waits.append(timer["due_at"] - timer["set_at"])
        harness.tick(timedelta(hours=1))
    assert waits == sorted(waits)
    assert len(harness.ledger.tries) == 5
    assert harness.gate()["kind"] == "doubt"
    harness.answer(choice="not_happened")
    harness.ledger.scripts["x"] = []
    assert harness.advance() == RunState.DONE


def test_an_effect_that_can_be_looked_up_is_looked_up(harness: PowerCut) -> None:
    harness.start(flow(looked_up("x"), looked_up("y")))
    crash(harness, "after_perform")
    crash(harness, "after_intent")  # of y: the outcome of x was committed by itself
    assert harness.advance() == RunState.DONE
    assert [text for _, _, text in harness.ledger.lines()] == ["x", "y"]
    assert harness.ledger.tries == ["x", "y"]
    origins = [row["origin"] for row in harness.records()]
    assert origins == ["looked up", None]


def test_an_effect_that_cannot_be_looked_up_now_is_put_to_a_person(harness: PowerCut) -> None:
    harness.start(flow(looked_up("x")))
    crash(harness, "after_perform")
    harness.ledger.blind = True
    assert harness.advance() == RunState.WAITING
    assert harness.gate()["kind"] == "doubt"
    assert harness.ledger.tries == ["x"]
    harness.answer(choice="happened", result='{"kept": "x"}')
    assert harness.advance() == RunState.DONE


# ------------------------------------------------------------------------------------------------------------- failures


def test_a_failure_that_may_pass_is_tried_again_after_a_while(harness: PowerCut) -> None:
    harness.ledger.scripts["x"] = ["transient", "transient"]
    harness.start(flow(asking("x")))
    for count in (1, 2):
        assert harness.advance() == RunState.WAITING
        assert len(harness.ledger.tries) == count
        harness.wake()
        assert harness.advance() == RunState.WAITING  # woken by something else: not before its time
        assert len(harness.ledger.tries) == count
        harness.tick(timedelta(minutes=1))
    assert harness.advance() == RunState.DONE
    assert tries(harness) == ["failed", "failed", "ok"]


def test_a_failure_that_will_not_pass_is_put_before_a_person(harness: PowerCut) -> None:
    harness.ledger.scripts["x"] = ["structural"]
    harness.start(flow(asking("x")))
    assert harness.advance() == RunState.WAITING
    gate = harness.gate()
    about = harness.spec(gate)["about"]
    assert (gate["kind"], gate["ordinal"], about["step"], about["is_effect"]) == ("failure", 0, "asking@1", True)
    harness.answer(choice="retry")
    assert harness.advance() == RunState.DONE
    assert harness.ledger.happened("x") == 1


def test_a_failed_effect_is_not_tried_again_because_something_else_woke_the_run(harness: PowerCut) -> None:
    harness.ledger.scripts["x"] = ["structural"]

    @workflow("two")
    async def two(p: Nothing) -> Any:
        return await parallel(_awaited(asking("x")), ask("Why?", []))

    harness.start(two)
    harness.advance()
    harness.answer(next(gate for gate in harness.gates() if gate["kind"] == "question"))
    assert harness.advance() == RunState.WAITING
    assert harness.ledger.tries == ["x"]
    harness.answer(choice="retry")
    assert harness.advance() == RunState.DONE


async def _awaited(effect: Effect) -> Any:
    return await effect


def test_a_failure_that_may_pass_does_not_go_on_for_ever(harness: PowerCut) -> None:
    harness.ledger.scripts["x"] = ["transient"] * 9
    harness.start(flow(asking("x")))
    while harness.advance() == RunState.WAITING and not harness.gates():
        harness.tick(timedelta(hours=1))
    assert harness.gate()["kind"] == "failure"
    assert harness.spec()["about"]["attempts"] == 5


@pytest.mark.parametrize("point", [None, "after_claim", "after_outcome"])
def test_what_a_person_gives_in_an_effects_place_is_its_outcome(harness: PowerCut, point: str | None) -> None:
    harness.ledger.scripts["x"] = ["structural"]
    harness.start(flow(asking("x")))
    harness.advance()
    harness.answer(choice="skip", result='{"kept": "by hand"}')
    if point:
        harness.crash_at(point)
    assert harness.finish() == RunState.DONE
    assert harness.result() == [{"kept": "by hand"}]
    assert harness.ledger.tries == ["x"]
    assert harness.records()[0]["origin"] == "given by Test"


def test_stop_at_a_failed_effect_waits_for_none_that_has_not_begun(harness: PowerCut) -> None:
    harness.ledger.scripts["x"] = ["structural"]
    harness.start(flow(asking("x"), asking("y")))
    harness.advance()
    harness.answer(choice="stop")
    assert harness.advance() == RunState.FAILED
    assert harness.ledger.tries == ["x"]


def test_an_outcome_is_kept_though_the_next_of_the_plan_is_refused(harness: PowerCut) -> None:
    """The record of one shares a transaction with the intent of the next, but does not share its fate."""

    @workflow("forged")
    async def forged(p: Nothing) -> Any:
        decision = await approve("Go?", plan=[asking("a"), asking("b")])
        decision.plan[1].args["text"] = "something else"
        return await decision.perform()

    harness.start(forged)
    harness.advance()
    harness.approve()
    assert harness.advance() == RunState.WAITING
    assert "is not what was approved" in harness.spec()["about"]["error"]["message"]
    assert [text for _, _, text in harness.ledger.lines()] == ["a"]
    assert [row["name"] for row in harness.records()] == ["approve", "asking@1"]
    assert intents.open_ones(harness.database.reader, harness.run_id) == []


def test_a_plan_that_cannot_be_shown_is_put_before_a_person(harness: PowerCut) -> None:
    harness.ledger.plannable = False
    harness.start(planned(asking("x")))
    assert harness.advance() == RunState.WAITING
    about = harness.spec()["about"]
    assert (about["step"], about["error"]["message"]) == ("approve", "The ledger is locked away.")
    assert harness.spec()["fields"][0]["choices"] == ["retry", "stop"]
    harness.wake()
    assert harness.advance() == RunState.WAITING
    assert len(harness.gates()) == 1
    harness.ledger.plannable = True
    harness.answer(choice="retry")
    assert harness.advance() == RunState.WAITING
    harness.approve()
    assert harness.advance() == RunState.DONE


def test_an_effect_that_cannot_be_shown_is_put_before_a_person(harness: PowerCut) -> None:
    harness.ledger.plannable = False
    harness.start(flow(asking("x", may="ask")))
    assert harness.advance() == RunState.WAITING
    assert harness.gate()["kind"] == "failure"
    harness.ledger.plannable = True
    harness.answer(choice="retry")
    assert harness.advance() == RunState.WAITING
    assert harness.gate()["kind"] == "approval"


def test_an_effect_in_progress_is_recorded_before_the_run_ends_by_another_branch(harness: PowerCut) -> None:
    """A mismatch, a stop or the end of a race waits for what is under way outside."""

    @workflow("racing")
    async def racing(p: Nothing) -> Any:
        return await first(_awaited(keyed("slow")), sleep(timedelta(0)))

    harness.start(racing)
    assert harness.advance() == RunState.DONE
    assert intents.open_ones(harness.database.reader, harness.run_id) == []
