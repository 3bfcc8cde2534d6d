"""Schedules in words of people: when next, what became of a firing, what a mark of the calendar stands for."""

from __future__ import annotations

from datetime import datetime
from zoneinfo import ZoneInfo

from counterfoil.clock import from_us
from counterfoil.desktop.schedule_facts import FiringSeen, ScheduleRow
from counterfoil.desktop.words import times
from counterfoil.desktop.words.numbers import count
from counterfoil.desktop.words.people import capital, person
from counterfoil.desktop.words.plain import one_line

LATE_US = 5 * times.MINUTE  # a start that comes later than this is told with its planned time
_ICONS = {"ran": "circle-check", "planned": "circle-dashed", "missed": "circle-x"}
_RUN_ICONS = {
    "running": "circle-dot",
    "ready": "circle-dot",
    "waiting": "hourglass",
    "failed": "circle-x",
    "cancelled": "ban",
}
_TONES = {"waiting": "warn", "failed": "bad", "running": "info", "ready": "info", "done": "ok"}


def sentence(row: ScheduleRow) -> str:
    """Its rule: `Every Monday at 07:00, Berlin time`; what is wrong where it cannot be read."""
    if row.trouble:
        return one_line(row.trouble)
    timed = row.place and not row.words.startswith("when ")
    return f"{capital(row.words)}, {row.place} time" if timed else capital(row.words)


def next_words(row: ScheduleRow, now_us: int) -> str:
    """When it is next: `Mon 7 Dec 07:00`, `Paused by Anna`, `No further firing`; what time does not start has no next one."""
    if row.paused:
        return f"Paused by {person(row.paused_by)}" if row.paused_by else "Paused"
    if row.next_at is None:
        return "When it happens" if row.words.startswith("when ") else "No further firing"
    here = day_and_time(row.next_at, now_us)
    if not row.place:
        return here
    there = from_us(row.next_at).astimezone(ZoneInfo(row.zone))
    return f"{dated(there)} in {row.place}, {times.clock_time(row.next_at)}\u00a0here"


def next_firing(name: str, at: int | None, now_us: int) -> str:
    """`Next: Weekly report, Mon 7 Dec 07:00.`; "" where nothing will fire."""
    return f"Next: {one_line(name)}, {times.in_sentence(day_and_time(at, now_us))}." if at is not None else ""


def day_and_time(us: int, now_us: int) -> str:
    """`Today 07:00`, `Tomorrow 07:00`, `Mon 7 Dec 07:00`, with the year unless it is this one."""
    at, today = times.local(us), times.local(now_us).date()
    near = times.day(at.date(), today)
    if near in ("Today", "Tomorrow", "Yesterday"):
        return f"{near} {at:%H:%M}"
    return dated(at, year=at.year != today.year)


def skip_words(us: int, after_us: int | None, now_us: int) -> str:
    """What skips a firing: `Skip tomorrow`, `Skip Mon 7 Dec`; `Skip 07:00` where the next one comes on the same day."""
    at = times.local(us)
    if after_us is not None and times.local(after_us).date() == at.date():
        return f"Skip {at:%H:%M}"
    near = times.day(at.date(), times.local(now_us).date())
    return f"Skip {near.lower()}" if near in ("Today", "Tomorrow") else f"Skip {at:%a} {at.day} {at:%b}"


def dated(at: datetime, *, year: bool = False) -> str:
    """`Mon 7 Dec 07:00`, `Mon 7 Dec 2026 07:00`."""
    return f"{at:%a} {at.day} {at:%b}{f' {at:%Y}' if year else ''} {at:%H:%M}"


def last_words(seen: FiringSeen | None, now_us: int) -> str:
    """What became of its last firing: `Ran Mon 07:00, 41 s`, `Did not run Fri 07:00: the runner was off`."""
    if seen is None:
        return "Has not run yet"
    return _fate(seen, f" {times.in_sentence(times.when(seen.due_at, now_us))}", now_us)


def firing_words(seen: FiringSeen, now_us: int) -> str:
    """The same where the day and the time stand beside it."""
    return _fate(seen, "", now_us)


def _fate(seen: FiringSeen, at: str, now_us: int) -> str:
    if seen.count > 1:
        return _many(seen)
    reason = one_line(seen.reason).rstrip(".")
    match seen.state:
        case "planned":
            late = seen.due_at < now_us
            said = "Due, not started yet" if late else "Planned"
            return f"{said}: {seen.note}" if seen.note else said
        case "queued":
            return f"Due{at}, {reason}" if reason else f"Due{at}, waits for its turn"
        case "started":
            return _ran(seen, at)
        case _:
            after_all = ". Run after all" if seen.again else ""
            return f"Did not run{at}: {reason}{after_all}" if reason else f"Did not run{at}{after_all}"


def _many(seen: FiringSeen) -> str:
    said = {"ran": "ran", "missed": "did not run", "planned": "planned"}[seen.fate]
    reason = f", the last: {one_line(seen.reason)}" if seen.reason else ""
    return f"{count(seen.count, 'firing')} until {times.clock_time(seen.until)}, {said}{reason}"


def _ran(seen: FiringSeen, at: str) -> str:
    how = {"again": "After all, ", "now": "By hand, "}.get(seen.beside, "")
    began = seen.began_at
    match seen.run_state:
        case "waiting" if seen.gate_id:
            said = f"started{at}, waits for an answer"
        case "waiting":
            said = f"started{at}, waits"
        case "ready":
            said = f"starting{at}"
        case "running":
            said = f"started{at}, running"
        case "failed":
            said = f"started{at}, stopped"
        case "cancelled":
            said = f"started{at}, was cancelled"
        case _:
            took = f", {times.span(seen.ended_at - began)}" if began is not None and seen.ended_at is not None else ""
            said = f"ran{at}{took}"
    late = began is not None and not seen.beside and began - seen.due_at > LATE_US
    tail = f", late: began {times.when(began, began).removeprefix('Today ')}" if late and began is not None else ""
    reason = one_line(seen.reason).rstrip(".")
    came_of = f": {reason}" if reason and not tail else f" ({reason})" if reason else ""
    return f"{how}{said}{tail}{came_of}" if how else capital(f"{said}{tail}{came_of}")


def icon_of(seen: FiringSeen) -> str:
    """The sign beside the words."""
    if seen.fate == "ran":
        return _RUN_ICONS.get(seen.run_state, "circle-check")
    return _ICONS[seen.fate]


def tone_of(seen: FiringSeen) -> str:
    """The colour of the words, which comes third."""
    if seen.fate == "ran":
        return "text2" if seen.run_state == "done" and seen.no_use else _TONES.get(seen.run_state, "text2")
    return "warn" if seen.fate == "missed" else "text2"


def spoken(seen: FiringSeen, now_us: int) -> str:
    """A firing as a screen reader says it: `07:00 Weekly report, planned`."""
    return f"{times.clock_time(seen.due_at)} {one_line(seen.name)}, {firing_words(seen, now_us)}"
