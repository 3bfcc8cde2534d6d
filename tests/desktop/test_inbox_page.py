"""The inbox by mouse and by keyboard alone: answering, approving, undoing, sending back, rejecting; and what must never decide."""

import dataclasses
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog, QLabel, QToolTip

from counterfoil.clock import iso
from counterfoil.desktop.frame.paper import as_html, write_pdf
from counterfoil.desktop.gate.answers import NeedsAnswer
from counterfoil.desktop.gate.detail import GateDetail
from counterfoil.desktop.gate.evidence import TableSection
from counterfoil.desktop.gate.file_sheet import OtherFileSheet
from counterfoil.desktop.gate.page import GatePage
from counterfoil.desktop.gate.session import Session
from counterfoil.desktop.gate.sheets import ChangeSheet, WordsSheet
from counterfoil.desktop.gate.sources import PagePicture, SourceCard
from counterfoil.desktop.gate.trouble import TroublePanel
from counterfoil.desktop.gate_facts import Aftermath, Answer, Draft
from counterfoil.desktop.inbox.page import InboxPage
from counterfoil.desktop.office import Changes, Part, RunnerSeen, RunnerState, Tab
from counterfoil.desktop.parts.boxes import Banner
from counterfoil.desktop.parts.buttons import Button
from counterfoil.desktop.parts.labels import Prose
from counterfoil.desktop.protection.badge import ProtectionBadge
from counterfoil.desktop.runs.again_sheet import AgainSheet
from counterfoil.errors import AlreadyDecided, DiskFull
from counterfoil.policy import protection
from desktop import figures
from desktop.conftest import Desk, MakeDesk
from desktop.fake_office import FakeOffice
from desktop.figures import HOUR, ME, NOW

CTRL, SHIFT, ALT = (
    Qt.KeyboardModifier.ControlModifier,
    Qt.KeyboardModifier.ShiftModifier,
    Qt.KeyboardModifier.AltModifier,
)
RETURN, ESC, TAB = Qt.Key.Key_Return, Qt.Key.Key_Escape, Qt.Key.Key_Tab


def page(desk: Desk) -> InboxPage:
    found: InboxPage = desk.window.pages["inbox"]
    return found


def detail(desk: Desk) -> GateDetail:
    return page(desk).detail


def go(desk: Desk, number: int) -> None:
    """Show a gate, and let the moment pass in which its bar takes nothing."""
    page(desk).go_to_gate(f"{number:032x}")
    desk.settle()
    desk.later()


def inside(desk: Desk) -> None:
    """Put the focus into the detail."""
    detail(desk).focus_title()
    assert detail(desk).isAncestorOf(desk.focus())


def banners(desk: Desk) -> list[str]:
    return [banner.words.text() for banner in detail(desk).findChildren(Banner) if banner.isVisible()]


def shown(desk: Desk) -> GatePage:
    """The page of the gate that is open."""
    page_of_gate = detail(desk).page
    assert page_of_gate is not None
    return page_of_gate


def answers(desk: Desk) -> NeedsAnswer:
    box = shown(desk).answers
    assert box is not None
    return box


def session(desk: Desk) -> Session:
    """What is filled in."""
    filled = detail(desk).session
    assert filled is not None
    return filled


def trouble(desk: Desk) -> TroublePanel:
    panel = shown(desk).trouble
    assert panel is not None
    return panel


def last(desk: Desk) -> Answer:
    made = desk.decisions()[-1]
    assert isinstance(made, Answer)
    return made


# ------------------------------------------------------------------------------------------------------------ the list


def test_the_first_gate_is_open_and_the_focus_is_in_the_list(desk: Desk) -> None:
    assert detail(desk).gate_id == f"{79:032x}"
    assert desk.focus() is page(desk).pane.view


def test_moving_in_the_list_shows_and_decides_nothing(desk: Desk) -> None:
    shown = []
    for _ in range(8):
        desk.press(Qt.Key.Key_Down)
        shown.append(int(detail(desk).gate_id, 16))
    assert shown[:5] == [81, 74, 70, 77, 76]
    desk.press(Qt.Key.Key_Home)
    assert detail(desk).gate_id == f"{79:032x}"
    desk.press(Qt.Key.Key_End)
    assert detail(desk).gate_id == f"{76:032x}"
    assert desk.decisions() == []


def test_enter_goes_into_the_detail_and_alt_down_goes_on_from_there(desk: Desk) -> None:
    desk.press(RETURN)
    assert desk.focus() is shown(desk).head.title
    desk.press(Qt.Key.Key_Down, ALT)
    assert detail(desk).gate_id == f"{81:032x}"
    assert desk.decisions() == []


def test_search_narrows_and_says_when_nothing_is_found(desk: Desk) -> None:
    desk.press(Qt.Key.Key_F, CTRL)
    desk.type("1320")
    assert page(desk).pane.adapter.rowCount() == 0 or page(desk).pane.adapter.gate_at(1) is not None
    desk.press(ESC)
    desk.type("brigt")
    assert page(desk).pane.nothing.head.text() == "No gate matches ‘brigt’."
    desk.click(page(desk).pane._other_tab)
    assert page(desk).pane.list.tab == Tab.DECIDED


def test_an_empty_inbox_that_fills_no_longer_says_that_nothing_is_open(make_desk: MakeDesk) -> None:
    office = FakeOffice()
    for document in office.documents.values():
        document["state"] = "withdrawn"
    desk = make_desk(office)
    assert detail(desk).nothing.head.text() == "Nothing is open."
    office.add(figures.batch(), figures=figures.BATCH_FIGURES, bodies=figures.BODIES)
    desk.look()
    assert page(desk).pane.adapter.row_of(f"{82:032x}") > 0
    assert detail(desk).nothing.head.text() == "Choose a gate to see what it asks."
    assert desk.office.read == set()  # nobody has looked at it


