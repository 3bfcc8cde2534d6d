"""A value of a document as text: money, dates, digests, lists and whatever else the contract lets through."""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping, Sequence
from datetime import date

from counterfoil.authoring.periods import Period
from counterfoil.desktop.words import numbers, times
from counterfoil.desktop.words.plain import plain

_ISO_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
_ISO_INSTANT = re.compile(r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})")
_PERIOD = re.compile(r"\d{4}-\d{2}-\d{2}/\d{4}-\d{2}-\d{2}")
_DECIMAL = re.compile(r"-?\d+\.\d+")
_SHOWN_MONEY = re.compile(r"−?(?:[€£$]|[A-Z]{3}[\u00a0 ])[\d,]+(?:\.\d+)?")
NOTHING = "–"
_KNOWN = 10_000  # texts that need not be looked at again: a list that is looked at anew holds most of them already


def shown(value: object, today: date, *, lines: bool = False) -> str:
    """The text a person reads; identifiers in full, nothing shortened."""
    if value is None or value == "":
        return NOTHING
    if isinstance(value, bool):
        return "Yes" if value else "No"
    if isinstance(value, int):
        return numbers.number(value)
    if isinstance(value, Mapping):
        return _mapping(value, today)
    if isinstance(value, Sequence) and not isinstance(value, str):
        return ", ".join(shown(item, today) for item in value) or NOTHING
    return _text(str(value), today, lines)


@functools.lru_cache(maxsize=_KNOWN)
def _text(value: str, today: date, lines: bool) -> str:
    if _ISO_DATE.fullmatch(value):
        return times.iso_date(value, today)
    if _ISO_INSTANT.fullmatch(value):
        at = times.iso_instant(value)
        return f"{times.date_words(times.local(at).date(), today)} {times.clock_time(at)}" if at is not None else value
    if _DECIMAL.fullmatch(value):
        return _decimal(value)
    if _PERIOD.fullmatch(value):
        return Period(value).words
    return plain(numbers.identifier(value), lines=lines)


def _decimal(value: str) -> str:
    whole, fraction = value.lstrip("-").split(".")
    sign = "−" if value.startswith("-") else ""
    return f"{sign}{int(whole):,}.{fraction}"


def _mapping(value: Mapping[str, object], today: date) -> str:
    if numbers.is_money(value):
        return numbers.money(str(value["amount"]), str(value["currency"]))
    if set(value) == {"sha256", "bytes"}:
        return f"{numbers.size(int(str(value['bytes'])))}, seal {numbers.seal(str(value['sha256']))}"
    return "; ".join(f"{plain(key)}: {shown(item, today)}" for key, item in value.items())


def is_amount(value: object) -> bool:
    """Whether a column of such values is set to the right."""
    return (
        numbers.is_money(value)
        or (isinstance(value, int) and not isinstance(value, bool))
        or (isinstance(value, str) and bool(_DECIMAL.fullmatch(value) or _SHOWN_MONEY.fullmatch(value)))
    )


def is_date(value: object) -> bool:
    """Whether it is a date or an instant."""
    return isinstance(value, str) and bool(_ISO_DATE.fullmatch(value) or _ISO_INSTANT.fullmatch(value))


def is_identifier(value: object) -> bool:
    """Whether it must never be cut or elided: an account number, a code with digits in it, a file name."""
    if not isinstance(value, str) or " " in value.strip():
        return isinstance(value, str) and numbers.is_iban(value)
    return any(sign.isdigit() for sign in value) or "/" in value or "@" in value or "." in value.strip(".")


def sort_key(value: object) -> tuple[int, float, str]:
    """What a column is sorted by: numbers and amounts by size, then texts, then what is missing."""
    if value is None or value == "":
        return (2, 0.0, "")
    if isinstance(value, Mapping) and numbers.is_money(value):
        return (0, float(str(value["amount"])), str(value["currency"]))
    if isinstance(value, bool):
        return (0, float(value), "")
    if isinstance(value, int | float):
        return (0, float(value), "")
    text = str(value)
    if _DECIMAL.fullmatch(text) or text.lstrip("-").isdigit():
        return (0, float(text), text)
    return (1, 0.0, text.casefold())
