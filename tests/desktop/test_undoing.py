"""Putting back what a run did to files: seen file by file before it is done, with a reason, from the run and from the first card."""

from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPushButton

from counterfoil.desktop.bridge import Trouble
from counterfoil.desktop.gate.files import FileCard
from counterfoil.desktop.inbox.welcome import WelcomeCard
from counterfoil.desktop.office import Part, Progress
from counterfoil.desktop.parts.boxes import Banner
from counterfoil.desktop.parts.buttons import Button
from counterfoil.desktop.run_facts import UndoFile, Undoing, UndoLook
from counterfoil.desktop.runs.undo_sheet import UndoSheet
from counterfoil.desktop.tables.view import TableView
from counterfoil.errors import GateClosed, UndoRefused
from desktop.conftest import Desk
from desktop.figures import NOW
from desktop.test_pages import texts

RUN = f"{5:032x}"
ALL = UndoLook(
    files=(
        UndoFile("ledger.csv", "Becomes what it was"),
        UndoFile("archive/2026-11/BW-7741.pdf", "Moves back from archive/2026-11/BW-7741.pdf"),
        UndoFile("payments/r-5.xml", "Is removed: it was not there before"),
    ),
    words=("1 file becomes what it was, 1 file moves back and 1 file is removed: it was not there before.",),
    can=3,
)
CHANGED = "ledger.csv was changed at 11:20."
SOME = UndoLook(
    files=(UndoFile("ledger.csv", "Becomes what it was", CHANGED), *ALL.files[1:]),
    words=(f"{CHANGED} The other 2 files can be put back.",),
    can=2,
)
NONE = UndoLook(files=SOME.files[:1], words=(f"{CHANGED} Nothing can be put back.",), can=0)


@pytest.fixture
def run(desk: Desk) -> Any:
    """The page of a run that is done."""
    desk.window.show_page("runs")
    desk.settle()
    page = desk.window.pages["runs"]
    page.show_run(RUN)
    desk.settle()
    return page.detail


def rows_of(sheet: UndoSheet) -> list[tuple[str, ...]]:
    """The rows of the sheet's table, with what stands below their first cell."""
    (table,) = sheet.findChildren(TableView)
    return [(*line.texts, line.note) for line in table.adapter.lines]


def test_it_says_what_becomes_of_each_file_and_asks_why(desk: Desk, run: Any) -> None:
    desk.office.undo_look = ALL
    desk.click(run.undo)
    sheet: UndoSheet = run.sheet
    assert ALL.words[0] in texts(sheet)
    assert rows_of(sheet) == [(file.path, file.will, "") for file in ALL.files]
    assert "stays sent" not in texts(sheet)
    assert (sheet.act.isEnabled(), sheet.act.text()) == (False, "Give a reason first")
    desk.press(Qt.Key.Key_Escape)
    assert not any(act == "undo_run" for act, _ in desk.office.log)
    desk.click(run.undo)
    again: UndoSheet = run.sheet
    assert again is not sheet
    assert desk.focus() is again.reason
    desk.type("wrong month")
    assert again.act.text() == "Put back 3 files"
    desk.click(again.act)
    assert [what for act, what in desk.office.log if act == "undo_run"] == [(RUN, "wrong month", False)]
    assert "16 files will be put back in a moment." in texts(run)


def test_what_changed_since_stays_and_the_rest_can_go_back(desk: Desk, run: Any) -> None:
    desk.office.undo_look = SOME
    desk.click(run.undo)
    assert SOME.words[0] in texts(run.sheet)
    assert rows_of(run.sheet)[0] == ("ledger.csv", "Stays as it is", "Was changed at 11:20.")
    desk.type("wrong month")
    assert run.sheet.act.text() == "Put back the other 2"
    desk.click(run.sheet.act)
    assert ("undo_run", (RUN, "wrong month", True)) in desk.office.log


def test_a_file_that_changed_is_compared(desk: Desk, run: Any) -> None:
    met = tuple(
        UndoFile(f"{name}.csv", "Becomes what it was", f"{name}.csv was changed.", f"{name}.csv") for name in "abcde"
    )
    desk.office.undo_look = UndoLook(files=(*met, *ALL.files[1:]), words=("They were changed.",), can=2)
    desk.click(run.undo)
    sheet: UndoSheet = run.sheet
    offered = [button for button in sheet.findChildren(QPushButton) if button.accessibleName().startswith("Compare")]
    assert [button.accessibleName() for button in offered] == ["Compare a.csv", "Compare b.csv", "Compare c.csv"]
    assert "5 files changed since. A double click on one in the list, or Enter, compares it." in texts(sheet)
    desk.type("wrong month")
    desk.click(offered[1])
    assert ("compare_undo", (RUN, "b.csv")) in desk.office.log
    (card,) = sheet.findChildren(FileCard)
    assert card.accessibleName() == "b.csv: 18.2 kB now"
    assert "A new text of 4 lines." in texts(card)
    (table,) = [one for one in sheet.findChildren(TableView) if one.accessibleName() == "Files of this run"]
    table.opened.emit(5)
    desk.settle()
    assert [one.accessibleName() for one in sheet.findChildren(FileCard) if one.isVisible()] == ["e.csv: 18.2 kB now"]
    table.opened.emit(6)
    assert [what for act, what in desk.office.log if act == "compare_undo"] == [(RUN, "b.csv"), (RUN, "e.csv")]
    assert (sheet.reason.text(), sheet.act.text()) == ("wrong month", "Put back the other 2")


