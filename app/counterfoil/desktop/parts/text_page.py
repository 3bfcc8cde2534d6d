"""A text as it is, sign by sign, in its own lines: read, marked and copied, never written in."""

from __future__ import annotations

from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import QPlainTextEdit

from counterfoil.desktop.theme import font

_MOST = 20  # lines that stand on the page; more are scrolled
_PADDED = 12  # pixels that the stylesheet puts above and below


class TextPage(QPlainTextEdit):
    """As high as its lines, up to 20 of them, with room for a scroll bar below."""

    def __init__(self, text: str, name: str) -> None:
        super().__init__(text)
        self.setReadOnly(True)
        self.setProperty("bare", True)
        self.setTabChangesFocus(True)
        self.setFont(font(12, mono=True))
        self.setAccessibleName(name)
        self.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.setFrameShape(QPlainTextEdit.Shape.NoFrame)
        spacing, bar = QFontMetrics(self.font()).lineSpacing(), self.horizontalScrollBar().sizeHint().height()
        around = 2 * round(self.document().documentMargin()) + _PADDED
        self.setFixedHeight(min(_MOST, text.count("\n") + 1) * spacing + around + bar)
