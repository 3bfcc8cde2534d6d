"""Times until which a gate is put off, on this computer's clock: those offered, those that people write, and why one cannot be."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta

from counterfoil.clock import from_us, to_us
from counterfoil.errors import WrongUse

_AFTERNOON, _MORNING = time(16), time(8)
_DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_SPAN = re.compile(r"(\d{1,4}) ?(min|m|h|d)\Z")
_CLOCK = re.compile(r"(\d{1,2}):(\d{2})\Z")
_UNITS = {"m": "minutes", "min": "minutes", "h": "hours", "d": "days"}
_ADVICE = "Write 2h, 16:00, tomorrow 08:00, monday 08:00, or 2026-12-07 09:00."


@dataclass(frozen=True, slots=True)
class Choice:
    """A time that is offered: its key, what it is called, its instant (us), and why it cannot be taken, "" where it can."""

    key: str
    words: str
    at: int
    why_not: str = ""


def offered(now_us: int, due_us: int | None) -> list[Choice]:
    """The times a person chooses from; one that lies after the gate's deadline says so."""
    now = from_us(now_us).astimezone()
    today = now.date()
    found = [("hour", "In 1 hour", now + timedelta(hours=1))]
    if now.time() < _AFTERNOON:
        found.append(("afternoon", "This afternoon, 16:00", _at(today, _AFTERNOON)))
    found.append(("tomorrow", "Tomorrow, 08:00", _at(today + timedelta(days=1), _MORNING)))
    monday = today + timedelta(days=7 - today.weekday())
    if monday != today + timedelta(days=1):
        found.append(("monday", "Monday, 08:00", _at(monday, _MORNING)))
    return [Choice(key, words, to_us(at), _too_late(to_us(at), due_us, now_us)) for key, words, at in found]


def refuse_time(until_us: int, due_us: int | None, now_us: int) -> None:
    """A gate comes back in the future, and before its deadline.

    Raises:
        WrongUse: it would not.
    """
    if until_us <= now_us:
        raise WrongUse(f"{_named(until_us, now_us)} is past. Nothing was changed.", _ADVICE)
    late = _too_late(until_us, due_us, now_us)
    if late:
        raise WrongUse(
            f"{_named(until_us, now_us)} is {late}. Nothing was changed.", "Choose a time before the deadline."
        )


def read_time(text: str, now_us: int) -> int:
    """The instant that a person writes, on this computer's clock: `2h`, `16:00`, `tomorrow 08:00`, `monday`, `2026-12-07 09:00`.

    Raises:
        WrongUse: it is no time.
    """
    words = " ".join(text.lower().split())
    now = from_us(now_us).astimezone()
    span = _SPAN.match(words)
    if span:
        return to_us(now + timedelta(**{_UNITS[span[2]]: int(span[1])}))
    clock = _clock(words)
    if clock is not None:
        return to_us(_at(now.date(), clock))
    day, _, rest = words.partition(" ")
    named, hour = _day(day, now.date()), _clock(rest) if rest else _MORNING
    if named is not None and hour is not None:
        return to_us(_at(named, hour))
    try:
        found = datetime.fromisoformat(text.strip())
    except ValueError as problem:
        raise WrongUse(f"‘{text}’ is no time.", _ADVICE) from problem
    return to_us(found.astimezone())


def _day(word: str, today: date) -> date | None:
    """The day that a word means; a day of the week is the next of that name."""
    if word in ("today", "tomorrow"):
        return today + timedelta(days=word == "tomorrow")
    if len(word) < 3 or not any(name.startswith(word) for name in _DAYS):
        try:
            return date.fromisoformat(word)
        except ValueError:
            return None
    at = next(at for at, name in enumerate(_DAYS) if name.startswith(word))
    return today + timedelta(days=(at - today.weekday() - 1) % 7 + 1)


def _clock(words: str) -> time | None:
    found = _CLOCK.match(words)
    return time(int(found[1]), int(found[2])) if found and int(found[1]) < 24 and int(found[2]) < 60 else None


def _at(day: date, hour: time) -> datetime:
    return datetime.combine(day, hour).astimezone()


def _too_late(at_us: int, due_us: int | None, now_us: int) -> str:
    return "" if due_us is None or at_us < due_us else f"after the deadline, {_named(due_us, now_us)}"


def _named(us: int, now_us: int) -> str:
    """An instant on this computer's clock: `16:00` today, else with its day."""
    at, today = from_us(us).astimezone(), from_us(now_us).astimezone().date()
    year = "" if at.year == today.year else f" {at.year}"
    return f"{at:%H:%M}" if at.date() == today else f"{at:%a} {at.day} {at:%b}{year}, {at:%H:%M}"
