"""Every page as a picture and to a screen reader: nothing is cut, nothing is unnamed, in light and dark, wide and narrow."""

import dataclasses
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible, QAccessibleInterface, QFontMetrics
from PySide6.QtWidgets import QAbstractButton, QLabel, QScrollArea, QWidget

from counterfoil.clock import from_us
from counterfoil.desktop.inbox.welcome import WelcomeCard
from counterfoil.desktop.office import Progress
from counterfoil.desktop.parts.labels import Icon, Prose
from counterfoil.desktop.parts.segmented import Segment
from counterfoil.desktop.runs import steps_view
from counterfoil.desktop.runs.steps_view import StepsView
from counterfoil.desktop.schedule_facts import NoticeSeen
from counterfoil.desktop.settings_facts import TABS
from counterfoil.desktop.tables.diff_view import DiffView
from counterfoil.desktop.tables.fitting import shortened
from counterfoil.desktop.tables.view import TableView
from counterfoil.desktop.theme import Theme
from counterfoil.desktop.tokens import STEP_ROW
from desktop import figures
from desktop.conftest import Desk, MakeDesk
from desktop.fake_office import FakeOffice
from desktop.fake_schedules import HELD, PAYMENTS
from house.repository import ROOT

NAMED = {
    QAccessible.Role.Button,
    QAccessible.Role.PushButton,
    QAccessible.Role.EditableText,
    QAccessible.Role.List,
    QAccessible.Role.Table,
    QAccessible.Role.ComboBox,
    QAccessible.Role.CheckBox,
    QAccessible.Role.RadioButton,
    QAccessible.Role.PageTab,
    QAccessible.Role.PageTabList,
}
SIZES = [(1440, 900), (1100, 700)]
_SLACK = 10  # pixels of air at the end of a line
GATES = (81, 82, 79, 77, 76, 74, 70, 90)
LONG = "Donaudampfschifffahrtsgesellschaftskapitänswitwen-Unterstützungskasse"
FILE = f"letters/{LONG.lower()}/mahnung-2026-11-30_Halden-Paper-AS_final.pdf"
IBAN, DIGEST = "GB29NWBK60161331926819", "9fac84eccdb4c6251feabf56ee5cbe9c2934e7873953eab5bb57f73c0632474d"


def long_names() -> dict[str, Any]:
    """A gate whose title, files, columns and fields are longer than any line: what must not be cut breaks."""
    columns = ["no.", "supplier", "account", "file", "sha256", "amount"]
    rows = [[n, f"{LONG} {n}", IBAN, FILE, DIGEST, figures.euro("9112.50")] for n in range(1, 5)]
    return figures.gate(
        90,
        "question",
        f"Write to {LONG} about {FILE}",
        evidence=[
            {"kind": "table@1", "title": LONG, "data": {"columns": columns, "rows": rows, "total": None, "flagged": [1]}, "source": FILE},
            {"kind": "record@1", "title": "Names", "data": {"name": LONG, "file": FILE, "sha256": DIGEST}, "source": None},
        ],
        flags=[f"{FILE} was changed by {LONG}."],
        fields=[figures.field("why", label=f"Why {LONG}", help=f"Kept beside {FILE}."), figures.field("on", type="date", label=LONG)],
    )  # fmt: skip


def gates(desk: Desk) -> Iterator[str]:
    for number in GATES:
        desk.window.pages["inbox"].go_to_gate(f"{number:032x}")
        desk.settle()
        desk.later()
        yield f"gate-{number}"


def sheets(desk: Desk) -> Iterator[str]:
    detail = desk.window.pages["inbox"].detail
    desk.window.pages["inbox"].go_to_gate(f"{79:032x}")
    desk.settle()
    desk.later()
    for name, act in (("reject", detail.deciding.reject), ("send-back", detail.deciding.send_back)):
        act()
        desk.settle()
        yield f"sheet-{name}"
        detail.deciding.asking.dismiss()
        desk.settle()
    aside = detail.deciding.aside
    for act in (aside.snooze, aside.give):
        act()
        desk.settle()
        yield f"sheet-{act.__name__}"
        aside.close_sheet()
        desk.settle()
    desk.office.snooze(f"{77:032x}", desk.office.now + 3_600_000_000)
    desk.office.give(f"{81:032x}", "user:ben", "")
    desk.look()
    yield "four-tabs"
    desk.office.wake(f"{77:032x}")
    desk.office.take(f"{81:032x}")
    desk.look()
    detail.deciding.act()
    desk.settle()
    yield "gate-decided"
    desk.office.now += 6_000_000
    detail.bar._tick()
    desk.settle()
    yield "gate-settled"


