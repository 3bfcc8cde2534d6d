"""Dates in words, against the planned day."""

from __future__ import annotations

from datetime import date

import pytest

from counterfoil.schedules.planned import date_of, dates_in, is_relative, resolved

MONDAY = date(2026, 11, 30)


@pytest.mark.parametrize(
    "words, planned, expected",
    [
        ("planned day", MONDAY, "2026-11-30"),
        ("Planned  day + 3 days", MONDAY, "2026-12-03"),
        ("planned day - 1 week", MONDAY, "2026-11-23"),
        ("planned day + 1 business day", date(2026, 12, 4), "2026-12-07"),
        ("planned day - 2 business days", MONDAY, "2026-11-26"),
        ("planned day + 3 months", MONDAY, "2027-02-28"),
        ("start of last week", MONDAY, "2026-11-23"),
        ("end of last week", MONDAY, "2026-11-29"),
        ("start of last week", date(2026, 12, 6), "2026-11-23"),
        ("end of this month", date(2028, 2, 1), "2028-02-29"),
        ("start of last month", date(2027, 1, 31), "2026-12-01"),
        ("end of last quarter", date(2027, 1, 1), "2026-12-31"),
        ("start of next quarter", MONDAY, "2027-01-01"),
        ("end of this year", MONDAY, "2026-12-31"),
        ("start of next month + 4 days", MONDAY, "2026-12-05"),
    ],
)
def test_words_mean_a_date_on_the_planned_day(words: str, planned: date, expected: str) -> None:
    assert is_relative(words)
    assert date_of(words, planned).isoformat() == expected


@pytest.mark.parametrize("words", ["tomorrow", "2026-12-01", "planned day + days", "end of week", "", None, 3])
def test_other_values_are_left_alone(words: object) -> None:
    assert not is_relative(words)


def test_only_fields_of_dates_are_read_so() -> None:
    fields = [{"name": "on", "type": "date"}, {"name": "note", "type": "text"}]
    values = {"on": "planned day", "note": "planned day"}
    assert resolved(fields, values, MONDAY) == {"on": "2026-11-30", "note": "planned day"}
    fields, values = [{"name": "days", "type": "period"}], {"days": "Last  week"}
    assert dates_in(fields, values) == {"days"}
    assert resolved(fields, values, MONDAY) == {"days": "2026-11-23/2026-11-29"}
    with pytest.raises(ValueError, match="no date in words"):
        date_of("soon", MONDAY)
