"""A search field: the glass is painted, so that no unnamed button stands in it; Esc empties it, Down goes into the list."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QLineEdit

from counterfoil.desktop import icons
from counterfoil.desktop.theme import current, font


class SearchField(QLineEdit):
    """Text to look for.

    Signals:
        left_down(): Down was pressed; the list takes over.
    """

    left_down = Signal()

    def __init__(self, name: str) -> None:
        super().__init__()
        self.setPlaceholderText(name)
        self.setAccessibleName(name)
        self.setFont(font(13))
        self.setTextMargins(22, 0, 0, 0)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and self.text():
            self.clear()
            return
        if event.key() == Qt.Key.Key_Down:
            self.left_down.emit()
            return
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and event.modifiers() != Qt.KeyboardModifier.NoModifier:
            event.ignore()
            return
        super().keyPressEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        painter = QPainter(self)
        mark = icons.pixmap("search", current().text3, 15, self.devicePixelRatioF())
        painter.drawPixmap(11, (self.height() - 15) // 2, mark)
        painter.end()
