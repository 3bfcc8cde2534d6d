"""Gates: a row before it is shown, one decision, one record (engine.md 3, 7 to 9; DESIGN 4, 10 to 14).

| number | test |
|---|---|
| 3 opened once | test_replay: test_an_unchanged_question…, test_an_undecided_gate… |
| 9 approved, rejected, returned, expired | test_three_gates_in_a_row_have_three_answers, test_expiry_… |
| 9 asking again is a new ordinal | test_asking_again_is_another_gate |
| 10 a row before it is shown | test_a_gate_is_there_after_a_crash… |
| 11 closing a run withdraws its gates | test_cancelling: test_gates_are_withdrawn…, test_steps: test_stopping… |
| 14 gates in branches | test_gates_in_three_branches_are_independent |
| claims | test_of_two_open_gates_with_one_claim…, test_what_another_run_holds…, test_a_claim_is_free_again… |
| effective later, void | test_a_decision_takes_effect_when_it_says…, test_a_decision_taken_back… |
"""

from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
import sqlalchemy as sa

from counterfoil import (
    Expired,
    Field,
    Money,
    Rejected,
    Returned,
    approve,
    ask,
    claimed_elsewhere,
    fields,
    file,
    parallel,
    sleep,
    step,
    table,
    text,
    workflow,
)
from counterfoil.authoring.codec import canonical
from counterfoil.errors import ClaimedElsewhere, GateClosed, NotAllowed
from counterfoil.facts import GateState, RunState, Verdict
from counterfoil.inbox.cancelling import cancel_run
from counterfoil.inbox.deciding import Wish, decide, void
from counterfoil.store import asides, gates, records, seals, tables
from counterfoil.testing import Crashed
from engine.doing import Nothing, asking, keyed
from engine.power_cut import PowerCut

SECOND = 1_000_000


@step
def one(n: int) -> int:
    return n + 1


@workflow("asked")
async def asked(p: Nothing) -> Any:
    decision = await approve("Go?", plan=[asking("x", may="ask")])
    return await decision.perform()


# ------------------------------------------------------------------------------------------------------------- answers


def test_three_gates_in_a_row_have_three_answers(harness: PowerCut) -> None:
    @workflow("trio")
    async def trio(p: Nothing) -> list[str]:
        said = []
        for n in range(3):
            try:
                decision = await approve(f"Number {n}", expires_after=timedelta(days=1))
                said.append(f"approved by {decision.by}")
            except Rejected as no:
                said.append(f"rejected by {no.by}: {no.comment}")
            except Expired:
                said.append("expired")
        return said

    harness.start(trio)
    harness.advance()
    harness.approve()
    harness.advance()
    harness.reject("no")
    harness.advance()
    harness.tick(timedelta(days=2))
    for _ in range(10):
        harness.wake()
        harness.advance()
    assert harness.run()["state"] == RunState.DONE
    assert harness.result() == ["approved by user:test", "rejected by user:test: no", "expired"]


def test_asking_again_is_another_gate(harness: PowerCut) -> None:
    @workflow("again")
    async def again(p: Nothing) -> list[str]:
        said = []
        for _ in range(2):
            try:
                await approve("The same question")
            except Returned as back:
                said.append(back.comment)
        return said

    harness.start(again)
    harness.advance()
    harness.send_back("first")
    harness.advance()
    harness.send_back("second")
    assert harness.advance() == RunState.DONE
    assert harness.result() == ["first", "second"]
    assert [row["ordinal"] for row in harness.records()] == [0, 1]


