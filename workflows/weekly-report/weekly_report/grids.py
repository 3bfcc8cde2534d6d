"""What a sheet is here: its cells as they stand, each with the place it came from. Nothing is understood yet."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date, datetime
from decimal import Decimal

from counterfoil.policy.boundaries import visible

Cell = str | float | bool | date | datetime | None

LONGEST_CELL = 200  # signs of a cell that are shown


class Refusal(Exception):
    """A file or sheet gives no rows; the message is a sentence for people."""


@dataclass(frozen=True, slots=True)
class Grid:
    """One sheet, or a text file. `rows` are those with anything in them: row number from 1 -> cells from column A on.

    `broken` says of a cell (row from 1, column from 0) why it has no value: `#REF!`, or that its formula was never worked out.
    `merged` names the first cell of those that a cell is merged with.
    """

    file: str
    sheet: str  # "" for a text file
    rows: dict[int, list[Cell]]
    broken: dict[tuple[int, int], str] = field(default_factory=dict)
    merged: dict[tuple[int, int], tuple[int, int]] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)  # sentences on what deserves a look
    remark: str = ""  # a sentence on how it was read, that deserves none

    @property
    def name(self) -> str:
        """The sheet for people."""
        return sheet_name(self.file, self.sheet)


def sheet_name(file: str, sheet: str) -> str:
    """A sheet for people: `sales.xlsx › November`, or the file alone."""
    name = visible(file.rpartition("/")[2])
    return f"{name} › {visible(sheet)}" if sheet else name


def letters(column: int) -> str:
    """A column from 0 as spreadsheets name it: A, Z, AA."""
    name = ""
    column += 1
    while column:
        column, rest = divmod(column - 1, 26)
        name = chr(ord("A") + rest) + name
    return name


def place(row: int, column: int) -> str:
    """A cell as spreadsheets name it: row from 1, column from 0."""
    return f"{letters(column)}{row}"


def is_blank(cell: Cell) -> bool:
    """Whether a cell holds nothing that can be seen."""
    return cell is None or (isinstance(cell, str) and not cell.strip())


def exact(number: float) -> Decimal:
    """A number as the spreadsheet shows it: fifteen digits, which is what was typed and not what binary made of it."""
    return Decimal(format(number, ".15g"))


def text_of(cell: Cell) -> str:
    """A cell as people read it, on one line, signs that hide spelled out; very long ones are cut."""
    match cell:
        case None:
            return ""
        case bool():
            return "TRUE" if cell else "FALSE"
        case float():
            return f"{exact(cell):f}"
        case datetime():
            return cell.isoformat(sep=" ").removesuffix(" 00:00:00")
        case date():
            return cell.isoformat()
    text = visible(" ".join(cell.split()))
    return text if len(text) <= LONGEST_CELL else f"{text[:LONGEST_CELL]}…"