def test_a_change_that_comes_with_another_tab_does_not_bring_the_old_one_back(desk: Desk) -> None:
    desk.click(detail(desk).bar.primary)
    desk.bridge.holding = True
    page(desk)._tab_changed(Tab.DECIDED)
    desk.bridge.changed_now(Part.INBOX)
    desk.settle()
    desk.bridge.let_go()
    desk.settle()
    assert page(desk).pane.list.tab == Tab.DECIDED
    assert [row.closed for row in map(page(desk).pane.list.row, desk.office.documents) if row] == [
        "approved by user:anna"
    ]


def test_rows_never_move_under_the_focus_and_new_ones_gather(desk: Desk) -> None:
    page(desk).pane.view.setFocus()
    desk.office.add(figures.batch(), figures=figures.BATCH_FIGURES, bodies=figures.BODIES)
    desk.look()
    assert page(desk).pane.new.text() == "1 new"
    before = [page(desk).pane.adapter.row_of(f"{number:032x}") for number in (79, 81, 74)]
    desk.click(page(desk).pane.new)
    assert page(desk).pane.adapter.row_of(f"{82:032x}") > 0
    assert before[0] == page(desk).pane.adapter.row_of(f"{79:032x}")
    assert page(desk).pane.view.current_gate() == f"{79:032x}"


def test_an_empty_inbox_says_so_and_the_runner_can_be_started_there(make_desk: MakeDesk) -> None:
    office = FakeOffice()
    for document in office.documents.values():
        document["state"] = "withdrawn"
    office.runner_seen = RunnerSeen(RunnerState.OFF)
    desk = make_desk(office)
    assert (
        page(desk).pane.nothing.head.text()
        == "Nothing waits for you, but the runner is off, so nothing new can arrive."
    )
    desk.click(page(desk).pane._start)
    assert ("start_runner", None) in office.log
    office.documents.clear()
    desk.click(page(desk).pane.tabs.segments["decided"])
    assert page(desk).pane.nothing.head.text() == "Nothing was decided yet."
    assert not page(desk).pane._start.isVisible()  # starting it would bring nothing here
    desk.click(page(desk).pane.tabs.segments["for_me"])
    office.runner_seen = dataclasses.replace(office.runner_seen, next_name="Weekly report", next_at=NOW + HOUR)
    desk.bridge.changed_now(Part.SCHEDULES)
    desk.settle()
    nothing = page(desk).pane.nothing
    assert (nothing.head.text(), nothing.words.text()) == (
        "Nothing waits for you.",
        "Next: Weekly report, today 09:55.",
    )


# ------------------------------------------------------------------------------------------------- answering by mouse


def test_two_rows_are_answered_before_the_button_works(desk: Desk) -> None:
    go(desk, 81)
    bar = detail(desk).bar
    assert bar.primary.accessibleName() == "Answer 2 rows first"
    desk.click(bar.primary)  # it leads to the first open row, and decides nothing
    assert desk.focus() is answers(desk).rows[0].choice.segments["pay"]
    assert desk.decisions() == []
    desk.click(answers(desk).rows[0].choice.segments["hold"])
    assert bar.primary.accessibleName() == "Answer 1 row first"
    desk.click(answers(desk).rows[1].choice.segments["hold"])
    assert bar.primary.accessibleName() == "Hold 2"
    desk.click(bar.primary)
    assert last(desk).values == {"choice.1": "hold", "choice.2": "hold"}
    assert last(desk).verdict == "answered"
    assert bar.done.text() == "Answered. Carries on in 5 s."


def test_a_reason_is_asked_for_where_one_is_due(desk: Desk) -> None:
    go(desk, 81)
    rows = answers(desk).rows
    assert not rows[0].reason.isVisible()
    desk.click(rows[0].choice.segments["reject"])
    assert rows[0].reason.isVisible()
    desk.click(rows[1].choice.segments["hold"])
    desk.click(detail(desk).bar.primary)
    assert desk.focus() is rows[0].reason
    desk.type("not ours")
    desk.click(detail(desk).bar.primary)
    assert last(desk).values["reason.1"] == "not ours"


# ---------------------------------------------------------------------------------------------- answering by keyboard


def test_the_whole_way_by_keyboard_alone(desk: Desk) -> None:
    desk.press(Qt.Key.Key_Down)
    assert detail(desk).gate_id == f"{81:032x}"
    desk.later()
    desk.press(RETURN, CTRL)  # from the list it goes to the first open answer
    assert desk.decisions() == []
    desk.press(Qt.Key.Key_2)
    desk.press(Qt.Key.Key_Down, CTRL)
    desk.press(Qt.Key.Key_2)
    assert detail(desk).bar.primary.accessibleName() == "Hold 2"
    desk.press(RETURN, CTRL)
    assert last(desk).values == {"choice.1": "hold", "choice.2": "hold"}
    desk.press(Qt.Key.Key_Z, CTRL)
    assert ("void", f"{81:032x}") in desk.office.log


def test_ctrl_enter_in_the_list_only_moves_the_focus(desk: Desk) -> None:
    desk.press(RETURN, CTRL)
    assert desk.decisions() == []
    assert desk.focus() is detail(desk).bar.primary
    assert "Ctrl+Enter again" in detail(desk).bar.silence.text()
    desk.press(RETURN, CTRL)
    assert last(desk).gate_id == f"{79:032x}"


@pytest.mark.parametrize("key", [ESC, Qt.Key.Key_A, Qt.Key.Key_Y, Qt.Key.Key_Space, Qt.Key.Key_1, Qt.Key.Key_Delete])
def test_no_single_key_decides(desk: Desk, key: Qt.Key) -> None:
    for place in (page(desk).pane.view, detail(desk), detail(desk).area):
        place.setFocus()
        desk.press(key)
    assert desk.decisions() == []


