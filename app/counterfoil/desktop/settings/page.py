"""The page with its tabs. Each is made and loaded when it is first looked at."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QSettings, Signal, Slot
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QStackedWidget, QWidget

from counterfoil.clock import Clock
from counterfoil.desktop.bridge import Bridge
from counterfoil.desktop.commands import Command
from counterfoil.desktop.office import Changes
from counterfoil.desktop.parts.boxes import Pane, Rule
from counterfoil.desktop.parts.labels import Label
from counterfoil.desktop.parts.layouts import page_head, put, row
from counterfoil.desktop.parts.tabs import Tabs
from counterfoil.desktop.settings.background import BackgroundTab
from counterfoil.desktop.settings.general import GeneralTab
from counterfoil.desktop.settings.health import HealthTab
from counterfoil.desktop.settings.notices import NoticesTab
from counterfoil.desktop.settings.setting_tab import SettingTab
from counterfoil.desktop.settings.storage import StorageTab
from counterfoil.desktop.settings_facts import TABS

_MADE: dict[str, Callable[[Bridge], SettingTab]] = {
    "general": GeneralTab,
    "notifications": NoticesTab,
    "background": BackgroundTab,
    "storage": StorageTab,
    "health": HealthTab,
}


class SettingsPage(Pane):
    """Tabs below one title.

    Signals:
        look_chosen(str): for the frame: system, light or dark.
    """

    look_chosen = Signal(str)

    def __init__(self, bridge: Bridge, clock: Clock) -> None:
        super().__init__("panel")
        self._bridge = bridge
        self._look = "system"
        self._made: dict[str, SettingTab] = {}
        head = page_head(Label("Settings", "page"), None)
        self.tabs = Tabs(TABS, "Settings page")
        self.tabs.picked.connect(self.show_tab)
        band = row(margins=(16, 0, 24, 0))
        put(band, self.tabs, None)
        self.stack = QStackedWidget()
        self.put(head, band, Rule())
        self.lines.addWidget(self.stack, 1)
        self.show_tab("general")

    @property
    def tab(self) -> SettingTab:
        """The tab that is shown."""
        return self._made[self.tabs.chosen]

    @Slot(str)
    def show_tab(self, key: str) -> None:
        """Show a tab; it is made when it is first wanted."""
        if key not in self._made:
            made = _MADE[key](self._bridge)
            self._made[key] = made
            self.stack.addWidget(made)
            if isinstance(made, GeneralTab):
                made.look_chosen.connect(self.look_chosen)
                made.show_look(self._look)
            made.load()
        elif key != "health":  # which takes seconds, and has a button
            self._made[key].load()
        self.tabs.choose(key)
        self.stack.setCurrentWidget(self._made[key])

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

    def find_here(self) -> None:
        """Ctrl+F goes to the first thing of the tab."""
        self.tab.focus_first()

    def commands(self) -> list[Command]:
        """Its tabs are offered before it is made."""
        return []

    def panes(self) -> list[QWidget]:
        """Where F6 goes, in order."""
        return [self.tabs, *self.tab.stops()]
