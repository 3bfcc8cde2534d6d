"""The steps on the screen: one column with a rail, 44 pixels a row, waits as gaps, restarts as dashed lines."""

from __future__ import annotations

import functools
from typing import Any

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPointF, QRect, QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QKeyEvent, QMouseEvent, QPainter, QPen
from PySide6.QtWidgets import QAbstractItemView, QListView, QStyle, QStyledItemDelegate, QStyleOptionViewItem

from counterfoil.desktop import icons
from counterfoil.desktop.runs.steps import GAP, RESTART, StepLine
from counterfoil.desktop.tables.adapter import Index
from counterfoil.desktop.theme import colour, current, font
from counterfoil.desktop.tokens import STEP_ROW, Tokens
from counterfoil.desktop.words.runs import glyph

_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_RAIL, _INDENT = 18, 22


class StepsAdapter(QAbstractListModel):
    """Lines in order."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.lines: list[StepLine] = []
        self.exact = False

    def show_lines(self, lines: list[StepLine], *, exact: bool) -> None:
        """Show these."""
        if len(lines) == len(self.lines) and exact == self.exact:
            self.lines = lines
            if lines:
                self.dataChanged.emit(self.index(0), self.index(len(lines) - 1))
            return
        self.beginResetModel()
        self.lines, self.exact = lines, exact
        self.endResetModel()

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's signature
        return 0 if parent.isValid() else len(self.lines)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid() or index.row() >= len(self.lines):
            return None
        line = self.lines[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return line.title
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return f"{line.spoken}. {line.exact}" if self.exact and line.exact else line.spoken
        return line if role == Qt.ItemDataRole.UserRole else None


class StepsView(QListView):
    """The list of lines.

    Signals:
        folded(str): a person opened or closed parallel work; its branch.
    """

    folded = Signal(str)

    def __init__(self, adapter: StepsAdapter) -> None:
        super().__init__()
        self.adapter = adapter
        self.setModel(adapter)
        self.setItemDelegate(StepDelegate(self))
        self.setUniformItemSizes(True)
        self.setAccessibleName("Steps")
        self.setProperty("rows", "painted")
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        opens = (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space, Qt.Key.Key_Right, Qt.Key.Key_Left)
        if event.key() in opens and self._fold(self.currentIndex()):
            return
        super().keyPressEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        super().mouseReleaseEvent(event)
        self._fold(self.indexAt(event.position().toPoint()))

    def _fold(self, index: QModelIndex) -> bool:
        line = index.data(Qt.ItemDataRole.UserRole) if index.isValid() else None
        if isinstance(line, StepLine) and line.group:
            self.folded.emit(line.group)
            return True
        return False


class StepDelegate(QStyledItemDelegate):
    """One line."""

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(200, STEP_ROW)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        line = index.data(Qt.ItemDataRole.UserRole)
        if not isinstance(line, StepLine):
            return
        tokens = current()
        box: QRect = option.rect
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if option.state & QStyle.StateFlag.State_Selected and line.kind not in (GAP, RESTART):
            painter.fillRect(box, colour(tokens.accent_soft))
        if line.kind == RESTART:
            _restart(painter, box, line, tokens)
        else:
            model = index.model()
            last = index.row() == model.rowCount() - 1
            _rail(painter, box, line.depth, tokens, first=index.row() == 0, last=last, gap=line.kind == GAP)
            if line.kind == GAP:
                _gap(painter, box, line, tokens)
            else:
                _step(painter, box, line, tokens, exact=isinstance(model, StepsAdapter) and model.exact)
        painter.restore()


def _rail(painter: QPainter, box: QRect, depth: int, tokens: Tokens, *, first: bool, last: bool, gap: bool) -> None:
    pen = QPen(colour(tokens.border_strong), 2)
    if gap:
        pen.setStyle(Qt.PenStyle.DotLine)
    painter.setPen(pen)
    middle = box.center().y()
    for level in range(depth + 1):
        x = box.left() + _RAIL + level * _INDENT
        top = middle if first and level == depth else box.top()
        bottom = middle if last and level == depth else box.bottom() + 1
        painter.drawLine(QPointF(x, top), QPointF(x, bottom))


def _step(painter: QPainter, box: QRect, line: StepLine, tokens: Tokens, *, exact: bool) -> None:
    name, tone, word = glyph(line.state)
    x = box.left() + _RAIL + line.depth * _INDENT
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(colour(tokens.panel))
    painter.drawEllipse(QPointF(x, box.center().y() + 0.5), 10, 10)
    ratio = painter.device().devicePixelRatioF()
    painter.drawPixmap(round(x) - 8, box.center().y() - 8, icons.pixmap(name, getattr(tokens, tone), 16, ratio))
    left, right = round(x) + 20, box.right() - 14
    painter.setFont(font(12, figures=True))
    painter.setPen(colour(tokens.text3))
    tail = "   ".join(part for part in (line.once, line.took, line.at) if part)
    painter.drawText(QRect(left, box.top(), right - left, box.height()), _RIGHT, tail)
    room = right - left - _metrics(12, 400).horizontalAdvance(tail) - 16
    below = line.exact if exact else line.summary
    if line.group:
        mark = "chevron-right" if line.folded else "chevron-down"
        painter.drawPixmap(left, box.top() + (6 if below else 14), icons.pixmap(mark, tokens.text2, 16, ratio))
        left, room = left + 20, room - 20
    high = 20 if below else box.height()
    top = box.top() + (4 if below else 0)
    painter.setFont(font(13, 500))
    painter.setPen(colour(tokens.text))
    title = line.title if line.state == "done" else f"{line.title} ({word})"
    painter.drawText(
        QRect(left, top, room, high), _LEFT, _metrics(13, 500).elidedText(title, Qt.TextElideMode.ElideRight, room)
    )
    if below:
        painter.setFont(font(11, mono=True) if exact else font(12, figures=True))
        painter.setPen(colour(tokens.text2))
        metrics = QFontMetrics(painter.font())
        painter.drawText(
            QRect(left, top + 18, room, 19), _LEFT, metrics.elidedText(below, Qt.TextElideMode.ElideRight, room)
        )


def _gap(painter: QPainter, box: QRect, line: StepLine, tokens: Tokens) -> None:
    x = box.left() + _RAIL + line.depth * _INDENT
    painter.setFont(font(12))
    painter.setPen(colour(tokens.text3))
    painter.drawText(QRect(x + 20, box.top(), box.width() - 60, box.height()), _LEFT, line.title)


def _restart(painter: QPainter, box: QRect, line: StepLine, tokens: Tokens) -> None:
    """A dashed line over the whole width with its sentence in it."""
    painter.setFont(font(12, 500, figures=True))
    width = _metrics(12, 500).horizontalAdvance(line.title)
    middle = box.center().y()
    pen = QPen(colour(tokens.info), 1)
    pen.setDashPattern([4, 4])
    painter.setPen(pen)
    start = box.left() + 40
    painter.drawLine(QPointF(box.left(), middle), QPointF(start - 10, middle))
    if start + width + 10 < box.right():
        painter.drawLine(QPointF(start + width + 10, middle), QPointF(box.right(), middle))
    painter.setPen(colour(tokens.info))
    painter.drawText(QRect(start, box.top(), box.width() - 40, box.height()), _LEFT, line.title)


@functools.cache
def _metrics(size: int, weight: int) -> QFontMetrics:
    return QFontMetrics(font(size, weight, figures=True))
