"""A page whose tabs stand below one title. Each is made when it is first looked at."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from PySide6.QtCore import Slot
from PySide6.QtWidgets import QStackedWidget, QWidget

from counterfoil.desktop.bridge import Bridge
from counterfoil.desktop.parts.boxes import Pane, Rule
from counterfoil.desktop.parts.labels import Label
from counterfoil.desktop.parts.layouts import page_head, put, row
from counterfoil.desktop.parts.loaded_tab import LoadedTab
from counterfoil.desktop.parts.tabs import Tabs


class TabbedPage(Pane):
    """The title, the tabs and what stands below them. Who makes one shows its first tab."""

    def __init__(
        self,
        bridge: Bridge,
        title: str,
        tabs: Sequence[tuple[str, str]],
        makers: Mapping[str, Callable[[Bridge], LoadedTab]],
    ) -> None:
        super().__init__("panel")
        self._bridge, self._makers = bridge, makers
        self._made: dict[str, LoadedTab] = {}
        self.tabs = Tabs(tabs, f"{title} page")
        self.tabs.picked.connect(self.show_tab)
        band = row(margins=(16, 0, 24, 0))
        put(band, self.tabs, None)
        self.stack = QStackedWidget()
        self.put(page_head(Label(title, "page"), None), band, Rule())
        self.lines.addWidget(self.stack, 1)

    @property
    def tab(self) -> LoadedTab:
        """The tab that is shown."""
        return self._made[self.tabs.chosen]

    @Slot(str)
    def show_tab(self, key: str) -> None:
        """Show a tab; it is made when it is first wanted."""
        if key not in self._made:
            made = self._made[key] = self._makers[key](self._bridge)
            self.stack.addWidget(made)
            self.begin(made)
        self.tabs.choose(key)
        self.stack.setCurrentWidget(self._made[key])

    def begin(self, made: LoadedTab) -> None:
        """A tab is there: have it load."""
        raise NotImplementedError

    def find_here(self) -> None:
        """Ctrl+F goes to the first thing of the tab."""
        self.tab.focus_first()

    def panes(self) -> list[QWidget]:
        """Where F6 goes, in order."""
        return [self.tabs, *self.tab.stops()]
