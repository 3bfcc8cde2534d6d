"""Holidays: of places, markets, files and single days; copied into the rule, moved by it, and refused with a sentence."""

from __future__ import annotations

import os
import subprocess
import sys
from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from counterfoil.errors import WrongRule
from counterfoil.schedules.calendars import YEARS, free_days
from counterfoil.schedules.documents import preview_documents
from counterfoil.schedules.rules import form_of, rule_of
from counterfoil.schedules.wording import read, say

TODAY = date(2026, 11, 30)
ICS = """BEGIN:VCALENDAR
VERSION:2.0
PRODID:-//days//EN
BEGIN:VEVENT
UID:1
SUMMARY:Works holiday
DTSTART;VALUE=DATE:20261228
DTEND;VALUE=DATE:20270101
END:VEVENT
BEGIN:VEVENT
UID:2
SUMMARY:Founder
DTSTART;VALUE=DATE:20200302
RRULE:FREQ=YEARLY
END:VEVENT
END:VCALENDAR
""".replace("\n", "\r\n")


def test_a_country_a_part_of_it_and_a_market_differ() -> None:
    germany, bavaria = free_days(["DE"], TODAY, Path()), free_days(["DE-BY"], TODAY, Path())
    assert date(2027, 1, 6) in bavaria
    assert date(2027, 1, 6) not in germany
    assert {date(2026, 12, 25), date(2027, 10, 3)} <= set(germany)
    assert date(2027, 3, 26) in free_days(["ecb"], TODAY, Path())
    assert germany[-1].year == TODAY.year + YEARS
    assert free_days(["2026-12-24", "DE"], TODAY, Path()) == sorted([*germany, date(2026, 12, 24)])


def test_files_of_days_are_read(tmp_path: Path) -> None:
    (tmp_path / "days.csv").write_text("Name;Day\nChristmas Eve;24.12.2026\nNew Year's Eve;2026-12-31\n\n")
    assert free_days(["days.csv"], TODAY, tmp_path) == [date(2026, 12, 24), date(2026, 12, 31)]
    (tmp_path / "days.ics").write_text(ICS)
    found = free_days(["days.ics"], TODAY, tmp_path)
    assert found[0] == date(2026, 3, 2)
    assert [day for day in found if day.month == 12] == [date(2026, 12, n) for n in range(28, 32)]
    assert [day.year for day in found if day.month == 3] == list(range(2026, TODAY.year + YEARS + 1))


@pytest.mark.parametrize(
    "source, text, message",
    [
        ("DE-XX", "", "No holidays are known for the part ‘XX’ of DE. It knows BB, BE, BW"),
        ("QQ", "", "No holidays are known for ‘QQ’."),
        ("Bavaria, Germany", "", "‘Bavaria, Germany’ names no holidays."),
        ("gone.csv", "", "gone.csv cannot be read: No such file or directory."),
        ("days.csv", "Day\n03/04/2026\n", "days.csv line 2 names no day: 03/04/2026."),
        ("days.csv", "Day\n", "days.csv names no free day."),
        ("days.ics", "no calendar", "days.ics cannot be read as a calendar: "),
        ("days.ics", ICS.replace("FREQ=YEARLY", "FREQ=SECONDLY"), "days.ics: the event “Founder” comes by a rule that is not followed."),
        ("days.ics", ICS.replace("FREQ=YEARLY", "FREQ=YEARLY;BYMONTH=4"), "days.ics: the event “Founder” comes by a rule"),
        ("days.ics", ICS.replace("DTSTART;VALUE=DATE:20261228", "DTSTART:soon"), "days.ics cannot be read as a calendar: "),
    ],
)  # fmt: skip
def test_what_names_no_days_is_refused(tmp_path: Path, source: str, text: str, message: str) -> None:
    if text:
        (tmp_path / source).write_text(text)
    with pytest.raises(WrongRule) as problem:
        free_days([source], TODAY, tmp_path)
    assert str(problem.value).startswith(message)


@pytest.mark.parametrize(
    "words, said, second",
    [
        ("every Friday at 09:00 except on public holidays in DE-BY",
         "every Friday at 09:00, not on holidays in DE-BY", "2027-01-08T09:00+01:00"),
        ("every Friday at 9, on a holiday in de the previous business day",
         "every Friday at 09:00, on a holiday in DE the working day before", "2026-12-31T09:00+01:00"),
        ("every Friday at 9, if that is a holiday in de the next working day, until 31 December 2027",
         "every Friday at 09:00, until 31 December 2027, on a holiday in DE the next working day", "2027-01-04T09:00+01:00"),
    ],
)  # fmt: skip
def test_words_about_holidays_are_read_said_back_and_kept(words: str, said: str, second: str) -> None:
    rule = read(words, TODAY)
    assert say(rule) == said
    assert rule_of(form_of(read(said, TODAY))) == rule == rule_of(form_of(rule))
    after = datetime(2026, 12, 18, 12, tzinfo=UTC)
    ahead = [one["local"] for one in preview_documents(form_of(rule), "Europe/Berlin", after, 4)]
    assert second in ahead
    assert "2027-01-01T09:00+01:00" not in ahead


def test_holidays_of_nobody_are_asked_for_and_given_beside_the_words() -> None:
    with pytest.raises(WrongRule, match="does not say whose holidays"):
        read("every Friday at 09:00, not on holidays", TODAY)
    given = read("every Friday at 09:00, not on holidays", TODAY, ["2026-12-25"])
    assert (given.holidays, given.holidays_of) == ([date(2026, 12, 25)], ["2026-12-25"])


def test_rules_without_holidays_load_no_list_of_them() -> None:
    read("every Friday at 09:00", TODAY)
    assert not {"holidays", "icalendar"} & _loaded_by("from counterfoil.schedules import documents, keeping, wording")


def _loaded_by(statement: str) -> set[str]:
    code = f"import sys; {statement}; print(*sys.modules)"
    listed = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True, env=_path())
    return set(listed.stdout.split())


def _path() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parents[2] / "app")}
