"""Decisions in a whole window on a real data folder: taken back, given together, and what was filled in when the window was killed."""

import os
import signal
import subprocess
import sys

from counterfoil.clock import SystemClock
from counterfoil.desktop.gate.session import GUARD_US
from counterfoil.desktop.gate_facts import Draft
from counterfoil.desktop.real_office.office import RealOffice
from counterfoil.desktop.tables.view import TableView
from counterfoil.desktop.theme import Theme
from counterfoil.facts import GateState
from counterfoil.store import gates
from desktop.real_home import RowsHome, until
from desktop.real_window import Seat
from house.repository import ROOT
from views.rows import payment_spec, spec

# Opens the real window on the data folder, writes the word “Send back” asks for, and goes on typing until it is killed.
TYPES_FOR_EVER = """
import itertools, sys
from pathlib import Path
from PySide6.QtCore import QTimer
from PySide6.QtTest import QTest
from counterfoil.desktop import app
from counterfoil.places import Home

class Window(app.Window):
    def begin(self, bridge):
        super().begin(bridge)
        self.letters = itertools.cycle("abcdefghijklmnopqrstuvwxyz")
        self.strokes = QTimer(self, interval=5)
        self.strokes.timeout.connect(self.stroke)
        self.strokes.start()

    def stroke(self):
        detail = self.pages["inbox"].detail if "inbox" in self.pages else None
        if detail is None or detail.page is None:
            return
        if detail.deciding.asking.sheet is None:
            detail.deciding.send_back()
        else:
            QTest.keyClicks(detail.deciding.asking.sheet.editor, next(self.letters))

app.Window = Window
sys.exit(app.run(Home(Path(sys.argv[1]))))
"""


def sit(seats: list[Seat], home: RowsHome, theme: Theme) -> Seat:
    """Open a window on the data folder."""
    seats.append(Seat(home.rows.home, theme))
    return seats[-1]


def states(home: RowsHome) -> dict[str, str]:
    """The state of each gate by its title."""
    rows = [gates.find(home.rows.database.reader, f"g-{number}") for number in range(1, 5)]
    return {str(row["title"]): str(row["state"]) for found in rows for row in found}


def test_a_decision_is_taken_back_and_given_anew(home: RowsHome, seats: list[Seat], theme: Theme) -> None:
    gate_id = home.ask(home.rows.run()["run_id"], 0, spec(title="Write it"))["gate_id"]
    seat = sit(seats, home, theme)
    seat.gate("approval")
    seat.click(seat.detail.bar.primary)
    seat.until(seat.may_undo, "the time to take it back")
    assert states(home) == {"Write it": GateState.DECIDED}
    seat.click(seat.detail.bar.undo)
    seat.until(lambda: states(home) == {"Write it": GateState.OPEN}, "the gate is open again")
    assert gates.decisions(home.rows.database.reader, gate_id) == []
    seat.gate("approval")
    assert seat.detail.bar.primary.isEnabled()
    seat.detail.deciding.reject()
    seat.detail.deciding.asking.sheet.editor.setPlainText("not this month")
    seat.click(seat.detail.deciding.asking.sheet.act)
    seat.until(seat.may_undo, "the time to take that back")
    (made,) = gates.decisions(home.rows.database.reader, gate_id)
    assert (made["verdict"], made["comment"]) == ("rejected", "not this month")


def test_gates_are_approved_together_and_the_flagged_one_is_left(
    home: RowsHome, seats: list[Seat], theme: Theme
) -> None:
    for title in ("Letter to Ann", "Letter to Ben"):
        home.ask(home.rows.run()["run_id"], 0, spec(title=title))
    home.ask(home.rows.run()["run_id"], 0, payment_spec() | {"title": "Letter to Carla"})
    seat = sit(seats, home, theme)
    seat.until(lambda: seat.inbox.pane.adapter.rowCount() == 4, "the list: a heading and three gates")
    seat.inbox.pane.view.selectAll()
    seat.until(seat.inbox.bulk.isVisible, "the table of what is selected")
    assert "1 of 3 needs a closer look and is left out." in seat.banners()
    (table,) = seat.inbox.bulk.findChildren(TableView)
    assert [line.note for line in table.adapter.lines] == ["", "", "Account changed since 12 Nov."]
    assert seat.inbox.bulk.act.accessibleName() == "Approve 2 gates"
    seat.until(lambda: SystemClock().now_us() - seat.inbox.bulk._shown_at > GUARD_US, "it takes a press")
    seat.click(seat.inbox.bulk.act)
    seat.until(lambda: states(home)["Letter to Ben"] == GateState.DECIDED, "the last of them is decided")
    assert states(home) == {
        "Letter to Ann": GateState.DECIDED,
        "Letter to Ben": GateState.DECIDED,
        "Letter to Carla": GateState.OPEN,
    }


def test_what_was_typed_is_there_after_the_window_was_killed(home: RowsHome, seats: list[Seat], theme: Theme) -> None:
    gate_id = str(home.ask(home.rows.run()["run_id"], 0, spec(title="Write it"))["gate_id"])
    office = RealOffice(home.rows.home)
    window = subprocess.Popen(
        [sys.executable, "-P", "-c", TYPES_FOR_EVER, str(home.rows.home.root)],
        env={**os.environ, "QT_QPA_PLATFORM": "offscreen", "PYTHONPATH": str(ROOT / "app")},
    )
    try:
        until(lambda: len(office.gate(gate_id).draft.comment) > 8, "some of it is kept")
    finally:
        os.kill(window.pid, signal.SIGKILL)
        window.wait()
    kept: Draft = office.gate(gate_id).draft
    office.close()
    assert "abcdefghijklmnopqrstuvwxyz".startswith(kept.comment[:26])
    assert gates.decisions(home.rows.database.reader, gate_id) == []
    seat = sit(seats, home, theme)
    seat.gate("approval")
    seat.detail.deciding.send_back()
    assert seat.detail.deciding.asking.sheet.text() == kept.comment
