"""A table in a page: as high as its rows, cells that break instead of being cut, flagged rows first, copy in full.

The delegate paints from cached fonts; heights and breaks are worked out once per width, never while painting.
"""

from __future__ import annotations

import functools

from PySide6.QtCore import QEvent, QPoint, QRect, QRectF, Qt, Signal, Slot
from PySide6.QtGui import (
    QAction,
    QContextMenuEvent,
    QFontMetrics,
    QGuiApplication,
    QKeyEvent,
    QKeySequence,
    QPainter,
    QPen,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QMenu,
    QSizePolicy,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from counterfoil.desktop import icons
from counterfoil.desktop.tables.adapter import Index, Role, TableAdapter
from counterfoil.desktop.tables.fitting import PADDING, Measure, broken, widths
from counterfoil.desktop.tables.table import Column, Line, as_lines
from counterfoil.desktop.theme import colour, current, font
from counterfoil.desktop.tokens import TABLE_ROW

LINE, NOTE_LINE, HEAD, BOX = 18, 20, 36, 62
_WHOLE = 40  # up to so many rows a table is shown whole, beyond it scrolls in itself
_WINDOW = 14
_EXACT = 600  # up to so many rows each row gets its own height


class TableView(QTableView):
    """Shows one table.

    Signals:
        opened(int): Enter or a double click on a row; its number from 1.
    """

    opened = Signal(int)

    def __init__(self, adapter: TableAdapter, name: str, *, window: int = _WINDOW) -> None:
        super().__init__()
        self.adapter = adapter
        adapter.setParent(self)
        self._window = window
        self._fitted = -1
        self._painter = CellDelegate(self)
        self.setModel(adapter)
        self.setItemDelegate(self._painter)
        self.setAccessibleName(name)
        self.setFont(font(13, figures=True))
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setTabKeyNavigation(False)
        self.setCornerButtonEnabled(False)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.verticalHeader().hide()
        self.verticalHeader().setMinimumSectionSize(24)
        head = self.horizontalHeader()
        head.setFont(font(12, 500))
        head.setFixedHeight(HEAD)
        head.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        head.setHighlightSections(False)
        head.setSectionsClickable(True)
        head.setSortIndicatorShown(False)
        head.setAccessibleName(f"{name}, columns")
        head.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._sorted: tuple[int, bool] | None = None
        head.sectionClicked.connect(self._sort)
        adapter.modelReset.connect(self._refit)
        self.activated.connect(self._activated)
        self.setMinimumHeight(HEAD + TABLE_ROW)

    def refit(self) -> None:
        """Work out widths and heights for the room there is."""
        room = self.viewport().width()
        if room < 40 or room == self._fitted:
            return
        self._fitted = room
        self._refit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.refit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Copy):
            self.copy_rows()
            return
        if event.key() == Qt.Key.Key_Space and self.adapter.holdable and self.currentIndex().isValid():
            box = self.adapter.index(self.currentIndex().row(), 0)
            ticked = self.adapter.data(box, Qt.ItemDataRole.CheckStateRole) == Qt.CheckState.Checked
            self.adapter.setData(
                box, Qt.CheckState.Unchecked if ticked else Qt.CheckState.Checked, Qt.ItemDataRole.CheckStateRole
            )
            return
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and event.modifiers() != Qt.KeyboardModifier.NoModifier:
            event.ignore()  # Ctrl+Enter belongs to the page
            return
        super().keyPressEvent(event)

    def wheelEvent(self, event: QWheelEvent) -> None:
        if self.verticalScrollBar().maximum() == 0:
            event.ignore()  # the page scrolls
            return
        super().wheelEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        index = self.indexAt(self.viewport().mapFrom(self, event.pos()))
        if not index.isValid():
            return
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        value = QAction("Copy value", menu)
        value.setData(index.data())
        value.triggered.connect(self._copy_value)
        rows = QAction("Copy rows", menu)
        rows.triggered.connect(self.copy_rows)
        menu.addActions([value, rows])
        menu.popup(event.globalPos())

    @Slot()
    def copy_rows(self) -> None:
        """The selected rows, else all, tab-separated and in full."""
        rows = sorted({index.row() for index in self.selectionModel().selectedRows()})
        lines = [self.adapter.lines[row] for row in rows] or self.adapter.lines
        QGuiApplication.clipboard().setText(as_lines(self.adapter.table.columns, lines))

    @Slot()
    def _copy_value(self) -> None:
        action = self.sender()
        if isinstance(action, QAction):
            QGuiApplication.clipboard().setText(str(action.data()))

    @Slot()
    def _refit(self) -> None:
        offset = 1 if self.adapter.holdable else 0
        room = max(self.viewport().width() - (BOX if offset else 0), 40)
        columns, lines = self.adapter.table.columns, self.adapter.lines
        fitted = widths(columns, lines, room, _measure_strong, _measure_head)
        if offset:
            self.setColumnWidth(0, BOX)
        for at, width in enumerate(fitted):
            self.setColumnWidth(at + offset, width)
        heights = self._heights(columns, lines, fitted)
        for at, height in enumerate(heights):
            self.setRowHeight(at, height)
        shown = heights if len(heights) <= _WHOLE else heights[: self._window]
        self.setFixedHeight(HEAD + sum(shown) + 2)
        self._painter.forget()

    def _heights(self, columns: tuple[Column, ...], lines: list[Line], fitted: list[int]) -> list[int]:
        if len(lines) > _EXACT:
            high = max((self._height(columns, line, fitted) for line in lines[:50]), default=TABLE_ROW)
            longest = [max(lines, key=lambda line: len(line.texts[at])) for at in range(len(columns))]
            return [max(high, *(self._height(columns, line, fitted) for line in longest))] * len(lines)
        return [self._height(columns, line, fitted) for line in lines]

    def _height(self, columns: tuple[Column, ...], line: Line, fitted: list[int]) -> int:
        most = 1
        for at, text in enumerate(line.texts):
            if columns[at].kind != "amount" and len(text) * 5 > fitted[at] - PADDING:
                most = max(most, len(broken(text, fitted[at] - PADDING, _measure_for(at))))
        note = len(broken(line.note, fitted[0] - PADDING - 18, _measure_note)) * NOTE_LINE if line.note else 0
        return max(TABLE_ROW, most * LINE + note + 16)

    @Slot(int)
    def _sort(self, section: int) -> None:
        if self._sorted == (section, False):
            self._sorted = (section, True)
        elif self._sorted == (section, True):
            self._sorted = None
        else:
            self._sorted = (section, False)
        head = self.horizontalHeader()
        head.setSortIndicatorShown(self._sorted is not None)
        column, descending = self._sorted or (-1, False)
        order = Qt.SortOrder.DescendingOrder if descending else Qt.SortOrder.AscendingOrder
        head.setSortIndicator(column, order)
        self.adapter.sort(column, order)

    @Slot("QModelIndex")
    def _activated(self, index: Index) -> None:
        line = index.data(Role.LINE)
        if isinstance(line, Line) and not line.total:
            self.opened.emit(line.number)