def test_a_double_click_in_the_list_decides_nothing(desk: Desk) -> None:
    view = page(desk).pane.view
    spot = view.visualRect(view.currentIndex()).center()
    QTest.mouseDClick(view.viewport(), Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, spot)
    desk.settle()
    assert desk.decisions() == []


def test_a_click_right_after_another_gate_came_up_is_not_taken(desk: Desk) -> None:
    go(desk, 74)
    desk.office.add(figures.batch(), figures=figures.BATCH_FIGURES, bodies=figures.BODIES)
    desk.look()
    page(desk).go_to_gate(f"{82:032x}")
    desk.settle()
    desk.click(detail(desk).bar.primary)
    inside(desk)
    desk.press(RETURN, CTRL)
    assert desk.decisions() == []
    desk.later(0.5)
    desk.click(detail(desk).bar.primary)
    assert last(desk).gate_id == f"{82:032x}"


def test_losing_the_focus_or_closing_decides_nothing_and_keeps_the_draft(desk: Desk) -> None:
    go(desk, 81)
    desk.click(answers(desk).rows[0].choice.segments["hold"])
    desk.window.close()
    assert desk.decisions() == []
    assert desk.office.drafts[f"{81:032x}"].values == {"choice.1": "hold"}
    assert desk.bridge.closed


# ------------------------------------------------------------------------------------------------------ after the act


def test_a_decision_can_be_taken_back_for_five_seconds(desk: Desk) -> None:
    desk.click(detail(desk).bar.primary)
    bar = detail(desk).bar
    assert bar.undo.isVisible()
    desk.click(bar.undo)
    assert ("void", f"{79:032x}") in desk.office.log
    assert not bar.counting
    assert bar.primary.accessibleName() == "Approve 1 mail"


def test_after_five_seconds_it_stands(desk: Desk) -> None:
    desk.click(detail(desk).bar.primary)
    desk.office.now += 6_000_000
    detail(desk).bar._tick()
    desk.settle()
    assert not detail(desk).bar.counting
    assert any("You approved this" in words for words in banners(desk))
    inside(desk)
    desk.press(Qt.Key.Key_Z, CTRL)
    assert [act for act, _ in desk.office.log if act == "void"] == []


def test_the_next_gate_of_the_run_comes_by_itself(desk: Desk) -> None:
    go(desk, 81)
    for row in answers(desk).rows:
        desk.click(row.choice.segments["hold"])
    desk.click(detail(desk).bar.primary)
    desk.office.now += 6_000_000
    detail(desk).bar._tick()
    desk.office.add(figures.batch(), figures=figures.BATCH_FIGURES, bodies=figures.BODIES)
    desk.look()
    assert detail(desk).gate_id == f"{82:032x}"
    assert session(desk).guarded(desk.office.now)


def test_whoever_has_gone_elsewhere_is_not_pulled_back(desk: Desk) -> None:
    go(desk, 81)
    for row in answers(desk).rows:
        desk.click(row.choice.segments["hold"])
    desk.click(detail(desk).bar.primary)
    page(desk).pane.view.select(f"{70:032x}")
    desk.settle()
    desk.office.add(figures.batch(), figures=figures.BATCH_FIGURES, bodies=figures.BODIES)
    desk.look()
    assert detail(desk).gate_id == f"{70:032x}"


def test_a_second_decision_is_refused_with_its_reason(desk: Desk) -> None:
    desk.office.refuse = AlreadyDecided(
        "Gate g-79 was decided by Ben at 08:41 (approved). Nothing was changed.", "See the trail."
    )
    desk.click(detail(desk).bar.primary)
    assert "Gate g-79 was decided by Ben at 08:41 (approved). Nothing was changed." in banners(desk)


# ------------------------------------------------------------------------------------------------------------- sheets


def test_rejecting_needs_a_reason_and_repeats_what_follows(desk: Desk) -> None:
    inside(desk)
    desk.press(Qt.Key.Key_R, CTRL, SHIFT)
    sheet = detail(desk).deciding.asking.sheet
    assert isinstance(sheet, WordsSheet)
    assert desk.focus() is sheet.editor
    assert not sheet.act.isEnabled()
    assert sheet.act.text() == "Give a reason first"
    desk.type("wrong amount")
    assert sheet.act.text() == "Reject 1 mail"
    desk.press(RETURN, CTRL)  # the page's key does nothing while a sheet is open
    assert desk.decisions() == []
    desk.click(sheet.act)
    assert (last(desk).verdict, last(desk).comment) == ("rejected", "wrong amount")


def test_esc_closes_a_sheet_keeps_the_words_and_gives_the_focus_back(desk: Desk) -> None:
    detail(desk).bar.send_back.setFocus()
    desk.click(detail(desk).bar.send_back)
    desk.type("Other period")
    desk.press(ESC)
    assert detail(desk).deciding.asking.sheet is None
    assert desk.decisions() == []
    assert desk.focus() is detail(desk).bar.send_back
    desk.press(Qt.Key.Key_B, CTRL)
    sheet = detail(desk).deciding.asking.sheet
    assert isinstance(sheet, WordsSheet)
    assert sheet.text() == "Other period"
    assert "The run keeps its work and asks again." in [words.text() for words in sheet.findChildren(Prose)]
    desk.click(sheet.act)
    assert (last(desk).verdict, last(desk).comment) == ("returned", "Other period")


