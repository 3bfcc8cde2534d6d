"""Numbers written as text. What the comma and the point mean is decided for a whole column, by the cells that leave no doubt."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal

from weekly_report.grids import Cell, exact
from weekly_report.vocabulary import CODES, SHARED_SIGNS, SIGNS

Mark = Literal[",", "."]
_SPACES = re.compile(r"[\s\u00a0\u202f\u2009'’`]")
_DIGITS = re.compile(r"[0-9][0-9.,]*|[.,][0-9]+")


@dataclass(frozen=True, slots=True)
class Written:
    """A number as it is written: its digits with `,` and `.`, its sign, the currency or the shared sign beside it ("" for none)."""

    digits: str
    is_negative: bool
    currency: str
    shared: str


def written(text: str) -> Written | None:
    """What is written in a cell; None where it is no number with at most a currency beside it."""
    body = _SPACES.sub("", text).replace("−", "-").replace("–", "-")
    is_negative = body.startswith("(") and body.endswith(")")
    body = body[1:-1] if is_negative else body
    found = _DIGITS.search(body)
    if found is None:
        return None
    before, after = body[: found.start()], body[found.end() :]
    minus = (before + after).count("-")
    if minus > 1 or (minus and is_negative) or before.count("+") + minus > 1:
        return None
    beside = (before + "|" + after).replace("-", "").replace("+", "", 1)
    unit = beside.replace("|", "")
    if unit and "|" in beside.strip("|"):
        return None  # a currency on both sides
    currency = unit if unit in CODES else SIGNS.get(unit.casefold(), "")
    shared = unit.casefold() if unit.casefold() in SHARED_SIGNS else ""
    if unit and not currency and not shared:
        return None
    return Written(found[0], is_negative or bool(minus), currency, shared)


def decimal_mark(digits: str) -> Mark | None:
    """What separates the decimals, where the digits alone leave no doubt; None for a whole number, or for one such as 1.234."""
    points, commas = digits.count("."), digits.count(",")
    if points and commas:
        last: Mark = "." if digits.rfind(".") > digits.rfind(",") else ","
        return last
    if not points and not commas:
        return None
    sign: Mark = "." if points else ","
    if points + commas > 1:
        return "," if sign == "." else "."
    whole, _, rest = digits.partition(sign)
    return None if len(rest) == 3 and 1 <= len(whole) <= 3 and not whole.startswith("0") else sign


def is_open(digits: str) -> bool:
    """Whether the digits may mean two numbers: 1.234 is one and a bit, or one thousand two hundred."""
    return decimal_mark(digits) is None and ("." in digits or "," in digits)


@dataclass(frozen=True, slots=True)
class Convention:
    """What a column's cells agree on: the decimal mark, None where they do not or leave it open; `example` is a cell that is open."""

    mark: Mark | None
    example: str = ""

    @property
    def is_asked(self) -> bool:
        """Whether a person must say what the comma or the point means."""
        return self.mark is None and bool(self.example)


def convention_of(cells: Iterable[Cell]) -> Convention:
    """The convention of a column."""
    marks: set[Mark] = set()
    example = ""
    for cell in cells:
        found = written(cell) if isinstance(cell, str) else None
        if found is None:
            continue
        mark = decimal_mark(found.digits)
        if mark is not None:
            marks.add(mark)
        elif is_open(found.digits):
            example = example or cell.strip() if isinstance(cell, str) else example
    return Convention(marks.pop() if len(marks) == 1 else None, example)


def amount_of(cell: Cell, mark: Mark | None) -> Decimal | None:
    """The number in a cell, under the column's decimal mark; None where it is none."""
    if isinstance(cell, bool) or cell is None:
        return None
    if isinstance(cell, int | float):
        return exact(cell)
    found = written(cell) if isinstance(cell, str) else None
    if found is None:
        return None
    number = _number(found.digits, decimal_mark(found.digits) if mark is None else mark)
    return None if number is None else -number if found.is_negative else number


def _number(digits: str, mark: Mark | None) -> Decimal | None:
    """Digits under a decimal mark; the other sign must stand between groups of three, or it is no number."""
    if mark is None:
        return Decimal(digits) if digits.isdigit() else None
    thousands = "," if mark == "." else "."
    whole, _, rest = digits.partition(mark)
    groups = whole.split(thousands)
    good = rest == "" or rest.isdigit()
    good = good and all(group.isdigit() or (group == "" and len(groups) == 1) for group in groups)
    if len(groups) > 1:
        good = (
            good
            and 1 <= len(groups[0]) <= 3
            and all(len(group) in (2, 3) for group in groups[1:-1])
            and len(groups[-1]) == 3
        )
    return Decimal("".join(groups) + (f".{rest}" if rest else "") or "0") if good and len(digits) <= 40 else None
