"""A person's decision: checked in one place, sealed to what was shown, first come first served (DESIGN 4, 10 to 15; contract.md 5)."""

import json
import sqlite3
import threading
from typing import Any

import pytest

from counterfoil import Field, approve, ask, step, workflow
from counterfoil.authoring.codec import canonical, digest
from counterfoil.errors import (
    AlreadyDecided,
    CounterfoilError,
    GateClosed,
    StaleDigest,
    UnknownGate,
    UnknownRun,
    WrongAnswer,
)
from counterfoil.facts import GateState, RunState, Verdict
from counterfoil.inbox.cancelling import cancel_run
from counterfoil.inbox.deciding import Wish, decide
from counterfoil.inbox.finding import find_gate, find_run
from counterfoil.store import gates, runs, seals, trail_rows
from counterfoil.store.database import Database
from engine.doing import Nothing, asking
from engine.power_cut import PowerCut


@workflow("pay")
async def pay(p: Nothing) -> Any:
    decision = await approve(
        "Pay two", plan=[asking("a", may="ask"), asking("b", may="ask")], fields=[Field(name="note")], partial=True
    )
    return await decision.perform()


@workflow("question")
async def question(p: Nothing) -> Any:
    return await ask(
        "Which?",
        [
            Field(name="choice", type="choice", choices=["pay", "hold"], required=True),
            Field(name="reason", required_when={"choice": ["hold"]}),
            Field(name="rows", type="list[integer]"),
            Field(name="on", type="date"),
            Field(name="iban", check="iban"),
        ],
    )


@workflow("broken")
async def broken(p: Nothing) -> Any:
    @step
    def failing() -> int:
        raise ValueError("no")

    return await failing()


def waiting(harness: PowerCut, flow: Any = pay) -> Any:
    """A run of this workflow at its gate; the gate's row."""
    harness.start(flow)
    assert harness.advance() == RunState.WAITING
    return harness.gate()


def everything(harness: PowerCut) -> list[str]:
    """The database as SQL text."""
    with sqlite3.connect(harness.home.database) as raw:
        return list(raw.iterdump())


def refused(harness: PowerCut, kind: type[CounterfoilError], gate: Any, verdict: Verdict, **wish: Any) -> str:
    """Decide, be refused, and find everything as it was; the sentence with its next step."""
    before = everything(harness)
    with pytest.raises(kind) as told:
        harness.decide(verdict, gate, **wish)
    assert everything(harness) == before
    assert told.value.message.endswith(".")
    assert told.value.next_step or kind is WrongAnswer  # where the sentence itself says what is mistyped
    return str(told.value)


# --------------------------------------------------------------------------------------------------- what is committed


def test_a_decision_is_addressed_to_what_was_seen(harness: PowerCut) -> None:
    gate = waiting(harness)
    shown = harness.spec(gate)
    assert gate["digest"] == digest(canonical(shown))
    made = harness.decide(Verdict.APPROVED, gate, digest=gate["digest"][:8], answers={"note": "fine"})
    assert (made.gate_id, made.verdict, made.by, made.digest) == (
        gate["gate_id"],
        "approved",
        "user:test",
        gate["digest"],
    )
    sealed = seals.of_gate(harness.database.reader, gate["gate_id"])
    assert [row["digest"] for row in sealed] == [digest(canonical(item["body"])) for item in shown["plan"]]
    entry = trail_rows.entries(harness.database.reader)[-1]
    told = json.loads(entry["after"])
    assert (entry["kind"], entry["by"]) == ("decision", "user:test")
    assert (told["verdict"], told["digest"], told["answers"]) == ("approved", gate["digest"], {"note": "fine"})
    assert told["items"] == [[row["n"], row["digest"]] for row in sealed]


def test_two_gates_that_show_the_same_have_different_seals(harness: PowerCut) -> None:
    first = waiting(harness)
    second = waiting(harness)
    assert first["digest"] != second["digest"]
    refused(harness, StaleDigest, second, Verdict.APPROVED, digest=first["digest"])


# ------------------------------------------------------------------------------------------------------------- refusals


