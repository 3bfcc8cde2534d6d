"""Every key that the window takes: each does what the list under `?` says, and the list names no other and forgets none."""

import dataclasses
from collections.abc import Callable

import pytest
from PySide6.QtCore import QEvent, QItemSelectionModel, Qt
from PySide6.QtGui import QGuiApplication, QKeyEvent, QShortcut
from PySide6.QtWidgets import QAbstractButton, QApplication, QLineEdit, QMenu

from counterfoil.desktop.commands import KEYS
from counterfoil.desktop.frame.sidebar import PAGES
from counterfoil.desktop.gate.evidence import TableSection
from counterfoil.desktop.gate.session import Session
from counterfoil.desktop.parts.sheet import Sheet
from desktop import figures
from desktop.conftest import Desk, MakeDesk
from desktop.fake_office import FakeOffice

CTRL, SHIFT, ALT = (
    Qt.KeyboardModifier.ControlModifier,
    Qt.KeyboardModifier.ShiftModifier,
    Qt.KeyboardModifier.AltModifier,
)
Key = Qt.Key


def session(desk: Desk) -> Session:
    found = desk.window.pages["inbox"].detail.session
    assert isinstance(found, Session)
    return found


def sheets(desk: Desk) -> list[str]:
    """What the sheets are called that can be seen."""
    return [one.title.text() for one in desk.window.findChildren(Sheet) if one.isVisible()]


def go(desk: Desk, number: int) -> None:
    """Show a gate, and let the moment pass in which its bar takes nothing."""
    desk.window.pages["inbox"].go_to_gate(f"{number:032x}")
    desk.settle()
    desk.later()


# ------------------------------------------------------------------------------------------------------------ the list


def test_the_list_of_keys_is_the_keys_there_are(desk: Desk) -> None:
    go(desk, 81)
    for name, _, _ in PAGES:
        desk.window.show_page(name)
        desk.settle()
    taken = {one.key().toString() for one in desk.window.findChildren(QShortcut)} - {"Ctrl+Enter"}  # the other Return
    told: set[str] = {"Ctrl+Return" if "Ctrl+Enter" in keys else "" for keys, _ in KEYS}
    arrows = {"↓": "Down", "↑": "Up"}
    for keys, _ in KEYS:
        for key in keys.split(" · "):
            first, dots, last = key.partition(" … ")
            head = first.removesuffix(first[-1])
            many = [f"{head}{n}" for n in range(int(first[-1]), int(last) + 1)] if dots else [key]
            told |= {f"{one[:-1]}{arrows.get(one[-1], one[-1])}" for one in many}
    assert {key for key in taken if key not in told and key != "F4"} == set()
    pages = next(does for keys, does in KEYS if keys.startswith("Ctrl+1"))
    assert pages.split(", ") == [words for _, words, _ in PAGES]
    assert {f"Ctrl+{n}" for n in range(1, len(PAGES) + 1)} <= told
    assert f"Ctrl+{len(PAGES) + 1}" not in told


@pytest.mark.parametrize("key", [Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space])
def test_a_button_with_the_focus_is_pressed_once(desk: Desk, key: Qt.Key) -> None:
    go(desk, 81)
    bar, asking = desk.window.pages["inbox"].detail.bar, desk.window.pages["inbox"].detail.deciding.asking
    bar.send_back.setFocus()
    held = QKeyEvent(QEvent.Type.KeyPress, key, Qt.KeyboardModifier.NoModifier, "", True)
    QApplication.sendEvent(bar.send_back, held)
    assert sheets(desk) == []  # a key that was held down in another place
    desk.press(key)
    assert sheets(desk) == ["Send back"]
    asking.dismiss()
    desk.window.sidebar.runner._face.setFocus()
    desk.press(key)
    assert desk.window.sidebar.runner._popover is not None


def test_a_letter_alone_or_with_alt_does_nothing_outside_a_field(make_desk: MakeDesk) -> None:
    """Also where an author's word holds an ampersand, of which Qt makes a key."""
    office = FakeOffice()
    fields = [figures.field("choice.1", type="choice", label="A", choices=["P&L", "hold"], required=True)]
    fields.append(figures.field("parts", type="list[choice]", label="Parts", choices=["R&D", "Sales"]))
    parts = [{"kind": "text", "title": title, "data": "Words", "source": None} for title in ("P&L", "R&D")]
    office.add(figures.gate(91, "question", "Which & why?", fields=fields, evidence=parts))
    desk = make_desk(office)
    go(desk, 91)
    page = desk.window.pages["inbox"]
    for here in (page.pane.view, page.detail.page.head.title, page.detail.bar.primary):
        here.setFocus()
        for letter in "ACDHLNPRSY":
            for held in ((), (ALT,)):
                desk.press(getattr(Key, f"Key_{letter}"), *held, on=here)
    assert session(desk).values == {}
    assert desk.decisions() == []
    made = [one for one in desk.window.findChildren(QAbstractButton) if not one.shortcut().isEmpty()]
    assert [(one.text(), one.shortcut().toString()) for one in made] == []
    segment = page.detail.page.answers.rows[0].choice.segments["P&L"]
    assert segment.text() == segment.accessibleName() == "P&L"


# ----------------------------------------------------------------------------------------------------------- each key


@pytest.mark.parametrize("number", range(1, len(PAGES) + 1))
def test_a_number_goes_to_its_page(desk: Desk, number: int) -> None:
    desk.press(getattr(Key, f"Key_{number}"), CTRL)
    assert desk.window.shown is desk.window.pages[PAGES[number - 1][0]]


