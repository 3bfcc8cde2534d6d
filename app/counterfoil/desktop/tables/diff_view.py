"""Differences on the screen: a table of sign, line numbers and text, so that a screen reader reads it line by line."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetrics, QPainter, QResizeEvent, QWheelEvent
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QStyledItemDelegate, QStyleOptionViewItem, QTableView

from counterfoil.desktop.tables.adapter import Index
from counterfoil.desktop.theme import colour, current, font
from counterfoil.desktop.words.plain import plain
from counterfoil.previews.texts import DiffLine

LINE, NUMBERS, SIGN = 23, 40, 24
_BAR, _FOOT = 14, 8  # below the last line: a bar where lines go on at the side, else room for the card's round corners
_MOST = 16
_SPOKEN = {"+": "added", "−": "removed", " ": "unchanged", "…": ""}


class DiffAdapter(QAbstractTableModel):
    """One column: the line with everything that belongs to it."""

    def __init__(self, lines: list[DiffLine], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.lines = lines

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's signature
        return 0 if parent.isValid() else len(self.lines)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else 1

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid() or index.row() >= len(self.lines):
            return None
        line = self.lines[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return plain(line.text)
        if role == Qt.ItemDataRole.UserRole:
            return line
        if role == Qt.ItemDataRole.AccessibleTextRole:
            number = line.new or line.old
            where = f", line {number}" if number else ""
            return f"{_SPOKEN[line.sign]}{where}: {plain(line.text)}".lstrip(" ,:")
        return None


class DiffView(QTableView):
    """Shows lines; scrolls sideways, since breaking a line of a file would misstate it."""

    def __init__(self, lines: list[DiffLine], name: str) -> None:
        super().__init__()
        self._adapter = DiffAdapter(lines, self)
        self.setModel(self._adapter)
        self.setItemDelegate(DiffDelegate(self))
        self.setAccessibleName(name)
        self.setShowGrid(False)
        self.setTabKeyNavigation(False)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setCornerButtonEnabled(False)
        self.horizontalHeader().hide()
        self.verticalHeader().hide()
        self.verticalHeader().setMinimumSectionSize(LINE)
        self.verticalHeader().setDefaultSectionSize(LINE)
        self.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        metrics = QFontMetrics(font(12, mono=True))
        longest = max(lines, key=lambda line: len(line.text), default=None)
        wide = metrics.horizontalAdvance(plain(longest.text)) if longest else 0
        self._wide = 2 * NUMBERS + SIGN + wide + 10
        self.setColumnWidth(0, self._wide)
        self.horizontalHeader().setStretchLastSection(True)
        self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        """As high as the lines, with a bar below them only where one is needed."""
        below = _BAR if self._wide > self.viewport().width() else _FOOT
        self.setFixedHeight(min(len(self._adapter.lines), _MOST) * LINE + below)

    def wheelEvent(self, event: QWheelEvent) -> None:
        if self.verticalScrollBar().maximum() == 0 and not event.angleDelta().x():
            event.ignore()
            return
        super().wheelEvent(event)


class DiffDelegate(QStyledItemDelegate):
    """Edge, numbers, sign, marked words."""

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(200, LINE)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        line = index.data(Qt.ItemDataRole.UserRole)
        if not isinstance(line, DiffLine):
            return
        tokens = current()
        box: QRect = option.rect
        painter.save()
        ground, mark, ink = {
            "+": (tokens.add, tokens.add_mark, tokens.ok),
            "−": (tokens.gone, tokens.gone_mark, tokens.bad),
        }.get(line.sign, ("", "", tokens.text3))
        if ground:
            painter.fillRect(box, colour(ground))
            painter.fillRect(QRect(box.left(), box.top(), 3, box.height()), colour(ink))
        painter.setFont(font(12, mono=True))
        painter.setPen(colour(tokens.text3))
        side = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        for at, number in enumerate((line.old, line.new)):
            if number:
                painter.drawText(QRect(box.left() + at * NUMBERS, box.top(), NUMBERS - 6, LINE), side, str(number))
        start = box.left() + 2 * NUMBERS
        painter.setPen(colour(ink))
        if line.sign in "+−":
            painter.drawText(QRect(start, box.top(), 20, LINE), Qt.AlignmentFlag.AlignCenter, line.sign)
        text = QRect(start + SIGN, box.top(), box.width(), LINE)
        metrics = QFontMetrics(font(12, mono=True))
        for begin, length in line.marks:
            left = text.left() + metrics.horizontalAdvance(plain(line.text[:begin]))
            wide = metrics.horizontalAdvance(plain(line.text[begin : begin + length]))
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(colour(mark))
            painter.drawRoundedRect(QRectF(left - 1, box.top() + 2, wide + 2, LINE - 4), 3, 3)
        painter.setPen(colour(tokens.text if ground else tokens.text2 if line.sign == " " else tokens.text3))
        painter.drawText(text, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, plain(line.text))
        painter.restore()
