"""The frame: counts that agree everywhere, the runner line, pages by keys, the first run from the card to the written file."""

import dataclasses
import importlib
import sys
from typing import Any

import pytest
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import QAction
from PySide6.QtTest import QAbstractItemModelTester
from PySide6.QtWidgets import QLabel, QMenu, QPushButton, QWidget

from counterfoil.desktop import bridge
from counterfoil.desktop.bridge import ACTIVE, HIDDEN
from counterfoil.desktop.commands import Command, found
from counterfoil.desktop.frame import pages
from counterfoil.desktop.frame.palette import CommandsAdapter
from counterfoil.desktop.frame.runner_line import words_of
from counterfoil.desktop.inbox.welcome import WelcomeCard
from counterfoil.desktop.office import Part, Progress, RunnerSeen, RunnerState
from counterfoil.desktop.parts.boxes import Banner
from counterfoil.desktop.parts.focus import FocusRing
from counterfoil.desktop.parts.labels import Prose
from counterfoil.desktop.template_facts import FolderFacts
from counterfoil.desktop.theme import current
from counterfoil.desktop.words import times
from counterfoil.errors import RunnerTrouble
from desktop import figures
from desktop.conftest import Desk, MakeDesk
from desktop.fake_office import FakeOffice
from desktop.figures import HOUR, MINUTE, NOW, WORKSPACE

CTRL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier


def empty_office() -> FakeOffice:
    office = FakeOffice()
    office.documents.clear()
    office.run_rows.clear()
    return office


def card_of(desk: Desk) -> WelcomeCard | None:
    """The card of the first run, while there is one."""
    first = desk.window._first_run
    return first.card if first is not None else None


def test_the_window_is_there_before_anything_is_asked(make_desk: MakeDesk) -> None:
    """Its line between list and detail stands where the first page has it, also in the smallest window; the hint of a row fits there."""
    desk = make_desk(size=(1100, 700), begin=False)
    assert desk.window.isVisible()
    assert desk.window.pages == {}
    assert desk.window.stack.currentWidget() is desk.window._skeleton
    stood = desk.window._skeleton.sizes()
    desk.window.begin(desk.bridge)
    desk.settle()
    inbox = desk.window.pages["inbox"]
    assert inbox.panels.sizes() == stood
    inbox.go_to_gate(f"{81:032x}")
    desk.settle()
    assert inbox.detail.page.answers._hint.isVisible()


def test_one_number_everywhere(desk: Desk) -> None:
    inbox = desk.window.pages["inbox"]
    assert desk.window.windowTitle() == "Counterfoil (6)"
    assert inbox.pane.tabs.segments["for_me"].badge == "6"
    assert desk.window.sidebar.buttons["inbox"].accessibleName() == "Inbox, 6 gates for you"
    desk.click(inbox.detail.bar.primary)
    desk.look()
    assert desk.window.windowTitle() == "Counterfoil (5)"
    assert inbox.pane.tabs.segments["for_me"].badge == "5"
    assert desk.window.sidebar.buttons["inbox"].accessibleName() == "Inbox, 5 gates for you"


@pytest.mark.parametrize(
    "key, name",
    [
        (Qt.Key.Key_2, "runs"),
        (Qt.Key.Key_3, "templates"),
        (Qt.Key.Key_4, "schedules"),
        (Qt.Key.Key_5, "connectors"),
        (Qt.Key.Key_6, "trail"),
        (Qt.Key.Key_Comma, "settings"),
        (Qt.Key.Key_1, "inbox"),
    ],
)
def test_pages_by_keys_are_made_when_first_wanted(desk: Desk, key: Qt.Key, name: str) -> None:
    assert set(desk.window.pages) == {"inbox"}
    desk.press(key, CTRL)
    assert desk.window.stack.currentWidget() is desk.window.pages[name]
    assert [
        button for button, widget in desk.window.sidebar.buttons.items() if widget.property("chosen") == "true"
    ] == [name]


def test_f6_goes_round_the_panes(desk: Desk) -> None:
    inbox = desk.window.pages["inbox"]
    stops = []
    for _ in range(3):
        desk.press(Qt.Key.Key_F6)
        stops.append(desk.focus())
    assert stops == [inbox.detail.page.head.title, desk.window.sidebar.buttons["inbox"], inbox.pane.view]
    desk.press(Qt.Key.Key_F6, SHIFT)
    assert desk.focus() is desk.window.sidebar.buttons["inbox"]


