"""The gate “Files changed” in the window: a row per file with its three sides, and a button that counts what it will do."""

from collections.abc import Generator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from counterfoil import Params, append_rows, approve, workflow, write_file
from counterfoil.desktop.gate.reading import Reading, read
from counterfoil.desktop.gate.session import READY, Session
from counterfoil.desktop.office import Tab
from counterfoil.desktop.real_office.office import RealOffice
from counterfoil.desktop.words.choices import counted_files
from counterfoil.desktop.words.times import local
from counterfoil.facts import RunState
from counterfoil.testing import Harness


class Nothing(Params):
    pass


@workflow("both")
async def both(p: Nothing) -> list[Any]:
    plan = [write_file("out.txt", "new"), append_rows("rows.csv", [{"a": 1}], columns=["a"])]
    return await (await approve("Write both", plan=plan)).perform()


@pytest.fixture
def harness(tmp_path: Path) -> Generator[Harness]:
    folder = tmp_path / "files"
    folder.mkdir()
    (folder / "rows.csv").write_text("a\n0\n")
    made = Harness(folder, home=tmp_path / "home")
    made.start(both)
    made.advance()
    made.approve()
    yield made
    made.close()


def reading_of(harness: Harness) -> Reading:
    """The open gate as the window reads it."""
    office = RealOffice(harness.home, clock=harness.clock)
    seen = office.gate(harness.gate()["gate_id"])
    office.close()
    return read(seen, local(harness.clock.now_us()).date())


def test_each_file_is_a_row_with_its_three_sides(harness: Harness) -> None:
    (harness.workspace / "rows.csv").write_text("a\n0\nsomebody\n")
    (harness.workspace / "out.txt").write_text("theirs")
    harness.advance()
    reading = reading_of(harness)
    assert reading.title == "2 files changed in your folder. Nothing has been written."
    assert [row.title for row in reading.answers] == ["out.txt", "rows.csv"]
    out, rows = reading.answers
    assert (out.choices, rows.field) == (("keep", "use", "both"), "choice.rows.csv")
    assert [fact.name for fact in rows.facts] == ["Before", "Yours now", "The run's", "Both"]
    assert rows.facts[2].value.startswith("Add 1 row. ")
    assert rows.facts[3].value == "Yours stays; the run's goes beside it as rows (run 1).csv"
    assert out.facts[0].value == "not there"
    assert reading.form == ()
    assert [section.kind for section in reading.sections if section.kind == "fields"] == []
    office = RealOffice(harness.home, clock=harness.clock)
    approved = office.gate(office.inbox(Tab.DECIDED, None)[0].gate_id)
    office.close()
    assert [(one.state, one.words.partition(": ")[2]) for one in approved.after] == [
        ("waiting", "not done. Files changed in your folder, which another gate asks about."),
        ("waiting", "not begun yet."),
    ]


def test_button_counts_and_its_answer_is_carried_out(harness: Harness) -> None:
    (harness.workspace / "rows.csv").write_text("a\n0\nsomebody\n")
    (harness.workspace / "out.txt").write_text("theirs")
    harness.advance()
    session = Session(reading_of(harness), 0)
    assert session.primary().words == "Answer 2 rows first"
    session.choose("out.txt", "keep")
    session.choose("rows.csv", "use")
    primary = session.primary()
    assert (primary.words, primary.state) == ("Use the run's for 1, keep 1", READY)
    office = RealOffice(harness.home, clock=harness.clock)
    made = office.decide(session.answer())
    office.close()
    assert made.verdict == "answered"
    harness.tick(timedelta(seconds=6))
    assert harness.advance() == RunState.DONE
    assert (harness.workspace / "out.txt").read_text() == "theirs"
    assert (harness.workspace / "rows.csv").read_text() == "a\n0\nsomebody\n1\n"


def test_another_folder_is_one_row(harness: Harness, tmp_path: Path) -> None:
    harness.workspace.rename(tmp_path / "moved")
    harness.workspace.mkdir()
    (harness.workspace / "rows.csv").write_text("a\n0\n")
    harness.advance()
    session = Session(reading_of(harness), 0)
    (row,) = session.reading.answers
    assert (row.field, row.choices) == ("choice", ("keep", "use"))
    session.choose(row.key, "use")
    assert session.primary().words == "Use the run's"
    assert session.answer().values == {"choice": "use"}


@pytest.mark.parametrize(
    "values, words",
    [
        (["use", "use"], "Use the run's"),
        (["keep"], "Keep the folder's"),
        (["both"], "Keep both"),
        (["use", "keep"], "Use the run's for 1, keep 1"),
        (["both", "keep", "keep"], "Keep 2, both of 1"),
    ],
)
def test_words_of_the_button(values: list[str], words: str) -> None:
    assert counted_files(values) == words
