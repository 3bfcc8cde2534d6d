"""The Schedules page on the fake office, by mouse and keyboard: list, calendar, acts, and the sentence that is written."""

from collections.abc import Generator
from datetime import date, timedelta
from typing import Any

import pytest
import shiboken6
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QAbstractItemModelTester, QTest
from pytestqt.qtbot import QtBot

from counterfoil.clock import from_us
from counterfoil.desktop.gate.sheets import WordsSheet
from counterfoil.desktop.office import Part
from counterfoil.desktop.parts.boxes import Banner
from counterfoil.desktop.parts.buttons import Button
from counterfoil.desktop.parts.labels import Prose
from counterfoil.desktop.run_facts import Silent
from counterfoil.desktop.schedule_facts import NoticeSeen, ReadySeen, ScheduleDraft
from counterfoil.desktop.schedules.calendar_grid import DaysAdapter, Role
from counterfoil.desktop.schedules.list_view import SchedulesAdapter, switch_box
from counterfoil.desktop.schedules.page import SchedulesPage
from counterfoil.desktop.theme import Theme
from counterfoil.desktop.words import schedules as words
from counterfoil.errors import NotNow
from desktop.conftest import Desk, MakeDesk, Stopped
from desktop.fake_bridge import FakeBridge
from desktop.fake_office import FakeOffice
from desktop.fake_schedules import (
    AWAY,
    BACKUP,
    GATE,
    HELD,
    MISSED,
    PAYMENTS,
    REPORT,
    TIDY,
    FakeSchedules,
    at,
    firing,
    ran,
    rows,
)
from desktop.figures import NOW, WORKSPACE

TODAY = from_us(NOW).date()
PAY = "/t/pay-invoices"


@pytest.fixture
def desk(qtbot: QtBot, theme: Theme) -> Generator[Desk]:
    """The page without its frame, which most of these need not wait for; the hands are those of a window."""
    office = FakeOffice()
    bridge = FakeBridge(office)
    page: Any = SchedulesPage(bridge, Stopped(office))
    bridge.changed.connect(page.changed)
    page.resize(1228, 868)
    page.show()
    page.activateWindow()
    page.choose_workspace(None)
    made = Desk(page, office, bridge)
    made.settle()
    yield made
    page.close()
    shiboken6.delete(page)


@pytest.fixture
def page(desk: Desk) -> Any:
    return desk.window


@pytest.fixture
def whole(make_desk: MakeDesk) -> Desk:
    """The whole window."""
    return make_desk()


def told(page: Any) -> str:
    return " ".join(banner.words.text() for banner in page.findChildren(Banner) if banner.isVisible())


def acts(desk: Desk) -> list[tuple[str, Any]]:
    return [
        (act, what) for act, what in desk.office.log if act in ("pause", "resume", "skip", "remove", "run", "got_it")
    ]


# ---------------------------------------------------------------------------------------------------------------- list


def test_rows_say_rule_next_and_why_the_last_one_did_not_run(desk: Desk, page: Any) -> None:
    lines = {row.name: page.adapter.lines(row) for row in page.adapter.rows}
    assert lines["Weekly payments"] == (
        "Every Friday at 08:00",
        "Next Fri 4 Dec 08:00",
        "Did not run Fri 08:00: last week's still waits for Anna",
    )
    assert lines["Weekly report"][:2] == (
        "Every Monday at 07:00, Berlin time",
        "Next Mon 7 Dec 07:00 in Berlin, 06:00\u00a0here",
    )
    assert lines["Tidy the scans"][1:] == ("Paused by Anna", "Has not run yet")


def test_a_row_is_heard_as_one_sentence(desk: Desk, page: Any) -> None:
    spoken = page.adapter.data(page.adapter.index(0), Qt.ItemDataRole.AccessibleTextRole)
    assert spoken == (
        "Daily backup list. Every day at 18:00. Next today 18:00. Did not run yesterday 18:00: this computer was asleep. "
        "On. Space switches it. 1 of 4."
    )


def test_the_switch_pauses_by_mouse_and_resumes_by_space(desk: Desk, page: Any) -> None:
    box = switch_box(page.view.visualRect(page.adapter.index(0)))
    QTest.mouseClick(page.view.viewport(), Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, box.center())
    desk.look()
    assert page.adapter.rows[0].paused
    page.view.setFocus()
    desk.press(Qt.Key.Key_Space)
    desk.look()
    assert acts(desk) == [("pause", BACKUP), ("resume", BACKUP)]
    assert not page.adapter.rows[0].paused