def test_words_of_a_sheet_that_was_left_go_on_there_and_are_said_of_nothing(desk: Desk) -> None:
    said = ""
    for words in ("Other period", ", Ben"):
        desk.click(detail(desk).bar.send_back)
        desk.type(words)
        sheet = detail(desk).deciding.asking.sheet
        assert isinstance(sheet, WordsSheet)
        said = sheet.text()
        desk.press(ESC)
    assert said == "Other period, Ben"
    desk.later()
    desk.click(detail(desk).bar.primary)
    assert (last(desk).verdict, last(desk).comment) == ("approved", "")


def test_tab_stays_in_a_sheet(desk: Desk) -> None:
    desk.click(detail(desk).bar.send_back)
    sheet = detail(desk).deciding.asking.sheet
    assert sheet is not None
    for _ in range(8):
        desk.press(TAB)
        assert desk.focus() is sheet or sheet.isAncestorOf(desk.focus())


def test_changes_are_kept_beside_the_old_values(make_desk: MakeDesk) -> None:
    office = FakeOffice()
    gate_id = f"{79:032x}"
    office.seen[gate_id] = dataclasses.replace(office.seen[gate_id], editable={1: ("subject",)})
    desk = make_desk(office)
    desk.later()
    desk.click(detail(desk).bar.change)
    sheet = detail(desk).deciding.asking.sheet
    assert isinstance(sheet, ChangeSheet)
    editor = sheet._fields[0][3]
    editor.setFocus()
    editor.selectAll()
    desk.type("Credit note")
    desk.press(Qt.Key.Key_Escape)
    assert desk.office.drafts[gate_id].words == {"change 1 subject": "Credit note"}
    assert desk.office.drafts[gate_id].edits == {}  # what was typed and not kept changes nothing
    desk.click(detail(desk).bar.change)
    sheet = detail(desk).deciding.asking.sheet
    assert isinstance(sheet, ChangeSheet)
    editor = sheet._fields[0][3]
    editor.setFocus()
    desk.type(" 031")
    keep = sheet.foot.itemAt(0)
    assert keep is not None
    desk.click(keep.widget())
    assert "Changed by you. The changed effect is judged again before it is performed." in banners(desk)
    desk.click(detail(desk).bar.primary)
    assert last(desk).edits == {"1": {"subject": "Credit note 031"}}
    assert desk.office.drafts[gate_id].words == {}


# ------------------------------------------------------------------------------------------------------------- states


def test_a_gate_that_changed_freezes_until_it_was_looked_at(desk: Desk) -> None:
    go(desk, 81)
    desk.click(answers(desk).rows[0].choice.segments["hold"])
    changed = desk.office.documents[f"{81:032x}"]
    changed["digest"] = "ab" * 32
    changed["evidence"][2]["data"][3] = ["Invoice says", figures.euro("9541.40")]
    desk.bridge.changed_now(Part.INBOX)
    desk.settle()
    assert any("Look again before you decide." in words for words in banners(desk))
    assert not detail(desk).bar.primary.isEnabled()
    assert detail(desk).bar.primary.accessibleName() == "Look again first"
    assert detail(desk).bar.primary.icon().isNull()
    assert not detail(desk).bar.send_back.isVisible()
    assert not detail(desk).bar.reject.isVisible()
    again = next(
        button
        for banner in detail(desk).findChildren(Banner)
        for button in banner.findChildren(type(detail(desk).bar.undo))
    )
    desk.click(again)
    assert session(desk).values == {"choice.1": "hold"}  # the row that stayed the same keeps its answer
    assert detail(desk).bar.primary.accessibleName() == "Answer 1 row first"


def test_a_gate_that_was_decided_elsewhere_says_by_whom(desk: Desk) -> None:
    document = desk.office.documents[f"{79:032x}"]
    document["state"] = "decided"
    document["decisions"] = [
        {"verdict": "approved", "by": "user:ben", "at": "2026-11-30T08:41:00.000Z", "comment": "", "effective_at": None}
    ]
    desk.bridge.changed_now(Part.INBOX)
    desk.settle()
    assert "Ben approved this at 08:41. Nothing left to decide." in banners(desk)
    assert not detail(desk).bar.isVisible()


def test_a_withdrawn_gate_takes_nothing(desk: Desk) -> None:
    document = desk.office.documents[f"{79:032x}"]
    document |= {
        "state": "withdrawn",
        "closed_why": "The run was cancelled by Anna",
        "closed_at": "2026-11-30T08:50:00.000Z",
    }
    desk.bridge.changed_now(Part.INBOX)
    desk.settle()
    assert any(said.startswith("The run was cancelled by you at 08:50, so this question was") for said in banners(desk))
    inside(desk)
    desk.press(RETURN, CTRL)
    assert desk.decisions() == []


def test_a_superseded_gate_leads_to_the_newer_round(desk: Desk) -> None:
    gate_id = f"{79:032x}"
    desk.office.documents[gate_id]["state"] = "superseded"
    desk.office.seen[gate_id] = dataclasses.replace(desk.office.seen[gate_id], successor=f"{74:032x}")
    desk.bridge.changed_now(Part.INBOX)
    desk.settle()
    banner = next(one for one in detail(desk).findChildren(Banner) if one.words.text() == "A newer round is open.")
    desk.click(banner.findChild(type(detail(desk).bar.undo)))
    assert detail(desk).gate_id == f"{74:032x}"


@pytest.mark.parametrize("columns, rows", [([], []), ([], [[], []]), (["supplier"], [])])
def test_a_table_without_rows_says_so_and_can_be_decided(
    make_desk: MakeDesk, columns: list[str], rows: list[list[str]]
) -> None:
    data = {"columns": columns, "rows": rows, "total": None, "flagged": []}
    office = FakeOffice()
    evidence = [{"kind": "table", "title": "Found", "data": data, "source": None}]
    office.add(figures.gate(95, "approval", "Write what was found", evidence=evidence))
    desk = make_desk(office)
    go(desk, 95)
    words = [one.text() for one in shown(desk).findChildren(QLabel) if one.isVisible()]
    assert "This table has no rows." in words
    desk.click(detail(desk).bar.primary)
    assert last(desk).verdict == "approved"


