"""What stands on a page stands there whole: rows grow, cards scroll, buttons part at their groups, and no figure is left without a word."""

import dataclasses
from datetime import date
from typing import Any

import pytest
from PySide6.QtCore import QCoreApplication, QPoint, QRect
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QAbstractButton, QLabel, QListView, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from counterfoil.desktop.commands import KEYS
from counterfoil.desktop.frame.runner_line import RunnerLine
from counterfoil.desktop.frame.sidebar import PAGES
from counterfoil.desktop.gate.evidence import build
from counterfoil.desktop.gate.facts_grid import Changed, FactsGrid
from counterfoil.desktop.gate.page import GatePage
from counterfoil.desktop.gate.path import GatePath, GivesWay
from counterfoil.desktop.gate.reading import Section
from counterfoil.desktop.office import InboxRow, RunnerSeen, RunnerState, Workspace
from counterfoil.desktop.parts.boxes import Banner, Nothing
from counterfoil.desktop.parts.form import FieldEditor
from counterfoil.desktop.parts.labels import Icon, Prose
from counterfoil.desktop.run_facts import Plug
from counterfoil.desktop.runs import list_view as runs_list
from counterfoil.desktop.runs.steps import RESTART, lines
from counterfoil.desktop.schedules import list_view as schedules_list
from counterfoil.desktop.schedules.calendar_grid import chip_texts, times_side_by_side
from counterfoil.desktop.tables.fitting import broken, stacked
from counterfoil.desktop.words import runs as words
from counterfoil.desktop.words import times
from counterfoil.desktop.words.gates import has_read
from desktop import figures
from desktop.conftest import Desk, MakeDesk
from desktop.fake_office import _seen
from desktop.figures import HOUR, NOW

SMALL = (1100, 700)
LONG = "Reference letter for Donaudampfschifffahrtsgesellschaftskapitänswitwen-Unterstützungskasse e. V., DE75 5121 0800 1245 1261 99"


def place(widget: QWidget) -> QRect:
    """Where a part stands in its window."""
    return QRect(widget.mapTo(widget.window(), widget.rect().topLeft()), widget.size())


def test_a_text_on_as_many_lines_as_it_needs() -> None:
    assert broken("a wide-word", 6, len) == ["a", "wide-", "word"]
    assert stacked("one two three", 5, 3, len) == ("one", "two", "three")
    assert stacked("one two three four", 6, 3, len) == ("one", "two", "three…")
    assert "".join(stacked(LONG, 30, 9, len)).replace(" ", "") == LONG.replace(" ", "")


def test_a_row_of_a_list_grows_with_what_it_says(make_desk: MakeDesk) -> None:
    desk = make_desk(size=SMALL)
    desk.window.show_page("runs")
    desk.settle()
    view: QListView = desk.window.pages["runs"].view
    adapter = desk.window.pages["runs"].adapter
    adapter.show_rows([dataclasses.replace(adapter.rows[0], title=LONG), *adapter.rows[1:]], NOW)
    desk.settle()
    told = runs_list._lines(LONG, adapter.rows[0].words, "", view.viewport().width() - runs_list._BESIDE)
    assert "".join(told[0]).replace(" ", "") == LONG.replace(" ", "")
    assert view.visualRect(adapter.index(0)).height() == runs_list.ROW + (len(told[0]) - 1) * runs_list._STEP
    assert view.visualRect(adapter.index(1)).top() == view.visualRect(adapter.index(0)).bottom() + 1
    desk.window.show_page("schedules")
    desk.settle()
    page = desk.window.pages["schedules"]
    row = dataclasses.replace(page.adapter.rows[0], name=LONG, words="last business day of the month at 17:30")
    page.adapter.show_rows([row, *page.adapter.rows[1:]], NOW)
    desk.settle()
    texts = schedules_list._texts_of(row, page.adapter, page.view.viewport().width() - schedules_list._BESIDE)
    assert "".join(texts[0]).replace(" ", "") == LONG.replace(" ", "")
    assert page.view.visualRect(page.adapter.index(0)).height() == schedules_list.ROW + (sum(map(len, texts)) - 4) * 19


