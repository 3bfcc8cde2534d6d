"""Tabs of a page: Qt's own tab bar, because it tells a screen reader what it is, painted quietly: words and an underline."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRect, QSize, Qt, Signal, Slot
from PySide6.QtGui import QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QTabBar

from counterfoil.desktop.theme import colour, current, font

HEIGHT = 38


class Tabs(QTabBar):
    """Named tabs.

    Signals:
        picked(str): a person chose this one.
    """

    picked = Signal(str)

    def __init__(self, tabs: Sequence[tuple[str, str]], name: str) -> None:
        super().__init__()
        self._keys = [key for key, _ in tabs]
        self.setAccessibleName(name)
        self.setDrawBase(False)
        self.setExpanding(False)
        self.setUsesScrollButtons(False)
        self.setElideMode(Qt.TextElideMode.ElideNone)
        self.setFont(font(13, 500))
        for _, words in tabs:
            self.addTab(words)
        self.currentChanged.connect(self._changed)

    @property
    def chosen(self) -> str:
        """The key of the current tab."""
        return self._keys[self.currentIndex()] if self.currentIndex() >= 0 else ""

    def choose(self, key: str) -> None:
        """Show a tab without saying that a person chose it."""
        self.blockSignals(True)
        self.setCurrentIndex(self._keys.index(key))
        self.blockSignals(False)
        self.update()

    def tabSizeHint(self, index: int) -> QSize:
        return QSize(QFontMetrics(self.font()).horizontalAdvance(self.tabText(index)) + 24, HEIGHT)

    def paintEvent(self, event: QPaintEvent) -> None:
        tokens = current()
        painter = QPainter(self)
        for at in range(self.count()):
            box = self.tabRect(at)
            chosen = at == self.currentIndex()
            painter.setFont(font(13, 600 if chosen else 500))
            painter.setPen(colour(tokens.text if chosen else tokens.text2))
            painter.drawText(box, Qt.AlignmentFlag.AlignCenter, self.tabText(at))
            if chosen:
                painter.fillRect(QRect(box.left() + 12, box.bottom() - 1, box.width() - 24, 2), colour(tokens.accent))
        painter.end()

    @Slot(int)
    def _changed(self, index: int) -> None:
        if 0 <= index < len(self._keys):
            self.picked.emit(self._keys[index])
