"""The list of schedules: name and switch, rule in words, next, last."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from enum import IntEnum
from typing import Any

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QRect, QRectF, QSize, Qt, Signal, Slot
from PySide6.QtGui import QFontMetrics, QKeyEvent, QMouseEvent, QPainter, QPen
from PySide6.QtWidgets import QListView, QStyledItemDelegate, QStyleOptionViewItem

from counterfoil.desktop import icons
from counterfoil.desktop.parts.painted_rows import paint_rows
from counterfoil.desktop.schedule_facts import ScheduleRow
from counterfoil.desktop.tables.adapter import Index
from counterfoil.desktop.tables.fitting import stacked
from counterfoil.desktop.tables.row_ground import paint_ground
from counterfoil.desktop.theme import colour, current, font
from counterfoil.desktop.words import schedules as words
from counterfoil.desktop.words import times
from counterfoil.desktop.words.plain import one_line, tip

ROW = 92  # pixels of a schedule whose texts take a line each
_MOST = 6  # lines of one text at most
_BESIDE = 46  # pixels left and right of the texts together
_SWITCH = QSize(30, 18)
_LINE, _ICON = 19, 20
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter


class Role(IntEnum):
    """What the delegate asks for."""

    ROW = int(Qt.ItemDataRole.UserRole) + 1


class SchedulesAdapter(QAbstractListModel):
    """Rows by name."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.rows: list[ScheduleRow] = []
        self.now = 0

    def show_rows(self, rows: Sequence[ScheduleRow], now_us: int) -> None:
        """Show these; where they are the same schedules, selection and scroll stay."""
        self.now = now_us
        if [row.schedule_id for row in rows] == [row.schedule_id for row in self.rows]:
            self.rows = list(rows)
            if rows:
                self.dataChanged.emit(self.index(0), self.index(len(rows) - 1))
            return
        self.beginResetModel()
        self.rows = list(rows)
        self.endResetModel()

    def row_of(self, schedule_id: str) -> int:
        """Where a schedule stands, -1 where it does not."""
        return next((at for at, row in enumerate(self.rows) if row.schedule_id == schedule_id), -1)

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's signature
        return 0 if parent.isValid() else len(self.rows)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid() or index.row() >= len(self.rows):
            return None
        row = self.rows[index.row()]
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return row.name
            case Qt.ItemDataRole.ToolTipRole:
                return tip("\n".join((one_line(row.name), *self.lines(row))))
            case Qt.ItemDataRole.AccessibleTextRole:
                on = "" if row.paused else "On. "
                said = ". ".join((one_line(row.name), *self.lines(row)))
                return f"{said}. {on}Space switches it. {index.row() + 1} of {len(self.rows)}."
            case Role.ROW:
                return row
        return None

    def lines(self, row: ScheduleRow) -> tuple[str, str, str]:
        """What stands below a name."""
        ahead = words.next_words(row, self.now)
        shown = ahead if row.paused or row.next_at is None else f"Next {times.in_sentence(ahead)}"
        return words.sentence(row), shown, words.last_words(row.last, self.now)


class SchedulesView(QListView):
    """The list.

    Signals:
        shown(str): another schedule is current.
        entered(): Enter on a row.
        switched(str): the switch of a row was pressed.
    """

    shown = Signal(str)
    entered = Signal()
    switched = Signal(str)

    def __init__(self, adapter: SchedulesAdapter) -> None:
        super().__init__()
        self.adapter = adapter
        self.setModel(adapter)
        paint_rows(self, ScheduleDelegate(self), "Schedules")
        self.setMouseTracking(True)
        self.selectionModel().currentChanged.connect(self._moved)

    def select(self, schedule_id: str) -> bool:
        """Make a schedule the current one; False where it is not in the list."""
        at = self.adapter.row_of(schedule_id)
        if at >= 0:
            self.setCurrentIndex(self.adapter.index(at))
        return at >= 0

    def current(self) -> ScheduleRow | None:
        """The current schedule."""
        at = self.currentIndex().row()
        return self.adapter.rows[at] if 0 <= at < len(self.adapter.rows) else None

    def keyPressEvent(self, event: QKeyEvent) -> None:
        row = self.current()
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.entered.emit()
            return
        if event.key() == Qt.Key.Key_Space and row is not None:
            self.switched.emit(row.schedule_id)
            return
        super().keyPressEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        super().mouseReleaseEvent(event)
        place = event.position().toPoint()
        index = self.indexAt(place)
        left = event.button() == Qt.MouseButton.LeftButton
        if left and index.isValid() and switch_box(self.visualRect(index)).adjusted(-6, -6, 6, 6).contains(place):
            self.switched.emit(self.adapter.rows[index.row()].schedule_id)

    @Slot(QModelIndex, QModelIndex)
    def _moved(self, current: QModelIndex, _before: QModelIndex) -> None:
        if current.isValid():
            self.shown.emit(self.adapter.rows[current.row()].schedule_id)


