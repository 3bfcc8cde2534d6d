"""Dates written as text. Whether the day or the month stands first is decided for a whole column, by the cells that leave no doubt."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Literal

from weekly_report.grids import Cell
from weekly_report.vocabulary import MONTHS, words_of

Order = Literal["day", "month"]  # which stands first
_TIME = r"(?:[T ,]+\d{1,2}[:.]\d{2}(?:[:.]\d{2})?(?:\.\d+)?\s*(?:[AaPp][Mm])?(?:Z|[+-]\d{2}:?\d{2})?)?"
_WEEKDAY = r"(?:[^\W\d_]{2,12}\.?,?\s+)?"
_YEAR_FIRST = re.compile(rf"(\d{{4}})([-/.])\s?(\d{{1,2}})\2\s?(\d{{1,2}})\.?{_TIME}")
_COMPACT = re.compile(r"(20\d{2})(\d{2})(\d{2})")
_NUMBERS = re.compile(rf"{_WEEKDAY}(\d{{1,2}})\s?([./-])\s?(\d{{1,2}})\s?\2\s?(\d{{4}}|\d{{2}})\.?{_TIME}")
_NAMED = re.compile(
    rf"{_WEEKDAY}(\d{{1,2}})(?:\.|st|nd|rd|th|er)?[\s/-]*(?:de |of )?([^\W\d_]{{3,12}})\.?,?[\s/-]*(?:de )?(\d{{4}}|\d{{2}}){_TIME}"
)
_NAME_FIRST = re.compile(rf"{_WEEKDAY}?([^\W\d_]{{3,12}})\.?\s+(\d{{1,2}})(?:st|nd|rd|th)?,?\s+(\d{{4}}){_TIME}")
_SERIAL = range(30_000, 80_000)  # days since the last of 1899: 1982 to 2119
_SERIAL_ZERO = date(1899, 12, 30)


@dataclass(frozen=True, slots=True)
class Reading:
    """What one cell may mean: the day with the day first, and with the month first; both are the same where there is no doubt."""

    day_first: date | None
    month_first: date | None

    @property
    def is_open(self) -> bool:
        """Whether it may be two days."""
        return None not in (self.day_first, self.month_first) and self.day_first != self.month_first


def read_day(cell: Cell) -> Reading | None:
    """What a cell may mean as a day; None where it is none."""
    if isinstance(cell, datetime):
        return _sure(cell.date())
    if isinstance(cell, date):
        return _sure(cell)
    if isinstance(cell, bool) or cell is None:
        return None
    if isinstance(cell, int | float):
        return _sure(_SERIAL_ZERO + timedelta(days=int(cell))) if int(cell) in _SERIAL else None
    return _of_text(" ".join(cell.split()))


def order_of(cells: Iterable[Cell]) -> Order | None:
    """Which stands first in a column: what a cell that can only be read one way says; None where none says it, or they disagree."""
    said: set[Order] = set()
    for cell in cells:
        found = read_day(cell) if isinstance(cell, str) else None
        if found is None or found.day_first == found.month_first:
            continue
        if found.month_first is None:
            said.add("day")
        elif found.day_first is None:
            said.add("month")
    return said.pop() if len(said) == 1 else None


def day_of(cell: Cell, order: Order | None) -> date | None:
    """The day in a cell, under the column's order; None where it is none, or may be two."""
    found = read_day(cell)
    if found is None:
        return None
    if order is not None and found.is_open:
        return found.day_first if order == "day" else found.month_first
    return None if found.is_open else found.day_first or found.month_first


def _sure(day: date | None) -> Reading | None:
    return None if day is None else Reading(day, day)


def _of_text(text: str) -> Reading | None:
    if found := _YEAR_FIRST.fullmatch(text):
        return _sure(_date(found[1], found[3], found[4]))
    if found := _COMPACT.fullmatch(text):
        return _sure(_date(*found.groups()))
    if found := _NUMBERS.fullmatch(text):
        first, sign, second, year = found.groups()
        by_day, by_month = _date(year, second, first), _date(year, first, second)
        if sign == ".":  # nobody writes the month first with points
            return _sure(by_day)
        return None if by_day is None and by_month is None else Reading(by_day, by_month)
    if found := _NAMED.fullmatch(text):
        return _sure(_date(found[3], _month(found[2]), found[1]))
    if found := _NAME_FIRST.fullmatch(text):
        return _sure(_date(found[3], _month(found[1]), found[2]))
    if text.isdigit() and len(text) == 5:
        return read_day(float(text))
    head, _, tail = text.partition(".")
    return read_day(float(head)) if len(head) == 5 and head.isdigit() and tail.isdigit() else None


def _month(name: str) -> int:
    found = words_of(name)
    return MONTHS.get(found[0], 0) if len(found) == 1 else 0


def _date(year: str | int, month: str | int, day: str | int) -> date | None:
    number = int(year)
    try:
        return date(number + 2000 if number < 100 else number, int(month), int(day))
    except ValueError:
        return None
