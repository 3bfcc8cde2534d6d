"""The one place where a plain table meets Qt's item views. It reads memory only and never knows its view."""

from __future__ import annotations

from enum import IntEnum
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt, Signal

from counterfoil.desktop.tables.stepping import steps, take
from counterfoil.desktop.tables.table import Line, Table
from counterfoil.desktop.theme import font
from counterfoil.facts import as_sentence

Index = QModelIndex | QPersistentModelIndex


class Role(IntEnum):
    """What a delegate asks for beside the text."""

    LINE = int(Qt.ItemDataRole.UserRole) + 1
    KIND = int(Qt.ItemDataRole.UserRole) + 2


class TableAdapter(QAbstractTableModel):
    """A table as Qt sees it. With `holdable` its first column is a box per row: ticked rows are held.

    Signals:
        held_changed(): a person ticked or unticked rows.
    """

    held_changed = Signal()

    def __init__(self, table: Table, parent: QObject | None = None, *, holdable: bool = False) -> None:
        super().__init__(parent)
        self.table = table
        self.holdable = holdable
        self._held: set[int] = set()
        self._wanted = ""
        self._hidden = ""
        self._by: int | None = None
        self._descending = False
        self.lines: list[Line] = table.arrange()

    @property
    def held(self) -> tuple[int, ...]:
        """Numbers of the held rows, from 1, in the order of the document."""
        return tuple(sorted(self._held))

    def hold(self, numbers: tuple[int, ...]) -> None:
        """Show these rows as held."""
        self._held = set(numbers)
        if self.lines:
            self.dataChanged.emit(self.index(0, 0), self.index(len(self.lines) - 1, 0))

    def show_table(self, table: Table) -> None:
        """Another table of the same columns: rows that came and went do so in their place, so that selection and scroll stay."""
        self.table = table
        fresh = self._arranged()
        way = steps([_key(line) for line in self.lines], [_key(line) for line in fresh])
        if way is None:
            self.beginResetModel()
            self.lines = fresh
            self.endResetModel()
            return
        self.lines = list(self.lines)
        take(self, way, self.lines, fresh)
        self.lines = fresh

    def hide_rows(self, text: str) -> None:
        """Leave rows out whose first cell is this; "" shows all."""
        self._hidden = text
        self._rearrange()

    def wanted(self, text: str) -> None:
        """Show only rows that contain this."""
        self._wanted = text
        self._rearrange()

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """Sort by a column; -1 goes back to the document's order with flagged rows first."""
        data = column - (1 if self.holdable else 0)
        self._by = data if data >= 0 else None
        self._descending = order == Qt.SortOrder.DescendingOrder
        self._rearrange()

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's signature
        return 0 if parent.isValid() else len(self.lines)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self.table.columns) + (1 if self.holdable else 0)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid() or index.row() >= len(self.lines):
            return None
        line = self.lines[index.row()]
        at = index.column() - (1 if self.holdable else 0)
        if at < 0:
            return self._box(line, role)
        return self._cell(line, at, role) if at < len(line.texts) else None

    def _cell(self, line: Line, at: int, role: int) -> Any:
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return line.texts[at]
            case Qt.ItemDataRole.AccessibleTextRole:
                return self._spoken(line, at)
            case Role.LINE:
                return line
            case Role.KIND:
                return self.table.columns[at].kind
            case Qt.ItemDataRole.TextAlignmentRole:
                return _side(right=self.table.columns[at].right)
        return None

    def setData(self, index: Index, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:
        if role != Qt.ItemDataRole.CheckStateRole or not self.holdable or index.column() != 0:
            return False
        number = self.lines[index.row()].number
        ticked = Qt.CheckState(value) == Qt.CheckState.Checked
        (self._held.add if ticked else self._held.discard)(number)
        self.dataChanged.emit(index, index)
        self.held_changed.emit()
        return True

    def toggle(self, index: Index) -> None:
        """Tick or untick the row's box."""
        ticked = self.data(index, Qt.ItemDataRole.CheckStateRole) == Qt.CheckState.Checked
        self.setData(
            index, Qt.CheckState.Unchecked if ticked else Qt.CheckState.Checked, Qt.ItemDataRole.CheckStateRole
        )

    def flags(self, index: Index) -> Qt.ItemFlag:
        if not index.isValid():
            return Qt.ItemFlag.NoItemFlags
        plain = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemNeverHasChildren
        if self.holdable and index.column() == 0 and not self.lines[index.row()].total:
            return plain | Qt.ItemFlag.ItemIsUserCheckable
        return plain

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if orientation != Qt.Orientation.Horizontal:
            return None
        at = section - (1 if self.holdable else 0)
        if role == Qt.ItemDataRole.DisplayRole:
            return "Hold" if at < 0 else self.table.columns[at].title
        if role == Qt.ItemDataRole.FontRole:
            return font(12, 500)
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _side(right=at >= 0 and self.table.columns[at].right)
        return None

    def _box(self, line: Line, role: int) -> Any:
        if line.total:
            return line if role == Role.LINE else None
        match role:
            case Qt.ItemDataRole.CheckStateRole:
                return Qt.CheckState.Checked if line.number in self._held else Qt.CheckState.Unchecked
            case Qt.ItemDataRole.AccessibleTextRole:
                return f"Hold {line.texts[0]}"
            case Role.LINE:
                return line
        return None

    def _spoken(self, line: Line, at: int) -> str:
        said = f"{self.table.columns[at].title}: {line.texts[at]}"
        if at == 0 and line.flagged:
            said = f"Flagged. {said}"
        return f"{as_sentence(said)} {line.note}" if at == 0 and line.note else said

    def _rearrange(self) -> None:
        self.beginResetModel()
        self.lines = self._arranged()
        self.endResetModel()

    def _arranged(self) -> list[Line]:
        lines = self.table.arrange(self._wanted, self._by, descending=self._descending)
        return [line for line in lines if not self._hidden or line.texts[0] != self._hidden or self._wanted]


def _key(line: Line) -> str:
    """What a row is told from others by, when a table is looked at again."""
    return "\t".join((*line.texts, line.note))


def _side(*, right: bool) -> int:
    side = Qt.AlignmentFlag.AlignRight if right else Qt.AlignmentFlag.AlignLeft
    return int(side | Qt.AlignmentFlag.AlignVCenter)
