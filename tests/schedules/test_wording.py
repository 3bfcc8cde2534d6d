"""Rules in words: what is read, what is said back, what is refused and why."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest

from counterfoil.errors import WrongRule
from counterfoil.schedules.rules import form_of, rule_of
from counterfoil.schedules.wording import read, say

TODAY = date(2026, 11, 29)
_DAILY = {"kind": "weekly", "days": ["MO", "TU", "WE", "TH", "FR", "SA", "SU"]}
_WORKING = {"kind": "weekly", "days": ["MO", "TU", "WE", "TH", "FR"]}


@pytest.mark.parametrize(
    "words, form",
    [
        ("every day at 7", {**_DAILY, "time": ["07:00:00"]}),
        ("Daily at 7:15 am and 5 pm", {**_DAILY, "time": ["07:15:00", "17:00:00"]}),
        ("every weekday at 09:00", {**_WORKING, "time": ["09:00:00"]}),
        ("weekdays at noon", {**_WORKING, "time": ["12:00:00"]}),
        ("Mondays at 09:00", {"kind": "weekly", "days": ["MO"], "time": ["09:00:00"]}),
        (
            "every Monday, Wednesday and Friday at 9:30",
            {"kind": "weekly", "days": ["MO", "WE", "FR"], "time": ["09:30:00"]},
        ),
        (
            "every 2 weeks on Monday and Thursday at 09:00",
            {"kind": "weekly", "days": ["MO", "TH"], "time": ["09:00:00"], "every": 2, "anchor": "2026-11-29"},
        ),
        (
            "every other Tuesday at 8:00",
            {"kind": "weekly", "days": ["TU"], "time": ["08:00:00"], "every": 2, "anchor": "2026-11-29"},
        ),
        ("last business day of the month at 17:30", {"kind": "monthly", "day": "last_weekday", "time": ["17:30:00"]}),
        (
            "third business day of the month at 10:00",
            {"kind": "monthly", "nth": 3, "weekday": "BUSINESS", "time": ["10:00:00"]},
        ),
        ("the last day of every month at 18:00", {"kind": "monthly", "day": "last", "time": ["18:00:00"]}),
        ("on the 15th of the month at 10:00", {"kind": "monthly", "day": 15, "time": ["10:00:00"]}),
        ("monthly on the 1st at 06:00", {"kind": "monthly", "day": 1, "time": ["06:00:00"]}),
        ("second Tuesday of the month at 10:00", {"kind": "monthly", "nth": 2, "weekday": "TU", "time": ["10:00:00"]}),
        (
            "second to last Friday of the month at 10:00",
            {"kind": "monthly", "nth": -2, "weekday": "FR", "time": ["10:00:00"]},
        ),
        ("every year on 1 March at 09:00", {"kind": "yearly", "month": 3, "day": 1, "time": ["09:00:00"]}),
        ("yearly on December 24 at 09:00", {"kind": "yearly", "month": 12, "day": 24, "time": ["09:00:00"]}),
        ("every 15 minutes", {"kind": "interval", "seconds": 900, "anchor_utc": "2000-01-01T00:00:00Z"}),
        ("every hour", {"kind": "interval", "seconds": 3600, "anchor_utc": "2000-01-01T00:00:00Z"}),
        (
            "every Monday at 09:00 until 31 December 2027",
            {"kind": "weekly", "days": ["MO"], "time": ["09:00:00"], "end_date": "2027-12-31"},
        ),
        (
            "every Monday at 09:00 from 4 January until 2027-12-31",
            {
                "kind": "weekly",
                "days": ["MO"],
                "time": ["09:00:00"],
                "start_local": "2027-01-04T00:00:00",
                "end_date": "2027-12-31",
            },
        ),
        (
            "on the 31st of the month at 9, or the last day of a shorter month, until 2027-12-31",
            {"kind": "monthly", "day": 31, "time": ["09:00:00"], "overflow": "clamp", "end_date": "2027-12-31"},
        ),
        (
            "every year on 29 February at 09:00, or the last day of a shorter month",
            {"kind": "yearly", "month": 2, "day": 29, "time": ["09:00:00"], "overflow": "clamp"},
        ),
        ("when new files have come into Eingang/2026 neu", {"kind": "folder", "path": "Eingang/2026 neu"}),
        ("When files *.PDF arrive in the workspace.", {"kind": "folder", "path": ".", "pattern": "*.PDF"}),
        ("when new files are put into Inbox/", {"kind": "folder", "path": "Inbox"}),
        ("when a run of pay-invoices is done", {"kind": "after", "template": "pay-invoices"}),
        ("after pay-invoices", {"kind": "after", "template": "pay-invoices"}),
    ],
)
def test_words_are_read_and_said_back_with_the_same_meaning(words: str, form: dict[str, Any]) -> None:
    rule = read(words, TODAY)
    assert form_of(rule) == form
    assert form_of(read(say(rule), TODAY)) == form
    assert rule_of(form_of(rule)) == rule


@pytest.mark.parametrize(
    "words, message",
    [
        ("whenever it suits", "“whenever it suits” is not understood as a rule."),
        (
            "every Monday at 09:00 except in August",
            "“every Monday at 09:00 except in August” is not understood as a rule.",
        ),
        ("every Monday at 25:00", "“every Monday at 25:00” is not understood as a rule."),
        ("every Monday", "The rule names no time of day."),
        ("every Monday at 13 pm", "“13 pm” is no time of day."),
        ("every Monday at 09:00 until 31 June 2027", "31 June does not exist in that year."),
        (
            "every year on 31 April at 09:00",
            "This rule cannot be used: 31 April does not exist. Last day of the month instead?",
        ),
        ("on the 32nd of the month at 09:00", "This rule cannot be used: "),
        ("when new files have come into ../elsewhere", "This rule cannot be used: "),
        ("when it suits me", "“when it suits me” is not understood as a rule."),
    ],
)
def test_words_that_mean_nothing_are_refused_whole(words: str, message: str) -> None:
    with pytest.raises(WrongRule) as problem:
        read(words, TODAY)
    assert problem.value.message.startswith(message)


def test_what_has_no_words_of_its_own_is_said_as_it_is() -> None:
    assert say(rule_of({"kind": "cron", "expr": "0 9 * * 1-5"})) == "crontab line 0 9 * * 1-5"
    assert say(rule_of({"kind": "monthly", "day": 22, "time": "09:00"})) == "22nd day of the month at 09:00"
    held = {"kind": "weekly", "days": ["FR"], "time": "09:00", "holidays": ["2026-12-25"], "on_holiday": "previous"}
    assert say(rule_of(held)) == "every Friday at 09:00, on a holiday the working day before"
