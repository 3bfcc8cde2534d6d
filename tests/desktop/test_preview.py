"""Space looks at what has the focus: a row of evidence, a file, a template; in a list it reads on beside it. It never decides."""

from collections.abc import Callable
from datetime import date
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractScrollArea, QWidget

from counterfoil.desktop.gate.evidence import TableSection
from counterfoil.desktop.gate.files import FileCard
from counterfoil.desktop.gate.row_sheet import named_in
from counterfoil.desktop.gate.sources import PagePicture
from counterfoil.desktop.tables.table import from_texts
from desktop import figures
from desktop.conftest import Desk, MakeDesk

SPACE, ESCAPE = Qt.Key.Key_Space, Qt.Key.Key_Escape


@pytest.fixture
def batch(desk: Desk) -> Desk:
    """The payment file is open."""
    desk.office.add(figures.batch(), figures=figures.BATCH_FIGURES, bodies=figures.BODIES)
    desk.window.show_gate(f"{82:032x}")
    desk.later()
    return desk


def detail(desk: Desk) -> Any:
    return desk.window.pages["inbox"].detail


def table(desk: Desk, title: str) -> TableSection:
    parts: list[TableSection] = detail(desk).page.findChildren(TableSection)
    return next(one for one in parts if one.section.title == title)


def test_a_row_is_shown_whole_with_the_page_that_it_came_from(
    batch: Desk, shots: Callable[[QWidget, str], None]
) -> None:
    checks = table(batch, "Checks")
    checks.table.setFocus()
    checks.table.setCurrentIndex(checks.adapter.index(1, 0))
    batch.press(SPACE, on=checks.table)
    sheet = detail(batch).sheet
    assert sheet.accessibleName() == "Checks"
    said = " ".join(one.accessibleName() for one in sheet.findChildren(QWidget) if one.accessibleName())
    assert "Detail: The profile has no lines." in said
    shots(batch.window, "preview-row")
    batch.press(Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    assert batch.decisions() == []
    batch.press(ESCAPE)
    assert detail(batch).sheet is None


def test_in_a_table_whose_rows_are_held_space_holds_and_enter_looks(batch: Desk) -> None:
    payments = table(batch, "Payments")
    payments.table.setCurrentIndex(payments.adapter.index(0, 1))
    batch.press(SPACE, on=payments.table)
    assert detail(batch).session.held == (1,)
    assert detail(batch).sheet is None
    payments.table.activated.emit(payments.adapter.index(0, 1))
    batch.settle()
    assert detail(batch).sheet is not None
    batch.window.show_gate(f"{79:032x}")  # it goes with its gate
    batch.later()
    assert detail(batch).sheet is None


def test_a_source_that_a_row_names_comes_with_its_page_and_box(
    batch: Desk, shots: Callable[[QWidget, str], None]
) -> None:
    entry = figures.invoice_page()
    cells = ["Brightwater", "invoices/BW-7741.pdf", "invoices/other.pdf", "a b.pdf"]
    shown = from_texts(("supplier", "file", "copy", "said"), [cells], date(2026, 11, 30))
    (line,) = shown.lines
    found = named_in(line, [entry])
    assert [one["title"] for one in found] == ["BW-7741.pdf", "other.pdf", "a b.pdf"]
    assert found[0]["data"]["boxes"]
    detail(batch).page.looked_at.emit(("Checks", shown, line))
    batch.settle()
    pictures = detail(batch).sheet.findChildren(PagePicture)
    assert len(pictures) == 3
    assert all(one.width() > one.sizeHint().width() for one in pictures)
    assert all(one.height() == one.heightForWidth(one.width()) for one in pictures), "a page keeps its shape"
    shots(batch.window, "preview-source")


def test_a_file_is_shown_whole_and_as_its_changes_again(batch: Desk) -> None:
    card = next(one for one in detail(batch).page.findChildren(FileCard) if one._tabs is not None)
    card.setFocus()
    for key, which in ((SPACE, "whole"), (SPACE, "changes"), (SPACE, "whole"), (ESCAPE, "changes")):
        batch.press(key, on=card)
        assert card._tabs is not None
        assert card._tabs.chosen == which


def test_in_a_list_space_reads_on_beside_it_and_the_focus_stays(make_desk: MakeDesk) -> None:
    desk = make_desk(size=(1100, 700))
    desk.later()
    page = desk.window.pages["inbox"]
    page.go_to_gate(f"{81:032x}")
    desk.later()
    view = page.panes()[0]
    view.setFocus()
    moved: list[int] = []
    for bar in (one.verticalScrollBar() for one in page.detail.findChildren(QAbstractScrollArea) if one.isVisible()):
        bar.valueChanged.connect(moved.append)
    desk.press(SPACE, on=view)
    assert moved
    assert moved[-1] > 0
    desk.press(SPACE, Qt.KeyboardModifier.ShiftModifier, on=view)
    assert moved[-1] == 0
    assert desk.focus() is view
    assert desk.decisions() == []


def test_in_the_list_of_runs_it_does_too(desk: Desk) -> None:
    desk.window.show_page("runs")
    desk.settle()
    page = desk.window.pages["runs"]
    asked: list[bool] = []
    page.view.reading.connect(asked.append)
    page.view.setFocus()
    desk.press(SPACE, on=page.view)
    desk.press(SPACE, Qt.KeyboardModifier.ShiftModifier, on=page.view)
    assert asked == [False, True]


def test_a_template_is_looked_at_before_it_is_run(desk: Desk, shots: Callable[[QWidget, str], None]) -> None:
    desk.window.show_page("templates")
    desk.settle()
    gallery = desk.window.pages["templates"].gallery
    card = gallery.cards[0]
    card.setFocus()
    desk.press(SPACE, on=card)
    assert gallery.sheet is not None
    shots(desk.window, "preview-template")
    desk.press(ESCAPE)
    assert gallery.sheet is None
    assert desk.focus() is card
