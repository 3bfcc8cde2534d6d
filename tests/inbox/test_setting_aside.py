"""Putting a gate off and giving it to somebody: nothing is decided, no deadline moves, and everything refused leaves nothing behind."""

import json
from datetime import datetime, timedelta
from typing import Any

import pytest
import sqlalchemy as sa

from counterfoil.authoring.codec import canonical
from counterfoil.clock import from_us, to_us
from counterfoil.errors import AlreadyDecided, CounterfoilError, GateClosed, NotAllowed, WrongUse
from counterfoil.facts import RunState, Verdict
from counterfoil.inbox import accounts, giving, snoozing, until
from counterfoil.inbox.cancelling import cancel_run
from counterfoil.inbox.deciding import Wish, decide, void
from counterfoil.notifying.words import unheard
from counterfoil.policy.approvers import ANYBODY, Approvers, approvers_of, may_not, why_not, with_owner
from counterfoil.store import asides, tables, trail_rows
from counterfoil.views.gates import gate_document
from engine.power_cut import PowerCut
from inbox.test_deciding import everything, pay, waiting

ANNA, BEN, CARLA = "user:anna", "user:ben", "user:carla"
HOUR = 3_600_000_000


@pytest.fixture
def gate(harness: PowerCut) -> Any:
    """A gate that waits for a person; its row."""
    return waiting(harness, pay)


def now(harness: PowerCut) -> int:
    """The harness's time (us)."""
    return harness.clock.now_us()


def asleep(harness: PowerCut, person: str) -> dict[str, int]:
    """What a person does not want to see now."""
    return asides.asleep(harness.database.reader, person, now(harness))


def refused(harness: PowerCut, kind: type[CounterfoilError], act: Any) -> str:
    """Do it, be refused, and find everything as it was; the sentence with its next step."""
    before = everything(harness)
    with pytest.raises(kind) as told:
        act()
    assert everything(harness) == before
    assert "Nothing was changed." in told.value.message
    return str(told.value)


def give(harness: PowerCut, gate: Any, by: str, to: str, why: str = "") -> None:
    """Let the gate wait for somebody."""
    giving.give(harness.database, harness.blobs, gate["gate_id"], giving.Handing(by, to, why))


# ------------------------------------------------------------------------------------------------------------- snooze


def test_a_snoozed_gate_is_back_by_the_clock_alone_and_decides_nothing(harness: PowerCut, gate: Any) -> None:
    at = now(harness) + HOUR
    snoozing.snooze(harness.database, "g-1", ANNA, at)
    assert asleep(harness, ANNA) == {gate["gate_id"]: at}
    assert asleep(harness, BEN) == {}
    assert harness.gate() == gate
    assert not [row for row in trail_rows.entries(harness.database.reader) if "snooze" in row["kind"]]
    harness.clock.advance(timedelta(hours=1))
    assert asleep(harness, ANNA) == {}


def test_waking_is_of_one_person_and_an_answer_that_is_taken_back_wakes_everybody(harness: PowerCut, gate: Any) -> None:
    for person in (ANNA, BEN):
        snoozing.snooze(harness.database, "g-1", person, now(harness) + HOUR)
    assert snoozing.wake(harness.database, "g-1", ANNA)[1]
    assert not snoozing.wake(harness.database, "g-1", ANNA)[1]
    assert asleep(harness, BEN)
    harness.decide(Verdict.APPROVED, gate, delay_us=HOUR, principal=CARLA)
    void(harness.database, gate["gate_id"], CARLA)
    assert asleep(harness, BEN) == {}


def test_snoozing_is_refused_where_it_would_hide_what_is_over_past_or_due(harness: PowerCut, gate: Any) -> None:
    at = now(harness)
    said = refused(harness, WrongUse, lambda: snoozing.snooze(harness.database, "g-1", ANNA, at))
    assert " is past. Nothing was changed. Write 2h" in said
    give(harness, gate, ANNA, BEN)
    said = refused(harness, NotAllowed, lambda: snoozing.snooze(harness.database, "g-1", ANNA, at + HOUR))
    assert "waits for Ben, not for you" in said
    harness.decide(Verdict.APPROVED, gate, principal=BEN)
    refused(harness, AlreadyDecided, lambda: snoozing.snooze(harness.database, "g-1", ANNA, at + HOUR))