def test_answers_come_back_in_the_types_of_their_fields(harness: PowerCut) -> None:
    form = [
        Field(name="text"),
        Field(name="number", type="integer"),
        Field(name="amount", type="money"),
        Field(name="choice", type="choice", choices=["pay", "hold"]),
        Field(name="rows", type="list[integer]"),
        Field(name="day", type="date"),
        Field(name="left", type="decimal", default=Decimal("0.5")),
        Field(name="empty", type="decimal"),
    ]

    @workflow("form")
    async def form_flow(p: Nothing) -> str:
        answers = await ask("Fill in", form)
        return " ".join(f"{name}={value!r}" for name, value in answers.items())

    harness.start(form_flow)
    harness.advance()
    harness.answer(
        text="a", number=5, amount={"amount": "12.50", "currency": "EUR"}, choice="pay", rows=[1, 2], day="2026-11-30"
    )
    assert harness.advance() == RunState.DONE
    assert harness.result() == (
        "amount=Money(amount=Decimal('12.50'), currency='EUR') choice='pay' day=datetime.date(2026, 11, 30) "
        "left=Decimal('0.5') number=5 rows=[1, 2] text='a'"
    )


def test_a_question_that_is_refused_or_sent_back_raises(harness: PowerCut) -> None:
    @workflow("questions")
    async def questions(p: Nothing) -> list[str]:
        said = []
        for _ in range(2):
            try:
                await ask("Why?", [Field(name="reason", required=True)])
            except (Rejected, Returned) as problem:
                said.append(f"{type(problem).__name__} {problem.comment}")
        return said

    harness.start(questions)
    harness.advance()
    harness.reject("will not say")
    harness.advance()
    harness.send_back("ask properly")
    assert harness.advance() == RunState.DONE
    assert harness.result() == ["Rejected will not say", "Returned ask properly"]


def test_filling_in_what_remakes_the_plan_sends_it_back(harness: PowerCut) -> None:
    @workflow("remaking")
    async def remaking(p: Nothing) -> Any:
        hold: list[int] = []
        while True:
            plan = [asking(f"row {n}") for n in (1, 2, 3) if n not in hold]
            try:
                decision = await approve(
                    "Pay", plan=plan, fields=[Field(name="hold", type="list[integer]", remakes=True)]
                )
            except Returned as back:
                hold = list(back.answers["hold"])  # type: ignore[call-overload]  # its field says that it is a list
                continue
            return await decision.perform()

    harness.start(remaking)
    harness.advance()
    made = harness.approve(hold=[2])
    assert made.verdict == Verdict.RETURNED
    assert harness.advance() == RunState.WAITING
    assert len(harness.spec()["plan"]) == 2
    harness.approve()
    assert harness.advance() == RunState.DONE
    assert [text_ for _, _, text_ in harness.ledger.lines()] == ["row 1", "row 3"]


def test_everything_that_can_be_shown_is_kept_as_it_was_shown(harness: PowerCut) -> None:
    shown = [
        table(
            [{"supplier": "A", "due": Money(Decimal(5), "EUR")}, {"supplier": "B", "due": None}],
            title="Rows",
            total={"due": Money(Decimal(5), "EUR")},
            flagged=[1],
        ),
        fields({"IBAN": "DE89", "bytes": b"abc"}, title="Facts", source="the ledger"),
        text("line one\r\nline two", title="Words"),
        file("in/a.pdf", page=2, boxes=[(0, 0, 10.5, 20)]),
    ]

    @workflow("shown")
    async def flow(p: Nothing) -> None:
        await approve(
            "Look",
            plan=[keyed("x")],
            evidence=shown,
            flags=["1. Look at B."],
            figures={"total": Money(Decimal(5), "EUR")},
        )

    harness.start(flow)
    assert harness.advance() == RunState.WAITING
    spec = harness.spec()
    assert [piece["kind"] for piece in spec["evidence"]] == ["table@1", "fields@1", "text@1", "file@1"]
    assert spec["evidence"][0]["data"]["flagged"] == [1]
    assert spec["evidence"][2]["data"] == "line one\nline two"
    assert spec["figures"] == [["total", {"$type": "Money", "amount": {"$dec": "5"}, "currency": "EUR"}]]


# ---------------------------------------------------------------------------------------------------------------- rows


