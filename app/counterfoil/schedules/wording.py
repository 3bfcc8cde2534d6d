"""Rules in plain words, both ways: “every 2 weeks on Monday and Thursday at 09:00” is read, and said back in the same manner.

Only what has one meaning is read. Words that are left over make the whole sentence refused, so nothing is passed over in silence.
"""

from __future__ import annotations

import calendar
import re
from collections.abc import Callable, Sequence
from datetime import UTC, date, datetime, time
from pathlib import Path
from typing import Any

from counterfoil.errors import WrongRule
from counterfoil.schedules.calendars import free_days
from counterfoil.schedules.rules import (
    BUSINESS,
    WEEKDAYS,
    After,
    Cron,
    Interval,
    Monthly,
    Rule,
    Watch,
    Weekly,
    Yearly,
    rule_of,
)

_NAMES = dict(zip(WEEKDAYS, calendar.day_name, strict=True))
_ORDINALS = {
    "first": 1,
    "1st": 1,
    "second": 2,
    "2nd": 2,
    "third": 3,
    "3rd": 3,
    "fourth": 4,
    "4th": 4,
    "fifth": 5,
    "5th": 5,
    "last": -1,
}
_ORDINAL_WORDS = {1: "first", 2: "second", 3: "third", 4: "fourth", 5: "fifth", -1: "last"}
_UNITS = {"minute": 60, "hour": 3600}
_DAY = r"(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?s?"
_MONTH = "|".join([*calendar.month_name[1:], *calendar.month_abbr[1:], "sept"]).lower()
_CLOCK = r"(?:(?:[01]?\d|2[0-3])(?::[0-5]\d)?(?:\s?[ap]m)?|noon|midnight)"
_LIST = r"(?:\s*(?:,|and|,\s*and)\s*{one})*"
EXAMPLES = (
    "every weekday at 09:00, every 2 weeks on Monday at 09:00, last business day of the month at 17:30, every 15 minutes, "
    "when new files have come into Inbox, when a run of pay-invoices is done"
)


def read(words: str, today: date, holidays: Sequence[str] = (), folder: Path = Path()) -> Rule:
    """The rule that a sentence means; `today` anchors what counts from now on. `holidays` names lists of free days beside those that
    the sentence names; their files lie in `folder`.

    Raises:
        WrongRule: it is not understood; the next step gives examples.
    """
    begun = _trigger(" ".join(words.split()).rstrip("."))
    if begun is not None:
        return rule_of(begun | holidays_form(holidays, today, folder))
    text = " ".join(re.sub(r"\.(?=\s|$)", " ", words.lower()).split())
    text, free = _free(text, today, holidays, folder)
    text, bounds = _bounds(text, today)
    bounds |= free
    for pattern, form in _PATTERNS:
        found = re.fullmatch(pattern, text)
        if found is not None:
            return rule_of({**form(found, today), **bounds})
    raise WrongRule(f"“{words.strip()}” is not understood as a rule.", f"Write it like one of these: {EXAMPLES}.")


_NEW_FILES = re.compile(
    r"when (?:new )?files(?: (?P<pattern>[^\s/]*[*?.][^\s/]*))?(?: have| are)? (?:come|arrived?|put) in(?:to)? (?P<path>.+)",
    re.IGNORECASE,
)
_RUN_DONE = re.compile(
    r"(?:when (?:a run of )?(?P<ended>[a-z0-9-]+) (?:is done|has ended)|after (?:a run of )?(?P<template>[a-z0-9-]+))",
    re.IGNORECASE,
)


def _trigger(text: str) -> dict[str, Any] | None:
    """The form of what starts beside time; names of folders and templates stay as they are written."""
    found = _NEW_FILES.fullmatch(text)
    if found is not None:
        whole = found["path"].lower() in ("the workspace", "this folder", "the folder")
        pattern = {"pattern": found["pattern"]} if found["pattern"] else {}
        return {"kind": "folder", "path": "." if whole else found["path"].rstrip("/"), **pattern}
    found = _RUN_DONE.fullmatch(text)
    return {"kind": "after", "template": found["ended"] or found["template"]} if found is not None else None


