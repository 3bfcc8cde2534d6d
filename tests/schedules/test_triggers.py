"""What starts a routine beside time: files that have settled, each once over restarts; the end of another run."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from counterfoil.errors import NotReady, WrongRule
from counterfoil.facts import FiringOrigin, RunState
from counterfoil.inbox.pausing import pause_everything
from counterfoil.schedules.documents import log_documents
from counterfoil.schedules.keeping import Wanted, add, run_now
from counterfoil.schedules.policies import policy_of
from counterfoil.schedules.rules import rule_of
from counterfoil.schedules.scanning import Starter
from counterfoil.schedules.telling import notice_sentences
from counterfoil.schedules.triggers import Triggers
from counterfoil.schedules.wording import say
from counterfoil.store import firings, runs, schedules
from counterfoil.store.transactions import Row, Txn
from schedules.routines import Desk, bare_run, bare_version


class Place:
    """A workspace with an inbox that a routine watches, and what its runs were given."""

    def __init__(self, desk: Desk, folder: Path) -> None:
        self.desk = desk
        self.folder = folder / "files"
        (self.folder / "Inbox").mkdir(parents=True)
        self.given: list[list[str]] = []
        self.again()

    def again(self) -> None:
        """As after a restart of the runner."""
        self.triggers = Triggers(self.desk.database, self._starter, self._prepare)

    def _prepare(self, rows: Sequence[Row]) -> None:
        pass

    def _starter(self, values: Mapping[str, Any]) -> Starter:
        def start(txn: Txn, schedule: Row, planned_us: int) -> Row:
            self.given.append(list(values.get("documents", [])))
            return bare_run(txn, schedule, planned_us)

        return start

    def add(self, name: str = "intake", rule: dict[str, Any] | None = None, template: str = "report") -> str:
        """Keep a routine that starts so."""
        form = rule or {"kind": "folder", "path": "Inbox", "pattern": "*.pdf", "into": "documents"}
        wanted = Wanted(name, template, str(self.folder), rule_of(form), "UTC", policy_of({}), {})
        return str(self.desk.database.transact(lambda txn: add(txn, wanted, "user:anna"))["schedule_id"])

    def put(self, name: str, text: str = "x") -> None:
        """A file arrives."""
        (self.folder / "Inbox" / name).write_text(text)

    def look(self, after: int = 20) -> int:
        """One look so many seconds later; how many runs it started."""
        self.desk.clock.advance(timedelta(seconds=after))
        return len(self.triggers.look())

    def end_runs(self) -> None:
        """Every run of the home is done."""

        def operation(txn: Txn) -> None:
            for row in runs.in_state(txn.conn, [RunState.READY]):
                runs.move(txn, row["run_id"], RunState.RUNNING)
                runs.move(txn, row["run_id"], RunState.DONE, ended_at=txn.now_us)

        self.desk.database.transact(operation)

    def run_of(self, template: str) -> None:
        """A run of a template in the workspace that has ended well."""

        def operation(txn: Txn) -> None:
            bare_version(txn)
            made = runs.NewRun(template, "v" * 64, str(self.folder), template, "{}", "user:anna", "0")
            run = runs.create(txn, made)
            runs.move(txn, run["run_id"], RunState.RUNNING)
            runs.move(txn, run["run_id"], RunState.DONE, ended_at=txn.now_us)

        self.desk.database.transact(operation)


@pytest.fixture
def place(desk: Desk, tmp_path: Path) -> Place:
    return Place(desk, tmp_path)


def test_one_run_gets_exactly_the_files_that_have_settled_and_each_once(place: Place) -> None:
    place.put("old.pdf")
    kept = place.add()
    place.put("b.pdf")
    place.put("a.PDF")
    for name in (".hidden.pdf", "~$open.pdf", "notes.txt", "c.pdf.part"):
        place.put(name)
    (place.folder / "Inbox/link.pdf").symlink_to("old.pdf")
    assert place.look() == 0
    assert (place.look(), place.look()) == (0, 1)  # 40 s after it was seen first
    assert place.given == [["Inbox/a.PDF", "Inbox/b.pdf"]]
    place.end_runs()
    place.again()
    assert [place.look(), place.look(60), place.look(60)] == [0, 0, 0]
    place.put("b.pdf", "another one of that name")
    place.look()
    assert place.look(40) == 1
    assert place.given[1] == ["Inbox/b.pdf"]
    (row,) = schedules.living(place.desk.database.reader)
    newest = log_documents(place.desk.database.reader, row, 1)[0]
    assert (newest["state"], newest["reason"]) == ("started", "1 new file in Inbox")
    assert firings.newest(place.desk.database.reader, kept, 1)[0]["origin"] == FiringOrigin.FOLDER


def test_a_file_that_grows_is_waited_for_but_not_for_ever(place: Place) -> None:
    place.add()
    place.put("whole.pdf")
    for round_number in range(5):
        place.put("growing.pdf", "x" * (round_number + 1))
        assert place.look(40) == 0
    place.put("growing.pdf", "still more")
    place.desk.clock.advance(timedelta(seconds=200))
    assert place.look() == 1
    assert place.given == [["Inbox/whole.pdf"]]


def test_while_a_run_is_open_or_everything_is_paused_files_stay_for_later(place: Place) -> None:
    place.add()
    place.put("a.pdf")
    place.look()
    assert place.look(40) == 1
    place.put("b.pdf")
    place.look()
    assert place.look(40) == 0
    place.end_runs()
    place.desk.database.transact(lambda txn: pause_everything(txn, "user:anna"))
    assert place.look() == 0
    assert place.given == [["Inbox/a.pdf"]]


def test_a_folder_that_is_gone_is_told_and_nothing_is_kept_of_a_rule_for_one(place: Place) -> None:
    with pytest.raises(NotReady, match="cannot be looked into"):
        place.add("other", {"kind": "folder", "path": "Nowhere"})
    assert [row["name"] for row in schedules.living(place.desk.database.reader)] == []
    place.add()
    (place.folder / "Inbox").rmdir()
    assert place.look() == 0
    assert "cannot be looked into: No such file or directory." in notice_sentences(place.desk.database.reader)[0]


def test_the_end_of_another_run_starts_one_for_each_and_none_for_those_before(place: Place) -> None:
    place.run_of("pay-invoices")
    place.desk.clock.advance(timedelta(seconds=1))
    kept = place.add("after", {"kind": "after", "template": "pay-invoices"})
    assert place.look() == 0
    place.run_of("pay-invoices")
    place.run_of("other")
    assert place.look() == 1
    place.again()
    place.end_runs()
    assert place.look() == 0
    (row,) = firings.newest(place.desk.database.reader, kept, 5)
    assert (row["origin"], row["reason"]) == (FiringOrigin.RUN, "after run 2 of pay-invoices")
    run = runs.get(place.desk.database.reader, row["run_id"])
    assert run["planned_at"] == runs.page(place.desk.database.reader, limit=9)[2]["ended_at"]


def test_runs_that_would_start_themselves_are_refused(place: Place) -> None:
    place.add("one", {"kind": "after", "template": "a"}, "b")
    place.add("two", {"kind": "after", "template": "b"}, "c")
    with pytest.raises(WrongRule, match="would start itself again"):
        place.add("three", {"kind": "after", "template": "c"}, "a")
    with pytest.raises(WrongRule, match="would start itself again"):
        place.add("four", {"kind": "after", "template": "a"}, "a")
    place.add("five", {"kind": "after", "template": "c"}, "d")


def test_a_run_by_hand_stands_beside_them(place: Place) -> None:
    kept = place.add()
    row = schedules.get(place.desk.database.reader, kept)
    place.desk.database.transact(lambda txn: run_now(txn, row, bare_run, "user:anna"))
    assert place.desk.scan(kept).started == []
    assert json.loads(schedules.get(place.desk.database.reader, kept)["rule"])["kind"] == "folder"


@pytest.mark.parametrize(
    "form, message",
    [
        ({"kind": "folder", "path": "../x"}, "path is a folder below the workspace"),
        ({"kind": "folder", "path": "x", "pattern": "a/*.pdf"}, "pattern is of names"),
        ({"kind": "folder", "path": "x", "gap": "skip"}, "gap means nothing where files or another run start it"),
        ({"kind": "after", "template": "a", "holidays": ["2026-12-25"]}, "holidays means nothing"),
    ],
)
def test_rules_that_cannot_be_meant_are_refused(form: dict[str, Any], message: str) -> None:
    with pytest.raises(WrongRule, match=message):
        rule_of(form)


def test_they_are_said_in_words() -> None:
    assert (
        say(rule_of({"kind": "folder", "path": "Inbox", "pattern": "*.pdf"}))
        == "when new files *.pdf have come into Inbox"
    )
    assert say(rule_of({"kind": "after", "template": "pay-invoices"})) == "when a run of pay-invoices is done"