def test_names_in_the_sidebar_are_whole(desk: Desk) -> None:
    switcher, name = desk.window.sidebar.switcher, "Monatsabschluss und Verbindlichkeitenverwaltung"
    before = switcher.height()
    switcher.show_workspaces((Workspace(f"/data/Müller & Söhne/{name}", name),))
    switcher.show_current(f"/data/Müller & Söhne/{name}", "light")
    line: RunnerLine = desk.window.sidebar.runner
    line.show_runner(RunnerSeen(RunnerState.RUNNING, paused_by="user:wilhelmina von Brandt-Okafor", paused_at=NOW))
    desk.settle()
    names, folders = switcher._lines(switcher.width() - 72)
    assert ("".join(names), folders) == (name.replace(" ", ""), ("in Müller & Söhne",))
    assert switcher.height() == before + (len(names) - 1) * 19
    heads = line._face._lines(line._face.width() - 30)
    assert " ".join(heads) == "Paused by Wilhelmina von Brandt-Okafor at 08:55"
    assert line._face.height() >= len(heads) * 18
    now = dataclasses.replace(
        desk.office.runner_seen, doing=("Letters, A, B", "Report"), next_name="Weekly report", next_at=NOW + 3 * HOUR
    )
    line.show_runner(now)
    said = line._sentences()
    assert "It works on ‘Letters, A, B’." in said
    assert "Next: Weekly report, today 11:55." in said


def test_what_a_checkpoint_says_is_never_cut(
    make_desk: MakeDesk, monkeypatch: pytest.MonkeyPatch, qtbot: QtBot
) -> None:
    desk = make_desk(size=SMALL)
    desk.office.plug = [Plug(NOW)]
    seen = desk.office.run(f"{12:032x}")
    told = {
        "at": "2026-11-30T08:42:12.000Z",
        "reason": "runner or host had ended",
        "from_step": "the longest step of all steps that anybody has ever written down",
        "reran": ["run_checks", "read_tables"],
    }
    checkpoint = {**seen.document["checkpoint"], "resumptions": [told] * 3}
    shown = dataclasses.replace(seen, document={**seen.document, "checkpoint": checkpoint})
    monkeypatch.setattr(desk.office, "run", lambda _run_id: shown)
    desk.window.show_page("runs")
    desk.settle()
    detail = desk.window.pages["runs"].detail
    detail.show_run(f"{12:032x}", tab="checkpoint")
    desk.settle()
    texts = [one for one in detail.checkpoint.findChildren(Prose) if one.isVisible()]
    assert len(texts) >= 6
    assert [one.text() for one in texts if one.height() < one.heightForWidth(one.width())] == []
    assert "because the runner or the run's own process had ended" in " ".join(one.text() for one in texts)
    detail.checkpoint._pulled(Plug(NOW))
    area = detail.bodies.currentWidget()

    def is_seen_whole() -> bool:
        said = [one for one in detail.checkpoint._live_box.findChildren(Banner) if one.isVisible()]
        view = area.viewport()
        return any(view.rect().contains(QRect(one.mapTo(view, QPoint()), one.size())) for one in said)

    qtbot.waitUntil(is_seen_whole, timeout=30_000)
    detail.checkpoint._looks.stop()
    desk.click(detail.checkpoint.plug)
    assert detail.checkpoint.sheet.parent() is detail, "the sheet lies over the run, not in what scrolls"
    detail.show_run(f"{5:032x}")
    desk.settle()
    assert detail.checkpoint.sheet is None, "and is about that run alone"


def test_buttons_part_at_their_groups_and_none_is_alone(make_desk: MakeDesk) -> None:
    desk = make_desk(size=SMALL)
    desk.window.show_page("runs")
    desk.settle()
    detail = desk.window.pages["runs"].detail
    for number in (12, 5):
        detail.show_run(f"{number:032x}", tab="steps")
        desk.settle()
        assert abs(place(detail.protected).center().y() - place(detail.chip).center().y()) <= 1
        assert is_a_line(detail.to_gate, detail.again, detail.undo, detail.schedule, detail.stop)
    desk.window.show_page("schedules")
    desk.settle()
    page = desk.window.pages["schedules"]
    assert is_a_line(page.head.run, page.head.missed, page.head.skip)
    assert is_a_line(page.head.switch, page.head.change, page.head.remove)
    firing = next(one for day in page.calendar.view.adapter.days for one in day.firings)
    assert len(times_side_by_side([firing] * 2, "", 78)) == 2, "the cell of a day: both are told by their times"
    assert len(times_side_by_side([firing] * 3, "", 78)) == 1, "and how many more"
    assert times_side_by_side([firing] * 3, "", 20) == []
    named = dataclasses.replace(firing, name="Daily backup list", count=1)
    at = times.clock_time(named.due_at)
    assert chip_texts([named], "", 90, 46) == [(f"{at} Daily", "backup list")]
    assert chip_texts([named], "", 160, 46) == [(f"{at} Daily backup list",)]
    assert chip_texts([named] * 2, "", 108, 46) == [(at,), (at,)], "never a part of a name"
    assert chip_texts([named] * 3, "", 108, 20) == []


def is_a_line(*buttons: QWidget) -> bool:
    """Whether those that are shown, several of them, stand side by side."""
    shown = [one for one in buttons if one.isVisible()]
    return len(shown) > 1 and len({place(one).top() for one in shown}) == 1


