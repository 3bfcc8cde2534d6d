"""A table in a page: as high as its rows, cells that break instead of being cut, flagged rows first, copy in full.

Heights and breaks are worked out once per width, never while painting.
"""

from __future__ import annotations

from PySide6.QtCore import QSettings, Qt, QTimer, Signal, Slot
from PySide6.QtGui import (
    QAction,
    QContextMenuEvent,
    QGuiApplication,
    QKeyEvent,
    QKeySequence,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QMenu, QSizePolicy, QTableView, QWidget

from counterfoil.desktop.parts.labels import Prose
from counterfoil.desktop.parts.layouts import column, put, row
from counterfoil.desktop.parts.panes import as_width
from counterfoil.desktop.tables.adapter import Index, Role, TableAdapter
from counterfoil.desktop.tables.cells import BOX, CellDelegate, measure_head, measure_strong, row_height
from counterfoil.desktop.tables.fitting import Fit, fit, placed
from counterfoil.desktop.tables.table import Line, as_lines
from counterfoil.desktop.theme import font
from counterfoil.desktop.tokens import TABLE_ROW

HEAD = 36
_WHOLE = 40  # up to so many rows a table is shown whole, beyond it scrolls in itself
_WINDOW = 14
_MEASURED = 40  # rows of a long table whose height is worked out
_NARROWEST = 60
_EXACT = 600  # up to so many rows each row gets its own height


class TableView(QTableView):
    """Shows one table.

    Signals:
        opened(int): Enter, Space (where it holds no row) or a double click on a row; its number from 1.
    """

    opened = Signal(int)

    def __init__(self, adapter: TableAdapter, name: str, *, window: int = _WINDOW) -> None:
        super().__init__()
        self.adapter = adapter
        adapter.setParent(self)
        self._window = window
        self._fitted = -1
        self._fills = False
        self.fit = Fit((), (), ())
        self.caption = Prose("", "caption")
        self._captioned = False
        self._below: QWidget | None = None
        self._chosen: dict[str, int] = {}  # widths by hand, by the column's title
        self._settings: QSettings | None = None
        self._key = ""
        self._fitting = False  # widths are being set here, by nobody's hand
        self._soon = QTimer(self, singleShot=True, interval=0)
        self._soon.timeout.connect(self._refit)
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
        self._sorted: tuple[int, bool] | None = None
        self._make_head(name)
        adapter.modelReset.connect(self._refit)
        adapter.rowsInserted.connect(self._came)
        adapter.rowsRemoved.connect(self._went)
        self.activated.connect(self._activated)
        self.setMinimumHeight(HEAD + TABLE_ROW)

    def _make_head(self, name: str) -> None:
        head = self.horizontalHeader()
        head.setFont(font(12, 500))
        head.setFixedHeight(HEAD)
        head.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        head.setHighlightSections(False)
        head.setSectionsClickable(True)
        head.setSortIndicatorShown(False)
        head.setAccessibleName(f"{name}, columns")
        head.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        head.sectionClicked.connect(self._sort)

    def captioned(self) -> QWidget:
        """The table with what its rows have in common below it."""
        self._captioned = True
        held = QWidget()
        lines = column(held)
        put(lines, self)
        self._below = QWidget()  # the margins go with what stands in them
        put(row(self._below, margins=(10, 4, 10, 10)), self.caption)
        put(lines, self._below)
        self._below.hide()
        return held

    def fill_room(self) -> None:
        """Take the room there is and scroll inside, instead of being as high as the rows."""
        self._fills = True
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)

    def remember(self, settings: QSettings, key: str) -> None:
        """Let a person pull the columns wider and narrower, and keep that under `key`."""
        self._settings, self._key = settings, key
        titles = [column.title for column in self.adapter.table.columns]
        kept = {title: as_width(settings.value(f"{key}/{title}")) for title in titles}
        self._chosen = {title: width for title, width in kept.items() if width}
        head = self.horizontalHeader()
        head.setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        head.setMinimumSectionSize(_NARROWEST)
        head.sectionResized.connect(self._pulled)
        if self._fitted > 0:
            self._refit()

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
            self.adapter.toggle(self.adapter.index(self.currentIndex().row(), 0))
            return
        if event.key() == Qt.Key.Key_Space and event.modifiers() == Qt.KeyboardModifier.NoModifier:
            self._activated(self.currentIndex())
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
        table, lines = self.adapter.table, self.adapter.lines
        columns = table.columns
        alike = table.alike if self._captioned else frozenset()
        self.fit = placed(fit(columns, table.sample, room, measure_strong, measure_head, alike), self._chosen)
        self._fitting = True
        if self._below is not None:
            told = f"In every row · {self.fit.once(lines[0])}" if lines and self.fit.told_once else ""
            self.caption.say(told)
            self._below.setVisible(bool(told))
        if offset:
            self.setColumnWidth(0, BOX)
        for at in range(len(columns)):
            self.setColumnHidden(at + offset, at not in self.fit.kept)
        for at, width in zip(self.fit.kept, self.fit.widths, strict=True):
            self.setColumnWidth(at + offset, width)
        self._fitting = False
        heights = self._heights(lines)
        many = len(heights) > _EXACT
        usual = TABLE_ROW if not heights else heights[0] if many else max(set(heights), key=heights.count)
        self.verticalHeader().setDefaultSectionSize(usual)  # one call, however many rows there are
        for at, height in enumerate(() if many else heights):
            if self.rowHeight(at) != height:
                self.setRowHeight(at, height)
        shown = heights if len(heights) <= _WHOLE else heights[: self._window]
        if not self._fills:
            self.setFixedHeight(HEAD + sum(shown))
        self._painter.forget()

    def _heights(self, lines: list[Line]) -> list[int]:
        if len(lines) > _EXACT:
            sample = self.adapter.table.sample
            some = [*sample[:_MEASURED], *sample[-len(self.fit.columns) - 2 :]]  # the longest stand last
            return [max(row_height(self.fit, line) for line in some)] * len(lines)
        return [row_height(self.fit, line) for line in lines]

    @Slot("QModelIndex", int, int)
    def _came(self, _parent: Index, first: int, last: int) -> None:
        """Rows came in: they take the widths there are, so that nothing moves sideways."""
        if not self._fills or len(self.adapter.lines) > _EXACT:
            self._refit()
            return
        for at in range(first, last + 1):
            self.setRowHeight(at, row_height(self.fit, self.adapter.lines[at]))

    @Slot("QModelIndex", int, int)
    def _went(self, _parent: Index, _first: int, _last: int) -> None:
        if not self._fills:
            self._refit()

    @Slot(int, int, int)
    def _pulled(self, section: int, _before: int, width: int) -> None:
        """A person moved the edge of a column: the others make room once the event loop comes round."""
        at = section - (1 if self.adapter.holdable else 0)
        if not self._fitting and at >= 0 and self._settings is not None:
            title = self.adapter.table.columns[at].title
            self._chosen[title] = width
            self._settings.setValue(f"{self._key}/{title}", width)
            self._soon.start()

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
