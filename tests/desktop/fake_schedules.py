"""Schedules of the fake office: four of them, one of each fate, on the clock of the composed figures. Rules are read by the real rules."""

import dataclasses
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from typing import Any

from counterfoil.clock import from_us, to_us
from counterfoil.desktop.schedule_facts import (
    Act,
    CalendarSeen,
    DaySeen,
    DraftSeen,
    FiringSeen,
    NextSeen,
    NoticeSeen,
    ReadySeen,
    ScheduleDraft,
    ScheduleKept,
    ScheduleRow,
    SchedulesSeen,
)
from counterfoil.errors import WrongRule
from counterfoil.schedules.rules import zone_of
from counterfoil.schedules.typed import form_typed, instead_of, understood
from desktop.figures import HOUR, ME, MINUTE, NOW, WORKSPACE

SECOND = 1_000_000
REPORT, PAYMENTS, BACKUP, TIDY = (f"{number:032x}" for number in (901, 902, 903, 904))
AWAY = "While this computer was off (Fri 18:10 – Mon 09:12): ‘Weekly report’ ran late, 09:12. Nothing ran twice."
GATE = f"{79:032x}"
FIELDS = ("amount",)


def at(days: int, hour: int, minute: int = 0) -> int:
    """An instant so many days from the day of the figures."""
    day = from_us(NOW).date() + timedelta(days=days)
    return to_us(datetime(day.year, day.month, day.day, hour, minute, tzinfo=UTC))


def firing(schedule_id: str, name: str, due: int, state: str = "planned", **more: Any) -> FiringSeen:
    """One instant."""
    return FiringSeen(schedule_id, name, due, state, **more)


def ran(schedule_id: str, name: str, due: int, number: int, **more: Any) -> FiringSeen:
    """One that ran for 41 seconds."""
    told = {"run_state": "done", "began_at": due + SECOND, "ended_at": due + 42 * SECOND, **more}
    return firing(schedule_id, name, due, "started", run_id=f"{number:032x}", run_number=number, **told)


MISSED = firing(BACKUP, "Daily backup list", at(-1, 18), "missed", reason="this computer was asleep")
HELD = firing(
    PAYMENTS,
    "Weekly payments",
    at(-3, 8),
    "skipped",
    reason="last week's still waits for Anna",
    gate_id=GATE,
    held_by=f"{12:032x}",
    run_number=12,
)


def row(schedule_id: str, name: str, title: str, words: str, **more: Any) -> ScheduleRow:
    """One of the list."""
    return ScheduleRow(schedule_id, name, title.lower(), title, WORKSPACE, words, more.pop("zone", "UTC"), **more)


def rows() -> list[ScheduleRow]:
    """The list by name."""
    told = ran(REPORT, "Weekly report", at(0, 6), 5)
    berlin = {"zone": "Europe/Berlin", "place": "Berlin"}
    return [
        row(BACKUP, "Daily backup list", "Archive boxes", "every day at 18:00", next_at=at(0, 18), last=MISSED),
        row(TIDY, "Tidy the scans", "Tidy a folder", "every 15 minutes", paused=True, paused_by=ME),
        row(PAYMENTS, "Weekly payments", "Supplier payments", "every Friday at 08:00", next_at=at(4, 8), last=HELD),
        row(REPORT, "Weekly report", "Weekly report", "every Monday at 07:00", next_at=at(7, 6), last=told, **berlin),
    ]


def firings() -> list[FiringSeen]:
    """Everything of two months around."""
    found = [ran(REPORT, "Weekly report", at(days, 6), 5 + days) for days in (-14, -7)]
    found += [
        ran(
            REPORT,
            "Weekly report",
            at(0, 6),
            5,
            began_at=at(0, 6) + 2 * HOUR,
            ended_at=at(0, 6) + 2 * HOUR + 30 * SECOND,
        )
    ]
    found += [firing(REPORT, "Weekly report", at(days, 6)) for days in range(7, 40, 7)]
    found += [ran(PAYMENTS, "Weekly payments", at(-17, 8), 3), HELD]
    found += [ran(PAYMENTS, "Weekly payments", at(-10, 8), 12, run_state="waiting", gate_id=GATE, ended_at=None)]
    found += [firing(PAYMENTS, "Weekly payments", at(days, 8)) for days in range(4, 40, 7)]
    found += [ran(BACKUP, "Daily backup list", at(days, 18), 100 + days) for days in range(-29, -1)]
    found += [MISSED]
    found += [firing(BACKUP, "Daily backup list", at(days, 18)) for days in range(40)]
    found += [firing(TIDY, "Tidy the scans", at(-2, 0), "started", run_state="done", count=96, until=at(-2, 23, 45))]
    return found