def test_the_ring_is_there_for_keys_and_not_for_the_mouse(desk: Desk) -> None:
    ring = desk.window.findChild(FocusRing)
    assert ring is not None
    inbox = desk.window.pages["inbox"]
    inbox.pane.search.setFocus(Qt.FocusReason.TabFocusReason)
    desk.press(Qt.Key.Key_Tab)
    assert ring.widget() is desk.focus()
    inner = QRect(desk.focus().mapTo(desk.window, QPoint()), desk.focus().size())
    frame = ring.frame
    assert frame is not None
    outer = QRect(frame.mapTo(desk.window, QPoint()), frame.size())
    assert outer == inner.adjusted(-4, -4, 4, 4), (
        "two pixels of ring, and a gap that shows it around a button of its colour"
    )
    desk.click(inbox.detail.bar.send_back)
    assert ring.widget() is None or ring.widget() is desk.focus()


def test_the_ring_outlives_the_page_it_was_shown_in_and_follows_it(make_desk: MakeDesk) -> None:
    desk = make_desk(size=(1100, 700))
    ring = desk.window.findChild(FocusRing)
    assert ring is not None
    inbox = desk.window.pages["inbox"]

    def around(widget: QWidget) -> QRect:
        return QRect(widget.mapTo(desk.window, QPoint()), widget.size())

    for number in (79, 74, 81):
        inbox.go_to_gate(f"{number:032x}")
        desk.settle()
        inside = next(one for one in inbox.detail.page.findChildren(QPushButton) if one.text().startswith("Run "))
        inside.setFocus(Qt.FocusReason.TabFocusReason)
        desk.press(Qt.Key.Key_Tab)
        assert ring.widget() is desk.focus()
        frame = ring.frame
        assert frame is not None
        assert frame.isVisible()
        held = frame.parentWidget()
        assert held is not None
        wanted = around(desk.focus()).adjusted(-4, -4, 4, 4)
        assert around(held).contains(wanted), "a row as high as its buttons would cut it"
        inbox.detail.area.verticalScrollBar().setValue(40)
        desk.settle()
        assert around(frame) == around(desk.focus()).adjusted(-4, -4, 4, 4) == wanted.translated(0, -40)


@pytest.mark.parametrize(
    "seen, head, tail",
    [
        (RunnerSeen(RunnerState.RUNNING, last_saved=NOW), "Running", "Last saved 08:55:12"),
        (RunnerSeen(RunnerState.STARTING), "Starting…", ""),
        (RunnerSeen(RunnerState.OFF), "Off", "Nothing starts or goes on."),
        (RunnerSeen(RunnerState.SILENT, last_sign=NOW), "No sign of life since 08:55", ""),
    ],
)
def test_runner_line_says_how_it_does(seen: RunnerSeen, head: str, tail: str) -> None:
    assert words_of(seen) == (head, tail)


def test_runner_is_started_from_its_line(make_desk: MakeDesk) -> None:
    office = FakeOffice()
    office.runner_seen = RunnerSeen(RunnerState.OFF)
    desk = make_desk(office)
    line = desk.window.sidebar.runner
    assert line.start.isVisible()
    desk.click(line.start)
    desk.look()
    assert ("start_runner", None) in office.log
    assert not line.start.isVisible()
    desk.click(line._face)
    assert line._popover is None, "a second click on Start opened what lies beneath it"


def test_the_line_says_more_when_asked(make_desk: MakeDesk) -> None:
    office = FakeOffice()
    office.runner_seen = dataclasses.replace(
        office.runner_seen, next_name="Weekly report", next_at=NOW + 22 * HOUR + 5 * MINUTE
    )
    desk = make_desk(office)
    line = desk.window.sidebar.runner
    desk.click(line._face)
    assert line._popover is not None
    told = [label.text() for label in line._popover.findChildren(Prose)]
    assert "It works on ‘Update Q4 price list’." in told
    assert "Next: Weekly report, tomorrow 07:00." in told
    line.show_runner(RunnerSeen(RunnerState.OFF))
    desk.settle()
    told = [label.text() for label in line._popover.findChildren(Prose) if label.isVisible()]
    assert len(told) == 1, "what it says does not outlive what is so"
    assert told[0].startswith("The runner is off.")
    assert line._popover.geometry().bottom() < line.mapTo(desk.window, QPoint(0, 0)).y()
    desk.press(Qt.Key.Key_Escape)
    assert line._popover is None