def test_a_click_beside_the_switch_switches_nothing(desk: Desk, page: Any) -> None:
    row = page.view.visualRect(page.adapter.index(1))
    place = row.topLeft() + QPoint(40, 30)
    QTest.mouseClick(page.view.viewport(), Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, place)
    desk.settle()
    assert (acts(desk), page.head.shown.schedule_id) == ([], TIDY)


def test_the_chosen_schedule_stays_when_the_list_changes(desk: Desk, page: Any) -> None:
    page.view.select(PAYMENTS)
    desk.office.schedules.rows.pop(0)
    desk.bridge.changed_now(Part.SCHEDULES)
    desk.settle()
    assert page.head.shown.schedule_id == PAYMENTS


def test_no_schedules_say_what_one_is_and_how_to_write_it(desk: Desk, page: Any) -> None:
    desk.office.schedules.rows.clear()
    desk.bridge.changed_now(Part.SCHEDULES)
    desk.settle()
    assert page.nothing.head.text() == "No schedules yet."
    desk.click(page._start)
    assert page.editor.isVisible()


# ---------------------------------------------------------------------------------------------------------------- acts


def test_what_can_be_done_with_a_schedule(desk: Desk, page: Any) -> None:
    page.view.select(PAYMENTS)
    desk.settle()
    assert page.head.skip.text().strip() == "Skip Fri 4 Dec 08:00…"
    for button in (page.head.run, page.head.missed, page.head.skip):
        desk.click(button)
    desk.type("a holiday")
    due = page.head.shown.next_at
    assert page.sheet.act.text() == "Skip Fri 4 Dec 08:00"
    desk.click(page.sheet.act)
    desk.click(page.head.switch)
    assert acts(desk) == [
        ("run", (PAYMENTS, None)),
        ("run", (PAYMENTS, HELD.due_at)),
        ("skip", (PAYMENTS, due, "a holiday")),
        ("pause", PAYMENTS),
    ]
    desk.look()
    assert page.head.chip.isVisible()
    assert not page.head.skip.isVisible()


def test_what_was_started_leads_to_its_run(desk: Desk, page: Any, qtbot: QtBot) -> None:
    desk.click(page.head.run)
    assert told(page) == "A run is started beside the rule. Its next firing stays."
    show = next(
        button for button in page.findChildren(Button) if button.text() == "Show its run" and button.key == f"{12:032x}"
    )
    with qtbot.waitSignal(page.run_wanted) as wanted:
        desk.click(show)
    assert wanted.args == [f"{12:032x}"]


def test_an_act_that_is_refused_says_why(desk: Desk, page: Any) -> None:
    desk.office.schedules.refuse = NotNow("‘Daily backup list’ has no next firing to skip.", "Look at it.")
    desk.click(page.head.skip)
    desk.type("x")
    desk.click(page.sheet.act)
    assert told(page) == "‘Daily backup list’ has no next firing to skip."


def test_removing_says_what_stays_and_escape_removes_nothing(desk: Desk, page: Any) -> None:
    desk.click(page.head.remove)
    assert "stay in Runs and in the Trail" in " ".join(one.text() for one in page.sheet.findChildren(Prose))
    desk.press(Qt.Key.Key_Escape)
    assert (acts(desk), page.sheet) == ([], None)
    desk.click(page.head.remove)
    desk.click(page.sheet.act)
    desk.look()
    assert [row.schedule_id for row in page.adapter.rows] == [TIDY, PAYMENTS, REPORT]


