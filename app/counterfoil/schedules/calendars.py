"""Holidays for a rule: of a country or a part of it, of a market, of a file, single days; copied into the rule when it is kept.

The dates are a copy on purpose: a newer list of holidays, or a file that changed, moves no firing of a routine that is kept already.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Sequence
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any

from counterfoil.errors import WrongRule, did_you_mean

YEARS = 12  # copied ahead: as far as a rule is looked at to see whether it ever fires
ENDS_SOON = timedelta(days=30)  # before the last of the copied days, people are told
LARGEST = 1024 * 1024  # bytes of a file of days
MOST_DAYS = 5000
_EXAMPLES = "DE-BY, US-NY, ECB, 2026-12-24, days.ics or days.csv"
_CODE = re.compile(r"[A-Za-z]{2}(?:[-/ ][A-Za-z0-9]{1,5})?|[A-Za-z]{3,5}")


def free_days(sources: Sequence[str], today: date, folder: Path) -> list[date]:
    """The days that sources name from this year on, ascending: a country or part of one (DE-BY), a market (ECB), a date, or a file
    (.ics, .csv) below `folder` or with its full path.

    Raises:
        WrongRule: a source is not known or cannot be read; the sentence says what is.
    """
    found = {day for source in sources for day in _of_source(source.strip(), today, folder)}
    if len(found) > MOST_DAYS:
        raise WrongRule(f"{len(found)} days are too many to be holidays.", "Give a list of the days that are free.")
    return sorted(found)


def end_of(sources: Sequence[str], days: Sequence[date], today: date) -> date | None:
    """The last free day that was copied, where it is near or past and the sources are lists, which go on; None where nothing is amiss."""
    if not days or all(_is_day(source) for source in sources) or max(days) - today > ENDS_SOON:
        return None
    return max(days)


def _is_day(source: str) -> bool:
    try:
        return bool(date.fromisoformat(source))
    except ValueError:
        return False


def _of_source(source: str, today: date, folder: Path) -> Iterable[date]:
    suffix = Path(source).suffix.lower()
    if suffix in (".ics", ".csv"):
        read = _of_ics if suffix == ".ics" else _of_csv
        days = read(_data(folder / source, source), source, today)
        if not days:
            raise WrongRule(f"{source} names no free day.", "Give a list with a day in each row or event.")
        return days
    try:
        return [date.fromisoformat(source)]
    except ValueError:
        pass
    if not _CODE.fullmatch(source):
        raise WrongRule(f"‘{source}’ names no holidays.", f"Write it like one of these: {_EXAMPLES}.")
    return _of_place(source, range(today.year, today.year + YEARS + 1))


# ------------------------------------------------------------------------------------------------------------- places


def _of_place(source: str, years: range) -> list[date]:
    """The public holidays of a country, of a part of it, or of a market."""
    import holidays  # third party, lazy: only needed when a list is copied

    head, _, part = re.sub(r"[/ ]", "-", source.upper()).partition("-")
    if not part and head in holidays.list_supported_financial():
        return list(holidays.financial_holidays(head, years=years))
    countries: dict[str, Any] = holidays.list_supported_countries(include_aliases=True)
    if head not in countries:
        markets = holidays.list_supported_financial()
        near = did_you_mean(head, [*countries, *markets]) or f"Write it like one of these: {_EXAMPLES}."
        raise WrongRule(f"No holidays are known for ‘{source}’.", near)
    if part and part not in countries[head]:
        known = sorted(one for one in countries[head] if len(one) <= 3)
        parts = f"It knows {', '.join(known)}." if known else f"It knows no parts: take {head}."
        raise WrongRule(f"No holidays are known for the part ‘{part}’ of {head}.", parts)
    return list(holidays.country_holidays(head, subdiv=part or None, years=years))


# -------------------------------------------------------------------------------------------------------------- files


def _data(path: Path, source: str) -> bytes:
    try:
        with path.expanduser().open("rb") as file:
            data = file.read(LARGEST + 1)
    except OSError as problem:
        raise WrongRule(f"{source} cannot be read: {problem.strerror}.", "Name a file that is there.") from problem
    if len(data) > LARGEST:
        raise WrongRule(f"{source} is larger than 1 MiB.", "A list of free days is short.")
    return data


def _of_csv(data: bytes, source: str, _: date) -> list[date]:
    """A day in each row, in whichever column; a first row without one is the header."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        raise WrongRule(f"{source} is not UTF-8 text.", "Save it as UTF-8.") from problem
    found = []
    separator = next((one for one in (";", "\t") if one in text), ",")
    for number, row in enumerate(csv.reader(io.StringIO(text), delimiter=separator), start=1):
        cells = [cell.strip() for cell in row if cell.strip()]
        day = next((day for day in map(_plain_day, cells) if day is not None), None)
        if day is None and cells and number > 1:
            raise WrongRule(
                f"{source} line {number} names no day: {', '.join(cells)[:60]}.", "Write days like 2026-12-24."
            )
        found += [day] if day is not None else []
    return found