@pytest.mark.parametrize("point", ["after_gate", "after_decision"])
def test_a_gate_is_there_after_a_crash_and_answered_once(harness: PowerCut, point: str) -> None:
    harness.start(asked)
    if point == "after_gate":
        harness.crash_at(point)
        with pytest.raises(Crashed):
            harness.advance()
        gate = harness.gate()
        harness.approve()
    else:
        harness.advance()
        gate = harness.gate()
        harness.crash_at(point)
        with pytest.raises(Crashed):
            harness.approve()
    assert gates.get(harness.database.reader, gate["gate_id"])["state"] == GateState.DECIDED
    assert harness.finish() == RunState.DONE
    assert harness.ledger.happened("x") == 1
    assert len(gates.of_run(harness.database.reader, harness.run_id)) == 1


def test_gates_in_three_branches_are_independent(harness: PowerCut) -> None:
    async def branch(n: int) -> str:
        try:
            decision = await approve(f"Branch {n}", plan=[asking(f"b{n}", may="ask")])
        except Rejected:
            return "no"
        await decision.perform()
        return f"yes from {decision.by}"

    @workflow("three")
    async def three(p: Nothing) -> list[str]:
        return await parallel(*[branch(n) for n in range(3)])

    harness.start(three)
    assert harness.advance() == RunState.WAITING
    found = {gate["title"]: gate for gate in harness.gates()}
    assert sorted((gate["path"], gate["ordinal"]) for gate in found.values()) == [("0/0", 0), ("0/1", 0), ("0/2", 0)]
    harness.approve(found["Branch 2"])
    assert harness.advance() == RunState.WAITING
    assert harness.ledger.happened("b2") == 1
    assert len(harness.gates()) == 2
    harness.reject("no", found["Branch 0"])
    assert harness.advance() == RunState.WAITING
    harness.approve(found["Branch 1"])
    assert harness.advance() == RunState.DONE
    assert harness.result() == ["no", "yes from user:test", "yes from user:test"]
    assert sorted(line for _, _, line in harness.ledger.lines()) == ["b1", "b2"]


def test_a_gate_in_one_branch_stops_no_other(harness: PowerCut) -> None:
    async def counting() -> int:
        total = 0
        for n in range(5):
            total += await one(n)
        return total

    @workflow("mixed")
    async def mixed(p: Nothing) -> Any:
        return await parallel(ask("Why?", []), counting())

    harness.start(mixed)
    assert harness.advance() == RunState.WAITING
    assert len(harness.records()) == 5


def test_more_gates_than_frames_may_be_under_way(harness: PowerCut) -> None:
    """An honest session queues what its desk would refuse."""

    async def branch(n: int) -> int:
        await one(n)
        await ask(f"Question {n}", [])
        return await one(n)

    @workflow("many")
    async def many(p: Nothing) -> int:
        return sum(await parallel(*[branch(n) for n in range(150)]))

    harness.start(many)
    state = harness.advance()
    assert len(harness.records()) == 150  # no step waits for an answer
    rounds = 0
    while state == RunState.WAITING:
        rounds += 1
        for gate in harness.gates():
            harness.answer(gate)
        state = harness.advance()
    assert (state, harness.result()) == (RunState.DONE, sum(range(1, 151)))
    assert rounds < 6


# --------------------------------------------------------------------------------------------------------------- expiry


def test_expiry_raises_and_nothing_happens(harness: PowerCut) -> None:
    @workflow("expiring")
    async def expiring(p: Nothing) -> str:
        try:
            decision = await approve("Go?", plan=[asking("x")], expires_after=timedelta(hours=1))
        except Expired as problem:
            return str(problem)
        await decision.perform()
        return "done"

    harness.start(expiring)
    harness.advance()
    gate = harness.gate()
    assert gate["due_at"] == gate["asked_at"] + 3600 * SECOND
    assert gate["on_due"] == "expires"
    harness.tick(timedelta(hours=2))
    assert harness.advance() == RunState.DONE
    assert harness.result() == "nobody decided in time"
    assert harness.gates(GateState.EXPIRED)[0]["closed_why"] == "Nobody decided in time"
    assert harness.ledger.lines() == []
    with pytest.raises(GateClosed, match="Nobody decided in time"):
        harness.approve(gate)


