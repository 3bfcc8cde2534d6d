"""The badge: a shield and a word. Pressed, it says exactly what the level means."""

from __future__ import annotations

from PySide6.QtCore import QPoint, Slot
from PySide6.QtWidgets import QToolTip

from counterfoil.desktop.parts.buttons import Button
from counterfoil.desktop.theme import font
from counterfoil.policy import protection
from counterfoil.policy.protection import NONE


class ProtectionBadge(Button):
    """The level of a run, by the mark that it keeps."""

    def __init__(self, mark: str = NONE.code) -> None:
        super().__init__("", "quiet", icon=shield(mark))
        self.setFont(font(12))
        self.show_mark(mark)
        self.clicked.connect(self._tell)

    def show_mark(self, mark: str) -> None:
        """Another level."""
        self._sentence = protection.sentence(mark)
        word = protection.badge(mark)
        self.set_kind("quiet", shield(mark))
        self.say(word, f"Protected: {word}")
        self.setToolTip(self._sentence)
        self.setAccessibleDescription(self._sentence)

    @Slot()
    def _tell(self) -> None:
        QToolTip.showText(self.mapToGlobal(QPoint(0, self.height())), self._sentence, self)


def shield(mark: str) -> str:
    """The icon of a level."""
    return "shield-off" if protection.code_of(mark) == NONE.code else "shield"
