"""Every page as a picture and to a screen reader: nothing is cut, nothing is unnamed, in light and dark, wide and narrow."""

from collections.abc import Callable, Iterator

import pytest
from PySide6.QtGui import QAccessible, QAccessibleInterface, QFontMetrics
from PySide6.QtWidgets import QAbstractButton, QLabel, QWidget

from counterfoil.clock import from_us
from counterfoil.desktop.parts.labels import Icon, Prose
from counterfoil.desktop.parts.segmented import Segment
from counterfoil.desktop.schedule_facts import NoticeSeen
from counterfoil.desktop.tables.view import TableView
from counterfoil.desktop.theme import Theme
from desktop import figures
from desktop.conftest import Desk, MakeDesk
from desktop.fake_office import FakeOffice
from desktop.fake_schedules import HELD, PAYMENTS

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
GATES = (81, 82, 79, 77, 76, 74, 70)


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
    for name, act in (("reject", detail.reject), ("send-back", detail.send_back)):
        act()
        desk.settle()
        yield f"sheet-{name}"
        detail.asking.dismiss()
        desk.settle()
    detail.act()
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
        NoticeSeen("held_up", "‘Weekly payments’ was skipped 3 times in a row: run 12 waits at g-82.", PAYMENTS),
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


def every_page(desk: Desk) -> Iterator[str]:
    yield "inbox"
    for part in (gates, sheets, runs, others, schedules):
        yield from part(desk)


@pytest.fixture(params=SIZES, ids=lambda size: f"{size[0]}")
def wide(request: pytest.FixtureRequest, make_desk: MakeDesk) -> Desk:
    office = FakeOffice()
    office.add(figures.batch(), figures=figures.BATCH_FIGURES, bodies=figures.BODIES)
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
        elif isinstance(widget, Prose) and widget.heightForWidth(widget.width()) > widget.height() + 1:
            found.append(f"prose ‘{widget.text()}’ {widget.size().toTuple()}")
        elif isinstance(widget, Icon | Prose | Segment):
            continue
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


def test_nothing_is_cut(wide: Desk) -> None:
    found = {name: cut(wide.window) for name in every_page(wide)}
    assert {name: texts for name, texts in found.items() if texts} == {}


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
