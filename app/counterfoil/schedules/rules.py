"""The rule of a schedule: one JSON form, five kinds, and the sentences that refuse a rule that cannot be meant.

Two families only: wall-clock rules (dates times local times in a zone) and elapsed rules (every n seconds on a grid). The form is
what is stored and what `--rule-json` takes; text is read once, when it is typed, and never again.
"""

from __future__ import annotations

import calendar
from collections.abc import Mapping
from datetime import date, datetime, time
from pathlib import PurePosixPath
from typing import Annotated, Any, Literal
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError, available_timezones

import pydantic
from cronsim import CronSim, CronSimError
from pydantic import AfterValidator, BeforeValidator, ConfigDict, Field, TypeAdapter, field_validator, model_validator

from counterfoil.errors import WrongRule, did_you_mean

WEEKDAYS = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")
BUSINESS = "BUSINESS"
Weekday = Literal["MO", "TU", "WE", "TH", "FR", "SA", "SU"]


def _times(value: object) -> object:
    return value if isinstance(value, list) else [value]


def _ascending(values: list[time]) -> list[time]:
    return sorted(set(values))


def _minutes(value: object) -> object:
    """A time of day is text: numbers would be read as seconds since midnight."""
    if not isinstance(value, (str, time)):
        raise ValueError("a time is text such as 09:00")
    return value


def _plain_date(value: object) -> object:
    if not isinstance(value, (str, date)):
        raise ValueError("a date is text such as 2026-12-24")
    return value


Time = Annotated[time, BeforeValidator(_minutes)]
Times = Annotated[list[Time], BeforeValidator(_times), AfterValidator(_ascending), Field(min_length=1)]
Day = Annotated[date, BeforeValidator(_plain_date)]


