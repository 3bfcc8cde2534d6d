"""Dates and periods that a routine's parameters say in words, read against the planned moment and never against the clock.

“planned day + 3 business days”, “start of last week”, “last month”: however late a run starts, they mean what they would have
meant on time. Weeks begin on Monday (ISO 8601).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from typing import Any

from counterfoil.authoring.periods import is_in_words, months_on, period_of, span_around

_WORDS = re.compile(
    r"(?:(?P<edge>start|end) of (?P<which>this|last|next) (?P<span>week|month|quarter|year)|(?P<day>planned day))"
    r"(?: (?P<sign>[+-]) (?P<n>\d{1,4}) (?P<unit>business day|day|week|month)s?)?"
)
EXAMPLES = "planned day + 3 business days, start of last week, end of this month"


def is_relative(text: object) -> bool:
    """Whether a value is a date in words."""
    return isinstance(text, str) and _WORDS.fullmatch(_plain(text)) is not None


def _plain(text: str) -> str:
    return " ".join(text.lower().split())


def dates_in(fields: Sequence[Mapping[str, Any]], values: Mapping[str, Any]) -> set[str]:
    """Names of the fields of dates and periods whose values are words."""
    say = {"date": is_relative, "period": is_in_words}
    return {field["name"] for field in fields if field["type"] in say and say[field["type"]](values.get(field["name"]))}


def resolved(fields: Sequence[Mapping[str, Any]], values: Mapping[str, Any], planned: date) -> dict[str, Any]:
    """The values with each date and period in words as what it means on the planned day, in its text form."""
    words = dates_in(fields, values)
    return {name: _meant(value, planned) if name in words else value for name, value in values.items()}


def _meant(text: str, planned: date) -> str:
    return str(period_of(text, planned)) if is_in_words(text) else date_of(text, planned).isoformat()


def date_of(text: str, planned: date) -> date:
    """The date that words mean on a planned day.

    Raises:
        ValueError: the text is no date in words.
    """
    found = _WORDS.fullmatch(_plain(text))
    if found is None:
        raise ValueError(f"“{text}” is no date in words such as: {EXAMPLES}")
    day = planned if found["day"] else span_around(planned, found["which"], found["span"])[found["edge"] == "end"]
    if found["sign"] is None:
        return day
    return _moved(day, int(found["n"]) * (1 if found["sign"] == "+" else -1), found["unit"])


def _moved(day: date, number: int, unit: str) -> date:
    if unit == "month":
        return months_on(day, number)
    if unit != "business day":
        return day + timedelta(weeks=number) if unit == "week" else day + timedelta(days=number)
    step = timedelta(days=1 if number > 0 else -1)
    for _ in range(abs(number)):
        day += step
        while day.weekday() > 4:
            day += step
    return day
