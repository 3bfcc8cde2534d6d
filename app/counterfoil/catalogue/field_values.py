"""From what a person typed, or a JSON file holds, to a value of a field's type; and why not, in words a form can show.

One reader per type takes texts, the contract's JSON forms (contract.md 4) and recorded plain values with codec tags alike, so a
value that was checked once reads the same again. Readers are strict where a guess would be dangerous: no number with separators,
no date in another order, no truth made of "yes".
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from typing import Any

from counterfoil.authoring.periods import PERIOD_EXAMPLE, Period, period_of
from counterfoil.errors import did_you_mean
from counterfoil.facts import Money

_LONGEST = 100_000  # characters of one text; a form is no place for documents
_INTEGER = re.compile(r"[+-]?[0-9]{1,18}")
_DECIMAL = re.compile(r"[+-]?[0-9]{1,30}(?:\.[0-9]{1,18})?")
_MONEY = re.compile(r"(\S+)\s+([A-Za-z]{3})")
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_IBAN = re.compile(r"[A-Z]{2}[0-9]{2}[A-Z0-9]{11,30}")


class Misfit(ValueError):
    """A value does not fit its field: one sentence without the field's name, and what to do."""

    def __init__(self, sentence: str, advice: str) -> None:
        super().__init__(f"{sentence} {advice}".strip())
        self.sentence = sentence
        self.advice = advice


class Passed(Misfit):
    """A day that was fine once has passed."""


@dataclass(frozen=True, slots=True)
class FieldType:
    """How values of one type are read; `called` and `example` are for sentences."""

    read: Callable[[object], Any]
    called: str
    example: str


def reader_of(field: Mapping[str, Any]) -> Callable[[object], Any]:
    """The function that reads values of a field object; it raises Misfit."""
    kind = str(field["type"])
    if kind == "choice":
        choices = [str(choice) for choice in field["choices"] or ()]
        return lambda value: _choice(value, choices)
    if kind.startswith("list["):
        item = FIELD_VALUES[kind[5:-1]]
        allowed = None if field.get("choices") is None else [str(choice) for choice in field["choices"]]
        return lambda value: _list(value, item, allowed)
    read = FIELD_VALUES[kind].read
    check = _CHECKS.get(field.get("check") or "")
    return (lambda value: check(read(value))) if check else read


def example_of(field: Mapping[str, Any]) -> str:
    """A text that the field would take."""
    kind = str(field["type"])
    if kind == "choice":
        return str((field["choices"] or ["…"])[0])
    if field.get("check") == "iban":
        return "DE89370400440532013000"
    return FIELD_VALUES[kind.removeprefix("list[").removesuffix("]")].example


def is_blank(value: object) -> bool:
    """Whether nothing was filled in."""
    return value is None or value == [] or (isinstance(value, str) and not value.strip())


def _quoted(value: object) -> str:
    text = value if isinstance(value, str) else repr(value)
    return f"‘{text if len(text) <= 120 else text[:119] + '…'}’"


def _misfit(value: object, kind: str) -> Misfit:
    known = FIELD_VALUES[kind]
    return Misfit(f"{_quoted(value)} is not {known.called}.", f"Write it like {known.example}.")


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise Misfit(f"{_quoted(value)} is not text.", "Put it in quotes.")
    if len(value) > _LONGEST:
        raise Misfit(f"It has {len(value)} characters.", f"Keep it under {_LONGEST}.")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise Misfit("It holds bytes that are no Unicode text.", "Rename the file, or type it anew.") from None
    if "\0" in value:
        raise Misfit("It holds a zero character.", "Type it anew.")
    return value


def _place(value: object) -> str:
    text = _text(value)
    if not text.strip():
        raise Misfit("It is empty.", "Name a place in the workspace; . is the workspace itself.")
    return text


def _boolean(value: object) -> bool:
    if isinstance(value, bool):
        return value
    if isinstance(value, str) and value.strip().lower() in ("true", "false"):
        return value.strip().lower() == "true"
    raise _misfit(value, "boolean")


def _integer(value: object) -> int:
    if isinstance(value, int) and not isinstance(value, bool):
        value = str(value)
    if isinstance(value, str) and _INTEGER.fullmatch(value.strip()):
        return int(value)
    raise _misfit(value, "integer")


def _decimal(value: object) -> Decimal:
    match value:
        case bool():
            raise _misfit(value, "decimal")
        case {"$dec": tagged}:
            value = tagged
        case int() | Decimal():
            value = str(value)
        case float() if math.isfinite(value):
            value = repr(value)  # the shortest text of it: what was written in the file
    if isinstance(value, str):
        if _DECIMAL.fullmatch(value.strip()):
            return Decimal(value.strip())
        if "," in value or " " in value.strip() or "'" in value:
            advice = f"Write it with a point and without separators, like {FIELD_VALUES['decimal'].example}."
            raise Misfit(f"{_quoted(value)} is not a plain number.", advice)
    raise _misfit(value, "decimal")