def _plain_day(text: str) -> date | None:
    """2026-12-24 or 24.12.2026; with slashes nobody can tell the day from the month."""
    for form in ("%Y-%m-%d", "%d.%m.%Y"):
        try:
            return datetime.strptime(text, form).date()  # noqa: DTZ007 - a day, not an instant
        except ValueError:
            continue
    return None


def _of_ics(data: bytes, source: str, today: date) -> list[date]:
    """Every day that an event lasts; events that come each year are followed for as long as a list of holidays is copied."""
    import icalendar  # third party, lazy: only needed when a file is copied

    try:
        calendar = icalendar.Calendar.from_ical(data)
        events = calendar.walk("VEVENT")
        return [day for event in events for day in _event_days(event, source, today)]
    except (ValueError, KeyError, IndexError, AttributeError, TypeError) as problem:
        raise WrongRule(
            f"{source} cannot be read as a calendar: {problem}.", "Export it anew as iCalendar."
        ) from problem


def _event_days(event: Any, source: str, today: date) -> list[date]:
    start = _day_of(event["DTSTART"].dt)
    end = _day_of(event["DTEND"].dt) if "DTEND" in event else start + timedelta(days=1)
    length = min(max((end - start).days, 1), 366)  # DTEND is the day after the last one
    return [first + timedelta(days=n) for first in _first_days(event, start, source, today) for n in range(length)]


def _first_days(event: Any, start: date, source: str, today: date) -> list[date]:
    rule = event.get("RRULE")
    if rule is None:
        return [start]
    extras = set(rule) - {"FREQ", "COUNT", "UNTIL", "INTERVAL", "BYMONTH", "BYMONTHDAY", "WKST"}
    elsewhere = [int(one) for one in rule.get("BYMONTH", [])] not in ([], [start.month])
    elsewhere |= [int(one) for one in rule.get("BYMONTHDAY", [])] not in ([], [start.day])
    if rule.get("FREQ") != ["YEARLY"] or extras or elsewhere:
        raise WrongRule(
            f"{source}: the event “{event.get('SUMMARY', '')}” comes by a rule that is not followed.",
            "Events that come once or once a year on the same date are read; write the others as single days.",
        )
    step = int(rule.get("INTERVAL", [1])[0])
    until = rule["UNTIL"][0] if "UNTIL" in rule else None
    last = _day_of(until) if until is not None else date(today.year + YEARS, 12, 31)
    years = range(start.year, min(last.year, today.year + YEARS) + 1, max(step, 1))
    if "COUNT" in rule:
        years = years[: int(rule["COUNT"][0])]
    days = (_in_year(start, year) for year in years if year >= today.year)
    return [day for day in days if day is not None and day <= last]


def _in_year(day: date, year: int) -> date | None:
    try:
        return day.replace(year=year)
    except ValueError:  # 29 February
        return None


def _day_of(moment: date | datetime) -> date:
    return moment.date() if isinstance(moment, datetime) else moment
