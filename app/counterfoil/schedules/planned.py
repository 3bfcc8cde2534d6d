"""Dates that a routine's parameters say in words, read against the planned moment and never against the clock.

“planned day + 3 business days”, “start of last week”, “end of this month”: however late a run starts, they mean what they would have
meant on time. Weeks begin on Monday (ISO 8601).
"""

from __future__ import annotations

import calendar
import re
from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from typing import Any

_WORDS = re.compile(
    r"(?:(?P<edge>start|end) of (?P<which>this|last|next) (?P<span>week|month|quarter|year)|(?P<day>planned day))"
    r"(?: (?P<sign>[+-]) (?P<n>\d{1,4}) (?P<unit>business day|day|week|month)s?)?"
)
EXAMPLES = "planned day + 3 business days, start of last week, end of this month"
_MONTHS = {"month": 1, "quarter": 3, "year": 12}


def is_relative(text: object) -> bool:
    """Whether a value is a date in words."""
    return isinstance(text, str) and _WORDS.fullmatch(_plain(text)) is not None


def _plain(text: str) -> str:
    return " ".join(text.lower().split())


def dates_in(fields: Sequence[Mapping[str, Any]], values: Mapping[str, Any]) -> set[str]:
    """Names of the date fields whose values are words."""
    return {field["name"] for field in fields if field["type"] == "date" and is_relative(values.get(field["name"]))}


def resolved(fields: Sequence[Mapping[str, Any]], values: Mapping[str, Any], planned: date) -> dict[str, Any]:
    """The values with each date in words as the date it means on the planned day, in its text form."""
    words = dates_in(fields, values)
    return {name: date_of(value, planned).isoformat() if name in words else value for name, value in values.items()}


def date_of(text: str, planned: date) -> date:
    """The date that words mean on a planned day.

    Raises:
        ValueError: the text is no date in words.
    """
    found = _WORDS.fullmatch(_plain(text))
    if found is None:
        raise ValueError(f"“{text}” is no date in words such as: {EXAMPLES}")
    day = planned if found["day"] else _edge(planned, found["edge"], found["which"], found["span"])
    if found["sign"] is None:
        return day
    return _moved(day, int(found["n"]) * (1 if found["sign"] == "+" else -1), found["unit"])


def _edge(planned: date, edge: str, which: str, span: str) -> date:
    """The first or last day of this, the last or the next span around a day."""
    step = {"last": -1, "this": 0, "next": 1}[which]
    if span == "week":
        start = planned - timedelta(days=planned.weekday()) + timedelta(weeks=step)
        return start if edge == "start" else start + timedelta(days=6)
    months = _MONTHS[span]
    first = planned.replace(month=(planned.month - 1) // months * months + 1, day=1)
    start = _month_on(first, step * months)
    return start if edge == "start" else _month_on(start, months) - timedelta(days=1)


def _moved(day: date, number: int, unit: str) -> date:
    if unit == "month":
        return _month_on(day, number)
    if unit != "business day":
        return day + timedelta(weeks=number) if unit == "week" else day + timedelta(days=number)
    step = timedelta(days=1 if number > 0 else -1)
    for _ in range(abs(number)):
        day += step
        while day.weekday() > 4:
            day += step
    return day


def _month_on(day: date, number: int) -> date:
    """A day some months on; the last of a shorter month where that has none of its number."""
    years, month = divmod(day.year * 12 + day.month - 1 + number, 12)
    return date(years, month + 1, min(day.day, calendar.monthrange(years, month + 1)[1]))
