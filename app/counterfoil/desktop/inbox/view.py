"""The view of the inbox list. A table with one column, because its row heights cost nothing: 10,000 rows show at once.

A list view asks its delegate for the size of every row as soon as two heights differ, which took 1.2 s for 10,000.
"""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, Qt, Signal, Slot
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView

from counterfoil.desktop.inbox.adapter import InboxAdapter
from counterfoil.desktop.inbox.delegate import InboxDelegate
from counterfoil.desktop.inbox.rows import Group
from counterfoil.desktop.parts.reading_on import is_reading_on
from counterfoil.desktop.tokens import GROUP_ROW, INBOX_ROW


class InboxView(QTableView):
    """Keys move over headings; Enter goes into the detail and decides nothing.

    Signals:
        shown(str): the current gate changed; its id.
        entered(): Enter on a row.
        reading(bool): Space reads on in the gate beside it; True: back.
        chosen(list): ids of the selected gates, when it is more than one, else an empty list.
    """

    shown = Signal(str)
    entered = Signal()
    reading = Signal(bool)
    several = Signal(list)

    def __init__(self, adapter: InboxAdapter) -> None:
        super().__init__()
        self.adapter = adapter
        self.setModel(adapter)
        self.setItemDelegate(InboxDelegate(self))
        self.setAccessibleName("Gates")
        self.setProperty("rows", "painted")
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setShowGrid(False)
        self.setTabKeyNavigation(False)
        self.setMouseTracking(True)
        self.setCornerButtonEnabled(False)
        self.horizontalHeader().hide()
        self.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        heights = self.verticalHeader()
        heights.hide()
        heights.setMinimumSectionSize(GROUP_ROW)
        heights.setDefaultSectionSize(INBOX_ROW)
        heights.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.verticalScrollBar().setSingleStep(INBOX_ROW // 3)
        adapter.modelAboutToBeReset.connect(self._unfit_rows)
        adapter.modelReset.connect(self.fit_rows)
        adapter.rowsInserted.connect(self._fit_new)
        self.selectionModel().currentRowChanged.connect(self._moved)
        self.selectionModel().selectionChanged.connect(self._selected)

    @Slot()
    def fit_rows(self) -> None:
        """Headings are lower than rows."""
        self._fit(0, len(self.adapter.entries), GROUP_ROW)

    @Slot()
    def _unfit_rows(self) -> None:
        """The header keeps heights over a reset, and then a row may stand where a heading was."""
        self._fit(0, len(self.adapter.entries), INBOX_ROW)

    @Slot(QModelIndex, int, int)
    def _fit_new(self, _parent: QModelIndex, first: int, last: int) -> None:
        self._fit(first, last + 1, GROUP_ROW)

    def _fit(self, first: int, end: int, height: int) -> None:
        """A row begins with the height of rows, so only headings are touched."""
        for at in [at for at in range(first, end) if isinstance(self.adapter.entries[at], Group)]:
            self.setRowHeight(at, height)

    def select(self, gate_id: str) -> bool:
        """Make a gate the current one; False where it is not in the list."""
        at = self.adapter.row_of(gate_id)
        if at < 0:
            return False
        if self.current_gate() != gate_id:
            self.setCurrentIndex(self.adapter.index(at))
            self._with_heading(at)
        self.selectRow(at)
        return True

    def current_gate(self) -> str:
        """The id of the current gate, "" where there is none."""
        row = self.adapter.gate_at(self.currentIndex().row()) if self.currentIndex().isValid() else None
        return row.gate_id if row is not None else ""

    def step(self, forward: bool) -> bool:
        """Go to the next or the previous gate; False at the end."""
        at = self.currentIndex().row() if self.currentIndex().isValid() else -1
        way = 1 if forward else -1
        at += way
        while 0 <= at < len(self.adapter.entries):
            if self.adapter.gate_at(at) is not None:
                self.setCurrentIndex(self.adapter.index(at))
                self._with_heading(at)
                return True
            at += way
        return False

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key, plain = event.key(), event.modifiers() == Qt.KeyboardModifier.NoModifier
        if key in (Qt.Key.Key_Up, Qt.Key.Key_Down) and plain:
            self.step(key == Qt.Key.Key_Down)
            return
        if key in (Qt.Key.Key_Home, Qt.Key.Key_End) and plain:
            self._to_end(last=key == Qt.Key.Key_End)
            return
        if is_reading_on(event):
            self.reading.emit(not plain)
            return
        if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            if plain:
                self.entered.emit()
            else:
                event.ignore()  # Ctrl+Enter is the page's: from the list it only moves the focus
            return
        super().keyPressEvent(event)

    def _to_end(self, *, last: bool) -> None:
        order = range(len(self.adapter.entries) - 1, -1, -1) if last else range(len(self.adapter.entries))
        for at in order:
            if self.adapter.gate_at(at) is not None:
                self.setCurrentIndex(self.adapter.index(at))
                self._with_heading(at)
                return

    def _with_heading(self, at: int) -> None:
        """Scroll to a row; the first of a group comes with its heading."""
        if at and isinstance(self.adapter.entries[at - 1], Group):
            self.scrollTo(self.adapter.index(at - 1))
        self.scrollTo(self.adapter.index(at))

    @Slot(QModelIndex, QModelIndex)
    def _moved(self, current: QModelIndex, _before: QModelIndex) -> None:
        row = self.adapter.gate_at(current.row()) if current.isValid() else None
        if row is not None:
            self.shown.emit(row.gate_id)

    @Slot()
    def _selected(self) -> None:
        rows = [self.adapter.gate_at(index.row()) for index in self.selectionModel().selectedRows()]
        ids = [row.gate_id for row in rows if row is not None]
        self.several.emit(ids if len(ids) > 1 else [])