def test_cards_stand_above_until_they_were_seen(desk: Desk, page: Any) -> None:
    desk.office.schedules.notices = [
        NoticeSeen("not_ready", "‘Weekly payments’ cannot run as things are: the folder is not there.", PAYMENTS),
        NoticeSeen(
            "away",
            "While this computer was off (Fri 18:10 – Mon 09:12): ‘Weekly report’ ran late, 09:12. Nothing ran twice.",
            "home",
        ),
    ]
    desk.bridge.changed_now(Part.SCHEDULES)
    desk.settle()
    names = [card.accessibleName() for card in page.notices.children() if getattr(card, "lines", None) is not None]
    assert names[0] == AWAY
    page.notices.schedule_wanted.emit(PAYMENTS)
    assert page.head.shown.schedule_id == PAYMENTS
    desk.click(next(one for one in page.notices.findChildren(Button) if one.text() == "Got it"))
    desk.look()
    assert [one.kind for one in page.notices._seen] == ["not_ready"]
    asked = NoticeSeen("nothing", "‘Tidy the scans’ found nothing since 02 Nov, 5 times. Right folder?", TIDY)
    desk.office.schedules.notices = [asked, NoticeSeen("zone", "This computer's zone is Asia/Tokyo now.", "home")]
    desk.bridge.changed_now(Part.SCHEDULES)
    desk.settle()
    desk.click(next(one for one in page.notices.findChildren(Button) if one.text() == "Look"))
    assert page.head.shown.schedule_id == TIDY
    desk.click(next(one for one in page.notices.findChildren(Button) if one.text() == "It is fine"))
    desk.look()
    assert [one.kind for one in page.notices._seen] == ["zone"], "who has seen one has not seen the other"
    jumped = NoticeSeen("clock", "This computer's clock went from Mon to Thu at once.", "home")
    desk.office.schedules.notices = [*desk.office.schedules.notices, NoticeSeen("away", AWAY, "home"), jumped]
    desk.bridge.changed_now(Part.SCHEDULES)
    desk.settle()
    assert [one.kind for one in page.notices._seen] == ["clock", "away", "zone"], "what holds everything comes first"
    desk.click(next(one for one in page.notices.findChildren(Button) if one.text() == "The time is right"))
    desk.look()
    assert [one.kind for one in page.notices._seen] == ["away", "zone"]


def test_one_that_was_skipped_can_be_run_from_the_card(desk: Desk, page: Any) -> None:
    missed = (firing(BACKUP, "Backup", at(-1, 18), "missed"), firing(BACKUP, "Backup", at(-2, 18), "missed"))
    desk.office.schedules.notices = [NoticeSeen("away", "While this computer was off: 2 did not run.", "home", missed)]
    desk.bridge.changed_now(Part.SCHEDULES)
    desk.settle()
    [run] = [one for one in page.notices.findChildren(Button) if one.text().strip() == "Run a skipped one…"]
    desk.click(run)
    assert page.sheet.which.count() == 2
    page.sheet.which.setCurrentIndex(1)
    desk.click(page.sheet.act)
    desk.settle()
    assert ("run", (BACKUP, missed[1].due_at)) in desk.office.log
    assert "A run is started beside the rule" in told(page)


# ------------------------------------------------------------------------------------------------------------ calendar


def test_adapters_are_what_qt_wants(qtbot: QtBot, theme: Theme) -> None:
    fatal = QAbstractItemModelTester.FailureReportingMode.Fatal
    listed, days = SchedulesAdapter(), DaysAdapter()
    testers = [QAbstractItemModelTester(listed, fatal), QAbstractItemModelTester(days, fatal)]
    office = FakeSchedules([], lambda: None)
    for count in (4, 2, 0, 3):
        listed.show_rows(rows()[:count], NOW)
    for first, many in ((date(2026, 10, 26), 42), (date(2026, 11, 30), 7), (date(2027, 2, 1), 28)):
        days.show_days(office.calendar(first, many, None).days, month=first.month, now_us=NOW)
        days.show_days(office.calendar(first, many, None, REPORT).days, month=first.month, now_us=NOW)
    assert (days.rowCount(), days.columnCount(), len(testers)) == (4, 7, 2)


def test_a_day_is_heard_with_its_firings_and_its_night(desk: Desk, page: Any) -> None:
    grid = page.calendar.adapter
    spoken = grid.data(grid.index_of(TODAY), Qt.ItemDataRole.AccessibleTextRole)
    assert spoken == (
        "Today, Monday 30 November. 06:00 Weekly report, Ran, 30 s, late: began 08:00. 18:00 Daily backup list, Planned."
    )
    night = grid.index_of(TODAY + timedelta(days=3)).data(Role.DAY)
    assert "03:00 becomes 02:00" in grid.spoken(night)


