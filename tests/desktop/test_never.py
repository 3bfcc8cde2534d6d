"""What must never happen in the window (experience 17): a decision by accident, a key meant for another gate, a control that is dead.

Everything is made ready to decide first, so that whatever slipped through would decide.
"""

import dataclasses
from collections.abc import Callable, Iterator

import pytest
from PySide6.QtCore import QEvent, QPoint, QRect, Qt
from PySide6.QtGui import QShortcut
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QPushButton, QWidget

from counterfoil.desktop.gate.detail import GateDetail
from counterfoil.desktop.gate.session import GUARD_US
from counterfoil.desktop.gate.sheets import WordsSheet
from counterfoil.desktop.gate_facts import Answer, DecisionMade
from counterfoil.desktop.inbox.page import InboxPage
from counterfoil.desktop.office import Part, RunnerSeen, RunnerState
from counterfoil.desktop.parts.boxes import Banner
from counterfoil.desktop.parts.segmented import Segment
from counterfoil.desktop.template_facts import FolderFacts
from counterfoil.errors import AlreadyDecided, StoreTrouble
from desktop import figures
from desktop.conftest import Desk, MakeDesk
from desktop.fake_office import FakeOffice

CTRL, SHIFT, ALT = (
    Qt.KeyboardModifier.ControlModifier,
    Qt.KeyboardModifier.ShiftModifier,
    Qt.KeyboardModifier.AltModifier,
)
NONE = Qt.KeyboardModifier.NoModifier
RETURN, ESC = Qt.Key.Key_Return, Qt.Key.Key_Escape
LEFT = Qt.MouseButton.LeftButton


def inbox(desk: Desk) -> InboxPage:
    found: InboxPage = desk.window.pages["inbox"]
    return found


def detail(desk: Desk) -> GateDetail:
    return inbox(desk).detail


def go(desk: Desk, number: int) -> None:
    """Show a gate, and let the moment pass in which its bar takes nothing."""
    inbox(desk).go_to_gate(f"{number:032x}")
    desk.settle()
    desk.later()


def ready(desk: Desk) -> None:
    """The gate with two rows, both answered: one press would decide it."""
    go(desk, 81)
    page = detail(desk).page
    assert page is not None
    assert page.answers is not None
    for row in page.answers.rows:
        desk.click(row.choice.segments["hold"])
    assert detail(desk).bar.primary.accessibleName() == "Hold 2"
    assert detail(desk).bar.primary.isEnabled()


def acts(desk: Desk) -> list[str]:
    """What was done to gates, beside looking at them."""
    return [act for act, _ in desk.office.log if act in ("decide", "void", "cancel_run", "pull_the_plug", "start_run")]


def under(desk: Desk, spot: QPoint) -> QWidget:
    """What a click at a spot of the window would hit."""
    found = desk.window.childAt(spot)
    assert found is not None
    return found


def twice(desk: Desk, widget: QWidget) -> None:
    """A double click: the second press lands on whatever stands there by then."""
    spot = widget.mapTo(desk.window, widget.rect().center())
    desk.click(widget)
    below = under(desk, spot)
    at = below.mapFrom(desk.window, spot)
    QTest.mouseDClick(below, LEFT, NONE, at)
    QTest.mouseRelease(below, LEFT, NONE, at)
    desk.settle()


# -------------------------------------------------------------------------------------------------------- by accident


@pytest.mark.parametrize("times", [1, 3])
def test_esc_decides_nothing_wherever_it_is_pressed(desk: Desk, times: int) -> None:
    ready(desk)
    page = detail(desk).page
    assert page is not None
    assert page.answers is not None
    bar = detail(desk).bar
    places: list[QWidget] = [
        bar.primary,
        bar.reject,
        page.answers.rows[0].choice.first(),
        page.head.title,
        inbox(desk).pane.view,
        inbox(desk).pane.search,
        desk.window.sidebar.buttons["inbox"],
    ]
    for place in places:
        place.setFocus()
        for _ in range(times):
            desk.press(ESC, on=place)
    desk.press(Qt.Key.Key_K, CTRL)
    desk.press(ESC)
    assert acts(desk) == []
    assert bar.primary.accessibleName() == "Hold 2"  # and nothing that was filled in is lost


