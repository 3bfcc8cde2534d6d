"""Amounts for people: thousands apart, two decimals or as many as there are, a true minus."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal

_SIGNS = {"EUR": "€", "GBP": "£"}


def plain_amount(amount: Decimal) -> str:
    """An amount as a table keeps it: `1234.50`."""
    exponent = amount.normalize().as_tuple().exponent
    places = max(2, -exponent) if isinstance(exponent, int) else 2
    return f"{amount:.{places}f}"


def money_shown(amount: Decimal, currency: str) -> str:
    """An amount with its currency: €14,201.22, SEK 3,400.00, −€3.10."""
    whole, _, rest = plain_amount(abs(amount)).partition(".")
    return f"{'−' if amount < 0 else ''}{_SIGNS.get(currency, f'{currency} ')}{int(whole):,}.{rest}"


def change_shown(amount: Decimal, currency: str) -> str:
    """A change with its sign."""
    return f"+{money_shown(amount, currency)}" if amount > 0 else money_shown(amount, currency)


def sums_shown(sums: Iterable[tuple[Decimal, str]]) -> str:
    """Amounts of different currencies, never added: €14,201.22 and SEK 3,400.00."""
    said = [money_shown(amount, currency) for amount, currency in sums]
    return " and ".join([", ".join(said[:-1]), said[-1]]) if len(said) > 1 else "".join(said)
