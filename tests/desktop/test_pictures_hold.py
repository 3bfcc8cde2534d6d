"""What a look at every page has mended: titles at one height, long words whole, edges that meet, a way out of what is empty."""

import dataclasses
from datetime import date
from typing import Any

import pytest
from PySide6.QtCore import QPoint, QRect
from PySide6.QtWidgets import QApplication, QLineEdit, QMenu, QPlainTextEdit, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from counterfoil.clock import SystemClock
from counterfoil.desktop.frame.runner_line import RunnerLine
from counterfoil.desktop.gate.bar import GateBar
from counterfoil.desktop.gate.evidence import long_text
from counterfoil.desktop.gate.session import READY, Primary
from counterfoil.desktop.gate.sheets import reject_sheet
from counterfoil.desktop.inbox.welcome import WelcomeCard
from counterfoil.desktop.office import Counts, Part, RunnerSeen, RunnerState, RunSeen, Workspace
from counterfoil.desktop.parts.boxes import Pane
from counterfoil.desktop.parts.form import FieldEditor
from counterfoil.desktop.parts.labels import Label, LongChip, Prose
from counterfoil.desktop.real_office.templates import unmarked
from counterfoil.desktop.runs import list_view, steps_view
from counterfoil.desktop.runs.narrowing import MenuChip
from counterfoil.desktop.runs.steps import lines
from counterfoil.desktop.schedule_facts import DraftSeen, NextSeen, ScheduleDraft
from counterfoil.desktop.schedules.ahead import AheadBox
from counterfoil.desktop.schedules.lacking import lacking
from counterfoil.desktop.tables.fitting import fit
from counterfoil.desktop.tables.table import from_texts
from counterfoil.desktop.theme import Theme
from counterfoil.desktop.tokens import BAR
from counterfoil.desktop.words.numbers import whole_seals
from desktop import fake_runs, figures
from desktop.conftest import Desk, MakeDesk
from desktop.fake_office import FakeOffice
from desktop.figures import HOUR, NOW

FILE = "Contract_2026-11_final_FINAL_v3-signed_by-both-parties-and-two-witnesses-of-the-chamber-of-commerce.pdf"
WHY = f"Stopped: the column ‘Rechnungsempfängerkontonummer’ is missing in {FILE}"


def place(widget: QWidget) -> QRect:
    """Where a part stands in its window."""
    return QRect(widget.mapTo(widget.window(), widget.rect().topLeft()), widget.size())


def test_titles_of_all_pages_stand_at_one_height(make_desk: MakeDesk) -> None:
    desk = make_desk(size=(1100, 700))
    heights = set()
    for name in ("inbox", "runs", "templates", "schedules", "connectors", "trail", "settings"):
        desk.window.show_page(name)
        desk.settle()
        [title] = [
            one
            for one in desk.window.pages[name].findChildren(Label)
            if one.isVisible() and one.text() == name.capitalize() and one.font().pixelSize() == 20
        ]
        heights.add(place(title).center().y())
    assert len(heights) == 1


