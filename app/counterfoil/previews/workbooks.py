"""Spreadsheets in the confined child: sheets read by calamine, formulas beside their values, compared cell by cell.

Only `reader` loads this module.
"""

from __future__ import annotations

import io
from dataclasses import dataclass, field
from typing import Any

from python_calamine import CalamineError, CalamineWorkbook, PasswordError, SheetVisibleEnum

from counterfoil.previews.formulas import formulas_of
from counterfoil.previews.grids import Found, Row, TableChange, Value, compare_rows, letters
from counterfoil.previews.preview import Refused

MOST_CELLS = 4_000_000  # of a workbook; beyond it a sheet is told and not read
MOST_SHEETS = 200


@dataclass(slots=True)
class Sheet:
    """One sheet: rows from the first row and column on, which sheets may hide, and why it was not read ("" when it was)."""

    rows: list[Row] = field(default_factory=list)
    hidden: bool = False
    unread: str = ""


def work(before: bytes | None, after: bytes) -> dict[str, Any]:
    """How a workbook changed: `{"tables": […]}`.

    Raises:
        Refused: one of them cannot be read.
    """
    old, old_note = _read(before, "The file as it was") if before is not None else ({}, "")
    new, note = _read(after, "The new file")
    tables = [_sheet_change(name, old.get(name), sheet) for name, sheet in new.items()]
    tables += [_sheet_change(name, sheet, None) for name, sheet in old.items() if name not in new]
    changed = [table.to_json() for table in tables if not table.is_same]
    return {"tables": changed, "sheets": len(new), "note": note or old_note}


def _read(data: bytes, what: str) -> tuple[dict[str, Sheet], str]:
    """The sheets of a workbook, and a sentence where its formulas are not among them."""
    try:
        with CalamineWorkbook.from_filelike(io.BytesIO(data)) as book:
            formulas, note = _formulas(data)
            return _sheets(book, formulas), note
    except PasswordError as problem:
        raise Refused(f"{what} is locked with a password.") from problem
    except (CalamineError, OSError, ValueError) as problem:
        raise Refused(f"{what} is locked with a password, or is no spreadsheet that can be read.") from problem


def _formulas(data: bytes) -> tuple[dict[str, dict[tuple[int, int], str]], str]:
    """Formulas by sheet, and a sentence where they are not to be had."""
    try:
        found = formulas_of(data)
    except Exception:  # noqa: BLE001 - values are shown without them
        return {}, "Formulas could not be read; only values are compared."
    return (
        (found, "")
        if found is not None
        else ({}, "Formulas are not read in this form of file; only values are compared.")
    )


def _sheets(book: CalamineWorkbook, formulas: dict[str, dict[tuple[int, int], str]]) -> dict[str, Sheet]:
    sheets: dict[str, Sheet] = {}
    left = MOST_CELLS
    for about in book.sheets_metadata[:MOST_SHEETS]:
        made = sheets[about.name] = Sheet(hidden=about.visible != SheetVisibleEnum.Visible)
        try:
            sheet = book.get_sheet_by_name(about.name)
        except (CalamineError, ValueError) as problem:
            made.unread = f"It cannot be read ({type(problem).__name__})."
            continue
        cells = sheet.total_height * sheet.total_width
        if cells > left:
            made.unread = f"It has {sheet.total_height:,} rows of {sheet.total_width:,} cells, too many to compare."
            continue
        left -= cells
        rows = [tuple([_value(cell) for cell in row]) for row in sheet.to_python(skip_empty_area=False)]
        made.rows = _with_formulas(rows, formulas.get(about.name, {}))
    return sheets


def _value(cell: Any) -> Value:
    """A value that equals no other kind's: true is not 1."""
    if cell is True or cell is False:
        return "TRUE" if cell else "FALSE"
    value: Value = cell
    return value


def _with_formulas(rows: list[Row], formulas: dict[tuple[int, int], str]) -> list[Row]:
    """The rows with `value (=formula)` in cells that are worked out."""
    by_row: dict[int, list[tuple[int, str]]] = {}
    for (row, column), formula in formulas.items():
        by_row.setdefault(row, []).append((column, formula))
    for number, found in by_row.items():
        if number >= len(rows):
            rows.extend(() for _ in range(min(number + 1, 1_048_576) - len(rows)))
        if number < len(rows):
            cells: list[Value] = list(rows[number])
            for column, formula in found:
                cells += [""] * (column + 1 - len(cells))
                cells[column] = _worked_out(cells[column], formula)
            rows[number] = tuple(cells)
    return rows


def _worked_out(value: Value, formula: str) -> str:
    text = "" if value in (None, "") else _plain(value)
    return f"{text} (={formula})" if text else f"={formula}"


def _plain(value: Value) -> str:
    return str(int(value)) if isinstance(value, float) and value.is_integer() and abs(value) < 1e15 else str(value)


def _sheet_change(name: str, old: Sheet | None, new: Sheet | None) -> TableChange:
    here = new or old or Sheet()
    notes = [sheet.unread for sheet in (old, new) if sheet is not None and sheet.unread]
    if new is not None and new.hidden and (old is None or not old.hidden):
        notes.append("It is hidden.")
    elif old is not None and new is not None and old.hidden and not new.hidden:
        notes.append("It is hidden no more.")
    what = "new" if old is None else "removed" if new is None else ""
    found = Found()
    if not any(sheet is not None and sheet.unread for sheet in (old, new)):
        found = compare_rows(old.rows if old else [], new.rows if new else [], _place)
    width = max((len(line.cells) for line in (*found.added, *found.removed)), default=0)
    return TableChange(
        name if not here.hidden else f"{name} (hidden)",
        what,
        tuple(letters(column) for column in range(width)),
        tuple(found.added),
        tuple(found.removed),
        tuple(found.changed),
        found.more,
        tuple(notes),
    )


def _place(row: int, column: int) -> tuple[str, str]:
    return f"{letters(column)}{row + 1}", letters(column)
