"""What a month has cost, a bar for each day; the same figures are told to a screen reader."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from counterfoil.desktop.theme import colour, current, font
from counterfoil.desktop.trust_facts import Spend
from counterfoil.desktop.words.numbers import money

_HEIGHT, _FOOT = 96, 18
_LEAST = 2  # pixels of a day that has cost anything


class SpendChart(QWidget):
    """Bars with the first and the last day below, and the highest at its bar."""

    def __init__(self, spend: Spend) -> None:
        super().__init__()
        self._spend = spend
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        told = [f"{day.day} {day:%b}: {money(amount, spend.currency)}" for day, amount in spend.days if amount]
        self.setAccessibleName(f"{spend.words} By day: {'; '.join(told) or 'nothing'}.")
        self.setToolTip("\n".join(told[-12:]))

    def sizeHint(self) -> QSize:
        return QSize(400, _HEIGHT)

    def paintEvent(self, event: QPaintEvent) -> None:
        tokens, days = current(), self._spend.days
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        highest = max((amount for _, amount in days), default=0)
        room = self.height() - _FOOT - 16
        step = self.width() / max(len(days), 1)
        painter.setPen(Qt.PenStyle.NoPen)
        for at, (_, amount) in enumerate(days):
            high = max(float(amount / highest) * room, _LEAST) if amount and highest else 1.0
            painter.setBrush(colour(tokens.accent if amount else tokens.border_strong))
            painter.drawRoundedRect(QRectF(at * step + 2, 16 + room - high, max(step - 4, 2), high), 2, 2)
        painter.setFont(font(11, 500, figures=True))
        painter.setPen(colour(tokens.text3))
        foot = self.rect().adjusted(2, self.height() - _FOOT, -2, 0)
        if days:
            painter.drawText(
                foot, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, f"{days[0][0].day} {days[0][0]:%b}"
            )
            painter.drawText(
                foot, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, f"{days[-1][0].day} {days[-1][0]:%b}"
            )
        if highest:
            top = next(at for at, (_, amount) in enumerate(days) if amount == highest)
            words = f"{money(days[top][1], self._spend.currency)} on {days[top][0].day} {days[top][0]:%b}"
            wide = painter.fontMetrics().horizontalAdvance(words) + 4
            left = min(max(top * step + step / 2 - wide / 2, 0), self.width() - wide)
            painter.drawText(QRectF(left, 0, wide, 14), Qt.AlignmentFlag.AlignCenter, words)
        painter.end()