def test_keys_go_through_days_and_months(desk: Desk, page: Any) -> None:
    view = page.calendar.view
    view.setFocus()
    seen = []
    keys = (
        Qt.Key.Key_Right,
        Qt.Key.Key_Up,
        Qt.Key.Key_Home,
        Qt.Key.Key_End,
        Qt.Key.Key_PageUp,
        Qt.Key.Key_PageDown,
        Qt.Key.Key_Down,
    )
    for key in keys:
        desk.press(key, on=view)
        seen.append((page.calendar.title.text(), view.current_day().day.isoformat()))
    assert seen == [
        ("November 2026", "2026-12-01"),
        ("November 2026", "2026-11-24"),
        ("November 2026", "2026-11-23"),
        ("November 2026", "2026-11-29"),
        ("October 2026", "2026-10-28"),
        ("November 2026", "2026-11-28"),
        ("November 2026", "2026-12-05"),
    ]
    desk.press(Qt.Key.Key_Down, on=view)
    assert (page.calendar.title.text(), view.current_day().day) == ("December 2026", date(2026, 12, 12))
    desk.click(page.calendar.today)
    assert (page.calendar.title.text(), view.current_day().day) == ("November 2026", TODAY)


def test_a_week_and_one_schedule_alone(desk: Desk, page: Any) -> None:
    page.view.select(REPORT)
    desk.click(page.calendar.span.segments["week"])
    assert page.calendar.title.text() == "30 Nov – 6 Dec"
    assert page.calendar.adapter.rowCount() == 1
    desk.click(page.calendar.scope.segments["one"])
    names = {one.name for day in page.calendar.adapter.days for one in day.firings}
    assert names == {"Weekly report"}


def test_a_missed_firing_can_be_run_after_all_from_its_day(desk: Desk, page: Any, qtbot: QtBot) -> None:
    page.calendar.go_to(from_us(HELD.due_at).date())
    desk.settle()
    keys = [button.text().strip() for button in page.calendar.day.buttons]
    assert keys == ["Run it after all", "Go to its question", "Show run 12", "Show its run"]
    desk.click(page.calendar.day.buttons[0])
    assert acts(desk) == [("run", (PAYMENTS, HELD.due_at))]
    page.calendar.go_to(from_us(at(-10, 8)).date())
    desk.settle()
    question = next(button for button in page.calendar.day.buttons if "question" in button.text())
    with qtbot.waitSignal(page.gate_wanted) as wanted:
        desk.click(question)
    assert wanted.args == [GATE]


def test_what_holds_it_up_is_one_press_away(desk: Desk, page: Any, qtbot: QtBot) -> None:
    page.view.select(PAYMENTS)
    desk.settle()
    with qtbot.waitSignal(page.gate_wanted) as question:
        desk.click(page.head.question)
    assert question.args == [GATE]
    assert page.head.holder.text() == "Show run 12"
    with qtbot.waitSignal(page.run_wanted) as run:
        desk.click(page.head.holder)
    assert run.args == [f"{12:032x}"]


def test_the_calendar_changes_while_it_is_looked_at(desk: Desk, page: Any) -> None:
    desk.office.schedules.firings.append(
        firing(REPORT, "Weekly report", at(1, 12), "skipped", reason="skipped by Anna")
    )
    desk.bridge.changed_now(Part.RUNS)
    desk.settle()
    page.calendar.go_to(TODAY + timedelta(days=1))
    desk.settle()
    assert any("skipped by Anna" in one.text() for one in page.calendar.day.findChildren(Prose))


# --------------------------------------------------------------------------------------------------------------- words


@pytest.mark.parametrize(
    "seen, said",
    [
        (ran(REPORT, "R", at(0, 6), 5), "Ran today 06:00, 41 s"),
        (ran(REPORT, "R", at(0, 6), 5, beside="again"), "After all, ran today 06:00, 41 s"),
        (ran(REPORT, "R", at(-3, 6), 5, run_state="failed", reason="no column."), "Started Fri 06:00, stopped: no column"),
        (ran(REPORT, "R", at(0, 6), 5, reason="0 of 0 files"), "Ran today 06:00, 41 s: 0 of 0 files"),
        (ran(REPORT, "R", at(0, 6), 5, run_state="waiting", gate_id="g", ended_at=None), "Started today 06:00, waits for an answer"),
        (MISSED, "Did not run yesterday 18:00: this computer was asleep"),
        (firing(REPORT, "R", at(0, 6)), "Due, not started yet"),
        (firing(REPORT, "R", at(1, 6), note="02:30 does not exist that day: 03:30"), "Planned: 02:30 does not exist that day: 03:30"),
        (firing(REPORT, "R", at(0, 6), "missed", reason="asleep", again=True), "Did not run today 06:00: asleep. Run after all"),
        (firing(TIDY, "T", at(-2, 0), "started", count=96, until=at(-2, 23, 45)), "96 firings until 23:45, ran"),
        (None, "Has not run yet"),
    ],
)  # fmt: skip
def test_what_became_of_a_firing(seen: Any, said: str) -> None:
    assert words.last_words(seen, NOW) == said


