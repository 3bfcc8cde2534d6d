"""The days of a month or a week as a grid: one cell a day, its firings as chips. A table underneath, so that arrow keys and screen readers
know it.

A firing that ran is filled, a planned one outlined, one that did not run hatched; a moon stands on days whose clocks change.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from datetime import date, timedelta
from enum import IntEnum
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QRect, QRectF, QSize, Qt, Signal, Slot
from PySide6.QtGui import QBrush, QFontMetrics, QKeyEvent, QPainter, QPen
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
)

from counterfoil.desktop import icons
from counterfoil.desktop.parts.labels import tint
from counterfoil.desktop.schedule_facts import DaySeen, FiringSeen
from counterfoil.desktop.tables.adapter import Index
from counterfoil.desktop.tables.fitting import stacked
from counterfoil.desktop.theme import colour, current, font
from counterfoil.desktop.tokens import Tokens
from counterfoil.desktop.words import schedules as words
from counterfoil.desktop.words import times
from counterfoil.desktop.words.numbers import count
from counterfoil.desktop.words.plain import one_line, tip

WEEK = 7
_MOON = 20  # pixels at the right of a day whose clocks change
HEAD, CHIP, GAP, _BETWEEN = 24, 17, 2, 1
_LINE, _NAME_LINES = 16, 4  # pixels of a line of a chip in a week, and how many of them a name may take
_NARROW = 44  # pixels of a chip that holds a time alone
_INSIDE = 9  # pixels left and right of the words of a chip together
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_STEPS = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1, Qt.Key.Key_Up: -WEEK, Qt.Key.Key_Down: WEEK}
_DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")


class Role(IntEnum):
    """What the delegate asks for."""

    DAY = int(Qt.ItemDataRole.UserRole) + 1


class DaysAdapter(QAbstractTableModel):
    """Days from a Monday on, seven a row."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.days: tuple[DaySeen, ...] = ()
        self.month = 0  # the others are quieter; 0 for a week, where all are alike
        self.today = date.min
        self.now = 0
        self.marked = ""  # the schedule that is chosen in the list

    def show_days(self, days: Sequence[DaySeen], *, month: int, now_us: int) -> None:
        """Show these days."""
        same = [one.day for one in days] == [one.day for one in self.days] and month == self.month
        self.now, self.today = now_us, times.local(now_us).date()
        if same:
            self.days = tuple(days)
            self._repaint()
            return
        self.beginResetModel()
        self.days, self.month = tuple(days), month
        self.endResetModel()

    def mark(self, schedule_id: str) -> None:
        """Another schedule is the chosen one."""
        if schedule_id != self.marked:
            self.marked = schedule_id
            self._repaint()

    def _repaint(self) -> None:
        if self.days:
            self.dataChanged.emit(self.index(0, 0), self.index(self.rowCount() - 1, WEEK - 1))

    def day_at(self, index: Index) -> DaySeen | None:
        """The day of a cell."""
        at = index.row() * WEEK + index.column()
        return self.days[at] if index.isValid() and at < len(self.days) else None

    def index_of(self, day: date) -> QModelIndex:
        """The cell of a day; none where it is not shown."""
        at = (day - self.days[0].day).days if self.days else -1
        return self.index(at // WEEK, at % WEEK) if 0 <= at < len(self.days) else QModelIndex()

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's signature
        return 0 if parent.isValid() else len(self.days) // WEEK

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's signature
        return 0 if parent.isValid() else WEEK

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if orientation == Qt.Orientation.Horizontal and role == Qt.ItemDataRole.DisplayRole:
            return _DAYS[section]
        return None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        seen = self.day_at(index)
        if seen is None:
            return None
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return str(seen.day.day)
            case Qt.ItemDataRole.AccessibleTextRole:
                return self.spoken(seen)
            case Qt.ItemDataRole.ToolTipRole:
                return tip(self.spoken(seen).replace(". ", "\n")) if seen.firings or seen.night else None
            case Role.DAY:
                return seen
        return None

    def spoken(self, seen: DaySeen) -> str:
        """A day as it is read out."""
        head = f"{'Today, ' if seen.day == self.today else ''}{seen.day:%A} {seen.day.day} {seen.day:%B}"
        told = [words.spoken(firing, self.now) for firing in seen.firings] or ["no firings"]
        return ". ".join((head, *told, *([seen.night.rstrip(".")] if seen.night else []))) + "."


class DaysView(QTableView):
    """The grid.

    Signals:
        day_shown(date): another day is current.
        day_wanted(date): a day was moved to that is not among those shown.
        turned(int): a page back (-1) or on (1).
        entered(): Enter on a day.
    """

    day_shown = Signal(object)
    day_wanted = Signal(object)
    turned = Signal(int)
    entered = Signal()

    def __init__(self, adapter: DaysAdapter) -> None:
        super().__init__()
        self.adapter = adapter
        self.setModel(adapter)
        self.setItemDelegate(DayDelegate(self))
        self.setAccessibleName("Calendar of firings")
        self.setAccessibleDescription("Arrow keys go through the days, Page Up and Page Down through the months")
        self.setProperty("rows", "painted")
        self.setTabKeyNavigation(False)
        self.setShowGrid(False)
        self.setMouseTracking(True)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.verticalHeader().hide()
        self.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        self.verticalHeader().setMinimumSectionSize(HEAD)
        across = self.horizontalHeader()
        across.setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        across.setSectionsClickable(False)
        across.setHighlightSections(False)
        across.setDefaultAlignment(_LEFT)
        across.setFont(font(12, 500))
        across.setFixedHeight(28)
        self.selectionModel().currentChanged.connect(self._moved)

    def go_to(self, day: date) -> bool:
        """Make a day the current one; False where it is not shown."""
        index = self.adapter.index_of(day)
        if index.isValid():
            self.setCurrentIndex(index)
        return index.isValid()

    def current_day(self) -> DaySeen | None:
        """The current day."""
        return self.adapter.day_at(self.currentIndex())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key, here = Qt.Key(event.key()), self.current_day()
        if key in (Qt.Key.Key_PageUp, Qt.Key.Key_PageDown):
            self.turned.emit(-1 if key == Qt.Key.Key_PageUp else 1)
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.entered.emit()
        elif key in (Qt.Key.Key_Home, Qt.Key.Key_End) and here is not None:
            monday = here.day - timedelta(days=here.day.weekday())
            self.go_to(monday if key == Qt.Key.Key_Home else monday + timedelta(days=WEEK - 1))
        elif key in _STEPS and here is not None:
            day = here.day + timedelta(days=_STEPS[key])
            if not self.go_to(day):
                self.day_wanted.emit(day)
        else:
            super().keyPressEvent(event)

    @Slot(QModelIndex, QModelIndex)
    def _moved(self, now: QModelIndex, _before: QModelIndex) -> None:
        seen = self.adapter.day_at(now)
        if seen is not None:
            self.day_shown.emit(seen.day)


class DayDelegate(QStyledItemDelegate):
    """Number, moon, chips; what finds no room is counted."""

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        seen, adapter = index.data(Role.DAY), index.model()
        if not isinstance(seen, DaySeen) or not isinstance(adapter, DaysAdapter):
            return
        tokens = current()
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(colour(tokens.border), 1))
        painter.drawLine(option.rect.bottomLeft(), option.rect.bottomRight())
        if index.column() < WEEK - 1:
            painter.drawLine(option.rect.topRight(), option.rect.bottomRight())
        self._ground(painter, option)
        self._head(painter, option.rect, seen, adapter)
        self._chips(painter, option.rect.adjusted(4, HEAD, -5, -3), seen, adapter)
        painter.restore()

    def _ground(self, painter: QPainter, option: QStyleOptionViewItem) -> None:
        tokens = current()
        box = QRectF(option.rect).adjusted(1, 1, -2, -2)
        chosen = option.state & QStyle.StateFlag.State_Selected
        if chosen:
            painter.setPen(QPen(colour(tokens.accent), 1.5))
            painter.setBrush(colour(tokens.raised))
            painter.drawRoundedRect(box, 5, 5)
        elif option.state & QStyle.StateFlag.State_MouseOver:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(colour(tokens.raised))
            painter.drawRoundedRect(box, 5, 5)
        keys = QStyle.StateFlag.State_KeyboardFocusChange
        if option.state & QStyle.StateFlag.State_HasFocus and option.state & keys:
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(colour(tokens.focus), 2))
            painter.drawRoundedRect(box.adjusted(1, 1, -1, -1), 5, 5)

    def _head(self, painter: QPainter, box: QRect, seen: DaySeen, adapter: DaysAdapter) -> None:
        tokens = current()
        outside = adapter.month not in (0, seen.day.month)
        today = seen.day == adapter.today
        low = box.height() < HEAD + CHIP + 3  # a firing stands beside the number, in place of the month
        named = not adapter.month or (seen.day.day == 1 and not (low and seen.firings))
        number = f"{seen.day.day} {seen.day:%b}" if named else str(seen.day.day)
        wide = _metrics(12, 600).horizontalAdvance(number)
        place = QRect(box.left() + 7, box.top() + 4, wide + 10, 19)
        if today:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(colour(tokens.accent))
            painter.drawRoundedRect(QRectF(place).adjusted(-3, 0, -3, 0), 9, 9)
        painter.setFont(font(12, 600 if today else 500, figures=True))
        painter.setPen(colour(tokens.on_accent if today else tokens.text3 if outside else tokens.text))
        painter.drawText(place.adjusted(2, 0, 0, 0), _LEFT, number)
        if seen.night:
            ratio = painter.device().devicePixelRatioF()
            painter.drawPixmap(box.right() - 21, box.top() + 6, icons.pixmap("moon", tokens.info, 14, ratio))

    def _chips(self, painter: QPainter, room: QRect, seen: DaySeen, adapter: DaysAdapter) -> None:
        if not adapter.month:
            _paint_day_of_week(painter, room, seen, adapter.marked)
            return
        texts = chip_texts(seen.firings, adapter.marked, room.width() - _INSIDE, room.height())
        top = room.top()
        for firing, lines in zip(seen.firings, texts, strict=False):
            box = QRect(room.left(), top, room.width(), _high(lines))
            _paint_chip(painter, box, firing, lines, bold=firing.schedule_id == adapter.marked)
            top += box.height() + GAP
        hidden = seen.firings[len(texts) :]
        if hidden and top + CHIP <= room.bottom() + 1:
            tight = len(times_side_by_side(hidden, adapter.marked, room.width())) < len(hidden)
            aside = 2 if tight else 0  # the edges of the day are used only where there is no other room
            box = QRect(room.left() - aside, top, room.width() + 2 * aside, CHIP)
            _paint_times(painter, box, hidden, adapter.marked)
        elif hidden:  # not even one line below the number: beside it, and left of the moon
            left = _metrics(12, 600).horizontalAdvance(str(seen.day.day)) + 14
            wide = room.width() - left - (_MOON if seen.night else 0)
            _paint_times(painter, QRect(room.left() + left, room.top() - HEAD + 5, wide, CHIP), hidden, "")

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(60, HEAD)


