"""Money of llm calls: counted in millionths of a millionth of a US dollar, said in dollars that are never rounded down to nothing."""

from __future__ import annotations

from decimal import ROUND_CEILING, Decimal, InvalidOperation

from counterfoil.errors import WrongUse

UNIT = 10**12


def units(cost: Decimal) -> int:
    """US dollars as they are counted, rounded up."""
    return int((cost * UNIT).to_integral_value(ROUND_CEILING))


def dollars(counted: int) -> Decimal:
    """Counted money as US dollars."""
    return Decimal(counted).scaleb(-12)


def amount_of(text: str) -> Decimal:
    """US dollars as somebody writes a limit: `2.50`, `$2.50`.

    Raises:
        WrongUse: it is no amount, or one that can be no limit.
    """
    plain = text.strip().removeprefix("$").strip()
    try:
        amount = Decimal(plain)
    except InvalidOperation as problem:
        raise WrongUse(f"‘{text}’ is no amount.", "Write US dollars, for example 2.50, or none.") from problem
    if not amount.is_finite() or not 0 <= amount <= 10**6:
        raise WrongUse(f"‘{text}’ is no amount that can be a limit.", "Write US dollars, for example 2.50, or none.")
    return amount


def words(cost: Decimal | None) -> str:
    """An amount for people: cents, or two digits that count where it is less than a cent; None is no price at all."""
    if cost is None:
        return "no price known"
    if cost == 0:
        return "$0.00"
    places = 2 if cost >= Decimal("0.01") else 1 - cost.adjusted()
    return f"${cost.quantize(Decimal(1).scaleb(-places), ROUND_CEILING):,f}"