# ------------------------------------------------------------------------------------------------------------ writing


@pytest.fixture
def editor(desk: Desk, page: Any) -> Any:
    page.write_for(PAY, WORKSPACE, {"debtor": "Larkfield"})
    desk.settle()
    return page.editor


def type_rule(desk: Desk, editor: Any, text: str) -> str:
    editor.rule.setText(text)
    editor._judge()
    desk.settle()
    return str(editor.sentence.said.text())


def test_words_are_said_back_with_the_next_five(desk: Desk, editor: Any) -> None:
    assert type_rule(desk, editor, "every 2 weeks on mon at 9") == "Every 2 weeks on Monday at 09:00."
    assert editor.ahead.texts[:2] == ["Mon 30 Nov 2026 09:00", "Mon 14 Dec 2026 09:00"]
    assert len(editor.ahead.texts) == 5
    assert type_rule(desk, editor, "0 9 * * 1-5") == "Crontab line 0 9 * * 1-5."


def test_typing_is_judged_by_itself(desk: Desk, editor: Any, qtbot: QtBot) -> None:
    editor.rule.setFocus()
    desk.type("every day at 06:00")
    qtbot.waitUntil(lambda: editor.sentence.said.text() == "Every day at 06:00.", timeout=30_000)


@pytest.mark.parametrize(
    "rule, zone, said",
    [
        ("every year on 31 April at 09:00", "UTC", "31 April does not exist. Last day of the month instead?"),
        ("every Monday at 09:00, until 1 November 2026", "UTC", "This rule has no firing in the next 12 years."),
        ("every monday at 09:00 from 2027-02-01 until 2027-01-01", "UTC", "it ends (2027-01-01) before it starts (2027-02-01)."),
        ("every Monday at 09:00", "Berln", "Unknown zone ‘Berln’. Europe/Berlin?"),
        ("whenever", "UTC", "“whenever” is not understood as a rule."),
    ],
)  # fmt: skip
def test_what_cannot_be_meant_is_said_while_typing(desk: Desk, editor: Any, rule: str, zone: str, said: str) -> None:
    editor.sentence.zone.setEditText(zone)
    assert type_rule(desk, editor, rule) == said
    assert editor.save.text().strip() in ("Say when it runs first", "Choose a zone first")


def test_what_could_stand_there_instead_is_taken_by_a_click(desk: Desk, editor: Any) -> None:
    type_rule(desk, editor, "every year on 31 April at 09:00")
    desk.click(editor.sentence.instead)
    assert editor.rule.text() == "every year on 30 April at 09:00"
    editor.sentence.zone.setEditText("Berln")
    editor._judge()
    desk.settle()
    desk.click(editor.sentence.instead)
    assert editor.sentence.zone.currentText() == "Europe/Berlin"


@pytest.mark.parametrize(
    "rule, zone, note",
    [
        ("every day at 02:30", "Europe/Berlin", "02:30 does not exist on 28 March in Berlin: it will run at 03:30."),
        ("every year on 29 February at 09:00", "UTC", "29 Feb comes every four years. Next: 2028."),
        ("31st of the month at 09:00", "UTC", "Months without a day 31 are left out. “last day of the month” runs in each."),
    ],
)  # fmt: skip
def test_what_is_unusual_is_said_before_saving(desk: Desk, editor: Any, rule: str, zone: str, note: str) -> None:
    editor.sentence.zone.setEditText(zone)
    type_rule(desk, editor, rule)
    assert editor.sentence._notes.text() == note


def rest(desk: Desk, editor: Any) -> int:
    """Nobody types for a while; how often it was looked at what it needs."""
    if editor.readiness.rested.isActive():
        editor.readiness.rested.stop()
        editor.readiness.rested.timeout.emit()
        desk.settle()
    return [what for what, _ in desk.office.log].count("ready")


def needs(desk: Desk, editor: Any, *seen: ReadySeen) -> None:
    """What it needs from now on, and has not been looked at, however slow this computer is."""
    desk.office.schedules.needs = seen
    editor.readiness.forget()