def _paint_day_of_week(painter: QPainter, room: QRect, seen: DaySeen, marked: str) -> None:
    """Chips as high as their names need, from the top; what finds no room is told as times in the last line."""
    top, at = room.top(), 0
    while at < len(seen.firings):
        firing = seen.firings[at]
        bold = firing.schedule_id == marked
        texts = (_time_of(firing), *_name_lines(one_line(firing.name), room.width() - _INSIDE, 600 if bold else 500))
        high = _high(texts)
        rest = CHIP + GAP if at + 1 < len(seen.firings) else 0
        if top + high + rest > room.bottom() + 1:
            break
        _paint_chip(painter, QRect(room.left(), top, room.width(), high), firing, texts, bold=bold)
        top, at = top + high + GAP, at + 1
    if at < len(seen.firings):
        _paint_times(painter, QRect(room.left(), top, room.width(), CHIP), seen.firings[at:], marked)


def _paint_chip(painter: QPainter, box: QRect, seen: FiringSeen, texts: Sequence[str], *, bold: bool) -> None:
    tokens = current()
    ink, ground, edge = _looks(seen, tokens)
    painter.setPen(QPen(colour(edge), 1) if edge else Qt.PenStyle.NoPen)
    painter.setBrush(colour(ground) if ground else Qt.BrushStyle.NoBrush)
    shape = QRectF(box).adjusted(0.5, 0.5, -0.5, -0.5)
    painter.drawRoundedRect(shape, 4, 4)
    if seen.fate == "missed":
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QBrush(tint(colour(tokens.warn_edge), 0.3), Qt.BrushStyle.BDiagPattern))
        painter.drawRoundedRect(shape, 4, 4)
    painter.setPen(colour(ink))
    painter.setFont(font(11, 600 if bold else 500, figures=True))
    inset = 3 if box.width() < _NARROW else 5
    high = box.height() if len(texts) == 1 else _LINE
    for number, text in enumerate(texts):
        top = box.top() + (number * _LINE + 2 if len(texts) > 1 else 0)
        painter.drawText(QRect(box.left() + inset, top, box.width() - inset, high), _LEFT, text)


