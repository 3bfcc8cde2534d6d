"""The steps on the screen: one column with a rail, 44 pixels a row, waits as gaps, restarts as dashed lines."""

from __future__ import annotations

import functools
from typing import Any

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPointF, QRect, QSize, Qt, Signal, Slot
from PySide6.QtGui import QFontMetrics, QKeyEvent, QMouseEvent, QPainter, QPen, QResizeEvent
from PySide6.QtWidgets import QListView, QStyle, QStyledItemDelegate, QStyleOptionViewItem

from counterfoil.desktop import icons
from counterfoil.desktop.parts.painted_rows import paint_rows
from counterfoil.desktop.runs.steps import GAP, RESTART, STEP, StepLine
from counterfoil.desktop.tables.adapter import Index
from counterfoil.desktop.tables.fitting import broken
from counterfoil.desktop.theme import colour, current, font
from counterfoil.desktop.tokens import STEP_ROW, Tokens
from counterfoil.desktop.words.runs import glyph, step_name

_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_RAIL, _INDENT = 18, 22
_LINE, _RESTART_INSET = 18, 40
_BESIDE = 24  # pixels right of the texts, a scroll bar among them: they end where the page's other parts do
_WIDEST = 9  # no sign of these fonts is wider, in pixels


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
        if role == Qt.ItemDataRole.ToolTipRole and line.kind == STEP and not line.group:
            return "What is kept of it: Enter, Space or a double click"
        return line if role == Qt.ItemDataRole.UserRole else None


class StepsView(QListView):
    """The list of lines.

    Signals:
        folded(str): a person opened or closed parallel work; its branch.
        opened(StepLine): a person wants to see what is kept of a step.
    """

    folded = Signal(str)
    opened = Signal(object)

    def __init__(self, adapter: StepsAdapter) -> None:
        super().__init__()
        self.adapter = adapter
        self.setModel(adapter)
        paint_rows(self, StepDelegate(self), "Steps")
        self.setUniformItemSizes(True)
        adapter.modelReset.connect(self._measure)
        adapter.dataChanged.connect(self._measure)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._measure()

    def room(self) -> int:
        """How wide a line may be, in pixels."""
        return self.width() - _BESIDE

    @Slot()
    def _measure(self) -> None:
        """Rows are asked for their heights only where one of them may need more than two lines: thousands need not be measured."""
        room, exact = self.room() - 3 * _RAIL, self.adapter.exact
        longest = (_told(line, exact=exact) for line in self.adapter.lines)
        grows = any(sum(map(len, told)) * _WIDEST > room for told in longest)
        if grows or not self.uniformItemSizes():
            self.setUniformItemSizes(not grows)
            self.scheduleDelayedItemsLayout()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        opens = (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space, Qt.Key.Key_Right, Qt.Key.Key_Left)
        if event.key() in opens and self._fold(self.currentIndex()):
            return
        plain = event.modifiers() in (Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.KeypadModifier)
        if event.key() in opens[:3] and plain:
            self._show(self.currentIndex())
            return
        super().keyPressEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        super().mouseReleaseEvent(event)
        self._fold(self.indexAt(event.position().toPoint()))

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        super().mouseDoubleClickEvent(event)
        self._show(self.indexAt(event.position().toPoint()))

    def _show(self, index: QModelIndex) -> None:
        line = index.data(Qt.ItemDataRole.UserRole) if index.isValid() else None
        if isinstance(line, StepLine) and line.kind == STEP and not line.group:
            self.opened.emit(line)

    def _fold(self, index: QModelIndex) -> bool:
        line = index.data(Qt.ItemDataRole.UserRole) if index.isValid() else None
        if isinstance(line, StepLine) and line.group:
            self.folded.emit(line.group)
            return True
        return False


class StepDelegate(QStyledItemDelegate):
    """One line."""

    def __init__(self, view: StepsView) -> None:
        super().__init__(view)
        self._view = view

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        line = index.data(Qt.ItemDataRole.UserRole)
        if self._view.uniformItemSizes() or not isinstance(line, StepLine):
            return QSize(200, STEP_ROW)
        return QSize(200, STEP_ROW + _LINE * _more_lines(line, self._view.room(), exact=self._view.adapter.exact))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        line = index.data(Qt.ItemDataRole.UserRole)
        if not isinstance(line, StepLine):
            return
        tokens = current()
        box = QRect(option.rect)
        box.setWidth(self._view.room())
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
    middle = _beside(box)
    for level in range(depth + 1):
        x = box.left() + _RAIL + level * _INDENT
        top = middle if first and level == depth else box.top()
        bottom = middle if last and level == depth else box.bottom() + 1
        painter.drawLine(QPointF(x, top), QPointF(x, bottom))


def _beside(box: QRect) -> int:
    """How far down the mark of a row stands: beside its first lines, as its time does, however many follow."""
    return QRect(box.left(), box.top(), box.width(), STEP_ROW).center().y()