def test_what_it_needs_is_a_checklist_with_buttons(desk: Desk, editor: Any) -> None:
    folder = ReadySeen("folder", True, "The folder Suppliers can be used.")
    secret = ReadySeen(
        "mail", False, "The secret “smtp” is not in the keyring.", "Store it with: counterfoil secret set smtp"
    )
    needs(desk, editor, folder, ReadySeen("parameters", False, "‘Pay from account’ is missing."), secret)
    type_rule(desk, editor, "every Monday at 09:00")
    looked = rest(desk, editor)
    assert editor.ready.isVisible()
    assert editor.ready.texts == [
        "The folder Suppliers can be used.",
        "Missing: ‘Pay from account’ is missing.",
        "Missing: The secret “smtp” is not in the keyring.",
    ]
    [fill] = [one for one in editor.ready.findChildren(Button) if one.text().strip() == "Fill it in"]
    desk.click(fill)
    assert editor.fields.editors[0].isAncestorOf(desk.focus())
    editor._judge()
    desk.settle()
    assert rest(desk, editor) == looked, "nothing changed that it depends on"
    desk.office.schedules.needs = (folder,)
    desk.click(editor.ready._look)
    assert rest(desk, editor) == looked + 1
    assert editor.ready.texts == ["The folder Suppliers can be used."]


def test_the_button_says_what_is_missing_and_goes_there(desk: Desk, editor: Any) -> None:
    assert editor.save.text().strip() == "Say when it runs first"
    desk.click(editor.save)
    assert desk.focus() is editor.rule
    type_rule(desk, editor, "every Monday at 09:00")
    editor.name.setText("Weekly report")
    editor.name.textEdited.emit("Weekly report")
    editor._judge()
    desk.settle()
    assert editor._name_note.text() == "There is a schedule ‘Weekly report’ already."
    desk.click(editor.save)
    assert desk.focus() is editor.name


def test_saving_keeps_what_stands_there_and_shows_it(desk: Desk, page: Any, editor: Any) -> None:
    type_rule(desk, editor, "every Monday at 09:00")
    editor.choices.choose("overlap", "queue")
    desk.click(editor.save)  # judged anew first, since a choice was made meanwhile
    draft = next(what for act, what in desk.office.log if act == "keep")
    assert isinstance(draft, ScheduleDraft)
    assert (draft.rule, draft.overlap, draft.template, draft.workspace) == (
        "every Monday at 09:00",
        "queue",
        PAY,
        WORKSPACE,
    )
    assert page.head.shown.name == draft.name
    assert told(page) == f"‘{draft.name}’ is kept."


def test_what_a_rule_comes_to_is_read_before_it_is_kept(desk: Desk, editor: Any) -> None:
    type_rule(desk, editor, "every Monday at 09:00")
    editor.rule.setText("every hour")
    desk.click(editor.save)  # before what it means was said back
    assert [act for act, _ in desk.office.log if act == "keep"] == []
    assert not editor._typed.isActive()
    assert editor._note.text() == "This is what it comes to now. Save keeps it."
    desk.click(editor.save)
    assert [what.rule for act, what in desk.office.log if act == "keep"] == ["every hour"]


def test_what_llms_may_cost_each_time_is_asked_only_where_one_has_a_price(desk: Desk, page: Any, editor: Any) -> None:
    type_rule(desk, editor, "every Monday at 09:00")
    spend: Any = editor.choices.spend
    assert not spend.isVisible()
    desk.office.schedules.most = "$2.00"
    editor._judge()
    desk.settle()
    assert (spend.isVisible(), spend.placeholderText()) == (True, "$2.00")
    spend.setText("lots")
    editor._judge()
    desk.settle()
    assert editor.save.text().strip() == "Say what it may spend first"
    assert "‘lots’ is no amount." in [one.text() for one in editor.choices.findChildren(Prose) if one.isVisible()]
    desk.click(editor.save)
    assert desk.focus() == spend
    spend.setText("1.50")
    editor._judge()
    desk.settle()
    desk.click(editor.save)
    assert [what.spend for act, what in desk.office.log if act == "keep"] == ["1.50"]


def test_a_refusal_stands_above_and_nothing_typed_is_lost(desk: Desk, page: Any, editor: Any) -> None:
    type_rule(desk, editor, "every Monday at 09:00")
    desk.office.schedules.refuse = NotNow("The disk is full.", "Free some space.")
    desk.click(editor.save)
    assert "The disk is full." in told(editor)
    assert editor.rule.text() == "every Monday at 09:00"
    assert editor.save.isEnabled()