def test_expiry_comes_only_when_the_author_said_so(harness: PowerCut) -> None:
    harness.start(asked)
    harness.advance()
    harness.tick(timedelta(days=4000))
    harness.wake()
    assert harness.advance() == RunState.WAITING
    assert harness.gate()["state"] == GateState.OPEN


def test_expiry_is_over_once_somebody_has_decided(harness: PowerCut) -> None:
    @workflow("expiring")
    async def expiring(p: Nothing) -> str:
        await approve("Go?", expires_after=timedelta(hours=1))
        return "approved"

    harness.start(expiring)
    harness.advance()
    harness.decide(Verdict.APPROVED, delay_us=7200 * SECOND)
    harness.tick(timedelta(hours=1, minutes=30))
    harness.advance()
    assert harness.run()["state"] == RunState.READY  # for when the decision takes effect
    harness.tick(timedelta(hours=1))
    assert harness.advance() == RunState.DONE
    assert harness.result() == "approved"


# --------------------------------------------------------------------------------------------------- effective and void


def test_a_decision_takes_effect_when_it_says_so(harness: PowerCut) -> None:
    harness.start(asked)
    harness.advance()
    made = harness.decide(Verdict.APPROVED, delay_us=5 * SECOND)
    assert made.effective_at == made.at + 5 * SECOND
    harness.advance()
    assert (harness.run()["state"], harness.run()["ready_at"]) == (RunState.READY, made.effective_at)
    assert harness.ledger.lines() == []
    harness.tick(timedelta(seconds=6))
    assert harness.advance() == RunState.DONE


def test_a_decision_taken_back_in_time_leaves_an_open_gate(harness: PowerCut) -> None:
    harness.start(asked)
    harness.advance()
    gate = harness.gate()
    harness.decide(Verdict.APPROVED, delay_us=5 * SECOND)
    void(harness.database, gate["gate_id"], "user:test")
    assert harness.gate()["gate_id"] == gate["gate_id"]
    assert seals.of_gate(harness.database.reader, gate["gate_id"]) == []
    harness.tick(timedelta(seconds=6))
    assert harness.advance() == RunState.WAITING
    assert harness.ledger.lines() == []
    harness.approve()
    assert harness.advance() == RunState.DONE
    assert harness.ledger.happened("x") == 1


def test_a_decision_is_taken_back_by_nobody_else_and_not_too_late(harness: PowerCut) -> None:
    harness.start(asked)
    harness.advance()
    gate_id = harness.gate()["gate_id"]
    harness.decide(Verdict.APPROVED, delay_us=5 * SECOND)
    with pytest.raises(NotAllowed):
        void(harness.database, gate_id, "user:other")
    harness.tick(timedelta(seconds=6))
    with pytest.raises(GateClosed, match="Too late"):
        void(harness.database, gate_id, "user:test")
    assert harness.advance() == RunState.DONE
    harness.tick(timedelta(seconds=2))
    with pytest.raises(GateClosed, match=r"Too late to take back: step 2 began 2 s ago\."):
        void(harness.database, gate_id, "user:test")


def test_a_decision_taken_back_strands_no_run_that_is_ready_for_another_reason(harness: PowerCut) -> None:
    """The run fell over while a decision was about to take effect: voiding it must not put the run to sleep for ever."""

    @workflow("mixed")
    async def mixed(p: Nothing) -> Any:
        return await parallel(ask("Why?", []), _steps())

    async def _steps() -> int:
        await sleep(timedelta(hours=1))  # the question is committed by then
        return await one(await one(1))

    harness.start(mixed)
    assert harness.advance() == RunState.WAITING
    harness.tick(timedelta(hours=1))
    harness.crash_at("after_record", 1)
    with pytest.raises(Crashed):
        harness.advance()
    gate = harness.gate()
    harness.decide(Verdict.ANSWERED, gate, delay_us=5 * SECOND)
    void(harness.database, gate["gate_id"], "user:test")
    assert harness.advance() == RunState.WAITING
    assert len(harness.records()) == 3