def test_a_second_decision_is_told_who_was_first_and_when(harness: PowerCut) -> None:
    gate = waiting(harness)
    harness.decide(Verdict.APPROVED, gate, principal="user:anna")
    for verdict, comment in ((Verdict.APPROVED, ""), (Verdict.REJECTED, "no"), (Verdict.RETURNED, "no")):
        words = refused(harness, AlreadyDecided, gate, verdict, comment=comment, principal="user:ben")
        assert "was decided by Anna at" in words
        assert "(approved). Nothing was changed." in words
    harness.advance()
    refused(harness, AlreadyDecided, gate, Verdict.APPROVED)  # and when the run has gone on, too


@pytest.mark.parametrize("seen", ["0" * 64, "deadbeef", "", "abc"])
def test_a_digest_that_is_not_the_gates_is_refused(harness: PowerCut, seen: str) -> None:
    gate = waiting(harness)
    if seen:
        words = refused(harness, StaleDigest, gate, Verdict.APPROVED, digest=seen)
        assert f"its seal is {gate['digest'][:8]}" in words
    else:
        harness.decide(Verdict.APPROVED, gate, digest=seen)  # none given: what was read at the start


def test_a_prefix_shorter_than_six_is_no_digest(harness: PowerCut) -> None:
    gate = waiting(harness)
    refused(harness, StaleDigest, gate, Verdict.APPROVED, digest=gate["digest"][:5])


def test_a_gate_that_closed_says_why(harness: PowerCut) -> None:
    gate = waiting(harness)
    cancel_run(harness.database, harness.run_id, "user:anna")
    assert "cancelled by Anna" in refused(harness, GateClosed, gate, Verdict.APPROVED)


def test_a_superseded_round_is_refused(harness: PowerCut) -> None:
    gate = waiting(harness)

    @workflow("pay")
    async def other(p: Nothing) -> Any:
        return await approve("Pay one", plan=[asking("a", may="ask")])

    harness.use(other)
    harness.wake()
    harness.advance()
    assert "a newer round is open" in refused(harness, GateClosed, gate, Verdict.APPROVED)


@pytest.mark.parametrize(
    "flow, verdict, wish, words",
    [
        (pay, Verdict.REJECTED, {}, "needs a reason"),
        (pay, Verdict.RETURNED, {"comment": "  "}, "needs a reason"),
        (pay, Verdict.ANSWERED, {}, "approved, rejected or sent back"),
        (pay, Verdict.APPROVED, {"answers": {"nota": "x"}}, "does not ask for ‘nota’"),
        (pay, Verdict.APPROVED, {"answers": {"note": 5}}, "is not text"),
        (pay, Verdict.APPROVED, {"only": [3]}, "There is no item 3"),
        (pay, Verdict.APPROVED, {"only": []}, "Nothing of the plan"),
        (pay, Verdict.APPROVED, {"only": [0, 1]}, "There is no item 0"),
        (pay, Verdict.APPROVED, {"edits": {1: {"text": "x"}}}, "cannot be changed here"),
        (pay, Verdict.APPROVED, {"only": [1], "edits": {2: {"text": "x"}}}, "no item 2 to change"),
        (question, Verdict.ANSWERED, {}, "choice is missing"),
        (question, Verdict.ANSWERED, {"answers": {"choice": "burn"}}, "not among the choices"),
        (question, Verdict.ANSWERED, {"answers": {"choice": "hold"}}, "reason is missing"),
        (question, Verdict.ANSWERED, {"answers": {"choice": "hold", "reason": " "}}, "reason is missing"),
        (question, Verdict.ANSWERED, {"answers": {"choice": "pay", "rows": "1,2"}}, "is not a list"),
        (question, Verdict.ANSWERED, {"answers": {"choice": "pay", "rows": ["x"]}}, "is not a whole number"),
        (question, Verdict.ANSWERED, {"answers": {"choice": "pay", "on": "30.11.2026"}}, "is not a date"),
        (question, Verdict.ANSWERED, {"answers": {"choice": "pay", "iban": "DE00370400440532013000"}}, "check digit"),
        (question, Verdict.APPROVED, {"answers": {"choice": "pay"}}, "is a question"),
        (broken, Verdict.APPROVED, {}, "answered with a choice"),
        (broken, Verdict.REJECTED, {"comment": "no"}, "answered with a choice"),
        (broken, Verdict.ANSWERED, {}, "missing"),
        (broken, Verdict.ANSWERED, {"answers": {"choice": "ignore"}}, "not among the choices"),
    ],
)
def test_an_answer_that_does_not_fit_is_refused_with_what_would(
    harness: PowerCut, flow: Any, verdict: Verdict, wish: dict[str, Any], words: str
) -> None:
    assert words in refused(harness, WrongAnswer, waiting(harness, flow), verdict, **wish)