def test_the_keys_name_every_page() -> None:
    named = dict(KEYS)[f"Ctrl+1 … {len(PAGES)}"]
    assert named == ", ".join(page for _, page, _ in PAGES)


def test_an_ended_run_without_files_waits_for_none(desk: Desk) -> None:
    desk.window.show_page("runs")
    desk.settle()
    files = desk.window.pages["runs"].detail.files
    for ended, said in ((False, "No files yet."), (True, "No files.")):
        files.show_files((), date(2026, 11, 30), ended=ended)
        desk.settle()
        assert said == files.findChildren(Nothing)[-1].head.text()


def test_steps_speak_without_the_machine() -> None:
    asked = {"kind": "step", "summary": "waits in g-20: Did this mail go out?"}
    assert words.step_line(asked) == "Asked: Did this mail go out?"
    assert words.step_name("cancelled") == "Stopped here"
    done = {"path": "0/0", "ordinal": 0, "name": "count", "kind": "step", "state": "done", "attempts": 1, "key": None}
    busy = {
        "path": "",
        "ordinal": 1,
        "name": "",
        "kind": "step",
        "state": "running",
        "attempts": 0,
        "key": None,
        "summary": "Box 6 of 240",
    }
    entry = {"at": "2026-11-30T08:42:12.000Z", "reason": "runner or host had ended", "from_step": "4"}
    told = lines({"state": "running", "steps": [done, busy], "checkpoint": {"resumptions": [entry]}}, ())
    assert [line.kind for line in told] == ["step", RESTART, "step"]
    assert told[1].title == "Restarted 08:42:12. 0 steps were kept; the step it was in started again."
    assert (told[2].title, told[2].summary) == ("Box 6 of 240", "")


def test_a_search_without_hits_has_a_way_back(desk: Desk) -> None:
    for page, name in (("runs", "Show every run"), ("trail", "Show every entry")):
        desk.window.show_page(page)
        desk.settle()
        shown = desk.window.pages[page]
        shown.search.setText("nobody of that name")
        shown._typed.timeout.emit()
        desk.settle()
        [back] = [one for one in shown.nothing.findChildren(QPushButton) if one.isVisible()]
        assert back.text() == name
        desk.click(back)
        shown._typed.timeout.emit()
        desk.settle()
        assert (shown.search.text(), shown.stack.currentWidget() is shown.nothing) == ("", False)


def test_names_stand_beside_the_values_they_name(make_desk: MakeDesk) -> None:
    """A value on the colours of a change is lower by its edge, and so is its name; a rule's button stands on the line beside it."""
    desk = make_desk(size=SMALL)
    inbox = desk.window.pages["inbox"]
    gates = {row.number: row.gate_id for row in inbox.pane.adapter.entries if isinstance(row, InboxRow)}
    inbox.go_to_gate(gates[81])
    desk.settle()
    grid = inbox.detail.page.answers.rows[0].findChild(FactsGrid)
    names = [one for one in grid.findChildren(Prose) if one.text() in ("Account before", "Account now")]
    values = [one.findChild(Prose) for one in grid.findChildren(Changed)]
    assert len(names) == len(values) == 2
    assert [place(name).top() for name in names] == [place(value).top() for value in values]
    inbox.go_to_gate(gates[74])
    desk.settle()
    head = inbox.detail.page.head
    always = next(one for one in head.findChildren(QPushButton) if one.text().startswith("Always allow"))
    asked = next(one for one in head.findChildren(Prose) if one.text().startswith("Asked "))
    assert abs(place(always).center().y() - place(asked).center().y()) <= 1


def test_the_name_of_a_field_keeps_one_line_where_there_is_room(qtbot: QtBot) -> None:
    words = "1. Forsaljning v48.csv: Which column is the amount that the report adds up?"
    editor = FieldEditor(figures.field("q1", type="choice", label=words, choices=["Netto", "Brutto"], required=True))
    qtbot.addWidget(editor)
    editor.resize(760, 90)
    editor.show()
    name = next(one for one in editor.findChildren(Prose) if one.text() == words)
    one_line = name.heightForWidth(2000)
    assert name.heightForWidth(name.width()) == one_line
    editor.resize(260, 140)
    QCoreApplication.processEvents()
    assert name.height() >= name.heightForWidth(name.width()) > one_line


def test_a_yes_or_no_that_is_needed_has_both(qtbot: QtBot) -> None:
    """A tick that is not there would be no answer, so both answers are offered, and neither is given."""
    editor = FieldEditor(figures.field("sure", type="boolean", label="Send it", required=True))
    qtbot.addWidget(editor)
    assert [one.text() for one in editor.findChildren(QAbstractButton)] == ["Yes", "No"]
    assert editor.text() == ""
    editor.fill(False)
    assert editor.text() == "false"
    free = FieldEditor(figures.field("sure", type="boolean", label="Send it"))
    qtbot.addWidget(free)
    assert [one.text() for one in free.findChildren(QAbstractButton)] == ["Send it"]


