"""Numbers for people: counts with their noun, amounts with their currency, sizes, and identifiers in groups."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from decimal import Decimal, InvalidOperation

NO_BREAK = "\u00a0"  # keeps a number and its unit on one line
_SYMBOLS = {"EUR": "€", "GBP": "£", "USD": "$"}
_WRITTEN_OUT = range(-2, 31)  # exponents of amounts that are written out, with two digits behind the point
_IBAN = re.compile(r"[A-Z]{2}\d{2}[A-Z0-9]{11,30}")
_SEAL = re.compile(r"\b([0-9a-f]{4}) ([0-9a-f]{4})\b")
_IRREGULAR = {
    "entry": "entries",
    "copy": "copies",
    "try": "tries",
    "reply": "replies",
    "currency": "currencies",
    "company": "companies",
}
_UNITS = ("B", "kB", "MB", "GB", "TB")
_SIZE = re.compile(rf"(?<=\d) (?=(?:{'|'.join(_UNITS)})\b)")


def number(value: float | Decimal) -> str:
    """Digits in groups: 12,480."""
    return f"{value:,}"


def plural(noun: str) -> str:
    """More than one of it."""
    return _IRREGULAR.get(noun, f"{noun}s")


def count(n: int, noun: str) -> str:
    """`1 file`, `2 files`, `1,204 files`."""
    return f"{number(n)} {noun if n == 1 else plural(noun)}"


def money(amount: str | Decimal, currency: str) -> str:
    """`€41,208.90`, `SEK 3,400.00`; what is no number is shown as it came."""
    value = _finite(amount)
    if value is None:
        return f"{amount} {currency}".strip()
    digits = f"{abs(value):,.2f}" if value.as_tuple().exponent in _WRITTEN_OUT else f"{abs(value):,}"
    sign = "−" if value < 0 else ""
    symbol = _SYMBOLS.get(currency)
    return f"{sign}{symbol}{digits}" if symbol else f"{sign}{currency}\u00a0{digits}"


def is_money(value: object) -> bool:
    """Whether it is an amount in the contract's form."""
    return isinstance(value, Mapping) and set(value) == {"amount", "currency"}


def moneys(amounts: Iterable[Mapping[str, str]]) -> str:
    """Sums per currency, never over them: `€14,201.22 and SEK 3,400.00`; what is no number is no part of a sum, and stands behind."""
    sums: dict[str, Decimal] = {}
    others: list[str] = []
    for entry in amounts:
        value = _finite(entry["amount"])
        if value is None:
            others.append(money(entry["amount"], entry["currency"]))
        else:
            sums[entry["currency"]] = sums.get(entry["currency"], Decimal(0)) + value
    return joined([*(money(total, currency) for currency, total in sorted(sums.items())), *others])


def _finite(amount: object) -> Decimal | None:
    """An amount as a number; None where it is none, or no end of one."""
    try:
        value = Decimal(str(amount))
    except InvalidOperation:
        return None
    return value if value.is_finite() else None


def joined(parts: Iterable[str], last: str = "and") -> str:
    """`a`, `a and b`, `a, b and c`."""
    listed = [part for part in parts if part]
    if len(listed) < 2:
        return "".join(listed)
    return f"{', '.join(listed[:-1])} {last} {listed[-1]}"


def size(octets: int) -> str:
    """`0 B`, `640 B`, `1.3 MB`, `1.2 GB`."""
    value = float(octets)
    for unit in _UNITS:
        if value < 1000 or unit == _UNITS[-1]:
            break
        value /= 1000
    return f"{value:.0f} {unit}" if unit == "B" or value >= 100 else f"{value:.1f} {unit}"


def is_iban(text: str) -> bool:
    """Whether the text has the shape of an account number (its check digits are a template's business)."""
    return _IBAN.fullmatch(text.replace(" ", "")) is not None


def identifier(text: str) -> str:
    """An account number in groups of four, anything else as it is; never shortened."""
    tight = text.replace(" ", "")
    if _IBAN.fullmatch(tight) is None:
        return text
    return " ".join(tight[at : at + 4] for at in range(0, len(tight), 4))


def seal(digest: str) -> str:
    """The first eight signs of a seal in two groups: `3f9a 2c71`."""
    return f"{digest[:4]} {digest[4:8]}"


def whole_seals(text: str) -> str:
    """The same sentence; the two groups of a seal in it stay on one line."""
    return _SEAL.sub(f"\\1{NO_BREAK}\\2", text)


def whole_sizes(text: str) -> str:
    """The same sentence; the number and the unit of a size in it stay on one line."""
    return _SIZE.sub(NO_BREAK, text)


def ordinal(n: int) -> str:
    """`1st`, `2nd`, `3rd`, `4th`."""
    ending = "th" if n % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(n % 10, "th")
    return f"{n}{ending}"
