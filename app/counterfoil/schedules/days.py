"""A wall-clock rule as a function of a date: the local times at which it would fire on that day, clocks and bounds aside."""

from __future__ import annotations

import calendar
from collections.abc import Iterator
from datetime import date, time, timedelta
from functools import lru_cache

from counterfoil.errors import WrongRule
from counterfoil.schedules.rules import (
    BUSINESS,
    WEEKDAYS,
    After,
    Cron,
    Interval,
    Monthly,
    Rule,
    Watch,
    Yearly,
    parsed_cron,
)

FARTHEST_MOVE = 31  # days that a holiday may move a firing by
_FIRST_MONDAY = date(1970, 1, 5)


class Days:
    """The dates and times of one rule. `clock(day)` ignores holidays; `on(day)` is what remains after they moved or took firings."""

    def __init__(self, rule: Rule) -> None:
        self.rule = rule
        self._holidays = frozenset(rule.holidays)
        self._cron = parsed_cron(rule.expr) if isinstance(rule, Cron) else None
        self._cron_times = self._every_time()
        self._moved_to: dict[date, list[date]] = {}
        if rule.on_holiday != "skip":
            for holiday in sorted(self._holidays):
                self._moved_to.setdefault(self._target(holiday), []).append(holiday)

    def on(self, day: date) -> list[tuple[time, date]]:
        """Local times of one day, ascending, each with the date that the rule itself named."""
        found = [] if day in self._holidays else [(at, day) for at in self.clock(day)]
        taken = {at for at, _ in found}
        for holiday in self._moved_to.get(day, ()):
            found += [(at, holiday) for at in self.clock(holiday) if at not in taken]
            taken |= {at for at, _ in found}
        return sorted(found)

    def clock(self, day: date) -> list[time]:
        """Local times that the rule names on a date."""
        rule = self.rule
        if isinstance(rule, (Interval, Watch, After)):
            return []
        if isinstance(rule, Cron):
            return self._cron_times if self._matches(day) else []
        if isinstance(rule, Yearly):
            return rule.time if day.month == rule.month and day.day == self._in_month(rule.day, day) else []
        if isinstance(rule, Monthly):
            return rule.time if day == self._of_month(day.year, day.month) else []
        weeks = (_monday(day) - _monday(rule.anchor or _FIRST_MONDAY)).days // 7
        return rule.time if weeks % rule.every == 0 and WEEKDAYS[day.weekday()] in rule.days else []

    def _every_time(self) -> list[time]:
        if self._cron is None:
            return []
        return [time(hour, minute) for hour in sorted(self._cron.hours) for minute in sorted(self._cron.minutes)]

    def _matches(self, day: date) -> bool:
        cron = self._cron
        if cron is None or not isinstance(self.rule, Cron) or day.month not in cron.months:
            return False
        if cron.day_and or self.rule.dom_dow == "and":
            return cron.match_dom(day) and cron.match_dow(day)
        return cron.match_dom(day) or cron.match_dow(day)

    def _in_month(self, number: int, day: date) -> int:
        longest = calendar.monthrange(day.year, day.month)[1]
        return min(number, longest) if self.rule.overflow == "clamp" else number

    def _of_month(self, year: int, month: int) -> date | None:
        """The day of a month that a monthly rule names; None where it has none."""
        return _day_of_month(self.rule, self._holidays, year, month) if isinstance(self.rule, Monthly) else None

    def _target(self, holiday: date) -> date:
        """The business day that a firing on a holiday is moved to.

        Raises:
            WrongRule: there is none within FARTHEST_MOVE days.
        """
        step = timedelta(days=1 if self.rule.on_holiday == "next" else -1)
        day = holiday + step
        while not _is_business(day, self._holidays):
            day += step
            if abs((day - holiday).days) > FARTHEST_MOVE:
                raise WrongRule(
                    f"The holidays around {holiday} leave no working day within {FARTHEST_MOVE} days to move to.",
                    "Take `skip`, or shorten the list of holidays.",
                )
        return day


def _monday(day: date) -> date:
    return day - timedelta(days=day.weekday())


def _is_business(day: date, holidays: frozenset[date]) -> bool:
    return day.weekday() < 5 and day not in holidays


@lru_cache(maxsize=4096)
def _nth(nth: int, weekday: str, holidays: frozenset[date], year: int, month: int) -> tuple[date | None, date | None]:
    """The nth fitting day of a month, counted from its end where `nth` is negative; and the one nearest to it that there is."""
    fitting = [one for one in _month(year, month) if _fits(one, weekday, holidays)]
    index = nth - 1 if nth > 0 else len(fitting) + nth
    nearest = (fitting[-1] if nth > 0 else fitting[0]) if fitting else None
    return (fitting[index] if 0 <= index < len(fitting) else None), nearest


def _day_of_month(rule: Monthly, holidays: frozenset[date], year: int, month: int) -> date | None:
    """The day of a month that a rule names; None where it has none."""
    clamp = rule.overflow == "clamp"
    if isinstance(rule.day, int):
        longest = calendar.monthrange(year, month)[1]
        number = min(rule.day, longest) if clamp else rule.day
        return date(year, month, number) if number <= longest else None
    if rule.day == "last":
        return date(year, month, calendar.monthrange(year, month)[1])
    nth, weekday = rule.nth or 0, rule.weekday or BUSINESS
    if rule.day is not None:
        nth, weekday = (1 if rule.day == "first_weekday" else -1), BUSINESS
    found, nearest = _nth(nth, weekday, holidays, year, month)
    return nearest if found is None and clamp else found


def _fits(day: date, weekday: str, holidays: frozenset[date]) -> bool:
    return _is_business(day, holidays) if weekday == BUSINESS else WEEKDAYS[day.weekday()] == weekday


def _month(year: int, month: int) -> Iterator[date]:
    for number in range(1, calendar.monthrange(year, month)[1] + 1):
        yield date(year, month, number)