def test_why_a_run_stopped_stands_whole_and_its_buttons_below(
    make_desk: MakeDesk, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk = make_desk(size=(1100, 700))
    seen = desk.office.run(f"{2:032x}")
    monkeypatch.setattr(desk.office, "run", lambda _run_id: dataclasses.replace(seen, words=WHY))
    desk.window.show_page("runs")
    desk.settle()
    detail = desk.window.pages["runs"].detail
    detail.show_run(f"{2:032x}", tab="steps")
    desk.settle()
    chip: LongChip = detail.chip
    assert chip.text() == WHY
    assert chip.height() >= chip.heightForWidth(chip.width()) > 2 * 17
    assert place(chip).right() < desk.window.width()
    assert place(detail.again).top() > place(chip).bottom()
    assert place(detail.again).bottom() < place(detail.tabs).top()
    told = list_view._lines("", f"Waiting for {FILE}", f"Run 12 · by the schedule ‘{FILE}’", 240)
    assert ["".join(part).replace(" ", "") for part in told[1:]] == [
        f"Waitingfor{FILE}",
        f"Run12·bytheschedule‘{FILE}’",
    ]


def test_steps_end_where_the_head_of_their_run_does(desk: Desk) -> None:
    desk.window.show_page("runs")
    desk.settle()
    detail = desk.window.pages["runs"].detail
    edge = detail.exact.mapTo(desk.window, QPoint(detail.exact.width(), 0)).x()
    assert detail.steps.mapTo(desk.window, QPoint(detail.steps.room(), 0)).x() == edge
    assert detail.steps.verticalScrollBar().sizeHint().width() <= steps_view._BESIDE, "a scroll bar covers no time"


def test_turns_of_an_agent_fold_under_its_name() -> None:
    step = fake_runs._step
    turns = [step(at, "answer", "llm", "done", 4, path="2/0") for at in range(3)]
    [done] = lines({"steps": [step(2, "agent", "step", "done", 41), *turns]}, ())
    assert (done.title, done.group, done.folded) == ("Agent", "2", True)
    [running] = lines({"steps": turns}, ())
    assert running.title == "Agent", "its own row comes with its record"
    [alone] = lines({"steps": [step(0, "read_invoices", "step", "done", 1, path="1/0")]}, ())
    assert "1 at once" not in alone.title


def test_templates_that_nothing_matches_lead_back(desk: Desk) -> None:
    desk.window.show_page("templates")
    desk.settle()
    page = desk.window.pages["templates"]
    every = len(page.gallery.cards)
    page.search.setText("xyz")
    desk.settle()
    assert page.gallery.cards == []
    desk.click(
        next(one for one in page.findChildren(QPushButton) if one.text() == "Show every template" and one.isVisible())
    )
    assert (page.search.text(), len(page.gallery.cards)) == ("", every)


def test_a_card_grows_with_its_name_and_its_neighbours_with_it(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    cards = list(fake_runs.CARDS)
    at = next(at for at, card in enumerate(cards) if card.name == "reminders")
    cards[at] = dataclasses.replace(cards[at], outcome=f"{cards[at].outcome} {FILE} " * 2)
    monkeypatch.setattr(desk.office, "templates", lambda _workspace: tuple(cards))
    desk.window.show_page("templates")
    desk.settle()
    bundled = [
        card
        for card in desk.window.pages["templates"].gallery.cards
        if card.accessibleName().startswith(("Reminders", "Rename"))
    ]
    assert len({card.height() for card in bundled}) == 1
    assert all(card.height() >= card.heightForWidth(card.width()) for card in bundled)


def test_the_trail_says_first_what_happened() -> None:
    rows = [("Today 08:55", "Anna", f"Anna held {at} invoices", "3f9a 2c71") for at in range(4)]
    table = from_texts(("when", "who", "what", "seal"), rows, date(2026, 11, 30))
    fitted = fit(table.columns, table.lines, 800, lambda text: 7 * len(text), lambda text: 7 * len(text))
    assert fitted.columns[fitted.head].title == "What"


def test_what_a_template_says_of_itself_shows_no_marks() -> None:
    assert unmarked("Drafts go to `Drafts/`. **Nothing is sent.** See [the guide](docs/x.md), *twice*.") == (
        "Drafts go to Drafts/. Nothing is sent. See the guide, twice."
    )
    assert unmarked("2 * 3 * 4, *.csv and *.txt") == "2 * 3 * 4, *.csv and *.txt"


def test_a_field_that_is_filled_for_somebody_shows_its_beginning(qtbot: QtBot, theme: Theme) -> None:
    editor = FieldEditor(figures.field("points", label="Points to look at"))
    qtbot.addWidget(editor)
    editor.fill("Term; Notice; Renewal; Confidentiality; Data protection; Payment terms; Subcontractors")
    [line] = editor.findChildren(QLineEdit)
    assert line.cursorPosition() == 0


def test_a_seal_in_a_sentence_stays_on_one_line() -> None:
    assert whole_seals("Ben approved it, seal 3f9a 2c71") == "Ben approved it, seal 3f9a\u00a02c71"
    assert whole_seals("Run 1284 goes on at 12 of 14") == "Run 1284 goes on at 12 of 14"


def test_a_long_folder_is_named_whole_in_the_sidebar(desk: Desk) -> None:
    parent = "Donaudampfschifffahrtsgesellschaftskapitänswitwen-Unterstützungskasse e. V."
    switcher = desk.window.sidebar.switcher
    switcher.show_workspaces((Workspace(f"/data/{parent}/Monatsabschluss", "Monatsabschluss"),))
    switcher.show_current(f"/data/{parent}/Monatsabschluss", "light")
    _, folder = switcher._lines(switcher.width() - 72)
    assert "".join(folder).replace(" ", "") == f"in{parent}".replace(" ", "")


def test_what_is_paused_names_no_next_firing(desk: Desk) -> None:
    line: RunnerLine = desk.window.sidebar.runner
    seen = dataclasses.replace(
        desk.office.runner_seen, state=RunnerState.RUNNING, next_name="Weekly report", next_at=NOW + HOUR
    )
    line.show_runner(seen)
    assert any("Next: Weekly report" in said for said in line._sentences())
    line.show_runner(dataclasses.replace(seen, paused_by="user:anna", paused_at=NOW))
    assert not any("Next:" in said for said in line._sentences())


def test_what_the_runner_line_tells_has_room_for_every_line(desk: Desk) -> None:
    line: RunnerLine = desk.window.sidebar.runner
    line.show_runner(RunnerSeen(RunnerState.OFF))
    line._toggle()
    desk.settle()
    assert line._popover is not None
    said = line._popover.findChildren(Prose)
    assert said
    assert [one.text() for one in said if one.height() < one.heightForWidth(one.width())] == []


def test_times_of_another_zone_do_not_stay_and_a_rule_without_times_says_so(qtbot: QtBot, theme: Theme) -> None:
    box = AheadBox()
    qtbot.addWidget(box)

    def told() -> str:
        return " ".join(one.text() for one in box.findChildren(Label) if one.isVisibleTo(box))

    box.show_next((NextSeen("2026-12-01T02:30+01:00"),))
    assert box.texts == ["Tue 1 Dec 2026 02:30"]
    box.show_next(())
    assert box.texts == []
    box.show_next((), planned=False)
    assert "Tue" not in told()


def test_the_next_five_are_whole_where_there_is_little_room(qtbot: QtBot, theme: Theme) -> None:
    box = AheadBox()
    qtbot.addWidget(box)
    box.show_next((NextSeen("2026-12-02T18:00-03:00", "Buenos Aires"),))
    box.setFixedWidth(260)
    box.show()
    said = [one for one in box.findChildren(Label) if one.isVisible()]
    assert "Wed 2 Dec 2026 18:00" in [one.text() for one in said]
    qtbot.waitUntil(lambda: all(one.width() >= one.sizeHint().width() for one in said), timeout=30_000)


@pytest.mark.parametrize("count", [3, 20])
def test_a_text_that_fits_is_not_scrolled(qtbot: QtBot, theme: Theme, count: int) -> None:
    held = Pane("panel")
    qtbot.addWidget(held)
    shown = long_text("\n".join(["a line"] * count), "Given", "")
    held.put(shown, None)
    held.resize(600, 100)
    held.show()
    page = shown.findChild(QPlainTextEdit)
    assert page is not None
    qtbot.waitUntil(lambda: page.viewport().height() >= count * page.fontMetrics().lineSpacing(), timeout=30_000)
    assert page.verticalScrollBar().maximum() == 0


def test_a_run_that_goes_on_says_so_in_a_sentence(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    desk.window.show_page("runs")
    desk.settle()
    detail = desk.window.pages["runs"].detail
    seen = desk.office.run(f"{10:032x}")
    for words, told in (
        ("Carries on", "yet. It carries on."),
        ("Waiting for Ben", "yet. It is waiting for Ben."),
        ("No news from ‘Read’.", "yet. No news from ‘Read’."),
    ):
        document = {**seen.document, "result": None, "error": None, "state": "ready"}
        monkeypatch.setattr(desk.office, "run", lambda _id, said=(document, words): _said(seen, *said))
        detail._seen = None
        detail.show_run(f"{10:032x}", tab="result")
        desk.settle()
        assert any(one.text().endswith(told) for one in detail.result.findChildren(Prose))


def _said(seen: RunSeen, document: dict[str, Any], words: str) -> RunSeen:
    return dataclasses.replace(seen, document=document, words=words)


def test_what_was_said_of_a_plug_is_not_said_of_the_next_run(desk: Desk) -> None:
    desk.window.show_page("runs")
    desk.settle()
    detail = desk.window.pages["runs"].detail
    for number, stands in ((10, True), (5, False)):
        detail.show_run(f"{number:032x}", tab="checkpoint")
        desk.settle()
        assert detail.checkpoint._live_box.isVisible() is stands
        detail.checkpoint._ended_at = NOW  # as if it had been pulled


def test_a_workspace_where_nothing_has_run_is_not_the_first_day(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    window, counts = desk.window, desk.office.counts
    none = Counts(for_me=0, for_others=0, snoozed=0, running=0, runs=0, notices=0)
    monkeypatch.setattr(desk.office, "counts", lambda workspace: none if workspace else counts(None))
    window.choose_workspace("/data/new")
    desk.settle()
    assert window.counts == none
    assert window._first_run is not None
    assert window._first_run.card is None
    window.choose_workspace(None)
    desk.settle()
    window._show_counts("/data/new", none)  # it was on its way when another workspace was chosen
    assert window.counts == counts(None)


def test_no_first_run_is_offered_once_something_has_run(make_desk: MakeDesk) -> None:
    office = FakeOffice()
    documents, rows = dict(office.documents), list(office.run_rows)
    office.documents.clear()
    office.run_rows.clear()
    desk = make_desk(office)
    right = desk.window.pages["inbox"].right
    assert isinstance(right.currentWidget(), WelcomeCard)
    office.documents.update(documents)
    office.run_rows.extend(rows)
    desk.bridge.changed_now(*Part)
    desk.settle()
    assert not isinstance(right.currentWidget(), WelcomeCard)


def test_the_run_that_is_marked_is_the_one_that_is_shown(desk: Desk) -> None:
    desk.window.show_page("runs")
    desk.settle()
    runs = desk.window.pages["runs"]
    for chip in ("done", "cancelled", "all"):
        desk.click(runs.chips[chip])
        desk.settle()
        assert runs.view.current_run() == runs.detail.run_id
        assert runs.detail.run_id in [row.run_id for row in runs.adapter.rows]


def test_the_menu_of_a_chip_is_written_as_the_window_is(qtbot: QtBot, theme: Theme) -> None:
    chip = MenuChip("template")
    qtbot.addWidget(chip)
    chip.show_chosen((("pay", "Supplier payments"),), "")
    chip.show()
    chip.open_menu()
    menu = chip.findChild(QMenu)
    assert menu is not None
    assert menu.layoutDirection() == QApplication.layoutDirection() != chip.layoutDirection()
    menu.close()


def test_what_a_schedule_lacks_is_said_in_the_order_it_is_filled_in() -> None:
    empty = ScheduleDraft()
    whole = ScheduleDraft("Weekly", "/t/pay", "/data", "every Monday at 07:00", "UTC")
    assert [
        (lack.where, lack.words) if (lack := lacking(draft, seen)) else None
        for draft, seen in (
            (empty, DraftSeen()),
            (dataclasses.replace(whole, workspace=""), DraftSeen()),
            (whole, DraftSeen(problem="31 April does not exist.", where="rule")),
            (whole, DraftSeen(problem="Unknown zone", where="zone")),
            (whole, DraftSeen(name="There is one already.")),
            (whole, DraftSeen(spend="‘lots’ is no amount.")),
            (whole, DraftSeen(fields={"a": "missing", "b": "missing"})),
            (whole, DraftSeen()),
        )
    ] == [
        ("template", "Choose a template first"),
        ("folder", "Choose a folder first"),
        ("rule", "Say when it runs first"),
        ("zone", "Choose a zone first"),
        ("name", "Give it another name first"),
        ("spend", "Say what it may spend first"),
        ("fields", "Fill in 2 fields first"),
        None,
    ]


@pytest.mark.parametrize("width, folded", [(586, True), (900, False)])
def test_the_words_of_the_primary_button_are_whole_beside_all_others(
    qtbot: QtBot, theme: Theme, width: int, folded: bool
) -> None:
    bar = GateBar(SystemClock())
    qtbot.addWidget(bar)
    bar.resize(width, 140)
    bar.show()
    bar.show_open(silence="No deadline.", can_decide=True, can_change=True, can_refuse=True)
    bar.show_primary(Primary("Approve 12 mails, 3 files, 14 moves, 2 folders", READY, "approved"))
    QApplication.processEvents()
    buttons = (bar.primary, bar.change, bar.send_back, bar.reject)
    assert all(one.width() >= one.sizeHint().width() for one in buttons)
    assert max(one.geometry().right() for one in buttons) < width
    assert (bar.primary.y() < bar.change.y()) == folded
    bar.show_primary(Primary("Approve 1 file", READY, "approved"))
    QApplication.processEvents()
    assert bar.primary.y() == bar.change.y()
    assert bar.stack.height() == BAR + 2


@pytest.mark.parametrize(
    "what, words",
    [
        ("1,312 mails, 300 files, 1,400 moves", "Reject 1,312 mails, 300 files, 1,400 moves"),
        ("12 mails, 3 files, 14 moves, 2 folders", "Reject all of it"),
        ("", "Reject"),
    ],
)
def test_the_button_of_a_sheet_counts_what_it_has_room_for(qtbot: QtBot, theme: Theme, what: str, words: str) -> None:
    over = QWidget()
    qtbot.addWidget(over)
    over.resize(586, 700)
    over.show()
    sheet = reject_sheet(over, "Wrong", what=what, follows="If you reject: nothing is written.")
    sheet.open(sheet.editor)
    QApplication.processEvents()
    assert sheet.act.text() == words
    assert sheet.act.width() >= sheet.act.sizeHint().width()
