"""What a person arranged is there next time: the line between list and detail, columns, views of runs. And days chosen, not typed."""

import dataclasses
import json
from pathlib import Path

import pytest
from PySide6.QtCore import QSettings, Qt
from PySide6.QtGui import QAccessible
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMenu, QWidget
from pytestqt.qtbot import QtBot

from counterfoil.desktop.parts.day_picker import DayPicker
from counterfoil.desktop.parts.form import FieldEditor
from counterfoil.desktop.parts.panes import ListAndDetail, as_width
from counterfoil.desktop.run_facts import Narrow
from counterfoil.desktop.runs.saved_views import SavedView, read_views, suggested
from counterfoil.desktop.tables.fitting import Fit, placed
from counterfoil.desktop.tables.table import Column
from counterfoil.desktop.theme import Theme
from desktop.conftest import Desk, MakeDesk
from desktop.figures import WORKSPACE

CTRL = Qt.KeyboardModifier.ControlModifier


def menu(desk: Desk) -> QMenu:
    """The menu that is open."""
    desk.settle()
    return next(one for one in desk.window.findChildren(QMenu) if one.isVisible())


def choose(desk: Desk, words: str) -> None:
    """Take an entry of the open menu."""
    shown = menu(desk)
    action = next(one for one in shown.actions() if one.text().startswith(words))
    assert action.isEnabled()
    action.trigger()
    shown.close()
    desk.settle()


# --------------------------------------------------------------------------------------------------------------- widths


@pytest.mark.parametrize("name", ["inbox", "runs"])
def test_the_line_between_list_and_detail_stays_where_it_was_put(make_desk: MakeDesk, name: str) -> None:
    desk = make_desk()
    desk.window.show_page(name)
    desk.settle()
    panels: ListAndDetail = desk.window.pages[name].panels
    usual = panels.sizes()[0]
    handle = panels.handle(1)
    middle = handle.rect().center()
    QTest.mousePress(handle, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, middle)
    QTest.mouseMove(handle, middle + middle.__class__(90, 0))
    QTest.mouseRelease(handle, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, middle)
    moved = panels.sizes()[0]
    assert moved > usual
    desk.window.resize(1300, 800)
    desk.settle()
    assert panels.sizes()[0] == moved
    desk.window.close()
    again = make_desk()
    again.window.show_page(name)
    again.settle()
    assert again.window.pages[name].panels.sizes()[0] == moved


def test_a_column_keeps_the_width_it_was_given(make_desk: MakeDesk) -> None:
    desk = make_desk()
    desk.window.show_page("trail")
    desk.settle()
    view = desk.window.pages["trail"].view
    who, what = view.columnWidth(1), view.columnWidth(2)
    view.horizontalHeader().resizeSection(1, who + 70)
    desk.settle()
    assert (view.columnWidth(1), view.columnWidth(2)) == (who + 70, what - 70)
    assert sum(view.fit.widths) == view.viewport().width()
    desk.window.close()
    again = make_desk()
    again.window.show_page("trail")
    again.settle()
    assert again.window.pages["trail"].view.columnWidth(1) == who + 70


def test_a_column_never_gets_so_narrow_that_something_in_it_is_cut() -> None:
    columns = (Column("Who"), Column("What"), Column("Amount", "amount", right=True), Column("Seal", "identifier"))
    usual = Fit(columns, (0, 1, 2, 3), (150, 400, 90, 120))
    narrow = placed(usual, {"Amount": 10, "Seal": 10})
    assert narrow.widths[2] == 90
    assert narrow.width == usual.width
    wide = placed(usual, {"Who": 5000})
    assert wide.width == usual.width
    assert wide.widths[2] == 90
    assert min(wide.widths) >= 90
    assert placed(usual, {"Somebody else's": 90}) == usual


@pytest.mark.parametrize("kept, width", [("372", 372), (None, 0), ("", 0), ("-4", 0), ("x", 0), ("9" * 40, 0)])
def test_a_width_that_was_kept_is_read_with_care(kept: object, width: int) -> None:
    assert as_width(kept) == width


# ---------------------------------------------------------------------------------------------------------------- views


def test_a_view_of_runs_is_saved_chosen_and_removed(make_desk: MakeDesk) -> None:
    desk = make_desk()
    desk.window.show_page("runs")
    desk.settle()
    runs = desk.window.pages["runs"]
    desk.click(runs.views)
    assert [action.isEnabled() for action in menu(desk).actions()] == [False]  # with words that say what to do first
    menu(desk).close()
    desk.click(runs.chips["done"])
    desk.click(runs.views)
    choose(desk, "Save this view…")
    assert runs.sheet.text() == "Done"
    runs.sheet.editor.setText("What is finished & kept")
    desk.click(runs.sheet.act)
    desk.click(runs.chips["all"])
    everything = runs.adapter.rowCount()
    desk.window.close()
    desk = make_desk()
    desk.window.show_page("runs")
    desk.settle()
    runs = desk.window.pages["runs"]
    assert runs.adapter.rowCount() == everything
    desk.press(Qt.Key.Key_K, CTRL)
    desk.type("finished")
    desk.press(Qt.Key.Key_Return)
    assert runs.chips["done"].isChecked()
    assert 0 < runs.adapter.rowCount() < everything
    desk.click(runs.views)
    assert menu(desk).actions()[0].isChecked()
    choose(desk, "Remove ‘What is finished && kept’")
    assert runs.views.saved == []


