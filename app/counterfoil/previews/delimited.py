"""Tables in text files, compared by their header: which rows came and went, which cells changed, which columns came and went."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence

from counterfoil.policy.boundaries import visible
from counterfoil.previews.grids import Row, TableChange, compare_rows

LARGEST = 20_000_000  # bytes
DELIMITERS = (",", ";", "\t", "|")
_SAMPLE = 50  # rows that tell the delimiter
_MOST_COLUMNS = 500


def compare_tables(before: str | None, after: str) -> TableChange | None:
    """How a table changed; None where one of the texts is no table with at least two columns."""
    delimiter = _delimiter(after)
    new = _read(after, delimiter) if delimiter else []
    old = _read(before, delimiter) if before and delimiter else []
    if not new or (before and not old):
        return None
    if not old:
        new_rows = compare_rows([], [tuple(row) for row in new[1:]], _nowhere, first=2)
        columns = tuple(visible(name) for name in new[0])
        return TableChange("", "new", columns, added=tuple(new_rows.added), more=new_rows.more)
    return _compared(old, new)


def _nowhere(_: int, __: int) -> tuple[str, str]:
    return "", ""


def _compared(old: list[list[str]], new: list[list[str]]) -> TableChange | None:
    """By column names where these are plain; a table whose columns have other names is told as such."""
    was, now = old[0], new[0]
    if len(set(was)) != len(was) or len(set(now)) != len(now):
        return None
    shared = [name for name in now if name in set(was)]
    if 2 * len(shared) < max(len(was), len(now)):
        return None
    notes = [f"Column “{visible(name)}” is new." for name in now if name not in was]
    notes += [f"Column “{visible(name)}” is gone." for name in was if name not in now]
    if not notes and was != now:
        notes = ["The columns stand in another order."]
    columns = [*now, *(name for name in was if name not in now)]

    def place(row: int, column: int) -> tuple[str, str]:
        return f"row {row + 2}", visible(columns[column]) if column < len(columns) else f"column {column + 1}"

    found = compare_rows(_picked(old, columns), _picked(new, columns), place, first=2)
    return TableChange(
        "",
        "",
        tuple(visible(name) for name in columns),
        tuple(found.added),
        tuple(found.removed),
        tuple(found.changed),
        found.more,
        tuple(notes),
    )


def _picked(rows: list[list[str]], names: Sequence[str]) -> list[Row]:
    """The rows with these columns, in this order; cells beyond the header are kept at the end."""
    header = rows[0]
    width = len(header)
    if header == names and all(len(row) == width for row in rows):
        return [tuple(row) for row in rows[1:]]
    places = [header.index(name) if name in header else -1 for name in names]
    return [tuple([row[at] if 0 <= at < len(row) else None for at in places] + list(row[width:])) for row in rows[1:]]


def _delimiter(text: str) -> str:
    """The delimiter under which the first line has the most columns, and at least half of the next ones as many; "" where there is none."""
    found, most = "", 1
    for delimiter in DELIMITERS:
        rows = [row for row in _read(text[:200_000], delimiter, _SAMPLE) if row]
        width = len(rows[0]) if rows else 0
        if most < width <= _MOST_COLUMNS and 2 * sum(len(row) == width for row in rows) >= len(rows):
            found, most = delimiter, width
    return found


def _read(text: str, delimiter: str, most: int = 0) -> list[list[str]]:
    rows: list[list[str]] = []
    try:
        for row in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter):
            rows.append(row)
            if most and len(rows) >= most:
                break
    except csv.Error:
        return []
    while rows and not rows[-1]:
        rows.pop()
    return rows
