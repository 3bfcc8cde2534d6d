"""The list of runs: one height for all rows, so that 100,000 of them show at once."""

from __future__ import annotations

import functools
from enum import IntEnum
from typing import Any

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QRect, QRectF, QSize, Qt, Signal, Slot
from PySide6.QtGui import QFontMetrics, QKeyEvent, QPainter, QPen
from PySide6.QtWidgets import QAbstractItemView, QListView, QStyle, QStyledItemDelegate, QStyleOptionViewItem

from counterfoil.desktop import icons
from counterfoil.desktop.office import RunRow
from counterfoil.desktop.tables.adapter import Index
from counterfoil.desktop.theme import colour, current, font
from counterfoil.desktop.words import times
from counterfoil.desktop.words.people import person

ROW = 68
_TONES = {"ok": "ok", "warn": "warn", "bad": "bad", "info": "info", "quiet": "text2"}
_ICONS = {
    "ready": "circle-dashed",
    "running": "circle-dot",
    "waiting": "hourglass",
    "done": "circle-check",
    "failed": "circle-x",
    "cancelled": "ban",
}
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter


class Role(IntEnum):
    """What the delegate asks for."""

    ROW = int(Qt.ItemDataRole.UserRole) + 1
    FOOT = int(Qt.ItemDataRole.UserRole) + 2


class RunsAdapter(QAbstractListModel):
    """Rows in order; a fresh look that changes no order keeps selection and scroll."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.rows: list[RunRow] = []
        self._now = 0

    def show_rows(self, rows: list[RunRow], now_us: int) -> None:
        """Show these."""
        self._now = now_us
        alike = len(rows) == len(self.rows) and rows[:1] and rows[0].run_id == self.rows[0].run_id
        if alike and all(new.run_id == old.run_id for new, old in zip(rows, self.rows, strict=True)):
            self.rows = rows
            if rows:
                self.dataChanged.emit(self.index(0), self.index(len(rows) - 1))
            return
        self.beginResetModel()
        self.rows = rows
        self.endResetModel()

    def row_of(self, run_id: str) -> int:
        """Where a run stands, -1 where it does not."""
        return next((at for at, row in enumerate(self.rows) if row.run_id == run_id), -1)

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's signature
        return 0 if parent.isValid() else len(self.rows)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid() or index.row() >= len(self.rows):
            return None
        row = self.rows[index.row()]
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return row.title
            case Qt.ItemDataRole.AccessibleTextRole:
                return f"{row.title}. {row.words}. {self._foot(row)}. {index.row() + 1} of {len(self.rows)}."
            case Role.ROW:
                return row
            case Role.FOOT:
                return self._foot(row)
        return None

    def _foot(self, row: RunRow) -> str:
        begun = row.started_at or row.created_at
        parts = [f"Run {row.number}", times.since(begun, self._now), person(row.started_by)]
        if row.ended_at is not None:
            parts.append(times.span(row.ended_at - begun))
        return " · ".join(parts)


class RunsView(QListView):
    """The list.

    Signals:
        shown(str): another run is current.
        entered(): Enter on a row.
    """

    shown = Signal(str)
    entered = Signal()

    def __init__(self, adapter: RunsAdapter) -> None:
        super().__init__()
        self.adapter = adapter
        self.setModel(adapter)
        self.setItemDelegate(RunDelegate(self))
        self.setUniformItemSizes(True)
        self.setLayoutMode(QListView.LayoutMode.Batched)  # 100,000 rows are laid out while nobody waits for them
        self.setBatchSize(1000)
        self.setAccessibleName("Runs")
        self.setMouseTracking(True)
        self.setProperty("rows", "painted")
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.selectionModel().currentChanged.connect(self._moved)

    def select(self, run_id: str) -> bool:
        """Make a run the current one; False where it is not in the list."""
        at = self.adapter.row_of(run_id)
        if at >= 0:
            self.setCurrentIndex(self.adapter.index(at))
        return at >= 0

    def current_run(self) -> str:
        """The id of the current run, "" where there is none."""
        at = self.currentIndex().row()
        return self.adapter.rows[at].run_id if 0 <= at < len(self.adapter.rows) else ""

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.entered.emit()
            return
        super().keyPressEvent(event)

    @Slot(QModelIndex, QModelIndex)
    def _moved(self, current: QModelIndex, _before: QModelIndex) -> None:
        if current.isValid():
            self.shown.emit(self.adapter.rows[current.row()].run_id)


class RunDelegate(QStyledItemDelegate):
    """Title, state, and when, by whom, how long."""

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(200, ROW)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        row = index.data(Role.ROW)
        if not isinstance(row, RunRow):
            return
        tokens = current()
        box = option.rect.adjusted(10, 0, -10, 0)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        ground = ""
        if option.state & QStyle.StateFlag.State_Selected:
            ground = tokens.accent_soft
        elif option.state & QStyle.StateFlag.State_MouseOver:
            ground = tokens.hover
        if ground:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(colour(ground))
            painter.drawRoundedRect(QRectF(box).adjusted(0, 1, 0, -1), 8, 8)
        keys = QStyle.StateFlag.State_KeyboardFocusChange
        if option.state & QStyle.StateFlag.State_HasFocus and option.state & keys:
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(colour(tokens.focus), 2))
            painter.drawRoundedRect(QRectF(box).adjusted(1, 2, -1, -2), 7, 7)
        self._texts(painter, box.adjusted(14, 8, -12, -8), row, str(index.data(Role.FOOT)))
        painter.restore()

    def _texts(self, painter: QPainter, box: QRect, row: RunRow, foot: str) -> None:
        tokens = current()
        step = 18
        painter.setFont(font(13, 500))
        painter.setPen(colour(tokens.text))
        title = _metrics(13, 500).elidedText(row.title, Qt.TextElideMode.ElideRight, box.width())
        painter.drawText(QRect(box.left(), box.top(), box.width(), step), _LEFT, title)
        tone = getattr(tokens, _TONES.get(row.tone, "text2"))
        ratio = painter.device().devicePixelRatioF()
        line = QRect(box.left(), box.top() + step, box.width(), step)
        painter.drawPixmap(line.left(), line.top() + 2, icons.pixmap(_ICONS.get(row.state, "circle"), tone, 14, ratio))
        painter.setFont(font(12, 500))
        painter.setPen(colour(tone))
        words = _metrics(12, 500).elidedText(row.words, Qt.TextElideMode.ElideRight, box.width() - 20)
        painter.drawText(line.adjusted(20, 0, 0, 0), _LEFT, words)
        painter.setFont(font(12, figures=True))
        painter.setPen(colour(tokens.text3))
        told = _metrics(12, 400).elidedText(foot, Qt.TextElideMode.ElideRight, box.width())
        painter.drawText(QRect(box.left(), box.top() + 2 * step, box.width(), step), _LEFT, told)


@functools.cache
def _metrics(size: int, weight: int) -> QFontMetrics:
    return QFontMetrics(font(size, weight, figures=True))