_PLACE = r"[a-z]{3,5}(?=,|$)|[a-z]{2}(?:[-/][a-z0-9]{1,5})?"
_HOLIDAY = rf"(?:a |an |the )?(?:public |bank )?holidays?(?: (?:in|of) (?P<place>{_PLACE}))?"
_WORKING_DAY = r"(?:business|working|week ?)\s?day"
_FREE = re.compile(rf",? (?:except|but not|not) (?:on|for) {_HOLIDAY}")
_MOVED = re.compile(
    rf",? (?:on|if it is|if that is) {_HOLIDAY},?(?: on| then)? the (?:(?P<step>next|following|previous|last) {_WORKING_DAY}"
    rf"|{_WORKING_DAY} (?P<side>before|after))"
)


def _free(text: str, today: date, sources: Sequence[str], folder: Path) -> tuple[str, dict[str, Any]]:
    """The sentence without what it says of holidays, and that.

    Raises:
        WrongRule: it speaks of holidays, and nothing says which.
    """
    found = _MOVED.search(text) or _FREE.search(text)
    form: dict[str, Any] = {}
    if found:
        text = text[: found.start()] + text[found.end() :]
        named = found.groupdict()
        sources = [*([named["place"].upper()] if named["place"] else []), *sources]
        if "step" in named:
            form["on_holiday"] = (
                "previous" if {named["step"], named["side"]} & {"previous", "last", "before"} else "next"
            )
        if not sources:
            raise WrongRule("The rule does not say whose holidays.", "Name them: “… on holidays in DE-BY”.")
    return text, form | holidays_form(sources, today, folder)


def holidays_form(sources: Sequence[str], today: date, folder: Path) -> dict[str, Any]:
    """The part of a rule's form that holds the free days of sources, and where they were copied from.

    Raises:
        WrongRule: one of them cannot be used.
    """
    return {"holidays": free_days(sources, today, folder), "holidays_of": list(sources)} if sources else {}


def _bounds(text: str, today: date) -> tuple[str, dict[str, Any]]:
    """The sentence without its bounds, and those."""
    bounds: dict[str, Any] = {}
    clamp = re.search(r",? or (?:on )?the last day of (?:a|each) shorter month", text)
    if clamp:
        bounds["overflow"] = "clamp"
        text = text[: clamp.start()] + text[clamp.end() :]
    end = re.search(r",? (?:until|through) (.+?)(?= from | starting |$)", text)
    if end:
        bounds["end_date"] = _date(end[1], today)
        text = text[: end.start()] + text[end.end() :]
    start = re.search(r",? (?:from|starting(?: on)?) (.+)$", text)
    if start and not re.search(r"business|weekday", start[1]):
        bounds["start_local"] = datetime.combine(_date(start[1], today), time())
        text = text[: start.start()]
    return text.strip(), bounds


def _date(text: str, today: date) -> date:
    """A date as people write it: 2026-12-24, 24 December 2026, December 24 (the next one).

    Raises:
        WrongRule: it is no date.
    """
    try:
        return date.fromisoformat(text.strip())
    except ValueError:
        pass
    found = re.fullmatch(rf"(\d{{1,2}})(?:st|nd|rd|th)? ({_MONTH}),?(?: (\d{{4}}))?", text.strip())
    swapped = re.fullmatch(rf"({_MONTH}) (\d{{1,2}})(?:st|nd|rd|th)?,?(?: (\d{{4}}))?", text.strip())
    if found is None and swapped is None:
        raise WrongRule(f"“{text}” is no date.", "Write it like 2026-12-24 or 24 December 2026.")
    day, month, year = found.groups() if found else (swapped[2], swapped[1], swapped[3])  # type: ignore[index]  # one of both
    try:
        wanted = date(int(year or today.year), _month(month), int(day))
        return wanted if year or wanted >= today else wanted.replace(year=today.year + 1)
    except ValueError as problem:
        raise WrongRule(f"{day} {month.title()} does not exist in that year.", "Choose another day.") from problem


def _month(word: str) -> int:
    return [name.lower()[:3] for name in calendar.month_name].index(word[:3])


def _weekdays(text: str) -> list[str]:
    """Weekday codes of a list of names, in the order of the week."""
    found = {calendar.day_abbr[n].lower(): code for n, code in enumerate(WEEKDAYS)}
    return [code for name, code in found.items() if re.search(rf"\b{name}", text)]


def _clocks(text: str | None) -> list[str]:
    """Times of day of a list; nine o'clock where none is said would be a guess, so there must be one.

    Raises:
        WrongRule: there is none, or one is no time of day.
    """
    if not text:
        raise WrongRule("The rule names no time of day.", "Add one, such as “at 09:00”.")
    return [_clock(one) for one in re.findall(_CLOCK, text)]


