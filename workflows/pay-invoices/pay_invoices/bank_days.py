"""Days on which euro transfers are executed: the calendar of TARGET, which has six closing days a year beside the weekends."""

from __future__ import annotations

from datetime import date, timedelta

from pay_invoices.reasons import day_shown

_NAMES = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


def bank_day(day: date) -> date:
    """The day itself, or the first one after it on which banks execute transfers."""
    while day.weekday() > 4 or day in _closing_days(day.year):
        day += timedelta(days=1)
    return day


def bank_day_note(day: date) -> str:
    """What to say of a day on which no transfer is executed, as a sentence; "" of any other."""
    executed = bank_day(day)
    if executed == day:
        return ""
    why = f"a {_NAMES[day.weekday()]}" if day.weekday() > 4 else "a bank holiday"
    return f"{day_shown(day)} is {why}: banks execute on {day_shown(executed)}."


def _closing_days(year: int) -> set[date]:
    easter = _easter(year)
    moving = {easter - timedelta(days=2), easter + timedelta(days=1)}
    return moving | {date(year, 1, 1), date(year, 5, 1), date(year, 12, 25), date(year, 12, 26)}


def _easter(year: int) -> date:
    """Easter Sunday of the Gregorian calendar, by Gauss's rule as Meeus and Butcher wrote it."""
    century, rest = divmod(year, 100)
    golden = year % 19
    moon = (19 * golden + century - century // 4 - (century - (century + 8) // 25 + 1) // 3 + 15) % 30
    weekday = (32 + 2 * (century % 4) + 2 * (rest // 4) - moon - rest % 4) % 7
    shift = (golden + 11 * moon + 22 * weekday) // 451
    month, day = divmod(moon + weekday - 7 * shift + 114, 31)
    return date(year, month, day + 1)