def test_a_view_of_the_same_name_takes_the_place_of_the_old_one(desk: Desk) -> None:
    desk.window.show_page("runs")
    views = desk.window.pages["runs"].views
    views.keep(SavedView("Mine", "done", ""))
    views.keep(SavedView("Other", "care", ""))
    views.keep(SavedView("Mine", "all", "mail"))
    assert views.saved == [SavedView("Mine", "all", "mail"), SavedView("Other", "care", "")]
    narrowed = SavedView("Letters", "done", "", Narrow("letters", "s1", 7, "/data/anna/Sales"))
    views.keep(narrowed)
    assert read_views(json.dumps([dataclasses.asdict(narrowed)])) == [narrowed]


def test_the_list_is_narrowed_to_a_template_and_says_so(make_desk: MakeDesk) -> None:
    desk = make_desk()
    desk.window.show_page("runs")
    desk.settle()
    runs = desk.window.pages["runs"]
    everything, chip = runs.adapter.rowCount(), runs.narrowing.chips["template"]
    assert chip.accessibleName() == "Any template: choose which runs are shown"
    assert not runs.narrowing.chips["schedule"].isVisible()  # there is none
    desk.click(chip)
    choose(desk, "Supplier payments")
    shown = {row.template for row in runs.adapter.rows}
    assert shown == {"Supplier payments"}
    assert runs.adapter.rowCount() < everything
    assert chip.accessibleName() == "Supplier payments: choose which runs are shown"
    runs.narrowing.chips["days"].picked.emit("days", "7")
    desk.settle()
    assert desk.office.narrowed[-1] == Narrow("Supplier payments", "", 7)
    desk.click(runs.views)
    choose(desk, "Save this view…")
    assert runs.sheet.text() == "Supplier payments, Last 7 days"
    desk.click(runs.sheet.act)
    desk.click(chip)
    choose(desk, "Any template")
    runs.show_view("Supplier payments, Last 7 days")
    desk.settle()
    assert {row.template for row in runs.adapter.rows} == {"Supplier payments"}
    runs._show_every()
    place = runs.narrowing.chips["workspace"]
    desk.click(place)
    choose(desk, "Sales")
    assert {row.workspace for row in runs.adapter.rows} <= {"/data/anna/Larkfield/Sales"}
    assert runs.narrowing.words() == ["Sales"]
    runs.choose_workspace(WORKSPACE)
    desk.settle()
    assert not place.isVisible()  # the window shows one alone


@pytest.mark.parametrize(
    "kept",
    ["", "{", "[1]", "{}", '[{"name": "a"}]', '[{"name": "a", "chip": "gone", "words": ""}]', '[{"name": "", "chip": "all", "words": ""}]'],
)  # fmt: skip
def test_views_that_cannot_be_read_are_left_out(kept: str) -> None:
    assert read_views(kept) == []


def test_a_view_is_called_by_what_it_shows() -> None:
    assert suggested(SavedView("", "care", "mail\nby Ann"), ()) == "mail by Ann, Needs care"
    assert suggested(SavedView("", "all", "mail"), ["Last 7 days"]) == "mail, Last 7 days"


# ----------------------------------------------------------------------------------------------------------------- days


@pytest.fixture
def due(qtbot: QtBot, theme: Theme) -> FieldEditor:
    """A field for a day."""
    made = FieldEditor({"name": "pay_on", "type": "date", "label": "Pay on", "required": True})
    qtbot.addWidget(made)
    made.fill("2026-12-01")
    made.show()
    made.activateWindow()
    return made


def picker(field: FieldEditor) -> DayPicker:
    """The month that is open."""
    return next(one for one in field.findChildren(DayPicker) if one.isVisible())


def test_a_day_is_chosen_by_keys_alone(qtbot: QtBot, due: FieldEditor) -> None:
    edited: list[str] = []
    due.edited.connect(edited.append)
    due.focus()
    QTest.keyClick(due._editor, Qt.Key.Key_F4)
    month = picker(due).month
    days = month.focusWidget()
    QTest.keyClick(days, Qt.Key.Key_Right)
    QTest.keyClick(days, Qt.Key.Key_Down)
    assert (due.text(), edited) == ("2026-12-01", [])  # nothing is taken over before Enter
    QTest.keyClick(days, Qt.Key.Key_Return)
    assert due.text() == "2026-12-09"
    assert edited == ["pay_on"]


def test_esc_leaves_the_day_as_it_was(due: FieldEditor) -> None:
    due._pick()
    month = picker(due).month
    QTest.keyClick(month.focusWidget(), Qt.Key.Key_Right)
    QTest.keyClick(picker(due), Qt.Key.Key_Escape)
    assert due.text() == "2026-12-01"
    assert not any(one.isVisible() for one in due.findChildren(DayPicker))


def test_every_control_of_the_month_has_a_name(due: FieldEditor) -> None:
    due.fill("half of it typ")
    due._pick()
    shown = picker(due)
    assert shown.month.selectedDate().isValid()
    assert shown.month.accessibleName() == "Choose pay on"
    unnamed = [
        one.objectName() or type(one).__name__
        for one in shown.month.findChildren(QWidget)
        if one.isVisible() and one.focusPolicy() != Qt.FocusPolicy.NoFocus and not _name(one)
    ]
    assert unnamed == []
    shown.close()


def _name(widget: QWidget) -> str:
    return QAccessible.queryAccessibleInterface(widget).text(QAccessible.Text.Name)


def test_widths_come_from_a_file_that_anybody_can_write(tmp_path: Path, qtbot: QtBot, theme: Theme) -> None:
    kept = tmp_path / "window.ini"
    kept.write_text("[inbox]\nlist=@Invalid()\n", encoding="utf-8")
    left, right = QWidget(), QWidget()
    panels = ListAndDetail(left, right)
    qtbot.addWidget(panels)
    panels.remember(QSettings(str(kept), QSettings.Format.IniFormat), "inbox/list")
    panels.resize(1200, 700)
    panels.show()
    assert panels.sizes()[0] == 372