def _clock(word: str) -> str:
    if word in ("noon", "midnight"):
        return "12:00" if word == "noon" else "00:00"
    half = word[-2:] if word[-2:] in ("am", "pm") else ""
    hour, _, minute = word.removesuffix(half).strip().partition(":")
    number = int(hour)
    if half:
        if not 1 <= number <= 12:
            raise WrongRule(f"“{word}” is no time of day.", "Write it like 5:30 pm or 17:30.")
        number = number % 12 + (12 if half == "pm" else 0)
    return f"{number:02d}:{minute or '00'}"


_AT = rf"(?:,? at (?P<at>{_CLOCK}{_LIST.format(one=_CLOCK)}))?"
_DAYS = rf"(?P<days>{_DAY}{_LIST.format(one=_DAY)})"
_OF_MONTH = r"(?: of (?:the|every|each) month|,? (?:every month|monthly))"
_NTH = "|".join(_ORDINALS)


def _weekly(found: re.Match[str], today: date) -> dict[str, Any]:
    groups = found.groupdict()
    every = 2 if groups.get("other") else int(groups.get("every") or 1)
    form: dict[str, Any] = {
        "kind": "weekly",
        "days": _weekdays(groups["days"]),
        "time": _clocks(groups["at"]),
        "every": every,
    }
    return {**form, "anchor": today} if every > 1 else form


def _daily(found: re.Match[str], _: date) -> dict[str, Any]:
    working = "week" in found["which"] or "business" in found["which"] or "working" in found["which"]
    return {"kind": "weekly", "days": list(WEEKDAYS[:5] if working else WEEKDAYS), "time": _clocks(found["at"])}


def _elapsed(found: re.Match[str], _: date) -> dict[str, Any]:
    return {
        "kind": "interval",
        "seconds": int(found["n"] or 1) * _UNITS[found["unit"]],
        "anchor_utc": datetime(2000, 1, 1, tzinfo=UTC),
    }


def _monthly_day(found: re.Match[str], _: date) -> dict[str, Any]:
    day = "last" if found["day"] == "last" else int(found["day"])
    return {"kind": "monthly", "day": day, "time": _clocks(found["at"])}


def _monthly_nth(found: re.Match[str], _: date) -> dict[str, Any]:
    nth = _ORDINALS[found["nth"]] * (-1 if found["from_end"] else 1)
    days = _weekdays(found["weekday"]) if not re.search("business|working|weekday", found["weekday"]) else []
    at = _clocks(found["at"])
    if not days and nth in (1, -1):
        return {"kind": "monthly", "day": "first_weekday" if nth == 1 else "last_weekday", "time": at}
    return {"kind": "monthly", "nth": nth, "weekday": days[0] if days else BUSINESS, "time": at}


def _yearly(found: re.Match[str], _: date) -> dict[str, Any]:
    month, day = found["month"] or found["month2"], found["day"] or found["day2"]
    return {"kind": "yearly", "month": _month(month), "day": int(day), "time": _clocks(found["at"])}


_WORKING = r"(?:weekday|week day|business day|working day)"
_DAILY_RULE = rf"(?P<which>every day|daily|every {_WORKING}|(?:on )?(?:weekdays|working days|business days)){_AT}"
_ELAPSED_RULE = r"every (?:(?P<n>\d+) )?(?P<unit>minute|hour)s?"
_WEEKS_RULE = rf"(?:every (?:(?P<every>\d+) weeks|(?P<other>other week)|week)|weekly) on {_DAYS}{_AT}"
_WEEKDAY_RULE = rf"(?:every |each |on )?(?P<other>other )?{_DAYS}{_AT}"
_NUMBERED = rf"(?:on )?(?:the )?(?P<day>\d{{1,2}})(?:st|nd|rd|th)?(?: day)?{_OF_MONTH}{_AT}"
_MONTHLY_ON = rf"(?:every month|monthly) on (?:the )?(?P<day>\d{{1,2}}|last)(?:st|nd|rd|th)?(?: day)?{_AT}"
_LAST_DAY = rf"(?:on )?(?:the )?(?P<day>last) day{_OF_MONTH}{_AT}"
_NTH_DAY = (
    rf"(?:(?:every month|monthly) )?(?:on )?(?:the )?(?P<nth>{_NTH})(?P<from_end>(?: to|-to-)? ?last)? "
    rf"(?P<weekday>(?:business|working) day|weekday|{_DAY})(?:{_OF_MONTH})?{_AT}"
)
_YEARLY = (
    rf"(?:every year|yearly|each year) on (?:the )?(?:(?P<day>\d{{1,2}})(?:st|nd|rd|th)?(?: of)? (?P<month>{_MONTH})"
    rf"|(?P<month2>{_MONTH}) (?P<day2>\d{{1,2}})(?:st|nd|rd|th)?){_AT}"
)
_PATTERNS: Sequence[tuple[str, Callable[[re.Match[str], date], dict[str, Any]]]] = (
    (_ELAPSED_RULE, _elapsed),
    (_DAILY_RULE, _daily),
    (_WEEKS_RULE, _weekly),
    (_WEEKDAY_RULE, _weekly),
    (_NUMBERED, _monthly_day),
    (_MONTHLY_ON, _monthly_day),
    (_LAST_DAY, _monthly_day),
    (_NTH_DAY, _monthly_nth),
    (_YEARLY, _yearly),
)