def test_a_deadline_is_a_figure_where_there_is_room_and_tells_its_date_on_hover(make_desk: MakeDesk) -> None:
    office, due = FakeOffice(), NOW + HOUR
    for number, figures_of in ((93, 3), (94, 4)):
        told = tuple((f"Figure {at}", at) for at in range(1, figures_of + 1))
        office.add(figures.gate(number, "approval", f"Bill {number}", run=number, due_at=due), figures=told)
    desk = make_desk(office)
    go(desk, 93)
    shown_due = next(one for one in shown(desk).head.findChildren(QLabel) if one.text() == "Today 09:55")
    assert shown_due.toolTip() == "Monday 30 November 2026, 09:55:12 (UTC)"
    assert shown_due.property("tone") == "warn"
    go(desk, 94)
    last_figure = next(one for one in shown(desk).head.findChildren(QLabel) if one.text() == "4")
    assert last_figure.property("tone") != "warn"  # it is no deadline


def test_an_expired_gate_says_by_when_and_leads_to_running_it_again(desk: Desk) -> None:
    document = desk.office.documents[f"{79:032x}"]
    document |= {"state": "expired", "due_at": iso(NOW - HOUR)}
    desk.bridge.changed_now(Part.INBOX)
    desk.settle()
    banner = next(one for one in detail(desk).findChildren(Banner) if one.words.text().startswith("Nobody decided by "))
    assert banner.words.text() == "Nobody decided by today 07:55. Nothing was written."
    row = page(desk).pane.list.row(f"{79:032x}")
    assert row is not None
    assert row.closed == "Expired"
    desk.click(banner.findChild(Button))
    runs: Any = desk.window.pages["runs"]
    assert desk.window.shown is runs
    assert runs.detail.run_id == document["run_id"]
    assert isinstance(runs.detail.sheet, AgainSheet)
    assert desk.decisions() == []


def test_a_gate_that_is_in_no_row_leaves_no_other_row_marked_and_is_marked_once_its_row_is_there(desk: Desk) -> None:
    view = page(desk).pane.view
    assert view.current_gate() == f"{79:032x}"
    desk.office.add(figures.gate(95, "question", "Which one?"))
    go(desk, 95)
    assert detail(desk).gate_id == f"{95:032x}"
    assert (view.current_gate(), view.selectionModel().hasSelection()) == ("", False)
    page(desk).pane.list.let_in()
    desk.look()
    page(desk).pane._let_in()
    desk.look()
    assert view.current_gate() == detail(desk).gate_id == f"{95:032x}"


def test_changed_files_can_be_sent_back_and_rejected(make_desk: MakeDesk) -> None:
    office = FakeOffice()
    office.add(
        figures.gate(
            90, "conflict", "Your folder is another one.", fields=[figures.field("choice", choices=["keep", "use"])]
        )
    )
    desk = make_desk(office)
    go(desk, 90)
    for button, verdict in ((detail(desk).bar.send_back, "returned"), (detail(desk).bar.reject, "rejected")):
        desk.click(button)
        desk.type("not into this folder")
        sheet = detail(desk).deciding.asking.sheet
        assert isinstance(sheet, WordsSheet)
        desk.click(sheet.act)
        assert (last(desk).verdict, last(desk).values) == (verdict, {})
        desk.click(detail(desk).bar.undo)
        desk.later()


def test_a_gate_that_is_gone_is_said(desk: Desk) -> None:
    page(desk).go_to_gate("f" * 32)
    desk.settle()
    assert detail(desk).nothing.head.text() == "No gate goes by ffffffff."


# -------------------------------------------------------------------------------------------------------- other kinds


@pytest.mark.parametrize(
    "choice, text", [("happened", "saw it in Sent"), ("not_happened", "not in Sent"), ("stop", "no longer needed")]
)
def test_a_doubt_is_answered_by_its_own_buttons(desk: Desk, choice: str, text: str) -> None:
    go(desk, 77)
    assert not detail(desk).bar.isVisible()
    inside(desk)
    desk.press(RETURN, CTRL)
    assert desk.decisions() == []
    panel = trouble(desk)
    assert [button.property("kind") for button in panel.buttons] == ["outline"] * 3  # equal weight, no default
    desk.click(next(button for button in panel.buttons if button.key == choice))
    sheet = detail(desk).deciding.asking.sheet
    assert isinstance(sheet, WordsSheet)
    desk.type(text)
    desk.click(sheet.act)
    assert last(desk).values == {"choice": choice}
    assert last(desk).comment == text


def test_a_failure_is_tried_again_or_gone_past_with_a_value(desk: Desk) -> None:
    go(desk, 76)
    panel = trouble(desk)
    desk.click(next(button for button in panel.buttons if button.key == "skip"))
    sheet = detail(desk).deciding.asking.sheet
    assert isinstance(sheet, WordsSheet)
    desk.type("[]")
    assert (sheet.act.isEnabled(), sheet.act.text()) == (False, "Give a reason first")
    assert sheet.why is not None
    sheet.why.setFocus()
    desk.type("the bank was closed")
    desk.click(sheet.act)
    assert last(desk).values == {"choice": "skip", "result": "[]"}
    assert last(desk).comment == "the bank was closed"


