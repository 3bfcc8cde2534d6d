"""The cells of a spreadsheet: read as text, a page at a time, and written one by one. Both in a child of the host, because nobody vouches
for the file."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Any

from counterfoil.authoring.agents.cell_writing import LONGEST_TEXT, New, Writing
from counterfoil.authoring.agents.file_tools import text_of
from counterfoil.authoring.agents.paging import Refused, cut, page_of
from counterfoil.authoring.agents.workbook_parts import blank, parts_of
from counterfoil.authoring.file_door import files
from counterfoil.authoring.file_view import FileRefused

MOST_BYTES = 50 * 1024 * 1024
MOST_COLUMNS = 60
MOST_WRITTEN = 5_000  # cells at a time
_LONGEST_CELL = 400
_MOST_DIGITS = 15  # a spreadsheet keeps no more of a number


@dataclass(frozen=True)
class Cell:
    """What a cell is to hold; one of the four is given. An empty text empties it."""

    at: str
    text: str | None = None
    number: Decimal | None = None
    day: date | None = None
    formula: str | None = None


def read_cells(path: str, sheet: str = "", first_row: int = 1, rows: int = 200, first_column: int = 1) -> str:
    """Read the cells of a spreadsheet (.xlsx, .xlsm, .xls, .ods) or a .csv file: values row by row, each row with its number as a
    spreadsheet program shows it, cells between | signs. Without `sheet` it is the first one; the names of all sheets are told. The values
    are those that were last worked out; formulas are not shown."""
    start = max(first_column, 1) - 1
    if path.lower().endswith((".csv", ".tsv")):
        names, name, grid = [path], path, _separated(text_of(path), path)
    else:
        names, name, grid = _workbook(files().read(path, limit=MOST_BYTES), path, sheet)
    if sheet and sheet not in names:
        raise Refused(f"“{path}” has no sheet “{sheet}”; it has: {', '.join(names)}.")
    width = max((len(row) for row in grid), default=0)
    lines = [
        f"{n}: {' | '.join(cut(_shown(cell), _LONGEST_CELL) for cell in row[start : start + MOST_COLUMNS])}"
        for n, row in enumerate(grid, 1)
    ]
    told = f"“{path}”" + (f", sheet “{name}” of {', '.join(names)}" if len(names) > 1 else "")
    last = min(width, start + MOST_COLUMNS)
    columns = f", columns {start + 1} to {last} of {width}" if width else ""
    return page_of(lines, first_row, rows, what=told + columns, unit="row")


def write_cells(path: str, cells: list[Cell], sheet: str = "", replace_formulas: bool = False) -> str:
    """Write cells of an .xlsx or .xlsm file: each at a place such as B7, holding a text, a number, a day or a formula. All else in the
    file stays as it is, and so does how cells look. A text stays a text, even if it begins with =. A formula works with cells of this
    file, such as =SUM(B2:B6). A value takes the place of a formula only with replace_formulas=true. Without `sheet` it is the first one;
    a file that is not there is made."""
    if not path.lower().endswith((".xlsx", ".xlsm")):
        raise Refused(
            f"“{path}” is no .xlsx or .xlsm file; other spreadsheets can be read only, and .csv files are text."
        )
    if not 0 < len(cells) <= MOST_WRITTEN:
        raise Refused(f"Give from 1 to {MOST_WRITTEN:,} cells at a time.")
    news = [_new(cell) for cell in cells]
    door = files()
    is_new = not door.exists(path)
    if is_new and path.lower().endswith(".xlsm"):
        raise Refused(f"“{path}” is not there; a new file must be an .xlsx one.")
    parts = parts_of(blank() if is_new else door.read(path, limit=MOST_BYTES), path)
    try:
        name = parts.named(sheet, is_new=is_new)
        Writing(parts, name, path).write(news, formulas=replace_formulas)
        door.write(path, parts.written())
    except (Refused, FileRefused):
        raise
    except Exception as problem:
        raise Refused(f"“{path}” cannot be changed: it is damaged or no real spreadsheet.") from problem
    count = f"{len(news):,} cell{'s are' if len(news) > 1 else ' is'}"
    return f"{count} written in “{path}”, sheet “{name}”. Formulas that draw on them have no value until somebody opens the file."


def _new(cell: Cell) -> New:
    given = [value for value in (cell.text, cell.number, cell.day, cell.formula) if value is not None]
    if len(given) != 1:
        raise Refused(f"Give for {cell.at} one of text, number, day and formula.")
    if isinstance(given[0], str) and len(given[0]) > LONGEST_TEXT:
        raise Refused(f"The text for {cell.at} is longer than {LONGEST_TEXT:,} characters.")
    if cell.number is not None and len(cell.number.normalize().as_tuple().digits) > _MOST_DIGITS:
        raise Refused(
            f"The number for {cell.at} has more than {_MOST_DIGITS} digits, which no spreadsheet keeps; give it as text."
        )
    if cell.day is not None and cell.day < date(1900, 3, 1):
        raise Refused(f"The day for {cell.at} is before March 1900, which no spreadsheet counts; give it as text.")
    if cell.formula is not None:
        return New(cell.at, cell.formula.removeprefix("="), is_formula=True)
    return New(cell.at, given[0])


def _workbook(data: bytes, path: str, wanted: str) -> tuple[list[str], str, list[list[Any]]]:
    from python_calamine import CalamineError, CalamineWorkbook, PasswordError

    try:
        with CalamineWorkbook.from_filelike(io.BytesIO(data)) as book:
            names = list(book.sheet_names)
            if not names:
                raise Refused(f"“{path}” has no sheets.")
            name = wanted if wanted in names else names[0]
            return names, name, book.get_sheet_by_name(name).to_python(skip_empty_area=False)
    except PasswordError as problem:
        raise Refused(f"“{path}” is locked with a password.") from problem
    except (CalamineError, OSError, ValueError) as problem:
        raise Refused(f"“{path}” is no spreadsheet that can be read.") from problem


def _separated(text: str, path: str) -> list[list[Any]]:
    try:
        rules: Any = csv.Sniffer().sniff(text[:8192], delimiters=",;\t|")
    except csv.Error:
        rules = csv.excel
    try:
        return [list(row) for row in csv.reader(io.StringIO(text), rules)]
    except csv.Error as problem:
        raise Refused(f"“{path}” cannot be read as a table: {problem}.") from problem


def _shown(cell: Any) -> str:
    if isinstance(cell, float) and cell.is_integer() and abs(cell) < 1e15:
        return str(int(cell))
    return " ".join(str(cell).split())
