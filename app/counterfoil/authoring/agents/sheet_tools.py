"""The cells of a spreadsheet as text, a page at a time. Read in a child of the host, because nobody vouches for the file."""

from __future__ import annotations

import csv
import io
from typing import Any

from counterfoil.authoring.agents.file_tools import text_of
from counterfoil.authoring.agents.paging import Refused, cut, page_of
from counterfoil.authoring.file_door import files

MOST_BYTES = 50 * 1024 * 1024
MOST_COLUMNS = 60
_LONGEST_CELL = 400


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