@pytest.mark.parametrize("number, choice", [(77, "happened"), (77, "stop"), (76, "skip")])
def test_what_is_typed_of_a_doubt_or_a_failure_is_kept_at_every_stroke(desk: Desk, number: int, choice: str) -> None:
    go(desk, number)
    desk.click(next(button for button in trouble(desk).buttons if button.key == choice))
    desk.type("In Sent")
    assert desk.office.drafts[f"{number:032x}"].words == {choice: "In Sent"}
    desk.press(Qt.Key.Key_Escape)
    assert desk.decisions() == []
    go(desk, 81)
    go(desk, number)
    desk.click(next(button for button in trouble(desk).buttons if button.key == choice))
    sheet = detail(desk).deciding.asking.sheet
    assert isinstance(sheet, WordsSheet)
    assert (sheet.text(), sheet.act.isEnabled()) == ("In Sent", choice != "skip")  # there a reason is wanted as well


def test_trying_again_needs_no_word(desk: Desk) -> None:
    go(desk, 76)
    desk.click(trouble(desk).buttons[0])
    assert last(desk).values == {"choice": "retry"}


def test_another_file_is_given_to_a_step_that_failed(desk: Desk, tmp_path: Path) -> None:
    place = str(tmp_path / "rates new.xls")
    go(desk, 76)
    assert [button.key for button in trouble(desk).buttons] == [
        "retry",
        "skip",
        "stop",
    ]  # it is not known to have read one
    about = figures.FAILURE_ABOUT | {"files": ["in/statement-nov.csv", "rates.xls"]}
    desk.office.add({**figures.failure(), "gate_id": f"{196:032x}", "number": 196}, about=about)
    desk.later()
    go(desk, 196)
    assert [button.key for button in trouble(desk).buttons] == ["file", "retry", "skip", "stop"]
    desk.click(trouble(desk).buttons[0])
    sheet = detail(desk).deciding.asking.sheet
    assert isinstance(sheet, OtherFileSheet)
    assert (sheet.act.text(), sheet.act.isEnabled()) == ("Choose a file first", False)
    desk.click(sheet.which["in/statement-nov.csv"])
    desk.click(sheet.choose)
    dialog = desk.window.findChild(QFileDialog)
    assert dialog is not None
    assert dialog.nameFilters() == ["*.csv", "*"]
    dialog.fileSelected.emit(place)
    dialog.reject()
    sheet.dismiss()
    desk.settle()
    assert (detail(desk).deciding.asking.sheet, desk.decisions()) == (None, [])
    desk.click(trouble(desk).buttons[0])
    sheet = detail(desk).deciding.asking.sheet
    assert isinstance(sheet, OtherFileSheet)
    assert sheet.chosen.text() == place
    assert (sheet.act.text(), sheet.act.isEnabled()) == ("Choose which file gives way first", False)
    desk.click(sheet.which["in/statement-nov.csv"])
    desk.click(sheet.which["rates.xls"])  # one gives way
    assert sheet.follows.text().startswith("The run keeps it and reads it in the place of rates.xls,")
    desk.click(sheet.act)
    assert last(desk).values == {"choice": "retry", "file": f"rates.xls={place}"}


def test_what_a_folder_holds_too_much_is_left_out_and_tried_again(desk: Desk) -> None:
    parts = {"name": "leave_out", "type": "list[text]", "label": "Leave out", "choices": ["archive", "photos"]}
    kept = figures.failure()
    much = {**kept, "fields": [*kept["fields"], parts], "gate_id": f"{195:032x}", "number": 195}
    desk.office.add(much, about={"why": "files", "step": None, "error": {"message": "It holds too much."}, "kept": 0})
    desk.later()
    go(desk, 195)
    panel = trouble(desk)
    assert panel.parts is not None
    assert "It holds too much." in [label.text() for label in panel.findChildren(Prose)]
    desk.click(panel.parts._boxes["archive"])
    desk.click(panel.buttons[0])
    assert last(desk).values == {"choice": "retry", "leave_out": ["archive"]}


def test_a_question_with_a_form(desk: Desk) -> None:
    go(desk, 70)
    editors = {editor.name: editor for editor in shown(desk).form}
    desk.click(detail(desk).bar.primary)
    assert detail(desk).bar.primary.accessibleName() == "Fill in 1 field first"
    desk.press(Qt.Key.Key_3)
    editors["amount"].focus()
    desk.type("120.50 EUR")
    desk.click(detail(desk).bar.primary)
    assert last(desk).values == {"cost_centre": "Board", "amount": "120.50 EUR"}


def test_held_rows_go_back_with_the_batch(desk: Desk) -> None:
    desk.office.add(figures.batch(), figures=figures.BATCH_FIGURES, bodies=figures.BODIES)
    desk.look()
    go(desk, 82)
    section = shown(desk).boxes["evidence-1"]
    assert isinstance(section, TableSection)
    section.adapter.toggle(section.adapter.index(0, 0))
    desk.settle()
    assert detail(desk).bar.primary.accessibleName() == "Hold 1 row, ask again"
    desk.click(detail(desk).bar.primary)
    assert (last(desk).verdict, last(desk).values) == ("returned", {"hold": [1]})