def test_whose_words_are_said_once(qtbot: QtBot) -> None:
    for source, said in (("Written by the llm", "Written by the llm"), ("a.eml", "Quoted from a.eml")):
        entry = {"kind": "fields", "title": "Facts", "source": source, "data": [["Kind", "question"]]}
        box = build(Section("e", "Facts", "fields", None, entry), date(2026, 11, 30))
        qtbot.addWidget(box)
        assert said in [label.text() for label in box.findChildren(QLabel)]


@pytest.mark.parametrize(
    "many, said",
    [
        (1, "This run has read a.eml, which comes from outside."),
        (2, "This run has read a.eml, which come from outside."),
    ],
)
def test_one_source_comes_from_outside_and_two_come(many: int, said: str) -> None:
    assert has_read("a.eml", many) == said


@pytest.mark.parametrize("width", [330, 420, 640])
def test_the_path_of_a_gate_keeps_its_line_and_its_run(qtbot: QtBot, width: int) -> None:
    """What gives way is the title of the run, which the gate's own title says, too; run and step stand whole."""
    seen = _seen(figures.question(), template="Reference letters", run_title=LONG, run=1284)
    path = GatePath(seen)
    qtbot.addWidget(path)
    path.resize(width, 26)
    path.show()
    parts: list[Any] = [one for one in path.findChildren(QWidget) if getattr(one, "text", str)()]
    assert [one.text() for one in parts if one is not parts[1]] == ["Reference letters", "Run 1284", "Step 4"]
    assert parts[1].text().rstrip("…") == LONG[: len(parts[1].text()) - 1], "as much of it as there is room for"
    assert parts[1].accessibleName() == LONG
    assert len({place(one).center().y() for one in parts}) == 1
    assert place(parts[3]).right() <= width
    for whole in (parts[0], parts[2], parts[3]):
        assert whole.width() >= whole.sizeHint().width()
    assert parts[1].toolTip() == LONG


def test_no_hole_stands_where_a_word_of_the_title_did_not_fit(qtbot: QtBot) -> None:
    title = "Credit note CN-2026-031, Arden & Hale"
    path = GatePath(_seen(figures.question(), template="Credit notes", run_title=title, run=7))
    qtbot.addWidget(path)
    path.show()
    shown = []
    for width in (340, 640, 340):  # it grows again, too
        path.resize(width, 26)
        QCoreApplication.sendPostedEvents()
        (named,) = [one for one in path.findChildren(GivesWay) if one.accessibleName() == title]
        after = min(place(one).left() for one in path.findChildren(Icon) if place(one).left() > place(named).left())
        assert after - place(named).left() <= named.fontMetrics().horizontalAdvance(named.text()) + 8
        shown.append(named.text())
    assert shown == [shown[0], title, shown[0]]
    assert shown[0].endswith("…")


def test_no_frame_shows_a_gate_squeezed(make_desk: MakeDesk, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its parts come one after the other; whenever it is drawn there is room for all that is there."""
    squeezed: list[tuple[int, int]] = []
    drawn = GatePage.paintEvent

    def draw(page: GatePage, event: QPaintEvent) -> None:
        needed = page.heightForWidth(page.width())
        if page.height() < needed:
            squeezed.append((page.height(), needed))
        drawn(page, event)

    monkeypatch.setattr(GatePage, "paintEvent", draw)
    desk = make_desk(size=SMALL)
    for number in (81, 79, 74):
        desk.window.pages["inbox"].go_to_gate(f"{number:032x}")
        desk.settle()
        desk.window.repaint()
    assert squeezed == []


def test_four_tabs_stand_side_by_side_in_a_wide_window(make_desk: MakeDesk) -> None:
    desk = make_desk()
    pane = desk.window.pages["inbox"].pane
    for segment, badge in zip(pane.tabs.segments.values(), ("12", "12", "3", ""), strict=True):
        segment.show()
        segment.set_badge(badge)
    desk.settle()
    assert len({place(segment).top() for segment in pane.tabs.segments.values()}) == 1


def test_a_reason_has_the_room_that_is_there(make_desk: MakeDesk) -> None:
    desk = make_desk(size=SMALL)
    inbox = desk.window.pages["inbox"]
    inbox.go_to_gate(f"{81:032x}")
    desk.settle()
    row = inbox.detail.page.answers.rows[0]
    desk.click(row.choice.segments["reject"])
    assert row.width() - row.reason.geometry().right() < 30
