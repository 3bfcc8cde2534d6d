"""Formulas of spreadsheets as far as a writer of cells has to understand them: which cells one draws on, and whether one that an agent
writes does arithmetic on its own workbook and nothing else.

What is not understood counts as drawing on everything, and is not written.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field

LAST_ROW, LAST_COLUMN = 1_048_576, 16_384
# arithmetic, choosing and text on cells of the workbook; nothing that fetches, links, or reads what it is told to by a text
FUNCTIONS = frozenset(
    "ABS AND AVERAGE AVERAGEIF AVERAGEIFS CEILING CONCATENATE COUNT COUNTA COUNTBLANK COUNTIF COUNTIFS DATE DAY DAYS EDATE"
    " EOMONTH EXACT FIND FLOOR HLOOKUP IF IFERROR INDEX INT ISBLANK ISERROR ISNUMBER ISTEXT LARGE LEFT LEN LOWER MATCH MAX"
    " MEDIAN MID MIN MOD MONTH NETWORKDAYS NOT OR PRODUCT PROPER RANK RIGHT ROUND ROUNDDOWN ROUNDUP SEARCH SMALL SQRT SUBSTITUTE"
    " SUBTOTAL SUM SUMIF SUMIFS SUMPRODUCT TEXT TRIM UPPER VALUE VLOOKUP WEEKDAY WORKDAY YEAR".split()
)
_UNSTEADY = frozenset(("INDIRECT", "OFFSET"))  # they draw on cells that they do not name
_TEXT = re.compile(r'"(?:[^"]|"")*"')
_POINT = r"\$?[A-Z]{1,3}\$?[0-9]{1,7}|\$?[A-Z]{1,3}(?=:)|\$?[0-9]{1,7}(?=:)"
_AREA = re.compile(
    r"(?<![\w.$:!])(?:(?P<sheet>'(?:[^']|'')+'|[^\W\d][\w.]*)!)?"
    rf"(?P<first>{_POINT})(?::(?P<last>\$?[A-Z]{{1,3}}\$?[0-9]{{1,7}}|\$?[A-Z]{{1,3}}|\$?[0-9]{{1,7}}))?(?![\w.(!:])"
)
_CORNER = re.compile(r"(\$?)([A-Z]*)(\$?)([0-9]*)")
_CALL = re.compile(r"([A-Za-z_][\w.]*)\s*\(")
_NUMBER = re.compile(r"(?<![\w.])[0-9]+(?:\.[0-9]+)?(?:E[+-]?[0-9]+)?(?![\w.])")
_SIGNS = re.compile(r"[\s+\-*/^&=<>(),;%{}]*")


@dataclass(frozen=True, slots=True)
class Area:
    """Cells that a formula names, both ends included, from 1; a number that is `fixed` does not move with the formula. `sheet` is ""
    for its own."""

    sheet: str
    rows: tuple[int, int]
    columns: tuple[int, int]
    fixed_rows: tuple[bool, bool] = (True, True)
    fixed_columns: tuple[bool, bool] = (True, True)

    def moved(self, down: int, right: int) -> Area:
        """The same as it is said in another cell that shares the formula."""
        rows = _shifted(self.rows, self.fixed_rows, down)
        columns = _shifted(self.columns, self.fixed_columns, right)
        return Area(self.sheet, rows, columns, self.fixed_rows, self.fixed_columns)

    @property
    def cells(self) -> int:
        """How many there are."""
        return (self.rows[1] - self.rows[0] + 1) * (self.columns[1] - self.columns[0] + 1)

    def holds(self, row: int, column: int) -> bool:
        """Whether a cell is one of them."""
        return self.rows[0] <= row <= self.rows[1] and self.columns[0] <= column <= self.columns[1]


@dataclass(frozen=True, slots=True)
class Formula:
    """What was understood of a formula. `strange` is what was not: a name, another workbook, a function that looks elsewhere."""

    areas: list[Area] = field(default_factory=list)
    functions: list[str] = field(default_factory=list)
    strange: str = ""


def understood(text: str) -> Formula:
    """The cells and functions of a formula, without its equals sign."""
    rest = _TEXT.sub(" ", text)
    areas = list(_areas(rest))
    rest = _AREA.sub(" ", rest)
    functions = [name.upper() for name in _CALL.findall(rest)]
    rest = re.sub(r"\b(TRUE|FALSE)\b", " ", _NUMBER.sub(" ", _CALL.sub("(", rest)))
    left = _SIGNS.sub("", rest)
    strange = left or next((name for name in functions if name in _UNSTEADY), "")
    strange = strange or next((area.sheet for area in areas if ":" in area.sheet), "")  # of the sheets between two
    return Formula(areas, functions, strange)


def refusal(text: str, sheets: Collection[str]) -> str | None:
    """Why a formula is not written; None where it may be."""
    if len(text) > 4_000:
        return "it is longer than 4,000 characters"
    found = understood(text)
    unknown = next((name for name in found.functions if name not in FUNCTIONS), None)
    if unknown is not None:
        return f"the function {unknown} is not written here; there are {', '.join(sorted(FUNCTIONS))}"
    if found.strange:
        return f"“{found.strange[:60]}” is neither a cell, a number, a text nor a function"
    missing = next((area.sheet for area in found.areas if area.sheet and area.sheet not in sheets), None)
    if missing is not None:
        return f"there is no sheet “{missing}”"
    return None


def _areas(text: str) -> Iterator[Area]:
    for match in _AREA.finditer(text):
        first = _corner(match["first"])
        last = _corner(match["last"]) if match["last"] else first
        sheet = match["sheet"] or ""
        yield Area(
            sheet[1:-1].replace("''", "'") if sheet.startswith("'") else sheet,
            (first[1] or 1, last[1] or LAST_ROW),
            (first[0] or 1, last[0] or LAST_COLUMN),
            (first[3], last[3]),
            (first[2], last[2]),
        ).moved(0, 0)  # the corners may be named in any order


def _corner(text: str) -> tuple[int, int, bool, bool]:
    """Column and row (0: all of them), and whether each stays where it is."""
    match = _CORNER.fullmatch(text)
    if match is None:
        raise AssertionError("a corner was matched before")
    before, letters, between, digits = match.groups()
    if not letters:  # of $3:$5 the one sign belongs to the row
        return 0, int(digits), True, bool(before or between)
    return column_of(letters), int(digits or 0), bool(before), bool(between) or not digits


def column_of(letters: str) -> int:
    """The number of a column, from 1."""
    number = 0
    for letter in letters:
        number = number * 26 + ord(letter) - ord("A") + 1
    return number


def letters_of(column: int) -> str:
    """The letters of a column, from 1."""
    letters = ""
    while column:
        column, rest = divmod(column - 1, 26)
        letters = chr(ord("A") + rest) + letters
    return letters


def _shifted(ends: tuple[int, int], fixed: tuple[bool, bool], by: int) -> tuple[int, int]:
    one, other = (end if stays else end + by for end, stays in zip(ends, fixed, strict=True))
    return min(one, other), max(one, other)
