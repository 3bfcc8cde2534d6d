"""The inbox list as Qt sees it. Rows are put in and taken out one by one, so that selection and scroll stay where they are."""

from __future__ import annotations

from datetime import date
from enum import IntEnum
from typing import Any

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from counterfoil.desktop.inbox.rows import Entry, Group, entry_id
from counterfoil.desktop.office import InboxRow
from counterfoil.desktop.tables.stepping import steps, take
from counterfoil.desktop.words import gates, times
from counterfoil.desktop.words.plain import one_line, tip
from counterfoil.desktop.words.values import shown

Index = QModelIndex | QPersistentModelIndex
_SAID = 2000  # rows whose words are kept


class Role(IntEnum):
    """What the delegate asks for."""

    ENTRY = int(Qt.ItemDataRole.UserRole) + 1
    FIGURE = int(Qt.ItemDataRole.UserRole) + 2
    STATE = int(Qt.ItemDataRole.UserRole) + 3
    TINTED = int(Qt.ItemDataRole.UserRole) + 4


class InboxAdapter(QAbstractListModel):
    """Entries in order; texts that depend on the present are worked out when it is set, never while painting."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.entries: list[Entry] = []
        self._ids: list[str] = []
        self._now = 0
        self._tinted: set[str] = set()
        self._said: dict[str, tuple[InboxRow, tuple[str, str, str]]] = {}

    def show_entries(self, entries: list[Entry], now_us: int, changed: set[str] | None = None) -> None:
        """Show these; rows in `changed` are tinted until `settle`."""
        self._tinted |= changed or set()
        if now_us // times.MINUTE != self._now // times.MINUTE or len(self._said) > _SAID:
            self._said.clear()
        self._now = now_us
        if entries is not self.entries and not self._take(entries):
            return
        if entries:
            self.dataChanged.emit(self.index(0), self.index(len(entries) - 1))

    def settle(self) -> None:
        """The tint of changed rows ends."""
        self._tinted.clear()
        if self.entries:
            self.dataChanged.emit(self.index(0), self.index(len(self.entries) - 1))

    def row_of(self, gate_id: str) -> int:
        """Where a gate stands, -1 where it does not."""
        try:
            return self._ids.index(gate_id)
        except ValueError:
            return -1

    def gate_at(self, row: int) -> InboxRow | None:
        """The gate at a row; None for a heading."""
        entry = self.entries[row] if 0 <= row < len(self.entries) else None
        return entry if isinstance(entry, InboxRow) else None

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's signature
        return 0 if parent.isValid() else len(self.entries)

    def flags(self, index: Index) -> Qt.ItemFlag:
        if not index.isValid() or isinstance(self.entries[index.row()], Group):
            return Qt.ItemFlag.NoItemFlags
        return Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemNeverHasChildren

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid() or index.row() >= len(self.entries):
            return None
        entry = self.entries[index.row()]
        if role == Role.ENTRY:
            return entry
        if isinstance(entry, Group):
            words = f"{entry.title}, {entry.count}" if entry.count else entry.title
            return words if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole) else None
        return self._of_row(entry, role)

    def _of_row(self, row: InboxRow, role: int) -> Any:
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return row.title
            case Qt.ItemDataRole.AccessibleTextRole:
                return self._words(row)[2]
            case Qt.ItemDataRole.ToolTipRole:
                told = (one_line(row.title), one_line(row.why), f"Asked {times.full(row.asked_at)}")
                return tip("\n".join(filter(None, told)))
            case Role.FIGURE:
                return self._words(row)[0]
            case Role.STATE:
                return self._words(row)[1]
            case Role.TINTED:
                return row.gate_id in self._tinted
        return None

    def _words(self, row: InboxRow) -> tuple[str, str, str]:
        """Key figure, state words, and the whole row as one sentence."""
        known = self._said.get(row.gate_id)
        if known is None or known[0] != row:
            figure = figure_words(row, times.local(self._now).date())
            state = state_words(row, self._now)
            kind = gates.KIND_WORDS.get(row.kind, "")
            title = f"{kind}: {row.title}" if kind else row.title
            bare = row.due_at is not None and state == times.when(row.due_at, self._now)  # its clock is not heard
            heard = f"Decide by {times.in_sentence(state)}" if bare else state
            sentence = gates.summary_of_row(title, figure, row.why, row.template, heard)
            known = self._said[row.gate_id] = (row, (figure, state, f"Unread. {sentence}" if row.unread else sentence))
        return known[1]

    def _take(self, entries: list[Entry]) -> bool:
        """Show other entries: step by step where the rest keeps its order, else anew; whether what stays still needs to be painted."""
        ids = [entry_id(entry) for entry in entries]
        way = steps(self._ids, ids) if ids != self._ids else None
        if way is not None:
            self.entries = list(self.entries)
            take(self, way, self.entries, entries)
        anew = way is None and ids != self._ids
        if anew:
            self.beginResetModel()
        self.entries, self._ids = entries, ids
        if anew:
            self.endResetModel()
        return not anew


def figure_words(row: InboxRow, today: date) -> str:
    """The key figure: `€1,320.00`, `112 prices`."""
    if row.figure is None:
        return ""
    words = shown(row.figure, today)
    bare = isinstance(row.figure, int) and row.figure_label
    return f"{words} {one_line(row.figure_label[:1].lower() + row.figure_label[1:])}" if bare else words


def state_words(row: InboxRow, now_us: int) -> str:
    """The right end of the third line: what presses, or how it ended."""
    if row.closed:
        return row.closed
    if row.asleep_until is not None:
        return f"Back {times.in_sentence(times.when(row.asleep_until, now_us))}"
    if row.others:
        return row.handed
    if row.needed > 1:
        return f"{row.given} of {row.needed} approvals"
    if row.draft:
        return "Draft"
    if row.due_at is not None:
        return times.left(row.due_at, now_us)
    if row.handed:
        return row.handed
    return f"Asked {times.in_sentence(times.since(row.asked_at, now_us))}"
