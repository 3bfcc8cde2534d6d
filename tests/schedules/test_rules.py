"""Rules by their JSON form: the days and times they name, where clocks change, months are short and holidays fall."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from counterfoil.errors import WrongRule
from counterfoil.schedules.instants import firings, next_firings, refuse_never
from counterfoil.schedules.rules import rule_of, zone_of

BERLIN = "Europe/Berlin"
CASES: list[tuple[str, dict[str, Any], str, str, list[str]]] = [
    # APScheduler loses the day after the change here
    ("midnight after spring-forward", {"kind": "cron", "expr": "0 0 * * *"}, BERLIN, "2026-03-28T12:00+01:00",
     ["2026-03-29T00:00+01:00", "2026-03-30T00:00+02:00", "2026-03-31T00:00+02:00"]),
    ("first of the month at midnight", {"kind": "cron", "expr": "0 0 1 * *"}, BERLIN, "2026-03-01T00:00+01:00",
     ["2026-04-01T00:00+02:00", "2026-05-01T00:00+02:00"]),
    ("Sunday is 0", {"kind": "cron", "expr": "0 9 * * 0"}, BERLIN, "2026-11-29T09:00+01:00", ["2026-12-06T09:00+01:00"]),
    ("Sunday is 7", {"kind": "cron", "expr": "0 9 * * 7"}, BERLIN, "2026-11-28T09:00+01:00", ["2026-11-29T09:00+01:00"]),
    ("either day field", {"kind": "cron", "expr": "0 9 1 * MON"}, BERLIN, "2026-11-29T09:00+01:00",
     ["2026-11-30T09:00+01:00", "2026-12-01T09:00+01:00", "2026-12-07T09:00+01:00"]),
    ("both day fields", {"kind": "cron", "expr": "0 9 1 * MON", "dom_dow": "and"}, BERLIN, "2026-11-29T09:00+01:00",
     ["2027-02-01T09:00+01:00"]),
    ("last Friday", {"kind": "cron", "expr": "30 17 * * 5L"}, BERLIN, "2026-11-29T09:00+01:00", ["2026-12-25T17:30+01:00"]),
    ("second Tuesday", {"kind": "cron", "expr": "30 17 * * 2#2"}, BERLIN, "2026-11-29T09:00+01:00", ["2026-12-08T17:30+01:00"]),
    ("last day", {"kind": "cron", "expr": "0 6 L * *"}, BERLIN, "2027-02-01T09:00+01:00", ["2027-02-28T06:00+01:00"]),
    ("a gap shifts", {"kind": "weekly", "days": ["SU"], "time": "02:30"}, BERLIN, "2026-03-28T12:00+01:00",
     ["2026-03-29T03:30+02:00", "2026-04-05T02:30+02:00"]),
    ("a gap is skipped", {"kind": "weekly", "days": ["SU"], "time": "02:30", "gap": "skip"}, BERLIN, "2026-03-28T12:00+01:00",
     ["2026-04-05T02:30+02:00"]),
    ("half an hour's gap", {"kind": "weekly", "days": ["SU"], "time": "02:15"}, "Australia/Lord_Howe",
     "2026-10-03T12:00+10:30", ["2026-10-04T02:45+11:00"]),
    ("a midnight that is not", {"kind": "weekly", "days": ["SU"], "time": "00:00"}, "America/Sao_Paulo",
     "2018-11-03T12:00-03:00", ["2018-11-04T01:00-02:00", "2018-11-11T00:00-02:00"]),
    ("a fold fires once", {"kind": "weekly", "days": ["SU"], "time": "02:30"}, BERLIN, "2026-10-24T12:00+02:00",
     ["2026-10-25T02:30+02:00", "2026-11-01T02:30+01:00"]),
    ("a fold's second", {"kind": "weekly", "days": ["SU"], "time": "02:30", "fold": "second"}, BERLIN, "2026-10-24T12:00+02:00",
     ["2026-10-25T02:30+01:00"]),
    ("every hour goes through a fold", {"kind": "cron", "expr": "30 * * * *"}, BERLIN, "2026-10-25T01:30+02:00",
     ["2026-10-25T02:30+02:00", "2026-10-25T02:30+01:00", "2026-10-25T03:30+01:00"]),
    ("every hour skips a gap", {"kind": "cron", "expr": "30 * * * *"}, BERLIN, "2026-03-29T00:30+01:00",
     ["2026-03-29T01:30+01:00", "2026-03-29T03:30+02:00"]),
    ("two weeks over a year of 53 weeks", {"kind": "weekly", "days": ["MO"], "time": "09:00", "every": 2, "anchor": "2026-12-14"},
     BERLIN, "2026-12-14T09:00+01:00", ["2026-12-28T09:00+01:00", "2027-01-11T09:00+01:00"]),
    ("the clock stays over spring-forward", {"kind": "weekly", "days": ["MO"], "time": "09:00", "every": 2, "anchor": "2026-03-16"},
     BERLIN, "2026-03-16T09:00+01:00", ["2026-03-30T09:00+02:00"]),
    ("short months are skipped", {"kind": "monthly", "day": 31, "time": "09:00"}, BERLIN, "2027-01-31T09:00+01:00",
     ["2027-03-31T09:00+02:00", "2027-05-31T09:00+02:00"]),
    ("short months are clamped", {"kind": "monthly", "day": 31, "time": "09:00", "overflow": "clamp"}, BERLIN,
     "2027-01-31T09:00+01:00", ["2027-02-28T09:00+01:00", "2027-03-31T09:00+02:00", "2027-04-30T09:00+02:00"]),
    ("the last business day", {"kind": "monthly", "day": "last_weekday", "time": "17:30", "holidays": ["2026-12-31"]}, BERLIN,
     "2026-11-30T17:30+01:00", ["2026-12-30T17:30+01:00", "2027-01-29T17:30+01:00"]),
    ("the first business day", {"kind": "monthly", "day": "first_weekday", "time": "08:00", "holidays": ["2027-01-01"]}, BERLIN,
     "2026-12-01T08:00+01:00", ["2027-01-04T08:00+01:00"]),
    ("the third business day", {"kind": "monthly", "nth": 3, "weekday": "BUSINESS", "time": "08:00"}, BERLIN,
     "2026-12-01T08:00+01:00", ["2026-12-03T08:00+01:00"]),
    ("a fifth Monday is rare", {"kind": "monthly", "nth": 5, "weekday": "MO", "time": "08:00"}, BERLIN, "2026-11-30T08:00+01:00",
     ["2027-03-29T08:00+02:00"]),
    ("the last but one", {"kind": "monthly", "nth": -2, "weekday": "MO", "time": "08:00"}, BERLIN, "2026-11-30T08:00+01:00",
     ["2026-12-21T08:00+01:00"]),
    ("29 February", {"kind": "yearly", "month": 2, "day": 29, "time": "09:00"}, BERLIN, "2026-11-29T00:00+01:00",
     ["2028-02-29T09:00+01:00", "2032-02-29T09:00+01:00"]),
    ("29 February around 2100", {"kind": "yearly", "month": 2, "day": 29, "time": "09:00"}, BERLIN, "2096-03-01T00:00+01:00",
     ["2104-02-29T09:00+01:00"]),
    ("29 February clamped", {"kind": "yearly", "month": 2, "day": 29, "time": "09:00", "overflow": "clamp"}, BERLIN,
     "2026-11-29T00:00+01:00", ["2027-02-28T09:00+01:00", "2028-02-29T09:00+01:00"]),
    ("a holiday is skipped", {"kind": "weekly", "days": ["FR"], "time": "09:00", "holidays": ["2026-12-25"]}, BERLIN,
     "2026-12-18T09:00+01:00", ["2027-01-01T09:00+01:00"]),
    ("a holiday moves to the next working day",
     {"kind": "weekly", "days": ["FR"], "time": "09:00", "holidays": ["2026-12-25"], "on_holiday": "next"}, BERLIN,
     "2026-12-18T09:00+01:00", ["2026-12-28T09:00+01:00", "2027-01-01T09:00+01:00"]),
    ("a holiday moves to the working day before",
     {"kind": "weekly", "days": ["FR"], "time": "09:00", "holidays": ["2026-12-24", "2026-12-25"], "on_holiday": "previous"},
     BERLIN, "2026-12-18T09:00+01:00", ["2026-12-23T09:00+01:00"]),
    ("two firings on one instant are one",
     {"kind": "weekly", "days": ["FR", "MO"], "time": "09:00", "holidays": ["2026-12-25"], "on_holiday": "next"}, BERLIN,
     "2026-12-21T09:00+01:00", ["2026-12-28T09:00+01:00", "2027-01-01T09:00+01:00"]),
    ("a day that a zone left out", {"kind": "weekly", "days": ["FR", "SA"], "time": ["08:00", "09:00"]}, "Pacific/Apia",
     "2011-12-29T12:00-10:00", ["2011-12-31T08:00+14:00", "2011-12-31T09:00+14:00", "2012-01-06T08:00+14:00"]),
    ("real hours", {"kind": "interval", "seconds": 21_600, "anchor_utc": "2026-01-01T00:00:00Z"}, BERLIN,
     "2026-03-28T23:00+01:00", ["2026-03-29T01:00+01:00", "2026-03-29T08:00+02:00"]),
    ("a grid begins where it is told to",
     {"kind": "interval", "seconds": 3600, "anchor_utc": "2026-01-01T00:30:00Z", "start_local": "2036-06-01T10:00"}, BERLIN,
     "2026-03-28T23:00+01:00", ["2036-06-01T10:30+02:00"]),
    ("through the last day", {"kind": "weekly", "days": ["MO"], "time": ["09:00", "23:59"], "end_date": "2026-12-07"}, BERLIN,
     "2026-12-07T08:00+01:00", ["2026-12-07T09:00+01:00", "2026-12-07T23:59+01:00"]),
    ("not before its start", {"kind": "weekly", "days": ["MO"], "time": "09:00", "start_local": "2026-12-07T09:00"}, BERLIN,
     "2026-11-29T08:00+01:00", ["2026-12-07T09:00+01:00", "2026-12-14T09:00+01:00"]),
    ("Kathmandu", {"kind": "weekly", "days": ["MO"], "time": "09:00"}, "Asia/Kathmandu", "2026-11-29T08:00+05:45",
     ["2026-11-30T09:00+05:45"]),
]  # fmt: skip


@pytest.mark.parametrize("name, form, zone, after, expected", CASES, ids=[case[0] for case in CASES])
def test_a_rule_fires_when_it_says(name: str, form: dict[str, Any], zone: str, after: str, expected: list[str]) -> None:
    found = next_firings(rule_of(form), ZoneInfo(zone), datetime.fromisoformat(after), len(expected))
    assert [firing.local(ZoneInfo(zone)).isoformat("T", "minutes") for firing in found] == expected, name


def test_what_is_unusual_about_a_firing_is_said() -> None:
    zone, after = ZoneInfo(BERLIN), datetime(2026, 3, 28, 12, tzinfo=UTC)
    sundays = rule_of({"kind": "weekly", "days": ["SU"], "time": "02:30"})
    assert next_firings(sundays, zone, after, 1)[0].note == "02:30 does not exist that day: 03:30"
    assert (
        next_firings(sundays, zone, datetime(2026, 10, 24, tzinfo=UTC), 1)[0].note
        == "02:30 comes twice that day: the first one"
    )
    moved = {"kind": "weekly", "days": ["FR"], "time": "09:00", "holidays": ["2026-12-25"], "on_holiday": "next"}
    assert (
        next_firings(rule_of(moved), zone, datetime(2026, 12, 20, tzinfo=UTC), 1)[0].note
        == "moved from Fri 25 Dec, a holiday"
    )


def test_a_rule_that_ended_is_refused_with_the_reason() -> None:
    rule = rule_of({"kind": "weekly", "days": ["MO"], "time": "09:00", "end_date": "2026-01-31"})
    with pytest.raises(WrongRule, match="no firing in the next 12 years") as problem:
        refuse_never(rule, ZoneInfo(BERLIN), datetime(2026, 11, 29, tzinfo=UTC))
    assert problem.value.next_step == "It ended on 31 January 2026."
    assert list(firings(rule, ZoneInfo(BERLIN), datetime(2026, 11, 29, tzinfo=UTC))) == []


def test_a_day_that_never_comes_is_refused() -> None:
    rule = rule_of({"kind": "cron", "expr": "0 9 30 2 MON", "dom_dow": "or"})
    assert next_firings(rule, ZoneInfo(BERLIN), datetime(2026, 11, 29, tzinfo=UTC), 1)  # its Mondays in February
    with pytest.raises(WrongRule, match="no month in it has such a day"):
        rule_of({"kind": "cron", "expr": "0 9 30 2 *"})
    gone = rule_of({"kind": "cron", "expr": "0 9 30 2 MON", "dom_dow": "and"})
    with pytest.raises(WrongRule, match="no firing"):
        refuse_never(gone, ZoneInfo(BERLIN), datetime(2026, 11, 29, tzinfo=UTC))


@pytest.mark.parametrize(
    "form, words",
    [
        ({"kind": "hourly"}, "cannot be used"),
        ({"kind": "weekly", "days": [], "time": "09:00"}, "days"),
        ({"kind": "weekly", "days": ["MO"], "time": []}, "time"),
        ({"kind": "weekly", "days": ["MO"], "time": "25:00"}, "time"),
        ({"kind": "weekly", "days": ["MO"], "time": 9}, "a time is text such as 09:00"),
        ({"kind": "weekly", "days": ["Monday"], "time": "09:00"}, "days"),
        ({"kind": "weekly", "days": ["MO"], "time": "09:00", "evry": 2}, "evry"),
        ({"kind": "monthly", "day": 1, "nth": 2, "weekday": "MO", "time": "09:00"}, "either `day` or `nth`"),
        (
            {"kind": "monthly", "day": 32, "time": "09:00"},
            "day: a number from 1 to 31, last, first_weekday or last_weekday",
        ),
        ({"kind": "monthly", "nth": 2, "time": "09:00"}, "go together"),
        ({"kind": "monthly", "nth": 0, "weekday": "MO", "time": "09:00"}, "counts from 1"),
        (
            {"kind": "yearly", "month": 4, "day": 31, "time": "09:00"},
            "31 April does not exist. Last day of the month instead?",
        ),
        ({"kind": "cron", "expr": "0 9 * *"}, "has 4 fields"),
        ({"kind": "cron", "expr": "0 9 * * MOO"}, "cannot read the field day-of-week"),
        ({"kind": "cron", "expr": "0 * * * *", "on_holiday": "next"}, "only `skip` can be meant"),
        ({"kind": "interval", "seconds": 5, "anchor_utc": "2026-01-01T00:00:00Z"}, "seconds"),
        ({"kind": "interval", "seconds": 60, "anchor_utc": "2026-01-01T00:00:00"}, "an instant in UTC"),
        (
            {
                "kind": "weekly",
                "days": ["MO"],
                "time": "09:00",
                "start_local": "2026-12-01T00:00",
                "end_date": "2026-11-01",
            },
            "before it starts",
        ),
        ({"kind": "weekly", "days": ["MO"], "time": "09:00", "start_local": "2026-12-01T00:00Z"}, "without an offset"),
    ],
)
def test_a_form_that_cannot_be_meant_is_refused(form: dict[str, Any], words: str) -> None:
    with pytest.raises(WrongRule) as problem:
        rule_of(form)
    assert words in problem.value.message


def test_holidays_without_end_are_refused() -> None:
    days = [f"2026-12-{n:02d}" for n in range(1, 32)] + [f"2027-01-{n:02d}" for n in range(1, 32)]
    rule = rule_of({"kind": "weekly", "days": ["FR"], "time": "09:00", "holidays": days, "on_holiday": "next"})
    with pytest.raises(WrongRule, match="leave no working day"):
        next_firings(rule, ZoneInfo(BERLIN), datetime(2026, 11, 29, tzinfo=UTC), 1)


def test_zones_are_taken_by_name_and_unknown_ones_get_a_suggestion() -> None:
    assert zone_of("Asia/Calcutta").key == "Asia/Calcutta"
    with pytest.raises(WrongRule) as problem:
        zone_of("Berln")
    assert str(problem.value) == "Unknown zone ‘Berln’. Europe/Berlin?"
    for wrong in ("", "../etc/passwd", "local", "+01:00"):
        with pytest.raises(WrongRule):
            zone_of(wrong)


def test_many_firings_stay_ascending_and_unique() -> None:
    zone, after = ZoneInfo("Europe/Dublin"), datetime(2026, 1, 1, tzinfo=UTC)
    rule = rule_of({"kind": "cron", "expr": "*/20 * * * *"})
    found = [one.due_at for one in next_firings(rule, zone, after, 27_000)]
    assert found == sorted(set(found))
    assert found[-1] - found[0] == timedelta(minutes=20) * 26_999