def _paint_times(painter: QPainter, box: QRect, hidden: Sequence[FiringSeen], marked: str) -> None:
    """Firings without a line each: their times side by side, each in its looks, then how many more."""
    left = box.left()
    placed = times_side_by_side(hidden, marked, box.width())
    for seen, wide in zip(hidden, placed, strict=False):
        bold = seen.schedule_id == marked
        _paint_chip(painter, QRect(left, box.top(), wide, box.height()), seen, (_time_of(seen),), bold=bold)
        left += wide + _BETWEEN
    rest = len(hidden) - len(placed)
    if rest:
        painter.setFont(font(11, 500, figures=True))
        painter.setPen(colour(current().text2))
        words = count(rest, "firing")
        if placed or _metrics(11, 500).horizontalAdvance(words) > box.width():
            words = f"+{rest}" if placed else f"{rest}×"
        painter.drawText(QRect(left + 2, box.top(), box.right() - left, box.height()), _LEFT, words)


def times_side_by_side(hidden: Sequence[FiringSeen], marked: str, room: int) -> list[int]:
    """How wide the chips of the first firings are that fit into `room` pixels with a time each, and how many more there are."""
    placed: list[int] = []
    for at, seen in enumerate(hidden, 1):
        wide = _metrics(11, 600 if seen.schedule_id == marked else 500).horizontalAdvance(_time_of(seen)) + 6
        more = _metrics(11, 500).horizontalAdvance(f"+{len(hidden) - at}") + 3 if at < len(hidden) else 0
        if sum(placed) + len(placed) * _BETWEEN + wide + more > room:
            break
        placed.append(wide)
    return placed


