"""Pairs of name and value as people compare them: what was, above what is, marked with signs and colours; nothing shortened."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QGridLayout, QWidget

from counterfoil.desktop.gate.facts import Fact
from counterfoil.desktop.parts.labels import Prose, role_font
from counterfoil.desktop.parts.layouts import TOP, column, put, row
from counterfoil.desktop.theme import colour, current, font

NARROWEST, WIDEST = 104, 176  # pixels of the names
_ABOVE = 3  # pixels of colour above a marked value, by which its name is lower, too


class FactsGrid(QWidget):
    """Names at the left, values at the right, where each comes from below it; before and now stand on the colours of a change."""

    def __init__(self, facts: Sequence[Fact]) -> None:
        super().__init__()
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(12)
        grid.setVerticalSpacing(5)
        grid.setColumnStretch(1, 1)
        names = [QFontMetrics(role_font("small")).horizontalAdvance(fact.name) + 4 for fact in facts]
        wide = min(max(names, default=0), WIDEST)
        for at, fact in enumerate(facts):
            label = Prose(fact.name, "small", leading=19 / 12)
            label.setFixedWidth(max(wide, NARROWEST))
            held = QWidget()
            put(column(held, margins=(0, _ABOVE if fact.mark else 0, 0, 0)), label)
            grid.addWidget(held, at, 0, TOP)
            grid.addWidget(_value(fact), at, 1)
        self.setAccessibleName("; ".join(f"{fact.name}: {fact.value}" for fact in facts))


def _value(fact: Fact) -> QWidget:
    shown: QWidget = Changed(fact.value, fact.mark) if fact.mark else Prose(fact.value, "body")
    shown.setAccessibleDescription(fact.name)
    if not fact.source:
        return shown
    held = QWidget()
    lines = column(held, gap=1)
    put(lines, shown, Prose(fact.source, "caption", leading=1.35))
    return held


class Changed(QWidget):
    """A value on the ground of what is gone (−) or what is new (+), with an edge and its sign."""

    def __init__(self, value: str, sign: str) -> None:
        super().__init__()
        self._sign = sign
        line = row(self, margins=(24, _ABOVE, 8, _ABOVE))
        text = Prose(value, "medium")
        text.setFont(font(13, 500, figures=True))
        line.addWidget(text, 1)
        self.setAccessibleName(f"{'removed' if sign == '−' else 'added'}: {value}")

    def paintEvent(self, event: QPaintEvent) -> None:
        tokens = current()
        gone = self._sign == "−"
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(colour(tokens.gone if gone else tokens.add))
        painter.drawRoundedRect(QRectF(self.rect()), 4, 4)
        ink = colour(tokens.bad if gone else tokens.ok)
        painter.setBrush(ink)
        painter.drawRoundedRect(QRectF(0, 0, 3, self.height()), 1.5, 1.5)
        painter.setPen(ink)
        painter.setFont(font(13, 600, mono=True))
        painter.drawText(QRectF(8, 3, 14, 19), Qt.AlignmentFlag.AlignCenter, self._sign)
        painter.end()