# ------------------------------------------------------------------------------------------------------------ said back


def say(rule: Rule) -> str:
    """The rule as a sentence without a full stop: “every 2 weeks on Monday and Thursday at 09:00, until 31 December 2027”."""
    parts = [_plainly(rule)]
    if rule.start_local is not None:
        parts.append(f"from {_told(rule.start_local.date())}")
    end = rule.end_date or (rule.end_local.date() if rule.end_local else None)
    if end is not None:
        parts.append(f"until {_told(end)}")
    if rule.holidays:
        whose = f" in {_and(rule.holidays_of)}" if rule.holidays_of else ""
        moves = {
            "skip": f"not on holidays{whose}",
            "next": f"on a holiday{whose} the next working day",
            "previous": f"on a holiday{whose} the working day before",
        }
        parts.append(moves[rule.on_holiday])
    return ", ".join(parts)


def _plainly(rule: Rule) -> str:
    if isinstance(rule, Cron):
        return f"crontab line {rule.expr}"
    if isinstance(rule, Interval):
        return f"every {_span(rule.seconds)}"
    if isinstance(rule, Watch):
        what = "new files" if rule.pattern == "*" else f"new files {rule.pattern}"
        return f"when {what} have come into {'the workspace' if rule.path == '.' else rule.path}"
    if isinstance(rule, After):
        return f"when a run of {rule.template} is done"
    at = f"at {_and([one.isoformat('minutes') for one in rule.time])}"
    if isinstance(rule, Weekly):
        return f"{_weeks(rule)} {at}"
    if isinstance(rule, Yearly):
        return f"every year on {rule.day} {calendar.month_name[rule.month]} {at}{_clamped(rule, rule.day)}"
    return f"{_month_day(rule)} of the month {at}{_clamped(rule, rule.day)}"


def _clamped(rule: Rule, day: int | str | None) -> str:
    """What is done where a month has no such day, if that is not to leave it out."""
    return (
        ", or the last day of a shorter month" if rule.overflow == "clamp" and isinstance(day, int) and day > 28 else ""
    )


def _weeks(rule: Weekly) -> str:
    chosen = [code for code in WEEKDAYS if code in rule.days]
    names = _and([_NAMES[code] for code in chosen])
    if rule.every > 1:
        return f"every {rule.every} weeks on {names}"
    if len(chosen) == 7:
        return "every day"
    return "every weekday" if tuple(chosen) == WEEKDAYS[:5] else f"every {names}"


def _month_day(rule: Monthly) -> str:
    if rule.day is not None:
        named = {"last": "last day", "first_weekday": "first business day", "last_weekday": "last business day"}
        return named.get(str(rule.day)) or f"{_ordinal(int(rule.day))} day"
    nth = rule.nth or 0
    word = _ORDINAL_WORDS[nth] if nth in _ORDINAL_WORDS else f"{_ORDINAL_WORDS[-nth]} to last"
    return f"{word} {'business day' if rule.weekday == BUSINESS else _NAMES[rule.weekday or 'MO']}"


def _ordinal(number: int) -> str:
    ending = "th" if number % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"


def _span(seconds: int) -> str:
    for unit, size in (("day", 86_400), ("hour", 3600), ("minute", 60), ("second", 1)):
        if seconds % size == 0:
            return unit if seconds == size else f"{seconds // size} {unit}s"
    raise AssertionError(seconds)


def _told(day: date) -> str:
    return f"{day.day} {day:%B %Y}"


def _and(words: Sequence[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"