def test_no_time_after_the_deadline_is_offered_or_taken() -> None:
    monday = to_us(datetime(2026, 11, 30, 9, 0).astimezone())
    free = until.offered(monday, None)
    assert [choice.key for choice in free] == ["hour", "afternoon", "tomorrow", "monday"]
    assert [f"{from_us(choice.at).astimezone():%d %H:%M}" for choice in free] == [
        "30 10:00",
        "30 16:00",
        "01 08:00",
        "07 08:00",
    ]
    due = monday + 8 * HOUR
    bound = {choice.key: choice.why_not for choice in until.offered(monday, due)}
    assert bound["hour"] == bound["afternoon"] == ""
    assert bound["tomorrow"] == bound["monday"] == "after the deadline, 17:00"
    sunday_evening = to_us(datetime(2026, 11, 29, 20, 0).astimezone())
    assert [choice.key for choice in until.offered(sunday_evening, None)] == ["hour", "tomorrow"]
    with pytest.raises(WrongUse, match="17:00 is after the deadline, 17:00"):
        until.refuse_time(due, due, monday)


@pytest.mark.parametrize(
    "text, at",
    [
        ("2h", "30 11:00"),
        ("90 min", "30 10:30"),
        ("16:00", "30 16:00"),
        ("today 16:00", "30 16:00"),
        ("Tomorrow", "01 08:00"),
        ("tomorrow 07:30", "01 07:30"),
        ("mon", "07 08:00"),
        ("friday 12:00", "04 12:00"),
        ("2026-12-24", "24 08:00"),
        ("2026-12-24 09:00", "24 09:00"),
        ("2026-12-24T09:00", "24 09:00"),
    ],
)
def test_times_as_people_write_them(text: str, at: str) -> None:
    monday = to_us(datetime(2026, 11, 30, 9, 0).astimezone())
    assert f"{from_us(until.read_time(text, monday)).astimezone():%d %H:%M}" == at


@pytest.mark.parametrize("text", ["", "soon", "25:00", "tomorrow noon", "2026-13-01", "mo 08:00", "-2h"])
def test_what_is_no_time_says_how_to_write_one(text: str) -> None:
    with pytest.raises(WrongUse, match="Write 2h, 16:00"):
        until.read_time(text, 0)


# ------------------------------------------------------------------------------------------------------------- giving


def test_a_gate_that_was_given_is_answered_by_whom_it_was_given_to(harness: PowerCut, gate: Any) -> None:
    snoozing.snooze(harness.database, "g-1", BEN, now(harness) + HOUR)
    give(harness, gate, ANNA, BEN, "You know them.")
    assert asleep(harness, BEN) == {}
    conn = harness.database.reader
    document = gate_document(conn, harness.blobs, harness.gate())
    told = document["waits_for"]
    assert (told["who"], told["by"], told["comment"]) == (BEN, ANNA, "You know them.")
    entry = trail_rows.entries(conn)[-1]
    assert (entry["kind"], entry["summary"]) == ("gate_given", "Anna gave “Pay two” to Ben")
    assert (json.loads(entry["before"])["asked"], json.loads(entry["after"])["asked"]) == (None, BEN)
    said = refused(harness, NotAllowed, lambda: harness.decide(Verdict.APPROVED, gate, principal=ANNA))
    assert "This waits for Ben. Nothing was changed. Take it first: counterfoil give g-1 --take" in said
    give(harness, gate, ANNA, ANNA)
    assert trail_rows.entries(conn)[-1]["summary"] == "Anna took “Pay two”"
    refused(harness, NotAllowed, lambda: harness.decide(Verdict.APPROVED, gate, principal=BEN))
    assert harness.decide(Verdict.APPROVED, gate, principal=ANNA).by == ANNA


def test_giving_is_refused_to_strangers_twice_and_where_nothing_is_open(harness: PowerCut, gate: Any) -> None:
    give(harness, gate, ANNA, BEN)
    known = giving.people(harness.database.reader, harness.blobs, gate)
    assert BEN in known
    assert giving.known_person("Ben", known) == BEN
    with pytest.raises(WrongUse, match=r"Nobody called ‘bne’ .* Did you mean ‘ben’"):
        giving.known_person("bne", known)
    assert "waits for Ben already" in refused(harness, NotAllowed, lambda: give(harness, gate, ANNA, BEN))
    cancel_run(harness.database, harness.run_id, ANNA)
    refused(harness, GateClosed, lambda: give(harness, gate, ANNA, CARLA))


