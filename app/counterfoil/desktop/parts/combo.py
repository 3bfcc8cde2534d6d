"""A choice out of a list, with the sign that there is one: a style sheet cannot draw it without a file."""

from __future__ import annotations

from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QComboBox

from counterfoil.desktop import icons
from counterfoil.desktop.theme import current

_ROOM = 24


class Combo(QComboBox):
    """Qt's combo box with a chevron."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.setAccessibleName(name)

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        painter = QPainter(self)
        tone = current().text2 if self.isEnabled() else current().text3
        place = (self.width() - _ROOM, (self.height() - 14) // 2)
        painter.drawPixmap(*place, icons.pixmap("chevron-down", tone, 14, self.devicePixelRatioF()))
        painter.end()