def test_trouble_that_nobody_expected_is_said_and_closed_by_the_person(make_desk: MakeDesk) -> None:
    office = FakeOffice()
    office.runner_seen = RunnerSeen(RunnerState.OFF)
    desk = make_desk(office)

    def refuse() -> None:
        raise RunnerTrouble("The runner did not start.", "See its log.")

    office.start_runner = refuse  # type: ignore[method-assign]
    desk.click(desk.window.sidebar.runner.start)
    assert desk.window.sidebar.runner.start.isVisible()  # it can be tried again
    banner = next(one for one in desk.window.findChildren(Banner) if one.words.text() == "The runner did not start.")
    desk.click(banner.findChild(QPushButton))
    assert not [
        one for one in desk.window.findChildren(Banner) if one.isVisible() and "did not start" in one.words.text()
    ]


def test_workspaces_and_looks_in_one_menu(desk: Desk) -> None:
    desk.press(Qt.Key.Key_W, CTRL, SHIFT)
    menu = desk.window.sidebar.switcher.findChild(QMenu)
    assert menu is not None
    actions = {action.text(): action for action in menu.actions() if action.text()}
    assert list(actions) == [
        "All workspaces",
        "Payables\tin Larkfield",
        "Sales\tin Larkfield",
        "Look as the system does",
        "Light",
        "Dark",
    ]
    assert menu.toolTipsVisible(), "the whole path is told nowhere else there"
    assert isinstance(actions["Payables\tin Larkfield"], QAction)
    actions["Payables\tin Larkfield"].trigger()
    menu.close()
    desk.settle()
    assert desk.window.sidebar.switcher.accessibleName() == "Workspace: Payables"


def test_the_look_is_kept(desk: Desk) -> None:
    try:
        desk.window.choose_look("dark")
        assert current().name == "dark"
        assert desk.window._settings.value("look") == "dark"
    finally:
        desk.window.choose_look("light")


def test_a_second_start_raises_the_window(desk: Desk) -> None:
    desk.window.showMinimized()
    desk.settle()
    assert desk.bridge.paces[-1] == HIDDEN  # it looks less often
    desk.window.raise_again()
    desk.settle()
    assert not desk.window.isMinimized()
    assert desk.bridge.paces[-1] == ACTIVE


# -------------------------------------------------------------------------------------------------------- the first run


def test_the_runner_line_says_starting_as_soon_as_the_sample_is_begun(
    make_desk: MakeDesk, monkeypatch: pytest.MonkeyPatch
) -> None:
    office = empty_office()
    office.runner_seen = RunnerSeen(RunnerState.OFF)
    desk = make_desk(office)
    said = []

    def start_sample() -> str:
        said.append(desk.window.runner.state)
        raise RunnerTrouble("The runner could not be started.")

    monkeypatch.setattr(office, "start_sample", start_sample)
    card = card_of(desk)
    assert card is not None
    desk.click(card.start)
    assert said == [RunnerState.STARTING]
    assert desk.window.runner.state is RunnerState.OFF  # it did not come off, and the line says so again


def test_the_first_card_claims_no_protection_before_it_was_measured(make_desk: MakeDesk) -> None:
    desk = make_desk(empty_office())
    card = card_of(desk)
    assert card is not None
    assert card._level.text() == "Protected: measured when the first run starts"
    desk.window._show_runner(dataclasses.replace(desk.window.runner, isolation="L3"))
    assert card._level.text() == "Protected: Isolated"


def test_the_first_run_from_the_card_to_the_written_file(make_desk: MakeDesk) -> None:
    office = empty_office()
    desk = make_desk(office)
    inbox = desk.window.pages["inbox"]
    first = desk.window._first_run
    assert first is not None
    card = first.card
    assert card is not None
    assert card.isVisible()
    assert desk.focus() is card.start
    run_id = f"{12:032x}"
    office.progress_seen = [
        Progress(run_id, "running", "Reading 9 of 14", 9, 14, (("T-3310.xml", ""), ("BW-7741.pdf", "account changed")))
    ]
    desk.press(Qt.Key.Key_Space)
    assert ("start_sample", None) in office.log
    assert card.card.accessibleName() == "Reading 9 of 14"
    assert desk.focus() is card.card
    office.add(figures.exceptions(), figures=figures.EXCEPTION_FIGURES)
    office.run_rows = []
    office.progress_seen = [Progress(run_id, "waiting", "", gate_id=f"{81:032x}")]
    card._look()
    desk.settle()
    assert inbox.detail.gate_id == f"{81:032x}"
    assert desk.focus() is inbox.detail.page.head.title
    assert inbox.detail.page.answers._hint.text() == "Two things need your answer first."
    assert inbox.detail.bar.silence.text().startswith("Nothing has been written yet.")
    desk.later()
    for row in inbox.detail.page.answers.rows:
        desk.click(row.choice.segments["hold"])
    desk.click(inbox.detail.bar.primary)
    assert inbox.detail.bar._hint.text() == "You have 5 seconds to take it back."
    assert inbox.detail.bar._hint.isVisible()
    result = {
        "summary": "payments/r-12.xml is written: 12 payments, €41,208.90. Nothing was sent to a bank. Upload it in your bank's portal."
    }
    office.progress_seen = [Progress(run_id, "done", "", result=result, folder="/tmp")]
    desk.bridge.changed_now(Part.RUNS)
    desk.settle()
    assert first.card is not None
    assert first.card.card.accessibleName() == "payments/r-12.xml is written: 12 payments, €41,208.90."
    assert desk.focus() is first.card.card
    words = [button.accessibleName() for button in first.card.findChildren(QPushButton)]
    made_yours = ["Use your own folder", "Run it every Monday", "Pull the plug and watch it carry on"]
    assert words == ["Open folder", "See every step", *made_yours]
    mondays = next(one for one in first.card.findChildren(QPushButton) if one.text().strip() == "Run it every Monday")
    desk.click(mondays)
    desk.settle()
    assert desk.window.pages["schedules"].editor.rule.text() == "every Monday at 07:00"


