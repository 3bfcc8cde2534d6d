"""Use that lasts: 10,000 rows scrolled, an hour's churn in a moment, and nothing that grows or crashes."""

import gc
import sys

import pytest
import shiboken6
from PySide6.QtWidgets import QApplication, QWidget

from counterfoil.desktop.office import Changes, Part
from desktop import figures
from desktop.conftest import Desk, MakeDesk
from desktop.fake_office import FakeOffice
from desktop.figures import HOUR, NOW

ROWS = 10_000


@pytest.fixture
def crowded(make_desk: MakeDesk) -> Desk:
    office = FakeOffice()
    for number in range(1000, 1000 + ROWS):
        due = NOW + (number % 400) * HOUR if number % 3 else None
        office.add(figures.gate(number, "approval", f"Bill {number}", run=number, due_at=due))
    return make_desk(office)


def test_ten_thousand_gates_are_scrolled(crowded: Desk) -> None:
    view = crowded.window.pages["inbox"].pane.view
    assert view.adapter.rowCount() > ROWS
    bar = view.verticalScrollBar()
    for step in range(120):
        bar.setValue(bar.maximum() * step // 119)
        view.viewport().repaint()
    assert bar.value() == bar.maximum()


def test_an_hour_of_churn_in_a_moment(desk: Desk) -> None:
    inbox = desk.window.pages["inbox"]
    numbers = (81, 79, 77, 76, 74, 70)
    counted: list[int] = []
    nones: list[int] = []
    for turn in range(36):
        inbox.go_to_gate(f"{numbers[turn % len(numbers)]:032x}")
        desk.bridge.tell(Changes(frozenset({Part.INBOX, Part.RUNS, Part.TRAIL})))
        desk.office.now += HOUR // 60
        inbox.pane.tick()
        desk.settle()
        if turn % 12 == 11:
            gc.collect()
            counted.append(len(QApplication.allWidgets()))
            nones.append(sys.getrefcount(None))
    assert counted[-1] <= counted[0] * 1.05  # pages that were shown are gone
    if sys.version_info < (3, 12):
        assert nones[-1] > nones[0] - 100  # a Qt that drops references of None would end the program


def test_pages_come_and_go_without_leaving_widgets_behind(desk: Desk) -> None:
    def widgets() -> int:
        gc.collect()
        return len(desk.window.findChildren(QWidget))

    desk.window.show_page("runs")
    desk.settle()
    runs = desk.window.pages["runs"]
    for number in (5, 12, 5):
        runs.show_run(f"{number:032x}")
        desk.settle()
    before = widgets()
    for number in (12, 5, 12, 5):
        runs.show_run(f"{number:032x}")
        desk.settle()
    assert widgets() <= before * 1.05


def test_a_window_closed_while_a_gate_is_still_being_laid_out(make_desk: MakeDesk, qapp: QApplication) -> None:
    for turns in range(1, 8):
        desk = make_desk(begin=False)
        desk.window.begin(desk.bridge)
        for _ in range(turns):
            qapp.processEvents()
        shiboken6.delete(desk.window)
        desk.settle()  # what was still to be laid out is not asked for any more
