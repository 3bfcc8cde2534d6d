"""From the bytes of a file to its sheets, by content and not by ending; what gives none says why in a sentence."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterable
from datetime import date, datetime, time, timedelta
from typing import Any

from python_calamine import CalamineError, CalamineSheet, CalamineWorkbook, PasswordError, SheetVisibleEnum, ZipError

from weekly_report.cell_marks import MOST_CELLS, Marks, marks_of, too_large
from weekly_report.grids import Cell, Grid, Refusal
from weekly_report.text_files import MOST_ROWS, open_text

LARGEST = 50 * 1024 * 1024  # bytes of a file
_OLE = bytes.fromhex("d0cf11e0a1b11ae1")
_NO_TABLES = {b"%PDF": "a PDF", b"\x89PNG": "a picture", b"\xff\xd8\xff": "a picture", b"GIF8": "a picture"}
_PAGES = (b"<html", b"<!doctype", b"<table", b"<?xml", b"<head")
_LOCKED = "It is locked with a password. Save a copy without one."
_FAILURES = (CalamineError, ZipError, OSError, ValueError, OverflowError)


def open_file(file: str, data: bytes) -> tuple[list[Grid], list[tuple[str, str]]]:
    """The sheets of a file, and those that are not read: (name, why).

    Raises:
        Refusal: the file gives none at all.
    """
    if not data.strip():
        raise Refusal("It is empty.")
    for start, what in _NO_TABLES.items():
        if data.startswith(start):
            raise Refusal(f"It is {what}, not a spreadsheet.")
    if data[:200].lstrip(b"\xef\xbb\xbf \r\n\t").lower().startswith(_PAGES):
        raise Refusal(
            "It is a web page or XML, whatever its name says. Open it in your spreadsheet program and save it as .xlsx."
        )
    if data.startswith((b"PK", _OLE)):
        return _open_workbook(file, data)
    return [open_text(file, data)], []


def _open_workbook(file: str, data: bytes) -> tuple[list[Grid], list[tuple[str, str]]]:
    if trouble := too_large(data):
        raise Refusal(trouble)
    marks = marks_of(data)
    for name, found in marks.items():
        if found.rows * found.columns > MOST_CELLS:
            raise Refusal(
                f"Its sheet {name} spreads over {found.rows:,} rows of {found.columns:,} columns, more than is read. "
                "Delete what stands far away from the table."
            )
    try:
        book = CalamineWorkbook.from_filelike(io.BytesIO(data))
    except PasswordError as problem:
        raise Refusal(_LOCKED) from problem
    except _FAILURES as problem:
        if _is_locked(data):
            raise Refusal(_LOCKED) from problem
        raise Refusal("It is no spreadsheet that can be read, or it is damaged.") from problem
    grids: list[Grid] = []
    unread: list[tuple[str, str]] = []
    with book:
        for about in book.sheets_metadata:
            if about.visible != SheetVisibleEnum.Visible:
                unread.append(
                    (about.name, "The sheet is hidden, so nobody has looked at it. Show it to have it counted.")
                )
                continue
            try:
                grids.append(_grid(file, book.get_sheet_by_name(about.name), marks.get(about.name, Marks())))
            except Refusal as problem:
                unread.append((about.name, str(problem)))
            except _FAILURES:
                unread.append((about.name, "The sheet cannot be read."))
    return grids, unread


def _is_locked(data: bytes) -> bool:
    """Whether an Office file says that it is encrypted: its container, or the list of an OpenDocument's parts."""
    if "EncryptedPackage".encode("utf-16-le") in data:
        return True
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as packed:
            return b"encryption-data" in packed.read("META-INF/manifest.xml")
    except (zipfile.BadZipFile, KeyError, OSError, ValueError, NotImplementedError, RuntimeError):
        return False


def _grid(file: str, sheet: CalamineSheet, marks: Marks) -> Grid:
    if sheet.total_height * sheet.total_width > MOST_CELLS:
        raise Refusal(
            f"It spreads over {sheet.total_height:,} rows of {sheet.total_width:,} columns, more than is read."
        )
    rows: dict[int, list[Cell]] = {}
    left = [None] * (sheet.start[1] if sheet.start else 0)  # rows are given from the first column that holds anything
    for number, cells in enumerate(sheet.iter_rows(), start=1):
        if any(cells) or any(cell != "" for cell in cells):
            rows[number] = [*left, *map(_cell, cells)]
        if len(rows) > MOST_ROWS:
            raise Refusal(f"It has more than {MOST_ROWS:,} rows. Divide it, for example by month.")
    for row, column in marks.broken:  # a row that holds nothing but an error is a row
        there = rows.setdefault(row, [])
        there += [None] * (column + 1 - len(there))
    hidden = marks.hidden_rows
    are = (
        "1 row is hidden and counted like the others."
        if hidden == 1
        else f"{hidden:,} rows are hidden and counted like the others."
    )
    return Grid(
        file,
        sheet.name,
        dict(sorted(rows.items())),
        marks.broken,
        _merged(sheet.merged_cell_ranges or ()),
        [are] if hidden else [],
    )


def _merged(ranges: Iterable[tuple[tuple[int, int], tuple[int, int]]]) -> dict[tuple[int, int], tuple[int, int]]:
    """Each merged cell with the first of its range; a range of absurd size is left out."""
    found: dict[tuple[int, int], tuple[int, int]] = {}
    for (top, left), (bottom, right) in ranges:
        if (bottom - top + 1) * (right - left + 1) + len(found) > 100_000:
            continue
        for row in range(top, bottom + 1):
            for column in range(left, right + 1):
                if (row, column) != (top, left):
                    found[row + 1, column] = (top + 1, left)
    return found


def _cell(value: Any) -> Cell:
    match value:
        case None | "":
            return None
        case bool() | str() | datetime() | date():
            return value
        case int() | float():
            return float(value)
        case time() | timedelta():
            return str(value)
    return str(value)