def _step(painter: QPainter, box: QRect, line: StepLine, tokens: Tokens, *, exact: bool) -> None:
    name, tone, _ = glyph(line.state)
    x = box.left() + _RAIL + line.depth * _INDENT
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(colour(tokens.panel))
    middle = _beside(box)
    painter.drawEllipse(QPointF(x, middle + 0.5), 10, 10)
    ratio = painter.device().devicePixelRatioF()
    painter.drawPixmap(round(x) - 8, middle - 8, icons.pixmap(name, getattr(tokens, tone), 16, ratio))
    painter.setFont(font(12, figures=True))
    painter.setPen(colour(tokens.text3))
    titles, below, left, room, tail = _texts(line, box.width(), exact=exact)
    left += box.left()
    top = box.top() + (4 if below or len(titles) > 1 else (STEP_ROW - 20) // 2)
    painter.drawText(QRect(left, box.top(), box.right() + 1 - left, STEP_ROW), _RIGHT, tail)
    if line.group:
        mark = "chevron-right" if line.folded else "chevron-down"
        painter.drawPixmap(left - 20, box.top() + (6 if below else 14), icons.pixmap(mark, tokens.text2, 16, ratio))
    painter.setFont(font(13, 500))
    painter.setPen(colour(tokens.text))
    for part in titles:
        painter.drawText(QRect(left, top, room, 20), _LEFT, part)
        top += _LINE
    painter.setFont(font(11, mono=True) if exact else font(12, figures=True))
    painter.setPen(colour(tokens.text2))
    for part in below:
        painter.drawText(QRect(left, top, room, 19), _LEFT, part)
        top += _LINE


def _told(line: StepLine, *, exact: bool) -> tuple[str, str, str]:
    """Title, what stands below it, and what stands at the right."""
    title = _headed(line)
    tail = "   ".join(part for part in (line.once, line.cost, line.took, line.at) if part)
    return title, line.exact if exact else line.summary, tail


def _headed(line: StepLine) -> str:
    """The title with the word of its state, unless that is said already."""
    word = glyph(line.state)[2]
    if line.kind != STEP or line.state == "done" or line.once == word or line.title == step_name("cancelled"):
        return line.title
    return "Waiting" if line.title == step_name("sleep") and line.state == "waiting" else f"{line.title} ({word})"


@functools.lru_cache(maxsize=2048)
def _parts(title: str, below: str, room: int, exact: bool) -> tuple[tuple[str, ...], tuple[str, ...]]:
    under = QFontMetrics(font(11, mono=True) if exact else font(12, figures=True))
    lines = broken(below, room, under.horizontalAdvance) if below else []
    return tuple(broken(title, room, _metrics(13, 500).horizontalAdvance)), tuple(lines)


def _texts(line: StepLine, width: int, *, exact: bool) -> tuple[tuple[str, ...], tuple[str, ...], int, int, str]:
    """The lines of the title, the lines below it, where they begin, how wide they may be, and what stands at the right."""
    title, below, tail = _told(line, exact=exact)
    left = _RAIL + line.depth * _INDENT + (40 if line.group else 20)
    room = max(width - left - _metrics(12, 400).horizontalAdvance(tail) - 16, 80)
    titles, under = _parts(title, below, room, exact)
    return titles, under, left, room, tail


def _more_lines(line: StepLine, width: int, *, exact: bool) -> int:
    """How many lines a row needs beyond the two it has room for."""
    if line.kind == RESTART:
        return len(_restart_lines(line.title, width)) - 1
    if line.kind != STEP:
        return 0
    titles, below, *_ = _texts(line, width, exact=exact)
    return max(0, len(titles) + len(below) - 2)


def _gap(painter: QPainter, box: QRect, line: StepLine, tokens: Tokens) -> None:
    x = box.left() + _RAIL + line.depth * _INDENT
    painter.setFont(font(12))
    painter.setPen(colour(tokens.text3))
    painter.drawText(QRect(x + 20, box.top(), box.width() - 60, box.height()), _LEFT, line.title)


def _restart(painter: QPainter, box: QRect, line: StepLine, tokens: Tokens) -> None:
    """A dashed line over the whole width with its sentence in it."""
    painter.setFont(font(12, 500, figures=True))
    parts = _restart_lines(line.title, box.width())
    middle = box.center().y()
    pen = QPen(colour(tokens.info), 1)
    pen.setDashPattern([4, 4])
    painter.setPen(pen)
    start = box.left() + _RESTART_INSET
    end = start + max(map(_metrics(12, 500).horizontalAdvance, parts)) + 10
    painter.drawLine(QPointF(box.left(), middle), QPointF(start - 10, middle))
    if end < box.right():
        painter.drawLine(QPointF(end, middle), QPointF(box.right(), middle))
    painter.setPen(colour(tokens.info))
    top = middle - len(parts) * _LINE // 2
    for number, part in enumerate(parts):
        painter.drawText(QRect(start, top + number * _LINE, box.width() - start, _LINE), _LEFT, part)


def _restart_lines(title: str, width: int) -> list[str]:
    return broken(title, max(width - _RESTART_INSET - 24, 80), _metrics(12, 500).horizontalAdvance)


@functools.cache
def _metrics(size: int, weight: int) -> QFontMetrics:
    return QFontMetrics(font(size, weight, figures=True))
