"""“Use another file…” on a real data folder, and earlier answers: tried, taken back in time and told wherever it is asked again."""

from collections.abc import Generator
from datetime import date, timedelta
from pathlib import Path

import pytest

from counterfoil import Field, Params, approve, ask, files, step, workflow
from counterfoil.desktop.gate.reading import read
from counterfoil.desktop.gate.session import Session
from counterfoil.desktop.real_office.office import RealOffice
from counterfoil.desktop.runs.result import given_lines
from counterfoil.errors import WrongAnswer
from counterfoil.facts import RunState
from counterfoil.testing import Harness

NAME = "statement-nov.csv"


class Nothing(Params):
    pass


@step
def total() -> int:
    rows = files().read(NAME).decode().splitlines()
    if rows[0] != "Amount":
        raise ValueError("the column ‘Amount’ is missing")
    return sum(map(int, rows[1:]))


@workflow("books")
async def books(p: Nothing) -> None:
    await approve(f"Book {await total()}")


@pytest.fixture
def harness(tmp_path: Path) -> Generator[Harness]:
    """A run that waits for its file to be put right."""
    workspace = tmp_path / "files"
    workspace.mkdir()
    (workspace / NAME).write_text("Sum\n1\n")
    (tmp_path / "fixed.csv").write_text("Amount\n7\n")
    made = Harness(workspace, home=tmp_path / "home")
    made.start(books)
    assert made.advance() == RunState.WAITING
    yield made
    made.close()


def test_what_is_given_is_tried_and_told(harness: Harness, tmp_path: Path) -> None:
    office = RealOffice(harness.home, harness.clock)
    try:
        gate_id = harness.gate()["gate_id"]
        seen = office.gate(gate_id)
        assert seen.about["files"] == [NAME]
        session = Session(read(seen, date(2026, 11, 30)), 0)
        with pytest.raises(WrongAnswer, match="is a folder") as refused:
            office.decide(session.with_file(NAME, str(tmp_path / "files")))
        assert refused.value.next_step == "Choose another file."
        office.decide(session.with_file(NAME, str(tmp_path / "fixed.csv")))
        office.void(gate_id)  # taken back in its time, nothing is given
        assert harness.advance() == RunState.WAITING
        assert harness.gate()["gate_id"] == gate_id
        office.decide(session.with_file(NAME, str(tmp_path / "fixed.csv")))
        harness.tick(timedelta(minutes=1))
        assert harness.advance() == RunState.WAITING
        after = office.gate(harness.gate()["gate_id"])
        assert after.document["title"] == "Book 7"
        assert after.sent_back.endswith(
            "Whether it asks again, its workflow decides."
        )  # its version says nothing of it
        (line,) = [line for line in after.story if NAME in line]
        assert line.split(" ", 1)[1].startswith("You gave fixed.csv (seal ")
        run = office.run(harness.run_id)
        (told,) = given_lines(run, harness.clock.now_us())
        assert told.startswith("You gave fixed.csv (seal ")
        assert office.step_kept(harness.run_id, "", 0, 1).origin.startswith("done with fixed.csv (seal ")
        assert office.gate(gate_id).document["state"] == "decided"
    finally:
        office.close()


def test_what_was_answered_before_is_told_with_what_was_answered(harness: Harness, tmp_path: Path) -> None:
    (tmp_path / "still.csv").write_text("Sum\n1\n")
    harness.answer(choice="retry")
    assert harness.advance() == RunState.WAITING
    harness.answer(choice="retry", file=str(tmp_path / "still.csv"))
    assert harness.advance() == RunState.WAITING
    office = RealOffice(harness.home, harness.clock)
    try:
        newest, first = office.gate(harness.gate()["gate_id"]).prior
        assert first.endswith(": ‘try again’.")
        assert ": ‘try again, still.csv (seal " in newest
    finally:
        office.close()


@step
def nothing() -> None:
    return


@workflow("asks")
async def asks(p: Nothing) -> None:
    for _ in range(2):
        await nothing()
        await ask("Which account pays?", [Field(name="account"), Field(name="tell", type="boolean")])


def test_a_question_is_asked_again_with_the_first_answer_in_this_run_and_in_the_next(harness: Harness) -> None:
    harness.start(asks)
    assert harness.advance() == RunState.WAITING
    harness.answer(account="Current", tell=True)
    assert harness.advance() == RunState.WAITING
    office = RealOffice(harness.home, harness.clock)
    try:
        (told,) = office.gate(harness.gate()["gate_id"]).prior
        assert told.endswith(": ‘Current, yes’.")
        harness.answer(account="Savings")
        harness.advance()
        harness.start(asks)
        harness.advance()
        assert [one.split(": ", 1)[1] for one in office.gate(harness.gate()["gate_id"]).prior] == [
            "‘Savings’. That was run 2.",
            "‘Current, yes’. That was run 2.",
        ]
    finally:
        office.close()
