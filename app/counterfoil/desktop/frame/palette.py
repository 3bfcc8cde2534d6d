"""Ctrl+K: one field over the page that goes anywhere and does what moves nothing in the world. It never decides."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QRect, QSize, Qt, Signal, Slot
from PySide6.QtGui import QFontMetrics, QKeyEvent, QMouseEvent, QPainter
from PySide6.QtWidgets import QAbstractItemView, QListView, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from counterfoil.desktop.commands import Command, found
from counterfoil.desktop.parts.boxes import Popover
from counterfoil.desktop.parts.labels import Label
from counterfoil.desktop.parts.layouts import put
from counterfoil.desktop.parts.search import SearchField
from counterfoil.desktop.tables.adapter import Index
from counterfoil.desktop.tables.fitting import stacked
from counterfoil.desktop.theme import colour, current, font

WIDTH, ROW, ROWS = 560, 34, 9
_LINE = 18  # pixels of a line of a title
_AROUND = 100  # pixels left and right of a title, between it and its hint, and of the scroll bar


class CommandsAdapter(QAbstractListModel):
    """What is offered now."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.commands: list[Command] = []

    def show_commands(self, commands: list[Command]) -> None:
        """Offer these."""
        self.beginResetModel()
        self.commands = commands
        self.endResetModel()

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's signature
        return 0 if parent.isValid() else len(self.commands)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid() or index.row() >= len(self.commands):
            return None
        command = self.commands[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return command.title
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return f"{command.title}. {command.hint}".rstrip(". ")
        return command if role == Qt.ItemDataRole.UserRole else None


class Palette(Popover):
    """The field and the list.

    Signals:
        chosen(Command): do this.
    """

    chosen = Signal(object)

    def __init__(self, over: QWidget, commands: Sequence[Command]) -> None:
        super().__init__(over, width=WIDTH)
        self._commands = commands
        self._over = over
        self.setAccessibleName("Go anywhere")
        self.field = SearchField("Go anywhere (? lists the keys)")
        self.field.setFont(font(14))
        self.adapter = CommandsAdapter(self)
        self.view = QListView()
        self.view.setModel(self.adapter)
        self.view.setItemDelegate(_CommandDelegate(self.view))
        self.view.setProperty("rows", "painted")
        self.view.setAccessibleName("What can be done")
        self.view.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.view.setMouseTracking(True)
        self.view.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.view.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.view.clicked.connect(self._clicked)
        self.empty = Label("Nothing goes by these words.", "body2")
        self.empty.setContentsMargins(10, 8, 10, 4)
        put(self.lines, self.field, self.view, self.empty)
        self.field.textChanged.connect(self._typed)
        self.field.installEventFilter(self)
        self._typed("")

    def open(self) -> None:
        """Show it at the top of the window."""
        self.move((self._over.width() - self.width()) // 2, 72)
        self.show()
        self.raise_()
        self.field.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def eventFilter(self, watched: QObject, event: Any) -> bool:
        """Arrows move in the list while the field keeps the focus."""
        if watched is self.field and isinstance(event, QKeyEvent) and event.type() == QKeyEvent.Type.KeyPress:
            return self._key(event)
        return super().eventFilter(watched, event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        event.accept()

    def _key(self, event: QKeyEvent) -> bool:
        key = event.key()
        if key in (Qt.Key.Key_Down, Qt.Key.Key_Up):
            step = 1 if key == Qt.Key.Key_Down else -1
            count = self.adapter.rowCount()
            if count:
                self.view.setCurrentIndex(self.adapter.index((self.view.currentIndex().row() + step) % count))
            return True
        if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._clicked(self.view.currentIndex())
            return True
        if key == Qt.Key.Key_Escape:
            self.closed.emit()
            return True
        return False

    @Slot(str)
    def _typed(self, text: str) -> None:
        commands = found(self._commands, text)
        self.adapter.show_commands(commands)
        self.view.setVisible(bool(commands))
        self.empty.setVisible(not commands)
        self.view.setFixedHeight(sum(_high(command) for command in commands[:ROWS]) + 2)
        if commands:
            self.view.setCurrentIndex(self.adapter.index(0))
        self.setFixedHeight(self.lines.totalSizeHint().height())

    @Slot(QModelIndex)
    def _clicked(self, index: QModelIndex) -> None:
        command = index.data(Qt.ItemDataRole.UserRole) if index.isValid() else None
        if isinstance(command, Command) and command.act != "none":
            self.closed.emit()
            self.chosen.emit(command)


class _CommandDelegate(QStyledItemDelegate):
    """Title left, hint right."""

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        command = index.data(Qt.ItemDataRole.UserRole)
        return QSize(200, _high(command) if isinstance(command, Command) else ROW)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        command = index.data(Qt.ItemDataRole.UserRole)
        if not isinstance(command, Command):
            return
        tokens = current()
        box: QRect = option.rect
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if option.state & QStyle.StateFlag.State_Selected:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(colour(tokens.accent_soft))
            painter.drawRoundedRect(box.adjusted(0, 1, -4, -1), 6, 6)
        inner = box.adjusted(10, 0, -14, 0)
        painter.setFont(font(12, figures=True))
        painter.setPen(colour(tokens.text3))
        side = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        painter.drawText(inner, side, command.hint)
        painter.setFont(font(13, 500))
        painter.setPen(colour(tokens.text))
        lines = _titles(command.title, command.hint)
        line = QRect(inner.left(), inner.top() + (inner.height() - len(lines) * _LINE) // 2, inner.width(), _LINE)
        for text in lines:
            painter.drawText(line, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, text)
            line.translate(0, _LINE)
        painter.restore()


def _high(command: Command) -> int:
    return ROW + (len(_titles(command.title, command.hint)) - 1) * _LINE


@functools.lru_cache(maxsize=2048)
def _titles(title: str, hint: str) -> tuple[str, ...]:
    """The title beside its hint, on as many lines as it needs."""
    room = WIDTH - _AROUND - QFontMetrics(font(12, figures=True)).horizontalAdvance(hint)
    return stacked(title, room, 4, QFontMetrics(font(13, 500)).horizontalAdvance)