def test_saying_no_needs_no_form_but_a_reason(harness: PowerCut) -> None:
    gate = waiting(harness, question)
    made = harness.decide(Verdict.REJECTED, gate, comment="none of them")
    assert made.verdict == "rejected"


def test_of_many_who_decide_at_once_one_is_first(harness: PowerCut) -> None:
    gate = waiting(harness)
    outcomes: list[str] = []

    def work(n: int) -> None:
        database = Database(harness.home, harness.clock)
        try:
            decide(database, harness.blobs, gate["gate_id"], Wish(Verdict.APPROVED, f"user:p{n}"))
        except AlreadyDecided as late:
            outcomes.append(late.code)
        else:
            outcomes.append("decided")
        finally:
            database.close()

    threads = [threading.Thread(target=work, args=(n,)) for n in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(outcomes) == ["already_decided"] * 11 + ["decided"]
    assert len(gates.decisions(harness.database.reader, gate["gate_id"])) == 1
    assert harness.advance() == RunState.DONE
    assert [text for _, _, text in harness.ledger.lines()] == ["a", "b"]


# -------------------------------------------------------------------------------------------------------------- finding


def test_a_gate_and_a_run_are_found_by_number_and_by_the_beginning_of_their_id(harness: PowerCut) -> None:
    gate = waiting(harness)
    conn = harness.database.reader
    for reference in (gate["gate_id"], gate["gate_id"][:6], gate["gate_id"].upper(), "g-1", " G-1 "):
        assert find_gate(conn, reference)["gate_id"] == gate["gate_id"]
    for reference in (harness.run_id, harness.run_id[:6], "r-1"):
        assert find_run(conn, reference)["run_id"] == harness.run_id


@pytest.mark.parametrize(
    "reference",
    [
        "",
        "g-",
        "g-2",
        "g-999999999999999999999",
        "r-1",
        "12345",
        "xyzxyz",
        "%%%%%%",
        "______",
        "' OR 1=1 --",
        "\x00" * 8,
    ],
)
def test_what_is_no_gate_is_said_with_the_way_to_the_list(harness: PowerCut, reference: str) -> None:
    waiting(harness)
    with pytest.raises(UnknownGate) as told:
        find_gate(harness.database.reader, reference)
    assert "counterfoil inbox" in str(told.value)


def test_a_beginning_that_two_share_is_not_guessed(harness: PowerCut) -> None:
    ids = [harness.start(pay) for _ in range(2)]

    def alike(txn: Any) -> None:
        for n, run_id in enumerate(ids):
            txn.conn.exec_driver_sql(f"UPDATE run SET run_id = 'abcdef{n}{'0' * 25}' WHERE run_id = '{run_id}'")

    harness.database.transact(alike)
    with pytest.raises(UnknownRun, match="More than one"):
        find_run(harness.database.reader, "abcdef")
    assert find_run(harness.database.reader, "abcdef1")["number"] == 2


def test_the_run_goes_on_from_a_decision_by_whatever_name_it_was_given(harness: PowerCut) -> None:
    waiting(harness)
    decide(harness.database, harness.blobs, "g-1", Wish(Verdict.APPROVED, "user:anna", on_behalf_of="user:ben"))
    (row,) = gates.decisions(harness.database.reader, harness.gates(GateState.DECIDED)[0]["gate_id"])
    assert row["on_behalf_of"] == "user:ben"
    assert runs.get(harness.database.reader, harness.run_id)["state"] == RunState.READY
    assert harness.advance() == RunState.DONE