def test_a_schedule_is_changed_where_it_was_written(desk: Desk, page: Any) -> None:
    page.view.select(PAYMENTS)
    desk.click(page.head.change)
    editor = page.editor
    assert editor.title.text() == "Change ‘Weekly payments’"
    assert (editor.rule.text(), editor.choices.chosen("overlap")) == ("every Friday at 08:00", "queue")
    assert not editor.sentence.template.isEnabled()
    type_rule(desk, editor, "every Friday at 10:00")
    desk.click(editor.save)
    draft = next(what for act, what in desk.office.log if act == "keep")
    assert (draft.schedule_id, draft.rule) == (PAYMENTS, "every Friday at 10:00")


def test_other_pages_lead_here_and_back(whole: Desk) -> None:
    window = whole.window
    window.choose_workspace(WORKSPACE)
    window.show_page("templates")
    whole.settle()
    window.pages["templates"].open_template(PAY)
    whole.settle()
    whole.click(window.pages["templates"].form.schedule)
    page = window.pages["schedules"]
    assert page.editor.isVisible()
    assert page.editor.draft().template == PAY
    window.show_run(f"{5:032x}")
    whole.settle()
    whole.click(window.pages["runs"].detail.schedule)
    assert page.editor.isVisible()
    window.show_page("inbox")
    window._ways.do(next(one for one in page.commands() if one.what == PAYMENTS))
    whole.settle()
    assert (window._current, page.head.shown.schedule_id) == ("schedules", PAYMENTS)
    page.calendar.gate_wanted.emit(GATE)
    whole.settle()
    assert window.pages["inbox"].detail.session.reading.seen.gate_id == GATE


def test_what_was_missed_stands_on_top_of_the_inbox_until_it_was_seen(whole: Desk) -> None:
    office, window = whole.office, whole.window
    office.schedules.notices = [
        NoticeSeen("held_up", "‘Weekly payments’ was skipped 3 times in a row.", PAYMENTS),
        NoticeSeen("away", AWAY, "home"),
    ]
    whole.bridge.changed_now(Part.SCHEDULES)
    whole.settle()
    cards = window.pages["inbox"].pane.notices
    assert [button.text() for button in cards.findChildren(Button) if button.isVisible()] == [
        "Details",
        "Got it",
        "Show it",
    ]
    whole.click(next(button for button in cards.findChildren(Button) if button.text() == "Got it"))
    whole.look()
    assert [act for act, _ in office.log if act == "got_it"] == ["got_it"]
    whole.click(
        next(button for button in cards.findChildren(Button) if button.text() == "Show it" and button.isVisible())
    )
    assert window._current == "schedules"
    assert window.pages["schedules"].head.shown.schedule_id == PAYMENTS
    office.schedules.notices.clear()
    whole.bridge.changed_now(Part.SCHEDULES)
    whole.settle()
    assert not cards.isVisible()


def test_a_silent_step_is_waited_for_or_restarted_in_the_inbox(whole: Desk) -> None:
    office, window = whole.office, whole.window
    standing: Any = window._standing
    run_id = f"{12:032x}"
    silent = Silent(run_id, "No news from ‘Read contracts’ for 12 min.", ("“Read contracts” starts again.",))
    office.schedules.notices = [NoticeSeen("silent", f"{silent.words} Contract review, run 12.", silent=silent)]
    whole.bridge.changed_now(Part.SCHEDULES)
    whole.settle()
    cards = window.pages["inbox"].pane.notices

    def key(text: str) -> Any:
        return next(one for one in cards.findChildren(Button) if one.text() == text and one.isVisible())

    whole.click(key("Restart this step…"))
    said = [one.text() for one in standing.sheet.findChildren(Prose)]
    assert said == ["“Read contracts” starts again."]
    whole.click(standing.sheet.other)
    assert not [act for act, _ in office.log if act == "restart_step"]
    whole.click(key("Restart this step…"))
    whole.click(standing.sheet.act)
    assert ("restart_step", run_id) in office.log
    whole.click(key("Wait"))
    assert ("wait_longer", run_id) in office.log
    whole.click(key("Show it"))
    assert (window._current, window.pages["runs"].detail.run_id) == ("runs", run_id)
    window.show_page("schedules")
    whole.settle()
    assert not window.pages["schedules"].notices.isVisible()