def test_find_goes_to_the_field_of_the_page(desk: Desk) -> None:
    for name, _, _ in PAGES:
        desk.window.show_page(name)
        desk.settle()
        desk.window.sidebar.buttons[name].setFocus()
        desk.press(Key.Key_F, CTRL)
        if name not in ("schedules", "connectors"):  # pages of few rows, without a field
            assert isinstance(desk.focus(), QLineEdit), name
            assert desk.window.pages[name].isAncestorOf(desk.focus())


def test_the_workspaces_open(desk: Desk) -> None:
    desk.press(Key.Key_W, CTRL, SHIFT)
    menu = desk.window.sidebar.switcher.findChild(QMenu)
    assert isinstance(menu, QMenu)
    assert [action.text().partition("\t")[0] for action in menu.actions()][:2] == ["All workspaces", "Payables"]
    menu.close()


def test_arrows_home_end_and_enter_in_the_list(desk: Desk) -> None:
    page = desk.window.pages["inbox"]
    page.pane.view.setFocus()
    rows = [page.pane.adapter.gate_at(at) for at in range(page.pane.adapter.rowCount())]
    ids = [row.gate_id for row in rows if row is not None]
    for key, wanted in (
        (Key.Key_Home, ids[0]),
        (Key.Key_Down, ids[1]),
        (Key.Key_Up, ids[0]),
        (Key.Key_End, ids[-1]),
    ):
        desk.press(key)
        assert page.detail.gate_id == wanted
    desk.press(Key.Key_Return)
    assert desk.focus() is page.detail.page.head.title
    desk.press(Key.Key_Up, ALT)
    assert page.detail.gate_id == ids[-2]
    desk.press(Key.Key_Down, ALT)
    assert page.detail.gate_id == ids[-1]
    assert desk.decisions() == []


@pytest.mark.parametrize(
    "keys, sheet",
    [
        ((Key.Key_B, CTRL), "Send back"),
        ((Key.Key_R, CTRL, SHIFT), "Reject"),
        ((Key.Key_E, CTRL), "Change before approving"),
    ],
)
def test_each_sheet_has_its_key_inside_the_gate_and_nowhere_else(
    make_desk: MakeDesk, keys: tuple[Key, Qt.KeyboardModifier], sheet: str
) -> None:
    office, gate_id = FakeOffice(), f"{79:032x}"
    office.seen[gate_id] = dataclasses.replace(office.seen[gate_id], editable={1: ("subject",)})
    desk = make_desk(office)
    page = desk.window.pages["inbox"]
    go(desk, 79)
    page.pane.view.setFocus()
    desk.press(*keys)
    assert sheets(desk) == []
    page.detail.focus_title()
    desk.press(*keys)
    assert sheets(desk) == [sheet]
    desk.press(Key.Key_Escape)
    assert sheets(desk) == []
    assert desk.focus() is page.detail.page.head.title
    assert desk.decisions() == []


def test_the_primary_act_and_taking_it_back(desk: Desk) -> None:
    page = desk.window.pages["inbox"]
    go(desk, 79)
    page.detail.focus_title()
    desk.press(Key.Key_Return, CTRL)
    assert len(desk.decisions()) == 1
    desk.press(Key.Key_Z, CTRL)
    assert desk.office.log[-1] == ("void", f"{79:032x}")


def test_rows_that_need_an_answer_by_arrows_and_digits(desk: Desk) -> None:
    page = desk.window.pages["inbox"]
    go(desk, 81)
    page.detail.focus_title()
    desk.press(Key.Key_Return, CTRL)  # with open answers it goes to the first
    assert desk.decisions() == []
    rows = page.detail.page.answers.rows
    assert rows[0].isAncestorOf(desk.focus())
    desk.press(Key.Key_Down, CTRL)
    assert rows[1].isAncestorOf(desk.focus())
    desk.press(Key.Key_2)
    desk.press(Key.Key_Up, CTRL)
    assert rows[0].isAncestorOf(desk.focus())
    desk.press(Key.Key_2)
    assert session(desk).values == {"choice.1": "hold", "choice.2": "hold"}


def test_a_row_is_copied_in_full_and_held_by_space(make_desk: MakeDesk) -> None:
    office = FakeOffice()
    office.add(figures.batch(), figures=figures.BATCH_FIGURES, bodies=figures.BODIES)
    desk = make_desk(office)
    go(desk, 82)
    table = next(one for one in desk.window.pages["inbox"].detail.page.boxes.values() if isinstance(one, TableSection))
    view = table.table
    view.setFocus()
    model = view.selectionModel()
    model.setCurrentIndex(view.adapter.index(0, 0), QItemSelectionModel.SelectionFlag.ClearAndSelect)
    view.selectRow(0)
    desk.press(Key.Key_C, CTRL)
    copied = QGuiApplication.clipboard().text()
    assert all(text in copied for text in view.adapter.lines[0].texts)
    desk.press(Key.Key_Space)
    assert len(session(desk).held) == 1


def test_print_asks_for_a_name(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[object] = []
    saving: Callable[..., None] = lambda window, seen, *_: asked.append(seen.gate_id)  # noqa: E731 - one line
    monkeypatch.setattr("counterfoil.desktop.frame.window.save_as_pdf", saving)
    page = desk.window.pages["inbox"]
    go(desk, 79)
    page.detail.focus_title()
    desk.press(Key.Key_P, CTRL)
    assert asked == [f"{79:032x}"]
