"""Rows and cells of a sheet with their places; those that a program left out are counted on, and written down."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from counterfoil.authoring.agents.formula_words import column_of, letters_of

CELL = re.compile(r"([A-Z]{1,3})([1-9][0-9]{0,6})")  # a place, such as B7

Spot = tuple[int, int]  # row and column, from 1


def numbered_rows(data: Any) -> Iterator[tuple[int, Any]]:
    """The rows of a sheet's data with their numbers."""
    number = 0
    for row in data.iterchildren("{*}row"):
        number = int(row.get("r", number + 1))
        row.set("r", str(number))
        yield number, row


def numbered_cells(row: Any, number: int) -> Iterator[tuple[int, Any]]:
    """The cells of a row with the numbers of their columns."""
    column = 0
    for cell in row.iterchildren("{*}c"):
        match = CELL.fullmatch(cell.get("r", ""))
        column = column_of(match[1]) if match else column + 1
        cell.set("r", f"{letters_of(column)}{number}")
        yield column, cell