class _Rule(pydantic.BaseModel):
    """What any rule may say beside its days: how clock changes, short months, holidays and bounds are met."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    gap: Literal["shift", "skip"] = "shift"
    fold: Literal["first", "second"] = "first"
    overflow: Literal["skip", "clamp"] = "skip"
    holidays: list[Day] = Field(default_factory=list)
    on_holiday: Literal["skip", "next", "previous"] = "skip"
    holidays_of: list[str] = Field(default_factory=list)  # where the days were copied from, as it was typed
    start_local: datetime | None = None
    end_local: datetime | None = None
    end_date: Day | None = None

    @model_validator(mode="after")
    def _bounds(self) -> _Rule:
        for bound in (self.start_local, self.end_local):
            if bound is not None and bound.tzinfo is not None:
                raise ValueError("start_local and end_local are local times, without an offset")
        if self.start_local is not None:
            if self.end_local is not None and self.end_local < self.start_local:
                raise ValueError(f"it ends ({_plain(self.end_local)}) before it starts ({_plain(self.start_local)})")
            if self.end_date is not None and self.end_date < self.start_local.date():
                raise ValueError(f"it ends ({self.end_date}) before it starts ({_plain(self.start_local)})")
        return self


class Cron(_Rule):
    """A crontab line: `expr` of five fields, `dom_dow` says how its two day fields go together when both are restricted."""

    kind: Literal["cron"]
    expr: str
    dom_dow: Literal["or", "and"] = "or"

    @model_validator(mode="after")
    def _readable(self) -> Cron:
        fields = parsed_cron(self.expr)
        if self.on_holiday != "skip" and self.elapsed:
            raise ValueError("a line that runs in every hour cannot be moved on holidays; only `skip` can be meant")
        if not fields.minutes or not fields.hours:
            raise ValueError(f"‘{self.expr}’ names no time of day")
        return self

    @property
    def elapsed(self) -> bool:
        """An hour field of exactly `*`: the line follows the clock through folds, and nothing of it is shifted out of a gap."""
        return self.expr.split()[1] == "*"


class Weekly(_Rule):
    """On days of the week, every n ISO weeks counted from the Monday of `anchor` (1970-01-05 where none is given)."""

    kind: Literal["weekly"]
    days: list[Weekday] = Field(min_length=1)
    time: Times
    every: int = Field(default=1, ge=1, le=520)
    anchor: Day | None = None


class Monthly(_Rule):
    """On a day of each month: a number, `last`, the first or last business day, or the nth (from the end: negative) weekday.

    Business days are Monday to Friday without `holidays`. `overflow="clamp"` takes the last day where a month has none of that number.
    """

    kind: Literal["monthly"]
    day: Annotated[int, Field(ge=1, le=31)] | Literal["last", "first_weekday", "last_weekday"] | None = None
    nth: Annotated[int, Field(ge=-5, le=5)] | None = None
    weekday: Weekday | Literal["BUSINESS"] | None = None
    time: Times

    @field_validator("day", mode="before")
    @classmethod
    def _is_day(cls, given: object) -> object:
        if given is None or given in ("last", "first_weekday", "last_weekday", *range(1, 32)):
            return given
        raise ValueError("a number from 1 to 31, last, first_weekday or last_weekday")

    @model_validator(mode="after")
    def _one_way(self) -> Monthly:
        if (self.day is None) == (self.nth is None):
            raise ValueError("a monthly rule has either `day` or `nth` with `weekday`")
        if (self.nth is None) != (self.weekday is None):
            raise ValueError("`nth` and `weekday` go together")
        if self.nth == 0:
            raise ValueError("`nth` counts from 1, or from the end with -1")
        return self


class Yearly(_Rule):
    """On one date of each year."""

    kind: Literal["yearly"]
    month: int = Field(ge=1, le=12)
    day: int = Field(ge=1, le=31)
    time: Times

    @model_validator(mode="after")
    def _exists(self) -> Yearly:
        longest = calendar.monthrange(2028, self.month)[1]
        if self.day > longest and self.overflow == "skip":
            name = calendar.month_name[self.month]
            raise ValueError(f"{self.day} {name} does not exist. Last day of the month instead?")
        return self


class Interval(_Rule):
    """Every n seconds of real time, on a grid that `anchor_utc` lies on."""

    kind: Literal["interval"]
    seconds: int = Field(ge=60, le=366 * 86_400)
    anchor_utc: datetime

    @model_validator(mode="after")
    def _grid(self) -> Interval:
        if self.anchor_utc.tzinfo is None or self.anchor_utc.utcoffset():
            raise ValueError("anchor_utc is an instant in UTC, such as 2026-12-07T08:00:00Z")
        if self.on_holiday != "skip":
            raise ValueError("an elapsed rule cannot be moved on holidays; only `skip` can be meant")
        return self


class _Trigger(_Rule):
    """Something beside time; what a rule may say of clocks and days means nothing to it."""

    @model_validator(mode="after")
    def _no_days(self) -> _Trigger:
        said = sorted(self.model_fields_set & set(_Rule.model_fields))
        if said:
            raise ValueError(f"{said[0]} means nothing where files or another run start it")
        return self


class Watch(_Trigger):
    """When new files have come into a folder below the workspace and kept still for `settle` seconds: one run with exactly those, which
    the parameter `into` takes; without one the run looks at the folder itself. `pattern` is of their names, such as `*.pdf`."""

    kind: Literal["folder"]
    path: str = Field(min_length=1, max_length=1000)
    pattern: str = Field(default="*", min_length=1, max_length=100)
    settle: int = Field(default=30, ge=1, le=3600)
    into: str = ""

    @model_validator(mode="after")
    def _inside(self) -> Watch:
        parts = PurePosixPath(self.path)
        if parts.is_absolute() or ".." in parts.parts or "\\" in self.path:
            raise ValueError("path is a folder below the workspace, with slashes and without ‘..’")
        if "/" in self.pattern:
            raise ValueError("pattern is of names, without a folder")
        return self


class After(_Trigger):
    """When a run of another template in the same workspace is done."""

    kind: Literal["after"]
    template: str = Field(min_length=1, max_length=200)


Rule = Cron | Weekly | Monthly | Yearly | Interval | Watch | After
_RULES: TypeAdapter[Rule] = TypeAdapter(Annotated[Rule, Field(discriminator="kind")])


def rule_of(form: Mapping[str, Any]) -> Rule:
    """The rule of its JSON form.

    Raises:
        WrongRule: with a sentence for each thing that is wrong, the first ones first.
    """
    try:
        return _RULES.validate_python(dict(form))
    except pydantic.ValidationError as problem:
        told = "; ".join(_sentences(problem))
        raise WrongRule(f"This rule cannot be used: {told}{'' if told.endswith('?') else '.'}") from problem


def form_of(rule: Rule) -> dict[str, Any]:
    """The JSON form of a rule, without what is as it is by default."""
    return rule.model_dump(mode="json", exclude_defaults=True, exclude_none=True) | {"kind": rule.kind}


def _sentences(problem: pydantic.ValidationError) -> list[str]:
    found = []
    for error in problem.errors()[:3]:
        place = ".".join(str(part) for part in error["loc"][1:])
        words = error["msg"].removeprefix("Value error, ").rstrip(".")
        found.append(f"{place}: {words[:1].lower()}{words[1:]}" if place else words)
    return found


def parsed_cron(expr: str) -> CronSim:
    """The fields of a crontab line, read by cronsim: names, ranges, steps, `L`, `LW`, `5L`, `1#2`, 0 and 7 for Sunday.

    Raises:
        ValueError: it has not five fields, or one of them cannot be read.
    """
    if len(expr.split()) != 5:
        raise ValueError(
            f"‘{expr}’ has {len(expr.split())} fields; a crontab line has five: minute, hour, day, month, weekday"
        )
    try:
        return CronSim(expr, datetime(2000, 1, 1))  # noqa: DTZ001 - only its fields are used
    except CronSimError as problem:
        if "day-of-month" in str(problem) and all(_is_number(part) for part in expr.split()[2].split(",")):
            raise ValueError(f"‘{expr}’: no month in it has such a day") from problem
        raise ValueError(f"‘{expr}’: {str(problem).lower().replace('bad', 'cannot read the field')}") from problem


def _is_number(part: str) -> bool:
    return part.isdecimal() and 1 <= int(part) <= 31


def _plain(moment: datetime) -> str:
    """A bound as people write it: its day alone where it is midnight."""
    return moment.date().isoformat() if moment.time() == time() else f"{moment:%Y-%m-%d %H:%M}"


def zone_of(name: str) -> ZoneInfo:
    """The zone of an IANA name; aliases such as Asia/Calcutta are taken as they are.

    Raises:
        WrongRule: there is no such zone; the next step names the nearest one.
    """
    try:
        if name in available_timezones():
            return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        pass
    raise WrongRule(f"Unknown zone ‘{name}’.", _near_zone(name))


def _near_zone(name: str) -> str:
    cities = {zone.rpartition("/")[2]: zone for zone in sorted(available_timezones()) if not zone.startswith("Etc/")}
    near = did_you_mean(name.rpartition("/")[2].replace(" ", "_"), cities)
    for city, zone in cities.items():
        if near and f"‘{city}’" in near:
            return f"{zone}?"
    return "Take an IANA name such as Europe/Berlin."
