"""Lines of a tax table: a percentage, what is taxed, and the tax; the arithmetic says which amount is which."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal

from pay_invoices.pdf_text.layout import Cell
from pay_invoices.pdf_text.search import Reading
from pay_invoices.pdf_text.tokens import Amount, rate_at

_NEAR = Decimal("0.01")
_BARE = re.compile(r"\d{1,2}(?:[.,]\d{1,2})?")


@dataclass(frozen=True, slots=True)
class RateRow:
    """One rate with the written tax, and what is taxed where that is written beside it."""

    rate: Decimal
    basis: Amount | None
    tax: Amount

    @property
    def basis_value(self) -> Decimal | None:
        """What is taxed."""
        return None if self.basis is None else self.basis.value


def rate_rows(reading: Reading, sign: str) -> list[RateRow]:
    """Every line of the document that reads as a row of a tax table, in reading order."""
    found: list[RateRow] = []
    for sheet in reading.sheets:
        for line in sheet.lines:
            amounts = [amount for cell in line for amount in reading.amounts(cell) if amount.sign == sign]
            rates = list(_rates(line)) if amounts else []
            for rate, plain in rates:
                row = _row(rate, amounts) or (_lone(reading, line, rate, amounts) if plain else None)
                if row is not None:
                    found.append(row)
                    break
    return found


def _rates(line: list[Cell]) -> Iterator[tuple[Decimal, bool]]:
    """Percentages, and figures alone in a cell that may be ones; True for those that carry their sign."""
    for cell in line:
        for index in range(len(cell.words)):
            rate = rate_at(cell, index)
            if rate is not None:
                yield rate[0], True
        if _BARE.fullmatch(cell.text):
            yield Decimal(cell.text.replace(",", ".")), False


def _row(rate: Decimal, amounts: list[Amount]) -> RateRow | None:
    for first, basis in enumerate(amounts):
        for tax in amounts[first + 1 :]:
            if rate and basis.value and abs(basis.value * rate / 100 - tax.value) <= _NEAR:
                return RateRow(rate, basis, tax)
            if not rate and basis.value and tax.value == 0:
                return RateRow(rate, basis, tax)
    return None


def _lone(reading: Reading, line: list[Cell], rate: Decimal, amounts: list[Amount]) -> RateRow | None:
    """A line such as "VAT 19 %: 91.20", which does not say what is taxed."""
    named = any(label.role == "tax" for cell in line for label in reading.labels(cell))
    return RateRow(rate, None, amounts[-1]) if named and len({amount.value for amount in amounts}) == 1 else None
