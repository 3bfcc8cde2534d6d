"""A gate looked at anew while a person is in the middle of something over it: a sheet, the palette, a reason being typed."""

from PySide6.QtCore import Qt

from counterfoil.desktop.gate.detail import GateDetail
from counterfoil.desktop.gate.page import GatePage
from counterfoil.desktop.gate.sheets import WordsSheet
from counterfoil.desktop.office import Part
from desktop import figures
from desktop.conftest import Desk, MakeDesk
from desktop.fake_office import FakeOffice

CTRL = Qt.KeyboardModifier.ControlModifier
HOUR = 3600


def detail(desk: Desk) -> GateDetail:
    found: GateDetail = desk.window.pages["inbox"].detail
    return found


def page(desk: Desk) -> GatePage:
    found = detail(desk).page
    assert found is not None
    return found


def go(desk: Desk, number: int) -> None:
    """Show a gate, and let the moment pass in which its bar takes nothing."""
    desk.window.pages["inbox"].go_to_gate(f"{number:032x}")
    desk.settle()
    desk.later()


def built_anew(desk: Desk) -> None:
    """Somebody gives the gate to the person who looks at it, so that its page is built anew."""
    shown, before = detail(desk).gate_id, page(desk)
    handed = {"who": figures.ME, "by": "user:ben", "at": "2026-11-30T08:50:00Z", "comment": "yours"}
    desk.office.documents[shown]["waits_for"] = handed
    desk.bridge.changed_now(Part.INBOX)
    desk.settle()
    assert page(desk) is not before
    desk.later()


def words_sheet(desk: Desk) -> WordsSheet:
    sheet = detail(desk).deciding.asking.sheet
    assert isinstance(sheet, WordsSheet)
    return sheet


def test_a_sheet_closes_though_the_button_that_opened_it_is_gone(desk: Desk) -> None:
    go(desk, 77)
    trouble = page(desk).trouble
    assert trouble is not None
    desk.click(trouble.buttons[-1])
    assert words_sheet(desk).isVisible()
    built_anew(desk)
    desk.press(Qt.Key.Key_Escape)
    assert detail(desk).deciding.asking.sheet is None
    assert desk.focus() is page(desk).head.title
    trouble = page(desk).trouble
    assert trouble is not None
    desk.click(trouble.buttons[-1])  # and the gate takes acts as before
    assert words_sheet(desk).isVisible()


def test_the_palette_closes_though_what_had_the_focus_is_gone(desk: Desk) -> None:
    go(desk, 79)
    page(desk).head.title.setFocus()
    desk.press(Qt.Key.Key_K, CTRL)
    assert desk.window.anywhere.palette is not None
    built_anew(desk)
    desk.press(Qt.Key.Key_Escape)
    assert desk.window.anywhere.palette is None


def test_what_is_typed_in_a_sheet_is_kept_also_after_the_gate_was_looked_at_anew(desk: Desk) -> None:
    go(desk, 79)
    desk.press(Qt.Key.Key_R, CTRL, Qt.KeyboardModifier.ShiftModifier, on=page(desk).head.title)
    desk.type("wrong")
    built_anew(desk)
    desk.type(" amount")
    assert desk.office.drafts[detail(desk).gate_id].comment == "wrong amount"


def test_a_reason_goes_on_in_its_field_and_its_digits_answer_nothing(desk: Desk) -> None:
    go(desk, 81)
    answers = page(desk).answers
    assert answers is not None
    desk.click(answers.rows[0].choice.segments["pay"])
    answers.rows[0].reason.setFocus()
    desk.type("12")
    built_anew(desk)
    desk.type("34")
    answers = page(desk).answers
    assert answers is not None
    assert answers.rows[0].reason.text() == "1234"
    assert detail(desk).session.values["choice.1"] == "pay"  # type: ignore[union-attr]


def test_a_gate_that_was_gone_to_once_more_takes_the_focus_no_second_time(desk: Desk) -> None:
    go(desk, 79)
    go(desk, 79)
    search = desk.window.pages["inbox"].pane.search
    search.setFocus()
    built_anew(desk)
    assert desk.focus() is search


def test_a_clock_that_is_set_back_leaves_no_button_dead(make_desk: MakeDesk) -> None:
    office = FakeOffice()
    for number in (200, 201):
        office.add(figures.gate(number, "approval", f"Bill {number}", run=number))
    desk = make_desk(office)
    go(desk, 79)
    office.now -= HOUR * 1_000_000
    desk.click(detail(desk).bar.primary)
    assert [act for act, _ in office.log if act == "decide"] == ["decide"]
    inbox = desk.window.pages["inbox"]
    flags = inbox.pane.view.selectionModel().SelectionFlag
    inbox.pane.view.selectionModel().clearSelection()
    for number in (200, 201):
        at = inbox.pane.adapter.index(inbox.pane.adapter.row_of(f"{number:032x}"))
        inbox.pane.view.selectionModel().select(at, flags.Select)
    desk.settle()
    office.now -= HOUR * 1_000_000
    desk.click(inbox.bulk.act)
    assert [act for act, _ in office.log if act == "decide"] == ["decide"] * 3
