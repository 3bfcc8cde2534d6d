"""Invoice lines as far as a payer needs them: their sum, and whether each is quantity times price.

Rounding: a price written with n decimals stands for anything within half a unit of its last digit, so a line may differ by that
times the quantity; two cents are always granted (Peppol rule R120).
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal, localcontext

from pay_invoices.invoices import OddLine

_CENT = Decimal("0.01")
_SLACK = Decimal("0.02")
_SHOWN = 20


@dataclass(frozen=True, slots=True)
class Line:
    """One line: its id, amount, and what the amount is made of; None where the document does not say."""

    number: str
    total: Decimal
    quantity: Decimal | None
    price: Decimal | None
    per: Decimal | None  # the quantity the price is for
    charges: Decimal  # charges minus allowances of the line
    counts: bool = True  # False for headings and remarks that repeat what other lines say


def lines_sum(lines: list[Line]) -> Decimal | None:
    """The sum of the lines that count, None without lines."""
    counted = [line.total for line in lines if line.counts]
    return sum(counted, Decimal(0)) if counted else None


def odd_lines(lines: list[Line]) -> list[OddLine]:
    """The lines whose amount is not quantity times price, at most 20."""
    found: list[OddLine] = []
    with localcontext(prec=80):  # hostile factors must not overflow the usual 28 digits
        for line in lines:
            expected = _expected(line)
            if expected is not None and abs(expected - line.total) > _tolerance(line):
                found.append(OddLine(line.number, expected.quantize(_CENT), line.total))
    return found[:_SHOWN]


def _expected(line: Line) -> Decimal | None:
    if line.quantity is None or line.price is None:
        return None
    per = line.per or Decimal(1)
    return line.quantity * line.price / per + line.charges


def _tolerance(line: Line) -> Decimal:
    exponent = line.price.as_tuple().exponent if line.price is not None else 0
    decimals = max(2, -exponent if isinstance(exponent, int) else 0)
    doubt = Decimal(5).scaleb(-decimals - 1) * abs((line.quantity or Decimal(0)) / (line.per or Decimal(1)))
    return _SLACK + doubt