def runs(desk: Desk) -> Iterator[str]:
    desk.window.show_page("runs")
    desk.settle()
    page = desk.window.pages["runs"]
    for tab in ("steps", "files", "result", "checkpoint", "trail"):
        page.show_run(f"{5:032x}", tab=tab)
        desk.settle()
        yield f"run-{tab}"
    page.show_run(f"{5:032x}", tab="checkpoint")
    desk.settle()
    page.detail.checkpoint._export()
    desk.settle()
    yield "evidence-sheet"
    page.detail.checkpoint.sheet.export("/data/anna/evidence-run-5.zip")
    desk.settle()
    yield "evidence-exported"
    page.detail.checkpoint.sheet.dismiss()
    page.show_run(f"{10:032x}", tab="steps")
    desk.settle()
    yield "run-running"


def others(desk: Desk) -> Iterator[str]:
    desk.window.show_page("templates")
    desk.settle()
    yield "templates"
    templates = desk.window.pages["templates"]
    templates.open_template("/t/pay-invoices")
    desk.settle()
    yield "template-form"
    templates.choose_folder()
    templates.sheet.take("/data/anna/Larkfield/Payables")
    desk.settle()
    yield "folder-sheet"
    templates.sheet.dismiss()
    desk.window.show_page("trail")
    desk.settle()
    yield "trail"


def schedules(desk: Desk) -> Iterator[str]:
    desk.office.schedules.notices = [
        NoticeSeen(
            "away",
            "While this computer was off (Fri 18:10 – Mon 09:12): ‘Weekly report’ ran late, 09:12. Nothing ran twice.",
            "home",
        ),
        NoticeSeen(
            "held_up", "‘Weekly payments’ did not run 3 times in a row: last week's still waits for Anna.", PAYMENTS
        ),
    ]
    desk.window.show_page("schedules")
    desk.settle()
    page = desk.window.pages["schedules"]
    page.view.select(PAYMENTS)
    page.calendar.go_to(from_us(HELD.due_at).date())
    desk.settle()
    yield "schedules"
    page.calendar.span.choose("week")
    page.calendar.load()
    desk.settle()
    yield "schedules-week"
    page._remove()
    desk.settle()
    yield "schedules-remove"
    page.sheet.dismiss()
    page.write_for("/t/pay-invoices", "/data/anna/Larkfield/Payables", {})
    page.editor.rule.setText("every day at 02:30")
    page.editor.sentence.zone.setEditText("Europe/Berlin")
    page.editor._judge()
    desk.settle()
    yield "schedule-editor"
    page.editor.rule.setText("every year on 31 April at 09:00")
    page.editor._judge()
    desk.settle()
    yield "schedule-wrong"


def settings(desk: Desk) -> Iterator[str]:
    desk.window.show_page("settings")
    page = desk.window.pages["settings"]
    for tab, _ in TABS:
        page.show_tab(tab)
        desk.settle()
        yield f"settings-{tab}"
    page.tab._give()
    desk.settle()
    yield "settings-support"
    page.tab.sheet.dismiss()


def every_page(desk: Desk) -> Iterator[str]:
    yield "inbox"
    for part in (gates, sheets, runs, others, schedules, settings):
        yield from part(desk)


@pytest.fixture(params=SIZES, ids=lambda size: f"{size[0]}")
def wide(request: pytest.FixtureRequest, make_desk: MakeDesk) -> Desk:
    office = FakeOffice()
    office.add(
        figures.batch(), run_title=f"Supplier payments, {LONG}", figures=figures.BATCH_FIGURES, bodies=figures.BODIES
    )
    office.add(long_names(), run_title=LONG, figures=(("Digest", DIGEST), ("Account", IBAN)))
    desk = make_desk(office, request.param)
    desk.later()
    return desk