def _time_of(seen: FiringSeen) -> str:
    return f"{seen.count}×" if seen.count > 1 else times.clock_time(seen.due_at)


def chip_texts(firings: Sequence[FiringSeen], marked: str, width: int, high: int) -> list[tuple[str, ...]]:
    """The lines of the chips of a day of a month, `high` pixels in all: times with whole names where all of them find room, else a line
    for each with the time alone where its name does not fit into `width` pixels; those that find no room have none."""
    weights = [600 if seen.schedule_id == marked else 500 for seen in firings]
    whole = [
        _name_lines(f"{_time_of(seen)} {one_line(seen.name)}", width, weight)
        for seen, weight in zip(firings, weights, strict=True)
    ]
    if sum(map(_high, whole)) + GAP * (len(whole) - 1) <= high and not any(one[-1].endswith("…") for one in whole):
        return whole
    fit = max((high + GAP) // (CHIP + GAP), 0)
    shown = len(firings) if len(firings) <= fit else max(fit - 1, 0)
    return [
        lines if len(lines) == 1 else (_time_of(seen),) for seen, lines in zip(firings[:shown], whole, strict=False)
    ]


def _high(lines: Sequence[str]) -> int:
    return CHIP if len(lines) == 1 else len(lines) * _LINE + 4


@functools.lru_cache(maxsize=1024)
def _name_lines(name: str, room: int, weight: int) -> tuple[str, ...]:
    return stacked(name, room, _NAME_LINES, _metrics(11, weight).horizontalAdvance)


def _looks(seen: FiringSeen, tokens: Tokens) -> tuple[str, str, str]:
    """Ink, ground and edge of a chip."""
    if seen.fate == "planned":
        return tokens.text2, "", tokens.border_input
    if seen.fate == "missed":
        return tokens.warn, tokens.warn_soft, tokens.warn_edge
    if seen.run_state == "failed":
        return tokens.bad, tokens.bad_soft, ""
    return tokens.accent_text, tokens.accent_soft, ""


@functools.cache
def _metrics(size: int, weight: int) -> QFontMetrics:
    return QFontMetrics(font(size, weight, figures=True))
