"""Periods: what words mean on a day, how they read, and what is none."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from counterfoil import Folder, Params, Period, param
from counterfoil.authoring.parameters import decode_params, encode_params, schema_of
from counterfoil.authoring.periods import is_in_words, period_of
from counterfoil.catalogue.manifest import title_of_run
from counterfoil.catalogue.parameters import check_values, parse_texts, problems_with
from counterfoil.cli.words import cell
from counterfoil.desktop.words.values import shown

MONDAY = date(2026, 11, 30)


class Wanted(Params):
    folder: Folder
    period: Period = param(label="Days", default=Period("last week"))


SCHEMA = schema_of(Wanted)


@pytest.mark.parametrize(
    "words, days, read",
    [
        ("last week", "2026-11-23/2026-11-29", "23–29 Nov 2026"),
        ("This Week", "2026-11-30/2026-12-06", "30 Nov – 6 Dec 2026"),
        ("this  month", "2026-11-01/2026-11-30", "1–30 Nov 2026"),
        ("last month", "2026-10-01/2026-10-31", "1–31 Oct 2026"),
        ("last quarter", "2026-07-01/2026-09-30", "1 Jul – 30 Sep 2026"),
        ("last year", "2025-01-01/2025-12-31", "1 Jan – 31 Dec 2025"),
        ("yesterday", "2026-11-29/2026-11-29", "29 Nov 2026"),
        ("last 7 days", "2026-11-23/2026-11-29", "23–29 Nov 2026"),
        ("last 2 weeks", "2026-11-16/2026-11-29", "16–29 Nov 2026"),
        ("last 3 months", "2026-08-01/2026-10-31", "1 Aug – 31 Oct 2026"),
        ("2026-11-02 to 2026-11-08", "2026-11-02/2026-11-08", "2–8 Nov 2026"),
        ("2025-12-29/2026-01-04", "2025-12-29/2026-01-04", "29 Dec 2025 – 4 Jan 2026"),
        ("2026-11-02", "2026-11-02/2026-11-02", "2 Nov 2026"),
    ],
)
def test_a_period_is_read_on_the_planned_day(words: str, days: str, read: str) -> None:
    found = period_of(words, MONDAY)
    assert (found, found.words) == (days, read)
    assert shown(days, MONDAY) == cell(days).text == read == title_of_run("{p}", {"p": days})
    assert is_in_words(words) == (not words[:4].isdigit())


@pytest.mark.parametrize("planned", [date(2026, 11, 30), date(2026, 12, 1), date(2026, 12, 6)])
def test_the_last_week_is_the_same_all_week_long(planned: date) -> None:
    assert period_of("last week", planned) == "2026-11-23/2026-11-29"


@pytest.mark.parametrize(
    "days, before",
    [
        ("2026-11-23/2026-11-29", "2026-11-16/2026-11-22"),
        ("2026-03-01/2026-03-31", "2026-02-01/2026-02-28"),
        ("2026-07-01/2026-09-30", "2026-04-01/2026-06-30"),
        ("2026-11-29/2026-11-29", "2026-11-28/2026-11-28"),
    ],
)
def test_the_one_before_is_of_the_same_kind(days: str, before: str) -> None:
    assert Period(days).before == before


@given(st.dates(min_value=date(1990, 1, 1), max_value=date(2200, 1, 1)), st.integers(0, 800))
def test_days_are_in_it_from_the_first_to_the_last(first: date, days: int) -> None:
    last = date.fromordinal(first.toordinal() + days)
    period = Period.between(first, last)
    assert first in period
    assert last in period
    assert date.fromordinal(last.toordinal() + 1) not in period
    assert period.before.last.toordinal() == first.toordinal() - 1
    assert period_of(period, None) == period


@pytest.mark.parametrize(
    "written, sentence",
    [
        ("soon", "‘soon’ is no period."),
        ("2026-11-31", "2026-11-31 does not exist."),
        ("2026-11-08 to 2026-11-02", "It ends on 2026-11-02, before it begins on 2026-11-08."),
    ],
)
def test_what_is_no_period_is_told(written: str, sentence: str) -> None:
    problems = problems_with(SCHEMA, {"folder": "sales", "period": written}, today=MONDAY)
    assert problems == {"period": f"{sentence} Write it like last week, this month, or 2026-11-23 to 2026-11-29."}


def test_a_run_keeps_the_days_and_not_the_words() -> None:
    given = dict(parse_texts(SCHEMA, [("folder", "sales"), ("period", "Last week")], what="it"))
    assert given["period"] == "last week", "words stay words until a day is known"
    for values in (check_values(SCHEMA, given, today=MONDAY), check_values(SCHEMA, {"folder": "sales"}, today=MONDAY)):
        assert values["period"] == "2026-11-23/2026-11-29"
        assert check_values(SCHEMA, values, today=date(2027, 5, 1)) == values
    wanted = decode_params(
        Wanted, encode_params(Wanted(folder=Folder("sales"), period=Period("2026-11-23/2026-11-29")))
    )
    assert (wanted.period.first, wanted.period.last) == (date(2026, 11, 23), date(2026, 11, 29))
    with pytest.raises(ValueError, match="no period"):
        _ = Wanted(folder=Folder("sales")).period.first
