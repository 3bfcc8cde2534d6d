"""Which label names which value: to its left, or above it. Amounts may have several names; the arithmetic decides between them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol, TypeVar

from pay_invoices.pdf_text.labels import Label, belongs, below, in_column, is_item_head, labels_in, right_of
from pay_invoices.pdf_text.layout import Box, Cell, Sheet
from pay_invoices.pdf_text.tokens import Amount, Day, amounts_in, currency_of, cut_off, day_at, rate_at
from pay_invoices.pdf_text.vocabulary import STRONG

AMOUNT_ROLES = frozenset({"net", "tax", "gross", "due", "prepaid", "rounding", "aside"})
_SUMS = frozenset({"net", "tax", "gross", "due"})
_BETWEEN = re.compile(
    r"[-=@(+:*%).]*|auf|on|sur|over|sobre|su|von|of|de|di|aus|op|s/?|a|al|van|zu|um|basis|base|bei|in|en"
)
_CHANGING = frozenset({"due", "prepaid", "rounding"})
_MONEY = re.compile(
    r"(?<![\d.,/-])\d{1,3}(?:[ .,'’]?\d{3})*[.,]\d{2}(?![\d.,/%-]| ?%)|[€£$] ?\d|\d ?(?:[€£$]|(?:EUR|GBP|CHF|USD)\b)"
)
_REACH = 40  # lines below the head of a column


class Spanned(Protocol):
    """A value that knows its words."""

    @property
    def last(self) -> int: ...


_P = TypeVar("_P", bound=Spanned)


@dataclass(frozen=True, slots=True)
class Named:
    """An amount with one of its names: the role, how far it can be trusted (1 to 3), and the label."""

    role: str
    level: int
    amount: Amount
    label: Label
    above: bool = False  # whether the label stands over the amount, not to its left


class Reading:
    """The sheets of one document with their labels and amounts, each looked up once."""

    def __init__(self, sheets: list[Sheet]) -> None:
        self.sheets = sheets
        self._labels: dict[int, list[Label]] = {}
        self._amounts: dict[int, list[Amount]] = {}
        for sheet in sheets:
            for line in sheet.lines:
                for left, cell in zip([None, *line], line, strict=False):
                    found = amounts_in(cell)
                    self._amounts[id(cell)] = [amount for amount in found if not cut_off(cell, amount, left)]

    def labels(self, cell: Cell) -> list[Label]:
        """The labels of a cell."""
        if id(cell) not in self._labels:
            self._labels[id(cell)] = labels_in(cell)
        return self._labels[id(cell)]

    def amounts(self, cell: Cell) -> list[Amount]:
        """The amounts of a cell, without those whose thousands may stand in another cell."""
        return self._amounts[id(cell)]

    def labelled(self, role: str) -> Iterator[tuple[Sheet, Label]]:
        """Every label of a role in reading order; right of a label of the same role or under it stands a value, whatever it looks like."""
        for sheet in self.sheets:
            alone: list[Label] = []
            for line in sheet.lines:
                for cell in line:
                    labels = [label for label in self.labels(cell) if label.role == role]
                    if labels and any(_is_value_of(label, cell) for label in alone):
                        continue
                    yield from ((sheet, label) for label in labels)
                    alone += [label for label in labels if label.alone and label.level == STRONG]

    @cached_property
    def all_amounts(self) -> list[Amount]:
        """Every amount of the document in reading order."""
        return [amount for sheet in self.sheets for cell in sheet.cells for amount in self.amounts(cell)]

    @cached_property
    def items(self) -> frozenset[tuple[int, int]]:
        """Page and line of what was delivered: the rows between the head of such a table and the first sum."""
        found: set[tuple[int, int]] = set()
        for sheet in self.sheets:
            inside = False
            for number, line in enumerate(sheet.lines):
                inside = is_item_head(line) or (inside and not self._names_sum(line))
                if inside and len(line) > 1:
                    found.add((sheet.number, number))
        return frozenset(found)

    def _names_sum(self, line: list[Cell]) -> bool:
        return any(named and label.role in _SUMS and label.first == 0 for label, named in self._row(line))

    @cached_property
    def named(self) -> list[Named]:
        """Every amount that a label names."""
        found: list[Named] = []
        for sheet in self.sheets:
            rows: list[Named] = []
            heads: list[Label] = []
            for line in sheet.lines:
                for label, named in self._row(line):
                    rows += named
                    if not named and _only_rate_follows(label) and _heads_column(line, label.cell):
                        heads.append(label)
            # A label to the left that names one amount leaves nothing for the head of a column to say.
            settled = {one.amount.box for one in rows if one.level > 1}
            found += rows
            for head in heads:
                found += self._column(sheet, head, settled)
        return found

    @cached_property
    def unread(self) -> list[Label]:
        """Labels of what changes the amount due beside which a figure stands that could not be read as an amount."""
        return [
            label
            for sheet in self.sheets
            for line in sheet.lines
            for label, named in self._row(line)
            if not named and label.role in _CHANGING and label.level == STRONG and self._money_beside(line, label)
        ]

    def _money_beside(self, line: list[Cell], label: Label) -> bool:
        text = " ".join(word.text for word in label.cell.words[label.last :])
        following = next((cell for cell in line if cell.x0 > label.cell.x0), None)
        if following is not None and not self._stops(following):
            text += f" {following.text}"
        return _MONEY.search(text) is not None

    def _row(self, line: list[Cell]) -> Iterator[tuple[Label, list[Named]]]:
        """Each label of a line that may name amounts, with those it names on that line."""
        for position, cell in enumerate(line):
            labels = [label for label in self.labels(cell) if label.role in AMOUNT_ROLES]
            for label in labels:
                until = min(
                    (other.first for other in self.labels(cell) if other.first >= label.last), default=len(cell.words)
                )
                yield label, self._on_line(line, position, label, until)

    def _on_line(self, line: list[Cell], position: int, label: Label, until: int) -> list[Named]:
        cell = line[position]
        own = [amount for amount in self.amounts(cell) if label.last <= amount.first < until]
        if not _filled(cell, label.rest, until, own):
            return []
        amounts = own
        if until == len(cell.words):
            for other in line[position + 1 :]:
                if self._stops(other):
                    break
                amounts = amounts + self.amounts(other)
        if len(amounts) <= 1:
            return [Named(label.role, label.level, amount, label) for amount in amounts]
        if len({amount.value for amount in amounts}) == 1 or label.role == "tax":
            return [Named(label.role, label.level, amounts[-1], label)]
        return [Named(label.role, 1, amount, label) for amount in amounts]

    def _stops(self, cell: Cell) -> bool:
        """Whether a cell begins with a name of its own, so that what follows is not its left neighbour's."""
        labels = self.labels(cell)
        return bool(labels) and labels[0].first == 0

    def _column(self, sheet: Sheet, head: Label, settled: set[Box]) -> list[Named]:
        """The amounts under a label that stands alone."""
        items = is_item_head(sheet.lines[head.cell.line])
        found: list[tuple[Amount, bool]] = []
        for line in sheet.lines[head.cell.line + 1 : head.cell.line + 1 + _REACH]:
            under = [cell for cell in line if in_column(head.cell, cell) and belongs(sheet, head.cell, cell)]
            if any(self._heads(cell) for cell in under):
                break
            total = self._is_total(line)
            found += [(amount, total) for cell in under for amount in self.amounts(cell) if amount.box not in settled]
        single = len({amount.value for amount, _ in found}) == 1 and not items
        return [
            Named(head.role, head.level if single or total else 1, amount, head, above=True)
            for amount, total in found
            if total or not items
        ]

    def _heads(self, cell: Cell) -> bool:
        return any(label.alone and label.first == 0 and label.role in AMOUNT_ROLES for label in self.labels(cell))

    def _is_total(self, line: list[Cell]) -> bool:
        return any(label.role in _SUMS and label.first == 0 for label in self.labels(line[0]))

    def beside(
        self, sheet: Sheet, label: Label, read: Callable[[Cell, int], _P | None], reach: float = 2.2
    ) -> _P | None:
        """The value a label names: behind it in its cell, else in the next cell to the right, else in the nearest cell below."""
        if not label.alone:
            return read(label.cell, label.rest)
        value = self.on_line(sheet, label, read)
        if value is not None:
            return value
        nearest = next(iter(below(sheet, label.cell, reach)), None)
        return None if nearest is None or self._stops(nearest) else read(nearest, 0)

    def on_line(self, sheet: Sheet, label: Label, read: Callable[[Cell, int], _P | None]) -> _P | None:
        """The value in the next cell to the right, past a lone colon, unless that cell has a label of its own."""
        for other in right_of(sheet, label.cell):
            if self._stops(other):
                return None
            if other.text not in (":", "#", "-"):
                return read(other, 0)
        return None


