"""A box to tick: a real tick in it, which a style sheet cannot draw without a file, and words beside it that break where they must."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetrics, QKeySequence, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QCheckBox, QSizePolicy

from counterfoil.desktop import icons
from counterfoil.desktop.theme import colour, current, font

BOX, GAP, HIGH = 16, 8, 24
_WRAP = Qt.TextFlag.TextWordWrap | Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop


class Tick(QCheckBox):
    """One box with its words."""

    def __init__(self, words: str) -> None:
        super().__init__(words)
        self.setShortcut(QKeySequence())  # an ampersand in a name makes no key
        self.setAccessibleName(words)
        self.setFont(font())
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Minimum)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        return max(HIGH, self._words_in(width).height() + 6)

    def sizeHint(self) -> QSize:
        return QSize(BOX + GAP + QFontMetrics(self.font()).horizontalAdvance(self.text()) + 2, HIGH)

    def minimumSizeHint(self) -> QSize:
        return QSize(BOX + GAP + 60, HIGH)

    def hitButton(self, pos: QPoint) -> bool:
        return self.rect().contains(pos)

    def paintEvent(self, event: QPaintEvent) -> None:
        tokens = current()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        able, ticked = self.isEnabled(), self.isChecked()
        edge = tokens.border_strong if not able else tokens.accent if ticked else tokens.border_input
        ground = tokens.accent if ticked and able else tokens.hover if not able else tokens.panel
        painter.setPen(QPen(colour(edge), 1))
        painter.setBrush(colour(ground))
        box = QRectF(0.5, 4.5, BOX - 1, BOX - 1)
        painter.drawRoundedRect(box, 4, 4)
        if ticked:
            ink = tokens.on_accent if able else tokens.text2
            painter.drawPixmap(2, 6, icons.pixmap("check", ink, 12, self.devicePixelRatioF()))
        painter.setPen(colour(tokens.text if able else tokens.text2))
        painter.setFont(self.font())
        painter.drawText(self._words_in(self.width()), _WRAP, self.text())
        painter.end()

    def _words_in(self, width: int) -> QRect:
        room = QRect(BOX + GAP, 4, max(width - BOX - GAP, 1), 10_000)
        return QFontMetrics(self.font()).boundingRect(room, int(_WRAP), self.text())