def cut(window: QWidget) -> list[str]:
    """Texts that do not fit where they stand."""
    found = []
    for widget in window.findChildren(QWidget):
        if not widget.isVisible() or widget.visibleRegion().isEmpty():
            continue
        if (
            isinstance(widget, TableView)
            and sum(widget.columnWidth(at) for at in range(widget.adapter.columnCount()))
            > widget.viewport().width() + 1
        ):
            found.append(f"table {widget.accessibleName()}: {widget.fit}")
        elif isinstance(widget, QScrollArea) and _hides(widget):
            found.append(f"page {_hides(widget)} pixels wider than its pane")
        elif isinstance(widget, DiffView) and 0 < widget.horizontalScrollBar().maximum() < _SLACK:
            found.append(f"a bar below {widget.accessibleName()}, though every line fits")
        elif isinstance(widget, StepsView):
            found.extend(steps_cut(widget))
        elif isinstance(widget, Prose) and widget.heightForWidth(widget.width()) > widget.height() + 1:
            found.append(f"prose ‘{widget.text()}’ {widget.size().toTuple()}")
        elif isinstance(widget, Icon | Prose | Segment):
            found.extend(segment_cut(widget))
        elif isinstance(widget, QLabel) and not widget.wordWrap():
            if QFontMetrics(widget.font()).horizontalAdvance(widget.text()) > widget.contentsRect().width() + 1:
                found.append(f"label ‘{widget.text()}’ {widget.width()}")
        elif (
            isinstance(widget, QAbstractButton)
            and widget.text()
            and widget.width() + 1 < widget.minimumSizeHint().width()
        ):
            found.append(f"button ‘{widget.text()}’ {widget.width()} < {widget.minimumSizeHint().width()}")
    return found


def _hides(area: QScrollArea) -> int:
    """How much of a page is off at the right, where nobody can scroll to."""
    page = area.widget()
    if page is None or area.horizontalScrollBarPolicy() != Qt.ScrollBarPolicy.ScrollBarAlwaysOff:
        return 0
    return max(0, page.width() - area.viewport().width())


def test_the_cards_of_the_first_run_are_not_cut(wide: Desk) -> None:
    card = WelcomeCard(wide.bridge, isolation="L3")
    wide.window.pages["inbox"].welcome(card)
    wide.settle()
    assert cut(card) == []
    card.show_progress(Progress("r", "running", "Reading", done=9, total=17, last=((FILE, ""), (f"b-{FILE}", LONG))))
    wide.settle()
    assert cut(card) == []
    card.show_result(Progress("r", "done", "Done", result={"summary": f"{FILE} is written."}, may_undo=True), "/tmp")
    wide.settle()
    assert cut(card) == []


def segment_cut(widget: QWidget) -> list[str]:
    """A choice of a few whose words have too little room."""
    narrow = isinstance(widget, Segment) and widget.width() < widget.sizeHint().width()
    return [f"segment {widget.accessibleName()} {widget.width()}"] if narrow else []


def steps_cut(view: StepsView) -> list[str]:
    """Lines of steps that are not as high as their texts."""
    found = []
    for at, line in enumerate(view.adapter.lines):
        high = view.visualRect(view.adapter.index(at)).height()
        titles, below, *_ = steps_view._texts(line, view.viewport().width(), exact=view.adapter.exact)
        if line.kind == "step" and 8 + 18 * (len(titles) + len(below)) > high:
            found.append(f"step ‘{line.title}’ {len(titles)} + {len(below)} lines in {high}")
    return found


def test_nothing_is_cut(wide: Desk) -> None:
    found = {name: cut(wide.window) for name in every_page(wide)}
    assert {name: texts for name, texts in found.items() if texts} == {}