def test_a_decision_on_a_run_that_ended_meanwhile_is_not_taken_back(harness: PowerCut) -> None:
    harness.start(asked)
    harness.advance()
    gate_id = harness.gate()["gate_id"]
    harness.decide(Verdict.APPROVED, delay_us=5 * SECOND)
    cancel_run(harness.database, harness.run_id, "user:test")
    with pytest.raises(GateClosed):
        void(harness.database, gate_id, "user:test")
    assert harness.gates() == []


def test_a_later_decision_hastens_a_run_that_would_be_ready_later(harness: PowerCut) -> None:
    @workflow("two")
    async def two(p: Nothing) -> Any:
        return await parallel(ask("A?", []), ask("B?", []))

    harness.start(two)
    harness.advance()
    first, second = harness.gates()
    harness.decide(Verdict.ANSWERED, first, delay_us=3600 * SECOND)
    harness.decide(Verdict.ANSWERED, second)
    assert harness.run()["ready_at"] < harness.clock.now_us()
    harness.advance()
    assert len(harness.records()) == 1


# --------------------------------------------------------------------------------------------------------------- claims


def claiming(key: str) -> Any:
    @workflow("claiming")
    async def flow(p: Nothing) -> Any:
        elsewhere = await claimed_elsewhere([key, "unheard of"])
        try:
            decision = await approve("Pay", plan=[asking(key)], claims=[key])
        except Returned:
            return ["returned", elsewhere]
        return [await decision.perform(), elsewhere]

    return flow


def test_of_two_open_gates_with_one_claim_one_can_be_approved(harness: PowerCut) -> None:
    first = harness.start(claiming("invoice 7"))
    harness.advance()
    second = harness.start(claiming("invoice 7"))
    harness.advance()
    (mine,) = harness.gates()
    harness.approve()
    (other,) = [gate for gate in gates.of_run(harness.database.reader, first) if gate["state"] == GateState.OPEN]
    with pytest.raises(ClaimedElsewhere, match="approved in run 2"):
        harness.approve(other)
    harness.send_back("without it", other)  # it can still be answered
    assert harness.advance() == RunState.DONE
    assert harness.result()[1] == {"invoice 7": "already in run 1, waiting for you"}
    assert (second, mine["run_id"]) == (harness.run_id, harness.run_id)


def test_what_another_run_holds_is_said_and_recorded(harness: PowerCut) -> None:
    harness.start(claiming("invoice 7"))
    harness.advance()
    harness.approve()
    harness.advance()
    harness.start(claiming("invoice 7"))
    harness.crash_at("after_record", 1)
    with pytest.raises(Crashed):
        harness.advance()
    assert harness.advance() == RunState.WAITING
    (looked,) = harness.records()
    assert (looked["kind"], looked["name"], looked["payload"]) == (
        "lookup",
        "claims",
        '{"invoice 7":"already in run 1, approved"}',
    )
    with pytest.raises(ClaimedElsewhere):
        harness.approve()


@pytest.mark.parametrize("how, said", [("named", "Anna or Ben"), ("given", "Carla"), ("damaged", "a decision")])
def test_whom_the_gate_of_another_run_waits_for_is_said(harness: PowerCut, how: str, said: str) -> None:
    @workflow("named")
    async def named(p: Nothing) -> Any:
        evidence = [text("x" * 70_000, title="Long")] if how == "damaged" else []
        await approve("Pay", plan=[asking("a")], evidence=evidence, claims=["invoice 7"])

    harness.start(named)
    harness.advance()
    gate = harness.gate()
    if how == "given":
        harness.database.transact(lambda txn: asides.give(txn, gate["gate_id"], "user:carla", "user:anna", ""))
    if how == "named":
        spec = canonical({**harness.spec(gate), "who": {"needs": 1, "from": ["user:anna", "user:ben"], "not": []}})
        harness.database.transact(lambda txn: txn.do(sa.update(tables.gate).values(spec=spec)))
    if how == "damaged":
        harness.blobs.path(gate["spec"]).unlink()
    harness.start(claiming("invoice 7"))
    harness.advance()
    (looked,) = harness.records()
    assert looked["payload"] == f'{{"invoice 7":"already in run 1, waiting for {said}"}}'


