"""Cells painted from cached fonts: broken lines, and below a row what has no column of its own.

What stands below runs across the whole row: columns that were folded for want of room, then the note with its sign.
"""

from __future__ import annotations

import functools

from PySide6.QtCore import QEvent, QRect, QRectF, Qt
from PySide6.QtGui import QFontMetrics, QPainter, QPen
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem, QTableView

from counterfoil.desktop import icons
from counterfoil.desktop.tables.adapter import Index, Role, TableAdapter
from counterfoil.desktop.tables.fitting import PADDING, Fit, balanced, broken, packed
from counterfoil.desktop.tables.table import Line
from counterfoil.desktop.theme import colour, current, font
from counterfoil.desktop.tokens import TABLE_ROW
from counterfoil.desktop.words.values import NOTHING

LINE, NOTE_LINE, BOX = 18, 20, 46
_KNOWN = 20_000  # widths that need not be measured again
_SIGN = 18  # room for the sign before a note
_WHOLE_KINDS = ("amount", "number", "date")
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


class CellDelegate(QStyledItemDelegate):
    """Paints for one table view that has a `fit`."""

    def __init__(self, parent: QTableView) -> None:
        super().__init__(parent)
        self._view = parent
        self._broken: dict[tuple[str, int, int, bool], list[str]] = {}

    def forget(self) -> None:
        """Widths changed: breaks are worked out anew."""
        self._broken.clear()

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        tokens = current()
        box: QRect = option.rect
        line = index.data(Role.LINE)
        painter.save()
        if option.state & QStyle.StateFlag.State_Selected:
            painter.fillRect(box, colour(tokens.accent_soft))
        elif isinstance(line, Line) and line.total:
            painter.fillRect(box, colour(tokens.raised))
        if index.row() < index.model().rowCount() - 1:
            painter.setPen(QPen(colour(tokens.border), 1))
            painter.drawLine(box.bottomLeft(), box.bottomRight())
        if isinstance(line, Line):
            if line.flagged and index.column() == 0:
                painter.fillRect(QRect(box.left(), box.top(), 3, box.height()), colour(tokens.warn_edge))
            state = index.data(Qt.ItemDataRole.CheckStateRole)
            if state is not None:
                _draw_box(
                    painter,
                    box.adjusted(0, 0, 0, TABLE_ROW - box.height()),
                    ticked=Qt.CheckState(state) == Qt.CheckState.Checked,
                )
            elif index.data() is not None:
                self._cell(painter, box, index, line)
            fitted = self._fit()
            if fitted.kept and index.column() == fitted.kept[-1] + self._offset():
                self._below(painter, box, line, fitted)
        painter.restore()

    def editorEvent(self, event: QEvent, model: object, option: QStyleOptionViewItem, index: Index) -> bool:
        """A click anywhere in the box's cell ticks it."""
        if event.type() == QEvent.Type.MouseButtonRelease and isinstance(model, TableAdapter):
            state = index.data(Qt.ItemDataRole.CheckStateRole)
            if state is not None:
                model.toggle(index)
                return True
        return False

    def _cell(self, painter: QPainter, box: QRect, index: Index, line: Line) -> None:
        tokens = current()
        kind = str(index.data(Role.KIND))
        fitted, at = self._fit(), index.column() - self._offset()
        first, side = at == fitted.head, _RIGHT if fitted.columns[at].right else _LEFT
        nothing = index.data() == NOTHING
        strong = (first or line.total or kind == "amount") and not nothing
        weight = 600 if (line.total or kind == "amount") and not nothing else 500 if first else 400
        painter.setFont(font(13, weight, figures=True))
        painter.setPen(colour(tokens.text if strong else tokens.text3 if nothing else tokens.text2))
        inner = box.adjusted(PADDING // 2, 0, -PADDING // 2, 0)
        parts = self._parts(str(index.data()), inner.width(), 0 if strong else 1, kind)
        top = box.top() + (TABLE_ROW - LINE) // 2
        for number, part in enumerate(parts):
            spot = QRect(inner.left(), top + number * LINE, inner.width(), LINE)
            painter.drawText(spot, side, part)

    def _below(self, painter: QPainter, box: QRect, line: Line, fitted: Fit) -> None:
        """The last cell of a row paints what runs below all of them, so that no other paints over it."""
        tokens = current()
        height = below_height(fitted, line)
        if not height:
            return
        left = self._view.columnViewportPosition(self._offset()) + fitted.inset + PADDING // 2
        width = fitted.width - fitted.inset - PADDING
        top = box.bottom() - (TABLE_ROW - LINE) // 2 + 2 - height
        painter.setFont(font(13, figures=True))
        painter.setPen(colour(tokens.text2))
        for part in folded_lines(fitted, line):
            painter.drawText(QRect(left, top, width, LINE), _LEFT, part)
            top += LINE
        notes = note_lines(fitted, line)
        if notes:
            ratio = painter.device().devicePixelRatioF()
            painter.drawPixmap(left, top + 3, icons.pixmap("triangle-alert", tokens.warn, 14, ratio))
            painter.setFont(font(12, 500))
            painter.setPen(colour(tokens.warn))
        for note in notes:
            painter.drawText(QRect(left + _SIGN, top, width - _SIGN, NOTE_LINE), _LEFT, note)
            top += NOTE_LINE

    def _fit(self) -> Fit:
        fitted: Fit = self._view.fit  # type: ignore[attr-defined]
        return fitted

    def _offset(self) -> int:
        model = self._view.model()
        return 1 if isinstance(model, TableAdapter) and model.holdable else 0

    def _parts(self, text: str, width: int, which: int, kind: str) -> list[str]:
        if kind in _WHOLE_KINDS:
            return [text]
        key = (text, width, which, kind == "identifier")
        found = self._broken.get(key)
        if found is None:
            parted = balanced if kind == "identifier" else broken
            found = self._broken[key] = parted(text, width, measure_strong if which == 0 else measure_plain)
        return found


def row_height(fitted: Fit, line: Line) -> int:
    """How high a row must be for all of it to be read."""
    most = 1
    for at, width in zip(fitted.kept, fitted.widths, strict=True):
        text, room = line.texts[at], width - PADDING
        if fitted.columns[at].kind not in _WHOLE_KINDS and len(text) * 9 > room:
            most = max(most, len(broken(text, room, measure_strong if at == fitted.head else measure_plain)))
    return TABLE_ROW + (most - 1) * LINE + below_height(fitted, line)


def below_height(fitted: Fit, line: Line) -> int:
    """The height of what stands below the cells of a row."""
    return len(folded_lines(fitted, line)) * LINE + len(note_lines(fitted, line)) * NOTE_LINE


def folded_lines(fitted: Fit, line: Line) -> list[str]:
    """The folded columns as lines."""
    return packed(fitted.below(line), fitted.width - fitted.inset - PADDING, measure_plain) if fitted.folded else []


def note_lines(fitted: Fit, line: Line) -> list[str]:
    """The note as lines."""
    return broken(line.note, fitted.width - fitted.inset - PADDING - _SIGN, measure_note) if line.note else []


def _draw_box(painter: QPainter, cell: QRect, *, ticked: bool) -> None:
    tokens = current()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    spot = QRectF(cell.center().x() - 7.5, cell.center().y() - 7.5, 15, 15)
    painter.setPen(QPen(colour(tokens.warn if ticked else tokens.border_input), 1))
    painter.setBrush(colour(tokens.warn_soft if ticked else tokens.panel))
    painter.drawRoundedRect(spot, 3, 3)
    if ticked:
        ratio = painter.device().devicePixelRatioF()
        painter.drawPixmap(round(spot.x() + 1.5), round(spot.y() + 1.5), icons.pixmap("hand", tokens.warn, 12, ratio))


@functools.cache
def _metrics(size: int, weight: int) -> QFontMetrics:
    return QFontMetrics(font(size, weight, figures=True))


@functools.lru_cache(maxsize=_KNOWN)
def measure_strong(text: str) -> int:
    """Width in the font of a first column or a total."""
    return _metrics(13, 600).horizontalAdvance(text)


@functools.lru_cache(maxsize=_KNOWN)
def measure_plain(text: str) -> int:
    """Width in the font of other cells."""
    return _metrics(13, 400).horizontalAdvance(text)


@functools.lru_cache(maxsize=_KNOWN)
def measure_note(text: str) -> int:
    """Width in the font of notes."""
    return _metrics(12, 500).horizontalAdvance(text)


@functools.lru_cache(maxsize=_KNOWN)
def measure_head(text: str) -> int:
    """Width of a heading, with room for the sort mark."""
    return _metrics(12, 500).horizontalAdvance(text) + 14