def test_the_rules_of_a_gate_are_asked_in_one_place_by_every_path(harness: PowerCut, gate: Any) -> None:
    rules = {"who": {"needs": 1, "from": [ANNA, BEN], "not": [ANNA]}}
    assert approvers_of({}) == ANYBODY
    assert approvers_of(rules) == Approvers(1, (ANNA, BEN), (ANNA,))
    assert may_not(ANYBODY, CARLA) == why_not(ANYBODY, CARLA, None) == ""
    ruled = sa.update(tables.gate).values(spec=canonical({**json.loads(gate["spec"]), **rules}))
    harness.database.transact(lambda txn: txn.do(ruled))
    said = refused(harness, NotAllowed, lambda: give(harness, gate, BEN, CARLA))
    assert "Only Anna or Ben may decide this." in said
    said = refused(harness, NotAllowed, lambda: give(harness, gate, BEN, ANNA))
    assert "Anna may not decide this: its rules leave Anna out." in said
    said = refused(harness, NotAllowed, lambda: harness.decide(Verdict.APPROVED, gate, principal=CARLA))
    assert said.endswith("Only Anna or Ben may decide this. Nothing was changed.")
    assert harness.decide(Verdict.APPROVED, gate, principal=BEN).by == BEN


def ruled(harness: PowerCut, gate: Any, **who: Any) -> None:
    """Give the gate rules of who may answer it."""
    spec = canonical({**json.loads(gate["spec"]), "who": {"needs": 1, "from": [], "not": [], **who}})
    harness.database.transact(lambda txn: txn.do(sa.update(tables.gate).values(spec=spec)))


def test_a_question_that_nobody_here_is_able_to_answer_goes_to_the_owner_with_the_reason(
    harness: PowerCut, gate: Any
) -> None:
    owner = accounts.owner(harness.home)
    ruled(harness, gate, **{"from": ["user:zoe", "user:xaver"]})
    said = refused(harness, NotAllowed, lambda: harness.decide(Verdict.APPROVED, gate, principal=CARLA))
    assert "Only Zoe or Xaver may decide this." in said
    assert harness.decide(Verdict.APPROVED, gate, principal=owner).by == owner
    entry = trail_rows.entries(harness.database.reader)[-1]
    reason = json.loads(entry["after"])["as_owner"]
    assert reason.endswith(
        "its rules want Xaver or Zoe, and nobody called so has ever signed in or decided anything here."
    )
    assert reason.rstrip(".") in entry["summary"]


def test_the_preparer_alone_is_asked_where_the_rules_leave_out_everybody(harness: PowerCut, gate: Any) -> None:
    owner = accounts.owner(harness.home)
    rules = Approvers(1, (), (owner,))
    assert with_owner(rules, {owner, BEN}, owner) == rules  # there is somebody else
    alone = with_owner(rules, {owner}, owner)
    assert may_not(alone, owner) == ""
    assert alone.why_owner.endswith("whose data folder this is: its rules leave out everybody.")
    assert with_owner(Approvers(1, (BEN,), (BEN,)), {owner, BEN}, owner).owner == owner
    assert with_owner(ANYBODY, set(), owner) == ANYBODY
    ruled(harness, gate, **{"from": ["user:zoe"], "not": [BEN]})
    give(harness, gate, "user:zoe", owner)  # may be given to the owner, and to nobody whom the rules do not name
    assert "Only Zoe may decide this." in refused(harness, NotAllowed, lambda: give(harness, gate, owner, CARLA))
    assert harness.decide(Verdict.REJECTED, gate, principal=owner, comment="no").by == owner


# ---------------------------------------------------------------------------------------------------- what people hear


def heard(harness: PowerCut, me: str | None) -> list[str]:
    """What a channel would tell now."""
    return [word.text for word in unheard(harness.database.reader, "window", now(harness), me)]


def test_a_snoozed_gate_is_not_told_until_it_is_back_and_a_given_one_to_whom_it_asks(
    harness: PowerCut, gate: Any
) -> None:
    assert heard(harness, ANNA) == heard(harness, None) == ["Needs you: Pay two"]
    snoozing.snooze(harness.database, "g-1", ANNA, now(harness) + HOUR)
    assert (heard(harness, ANNA), heard(harness, BEN), heard(harness, None)) == ([], ["Needs you: Pay two"], [])
    harness.clock.advance(timedelta(hours=1))
    assert heard(harness, ANNA) == ["Needs you: Pay two"]
    give(harness, gate, ANNA, BEN)
    assert (heard(harness, ANNA), heard(harness, BEN)) == ([], ["Needs you: Pay two"])
    assert harness.advance() == RunState.WAITING
    assert decide(harness.database, harness.blobs, "g-1", Wish(Verdict.APPROVED, BEN)).by == BEN
