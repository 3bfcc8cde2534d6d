"""The list of runs: the newest ones, and older ones as they are scrolled to; what is looked at stays where it is."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from enum import IntEnum
from typing import Any

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPoint, QRect, QSize, Qt, Signal, Slot
from PySide6.QtGui import QFontMetrics, QKeyEvent, QPainter
from PySide6.QtWidgets import QListView, QStyledItemDelegate, QStyleOptionViewItem

from counterfoil.desktop import icons
from counterfoil.desktop.office import RunRow
from counterfoil.desktop.parts.painted_rows import paint_rows
from counterfoil.desktop.parts.reading_on import is_reading_on
from counterfoil.desktop.tables.adapter import Index
from counterfoil.desktop.tables.fitting import Measure, stacked
from counterfoil.desktop.tables.row_ground import paint_ground
from counterfoil.desktop.tables.stepping import steps, take
from counterfoil.desktop.theme import colour, current, font
from counterfoil.desktop.words import times
from counterfoil.desktop.words.numbers import NO_BREAK
from counterfoil.desktop.words.people import person
from counterfoil.desktop.words.plain import tip

ROW = 68  # pixels of a run whose title and state take a line each; longer ones take more lines
_STEP = 18
_TITLE_LINES, _STATE_LINES, _FOOT_LINES = 8, 9, 5  # a file name of 255 signs still stands whole
_BESIDE = 46  # pixels left and right of the texts together
_ANCHORS = 20  # rows in sight, one of which will stay
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
    """Rows in order. A fresh look takes out and puts in, so that selection and scroll stay.

    Signals:
        more_wanted(): the last row is in sight, and there are older ones.
    """

    more_wanted = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.rows: list[RunRow] = []
        self._ids: list[str] = []
        self._feet: dict[str, str] = {}  # by run: a list asks for each of them several times before it is painted
        self._now = 0
        self._more = False

    def show_rows(self, rows: Sequence[RunRow], now_us: int, *, more: bool = False) -> None:
        """Show these; `more` where there are older ones to ask for."""
        self._now, self._more = now_us, more
        self._feet.clear()
        ids = [row.run_id for row in rows]
        way = steps(self._ids, ids)
        if way is None:
            self.beginResetModel()
            self.rows, self._ids = list(rows), ids
            self.endResetModel()
            return
        self.rows = list(self.rows)
        take(self, way, self.rows, rows)
        self.rows, self._ids = list(rows), ids
        if rows:
            self.dataChanged.emit(self.index(0), self.index(len(rows) - 1))

    def canFetchMore(self, parent: Index) -> bool:
        return self._more and not parent.isValid()

    def fetchMore(self, parent: Index) -> None:
        self._more = False  # until they are there
        self.more_wanted.emit()

    def row_of(self, run_id: str) -> int:
        """Where a run stands, -1 where it does not."""
        try:
            return self._ids.index(run_id)
        except ValueError:
            return -1

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
            case Qt.ItemDataRole.ToolTipRole:
                return tip(f"{row.title}\n{row.words}\n{self._foot(row)}")
            case Role.ROW:
                return row
            case Role.FOOT:
                return self._foot(row)
        return None

    def _foot(self, row: RunRow) -> str:
        if row.run_id not in self._feet:
            self._feet[row.run_id] = self._foot_of(row)
        return self._feet[row.run_id]

    def _foot_of(self, row: RunRow) -> str:
        begun = row.started_at or row.created_at
        parts = [f"Run {row.number}", times.since(begun, self._now), row.by or person(row.started_by)]
        if row.ended_at is not None:
            parts.append(times.span(row.ended_at - begun).replace(" ", NO_BREAK))
        if row.cost:
            parts.append(row.cost if row.ended_at is not None else f"{row.cost} so far")
        return " · ".join(parts)


class RunsView(QListView):
    """The list.

    Signals:
        shown(str): another run is current.
        entered(): Enter on a row.
        reading(bool): Space reads on in the run beside it; True: back.
    """

    shown = Signal(str)
    entered = Signal()
    reading = Signal(bool)

    def __init__(self, adapter: RunsAdapter) -> None:
        super().__init__()
        self.adapter = adapter
        self.setModel(adapter)
        paint_rows(self, RunDelegate(self), "Runs")
        self.setMouseTracking(True)
        self.selectionModel().currentChanged.connect(self._moved)

    def show_rows(self, rows: Sequence[RunRow], now_us: int, *, more: bool, anew: bool) -> int:
        """Show these, `anew` from the top; else rows that somebody looks at stay where they are. How many new ones came in above them."""
        if anew:
            self.scrollToTop()
        in_use = not anew and (self.underMouse() or self.hasFocus() or self.verticalScrollBar().value() > 0)
        before = {row.run_id for row in self.adapter.rows}
        first = self.indexAt(QPoint(1, 0)).row()
        anchors = [row.run_id for row in self.adapter.rows[first : first + _ANCHORS]] if in_use and first >= 0 else []
        tops = [self.visualRect(self.adapter.index(first + below)).top() for below in range(len(anchors))]
        self.adapter.show_rows(rows, now_us, more=more)
        for run_id, top in zip(anchors, tops, strict=True):
            at = self.adapter.row_of(run_id)
            if at >= 0:
                self.executeDelayedItemsLayout()
                bar = self.verticalScrollBar()
                bar.setValue(bar.value() + self.visualRect(self.adapter.index(at)).top() - top)
                return sum(row.run_id not in before for row in rows[:at])
        return 0

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
        if is_reading_on(event):
            self.reading.emit(event.modifiers() != Qt.KeyboardModifier.NoModifier)
            return
        super().keyPressEvent(event)

    @Slot(QModelIndex, QModelIndex)
    def _moved(self, current: QModelIndex, _before: QModelIndex) -> None:
        if current.isValid():
            self.shown.emit(self.adapter.rows[current.row()].run_id)


class RunDelegate(QStyledItemDelegate):
    """Title, state, and when, by whom, how long."""

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        row, view = index.data(Role.ROW), option.widget
        if not isinstance(row, RunRow) or not isinstance(view, QListView):
            return QSize(200, ROW)
        told = _lines(row.title, row.words, str(index.data(Role.FOOT)), view.viewport().width() - _BESIDE)
        return QSize(200, ROW + (sum(map(len, told)) - len(told)) * _STEP)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        row = index.data(Role.ROW)
        if not isinstance(row, RunRow):
            return
        box = option.rect.adjusted(10, 0, -10, 0)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        paint_ground(painter, box, option.state)
        self._texts(painter, box.adjusted(14, 8, -12, -8), row, str(index.data(Role.FOOT)))
        painter.restore()

    def _texts(self, painter: QPainter, box: QRect, row: RunRow, foot: str) -> None:
        tokens = current()
        titles, states, feet = _lines(row.title, row.words, foot, box.width())
        line = QRect(box.left(), box.top(), box.width(), _STEP)
        painter.setFont(font(13, 500))
        painter.setPen(colour(tokens.text))
        for text in titles:
            painter.drawText(line, _LEFT, text)
            line.translate(0, _STEP)
        tone = getattr(tokens, _TONES.get(row.tone, "text2"))
        ratio = painter.device().devicePixelRatioF()
        painter.drawPixmap(line.left(), line.top() + 2, icons.pixmap(_ICONS.get(row.state, "circle"), tone, 14, ratio))
        painter.setFont(font(12, 500))
        painter.setPen(colour(tone))
        for text in states:
            painter.drawText(line.adjusted(20, 0, 0, 0), _LEFT, text)
            line.translate(0, _STEP)
        painter.setFont(font(12, figures=True))
        painter.setPen(colour(tokens.text3))
        for text in feet:
            painter.drawText(line, _LEFT, text)
            line.translate(0, _STEP)


@functools.lru_cache(maxsize=4096)
def _lines(title: str, state: str, foot: str, room: int) -> tuple[tuple[str, ...], ...]:
    """Title, state and foot of a row, whole: a name or a number in them is never cut for a line's sake."""
    return (
        stacked(title, room, _TITLE_LINES, _measure(13, 500)),
        stacked(state, room - 20, _STATE_LINES, _measure(12, 500)),
        stacked(foot, room, _FOOT_LINES, _measure(12, 400)),
    )


@functools.cache
def _measure(size: int, weight: int) -> Measure:
    """How wide texts are; a list is laid out without its scroll bar first, then beside it, so each is asked for twice."""
    metrics = QFontMetrics(font(size, weight, figures=True))

    @functools.lru_cache(maxsize=4096)
    def measured(text: str) -> int:
        return metrics.horizontalAdvance(text)

    return measured