def test_the_result_does_not_pull_anybody_back(make_desk: MakeDesk) -> None:
    office = empty_office()
    desk = make_desk(office)
    first = desk.window._first_run
    assert first is not None
    assert first.card is not None
    run_id = f"{12:032x}"
    office.progress_seen = [Progress(run_id, "waiting", "", gate_id=f"{81:032x}")]
    office.add(figures.exceptions())
    office.add(figures.question())
    desk.click(first.card.start)
    desk.window.pages["inbox"].go_to_gate(f"{70:032x}")
    desk.settle()
    office.progress_seen = [Progress(run_id, "done", "", result={})]
    desk.bridge.changed_now(Part.RUNS)
    desk.settle()
    assert card_of(desk) is None
    assert desk.window.pages["inbox"].detail.gate_id == f"{70:032x}"


def test_a_sample_that_cannot_start_says_why(make_desk: MakeDesk) -> None:
    office = empty_office()

    def refuse() -> str:
        raise RunnerTrouble("The sample could not be copied.", "Free some space.")

    office.start_sample = refuse  # type: ignore[method-assign]
    desk = make_desk(office)
    first = desk.window._first_run
    assert first is not None
    assert first.card is not None
    desk.click(first.card.start)
    assert [banner.words.text() for banner in first.card.findChildren(Banner)] == ["The sample could not be copied."]
    assert first.card.start.isEnabled()


def test_own_folder_leads_to_the_form_with_measured_facts(make_desk: MakeDesk) -> None:
    desk = make_desk(empty_office())
    first = desk.window._first_run
    assert first is not None
    assert first.card is not None
    desk.click(first.card.own)
    templates = desk.window.pages["templates"]
    assert templates.sheet is not None
    desk.settle()
    assert desk.focus() is templates.sheet.path, "also after the form below has come"
    templates.sheet.take(WORKSPACE)
    desk.settle()
    assert templates.sheet.act.text() == "Use this folder"
    desk.click(templates.sheet.act)
    assert templates.form.isVisible()
    assert templates.form.mapTo(desk.window, QPoint(0, 0)).x() > 0


def test_of_many_files_that_cannot_be_read_the_first_are_named_and_the_others_counted(make_desk: MakeDesk) -> None:
    desk = make_desk(empty_office())
    names = tuple(f"locked/{at}.pdf" for at in range(1_234))
    desk.office.measure_folder = lambda path: FolderFacts(path, 5_678, 900, 0.2, ("created",), unreadable=names)  # type: ignore[method-assign]
    desk.click(desk.window._first_run.card.own)  # type: ignore[union-attr]
    sheet = desk.window.pages["templates"].sheet
    sheet.take(WORKSPACE)
    desk.settle()
    (banner,) = sheet.findChildren(Banner)
    assert banner.words.text() == "Counterfoil may not read 1,234 of 5,678 files."
    said = [one.text() for one in banner.findChildren(QLabel)]
    assert any(text.endswith("locked/19.pdf\nand 1,214 more") for text in said)


# ------------------------------------------------------------------------------------------------------------- Ctrl+K


def test_commands_are_found_by_words_and_keys_by_a_question_mark() -> None:
    offered = [
        Command("page", "Go to Inbox"),
        Command("gate", "Send credit note", "g", "gate g-79"),
        Command("run", "Credit", "r"),
    ]
    assert [command.title for command in found(offered, "credit")] == ["Credit", "Send credit note"]
    assert [command.title for command in found(offered, "g-79")] == ["Send credit note"]
    assert found(offered, "nothing like it") == []
    assert {command.act for command in found(offered, "?")} == {"none"}