def test_esc_in_a_sheet_decides_nothing_though_its_reason_is_written(desk: Desk) -> None:
    for open_it in (detail(desk).deciding.reject, detail(desk).deciding.send_back):
        desk.later()
        open_it()
        desk.settle()
        desk.type("because of the amount")
        sheet = detail(desk).deciding.asking.sheet
        assert isinstance(sheet, WordsSheet)
        assert sheet.act.isEnabled()
        desk.press(ESC)
        assert detail(desk).deciding.asking.sheet is None
    assert acts(desk) == []


def test_losing_the_focus_decides_nothing(desk: Desk) -> None:
    ready(desk)
    detail(desk).bar.primary.setFocus()
    inbox(desk).pane.search.setFocus()
    detail(desk).bar.primary.setFocus()
    QApplication.sendEvent(desk.window, QEvent(QEvent.Type.WindowDeactivate))
    desk.window.showMinimized()
    desk.settle()
    desk.window.raise_again()
    desk.window.show_page("runs")
    desk.settle()
    desk.window.show_page("inbox")
    desk.settle()
    assert acts(desk) == []
    assert detail(desk).session is not None
    assert detail(desk).session.values == {"choice.1": "hold", "choice.2": "hold"}  # type: ignore[union-attr]


def test_a_press_that_is_let_go_elsewhere_decides_nothing(desk: Desk) -> None:
    ready(desk)
    primary = detail(desk).bar.primary
    QTest.mousePress(primary, LEFT)
    QTest.mouseMove(primary, QPoint(primary.width() // 2, -60))
    QTest.mouseRelease(primary, LEFT, NONE, QPoint(primary.width() // 2, -60))
    desk.settle()
    assert acts(desk) == []


def test_a_double_click_decides_once_and_takes_nothing_back(desk: Desk) -> None:
    ready(desk)
    twice(desk, detail(desk).bar.primary)
    assert acts(desk) == ["decide"]
    assert detail(desk).bar.counting


def test_a_double_click_does_not_decide_the_next_gate_of_the_run(desk: Desk) -> None:
    ready(desk)
    spot = detail(desk).bar.primary.mapTo(desk.window, detail(desk).bar.primary.rect().center())
    desk.click(detail(desk).bar.primary)
    desk.office.now += 6_000_000
    detail(desk).bar._tick()
    desk.office.add(figures.batch(), figures=figures.BATCH_FIGURES, bodies=figures.BODIES)
    desk.look()
    assert detail(desk).gate_id == f"{82:032x}"
    QTest.mouseClick(under(desk, spot), LEFT)  # the second click lands on the next gate's button
    desk.settle()
    assert acts(desk) == ["decide"]


def test_a_double_click_in_a_sheet_decides_once(desk: Desk) -> None:
    desk.later()
    detail(desk).deciding.reject()
    desk.settle()
    desk.type("wrong amount")
    sheet = detail(desk).deciding.asking.sheet
    assert isinstance(sheet, WordsSheet)
    twice(desk, sheet.act)
    assert acts(desk) == ["decide"]


def test_a_double_click_that_opens_a_sheet_leaves_it_open(desk: Desk) -> None:
    go(desk, 77)
    page = detail(desk).page
    assert page is not None
    assert page.trouble is not None
    twice(desk, page.trouble.buttons[0])
    assert detail(desk).deciding.asking.sheet is not None
    assert acts(desk) == []


# ------------------------------------------------------------------------------------------- a key meant for another gate


def test_keys_pressed_as_the_next_gate_comes_up_are_not_taken_for_it(desk: Desk) -> None:
    ready(desk)
    desk.press(RETURN, CTRL)
    assert acts(desk) == ["decide"]
    desk.press(RETURN, CTRL)  # once more, while the first can still be taken back
    desk.office.now += 6_000_000
    detail(desk).bar._tick()
    desk.office.add(figures.batch(), figures=figures.BATCH_FIGURES, bodies=figures.BODIES)
    desk.look()
    assert detail(desk).gate_id == f"{82:032x}"
    for keys in ((RETURN, CTRL), (Qt.Key.Key_Enter, CTRL), (Qt.Key.Key_Space,), (RETURN,)):
        desk.press(*keys)
    assert acts(desk) == ["decide"]


def test_keys_for_an_answer_do_not_answer_the_next_gate(desk: Desk) -> None:
    go(desk, 81)
    page = detail(desk).page
    assert page is not None
    assert page.answers is not None
    page.answers.rows[0].choice.first().setFocus()
    inbox(desk).go_to_gate(f"{70:032x}")  # has choices, too
    desk.settle()
    for key in (Qt.Key.Key_1, Qt.Key.Key_2, Qt.Key.Key_3):
        desk.press(key)
    assert detail(desk).session is not None
    assert detail(desk).session.values == {}  # type: ignore[union-attr]


def test_a_key_that_is_held_down_repeats_no_act(desk: Desk) -> None:
    shortcuts = [
        one for pane in (detail(desk), inbox(desk).pane) for one in pane.findChildren(QShortcut) if one.parent() is pane
    ]
    assert {one.key().toString() for one in shortcuts} >= {"Ctrl+Return", "Ctrl+B", "Ctrl+Shift+R", "Ctrl+Z"}
    assert [one.key().toString() for one in shortcuts if one.autoRepeat()] == []


def test_taking_back_is_for_the_gate_that_was_decided_and_no_other(desk: Desk) -> None:
    desk.click(detail(desk).bar.primary)
    assert detail(desk).bar.counting
    inbox(desk).pane.view.setFocus()
    desk.press(Qt.Key.Key_Down)
    assert detail(desk).gate_id == f"{81:032x}"
    assert not detail(desk).bar.counting  # this gate's bar says what this gate needs
    assert detail(desk).bar.primary.accessibleName() == "Answer 2 rows first"
    detail(desk).focus_title()
    desk.press(Qt.Key.Key_Z, CTRL)
    assert acts(desk) == ["decide"]
    inbox(desk).go_to_gate(f"{79:032x}")  # at its own gate it can still be taken back
    desk.settle()
    assert detail(desk).bar.counting
    desk.click(detail(desk).bar.undo)
    assert desk.office.log[-1] == ("void", f"{79:032x}")


def test_a_decision_that_is_refused_leaves_no_other_button_under_the_keyboard(desk: Desk) -> None:
    ready(desk)
    desk.office.refuse = StoreTrouble("The database is locked.", "Try again.")
    detail(desk).bar.primary.setFocus()
    desk.press(Qt.Key.Key_Space)
    assert detail(desk).page.head.title.hasFocus()  # type: ignore[union-attr]


def test_undo_that_is_pressed_twice_takes_back_once_and_leaves_no_other_button_under_the_keyboard(desk: Desk) -> None:
    ready(desk)
    desk.click(detail(desk).bar.primary)
    detail(desk).bar.undo.setFocus()
    desk.press(Qt.Key.Key_Z, CTRL)
    assert acts(desk) == ["decide", "void"]
    assert detail(desk).page.head.title.hasFocus()  # type: ignore[union-attr]
    desk.later()
    desk.click(detail(desk).bar.primary)
    detail(desk).deciding.undo()
    detail(desk).deciding.undo()  # the first is still on its way
    desk.settle()
    assert acts(desk) == ["decide", "void"] * 2
    desk.later()
    desk.click(detail(desk).bar.primary)
    detail(desk).bar.undo.setFocus()
    desk.office.now += 6_000_000
    detail(desk).bar._tick()
    assert detail(desk).page.head.title.hasFocus()  # type: ignore[union-attr]


def test_a_refusal_that_comes_late_is_not_told_on_another_gate(desk: Desk) -> None:
    desk.office.refuse = AlreadyDecided("Ben approved this at 08:41. Nothing left to decide.")
    desk.bridge.holding = True
    desk.click(detail(desk).bar.primary)
    assert detail(desk).bar.primary.accessibleName() == "Keeping your decision…"
    assert not detail(desk).bar.primary.isEnabled()
    inbox(desk).go_to_gate(f"{74:032x}")
    desk.bridge.let_go()
    desk.settle()
    assert detail(desk).gate_id == f"{74:032x}"
    told = [one for one in desk.window.findChildren(Banner) if one.isVisible() and "Ben approved" in one.words.text()]
    assert len(told) == 1
    assert not detail(desk).isAncestorOf(told[0])


# ---------------------------------------------------------------------------------------------------- the first moment


@pytest.mark.parametrize("what", ["approve", "key", "send back", "reject", "change", "retry", "undo"])
def test_for_400_ms_after_the_gate_changed_nothing_is_taken(make_desk: MakeDesk, what: str) -> None:
    office = FakeOffice()
    first, number = f"{70:032x}", 76 if what == "retry" else 79
    gate_id = f"{number:032x}"
    if what == "change":
        office.seen[gate_id] = dataclasses.replace(office.seen[gate_id], editable={1: ("subject",)})
    desk = make_desk(office)
    inbox(desk).go_to_gate(first)
    desk.settle()
    desk.later()
    inbox(desk).go_to_gate(gate_id)
    desk.settle()
    here = detail(desk)

    def act() -> None:
        match what:
            case "approve" | "undo":
                desk.click(here.bar.primary)
            case "key":
                here.focus_title()
                desk.press(RETURN, CTRL)
            case "send back":
                desk.click(here.bar.send_back)
            case "reject":
                here.focus_title()
                desk.press(Qt.Key.Key_R, CTRL, SHIFT)
            case "change":
                desk.click(here.bar.change)
            case "retry":
                assert here.page is not None
                assert here.page.trouble is not None
                desk.click(here.page.trouble.buttons[0])

    desk.office.now += GUARD_US - 1
    act()
    assert acts(desk) == []
    assert here.deciding.asking.sheet is None
    desk.office.now += 1
    act()
    assert acts(desk) == ["decide"] or here.deciding.asking.sheet is not None


def test_for_400_ms_after_it_was_looked_at_again_nothing_is_taken(desk: Desk) -> None:
    document = desk.office.documents[f"{79:032x}"]
    document["digest"] = "ab" * 32
    desk.bridge.changed_now(Part.INBOX)
    desk.settle()
    assert detail(desk).bar.primary.accessibleName() == "Look again first"
    detail(desk).focus_title()
    desk.press(RETURN, CTRL)
    detail(desk)._look_again()
    desk.settle()
    desk.click(detail(desk).bar.primary)
    assert acts(desk) == []
    desk.later(0.4)
    desk.click(detail(desk).bar.primary)
    made = desk.decisions()[-1]
    assert isinstance(made, Answer)
    assert made.digest == "ab" * 32


def test_for_400_ms_after_the_selection_changed_several_are_not_decided(make_desk: MakeDesk) -> None:
    office = FakeOffice()
    for number in (200, 201):
        office.add(figures.gate(number, "approval", f"Bill {number}", run=number))
    desk = make_desk(office)
    choose(desk, 200, 201)
    desk.office.now += GUARD_US - 1
    desk.click(inbox(desk).bulk.act)
    assert acts(desk) == []
    desk.office.now += 1
    desk.click(inbox(desk).bulk.act)
    assert acts(desk) == ["decide", "decide"]


def choose(desk: Desk, *numbers: int) -> None:
    """Select these rows and no other."""
    view = inbox(desk).pane.view
    flags = view.selectionModel().SelectionFlag
    view.selectionModel().clearSelection()
    for number in numbers:
        index = inbox(desk).pane.adapter.index(inbox(desk).pane.adapter.row_of(f"{number:032x}"))
        view.selectionModel().select(index, flags.Select)
    desk.settle()


# ---------------------------------------------------------------------------------------------------- several at once


def test_of_several_those_that_were_refused_are_named_and_the_others_stand(make_desk: MakeDesk) -> None:
    office = FakeOffice()
    for number in (200, 201, 202):
        office.add(figures.gate(number, "approval", f"Bill {number}", run=number))
    decide = office.decide

    def refusing(answer: Answer) -> DecisionMade:
        if answer.gate_id == f"{201:032x}":
            raise AlreadyDecided("Ben approved this at 08:41. Nothing left to decide.")
        return decide(answer)

    office.decide = refusing  # type: ignore[method-assign]
    desk = make_desk(office)
    choose(desk, 200, 201, 202)
    desk.later()
    desk.click(inbox(desk).bulk.act)
    desk.look()
    assert [made.gate_id for made in desk.decisions()] == [f"{200:032x}", f"{202:032x}"]  # type: ignore[attr-defined]
    told = [one for one in desk.window.findChildren(Banner) if one.isVisible() and "Not approved" in one.words.text()]
    assert [one.words.text() for one in told] == ["2 of 3 gates were approved. Not approved:"]
    said = [label.text() for label in told[0].findChildren(type(told[0].words))]
    assert "‘Bill 201’: Ben approved this at 08:41. Nothing left to decide." in said


def test_what_came_of_several_is_not_told_on_the_button_for_others(make_desk: MakeDesk) -> None:
    office = FakeOffice()
    for number in range(200, 205):
        office.add(figures.gate(number, "approval", f"Bill {number}", run=number))
    desk = make_desk(office)
    choose(desk, 200, 201)
    desk.later()
    desk.bridge.holding = True
    desk.click(inbox(desk).bulk.act)
    choose(desk, 202, 203, 204)  # meanwhile others are selected
    desk.bridge.let_go()
    desk.settle()
    assert [made.gate_id for made in desk.decisions()] == [f"{200:032x}", f"{201:032x}"]  # type: ignore[attr-defined]
    assert inbox(desk).bulk.act.accessibleName() == "Approve 3 gates"


def test_a_rule_that_is_proposed_late_is_not_put_before_another_gate(desk: Desk) -> None:
    go(desk, 74)
    desk.bridge.holding = True
    detail(desk).deciding.always()
    go(desk, 79)
    desk.bridge.let_go()
    desk.settle()
    assert detail(desk).gate_id == f"{79:032x}"
    assert detail(desk).deciding.allowing.sheet is None
    assert [act for act, _ in desk.office.log if act == "allow"] == []


# ---------------------------------------------------------------------------------------------------- no dead control


def _frozen(desk: Desk) -> None:
    desk.office.documents[f"{79:032x}"]["digest"] = "ab" * 32
    desk.bridge.changed_now(Part.INBOX)


def _not_allowed(desk: Desk) -> None:
    for number in (79, 77, 76):
        seen = desk.office.seen[f"{number:032x}"]
        desk.office.seen[f"{number:032x}"] = dataclasses.replace(
            seen, may_decide=False, why_not="Only Ben or Carla can approve"
        )


def _states(desk: Desk) -> Iterator[str]:
    """States of the window in which something cannot be done."""
    yield "inbox"
    for number in (81, 79, 77, 76, 70):
        go(desk, number)
        yield f"gate {number}"
    desk.bridge.holding = True
    go(desk, 74)
    yield "loading a gate"
    desk.bridge.let_go()
    desk.settle()
    yield "loaded"
    desk.bridge.holding = True
    desk.later()
    detail(desk).deciding.act()
    desk.settle()
    yield "deciding"
    desk.bridge.let_go()
    desk.settle()
    yield "decided"
    go(desk, 79)
    _frozen(desk)
    desk.settle()
    yield "frozen"
    detail(desk)._look_again()
    desk.settle()
    desk.later()
    detail(desk).deciding.reject()
    desk.settle()
    yield "sheet without a reason"
    detail(desk).deciding.asking.dismiss()
    desk.settle()
    _not_allowed(desk)
    for number in (79, 77, 76):
        go(desk, 70)
        go(desk, number)
        yield f"not allowed {number}"
    for number in (81, 77, 76, 70):
        desk.office.documents[f"{number:032x}"]["state"] = "withdrawn"
        go(desk, 79)
        go(desk, number)
        yield f"withdrawn {number}"
    desk.office.runner_seen = RunnerSeen(RunnerState.SILENT, last_sign=desk.office.now)
    desk.bridge.changed_now(Part.RUNNER)
    desk.settle()
    yield "runner silent"
    for number in (200, 201):
        desk.office.add(figures.gate(number, "approval", f"Bill {number}", run=number))
    inbox(desk).pane.search.setFocus()
    desk.look()
    inbox(desk).pane._let_in()
    choose(desk, 79, 200)
    yield "several of different kinds"
    choose(desk, 200, 201)
    desk.later()
    desk.bridge.holding = True
    desk.click(inbox(desk).bulk.act)
    yield "several are being decided"
    desk.bridge.let_go()
    desk.settle()
    yield "several are decided"
    desk.window.show_page("templates")
    desk.settle()
    yield "templates"
    templates = desk.window.pages["templates"]
    templates.open_template("/t/pay-invoices")
    desk.settle()
    yield "form"
    templates.choose_folder()
    desk.settle()
    yield "folder"
    desk.office.measure_folder = lambda path: FolderFacts(path, 0, 0, 0.0, (), refused="No.")  # type: ignore[method-assign]
    desk.bridge.holding = True
    templates.sheet.take("/nfs")
    desk.settle()
    yield "folder is looked at"
    desk.bridge.let_go()
    desk.settle()
    yield "folder refused"
    templates.sheet.dismiss()
    desk.window.show_page("trail")
    desk.settle()
    desk.bridge.holding = True
    desk.window.pages["trail"]._check()
    desk.settle()
    yield "trail is checked"
    desk.bridge.let_go()
    desk.settle()
    desk.window.show_page("runs")
    desk.settle()
    yield "runs"


def test_no_control_is_dead_without_its_reason(desk: Desk, shots: Callable[[QWidget, str], None]) -> None:
    """A button that is off says why in its own words: words that it never carries while it works."""
    works: set[str] = set()
    off: dict[str, str] = {}
    for state in _states(desk):
        for button in desk.window.findChildren(QAbstractButton):
            if not button.isVisible() or isinstance(button, Segment):
                continue
            words = button.accessibleName() or button.text()
            if button.isEnabled():
                works.add(words)
            else:
                off[words] = state
    for words, state in off.items():
        assert words.strip(), state
        assert words not in works, (words, state)
    assert set(off) >= {
        "Keeping your decision…",
        "Look again first",
        "Give a reason first",
        "Only Ben or Carla can approve",
        "Nothing to decide together",
        "Keeping your decisions…",
        "This folder cannot be used",
        "Looking at it…",
        "Checking every entry…",
    }


def test_choices_that_are_off_stand_below_the_reason(desk: Desk) -> None:
    go(desk, 81)
    desk.office.documents[f"{81:032x}"]["state"] = "withdrawn"
    desk.bridge.changed_now(Part.INBOX)
    desk.settle()
    off = [one for one in detail(desk).findChildren(Segment) if one.isVisible() and not one.isEnabled()]
    assert off
    banner = next(one for one in detail(desk).findChildren(Banner) if "withdrawn" in one.words.text())
    assert banner.mapTo(desk.window, QPoint(0, 0)).y() < min(one.mapTo(desk.window, QPoint(0, 0)).y() for one in off)


def test_no_button_is_smaller_than_a_finger_or_without_words(desk: Desk) -> None:
    go(desk, 81)
    for button in desk.window.findChildren(QPushButton):
        if button.isVisible():
            assert button.accessibleName() or button.text()
            assert QRect(QPoint(0, 0), button.size()).width() >= 16


def test_a_click_beside_a_sheet_closes_it_and_decides_nothing(desk: Desk, qapp: QApplication) -> None:
    usual = qapp.doubleClickInterval()
    qapp.setDoubleClickInterval(1)
    try:
        desk.later()
        detail(desk).deciding.reject()
        QTest.qWait(5)
        QTest.mouseClick(under(desk, detail(desk).mapTo(desk.window, QPoint(20, 200))), LEFT)
        desk.settle()
    finally:
        qapp.setDoubleClickInterval(usual)
    assert detail(desk).deciding.asking.sheet is None
    assert acts(desk) == []
