"""The page with its tabs. Each is made and loaded when it is first looked at."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Signal, Slot
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QStackedWidget, QWidget

from counterfoil.clock import Clock
from counterfoil.desktop.bridge import Bridge
from counterfoil.desktop.commands import Command
from counterfoil.desktop.office import Changes, Part
from counterfoil.desktop.parts.boxes import Pane, Rule
from counterfoil.desktop.parts.labels import Label
from counterfoil.desktop.parts.layouts import column, page_head, put, row
from counterfoil.desktop.parts.loaded_tab import LoadedTab
from counterfoil.desktop.parts.tabs import Tabs
from counterfoil.desktop.trust.connectors import ConnectorsTab
from counterfoil.desktop.trust.memory import MemoryTab
from counterfoil.desktop.trust.permissions import PermissionsTab
from counterfoil.desktop.trust.routes import RoutesTab

TABS = (("connectors", "Connectors"), ("routes", "Routes"), ("permissions", "Permissions"), ("memory", "Memory"))
_MADE: dict[str, Callable[[Bridge], LoadedTab]] = {
    "connectors": ConnectorsTab,
    "routes": RoutesTab,
    "permissions": PermissionsTab,
    "memory": MemoryTab,
}


class TrustPage(Pane):
    """Tabs below one title.

    Signals:
        run_wanted(str): for the frame.
    """

    run_wanted = Signal(object)

    def __init__(self, bridge: Bridge, clock: Clock) -> None:
        super().__init__("panel")
        self._bridge = bridge
        self._workspace: str | None = None
        self._made: dict[str, LoadedTab] = {}
        self._stale: set[str] = set()
        head = page_head(Label("Connectors", "page"), None)
        self.tabs = Tabs(TABS, "Connectors page")
        self.tabs.picked.connect(self.show_tab)
        band = row(margins=(16, 0, 24, 0))
        put(band, self.tabs, None)
        self.stack = QStackedWidget()
        lines = column()
        put(lines, head, band, Rule())
        lines.addWidget(self.stack, 1)
        self.lines.addLayout(lines, 1)
        self.show_tab("connectors")

    @property
    def tab(self) -> LoadedTab:
        """The tab that is shown."""
        return self._made[self.tabs.chosen]

    @Slot(str)
    def show_tab(self, key: str) -> None:
        """Show a tab; it is made when it is first wanted."""
        if key not in self._made:
            made = _MADE[key](self._bridge)
            self._made[key] = made
            self.stack.addWidget(made)
            made.choose_workspace(self._workspace)
        self.tabs.choose(key)
        self.stack.setCurrentWidget(self._made[key])
        self._refresh()

    def choose_workspace(self, path: str | None) -> None:
        """Show one workspace, or all."""
        self._workspace = path
        for tab in self._made.values():
            tab.choose_workspace(path)

    def changed(self, changes: Changes) -> None:
        """Look again where it concerns this page, if it is shown."""
        if changes.parts & {Part.TRUST}:
            self._stale.update(self._made)
            self._refresh()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._refresh()

    def _refresh(self) -> None:
        if self.isVisible() and self.tabs.chosen in self._stale:
            self._stale.discard(self.tabs.chosen)
            self.tab.load()

    def find_here(self) -> None:
        """Ctrl+F goes to the first thing of the tab."""
        self.tab.focus_first()

    def commands(self) -> list[Command]:
        """The tabs, by name."""
        return [Command("trust", words, key) for key, words in TABS]

    def panes(self) -> list[QWidget]:
        """Where F6 goes, in order."""
        return [self.tabs, *self.tab.stops()]