def skip(desk: Desk, button: Any) -> None:
    """Press it, and say why."""
    desk.click(button)
    desk.type("a holiday")
    [sheet] = [one for one in desk.window.findChildren(WordsSheet) if one.isVisible()]
    desk.click(sheet.act)


def test_a_firing_that_cannot_run_is_skipped_or_signed_in_for_where_it_is_told(whole: Desk) -> None:
    office, window = whole.office, whole.window
    office.schedules.notices = [
        NoticeSeen(
            "not_ready",
            "Tomorrow 07:00 ‘Weekly payments’ cannot run: the sign-in to “mail” has ended.",
            PAYMENTS,
            due_at=at(1, 7),
            skip="Skip tomorrow",
            sign_in="mail",
        )
    ]
    whole.bridge.changed_now(Part.SCHEDULES)
    whole.settle()
    cards = window.pages["inbox"].pane.notices

    def key(text: str) -> Any:
        return next(one for one in cards.findChildren(Button) if one.text() == text and one.isVisible())

    whole.click(key("Sign in"))
    whole.look()
    assert [what for act, what in office.log if act == "sign_in"] == ["mail"]
    assert [one.words.text() for one in cards.findChildren(Banner)] == ["You are signed in to mail."]
    office.schedules.refuse = NotNow("That firing has come already.", "Look at it.")
    skip(whole, key("Skip tomorrow…"))
    assert [one.words.text() for one in cards.findChildren(Banner)] == ["That firing has come already. Look at it."]
    office.schedules.refuse = None
    skip(whole, key("Skip tomorrow…"))
    whole.look()
    assert [what for act, what in office.log if act == "skip"] == [(PAYMENTS, at(1, 7), "a holiday")]
    assert [one.words.text() for one in cards.findChildren(Banner)] == ["‘Weekly payments’ skips it."]
    whole.click(key("Close"))
    assert not cards.isVisible()


def test_a_sign_in_that_has_ended_has_its_button_in_the_list_and_in_the_checklist(
    desk: Desk, page: Any, editor: Any
) -> None:
    needs(desk, editor, ReadySeen("connectors", False, "The sign-in to “mail” has ended.", sign_in="mail"))
    type_rule(desk, editor, "every Monday at 09:00")
    looked = rest(desk, editor)
    desk.click(next(one for one in editor.ready.findChildren(Button) if one.text().strip() == "Sign in"))
    desk.settle()
    assert rest(desk, editor) == looked + 1
    page._leave_editor()
    card = NoticeSeen("not_ready", "Cannot run.", PAYMENTS, due_at=at(1, 7), skip="Skip 07:00", sign_in="mail")
    desk.office.schedules.notices = [card]
    desk.bridge.changed_now(Part.SCHEDULES)
    desk.settle()
    keys = {one.text(): one for one in page.notices.findChildren(Button)}
    desk.click(keys["Sign in"])
    skip(desk, next(one for one in page.notices.findChildren(Button) if one.text() == "Skip 07:00…"))
    assert [act for act, _ in desk.office.log if act in ("sign_in", "skip")] == ["sign_in", "sign_in", "skip"]
    assert told(page) == "‘Weekly payments’ skips it."


def test_the_first_one_asks_once_whether_to_start_at_login(desk: Desk, page: Any, editor: Any) -> None:
    desk.office.schedules.ask_login = True
    type_rule(desk, editor, "every Monday at 09:00")
    desk.click(editor.save)
    assert page.sheet.title.text() == "Start it at login?"
    desk.click(page.sheet.other)
    assert [what for act, what in desk.office.log if act == "start_at_login"] == [False]
    page.write_for(PAY, WORKSPACE, {})
    desk.settle()
    type_rule(desk, editor, "every Tuesday at 09:00")
    editor.name.setText("Another")
    editor._judge()
    desk.settle()
    desk.click(editor.save)
    desk.click(page.sheet.act)
    assert [what for act, what in desk.office.log if act == "start_at_login"] == [False, True]


def test_what_cannot_run_yet_is_saved_and_paused(desk: Desk, page: Any, editor: Any) -> None:
    desk.office.schedules.lacking = "The folder is not there."
    type_rule(desk, editor, "every Monday at 09:00")
    desk.click(editor.save)
    assert told(page) == "Saved and paused: The folder is not there."