def test_drafts_are_kept_at_every_stroke_one_writing_at_a_time(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    kept: list[str] = []
    monkeypatch.setattr(desk.office, "save_draft", lambda _gate_id, draft: kept.append(draft.comment))
    go(desk, 81)
    inside(desk)
    desk.press(Qt.Key.Key_B, CTRL)
    kept.clear()
    desk.type("a")
    desk.type("b")
    assert kept == ["a", "ab"]
    desk.bridge.holding = True  # from here on the disk is slow
    desk.type("cdef")
    assert kept == ["a", "ab", "abc"]
    desk.bridge.let_go()
    desk.settle()
    assert kept == ["a", "ab", "abc", "abcdef"]


@pytest.mark.parametrize("how", ["by the next stroke", "by itself"])
def test_a_draft_that_could_not_be_kept_is_tried_again(desk: Desk, monkeypatch: pytest.MonkeyPatch, how: str) -> None:
    keep = desk.office.save_draft

    def full(_gate_id: str, _draft: Draft) -> None:
        raise DiskFull("The disk is full.", "Make room.")

    go(desk, 81)
    inside(desk)
    desk.press(Qt.Key.Key_B, CTRL)
    monkeypatch.setattr(desk.office, "save_draft", full)
    desk.type("a")
    told = [one.words.text() for one in desk.window.findChildren(Banner) if one.isVisible()]
    assert any("The disk is full." in words for words in told)
    monkeypatch.setattr(desk.office, "save_draft", keep)
    if how == "by itself":
        assert detail(desk).draft._later.isActive()
        detail(desk).draft._later.timeout.emit()
        desk.settle()
    else:
        desk.type("b")
    assert desk.office.drafts[f"{81:032x}"].comment == ("ab" if how == "by the next stroke" else "a")
    assert not [one for one in desk.window.findChildren(Banner) if one.isVisible() and "full" in one.words.text()]


def test_the_badge_says_exactly_what_its_word_means(desk: Desk) -> None:
    inside(desk)
    badge = shown(desk).head.findChild(ProtectionBadge)
    assert badge is not None
    assert badge.accessibleName() == "Protected: None"
    desk.click(badge)
    assert QToolTip.text() == protection.sentence("L0")
    QToolTip.hideText()


def test_drafts_come_back(make_desk: MakeDesk) -> None:
    office = FakeOffice()
    office.drafts[f"{81:032x}"] = Draft(values={"choice.2": "hold"}, comment="ask Ben")
    desk = make_desk(office)
    go(desk, 81)
    assert session(desk).values == {"choice.2": "hold"}
    assert answers(desk).rows[1].choice.chosen == "hold"
    assert detail(desk).bar.primary.accessibleName() == "Answer 1 row first"


def test_several_gates_are_decided_together_only_where_they_may(make_desk: MakeDesk) -> None:
    office = FakeOffice()
    for number in (200, 201, 202):
        office.add(
            figures.gate(number, "approval", f"Bill {number}", run=number), figures=(("Amount", figures.euro("10.00")),)
        )
    desk = make_desk(office)
    view = page(desk).pane.view
    adapter = page(desk).pane.adapter
    for number in (200, 202):
        view.selectionModel().select(
            adapter.index(adapter.row_of(f"{number:032x}")), view.selectionModel().SelectionFlag.Select
        )
    view.selectionModel().select(
        adapter.index(adapter.row_of(f"{79:032x}")), view.selectionModel().SelectionFlag.Deselect
    )
    desk.settle()
    desk.later()
    bulk = page(desk).bulk
    assert bulk.isVisible()
    assert bulk.act.accessibleName() == "Approve 2 gates"
    desk.click(bulk.act)
    assert [made.gate_id for made in desk.decisions()] == [f"{200:032x}", f"{202:032x}"]  # type: ignore[attr-defined]
    desk.look()  # they leave the list
    assert page(desk).pane.view.adapter.row_of(f"{202:032x}") < 0
    assert bulk.isVisible()
    assert bulk._said.text() == "Approved 2 gates. Each can be taken back in Decided for 5 s."
    bulk._ends.timeout.emit()
    assert bulk._said.text() == "Approved 2 gates."
    view.selectRow(adapter.row_of(f"{81:032x}"))
    desk.settle()
    assert not bulk.isVisible()


def test_what_was_seen_for_a_while_is_marked_as_read(make_desk: MakeDesk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("counterfoil.desktop.gate.keeping.STOOD", 3_600_000)  # however slow this computer is now
    desk = make_desk()
    go(desk, 81)
    assert desk.office.read == set()
    assert detail(desk).draft._standing.isActive()
    detail(desk).draft._standing.timeout.emit()  # it has stood for long enough
    desk.settle()
    assert desk.office.read == {f"{81:032x}"}  # the first one was passed by
    assert desk.office.now > NOW
    assert ME in str(desk.office.gate(f"{79:032x}").me)


def test_the_page_a_figure_comes_from_is_shown_with_its_box(desk: Desk) -> None:
    go(desk, 81)
    card = shown(desk).findChild(SourceCard)
    assert card is not None
    desk.click(card._show)
    picture = card.findChild(PagePicture)
    assert picture is not None
    assert picture.accessibleDescription() == "The figure stands at 72, 628 to 420, 662 points"
    part = picture.heightForWidth(600)
    desk.click(card._whole)
    assert picture.heightForWidth(600) > part
    assert card._whole.text() == "Around the box"


def test_evidence_of_an_unknown_kind_is_shown_as_it_came_and_can_be_decided(desk: Desk) -> None:
    odd = figures.batch()
    odd["evidence"] = [{"kind": "hologram", "title": "Odd", "data": {"a": [1, 2]}, "source": None}]
    desk.office.add(odd, bodies=figures.BODIES)
    desk.look()
    go(desk, 82)
    assert "This evidence is of the kind ‘hologram’" in " ".join(
        label.text() for label in shown(desk).findChildren(Prose)
    )
    desk.click(detail(desk).bar.primary)
    assert last(desk).verdict == "approved"


def test_what_is_decided_promises_no_going_on_while_nothing_carries_it_on(desk: Desk) -> None:
    bar = detail(desk).bar
    for seen, says in (
        (RunnerSeen(RunnerState.OFF), "Approved. It waits for the runner. 5 s to undo."),
        (RunnerSeen(RunnerState.RUNNING, paused_by=figures.ME), "Approved. It waits while all is paused. 5 s to undo."),
        (RunnerSeen(RunnerState.RUNNING), "Approved. Carries on in 5 s."),
    ):
        desk.office.runner_seen = seen
        desk.bridge.changed_now(Part.RUNNER)
        desk.settle()
        desk.later()
        desk.click(bar.primary)
        assert bar.done.text() == says
        desk.click(bar.undo)


def test_what_waited_for_the_runner_says_so_no_longer_once_that_runs(desk: Desk) -> None:
    bar = detail(desk).bar
    for state, says in ((RunnerState.OFF, "Approved. It waits for the runner."), (RunnerState.RUNNING, "Approved.")):
        desk.office.runner_seen = RunnerSeen(state)
        desk.bridge.changed_now(Part.RUNNER)
        desk.settle()
        if state is RunnerState.OFF:
            desk.click(bar.primary)
            desk.office.now += 6_000_000
            bar._tick()
        assert bar.done.text() == says


def test_what_became_of_a_decision_comes_onto_its_page_as_it_happens(desk: Desk) -> None:
    desk.click(detail(desk).bar.primary)
    shown = detail(desk).gate_id

    def happens(state: str, words: str, run_id: str) -> list[str]:
        seen = desk.office.seen[shown]
        desk.office.seen[shown] = dataclasses.replace(seen, after=(Aftermath(1, state, words),))
        desk.bridge.tell(Changes(frozenset({Part.RUNS}), frozenset({run_id})))
        desk.settle()
        desk.settle()
        here = detail(desk).page
        assert here is not None
        return [one.text() for one in here.findChildren(Prose) if words == one.text()]

    assert happens("open", "Mail to Ben: not begun yet.", detail(desk).run_id) == ["Mail to Ben: not begun yet."]
    assert happens("done", "Mail to Ben: done.", detail(desk).run_id) == ["Mail to Ben: done."]
    assert happens("done", "Mail to Ben: looked up.", "of another run") == []


def test_fifty_rows_are_made_in_portions_and_more_on_demand(desk: Desk) -> None:
    many = figures.exceptions()
    many["evidence"], many["flags"] = [], []
    many["fields"] = [
        figures.field(f"choice.{key}", type="choice", label=f"{key}. Bill {key}", choices=["pay", "hold"])
        for key in range(1, 51)
    ]
    desk.office.add(many)
    page(desk).go_to_gate(f"{79:032x}")
    go(desk, 81)
    for _ in range(3):
        desk.settle()
    assert len(answers(desk).rows) == 30
    parts = answers(desk).lines.count()
    answers(desk).more.click()
    assert len(answers(desk).rows) == 32  # the frame of the click makes no more of them
    desk.settle()
    assert len(answers(desk).rows) == 50
    assert answers(desk).lines.count() == parts + 1  # shown all in one: each showing lays out the whole page
    assert all(row.isVisible() for row in answers(desk).rows)
    assert detail(desk).bar.primary.accessibleName() == "Answer 50 rows first"


def test_the_first_open_row_is_gone_to_though_it_is_not_made_yet(desk: Desk) -> None:
    many = figures.exceptions()
    many["evidence"], many["flags"] = [], []
    many["fields"] = [
        figures.field(f"choice.{key}", type="choice", label=f"{key}. Bill {key}", choices=["pay", "hold"])
        for key in range(1, 41)
    ]
    desk.office.add(many)
    desk.office.drafts[f"{81:032x}"] = Draft(values={f"choice.{key}": "hold" for key in range(1, 36)})
    page(desk).go_to_gate(f"{79:032x}")
    go(desk, 81)
    desk.click(detail(desk).bar.primary)
    assert desk.focus() is answers(desk).rows[35].choice.first()


def test_a_gate_is_put_on_paper(desk: Desk, tmp_path: Path) -> None:
    target = tmp_path / "gate.pdf"
    seen = desk.office.gate(f"{81:032x}")
    assert write_pdf(target, seen, NOW) == f"gate.pdf is written, in {tmp_path}."
    assert target.read_bytes().startswith(b"%PDF")
    assert target.read_bytes().rstrip().endswith(b"%%EOF")
    assert list(tmp_path.glob("*.part")) == []
    written = as_html(seen, NOW)
    assert "GB29 NWBK 6016 1331 9268 19" in written
    hostile = dataclasses.replace(seen, document={**seen.document, "title": "<script>x</script>"})
    assert "<script>" not in as_html(hostile, NOW)


def test_saving_as_pdf_asks_for_a_name_without_a_loop_of_its_own(desk: Desk) -> None:
    inside(desk)
    desk.press(Qt.Key.Key_P, CTRL)
    dialog = desk.window.findChild(QFileDialog)
    assert dialog is not None
    dialog.reject()


def test_a_pdf_that_cannot_be_written_is_said(desk: Desk, tmp_path: Path) -> None:
    inside(desk)
    desk.press(Qt.Key.Key_P, CTRL)
    dialog = desk.window.findChild(QFileDialog)
    assert dialog is not None
    target = tmp_path / "gone" / "gate.pdf"
    dialog.fileSelected.emit(str(target))
    desk.settle()
    dialog.reject()
    (banner,) = [one for one in desk.window.notices.findChildren(Banner) if one.isVisible()]
    assert banner.words.text().startswith(f"The PDF could not be written to {target}: ")
    assert "Choose another folder." in [label.text().split(". ")[-1] for label in banner.findChildren(Prose)]
    assert not target.parent.exists()


def test_an_inbox_that_is_not_shown_looks_when_it_is_shown(desk: Desk) -> None:
    page = desk.window.pages["inbox"]
    desk.window.show_page("runs")
    desk.office.add(figures.gate(300, "approval", "Came meanwhile", run=300))
    desk.look()
    assert page.pane.list.row(f"{300:032x}") is None
    desk.window.show_page("inbox")
    desk.settle()
    assert page.pane.list.row(f"{300:032x}") is not None
