"""The pages by name. The window is there before any of them is loaded; what they are made of is loaded while nobody waits, and the pages
of many parts are made then, too."""

from __future__ import annotations

import importlib
from typing import Protocol

from PySide6.QtCore import QObject, QTimer, Slot
from PySide6.QtWidgets import QStackedWidget, QWidget

from counterfoil.clock import Clock
from counterfoil.desktop.bridge import Bridge
from counterfoil.desktop.commands import Command
from counterfoil.desktop.office import Changes

_AHEAD, PASSED = 200, 10  # milliseconds between two turns, and how many pass at most while somebody is at work
HEAVY = ("runs", "schedules")  # pages that take longer to make than a person should wait at a key
PAGES = {
    "inbox": ("counterfoil.desktop.inbox.page", "InboxPage"),
    "runs": ("counterfoil.desktop.runs.page", "RunsPage"),
    "templates": ("counterfoil.desktop.templates.page", "TemplatesPage"),
    "schedules": ("counterfoil.desktop.schedules.page", "SchedulesPage"),
    "connectors": ("counterfoil.desktop.trust.page", "TrustPage"),
    "trail": ("counterfoil.desktop.trail.page", "TrailPage"),
    "settings": ("counterfoil.desktop.settings.page", "SettingsPage"),
}


class Page(Protocol):
    """What the window asks of a page."""

    def choose_workspace(self, path: str | None) -> None:
        """Show one workspace, or all."""

    def changed(self, changes: Changes) -> None:
        """Something changed in the data folder."""

    def find_here(self) -> None:
        """Ctrl+F."""

    def commands(self) -> list[Command]:
        """What Ctrl+K can find on this page."""

    def panes(self) -> list[QWidget]:
        """Where F6 goes, in order."""


class Ahead(QObject):
    """Imports what the other pages are made of, has the office load what answers them, and makes the heavy ones, one thing after the other
    while nobody waits, so that going there does not wait for it. A page that is made lies in the stack unseen and asks nothing."""

    def __init__(self, clock: Clock, stack: QStackedWidget, parent: QObject) -> None:
        super().__init__(parent)
        self.bridge: Bridge | None = None
        self.left = [*(name for name in reversed(PAGES) if name not in ("inbox", *HEAVY)), *reversed(HEAVY)]
        self._clock, self._stack = clock, stack
        self._made: dict[str, QWidget] = {}
        self._heavy = set(HEAVY)  # nobody has gone there, so they are worth making
        self._to_make = ""
        self._passed = 0
        self._turns = QTimer(self, interval=_AHEAD)
        self._turns.timeout.connect(self._due)

    def page(self, name: str, bridge: Bridge) -> QWidget:
        """The page of a name, for the window to keep: as it was made ahead, else made now."""
        self._heavy.discard(name)
        return self._made.pop(name, None) or self._make(name, bridge)

    @Slot()
    def start(self) -> None:
        """The first page has its rows."""
        self._turns.start()

    @Slot()
    def _due(self) -> None:
        """Whoever is at work goes first: nothing here may be in the frame that shows a gate."""
        self._passed += 1
        if self.bridge is None or self.bridge.calm or self._passed > PASSED:
            self._passed = 0
            self.turn()

    def turn(self) -> None:
        """Import one, or make what was imported; after the last there are no more turns."""
        name, self._to_make = self._to_make, ""
        if name in self._heavy and self.bridge is not None:
            self._made[name] = self._make(name, self.bridge)
        elif self.left:
            self._load(self.left.pop())
        else:
            self._turns.stop()

    def _load(self, name: str) -> None:
        importlib.import_module(PAGES[name][0])
        if self.bridge is not None:
            self.bridge.ask(self, lambda office: office.load_ahead(name), _nothing, _nothing, slow=True)
        self._to_make = name

    def _make(self, name: str, bridge: Bridge) -> QWidget:
        module, kind = PAGES[name]
        page: QWidget = getattr(importlib.import_module(module), kind)(bridge, self._clock)
        self._stack.addWidget(page)
        return page


def _nothing(_what: object) -> None:
    """Whoever goes there is told what was wrong."""