class FakeSchedules:
    """Everything the page can ask; acts are kept in `log`."""

    def __init__(self, log: list[tuple[str, Any]], changed: Callable[[], None]) -> None:
        self.rows = rows()
        self.firings = firings()
        self.notices: list[NoticeSeen] = []
        self.night = from_us(at(3, 0)).date()
        self.refuse: Exception | None = None
        self.ask_login, self.lacking = False, ""
        self.most = ""
        self.needs: tuple[ReadySeen, ...] = (ReadySeen("folder", True, "The folder Suppliers can be used."),)
        self._log, self._changed = log, changed

    def look(self, workspace: str | None) -> SchedulesSeen:
        shown = tuple(row for row in self.rows if workspace in (None, row.workspace))
        return SchedulesSeen(shown, tuple(self.notices), len(self.rows), "UTC")

    def calendar(self, first: date, days: int, workspace: str | None, schedule_id: str = "") -> CalendarSeen:
        wanted = [first + timedelta(days=number) for number in range(days)]
        kept = [one for one in self.firings if schedule_id in ("", one.schedule_id)]
        return CalendarSeen(first, tuple(self._day(day, kept) for day in wanted))

    def _day(self, day: date, kept: list[FiringSeen]) -> DaySeen:
        found = sorted((one for one in kept if from_us(one.due_at).date() == day), key=lambda one: one.due_at)
        night = "Clocks change in Berlin: 03:00 becomes 02:00." if day == self.night else ""
        return DaySeen(day, tuple(found), night)

    def zones(self) -> tuple[str, ...]:
        return ("America/New_York", "Europe/Berlin", "UTC")

    def draft_of(self, schedule_id: str) -> ScheduleDraft:
        row = self._row(schedule_id)
        return ScheduleDraft(
            row.name, "/t/pay-invoices", row.workspace, row.words, row.zone, schedule_id=schedule_id, overlap="queue"
        )

    def judge(self, draft: ScheduleDraft) -> DraftSeen:
        spend = "‘lots’ is no amount." if draft.spend == "lots" else ""
        return dataclasses.replace(self._judged(draft), most=self.most, spend=spend if self.most else "")

    def _judged(self, draft: ScheduleDraft) -> DraftSeen:
        taken = any(row.name == draft.name and row.schedule_id != draft.schedule_id for row in self.rows)
        name = f"There is a schedule ‘{draft.name}’ already." if taken else ""
        try:
            zone = zone_of(draft.zone)
        except WrongRule as problem:
            return DraftSeen(problem=str(problem), where="zone", instead=problem.next_step.removesuffix("?"), name=name)
        if not draft.rule:
            return DraftSeen(name=name)
        after = from_us(NOW)
        try:
            found = understood(form_typed(draft.rule, after.date(), {}), zone, after)
        except WrongRule as problem:
            told = problem.message.removeprefix("This rule cannot be used: ")
            return DraftSeen(problem=told, where="rule", instead=instead_of(draft.rule, problem.message), name=name)
        ahead = tuple(NextSeen(one.local(zone).isoformat(timespec="minutes"), one.note) for one in found.ahead)
        return DraftSeen(found.words, ahead, found.notes, name=name)

    def ready(self, draft: ScheduleDraft) -> tuple[ReadySeen, ...]:
        self._log.append(("ready", draft))
        return self.needs

    def keep(self, draft: ScheduleDraft) -> ScheduleKept:
        if self.refuse is not None:
            raise self.refuse
        self._log.append(("keep", draft))
        made = ScheduleRow(
            f"{905:032x}", draft.name, "t", "T", draft.workspace, draft.rule, draft.zone, next_at=NOW + HOUR
        )
        self.rows = [*[row for row in self.rows if row.schedule_id != draft.schedule_id], made]
        self._changed()
        return ScheduleKept(made.schedule_id, draft.name, self.ask_login, self.lacking)

    def start_at_login(self, *, start: bool) -> str:
        self._log.append(("start_at_login", start))
        return "Counterfoil starts at login." if start else "It runs while this window is open."

    def act(self, schedule_id: str, act: Act) -> str:
        if self.refuse is not None:
            raise self.refuse
        self._log.append((act, schedule_id))
        row = self._row(schedule_id)
        place = self.rows.index(row)
        if act == "remove":
            self.rows.remove(row)
        elif act in ("pause", "resume"):
            next_at = None if act == "pause" else NOW + 10 * MINUTE
            self.rows[place] = dataclasses.replace(row, paused=act == "pause", paused_by=ME, next_at=next_at)
        self._changed()
        return f"‘{row.name}’: {act}."

    def skip(self, schedule_id: str, due_at: int, reason: str) -> str:
        if self.refuse is not None:
            raise self.refuse
        self._log.append(("skip", (schedule_id, due_at, reason)))
        self.notices = [one for one in self.notices if (one.schedule_id, one.due_at) != (schedule_id, due_at)]
        self._changed()
        return f"‘{self._row(schedule_id).name}’ skips it."

    def run(self, schedule_id: str, due_at: int | None = None) -> str:
        self._log.append(("run", (schedule_id, due_at)))
        return f"{12:032x}"

    def got_it(self, kind: str, subject: str) -> None:
        self._log.append(("got_it", (kind, subject)))
        self.notices = [one for one in self.notices if (one.kind, one.schedule_id) != (kind, subject)]
        self._changed()

    def _row(self, schedule_id: str) -> ScheduleRow:
        return next(row for row in self.rows if row.schedule_id == schedule_id)
