"""The page with its tabs. Each is made and loaded when it is first looked at."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Signal, Slot
from PySide6.QtGui import QShowEvent

from counterfoil.clock import Clock
from counterfoil.desktop.bridge import Bridge
from counterfoil.desktop.commands import Command
from counterfoil.desktop.office import Changes, Part
from counterfoil.desktop.parts.loaded_tab import LoadedTab
from counterfoil.desktop.parts.tabbed_page import TabbedPage
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


class TrustPage(TabbedPage):
    """Tabs below one title.

    Signals:
        run_wanted(str): for the frame.
    """

    run_wanted = Signal(object)

    def __init__(self, bridge: Bridge, clock: Clock) -> None:
        super().__init__(bridge, "Connectors", TABS, _MADE)
        self._workspace: str | None = None
        self._stale: set[str] = set()
        self.show_tab("connectors")

    @Slot(str)
    def show_tab(self, key: str) -> None:
        super().show_tab(key)
        self._refresh()

    def begin(self, made: LoadedTab) -> None:
        made.choose_workspace(self._workspace)

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

    def commands(self) -> list[Command]:
        """The tabs, by name."""
        return [Command("trust", words, key) for key, words in TABS]