def switch_box(row: QRect) -> QRect:
    """Where the switch of a row stands."""
    return QRect(row.right() - 24 - _SWITCH.width(), row.top() + 10, _SWITCH.width(), _SWITCH.height())


class ScheduleDelegate(QStyledItemDelegate):
    """Four texts and a switch."""

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        row, adapter, view = index.data(Role.ROW), index.model(), option.widget
        if (
            not isinstance(row, ScheduleRow)
            or not isinstance(adapter, SchedulesAdapter)
            or not isinstance(view, QListView)
        ):
            return QSize(200, ROW)
        texts = _texts_of(row, adapter, view.viewport().width() - _BESIDE)
        return QSize(200, ROW + (sum(map(len, texts)) - len(texts)) * _LINE)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        row = index.data(Role.ROW)
        adapter = index.model()
        if not isinstance(row, ScheduleRow) or not isinstance(adapter, SchedulesAdapter):
            return
        box = option.rect.adjusted(10, 0, -10, 0)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        paint_ground(painter, box, option.state)
        _paint_switch(painter, switch_box(option.rect), on=not row.paused)
        self._texts(painter, box.adjusted(14, 8, -12, -8), row, adapter)
        painter.restore()

    def _texts(self, painter: QPainter, box: QRect, row: ScheduleRow, adapter: SchedulesAdapter) -> None:
        tokens = current()
        seen = row.last
        past = words.icon_of(seen) if seen is not None else "minus"
        tone = getattr(tokens, words.tone_of(seen)) if seen is not None else tokens.text3
        looks = (
            (13, 600, tokens.text, ""),
            (12, 400, tokens.bad if row.trouble else tokens.text2, ""),
            (12, 500, tokens.text2, "pause" if row.paused else "clock"),
            (12, 400, tone, past),
        )
        line = QRect(box.left(), box.top(), box.width(), _LINE)
        ratio = painter.device().devicePixelRatioF()
        for (size, weight, ink, icon), texts in zip(looks, _texts_of(row, adapter, box.width()), strict=True):
            painter.setFont(font(size, weight, figures=True))
            painter.setPen(colour(ink))
            if icon:
                painter.drawPixmap(line.left(), line.top() + 3, icons.pixmap(icon, ink, 13, ratio))
            for text in texts:
                painter.drawText(line.adjusted(_ICON if icon else 0, 0, 0, 0), _LEFT, text)
                line.translate(0, _LINE)


def _texts_of(row: ScheduleRow, adapter: SchedulesAdapter, room: int) -> tuple[tuple[str, ...], ...]:
    """Name, rule, next and last, each on as many lines as it needs: a rule or an instant is never cut."""
    return _stacked(one_line(row.name), adapter.lines(row), room)


@functools.lru_cache(maxsize=1024)
def _stacked(name: str, lines: tuple[str, str, str], room: int) -> tuple[tuple[str, ...], ...]:
    rule, ahead, last = lines
    return (
        stacked(name, room - _SWITCH.width() - 12, _MOST, _metrics(13, 600).horizontalAdvance),
        stacked(rule, room, _MOST, _metrics(12, 400).horizontalAdvance),
        stacked(ahead, room - _ICON, _MOST, _metrics(12, 500).horizontalAdvance),
        stacked(last, room - _ICON, _MOST, _metrics(12, 400).horizontalAdvance),
    )


def _paint_switch(painter: QPainter, box: QRect, *, on: bool) -> None:
    """On is filled with its knob at the right; off is a ring with its knob at the left."""
    tokens = current()
    track = QRectF(box).adjusted(0.5, 0.5, -0.5, -0.5)
    painter.setPen(QPen(colour(tokens.accent if on else tokens.border_input), 1))
    painter.setBrush(colour(tokens.accent if on else tokens.panel))
    painter.drawRoundedRect(track, track.height() / 2, track.height() / 2)
    knob = QRectF(0, 0, 11, 11)
    knob.moveCenter(track.center())
    knob.moveLeft(track.right() - 14 if on else track.left() + 3)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(colour(tokens.on_accent if on else tokens.border_input))
    painter.drawEllipse(knob)


@functools.cache
def _metrics(size: int, weight: int) -> QFontMetrics:
    return QFontMetrics(font(size, weight, figures=True))
