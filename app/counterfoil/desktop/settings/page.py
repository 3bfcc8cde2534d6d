"""The page with its tabs. Each is made and loaded when it is first looked at."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QSettings, Signal, Slot
from PySide6.QtGui import QShowEvent

from counterfoil.clock import Clock
from counterfoil.desktop.bridge import Bridge
from counterfoil.desktop.commands import Command
from counterfoil.desktop.office import Changes
from counterfoil.desktop.parts.loaded_tab import LoadedTab
from counterfoil.desktop.parts.tabbed_page import TabbedPage
from counterfoil.desktop.settings.background import BackgroundTab
from counterfoil.desktop.settings.general import GeneralTab
from counterfoil.desktop.settings.health import HealthTab
from counterfoil.desktop.settings.notices import NoticesTab
from counterfoil.desktop.settings.storage import StorageTab
from counterfoil.desktop.settings_facts import TABS

_MADE: dict[str, Callable[[Bridge], LoadedTab]] = {
    "general": GeneralTab,
    "notifications": NoticesTab,
    "background": BackgroundTab,
    "storage": StorageTab,
    "health": HealthTab,
}


class SettingsPage(TabbedPage):
    """Tabs below one title.

    Signals:
        look_chosen(str): for the frame: system, light or dark.
    """

    look_chosen = Signal(str)

    def __init__(self, bridge: Bridge, clock: Clock) -> None:
        super().__init__(bridge, "Settings", TABS, _MADE)
        self._look = "system"
        self.show_tab("general")

    @Slot(str)
    def show_tab(self, key: str) -> None:
        again = key in self._made and key != "health"  # which takes seconds, and has a button
        super().show_tab(key)
        if again:
            self.tab.load()

    def begin(self, made: LoadedTab) -> None:
        if isinstance(made, GeneralTab):
            made.look_chosen.connect(self.look_chosen)
            made.show_look(self._look)
        made.load()

    def show_look(self, mode: str) -> None:
        """What was chosen, here or elsewhere."""
        self._look = mode
        general = self._made.get("general")
        if isinstance(general, GeneralTab):
            general.show_look(mode)

    def remember(self, settings: QSettings) -> None:
        """Stand as it was left last time."""
        self.show_look(str(settings.value("look", "system")))

    def choose_workspace(self, path: str | None) -> None:
        """What is set holds for the whole home."""

    def changed(self, changes: Changes) -> None:
        """What is set is looked at when the page is shown: it must not move under somebody who is typing."""

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.show_tab(self.tabs.chosen)

    def commands(self) -> list[Command]:
        """Its tabs are offered before it is made."""
        return []
