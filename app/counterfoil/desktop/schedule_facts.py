"""What the Schedules page may ask and do, and the facts it is handed. A part of `office`, with the same rules for threads."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Any, Literal, Protocol

from counterfoil.desktop.run_facts import Silent

Act = Literal["pause", "resume", "remove"]


@dataclass(frozen=True, slots=True)
class FiringSeen:
    """One instant of a schedule and what became of it. Instants in microseconds.

    `state` is planned, started, queued, skipped, missed or blocked; `run_state` that of its run. `beside` says how a person started it
    (now, again), "" for the rule itself. `count` firings of one day and fate stand together, the last one at `until`.
    """

    schedule_id: str
    name: str
    due_at: int
    state: str
    reason: str = ""
    note: str = ""
    beside: str = ""
    run_id: str = ""
    run_number: int = 0
    run_state: str = ""
    began_at: int | None = None
    ended_at: int | None = None
    again: bool = False  # it was run after all
    no_use: bool = False  # its run has ended without doing what it was for
    gate_id: str = ""  # the open question of its run, or of the run that stood in its way
    held_by: str = ""  # the run that stood in its way, with its number in `run_number`
    count: int = 1
    until: int = 0

    @property
    def fate(self) -> str:
        """How it is marked: ran, planned, or missed for every way of not running."""
        if self.state in ("planned", "queued"):
            return "planned"
        return "ran" if self.state == "started" else "missed"

    @property
    def may_run(self) -> bool:
        """Whether it did not run and can still be run after all."""
        return self.fate == "missed" and not self.again and not self.beside


@dataclass(frozen=True, slots=True)
class ScheduleRow:
    """A schedule in the list. `words` is its rule as a sentence, `place` the city of its zone where that is not this computer's."""

    schedule_id: str
    name: str
    template: str
    title: str
    workspace: str
    words: str
    zone: str
    place: str = ""
    next_at: int | None = None
    paused: bool = False
    paused_by: str = ""
    last: FiringSeen | None = None
    trouble: str = ""


@dataclass(frozen=True, slots=True)
class NoticeSeen:
    """What stands above the list: `kind` is that of the notice; `schedule_id` of the one that it is about, if one; `missed` what can still
    be run after all. Of a firing that cannot run: `due_at`, `skip` what its button says, and `sign_in` the connector that wants somebody to
    sign in. Of a silent step: `silent`. `gate_id`: the question
    that lets a schedule go on."""

    kind: str
    words: str
    schedule_id: str = ""
    missed: tuple[FiringSeen, ...] = ()
    due_at: int | None = None
    skip: str = ""
    sign_in: str = ""
    silent: Silent | None = None
    gate_id: str = ""


@dataclass(frozen=True, slots=True)
class SchedulesSeen:
    """The list, what is to be told above it, how many there are in all workspaces, and this computer's zone ("" where it has no name)."""

    rows: tuple[ScheduleRow, ...] = ()
    notices: tuple[NoticeSeen, ...] = ()
    total: int = 0
    zone: str = ""


@dataclass(frozen=True, slots=True)
class DaySeen:
    """A day of the calendar on this computer's clocks; `night` says how clocks change in it."""

    day: date
    firings: tuple[FiringSeen, ...] = ()
    night: str = ""


@dataclass(frozen=True, slots=True)
class CalendarSeen:
    """Days in order from a Monday on."""

    first: date
    days: tuple[DaySeen, ...]


@dataclass(frozen=True, slots=True)
class ScheduleDraft:
    """A schedule as it is filled in. `template` is the folder of one; `schedule_id` of the one that is changed, "" for a new one."""

    name: str = ""
    template: str = ""
    workspace: str = ""
    rule: str = ""
    zone: str = ""
    gap: str = "shift"
    holidays: str = ""  # whose free days: DE-BY, ECB, 2026-12-24, days.ics; several with commas
    on_holiday: str = "skip"
    missed: str = "latest"
    overlap: str = "skip"
    tell: str = "needs"
    spend: str = ""  # the most that llms may cost each time, as it is typed; "" as for every run
    values: Mapping[str, Any] = field(default_factory=dict)
    schedule_id: str = ""
    kept_rule: str = ""  # the stored form, while the words still say it


@dataclass(frozen=True, slots=True)
class NextSeen:
    """A firing ahead: its local time with offset (ISO 8601), what is unusual about it, and the city of its zone where that is not this
    computer's."""

    local: str
    note: str = ""
    night: str = ""
    place: str = ""


@dataclass(frozen=True, slots=True)
class DraftSeen:
    """A draft judged. `where` names the part a problem is about (rule, zone, name, folder); `instead` is what could be written there.
    `most` is what every run may spend where a schedule says nothing, "" where no llm has a price, so that no money is talked of."""

    said: str = ""
    ahead: tuple[NextSeen, ...] = ()
    notes: tuple[str, ...] = ()
    problem: str = ""
    where: str = ""
    instead: str = ""
    fields: Mapping[str, str] = field(default_factory=dict)
    name: str = ""  # what is wrong with the name
    most: str = ""
    spend: str = ""  # what is wrong with the amount


@dataclass(frozen=True, slots=True)
class ReadySeen:
    """One thing that a firing needs: `check` names it, `words` say how it stands, `next_step` what mends it; `sign_in` is the connector
    that wants somebody to sign in, where it is that."""

    check: str
    holds: bool
    words: str
    next_step: str = ""
    sign_in: str = ""


@dataclass(frozen=True, slots=True)
class ScheduleKept:
    """A schedule that was saved; `ask_login` while nobody was asked whether the runner starts at login; `lacking` why it is paused."""

    schedule_id: str
    name: str
    ask_login: bool = False
    lacking: str = ""


class Schedules(Protocol):
    """Schedules of one data folder; every method may wait for a disk, and may raise a CounterfoilError."""

    def look(self, workspace: str | None) -> SchedulesSeen:
        """The list."""

    def calendar(self, first: date, days: int, workspace: str | None, schedule_id: str = "") -> CalendarSeen:
        """So many days from `first` on, of one schedule or of all."""

    def zones(self) -> tuple[str, ...]:
        """Names of zones that can be chosen."""

    def draft_of(self, schedule_id: str) -> ScheduleDraft:
        """A schedule as it can be changed."""

    def judge(self, draft: ScheduleDraft) -> DraftSeen:
        """What is understood of a draft, when it would fire, and what is wrong with it."""

    def ready(self, draft: ScheduleDraft) -> tuple[ReadySeen, ...]:
        """What a firing of a draft needs, and what of it is missing; may take seconds."""

    def keep(self, draft: ScheduleDraft) -> ScheduleKept:
        """Save it, as a new one or as the changed one."""

    def start_at_login(self, *, start: bool) -> str:
        """Have the runner start at login, or keep that it is not wanted; the sentence that says what was done."""

    def act(self, schedule_id: str, act: Act) -> str:
        """Pause, resume or remove; the sentence that says what happened."""

    def run(self, schedule_id: str, due_at: int | None = None) -> str:
        """Run it beside its rule: now, or a firing that did not run; the run's id."""

    def skip(self, schedule_id: str, due_at: int, reason: str) -> str:
        """Let this firing pass without a run; the sentence that says so. The reason is kept with it."""

    def got_it(self, kind: str, subject: str) -> None:
        """Take down one card that a person has seen; `subject` is the notice's `schedule_id`."""