def test_where_nothing_can_go_back_nothing_is_offered(desk: Desk, run: Any) -> None:
    desk.office.undo_look = NONE
    desk.click(run.undo)
    assert NONE.words[0] in texts(run.sheet)
    assert not run.sheet.act.isVisible()
    desk.click(run.sheet.close_button)
    desk.office.undo_look = UndoLook("Its files are being put back already.")
    desk.click(run.undo)
    assert "Its files are being put back already." in texts(run.sheet)
    assert not run.sheet.act.isVisible()


def test_a_refusal_is_said_on_the_page(desk: Desk, run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> str:
        raise UndoRefused(f"{CHANGED} Nothing was put back.", "")

    desk.office.undo_look = ALL
    monkeypatch.setattr(desk.office, "undo_run", refuse)
    desk.click(run.undo)
    desk.type("wrong month")
    desk.press(Qt.Key.Key_Return)
    desk.click(run.sheet.act)
    assert f"{CHANGED} Nothing was put back." in texts(run)


def test_the_page_says_what_became_of_it(desk: Desk, run: Any) -> None:
    desk.office.undoings = [Undoing("asked", "Putting back 3 files…", "you", "wrong month")]
    desk.bridge.changed_now(Part.RUNS)
    desk.settle()
    assert "Putting back 3 files…" in texts(run)
    assert not run.undo.isVisible()
    desk.office.undoings = [Undoing("done", "3 files are put back.", "you", "wrong month", NOW - 60_000_000)]
    desk.bridge.changed_now(Part.RUNS)
    desk.settle()
    assert "3 files are put back. Undone by you 1 min ago." in texts(run)
    assert "‘wrong month’" in texts(run)
    assert "Putting back" not in texts(run)


def test_the_card_of_the_first_run_undoes_it(desk: Desk) -> None:
    office = desk.office
    card = WelcomeCard(desk.bridge, isolation="L3")
    card.run_id = RUN
    desk.window.pages["inbox"].welcome(card)
    card.show_result(
        Progress(RUN, "done", "Done", result={"summary": "payments.xml is written."}, may_undo=True), "/tmp"
    )
    desk.settle()
    undo = next(button for button in card.findChildren(QPushButton) if "Undo" in button.accessibleName())
    office.undo_look = ALL
    office.undoings = [
        Undoing("asked", "Putting back 3 files…", "you"),
        Undoing("done", "3 files are put back.", "you"),
    ]
    desk.click(undo)
    desk.type("only a try")
    assert card.sheet is not None
    desk.click(card.sheet.act)
    assert ("undo_run", (RUN, "only a try", False)) in office.log
    for _ in range(2):
        card._look_at_undoing()
        desk.settle()
    assert "3 files are put back." in texts(card)
    assert desk.focus() is card.card
    assert "The folder is as it was before this run." in texts(card)
    assert [button.accessibleName() for button in card.findChildren(QPushButton) if button.isVisible()][:2] == [
        "Open folder",
        "See every step",
    ]
    assert not card._undo_looks.isActive()


@pytest.mark.parametrize("look", [ALL, NONE], ids=["something goes back", "nothing does"])
def test_a_decision_that_stands_leads_to_the_files_where_some_can_be_put_back(
    desk: Desk, look: UndoLook, monkeypatch: pytest.MonkeyPatch
) -> None:
    def late(gate_id: str) -> None:
        raise GateClosed("Too late to take back: step 8 began 2 s ago.", "See what can be undone on the run.")

    office, detail = desk.office, desk.window.pages["inbox"].detail
    office.undo_look = look
    monkeypatch.setattr(office, "void", late)
    desk.click(detail.bar.primary)
    desk.click(detail.bar.undo)
    desk.settle()
    banner = next(one for one in detail.findChildren(Banner) if one.words.text().startswith("Too late"))
    assert banner.words.text() == "Too late to take back: step 8 began 2 s ago."
    page, gate_id = detail.page, detail.gate_id
    office.documents[gate_id] = {**office.documents[gate_id], "closed_why": "the run goes on"}
    detail.look()
    desk.settle()
    assert detail.page is not page
    assert banner.isVisible()
    detail.deciding.late.said.emit(
        "another gate", Banner("bad", "Of another gate"), Trouble("Too late", "", "gate_closed")
    )
    assert [one.words.text() for one in detail.findChildren(Banner)].count("Of another gate") == 0
    buttons = [one for one in banner.findChildren(Button) if one.text().strip() == "Undo the files…"]
    assert len(buttons) == bool(look.can)
    for button in buttons:
        run_id = str(detail.session.reading.seen.document["run_id"])
        desk.click(button)
        desk.settle()
        runs = desk.window.pages["runs"]
        assert runs.detail.run_id == run_id
        assert isinstance(runs.detail.sheet, UndoSheet)