@pytest.mark.parametrize("how", ["rejected", "returned", "cancelled", "expired", "voided"])
def test_a_claim_is_free_again_when_nothing_came_of_it(harness: PowerCut, how: str) -> None:
    harness.start(claiming("invoice 7"))
    harness.advance()
    gate = harness.gate()
    match how:
        case "rejected":
            harness.reject("no")
            harness.advance()
        case "returned":
            harness.send_back("no")
            harness.advance()
        case "cancelled":
            harness.approve()
            cancel_run(harness.database, harness.run_id, "user:test")
        case "expired":
            cancel_run(harness.database, harness.run_id, "user:test")
        case "voided":
            harness.decide(Verdict.APPROVED, delay_us=SECOND)
            void(harness.database, gate["gate_id"], "user:test")
            harness.reject("no")
            harness.advance()
    harness.start(claiming("invoice 7"))
    harness.advance()
    harness.approve()
    assert harness.advance() == RunState.DONE
    assert harness.ledger.happened("invoice 7") == 1


@pytest.mark.parametrize("how", ["done", "failed", "cancelled"])
def test_what_was_approved_and_never_performed_is_free_for_another_run(harness: PowerCut, how: str) -> None:
    @workflow("claiming")
    async def idle(p: Nothing) -> int:
        await approve("Pay", plan=[asking("invoice 7")], claims=["invoice 7"])
        if how == "cancelled":
            await ask("Enough?", [])
        return 1 // (how != "failed")

    harness.start(idle)
    harness.advance()
    harness.approve()
    ended = harness.advance()
    if how == "failed":
        harness.answer(choice="stop")
        ended = harness.advance()
    if how == "cancelled":
        cancel_run(harness.database, harness.run_id, "user:test")
        ended = RunState(harness.run()["state"])
    assert ended == RunState(how)
    assert harness.ledger.happened("invoice 7") == 0
    harness.start(claiming("invoice 7"))
    harness.advance()
    harness.approve()
    assert harness.advance() == RunState.DONE
    assert harness.ledger.happened("invoice 7") == 1


def test_a_rejection_taken_back_still_claims(harness: PowerCut) -> None:
    """Otherwise the same invoice could be approved twice."""
    first = harness.start(claiming("invoice 7"))
    harness.advance()
    gate = harness.gate()
    harness.decide(Verdict.REJECTED, comment="no", delay_us=5 * SECOND)
    void(harness.database, gate["gate_id"], "user:test")
    harness.approve(gate)
    harness.start(claiming("invoice 7"))
    harness.advance()
    with pytest.raises(ClaimedElsewhere):
        harness.approve()
    assert first != harness.run_id


def test_a_claim_belongs_to_its_workspace(harness: PowerCut) -> None:
    harness.start(claiming("invoice 7"))
    harness.advance()
    harness.approve()
    harness.workspace = harness.workspace / "elsewhere"
    harness.workspace.mkdir()
    harness.start(claiming("invoice 7"))
    harness.advance()
    harness.approve()
    assert harness.advance() == RunState.DONE


def test_a_decision_is_one_transaction_with_its_seals_and_its_trail(harness: PowerCut) -> None:
    harness.start(asked)
    harness.advance()
    made = decide(harness.database, harness.blobs, harness.gate()["gate_id"], Wish(Verdict.APPROVED, "user:anna"))
    assert made.by == "user:anna"
    (row,) = gates.decisions(harness.database.reader, made.gate_id)
    (seal,) = seals.of_gate(harness.database.reader, made.gate_id)
    assert (row["digest"], row["principal"], seal["n"]) == (made.digest, "user:anna", 1)
    assert records.of_run(harness.database.reader, harness.run_id) == []  # the record is the run's, when it goes on