def test_the_palette_goes_to_a_gate_and_decides_nothing(desk: Desk) -> None:
    desk.press(Qt.Key.Key_K, CTRL)
    desk.type("cost centre")
    desk.press(Qt.Key.Key_Return)
    assert desk.window.pages["inbox"].detail.gate_id == f"{70:032x}"
    assert desk.decisions() == []
    assert desk.window.anywhere.palette is None


def test_the_palette_shows_the_checkpoint_of_this_run(desk: Desk) -> None:
    desk.press(Qt.Key.Key_K, CTRL)
    desk.type("checkpoint")
    desk.press(Qt.Key.Key_Return)
    assert desk.window.pages["runs"].detail.tabs.chosen == "checkpoint"


def test_the_palette_gives_the_focus_back(desk: Desk) -> None:
    here = desk.focus()
    desk.press(Qt.Key.Key_K, CTRL)
    desk.press(Qt.Key.Key_Down)
    desk.press(Qt.Key.Key_Escape)
    assert desk.focus() is here
    desk.press(Qt.Key.Key_K, CTRL)
    desk.type("?")
    desk.press(Qt.Key.Key_Return)  # a key that is only listed does nothing
    assert desk.window.anywhere.palette is not None
    desk.press(Qt.Key.Key_K, CTRL)
    assert desk.window.anywhere.palette is None


def test_the_palettes_list_keeps_qts_rules(desk: Desk) -> None:
    adapter = CommandsAdapter()
    QAbstractItemModelTester(adapter, QAbstractItemModelTester.FailureReportingMode.Fatal)
    adapter.show_commands(found([Command("page", "Go to Inbox", "inbox", "Ctrl+1")], ""))
    adapter.show_commands([])
    assert adapter.rowCount() == 0


def test_pages_are_imported_before_anybody_goes_there(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    imported: list[str] = []
    monkeypatch.setattr(importlib, "import_module", imported.append)
    ahead = desk.window._ahead
    left = list(reversed(ahead.left))  # a slow computer may have had a turn already
    assert ahead._turns.isActive()  # since the inbox has its rows
    while ahead._turns.isActive():
        ahead.turn()
    assert imported == [pages.PAGES[name][0] for name in left]
    desk.settle()
    assert desk.office.loaded_ahead[-len(left) :] == left, "and what answers them"
    assert {pages.PAGES[name][0] for name in pages.PAGES} <= {*imported, *sys.modules}


def test_heavy_pages_are_made_before_anybody_goes_there_and_show_what_is_so_by_then(
    make_desk: MakeDesk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pages, "HEAVY", ("runs", "schedules"))
    desk = make_desk()
    ahead = desk.window._ahead
    while ahead._turns.isActive():
        ahead.turn()
    made: dict[str, Any] = dict(ahead._made)
    assert set(made) == {"runs", "schedules"}
    assert set(desk.window.pages) == {"inbox"}, "nobody has been there"
    desk.settle()
    assert not made["runs"].adapter.rows, "it asks nothing"
    assert desk.window.stack.currentWidget() is desk.window.pages["inbox"]
    desk.later(24 * 3600)
    for key, name in ((Qt.Key.Key_2, "runs"), (Qt.Key.Key_4, "schedules")):
        desk.press(key, CTRL)
        assert desk.window.shown is made[name]
        assert made[name].adapter.rows
    today = times.local(desk.office.now).date()
    assert made["schedules"].calendar.view.current_day().day == today


def test_who_is_at_work_goes_first_but_not_for_ever(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    ahead, turns = desk.window._ahead, list[str]()
    monkeypatch.setattr(ahead, "turn", lambda: turns.append("turn"))
    ahead._turns.stop()
    ahead._passed = 0
    monkeypatch.setattr(bridge, "LATEST", 3600.0)
    desk.bridge.ask(desk.window, lambda office: office.runner(), lambda _seen: None)
    for _ in range(pages.PASSED):
        ahead._due()
    assert turns == [], "somebody has just asked something"
    ahead._due()
    assert turns == ["turn"]
    monkeypatch.setattr(bridge, "LATEST", 0.0)
    ahead._due()
    assert turns == ["turn", "turn"], "nobody waits any more"


def test_a_page_that_somebody_went_to_is_not_made_again(make_desk: MakeDesk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pages, "HEAVY", ("runs",))
    desk = make_desk()
    desk.press(Qt.Key.Key_2, CTRL)
    ahead = desk.window._ahead
    while ahead._turns.isActive():
        ahead.turn()
    assert not ahead._made
