"""Two tables compared: rows that came and went, cells that changed. Values are compared, not spellings of files."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from datetime import date, datetime, time, timedelta
from typing import Any

from counterfoil.policy.boundaries import visible
from counterfoil.previews.aligning import aligned

MOST_ROWS = 1_000  # rows added, and as many removed, that are shown of a table
MOST_CELLS = 2_000  # changed cells that are shown of a table
_LONGEST_CELL = 400  # signs
_MOST_COLUMNS = 60  # of a row that is shown

Value = str | float | bool | date | datetime | time | timedelta | None
Row = tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell that changed: where (`B7`, or `row 12`), under which column, before and after as people read it."""

    at: str
    column: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class Line:
    """A whole row: its number from 1 as the program that made it counts, and its cells."""

    number: int
    cells: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TableChange:
    """How one table changed. `what` is "" or "new" or "removed"; `more` counts what is not shown; `notes` are sentences."""

    name: str
    what: str = ""
    columns: tuple[str, ...] = ()
    added: tuple[Line, ...] = ()
    removed: tuple[Line, ...] = ()
    changed: tuple[Cell, ...] = ()
    more: int = 0
    notes: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """As plain JSON: rows as `[number, cells]`."""
        return {
            **asdict(self),
            "added": [[line.number, list(line.cells)] for line in self.added],
            "removed": [[line.number, list(line.cells)] for line in self.removed],
        }

    @property
    def is_same(self) -> bool:
        """Whether nothing changed that is compared."""
        return not (self.what or self.added or self.removed or self.changed or self.notes)


@dataclass(slots=True)
class Found:
    """What was found so far, within its bounds."""

    added: list[Line] = field(default_factory=list)
    removed: list[Line] = field(default_factory=list)
    changed: list[Cell] = field(default_factory=list)
    more: int = 0

    def row(self, rows: list[Line], number: int, row: Row) -> None:
        """A row came or went."""
        if len(rows) < MOST_ROWS:
            rows.append(Line(number, tuple(cell_text(value) for value in row[:_MOST_COLUMNS])))
        else:
            self.more += 1

    def cell(self, at: str, column: str, before: Value, after: Value) -> None:
        """A cell changed."""
        if len(self.changed) < MOST_CELLS:
            self.changed.append(Cell(at, column, cell_text(before), cell_text(after)))
        else:
            self.more += 1


Place = Callable[[int, int], tuple[str, str]]  # row and column from 0 -> where it is, under which column


def compare_rows(old: Sequence[Row], new: Sequence[Row], place: Place, first: int = 1) -> Found:
    """Rows of two tables with the same columns; `first` is the number of the first row."""
    found = Found()
    for block in aligned(old, new):
        if not block.same:
            _replaced(found, old, new, (block.a0, block.a1, block.b0, block.b1), place, first)
    return found


def _replaced(
    found: Found, old: Sequence[Row], new: Sequence[Row], span: tuple[int, int, int, int], place: Place, first: int
) -> None:
    """Rows that were replaced: those of one key are one row that changed, as are as many as there were; the others came or went."""
    a0, a1, b0, b1 = span
    if a1 - a0 == b1 - b0 and all(_is_akin(old[a0 + at], new[b0 + at]) for at in range(a1 - a0)):
        pairs = [(a0 + at, b0 + at) for at in range(a1 - a0)]
    else:
        keys = aligned([_key(row) for row in old[a0:a1]], [_key(row) for row in new[b0:b1]])
        pairs = [
            (a0 + block.a0 + at, b0 + block.b0 + at)
            for block in keys
            if block.same
            for at in range(block.a1 - block.a0)
        ]
    was, now = {one for one, _ in pairs}, {other for _, other in pairs}
    for at in range(a0, a1):
        if at not in was:
            found.row(found.removed, at + first, old[at])
    for one, other in pairs:
        _cells(found, old[one], new[other], other, place)
    for at in range(b0, b1):
        if at not in now:
            found.row(found.added, at + first, new[at])


def _cells(found: Found, was: Row, now: Row, row: int, place: Place) -> None:
    for column in range(max(len(was), len(now))):
        before = was[column] if column < len(was) else None
        after = now[column] if column < len(now) else None
        if before != after and (before or after or before == 0 or after == 0):
            found.cell(*place(row, column), before, after)


def _key(row: Row) -> Value:
    """What tells a row from others: its first cell that is not empty."""
    return next((value for value in row if value not in (None, "")), None)


def _is_akin(was: Row, now: Row) -> bool:
    """Whether two rows have enough in common to be one that changed."""
    if _key(was) == _key(now) or max(len(was), len(now)) < 2:
        return True
    same = sum(one == other for one, other in zip(was, now, strict=False) if one not in (None, ""))
    return 2 * same >= max(len(was), len(now), 1)


def cell_text(value: Value) -> str:
    """A value as people read it: no rounding, dates as ISO, what hides spelled out, a very long one cut."""
    match value:
        case None:
            return ""
        case bool():
            return "TRUE" if value else "FALSE"
        case float():
            return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)
        case datetime():
            text = value.isoformat(sep=" ", timespec="auto")
            return text.removesuffix(" 00:00:00")
        case date() | time():
            return value.isoformat()
        case timedelta():
            return str(value)
        case _:
            text = str(value)
    if len(text) > _LONGEST_CELL:
        text = f"{text[:_LONGEST_CELL]}… ({len(text) - _LONGEST_CELL:,} more signs)"
    return " ⏎ ".join(visible(part) for part in text.replace("\r\n", "\n").split("\n"))


def letters(column: int) -> str:
    """A column from 0 as spreadsheets name it: A, Z, AA."""
    name = ""
    column += 1
    while column:
        column, rest = divmod(column - 1, 26)
        name = chr(ord("A") + rest) + name
    return name
