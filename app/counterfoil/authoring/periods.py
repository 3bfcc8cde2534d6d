"""Days from one to another, as a parameter: “last week” and “this month” are read once, on the day that the run was planned for.

A run keeps the days themselves, so that it means the same however late it starts and however often it carries on. Weeks begin on
Monday (ISO 8601).
"""

from __future__ import annotations

import calendar
import re
from datetime import date, timedelta

PERIOD_EXAMPLE = "last week, this month, or 2026-11-23 to 2026-11-29"
_DAYS = re.compile(r"(\d{4}-\d{2}-\d{2})(?:\s*(?:/|\bto\b|–|\.\.)\s*(\d{4}-\d{2}-\d{2}))?")
_WORDS = re.compile(r"(today|yesterday)|(this|last|next) (week|month|quarter|year)|last (\d{1,3}) (day|week|month)s?")
_MONTHS = {"month": 1, "quarter": 3, "year": 12}
_ALONE = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split()


class Period(str):
    """Days from `first` to `last`, both in it, kept as `2026-11-23/2026-11-29` (ISO 8601). The default of a parameter may be words."""

    __slots__ = ()

    @staticmethod
    def between(first: date, last: date) -> Period:
        """The period of these days."""
        return Period(f"{first.isoformat()}/{last.isoformat()}")

    @property
    def first(self) -> date:
        """The first day.

        Raises:
            ValueError: it is words, which mean days only once a run is planned.
        """
        return _days(self)[0]

    @property
    def last(self) -> date:
        """The last day, which belongs to it. Raises as `first`."""
        return _days(self)[1]

    @property
    def words(self) -> str:
        """As people write it: `23–29 Nov 2026`; what is no days stays as it is."""
        try:
            return _written(*_days(self))
        except ValueError:
            return str(self)

    @property
    def before(self) -> Period:
        """The one of the same kind that ends the day before: whole months for whole months, else as many days."""
        first, last = _days(self)
        ends = first - timedelta(days=1)
        months = _whole_months(first, last)
        return Period.between(months_on(first, -months) if months else ends - (last - first), ends)

    def __contains__(self, day: object) -> bool:
        return self.first <= day <= self.last if isinstance(day, date) else str.__contains__(self, str(day))


def is_in_words(text: object) -> bool:
    """Whether a value is a period in words, which mean other days on another day."""
    return isinstance(text, str) and _WORDS.fullmatch(_plain(text)) is not None


def period_of(text: str, planned: date | None) -> Period:
    """What was written as a period; words mean days as seen from the planned day, and without one they stay words.

    Raises:
        ValueError: a sentence, what is wrong with it.
    """
    if is_in_words(text):
        return Period(_plain(text)) if planned is None else Period.between(*_meant(_plain(text), planned))
    return Period.between(*_days(text))


def span_around(day: date, which: str, span: str) -> tuple[date, date]:
    """First and last day of this, the last or the next week, month, quarter or year around a day."""
    step = {"last": -1, "this": 0, "next": 1}[which]
    if span == "week":
        start = day - timedelta(days=day.weekday()) + timedelta(weeks=step)
        return start, start + timedelta(days=6)
    months = _MONTHS[span]
    first = months_on(day.replace(month=(day.month - 1) // months * months + 1, day=1), step * months)
    return first, months_on(first, months) - timedelta(days=1)


def months_on(day: date, number: int) -> date:
    """A day some months on; the last of a shorter month where that has none of its number."""
    years, month = divmod(day.year * 12 + day.month - 1 + number, 12)
    return date(years, month + 1, min(day.day, calendar.monthrange(years, month + 1)[1]))


def _plain(text: str) -> str:
    return " ".join(text.lower().split())


def _days(text: str) -> tuple[date, date]:
    found = _DAYS.fullmatch(text.strip())
    if found is None:
        raise ValueError(f"‘{text[:80]}’ is no period.")
    days = []
    for written in (found[1], found[2] or found[1]):
        try:
            days.append(date.fromisoformat(written))
        except ValueError:
            raise ValueError(f"{written} does not exist.") from None
    if days[1] < days[0]:
        raise ValueError(f"It ends on {found[2]}, before it begins on {found[1]}.")
    return days[0], days[1]


def _meant(words: str, planned: date) -> tuple[date, date]:
    alone, which, span, number, unit = _WORDS.fullmatch(words).groups()  # type: ignore[union-attr]  # is_in_words was asked
    if alone:
        day = planned - timedelta(days=alone == "yesterday")
        return day, day
    if span:
        return span_around(planned, which, span)
    count = max(int(number), 1)
    if unit == "day":
        return planned - timedelta(days=count), planned - timedelta(days=1)
    first, last = span_around(planned, "last", unit)
    return (first - timedelta(weeks=count - 1) if unit == "week" else months_on(first, 1 - count)), last


def _whole_months(first: date, last: date) -> int:
    """How many months it is, where it is whole ones; else 0."""
    ends = last + timedelta(days=1)
    return (ends.year - first.year) * 12 + ends.month - first.month if first.day == ends.day == 1 else 0


def _written(first: date, last: date) -> str:
    end = f"{last.day} {_ALONE[last.month - 1]} {last.year}"
    if first == last:
        return end
    if (first.year, first.month) == (last.year, last.month):
        return f"{first.day}–{end}"
    year = f" {first.year}" if first.year != last.year else ""
    return f"{first.day} {_ALONE[first.month - 1]}{year} – {end}"
