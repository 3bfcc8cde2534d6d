"""Finding the tables of a sheet: where the header stands, what its columns are called, which rows lie beneath.

Titles above the header, headers of two rows, headers that come again and tables below each other are found; a table may have none.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import date

from weekly_report.amounts import written
from weekly_report.days import read_day
from weekly_report.grids import Cell, Grid, is_blank, letters, text_of
from weekly_report.vocabulary import CREDITS, DEBITS, speaks_of, speaks_of_amount, speaks_of_date, words_of

_HEADER_WITHIN = 60  # rows with anything in them, of which one is the header


@dataclass(slots=True)
class Table:
    """Rows beneath a header: `names` of its columns, each once; `header` its row from 1, 0 for none; `above` what stands before."""

    grid: Grid
    header: int
    names: list[str]
    body: list[int]
    above: str = ""
    repeated: list[int] = field(default_factory=list)  # rows that say the header again

    def cell(self, row: int, column: int) -> Cell:
        """What stands in a cell; text and days reach over the cells they are merged with, numbers do not."""
        cells = self.grid.rows.get(row, [])
        found = cells[column] if column < len(cells) else None
        first = self.grid.merged.get((row, column)) if is_blank(found) else None
        if first is None or first[0] <= self.header:
            return found
        shared = self.cell(*first)
        reaches = isinstance(shared, date) or (isinstance(shared, str) and written(shared) is None)
        return shared if reaches else None

    def cells(self, column: int) -> list[Cell]:
        """The cells of a column that hold something, from top to bottom."""
        found = [self.cell(row, column) for row in self.body]
        return [cell for cell in found if not is_blank(cell)]

    @property
    def width(self) -> int:
        """How many columns it has."""
        return len(self.names)

    @property
    def signature(self) -> str:
        """What its columns are called, in their order; what was answered about a table holds for those that say the same."""
        return (
            " | ".join(" ".join(words_of(name)) or "-" for name in self.names)
            if self.header
            else f"{self.width} columns"
        )


def tables_of(grid: Grid) -> list[Table]:
    """The tables of a sheet, from top to bottom and from left to right; none where no row has a day and a number."""
    return [table for part in _side_by_side(grid) for table in _stacked(part)]


def _side_by_side(grid: Grid) -> list[Grid]:
    """A sheet for each of the tables that stand beside each other with empty columns between; the sheet itself where they do not."""
    header = next((row for row, cells in grid.rows.items() if _is_header(cells)), None)
    if header is None:
        return [grid]
    below = [cells for row, cells in grid.rows.items() if row >= header]
    used = sorted({at for cells in below for at, cell in enumerate(cells) if not is_blank(cell)})
    starts = [at for at in used if at - 1 not in used]
    blocks = [range(start, end) for start, end in zip(starts, [*starts[1:], used[-1] + 1], strict=True)]
    parts = [block for block in blocks if _is_header(grid.rows[header][block.start : block.stop])]
    return [_only(grid, header, block) for block in parts] if len(parts) > 1 and len(parts) == len(blocks) else [grid]


def _only(grid: Grid, header: int, columns: range) -> Grid:
    """A sheet with some of the columns from its header on; what stands above is about all of them."""
    rows: dict[int, list[Cell]] = {}
    for row, cells in grid.rows.items():
        kept = cells if row < header else [cell if at in columns else None for at, cell in enumerate(cells)]
        if any(not is_blank(cell) for cell in kept) or any((row, at) in grid.broken for at in columns):
            rows[row] = kept
    return replace(grid, rows=rows)


def _stacked(grid: Grid) -> list[Table]:
    rows = list(grid.rows)
    headers = [row for row in rows if _is_header(grid.rows[row])]
    if not headers:
        found = _header_before_data(grid, rows)
        if found is None:
            return []
        headers = [found]
    tables: list[Table] = []
    for header in headers:
        if tables and _words(grid, header) == _words(grid, tables[-1].header):
            tables[-1].repeated.append(header)
            continue
        tables.append(_table(grid, header, rows))
    for table, after in zip(tables, [*tables[1:], None], strict=True):
        end = after.header if after else rows[-1] + 1
        table.body = [row for row in table.body if row < end and row not in table.repeated]
    return tables


def _is_header(cells: Sequence[Cell]) -> bool:
    """Whether a row of texts speaks of days and of amounts."""
    texts = [cell for cell in cells if not is_blank(cell)]
    if len(texts) < 2 or not all(isinstance(cell, str) and _is_name(cell) for cell in texts):
        return False
    names = [text_of(cell) for cell in texts]
    has_day = [speaks_of_date(name) for name in names]
    has_amount = [speaks_of_amount(name) or speaks_of(name, DEBITS | CREDITS) for name in names]
    return any(
        day and amount for at, day in enumerate(has_day) for other, amount in enumerate(has_amount) if at != other
    )


def _is_name(text: str) -> bool:
    return written(text) is None and read_day(text) is None


def _header_before_data(grid: Grid, rows: list[int]) -> int | None:
    """The row above the first that holds a day and a number, where it holds names; 0 where there is no header, None where no data."""
    for at, row in enumerate(rows[:_HEADER_WITHIN]):
        if not _is_data(grid.rows[row]):
            continue
        above = [cell for cell in grid.rows[rows[at - 1]] if not is_blank(cell)] if at else []
        named = len(above) >= 2 and all(isinstance(cell, str) and _is_name(cell) for cell in above)
        return rows[at - 1] if named else 0
    return None


def _is_data(cells: Sequence[Cell]) -> bool:
    days = {at for at, cell in enumerate(cells) if isinstance(cell, date | str) and read_day(cell) is not None}
    numbers = {at for at, cell in enumerate(cells) if _is_number(cell)}
    return bool(days) and bool(numbers - days)


def _is_number(cell: Cell) -> bool:
    return (isinstance(cell, float) and not isinstance(cell, bool)) or (
        isinstance(cell, str) and written(cell) is not None
    )


def _table(grid: Grid, header: int, rows: list[int]) -> Table:
    below = [row for row in rows if row > header]
    second = below[0] if header and below and _is_second_header(grid, header, below[0]) else 0
    body = below[1:] if second else below
    widest = max((len(grid.rows[row]) for row in [*body, *([header] if header else [])]), default=0)
    above = [text_of(cell) for row in rows if row < header for cell in grid.rows[row] if isinstance(cell, str)]
    names = _names(grid, header, second, widest)
    return Table(grid, header, names, body, " ".join(above[-40:]))


def _is_second_header(grid: Grid, header: int, row: int) -> bool:
    """Whether the row below the header goes on with it: names only, two at least or one where the header is empty."""
    if row != header + 1 or _is_header(grid.rows[row]):
        return False
    there = {at: cell for at, cell in enumerate(grid.rows[row]) if not is_blank(cell)}
    if not all(isinstance(cell, str) and _is_name(cell) for cell in there.values()):
        return False
    if any(place in grid.broken for place in ((row, at) for at in range(len(grid.rows[row])))):
        return False
    head = grid.rows[header]
    return any(at >= len(head) or is_blank(head[at]) for at in there)


def _names(grid: Grid, header: int, second: int, width: int) -> list[str]:
    if not header:
        return [f"column {letters(column)}" for column in range(width)]
    plain = [_name(grid, header, second, column) for column in range(width)]
    often = Counter(name.casefold() for name in plain)
    return [
        name if name and often[name.casefold()] == 1 else f"{name} (column {letters(column)})".strip()
        for column, name in enumerate(plain)
    ]


def _name(grid: Grid, header: int, second: int, column: int) -> str:
    """What a column is called, with the words of a cell that reaches over it."""
    own = _text(grid, header, column)
    if second:
        parent = own or _left(grid, header, column)
        return " ".join(part for part in (parent, _text(grid, second, column)) if part)
    first = grid.merged.get((header - 1, column), (header - 1, column))
    reaches = any(place[0] == header - 1 and origin == first for place, origin in grid.merged.items())
    parent = _text(grid, *first) if reaches and first[0] == header - 1 else ""
    return " ".join(part for part in (parent, own) if part)


def _text(grid: Grid, row: int, column: int) -> str:
    cells = grid.rows.get(row, [])
    return text_of(cells[column]) if column < len(cells) else ""


def _left(grid: Grid, row: int, column: int) -> str:
    """The nearest name to the left, which a merged cell or an empty one of a text file stands for."""
    return next((name for at in range(column, -1, -1) if (name := _text(grid, row, at))), "")


def _words(grid: Grid, row: int) -> list[tuple[str, ...]]:
    return [words_of(text_of(cell)) for cell in grid.rows.get(row, []) if not is_blank(cell)]