def _is_value_of(label: Label, cell: Cell) -> bool:
    head = label.cell
    right = cell.line == head.line and cell.x0 > head.x0
    return right or (0 < cell.top - head.bottom < 2.2 * head.height and abs(cell.x0 - head.x0) < 6)


def _heads_column(line: list[Cell], cell: Cell) -> bool:
    """Whether a cell may be the head of a column: right of it stands another head or nothing, but no figure."""
    following = next((other for other in line if other.x0 > cell.x0), None)
    return following is None or "%" in following.text or not any(letter.isdigit() for letter in following.text)


def _only_rate_follows(label: Label) -> bool:
    """Whether a label stands alone, or with a percentage, as "VAT 20 %" does over a column."""
    rate = None if label.alone else rate_at(label.cell, label.rest)
    return label.alone or (rate is not None and rate[1] >= len(label.cell.words))


def day_reader(cell: Cell, index: int) -> Day | None:
    """A date at the start of what follows a label; small words before it are passed over."""
    for start in range(index, min(index + 3, len(cell.words))):
        day = day_at(cell, start)
        if day is not None:
            return day
        if not re.fullmatch(
            r"(?:am|zum|bis|le|on|by|op|el|il|del|den|the|:|-|(?:mon|tues|wednes|thurs|fri|satur|sun)day,|\w+tag,)",
            cell.words[start].text.casefold(),
        ):
            return None
    return None


def _filled(cell: Cell, first: int, last: int, amounts: list[Amount]) -> bool:
    """Whether only amounts, percentages and small words stand between a label and the end of its part of the cell."""
    taken = {index for amount in amounts for index in range(amount.first, amount.last)}
    index = first
    while index < last:
        rate = rate_at(cell, index)
        if index in taken:
            index += 1
        elif rate is not None:
            index = rate[1]
        elif _BETWEEN.fullmatch(cell.words[index].text.casefold()) or currency_of(cell.words[index].text):
            index += 1
        else:
            return False
    return True
