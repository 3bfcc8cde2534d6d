"""Not now, or somebody else: what a pane does with its gate beside deciding it. Nothing here decides, and each act can be taken back."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Protocol, TypeVar

from PySide6.QtCore import QObject, QPoint, Qt, Signal, Slot
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QWidget

from counterfoil.clock import Clock
from counterfoil.desktop.bridge import Bridge
from counterfoil.desktop.gate.aside_sheets import GiveSheet, SnoozeSheet
from counterfoil.desktop.gate.session import Session
from counterfoil.desktop.gate_facts import Person
from counterfoil.desktop.office import Office
from counterfoil.desktop.parts.keys import keyless
from counterfoil.desktop.parts.one_sheet import OneSheet
from counterfoil.desktop.parts.sheet import Sheet
from counterfoil.desktop.theme import font
from counterfoil.desktop.words import asides as words
from counterfoil.desktop.words import times

T = TypeVar("T")
SNOOZE, WAKE, GIVE, TAKE, PRINT = "snooze", "wake", "give", "take", "print"
_CALLED = {SNOOZE: "Snooze…", WAKE: "Wake now", GIVE: "Give to…", TAKE: "Take it", PRINT: "Save as PDF…"}


class Shown(Protocol):
    """The pane with the gate that is set aside."""

    gate_id: str
    session: Session | None

    def look(self) -> None:
        """Ask for the gate once more."""

    def focus_title(self) -> None:
        """Put the focus where reading begins."""


class SettingAside(QObject, OneSheet[Sheet]):
    """For the gate that a pane shows.

    Signals:
        put_off(str): it is snoozed; what the bar says, with Undo.
        refused(str, Trouble): the gate, and why nothing came of it.
        print_wanted(): put it on paper.
    """

    put_off = Signal(str)
    refused = Signal(str, object)
    print_wanted = Signal()

    def __init__(self, over: QWidget, shown: Shown, bridge: Bridge, clock: Clock) -> None:
        """`over` and `shown` are the same thing: where sheets open, and what is set aside."""
        super().__init__(over)
        self._over, self._shown, self._bridge, self._clock = over, shown, bridge, clock

    def ways(self) -> list[tuple[str, str]]:
        """What can be done with the gate that is shown: key and words."""
        session = self._shown.session
        if session is None or session.reading.seen.gate_id != self._shown.gate_id:
            return []
        seen = session.reading.seen
        if not session.reading.open:
            return [(PRINT, _CALLED[PRINT])]
        elsewhere = words.waits_for(seen.document, seen.me)
        keys = [TAKE] if elsewhere else [SNOOZE if seen.asleep_until is None else WAKE]
        return [(key, _CALLED[key]) for key in (*keys, GIVE, PRINT)]

    def open_menu(self, below: QWidget) -> None:
        """“More”: everything that is no decision."""
        menu = QMenu(below)
        menu.setFont(font())
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.setAccessibleName("More")
        for key, called in self.ways():
            action = QAction(keyless(called), menu)
            action.setData(key)
            menu.addAction(action)
        menu.triggered.connect(self._chosen)
        menu.popup(below.mapToGlobal(QPoint(0, -menu.sizeHint().height())))

    @Slot(object)
    def do(self, way: object) -> None:
        """One of the ways, if it is open at this moment."""
        if way not in [key for key, _ in self.ways()] or self.sheet is not None:
            return
        acts = {SNOOZE: self.snooze, WAKE: self.wake, GIVE: self.give, TAKE: self.take, PRINT: self.print_wanted.emit}
        acts[str(way)]()

    @Slot()
    def snooze(self) -> None:
        """Ask until when."""
        session = self._shown.session
        if session is not None:
            due = times.iso_instant(str(session.reading.seen.document.get("due_at")))
            sheet = SnoozeSheet(self._over, self._clock.now_us(), due)
            sheet.chosen.connect(functools.partial(self._snooze, self._shown.gate_id))
            self.open_sheet(sheet)

    @Slot()
    def wake(self) -> None:
        """See it again now."""
        gate_id = self._shown.gate_id
        self._ask(lambda office: office.wake(gate_id), self._looked)

    @Slot()
    def give(self) -> None:
        """Ask to whom."""
        gate_id = self._shown.gate_id
        self._ask(lambda office: office.people(gate_id), functools.partial(self._known, gate_id))

    @Slot()
    def take(self) -> None:
        """It is for oneself from now on."""
        gate_id = self._shown.gate_id
        self._ask(lambda office: office.take(gate_id), self._looked)

    @Slot(QAction)
    def _chosen(self, action: QAction) -> None:
        self.do(action.data())

    def _snooze(self, gate_id: str, until: object) -> None:
        at = int(str(until))
        self._ask(lambda office: office.snooze(gate_id, at), functools.partial(self._snoozed, gate_id, at))

    def _snoozed(self, gate_id: str, until: int, _none: object) -> None:
        if gate_id == self._shown.gate_id:
            self.put_off.emit(f"{words.until(until, self._clock.now_us())}.")
            self._shown.focus_title()  # the bar has other buttons now, and Ctrl+Z is for whoever is in this pane
            self._shown.look()

    def _known(self, gate_id: str, people: tuple[Person, ...]) -> None:
        """Who can be asked; the person may look at another gate by now."""
        if self.sheet is None and gate_id == self._shown.gate_id:
            sheet = GiveSheet(self._over, people)
            sheet.given.connect(functools.partial(self._give, gate_id))
            self.open_sheet(sheet)

    def _give(self, gate_id: str, person: Person, why: str) -> None:
        self._ask(lambda office: office.give(gate_id, person.principal, why), self._looked)

    def _looked(self, _none: object) -> None:
        self._shown.look()

    def _ask(self, act: Callable[[Office], T], done: Callable[[T], None]) -> None:
        """Do it, off this thread; what is refused is told of its own gate."""
        self._bridge.ask(self, act, done, functools.partial(self.refused.emit, self._shown.gate_id))
