"""Storage: where the data folder is, what is in it by size, and the room that is left."""

from __future__ import annotations

from PySide6.QtCore import Slot
from PySide6.QtWidgets import QVBoxLayout

from counterfoil.desktop.bridge import Bridge
from counterfoil.desktop.parts.boxes import Rule
from counterfoil.desktop.parts.buttons import Button
from counterfoil.desktop.parts.labels import Label, Prose
from counterfoil.desktop.parts.layouts import RIGHT, TOP, column, empty, put, row
from counterfoil.desktop.parts.show_folder import show_folder
from counterfoil.desktop.settings.setting_tab import SettingTab, card
from counterfoil.desktop.settings_facts import StorageSeen
from counterfoil.desktop.theme import font
from counterfoil.desktop.words.numbers import size
from counterfoil.desktop.words.plain import one_line


class StorageTab(SettingTab):
    """Two cards."""

    def __init__(self, bridge: Bridge) -> None:
        super().__init__(bridge, "Looking at every file of the data folder")
        self._root, self._room = Prose("", "body"), Prose("", "small")
        self._parts: QVBoxLayout = column(gap=10)
        self._where = ""

    def load(self) -> None:
        """Look again."""
        self.ask(lambda office: office.settings.storage(), self._arrived, slow=True)

    def _arrived(self, seen: StorageSeen) -> None:
        if not self.made():
            show = Button("Show folder", icon="folder-open", name="Show the data folder")
            show.clicked.connect(self._show)
            line = row(gap=8)
            put(line, show, None)
            cards = (
                card("Data folder", "", self._root, self._room, line),
                card("What it holds", "", self._parts),
            )
            self.fill(cards, found=True)
        self._where = seen.root
        self.stack.setCurrentIndex(1)
        self._root.say(one_line(seen.root))
        self._room.say(f"{size(seen.free)} of {size(seen.disk)} are free where it lies.")
        self._show_parts(seen)

    def _show_parts(self, seen: StorageSeen) -> None:
        empty(self._parts)
        for part in seen.parts:
            self._put(part.name, part.means, part.size, "strong")
            put(self._parts, Rule())
        self._put("Together", "", seen.total, "strong")

    def _put(self, name: str, means: str, octets: int, role: str) -> None:
        line = row(gap=12)
        texts = column(gap=2)
        put(texts, Label(name, role))
        if means:
            put(texts, Prose(means, "small"))
        line.addLayout(texts, 1)
        figure = Label(size(octets), "medium")
        figure.setFont(font(13, 500, figures=True))
        figure.setAccessibleName(f"{name}: {size(octets)}")
        line.addWidget(figure, 0, TOP | RIGHT)
        put(self._parts, line)

    @Slot()
    def _show(self) -> None:
        show_folder(self._where)
