"""Money of llm calls: counted in millionths of a millionth of a US dollar, said in dollars that are never rounded down to nothing."""

from __future__ import annotations

from decimal import ROUND_CEILING, Decimal

UNIT = 10**12


def units(cost: Decimal) -> int:
    """US dollars as they are counted, rounded up."""
    return int((cost * UNIT).to_integral_value(ROUND_CEILING))


def dollars(counted: int) -> Decimal:
    """Counted money as US dollars."""
    return Decimal(counted).scaleb(-12)


def words(cost: Decimal | None) -> str:
    """An amount for people: cents, or two digits that count where it is less than a cent; None is no price at all."""
    if cost is None:
        return "no price known"
    if cost == 0:
        return "$0.00"
    places = 2 if cost >= Decimal("0.01") else 1 - cost.adjusted()
    return f"${cost.quantize(Decimal(1).scaleb(-places), ROUND_CEILING):,f}"
