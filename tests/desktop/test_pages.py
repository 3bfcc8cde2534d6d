"""Runs, checkpoint, templates and trail on the fake office, by mouse and keyboard."""

import dataclasses
from typing import Any

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog, QLabel, QPlainTextEdit, QPushButton, QWidget

from counterfoil.desktop.gate.files import FileCard
from counterfoil.desktop.gate.sheets import WordsSheet
from counterfoil.desktop.office import Part, TrailPage
from counterfoil.desktop.parts.boxes import Banner, Skeleton
from counterfoil.desktop.parts.buttons import Button
from counterfoil.desktop.parts.form import Ticks
from counterfoil.desktop.parts.labels import Prose
from counterfoil.desktop.parts.sheet import Sheet
from counterfoil.desktop.run_facts import Plug, Silent, StepKept
from counterfoil.desktop.runs.list_view import Role
from counterfoil.desktop.runs.step_sheet import StepSheet
from counterfoil.desktop.template_facts import FolderFacts
from counterfoil.errors import DiskFull, WrongWorkspace
from desktop.conftest import Desk, MakeDesk
from desktop.fake_office import FakeOffice
from desktop.fake_runs import run_seen, template_seen
from desktop.figures import ME, NOW, WORKSPACE

CTRL = Qt.KeyboardModifier.ControlModifier
SECOND = 1_000_000


def texts(widget: QWidget) -> str:
    """Everything that is written in a part of the window."""
    return "\n".join(label.text() for label in widget.findChildren(Prose) if label.isVisible())


@pytest.fixture
def runs(desk: Desk) -> Any:
    desk.window.show_page("runs")
    desk.settle()
    return desk.window.pages["runs"]


@pytest.fixture
def templates(desk: Desk) -> Any:
    desk.window.choose_workspace(WORKSPACE)
    desk.window.show_page("templates")
    desk.settle()
    return desk.window.pages["templates"]


# ---------------------------------------------------------------------------------------------------------------- runs


def test_the_newest_run_is_shown_with_its_steps(desk: Desk, runs: Any) -> None:
    assert runs.detail.run_id == f"{12:032x}"
    assert runs.detail.tabs.chosen == "steps"
    runs.view.setFocus()
    desk.press(Qt.Key.Key_Down)
    assert runs.detail.run_id == f"{11:032x}"


def test_a_run_that_is_done_shows_its_result_first(desk: Desk, runs: Any) -> None:
    runs.show_run(f"{5:032x}")
    desk.settle()
    assert runs.detail.tabs.chosen == "result"
    assert "€41,208.90" in texts(runs.detail.result)
    assert not runs.detail.stop.isVisible()