def _money(value: object) -> Money:
    match value:
        case {"amount": amount, "currency": str(currency)}:
            pass
        case str() if parts := _MONEY.fullmatch(value.strip()):
            amount, currency = parts.groups()
        case _:
            raise _misfit(value, "money")
    if not re.fullmatch(r"[A-Za-z]{3}", currency):
        raise Misfit(f"{_quoted(currency)} is not a currency.", "Use its three letters, like EUR.")
    return Money(_decimal(amount), currency.upper())


def _date(value: object) -> date:
    if isinstance(value, Mapping):
        value = value.get("$date")
    if not isinstance(value, str) or not _DATE.fullmatch(value.strip()):
        raise _misfit(value, "date")
    try:
        return date.fromisoformat(value.strip())
    except ValueError:
        raise Misfit(f"{value.strip()} does not exist.", "Choose another day.") from None


def _instant(value: object) -> datetime:
    if isinstance(value, Mapping):
        value = value.get("$at")
    if not isinstance(value, str) or "-" not in value or ":" not in value:
        raise _misfit(value, "instant")
    try:
        at = datetime.fromisoformat(value.strip())
    except ValueError:
        raise _misfit(value, "instant") from None
    if at.tzinfo is None:
        raise Misfit(f"{_quoted(value)} has no zone.", "Add it, like +01:00, or Z for UTC.")
    return at


def _period(value: object) -> Period:
    """Words stay words: `meant_on` makes days of them."""
    if not isinstance(value, str) or not value.strip():
        raise _misfit(value, "period")
    return meant_on(value, None)


def meant_on(text: str, today: date | None) -> Period:
    """A period, its words read on a day.

    Raises:
        Misfit: it is none.
    """
    try:
        return period_of(text, today)
    except ValueError as problem:
        raise Misfit(str(problem), f"Write it like {PERIOD_EXAMPLE}.") from None


def _choice(value: object, choices: list[str]) -> str:
    text = _text(value).strip()
    if text not in choices:
        advice = did_you_mean(text, choices) or f"Choose one of: {', '.join(choices)}."
        raise Misfit(f"{_quoted(text)} is not among the choices.", advice)
    return text


def not_past(day: date, today: date) -> date:
    """A day that is today or later.

    Raises:
        Passed: it is not.
    """
    if day < today:
        raise Passed(f"{day.isoformat()} lies in the past.", f"Choose {today.isoformat()} or a later day.")
    return day


def _list(value: object, item: FieldType, allowed: list[str] | None) -> list[Any]:
    if not isinstance(value, list | tuple):
        raise Misfit(f"{_quoted(value)} is not a list.", f"Write it like [{item.example!r}].")
    found = []
    for place, part in enumerate(value, start=1):
        try:
            found.append(item.read(part))
        except Misfit as problem:
            raise Misfit(f"Item {place}: {problem.sentence}", problem.advice) from problem
        if allowed is not None and str(found[-1]) not in allowed:
            known = f"Choose among: {', '.join(allowed)}." if allowed else "There is nothing to choose from."
            raise Misfit(f"There is no {_quoted(str(found[-1]))}.", known)
    return found


def _iban(text: str) -> str:
    """The electronic form of an IBAN (ISO 13616); its check digits catch every single mistyped character."""
    iban = "".join(text.split()).upper()
    if not _IBAN.fullmatch(iban):
        advice = "It begins with two letters and two digits, like DE89 3704 0044 0532 0130 00."
        raise Misfit("This is not an IBAN.", advice)
    digits = "".join(str(int(char, 36)) for char in iban[4:] + iban[:4])
    if int(digits) % 97 != 1:
        raise Misfit("This IBAN has a wrong check digit: one character is mistyped.", "")
    return iban


FIELD_VALUES = {
    "text": FieldType(_text, "text", "Brightwater"),
    "integer": FieldType(_integer, "a whole number", "12"),
    "boolean": FieldType(_boolean, "true or false", "true"),
    "decimal": FieldType(_decimal, "a number", "1250.00"),
    "date": FieldType(_date, "a date", "2026-11-30"),
    "instant": FieldType(_instant, "a moment", "2026-11-30T08:55:00+01:00"),
    "money": FieldType(_money, "an amount with its currency", "10000 EUR"),
    "folder": FieldType(_place, "a folder", "invoices"),
    "file": FieldType(_place, "a file", "invoices/bw-7741.xml"),
    "period": FieldType(_period, "a period", PERIOD_EXAMPLE),
}
_CHECKS: dict[str, Callable[[str], str]] = {"iban": _iban}