class CellDelegate(QStyledItemDelegate):
    """Paints cells: broken lines, a note under the first, a hairline below each row."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._broken: dict[tuple[str, int, int], list[str]] = {}

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
        painter.setPen(QPen(colour(tokens.border), 1))
        painter.drawLine(box.bottomLeft(), box.bottomRight())
        state = index.data(Qt.ItemDataRole.CheckStateRole)
        if state is not None:
            _draw_box(painter, box, ticked=Qt.CheckState(state) == Qt.CheckState.Checked)
        elif isinstance(line, Line) and index.data() is not None:
            self._cell(painter, box, index, line)
        painter.restore()

    def editorEvent(self, event: QEvent, model: object, option: QStyleOptionViewItem, index: Index) -> bool:
        """A click anywhere in the box's cell ticks it."""
        if event.type() == QEvent.Type.MouseButtonRelease and isinstance(model, TableAdapter):
            state = index.data(Qt.ItemDataRole.CheckStateRole)
            if state is not None:
                ticked = Qt.CheckState(state) == Qt.CheckState.Checked
                model.setData(
                    index, Qt.CheckState.Unchecked if ticked else Qt.CheckState.Checked, Qt.ItemDataRole.CheckStateRole
                )
                return True
        return False

    def _cell(self, painter: QPainter, box: QRect, index: Index, line: Line) -> None:
        tokens = current()
        model = index.model()
        first = index.column() == (1 if isinstance(model, TableAdapter) and model.holdable else 0)
        kind = index.data(Role.KIND)
        strong = first or line.total or kind == "amount"
        painter.setFont(font(13, 600 if line.total or kind == "amount" else 500 if first else 400, figures=True))
        painter.setPen(colour(tokens.text if strong else tokens.text2))
        inner = box.adjusted(PADDING // 2, 0, -PADDING // 2, 0)
        parts = self._parts(str(index.data()), inner.width(), 0 if strong else 1, kind)
        notes = self._parts(line.note, inner.width() - 18, 2, "text") if first and line.note else []
        top = box.top() + (box.height() - len(parts) * LINE - len(notes) * NOTE_LINE) // 2
        side = Qt.AlignmentFlag.AlignRight if kind == "amount" else Qt.AlignmentFlag.AlignLeft
        for at, part in enumerate(parts):
            painter.drawText(
                QRect(inner.left(), top + at * LINE, inner.width(), LINE), side | Qt.AlignmentFlag.AlignVCenter, part
            )
        if notes:
            _draw_note(painter, QPoint(inner.left(), top + len(parts) * LINE), inner.width(), notes)

    def _parts(self, text: str, width: int, which: int, kind: object) -> list[str]:
        if kind == "amount":
            return [text]
        key = (text, width, which)
        found = self._broken.get(key)
        if found is None:
            measure = (_measure_strong, _measure_plain, _measure_note)[which]
            found = self._broken[key] = broken(text, width, measure)
        return found


def _draw_note(painter: QPainter, at: QPoint, width: int, notes: list[str]) -> None:
    tokens = current()
    ratio = painter.device().devicePixelRatioF()
    painter.drawPixmap(at.x(), at.y() + 3, icons.pixmap("triangle-alert", tokens.warn, 14, ratio))
    painter.setFont(font(12, 500))
    painter.setPen(colour(tokens.warn))
    for number, note in enumerate(notes):
        spot = QRect(at.x() + 18, at.y() + number * NOTE_LINE, width - 18, NOTE_LINE)
        painter.drawText(spot, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, note)


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


def _measure_strong(text: str) -> int:
    return _metrics(13, 600).horizontalAdvance(text)


def _measure_plain(text: str) -> int:
    return _metrics(13, 400).horizontalAdvance(text)


def _measure_note(text: str) -> int:
    return QFontMetrics(font(12, 500)).horizontalAdvance(text)


def _measure_head(text: str) -> int:
    return _metrics(12, 500).horizontalAdvance(text) + 14  # room for the sort mark


def _measure_for(column: int) -> Measure:
    return _measure_strong if column == 0 else _measure_plain