def test_nothing_is_cut_at_two_hundred_percent() -> None:
    """Qt takes its scale when it starts, so the walk is made again in a process of its own."""
    walk = f"{__file__}::test_nothing_is_cut[1100]"
    made = subprocess.run(
        [sys.executable, "-m", "pytest", walk, "-q", "-p", "no:cacheprovider"],
        cwd=ROOT,
        env={**os.environ, "QT_SCALE_FACTOR": "2", "PYTHONPATH": str(ROOT / "app")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert "1 passed" in made.stdout, made.stdout


@pytest.mark.parametrize("exact", ["plain", "exact"])
def test_steps_with_long_names_grow(make_desk: MakeDesk, monkeypatch: pytest.MonkeyPatch, exact: str) -> None:
    desk = make_desk(size=(1100, 700))
    desk.window.show_page("runs")
    desk.settle()
    runs = desk.window.pages["runs"]
    runs.show_run(f"{10:032x}", tab="steps")
    desk.settle()
    steps = runs.detail.steps
    lines = [
        dataclasses.replace(line, summary=f"{FILE}, 42 bytes", exact=f"key {DIGEST}  ·  08:55:12.204")
        for line in steps.adapter.lines
    ]
    steps.adapter.show_lines(lines, exact=exact == "exact")
    desk.settle()
    assert steps_cut(steps) == []
    assert steps.visualRect(steps.adapter.index(0)).height() > STEP_ROW
    steps.adapter.show_lines(
        [dataclasses.replace(line, title="Read", summary="", exact="") for line in lines], exact=True
    )
    steps.adapter.show_lines(
        [dataclasses.replace(line, title="Read", summary="", exact="") for line in lines], exact=False
    )
    desk.settle()
    assert steps.visualRect(steps.adapter.index(0)).height() == STEP_ROW


def test_a_long_word_of_letters_is_parted_where_it_would_leave_the_line_bare() -> None:
    text = "Reference letter for Donaudampfschifffahrtsgesellschaft-Unterstützungskasse e. V."
    assert shortened(text, 301, lambda part: len(part) * 7) == "Reference letter for Donaudampfschifffahrt…"
    assert (
        shortened("Payment to 1234567890123456789012345678901234567890", 300, lambda part: len(part) * 7)
        == "Payment to…"
    )


@pytest.mark.parametrize("room", range(40, 900, 37))
def test_a_shortened_line_shows_each_word_whole_or_not_at_all(room: int) -> None:
    text = f"Mail {FILE} to GB29 NWBK 6016 1331 9268 19, invoice BW-7741, seal {DIGEST}"
    told = shortened(text, room, lambda part: len(part) * 7)
    assert len(told) * 7 <= room
    words = told.removesuffix("…").split(" ")
    assert words == [
        word.rstrip(",") if at + 1 == len(words) else word for at, word in enumerate(text.split(" ")[: len(words)])
    ]


def unnamed(node: QAccessibleInterface, path: str = "") -> Iterator[str]:
    """Controls below a node that a screen reader has no name for."""
    role = node.role()
    name = node.text(QAccessible.Text.Name)
    here = f"{path}/{role.name}:{name or node.text(QAccessible.Text.Description)}"
    if role in NAMED and not name.strip() and not node.state().invisible:
        yield here
    if role in (QAccessible.Role.Table, QAccessible.Role.List):
        return  # cells speak for themselves; thousands need not be walked
    for at in range(node.childCount()):
        child = node.child(at)
        if child.isValid():
            yield from unnamed(child, here)


def test_nothing_is_unnamed(wide: Desk) -> None:
    for name in every_page(wide):
        root = QAccessible.queryAccessibleInterface(wide.window)
        assert list(unnamed(root)) == [], name


def test_names_have_no_leading_blanks(wide: Desk) -> None:
    for name in every_page(wide):
        for button in wide.window.findChildren(QAbstractButton):
            said = button.accessibleName() or button.text()
            assert said == said.strip(), name


def test_every_disabled_button_gives_its_reason(wide: Desk) -> None:
    for name in every_page(wide):
        for button in wide.window.findChildren(QAbstractButton):
            if button.isVisible() and not button.isEnabled():
                assert button.text().strip() or button.accessibleDescription(), name


def test_pictures_do_not_change_by_themselves(wide: Desk) -> None:
    first = wide.window.grab().toImage()
    wide.settle()
    assert wide.window.grab().toImage() == first


@pytest.mark.parametrize("look", ["light", "dark"])
def test_no_part_stays_light_in_the_dark(
    wide: Desk, look: str, theme: Theme, shots: Callable[[QWidget, str], None]
) -> None:
    """The edges of each pane have the ground of the look, on every page; pictures are kept where a folder is named."""
    theme.choose(look)
    try:
        for name in every_page(wide):
            image = wide.window.grab().toImage()
            lightness = [
                image.pixelColor(*spot).lightness()
                for spot in (
                    (4, image.height() // 2),
                    (image.width() // 2, 3),
                    (image.width() - 5, image.height() // 2),
                )
            ]
            assert all((value > 128) == (look == "light") for value in lightness), (name, lightness)
            shots(wide.window, f"{name}-{look}-{wide.window.width()}")
    finally:
        theme.choose("light")
