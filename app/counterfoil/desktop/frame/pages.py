"""The pages by name, each imported and made when it is first wanted, so that the window is there before anything else is loaded."""

from __future__ import annotations

import importlib
from typing import Protocol

from PySide6.QtCore import QObject, QTimer, Slot
from PySide6.QtWidgets import QWidget

from counterfoil.clock import Clock
from counterfoil.desktop.bridge import Bridge
from counterfoil.desktop.commands import Command
from counterfoil.desktop.office import Changes

_AHEAD = 700  # milliseconds between two pages that are imported
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
    """Imports what the other pages are made of, and has the office load what answers them, one page after the other while nobody waits,
    so that going there does not wait for it."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.bridge: Bridge | None = None
        self.left = [name for name in reversed(PAGES) if name != "inbox"]
        self._turns = QTimer(self, interval=_AHEAD)
        self._turns.timeout.connect(self.turn)

    @Slot()
    def start(self) -> None:
        """The first page has its rows."""
        self._turns.start()

    @Slot()
    def turn(self) -> None:
        """Import one; after the last there are no more turns."""
        if self.left:
            name = self.left.pop()
            importlib.import_module(PAGES[name][0])
            if self.bridge is not None:
                self.bridge.ask(self, lambda office: office.load_ahead(name), _nothing, _nothing, slow=True)
        else:
            self._turns.stop()


def _nothing(_what: object) -> None:
    """Whoever goes there is told what was wrong."""


def make(name: str, bridge: Bridge, clock: Clock) -> QWidget:
    """The page of a name."""
    module, kind = PAGES[name]
    page: QWidget = getattr(importlib.import_module(module), kind)(bridge, clock)
    return page
