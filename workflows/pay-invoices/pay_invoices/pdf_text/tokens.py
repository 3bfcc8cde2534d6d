"""Figures and days as they are written: amounts with exactly two decimals, dates in the notations of six languages.

Which sign is the decimal one, and whether the day or the month comes first, is not decided here: an amount keeps its sign, a date keeps
every day it can mean.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from functools import cache

from pay_invoices.pdf_text.layout import Box, Cell, plain
from pay_invoices.pdf_text.vocabulary import CURRENCY_CODES, CURRENCY_MARKS, MONTHS

_MARK = r"(?:[€£¥₹₪₺₽₴]|[A-Z]{0,2}\$|[A-Z]{3}|SFr\.?|Fr\.?|zł|Kč|Ft|lei|kr\.?|Rs\.?)"
_FIGURE = re.compile(
    rf"(?P<before>{_MARK})?(?P<minus>[-−–+])?(?P<mark2>{_MARK})?"
    r"(?P<whole>\d{1,3}(?P<group>[.,'’])\d{3}(?:(?P=group)\d{3})*|\d{1,9})(?P<sign>[.,])(?P<cents>\d{2})"
    rf"(?P<trailing>[-−])?(?P<after>{_MARK})?"
)
_MINUS = ("-", "−", "–")
_CREDIT = ("CR", "Cr", "Cr.")
_RATE = re.compile(r"(\d{1,2}(?:[.,]\d{1,3})?)%?")
_LEADING = re.compile(
    rf"\(?[-−–+]?{_MARK}?[-−–+]?\d{{1,3}}(?:\d{{3}})*"
)  # the first figures of an amount whose thousands stand apart
# What a number stands behind that begins no amount, as in "Art. 7 200,00".
_COUNTED = re.compile(
    r"(?:(?:art|pos|item|ref|typ|lot|cod|cat|abs|fig|artikel|article|best|bestell|serial|model)\.?[ -]?)?(?:nr|no|num|n[°º])?[.:#§]*"
)
_FOLLOWING = re.compile(r"\d{3}(?:[.,]\d{2}\S{0,3})?")
_THOUSANDS = re.compile(r"\D{0,5}\d{1,3}")
_HUNDREDS = re.compile(r"\d{3}[.,]\d{2}(?!\d)")


@dataclass(frozen=True, slots=True)
class Amount:
    """An amount in a cell: `sign` is the mark before its two decimals, `currency` the code or mark beside it or ""."""

    value: Decimal
    sign: str
    currency: str
    first: int  # words of the cell: from first to before last
    last: int
    cell: Cell

    @property
    def box(self) -> Box:
        """Where it stands."""
        return self.cell.box(self.first, self.last)

    @property
    def text(self) -> str:
        """As written."""
        return " ".join(word.text for word in self.cell.words[self.first : self.last])

    @property
    def fills_cell(self) -> bool:
        """Whether nothing else stands in its cell, but for a currency."""
        words = self.cell.words
        return all(currency_of(word.text) for word in [*words[: self.first], *words[self.last :]])


@dataclass(frozen=True, slots=True)
class Day:
    """A date as written and every day it can mean; `order` is "" when the notation leaves no doubt, else its separator."""

    days: tuple[date, ...]
    order: str
    first: int
    last: int
    cell: Cell

    @property
    def box(self) -> Box:
        """Where it stands."""
        return self.cell.box(self.first, self.last)

    @property
    def text(self) -> str:
        """As written."""
        return " ".join(word.text for word in self.cell.words[self.first : self.last])


def amounts_in(cell: Cell) -> list[Amount]:
    """Every amount of a cell, in order; a percentage is none, and neither is a figure without two decimals."""
    found: list[Amount] = []
    index = 0
    while index < len(cell.words):
        amount = _amount_at(cell, index)
        if amount is None:
            index += 1
        else:
            found.append(amount)
            index = amount.last
    return found


def _amount_at(cell: Cell, index: int) -> Amount | None:
    first, last, text = _joined(cell, index)
    matched = _FIGURE.fullmatch(_bare(text))
    bracketed = "(" in text or (text.endswith(")") and _opened(cell, first))
    if matched is None or (bracketed and _aside(cell, first)):
        return None
    group, sign = matched["group"], matched["sign"]
    if group == sign or _percent_follows(cell, last) or _lost_thousands(cell, first, last):
        return None
    whole = re.sub(r"\D", "", matched["whole"])
    value = Decimal(f"{whole}.{matched['cents']}")
    marks = [matched["before"], matched["mark2"], matched["after"]]
    currency = next((code for mark in marks if mark and (code := currency_of(mark))), "")
    before = [word.text for word in reversed(cell.words[max(0, first - 2) : first])]
    lone_minus = bool(before) and (before[0] in _MINUS or (before[-1] in _MINUS and bool(currency_of(before[0]))))
    negative = matched["minus"] in _MINUS or bool(matched["trailing"]) or lone_minus or text.endswith("CR")
    negative = negative or bracketed or (bool(before) and _minus_and_mark(before[0]))
    currency = currency or next((code for text in before[: 1 + lone_minus] if (code := currency_of(text))), "")
    if last < len(cell.words) and (code := currency_of(cell.words[last].text)):
        currency = code
        last += 1
    if last < len(cell.words) and _turns(cell, last):
        negative = True
        last += 1
    return Amount(-value if negative else value, sign, currency, first, last, cell)


def _bare(text: str) -> str:
    """A figure without brackets, the star of a footnote and the sign of a credit; "3*12.50" and "1)23.50" are none."""
    return re.sub(r"(?<!\d)[()*]|[()*](?!\d)", "", text).removesuffix("CR")


def _opened(cell: Cell, first: int) -> bool:
    """Whether a bracket opens with the currency before a figure: "(EUR 12.50)"."""
    before = cell.words[first - 1].text if first else ""
    return before.startswith("(") and ")" not in before and bool(currency_of(before))


def _aside(cell: Cell, first: int) -> bool:
    """Whether a figure in brackets only says another one again, as in "100.00 EUR (110.00 USD)"; else brackets mean minus."""
    before = [word.text for word in cell.words[:first]]
    while before and currency_of(before[-1]):
        before.pop()
    return bool(before) and any(map(str.isdigit, before[-1])) and before[-1][-1] not in "%:"


def _minus_and_mark(text: str) -> bool:
    """Whether it is "-€", before a figure that stands apart."""
    return text.startswith(_MINUS) and bool(currency_of(text[1:]))


def _turns(cell: Cell, index: int) -> bool:
    """Whether a sign behind a figure makes it negative: "CR", or a minus that ends the cell."""
    text = cell.words[index].text
    return text in _CREDIT or (text in _MINUS and index == len(cell.words) - 1)


def _joined(cell: Cell, index: int) -> tuple[int, int, str]:
    """The words from `index` that are one figure: thousands may be set apart by blanks."""
    words = cell.words
    text, last = words[index].text, index + 1
    while last < len(words) and _LEADING.fullmatch(text) and _FOLLOWING.fullmatch(words[last].text):
        text += words[last].text
        last += 1
    counted = index > 0 and _COUNTED.fullmatch(plain(words[index - 1].text)) is not None
    if last > index + 1 and (counted or not _FIGURE.fullmatch(_bare(text))):
        return index, index + 1, words[index].text
    return index, last, text


def _lost_thousands(cell: Cell, first: int, last: int) -> bool:
    """Whether a figure before it in the cell could be its thousands, in a notation that is not understood: "CHF5 522,49"."""
    if first == 0 or last > first + 1 or not _HUNDREDS.match(cell.words[first].text):
        return False
    return _THOUSANDS.fullmatch(cell.words[first - 1].text) is not None


def cut_off(cell: Cell, amount: Amount, left: Cell | None) -> bool:
    """Whether the cell to the left may hold the thousands of an amount: "10", a small gap, "781,25"."""
    if left is None or amount.first > 0 or not _HUNDREDS.match(cell.words[0].text):
        return False
    gap = cell.x0 - left.x1
    return gap < 1.5 * cell.height and _LEADING.fullmatch(left.words[-1].text) is not None


def _percent_follows(cell: Cell, last: int) -> bool:
    return last < len(cell.words) and cell.words[last].text.startswith("%")


def currency_of(text: str) -> str:
    """The code of a currency mark, the mark itself where it names no single currency, "" for anything else."""
    mark = text.strip("()[]:;,*-−–")
    if code := CURRENCY_MARKS.get(mark.casefold(), ""):
        return code
    if mark in CURRENCY_CODES:
        return mark
    signs = sum(unicodedata.category(letter) == "Sc" for letter in mark)
    return mark if signs == 1 and len(mark) <= 4 and not any(map(str.isdigit, mark)) else ""


def rate_at(cell: Cell, index: int) -> tuple[Decimal, int] | None:
    """The percentage that begins at a word, and the index behind it."""
    text = cell.words[index].text.strip("()[]:;,")
    matched = _RATE.fullmatch(text)
    if matched is None:
        return None
    last = index + 1
    if not text.endswith("%"):
        if not _percent_follows(cell, last):
            return None
        last += 1
    return Decimal(matched[1].replace(",", ".")), last


_NUMERIC = re.compile(r"(\d{1,4})([./-])(\d{1,2})\2(\d{4}|\d{2})")
_HYPHENED = re.compile(r"(\d{1,2})[-/.]([a-z]{3,9})[-/.](\d{4})")
_ISO = re.compile(r"(\d{4})([-./])(\d{1,2})\2(\d{1,2})")


@cache
def _months() -> dict[str, int]:
    return {name: number for number, names in MONTHS.items() for name in names.split()}


def day_at(cell: Cell, index: int) -> Day | None:
    """The date that begins at a word."""
    text = cell.words[index].text.strip("(),;")
    if matched := _HYPHENED.fullmatch(plain(text)):
        day, month, year = matched.groups()
        days = _days([(int(year), _months()[month], int(day))]) if month in _months() else ()
        return Day(days, "", index, index + 1, cell) if days else None
    if matched := _ISO.fullmatch(text):
        year, _, month, day = matched.groups()
        days = _days([(int(year), int(month), int(day))])
        return Day(days, "", index, index + 1, cell) if days else None
    if matched := _NUMERIC.fullmatch(text.rstrip(".")):
        return _numeric(matched, cell, index)
    return _named(cell, index)


def _numeric(matched: re.Match[str], cell: Cell, index: int) -> Day | None:
    one, sign, two, year = matched.groups()
    if len(one) > 2:
        return None
    if len(year) == 2 and sign != "." and int(year) < 15 <= int(one):
        return None  # "26-11-03" begins with the year in some countries
    full = int(year) + (2000 if len(year) == 2 else 0)
    readings = [(full, int(two), int(one))]
    if sign != ".":  # nobody writes the month first between dots
        readings.append((full, int(one), int(two)))
    days = _days(readings)
    return Day(days, "" if sign == "." else sign, index, index + 1, cell) if days else None


def _named(cell: Cell, index: int) -> Day | None:
    """Day, month as a word, year: in either order of day and month."""
    parts: list[str] = []
    last = index
    for word in cell.words[index : index + 6]:
        last += 1
        part = plain(word.text).strip("(),;:.")
        if part not in ("de", "del", ""):
            parts.append(part)
        if len(parts) == 3:
            break
    if len(parts) < 3:
        return None
    day, month, year = parts if parts[1] in _months() else (parts[1], parts[0], parts[2])
    numbered = re.fullmatch(r"(\d{1,2})(?:er|st|nd|rd|th|o)?", day)
    if month not in _months() or numbered is None or not re.fullmatch(r"\d{4}", year):
        return None
    days = _days([(int(year), _months()[month], int(numbered[1]))])
    return Day(days, "", index, last, cell) if days else None


def _days(readings: list[tuple[int, int, int]]) -> tuple[date, ...]:
    """The different days that exist, between 1990 and 2100."""
    found: dict[date, None] = {}
    for year, month, day in readings:
        try:
            read = date(year, month, day)
        except ValueError:
            continue
        if 1990 <= year <= 2100:
            found[read] = None
    return tuple(found)