def test_a_late_run_says_when_it_was_planned_and_why_it_began_later(
    desk: Desk, runs: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = run_seen(f"{5:032x}")
    late = {
        "planned_at": seen.document["created_at"],
        "start_reason": "this computer was asleep",
        "started_by": "schedule:Weekly",
    }
    asleep = dataclasses.replace(seen, document={**seen.document, **late})
    monkeypatch.setattr(desk.office, "run", lambda _: asleep)
    runs.show_run(f"{5:032x}")
    desk.settle()
    assert " · Planned " in runs.detail.path.text()
    assert "by the schedule ‘Weekly’: this computer was asleep." in runs.detail.path.text()


def test_chips_are_gone_through_by_arrows_over_their_lines(desk: Desk, runs: Any) -> None:
    runs.chips["all"].setFocus()
    met = []
    for key in (*[Qt.Key.Key_Right] * 6, Qt.Key.Key_Left):
        desk.press(key)
        met.append(runs._chip)
    assert met == ["running", "waiting", "care", "done", "cancelled", "cancelled", "done"]


def test_chips_narrow_the_list(desk: Desk, runs: Any) -> None:
    desk.click(runs.chips["done"])
    assert [row.number for row in runs.adapter.rows] == [5, 4]
    desk.press(Qt.Key.Key_F, CTRL)
    desk.type("nobody")
    runs._load()
    desk.settle()
    assert runs.nothing.head.text() == "No run matches ‘nobody’."


def crowd(office: FakeOffice, first: int, last: int) -> None:
    """Runs with these numbers, the newest first."""
    pattern = office.run_rows[-1]
    made = [
        dataclasses.replace(pattern, run_id=f"{number:032x}", number=number, state="done")
        for number in range(first, last + 1)
    ]
    office.run_rows[:0] = reversed(made)


def test_older_runs_come_as_they_are_scrolled_to(make_desk: MakeDesk) -> None:
    office = FakeOffice()
    crowd(office, 101, 900)
    desk = make_desk(office)
    desk.window.show_page("runs")
    desk.settle()
    page = desk.window.pages["runs"]
    assert page.chips["all"].isChecked()
    assert page.adapter.rowCount() == 200
    bar = page.view.verticalScrollBar()
    for _ in range(8):
        bar.setValue(bar.maximum())
        desk.settle()
    assert page.adapter.rowCount() == len(office.run_rows)
    desk.click(page.chips["done"])
    assert (page.adapter.rowCount(), bar.value()) == (200, 0)


def test_runs_that_are_looked_at_stay_where_they_are(make_desk: MakeDesk) -> None:
    office = FakeOffice()
    crowd(office, 101, 300)
    desk = make_desk(office)
    desk.window.show_page("runs")
    desk.settle()
    page = desk.window.pages["runs"]
    page.view.setFocus()
    desk.press(Qt.Key.Key_Down)
    current, top = page.view.current_run(), page.view.indexAt(QPoint(1, 0)).data(Role.ROW).number
    crowd(office, 301, 303)
    desk.bridge.changed_now(Part.RUNS)
    desk.settle()
    assert page.adapter.rows[0].number == 303
    assert page.view.indexAt(QPoint(1, 0)).data(Role.ROW).number == top
    assert page.view.current_run() == current
    assert page.new.text() == "3 new"
    desk.click(page.new)
    assert page.view.verticalScrollBar().value() == 0
    assert not page.new.isVisible()
    assert page.view.current_run() == current


def test_a_page_that_is_not_shown_looks_when_it_is_shown(desk: Desk, runs: Any) -> None:
    desk.window.show_page("inbox")
    desk.office.run_rows.pop(0)
    desk.bridge.changed_now(Part.RUNS)
    desk.settle()
    assert runs.adapter.rowCount() == 9
    desk.window.show_page("runs")
    desk.settle()
    assert runs.adapter.rowCount() == 8


def test_the_run_leads_to_its_question(desk: Desk, runs: Any) -> None:
    desk.click(runs.detail.to_gate)
    assert desk.window.stack.currentWidget() is desk.window.pages["inbox"]


def test_stopping_asks_for_a_reason(desk: Desk, runs: Any) -> None:
    desk.click(runs.detail.stop)
    sheet = runs.detail.sheet
    assert isinstance(sheet, WordsSheet)
    desk.press(Qt.Key.Key_Escape)
    assert not [act for act, _ in desk.office.log if act == "cancel_run"]
    desk.click(runs.detail.stop)
    desk.type("started by mistake")
    desk.click(runs.detail.sheet.act)
    assert ("cancel_run", (f"{12:032x}", "started by mistake")) in desk.office.log
    assert "Stopped. Nothing more is written or sent." in texts(runs.detail)


def test_a_silent_step_has_its_row_and_a_restart_says_what_follows(desk: Desk, runs: Any) -> None:
    run_id = runs.detail.run_id
    follows = ("“Read contracts” starts again.", "1 step before stays as it is.")
    desk.office.silent[run_id] = Silent(run_id, "No news from ‘Read contracts’ for 12 min.", follows)
    runs.detail.refresh()
    desk.settle()
    runs.detail._go_to("steps")

    def key(text: str) -> Any:
        return next(one for one in runs.detail.findChildren(Button) if one.text() == text and one.isVisible())

    assert "No news from ‘Read contracts’ for 12 min." in texts(runs.detail)
    desk.click(key("Restart this step…"))
    assert all(sentence in texts(runs.detail.sheet) for sentence in follows)
    desk.press(Qt.Key.Key_Escape)
    assert not [act for act, _ in desk.office.log if act == "restart_step"]
    desk.click(key("Restart this step…"))
    desk.click(runs.detail.sheet.act)
    assert ("restart_step", run_id) in desk.office.log
    desk.click(key("Wait"))
    assert ("wait_longer", run_id) in desk.office.log
    desk.office.silent[run_id] = Silent(run_id, "No news from ‘Read contracts’ for 12 min.", follows, asked=True)
    runs.detail.refresh()
    desk.settle()
    assert "It is restarted as soon as what cannot be cut off has ended." in texts(runs.detail)
    assert not [one for one in runs.detail.findChildren(Button) if one.text() == "Wait" and one.isVisible()]
    desk.office.silent.clear()
    runs.detail.refresh()
    desk.settle()
    assert "No news" not in texts(runs.detail)


@pytest.mark.parametrize("act", ["stop", "undo", "plug", "step"])
def test_a_sheet_about_one_run_does_nothing_to_another(desk: Desk, runs: Any, act: str) -> None:
    """The list stays in view beside a sheet, so another run can be chosen while it is open."""
    desk.office.plug = [Plug(NOW)]
    runs.detail._go_to("checkpoint" if act == "plug" else "steps")
    {
        "stop": runs.detail._stop,
        "undo": runs.detail._undo,
        "plug": runs.detail.checkpoint._ask,
        "step": lambda: runs.detail.steps.opened.emit(runs.detail.steps_adapter.lines[0]),
    }[act]()
    desk.settle()
    opened = runs.detail.checkpoint if act == "plug" else runs.detail
    sheet = opened.sheet
    assert sheet is not None
    first = runs.detail.run_id
    runs.view.setFocus()
    desk.press(Qt.Key.Key_Down)
    assert runs.detail.run_id != first
    assert opened.sheet is None
    assert not [one for one in desk.window.findChildren(Sheet) if one.isVisible()]
    assert not [name for name, _ in desk.office.log if name in ("cancel_run", "undo_run", "pull_the_plug")]


def test_what_came_of_an_act_is_told_at_its_run_and_at_no_other(desk: Desk, runs: Any) -> None:
    desk.click(runs.detail.stop)
    desk.type("started by mistake")
    desk.bridge.holding = True
    desk.click(runs.detail.sheet.act)
    runs.view.setFocus()
    desk.press(Qt.Key.Key_Down)
    desk.bridge.let_go()
    desk.settle()
    assert ("cancel_run", (f"{12:032x}", "started by mistake")) in desk.office.log
    assert runs.detail.run_id != f"{12:032x}"
    assert "Stopped." not in texts(runs.detail)


def test_a_form_that_takes_long_says_so_and_one_that_fails_leads_back(desk: Desk, templates: Any) -> None:
    desk.bridge.holding = True
    desk.click(templates.gallery.cards[0].button)
    assert templates.gallery.isVisible()  # nothing moves for a moment
    templates._patience.timeout.emit()
    rows = [one for one in templates.findChildren(Skeleton) if one.isVisible()]
    assert [one.accessibleName() for one in rows] == ["Reading what it asks for"]
    desk.bridge.let_go()
    desk.settle()
    assert templates.form.isVisible()
    assert not templates._patience.isActive()
    desk.bridge.holding = True
    templates.open_template("/t/pay-invoices")
    templates.show_gallery()
    desk.bridge.let_go()
    desk.settle()
    assert templates.gallery.isVisible()  # who has gone back is not pulled to the form
    desk.office.lacking["template"] = [WrongWorkspace("/gone is no folder.", "Choose another one.")]
    desk.click(templates.gallery.cards[0].button)
    assert templates.trouble.head.text() == "/gone is no folder."
    desk.click(templates.trouble.findChild(Button))
    assert templates.gallery.isVisible()


def test_what_is_kept_of_a_step_opens_by_key_and_by_double_click(desk: Desk, runs: Any) -> None:
    desk.office.kept = StepKept(
        given='{"path": "a.csv"}',
        value='{"files": 17}\u202e',
        tries=("Try 1, 08:40:00.000: disk full",),
        page=1,
        pages=3,
    )
    view = runs.detail.steps
    view.setFocus()
    view.setCurrentIndex(runs.detail.steps_adapter.index(0))
    for key in (Qt.Key.Key_Return, Qt.Key.Key_Space):
        desk.press(key)
        sheet = runs.detail.sheet
        assert isinstance(sheet, StepSheet)
        assert sheet.title.text() == "List files"
        shown = {
            one.accessibleName(): one.toPlainText() for one in sheet.findChildren(QPlainTextEdit) if one.isVisible()
        }
        assert shown == {"Given: List files": '{"path": "a.csv"}', "Kept: List files": '{"files": 17}‹U+202E›'}
        assert "Try 1, 08:40:00.000: disk full" in texts(sheet)
        desk.press(Qt.Key.Key_Escape)
        assert runs.detail.sheet is None
        assert desk.focus() is view
    at = view.visualRect(runs.detail.steps_adapter.index(0)).center()
    QTest.mouseDClick(view.viewport(), Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, at)
    desk.settle()
    sheet = runs.detail.sheet
    assert not sheet.before.isVisible()
    desk.click(sheet.after)
    assert sheet.said.text() == "Page 2 of 3"
    desk.click(sheet.before)
    assert [what for act, what in desk.office.log if act == "step_kept"][-3:] == [("", 0, 1), ("", 0, 2), ("", 0, 1)]
    desk.office.kept = StepKept()
    desk.click(sheet.after)
    assert "Nothing is kept of this step yet." in texts(sheet)


def test_parallel_work_opens_by_key_and_exact_shows_more(desk: Desk, runs: Any) -> None:
    view = runs.detail.steps
    view.setFocus()
    view.setCurrentIndex(runs.detail.steps_adapter.index(1))
    before = runs.detail.steps_adapter.rowCount()
    desk.press(Qt.Key.Key_Return)
    assert runs.detail.steps_adapter.rowCount() == before + 3
    desk.click(runs.detail.exact.segments["exact"])
    assert runs.detail.steps_adapter.exact


def test_who_cancelled_a_run_is_told_as_you_where_it_was_you(
    desk: Desk, runs: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = desk.office.run(f"{10:032x}")
    error = {"kind": "cancelled", "message": f"Cancelled by {ME.partition(':')[2].capitalize()}", "in_doubt": []}
    for me, told in ((ME, "You cancelled it."), ("user:other", str(error["message"]))):
        document = {**seen.document, "state": "cancelled", "error": error}
        ended = dataclasses.replace(seen, document=document, words="Cancelled", tone="quiet", me=me)
        monkeypatch.setattr(desk.office, "run", lambda _run_id, ended=ended: ended)
        runs.detail._seen = None
        runs.show_run(f"{10:032x}", tab="result")
        desk.settle()
        assert told in texts(runs.detail.result)


def test_what_was_not_undone_needs_care_until_somebody_has_noted_what_became_of_it(
    desk: Desk, runs: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_id = f"{3:032x}"
    seen = desk.office.run(run_id)
    error = {"kind": "cancelled", "message": "Cancelled by Ben; whether it happened is not known of: mail@1"}
    seen = dataclasses.replace(seen, document={**seen.document, "state": "cancelled", "error": error}, tone="warn")
    monkeypatch.setattr(desk.office, "run", lambda _run_id: seen)
    runs.show_run(run_id, tab="result")
    desk.settle()
    (write,) = [button for button in runs.detail.result.findChildren(Button) if button.text() == "Write a note…"]
    desk.click(write)
    sheet = runs.detail.sheet
    assert not sheet.act.isEnabled()
    assert sheet.act.text() == "Write the note first"
    sheet.editor.setPlainText("It lies in Sent items.")
    desk.click(sheet.act)
    assert desk.office.log[-1] == ("note_run", (run_id, "It lies in Sent items."))
    note = {"by": "user:ben", "at": "2026-11-30T08:55:12.204Z", "text": "It lies in Sent items."}
    seen = dataclasses.replace(seen, document={**seen.document, "note": note}, tone="quiet")
    runs.detail._seen = None
    runs.show_run(run_id, tab="result")
    desk.settle()
    assert "Ben wrote a note, Mon 30 Nov 2026, " in texts(runs.detail.result)
    assert "‘It lies in Sent items.’" in texts(runs.detail.result)
    assert not [button for button in runs.detail.result.findChildren(Button) if button.isVisible()]


def test_the_four_answers_and_the_plug(desk: Desk, runs: Any) -> None:
    runs.show_run(f"{10:032x}", tab="checkpoint")
    desk.settle()
    tab = runs.detail.checkpoint
    said = texts(tab)
    assert "counterfoil.db, row 48,211. Saved 08:55:12.204, flushed to disk. 1.3\u00a0MB." in said
    assert "Nobody. This run makes no paid calls." in said
    assert "carried on from ‘Run checks’" in said
    desk.click(tab.plug)
    assert tab.sheet is not None
    assert not [act for act, _ in desk.office.log if act == "pull_the_plug"]
    desk.office.plug = [Plug(NOW), Plug(NOW)]  # it looks again by itself, on a slow computer at once
    pull = next(button for button in tab.sheet.findChildren(QPushButton) if button.text().strip() == "Pull the plug")
    desk.click(pull)
    assert ("pull_the_plug", f"{10:032x}") in desk.office.log
    assert "Ended 08:55:12. Waiting for it to come back…" in texts(tab)
    desk.office.plug = [Plug(NOW, NOW + SECOND, "run_checks", None, None)]
    tab._look()
    desk.settle()
    assert tab._looks.isActive()
    desk.office.plug = [Plug(NOW, NOW + SECOND, "run_checks", 0, 0)]
    tab._look()
    desk.settle()
    assert "Carried on at ‘Run checks’. 0 steps repeated, 0 effects repeated." in texts(tab)
    assert not tab._looks.isActive()


def test_files_of_a_run_are_shown_as_people_read_them(desk: Desk, runs: Any) -> None:
    runs.show_run(f"{5:032x}", tab="files")
    desk.settle()
    cards = runs.detail.files.findChildren(FileCard)
    assert len(cards) == 4
    assert cards[3]._tabs is None
    assert cards[1]._tabs is not None
    desk.click(cards[1]._tabs.segments["raw"])
    desk.click(cards[1]._tabs.segments["whole"])
    assert "12 rows added at the end · 8.1\u00a0kB before, 9.3\u00a0kB after" in texts(cards[1])


def test_no_runs_leads_to_templates(make_desk: MakeDesk) -> None:
    office = FakeOffice()
    office.run_rows.clear()
    desk = make_desk(office)
    desk.window.show_page("runs")
    desk.settle()
    page = desk.window.pages["runs"]
    assert page.nothing.head.text() == "No runs yet. Start one from Templates."
    desk.click(page._templates)
    assert desk.window.stack.currentWidget() is desk.window.pages["templates"]


# ----------------------------------------------------------------------------------------------------------- templates


def test_cards_say_what_comes_out_and_what_is_wrong(desk: Desk, templates: Any) -> None:
    names = [card.accessibleName() for card in templates.gallery.cards]
    assert names[0].startswith("Supplier payments. A checked payment file from a folder of invoices. No llm needed")
    broken = next(card for card in templates.gallery.cards if "tittle" in card.accessibleName())
    assert not broken.button.isEnabled()
    assert broken.button.text().strip() == "Cannot run"
    desk.press(Qt.Key.Key_F, CTRL)
    desk.type("letters")
    assert len(templates.gallery.cards) == 1


def test_the_form_is_filled_checked_and_run_by_keyboard(desk: Desk, templates: Any) -> None:
    templates.gallery.cards[0].button.setFocus()
    desk.press(Qt.Key.Key_Space)
    form = templates.form
    assert desk.focus() is form.fields[0]._editor
    assert form.run.accessibleName() == "Fill in 1 field first"
    assert form.fields[1].remembered.isVisible()
    desk.type("invoices")
    form._check()
    desk.settle()
    assert form.run.accessibleName() == "Run"
    form.run.setFocus()
    desk.press(Qt.Key.Key_Space)
    started = [what for act, what in desk.office.log if act == "start_run"]
    assert started == [
        (
            "/t/pay-invoices",
            WORKSPACE,
            {"folder": "invoices", "debtor_name": "Larkfield Trading GmbH", "debtor_iban": "DE75512108001245126199"},
        )
    ]
    assert desk.window.stack.currentWidget() is desk.window.pages["runs"]


@pytest.mark.parametrize(
    "asks, note",
    [
        (True, "It stops and asks before anything is written."),
        (False, "It asks nobody, unless a rule says otherwise."),
    ],
)
def test_the_foot_of_the_form_says_whether_it_asks(
    desk: Desk, templates: Any, monkeypatch: pytest.MonkeyPatch, asks: bool, note: str
) -> None:
    seen = dataclasses.replace(template_seen("/t/pay-invoices"), fields=(), asks=asks)
    monkeypatch.setattr(desk.office, "check_parameters", lambda *_: {})
    templates.form.show_template(seen, WORKSPACE)
    desk.settle()
    assert templates.form.note.text() == note


def test_a_mistyped_account_is_said_beside_its_field(desk: Desk, templates: Any) -> None:
    templates.open_template("/t/pay-invoices")
    desk.settle()
    field = templates.form.fields[2]
    field.focus()
    field._editor.clear()
    desk.type("DE00")
    templates.form._check()
    desk.settle()
    assert field._note.text() == "This IBAN has a wrong check digit: one character is mistyped."
    assert not field.remembered.isVisible()
    desk.click(templates.form.run)  # something is missing: it leads there
    assert not [act for act, _ in desk.office.log if act == "start_run"]
    assert desk.focus() is templates.form.fields[0]._editor


def test_a_folder_is_measured_before_it_is_taken(desk: Desk, templates: Any) -> None:
    templates.open_template("/t/pay-invoices")
    desk.settle()
    templates.choose_folder()
    desk.settle()
    sheet = templates.sheet
    sheet.take("/data/anna/Other")
    desk.settle()
    assert "412 files, 1.2 GB." in texts(sheet)
    assert "/data/anna/Other" in texts(sheet), "the whole of it, which a field may not have room for"
    desk.click(sheet.act)
    assert "/data/anna/Other" in texts(templates.form)


def test_a_folder_that_cannot_be_used_is_refused_with_its_reason(desk: Desk, templates: Any) -> None:
    facts = FolderFacts("/nfs", 0, 0, 0.0, (), refused="This folder lies on a network drive.")
    desk.office.measure_folder = lambda path: facts  # type: ignore[method-assign]
    templates._folder = "/nfs"
    templates.choose_folder()
    desk.settle()
    assert "This folder lies on a network drive." in texts(templates.sheet), (
        "without another touch of what stands there"
    )
    assert not templates.sheet.act.isEnabled()
    assert templates.sheet.act.text() == "This folder cannot be used"


def test_parts_of_a_folder_that_holds_too_much_can_be_left_out(desk: Desk, templates: Any) -> None:
    much = FolderFacts("/data/all", 0, 0, 0.0, (), refused="/data/all holds 80,000 files.", parts=("archive", "photos"))
    small = desk.office.measure_folder("/data/all")
    desk.office.log.append(("looked", None))
    desk.office.measure_folder = lambda path: small if desk.office.log[-1][0] == "leave_out" else much  # type: ignore[method-assign]
    templates.choose_folder()
    desk.settle()
    sheet = templates.sheet
    sheet.take("/data/all")
    desk.settle()
    assert not sheet.act.isEnabled()
    [again] = [key for key in sheet.findChildren(Button) if key.text() == "Choose what to leave out first"]
    assert not again.isEnabled()
    [parts] = sheet.findChildren(Ticks)
    desk.click(parts._boxes["archive"])
    assert again.text() == "Leave these out"
    desk.click(again)
    assert desk.office.log[-1] == ("leave_out", ("/data/all", ("archive",)))
    assert sheet.act.isEnabled()
    assert "412 files, 1.2 GB." in texts(sheet)


def test_trouble_with_starting_is_said_on_the_form(desk: Desk, templates: Any) -> None:
    templates.open_template("/t/pay-invoices")
    desk.settle()
    desk.type("invoices")
    desk.office.lacking["start_run"] = [WrongWorkspace("The folder is gone.", "Choose another.")]
    desk.click(templates.form.run)  # before what was typed was looked at: that is done first
    desk.settle()
    assert [banner.words.text() for banner in templates.form.findChildren(Banner)] == ["The folder is gone."]
    assert templates.form.run.isEnabled()


# --------------------------------------------------------------------------------------------------------------- trail


def test_the_trail_is_searched_and_checked(desk: Desk) -> None:
    desk.window.show_page("trail")
    desk.settle()
    page = desk.window.pages["trail"]
    assert page.view.adapter.rowCount() == 40
    desk.click(page.older)
    assert page.view.adapter.rowCount() == 80
    desk.press(Qt.Key.Key_F, CTRL)
    desk.type("approved")
    page._load()
    desk.settle()
    assert 0 < page.view.adapter.rowCount() < 40
    desk.click(page.check)
    assert "None changed, removed or out of order." in texts(page)
    assert "Removal of the newest entries shows only against a seal kept elsewhere." in texts(page)


def test_new_entries_wait_while_the_trail_is_read(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    desk.window.show_page("trail")
    desk.settle()
    page = desk.window.pages["trail"]
    page._rest.setInterval(0)
    first = desk.office.trail("", None)

    def come(number: int) -> None:
        newer = tuple({**first.entries[0], "seq": 12_480 + n, "summary": f"Entry {n}"} for n in range(number, 0, -1))
        found = dataclasses.replace(first, entries=(*newer, *first.entries))
        monkeypatch.setattr(desk.office, "trail", lambda query, before: found)
        desk.bridge.changed_now(Part.TRAIL)
        desk.settle()

    page.view.selectRow(3)
    chosen = page.view.adapter.lines[3]
    come(1)
    assert page.view.adapter.rowCount() == 41  # nobody looks at a place in it
    (kept,) = page.view.selectionModel().selectedRows()
    assert page.view.adapter.lines[kept.row()].texts == chosen.texts  # and what is chosen stays chosen
    assert not page.new.isVisible()
    page.view.verticalScrollBar().setValue(60)
    view = page.view
    come(3)
    assert (page.view is view, view.verticalScrollBar().value(), page.new.text()) == (True, 60, "2 new")
    desk.click(page.new)
    assert page.view.adapter.rowCount() == 43
    assert not page.new.isVisible()
    desk.window.show_page("inbox")
    come(4)
    assert page.view.adapter.rowCount() == 43
    desk.window.show_page("trail")
    desk.settle()
    assert page.view.adapter.rowCount() == 44


def test_entries_that_follow_each_other_come_in_together(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    desk.window.show_page("trail")
    desk.settle()
    page = desk.window.pages["trail"]
    looks: list[str] = []
    found = desk.office.trail("", None)

    def trail(query: str, before: int | None) -> TrailPage:
        looks.append(query)
        return found

    monkeypatch.setattr(desk.office, "trail", trail)
    for _ in range(5):
        desk.bridge.changed_now(Part.TRAIL)
        desk.settle()
    assert len(looks) == 1
    assert page._rest.isActive()
    page._rest.timeout.emit()
    desk.settle()
    assert len(looks) == 2


# ------------------------------------------------------------------------------------------------------------ evidence


def test_evidence_is_listed_before_it_is_exported_and_its_seal_can_be_kept(desk: Desk) -> None:
    desk.window.show_page("runs")
    runs = desk.window.pages["runs"]
    runs.show_run(f"{5:032x}", tab="checkpoint")
    desk.settle()
    tab = runs.detail.checkpoint
    tab.export.setFocus()
    desk.press(Qt.Key.Key_Space)
    sheet = tab.sheet
    said = [label.text() for label in sheet.findChildren(QLabel) if label.isVisible()]
    assert {
        "records.jsonl",
        "41.0 kB",
        "What was shown at a gate, 2 files",
        "1 longer value is not kept any more.",
    } <= set(said)
    assert sheet.act.text() == "Export 2.4 MB…"
    desk.click(sheet.act)
    assert sheet.dialog.acceptMode() is QFileDialog.AcceptMode.AcceptSave
    assert sheet.dialog.selectedFiles()[0].endswith("evidence-run-5.zip")
    sheet.dialog.close()
    desk.window.activateWindow()
    desk.settle()
    desk.office.refuse = DiskFull(
        "The disk is full (0 of 256 MB free at /data). Nothing was exported.", "Choose another."
    )
    sheet.export("/data/evidence.zip")
    desk.settle()
    assert any(one.words.text().startswith("The disk is full") for one in sheet.findChildren(Banner) if one.isVisible())
    desk.office.refuse = None
    sheet.export("/data/evidence.zip")
    desk.settle()
    assert ("export_evidence", (f"{5:032x}", "/data/evidence.zip")) in desk.office.log
    desk.click(next(one for one in sheet.findChildren(QPushButton) if one.accessibleName() == "Copy the seal"))
    assert QGuiApplication.clipboard().text() == "3f9a2c71" * 8
    desk.press(Qt.Key.Key_Escape)
    assert desk.focus() is tab.export
