"""Routines for their page: the list, the calendar, what is told above it; and what people do to one."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from datetime import date, datetime, time, timedelta
from itertools import groupby, islice
from typing import Any
from zoneinfo import ZoneInfo

from tzlocal import get_localzone, get_localzone_name

from counterfoil.catalogue.manifest import read_manifest
from counterfoil.clock import from_us, to_us
from counterfoil.desktop.real_office import calls, silences
from counterfoil.desktop.real_office.access import Access
from counterfoil.desktop.real_office.fates import Fates
from counterfoil.desktop.real_office.schedule_drafts import Drafts
from counterfoil.desktop.real_office.templates import Templates
from counterfoil.desktop.schedule_facts import (
    Act,
    CalendarSeen,
    DaySeen,
    DraftSeen,
    FiringSeen,
    NoticeSeen,
    ReadySeen,
    ScheduleDraft,
    ScheduleKept,
    ScheduleRow,
    SchedulesSeen,
)
from counterfoil.desktop.words.plain import one_line, quoted
from counterfoil.desktop.words.schedules import day_and_time, skip_words
from counterfoil.errors import CounterfoilError, UnknownSchedule, WrongRule
from counterfoil.facts import FiringOrigin, NoticeKind, as_sentence
from counterfoil.inbox.hinting import hint
from counterfoil.schedules import keeping
from counterfoil.schedules.instants import firings as firings_of
from counterfoil.schedules.nights import changes, place_of
from counterfoil.schedules.outcomes import reasons
from counterfoil.schedules.rules import rule_of, zone_of
from counterfoil.schedules.telling import told
from counterfoil.schedules.wording import say
from counterfoil.store import firings, notices, runs, schedules
from counterfoil.store.transactions import Connection, Row, Txn

_MOST = 5_000  # planned firings of one routine that are looked at for a calendar
_BEGINNINGS = ("The ", "This ", "There ", "No ", "A ", "Nothing ")
_APART = 3  # firings of a routine on one day, of one fate, that are shown one by one


class SchedulePages:
    """The routines of one home."""

    def __init__(self, access: Access, templates: Templates) -> None:
        self._access = access
        self._templates = templates
        self._titles: dict[tuple[str, str], str] = {}
        self._drafts = Drafts(access, templates)

    # ---------------------------------------------------------------------------------------------------------- looking

    def look(self, workspace: str | None) -> SchedulesSeen:
        """The list, by name."""
        here = get_localzone_name() or ""
        with self._access.reading() as conn:
            living = schedules.living(conn)
            rows = [self._row(conn, row, here) for row in living if workspace in (None, row["workspace"])]
            known = {row["name"]: row["schedule_id"] for row in living}
            rows_of = {row["schedule_id"]: row for row in living}
            now = self._access.clock.now_us()
            fates = Fates(conn, self._access.me)
            found = (_notice(conn, row, known, rows_of, now, fates) for row in notices.standing(conn))
            standing = tuple(one for one in found if one is not None)
        return SchedulesSeen(tuple(rows), standing, len(living), here)

    def calendar(self, first: date, days: int, workspace: str | None, schedule_id: str = "") -> CalendarSeen:
        """So many days, on this computer's clocks."""
        here = get_localzone()
        start, end = _midnight(first), _midnight(first + timedelta(days=days))
        by_day: dict[date, list[FiringSeen]] = {}
        nights: dict[date, list[str]] = {}
        zones = {str(here): ZoneInfo(str(here))} if get_localzone_name() else {}
        with self._access.reading() as conn:
            for row in schedules.living(conn):
                if workspace in (None, row["workspace"]) and schedule_id in ("", row["schedule_id"]):
                    zones[row["zone"]] = ZoneInfo(row["zone"])
                    for seen in self._of_span(conn, row, start, end):
                        by_day.setdefault(_day_of(seen), []).append(seen)
        for name, zone in zones.items():
            for day, words in changes(zone, first, days).items():
                nights.setdefault(day, []).append(f"Clocks change in {place_of(name)}: {words}.")
        wanted = [first + timedelta(days=number) for number in range(days)]
        return CalendarSeen(
            first,
            tuple(
                DaySeen(day, _together(by_day.get(day, [])), " ".join(sorted(set(nights.get(day, [])))))
                for day in wanted
            ),
        )

    def _row(self, conn: Connection, row: Row, here: str) -> ScheduleRow:
        words, trouble = "", ""
        try:
            words = say(rule_of(json.loads(row["rule"])))
        except WrongRule as problem:
            trouble = str(problem)
        return ScheduleRow(
            schedule_id=row["schedule_id"],
            name=row["name"],
            template=row["template"],
            title=self._title(row),
            workspace=row["workspace"],
            words=words,
            zone=row["zone"],
            place="" if row["zone"] == here else place_of(row["zone"]),
            next_at=row["next_at"],
            paused=bool(row["paused"]),
            paused_by=row["paused_by"] or "",
            last=self._last(conn, row),
            trouble=trouble,
        )

    def _last(self, conn: Connection, row: Row) -> FiringSeen | None:
        """What became of its newest firing."""
        newest = list(firings.newest(conn, row["schedule_id"], 1))
        why = reasons(conn, newest)
        return (
            Fates(conn, self._access.me).seen(newest[0], row, came_of=why.get(newest[0]["run_id"] or "", ""))
            if newest
            else None
        )

    def _title(self, row: Row) -> str:
        """What its template is called; read once, since a look is taken at every change."""
        key = (row["template"], row["workspace"])
        if key not in self._titles:
            try:
                self._titles[key] = read_manifest(self._templates.folder_of(*key)).title
            except CounterfoilError:
                return str(row["template"])
        return self._titles[key]

    def _of_span(self, conn: Connection, row: Row, start: int, end: int) -> list[FiringSeen]:
        fates = Fates(conn, self._access.me)
        kept = firings.between(conn, row["schedule_id"], start, end)
        again = {one["due_at"] for one in kept if one["origin"] == "again"}
        why = reasons(conn, list(kept))
        past = [
            fates.seen(one, row, again=one["due_at"] in again, came_of=why.get(one["run_id"] or "", "")) for one in kept
        ]
        known = {one["due_at"] for one in kept if one["origin"] == "grid"}
        ahead = [seen for seen in self._planned(row, start, end) if seen.due_at not in known]
        return sorted((*past, *ahead), key=lambda seen: seen.due_at)

    def _planned(self, row: Row, start: int, end: int) -> Iterator[FiringSeen]:
        """Firings that are still to come, and such as are due and have not been looked at yet."""
        if row["paused"] or row["next_at"] is None:
            return
        begin = max(start, int(row["next_at"])) - 1
        try:
            rule, zone = rule_of(json.loads(row["rule"])), zone_of(row["zone"])
        except WrongRule:
            return
        for firing in islice(firings_of(rule, zone, from_us(begin)), _MOST):
            due = to_us(firing.due_at)
            if due >= end:
                return
            yield FiringSeen(row["schedule_id"], row["name"], due, "planned", note=firing.note)

    # ----------------------------------------------------------------------------------------------------------- drafts

    def zones(self) -> tuple[str, ...]:
        """Names of zones, the cities of the world before the rest."""
        return self._drafts.zones()

    def draft_of(self, schedule_id: str) -> ScheduleDraft:
        """A schedule as it can be changed."""
        with self._access.reading() as conn:
            return self._drafts.of(conn, _known(conn, schedule_id))

    def judge(self, draft: ScheduleDraft) -> DraftSeen:
        """What is understood of a draft."""
        return self._drafts.judge(draft)

    def ready(self, draft: ScheduleDraft) -> tuple[ReadySeen, ...]:
        """What a firing of a draft needs."""
        return self._drafts.ready(draft)

    def keep(self, draft: ScheduleDraft) -> ScheduleKept:
        """Save it."""
        return self._drafts.keep(draft)

    def start_at_login(self, *, start: bool) -> str:
        """Have the runner start at login, or not."""
        return self._drafts.start_at_login(start=start)

    # ------------------------------------------------------------------------------------------------------------- acts

    def act(self, schedule_id: str, act: Act) -> str:
        """Pause, resume, remove."""
        me = self._access.me

        def operation(txn: Txn) -> str:
            row = _known(txn.conn, schedule_id)
            name = one_line(row["name"])
            match act:
                case "pause":
                    keeping.pause(txn, row, me)
                    return f"‘{name}’ is paused. Nothing starts by it until it is resumed."
                case "resume":
                    keeping.resume(txn, row, me)
                    return f"‘{name}’ is on again. What passed meanwhile is not made up for."
                case _:
                    keeping.remove(txn, row, me)
                    return f"‘{name}’ is removed. Its runs and what became of its firings stay."

        said = self._access.write(operation)
        hint(self._access.home)
        return said

    def skip(self, schedule_id: str, due_at: int, reason: str) -> str:
        """Let this firing pass without a run."""
        me = self._access.me

        def operation(txn: Txn) -> str:
            row = _known(txn.conn, schedule_id)
            due = keeping.skip_next(txn, row, me, due_at, reason).astimezone(zone_of(row["zone"]))
            return f"‘{one_line(row['name'])}’ skips {due:%a} {due.day} {due:%b %H:%M}."

        said = self._access.write(operation)
        hint(self._access.home)
        return said

    def run(self, schedule_id: str, due_at: int | None = None) -> str:
        """Run it beside its rule."""
        with self._access.reading() as conn:
            row = _known(conn, schedule_id)
        missed = [] if due_at is None else ["--missed", f"{from_us(due_at):%Y-%m-%dT%H:%M:%S.%f}+00:00"]
        document = calls.call(self._access.home, "schedule", "run", *missed, "--", row["name"])
        return str(document["run_id"])

    def got_it(self, kind: str, subject: str) -> None:
        """Take down one card."""
        self._access.write(lambda txn: keeping.got_it(txn, self._access.me, (kind, subject)))
        hint(self._access.home)


def _known(conn: Connection, schedule_id: str) -> Row:
    """A routine's row.

    Raises:
        UnknownSchedule: it is not there, or was removed.
    """
    row = next((one for one in schedules.living(conn) if one["schedule_id"] == schedule_id), None)
    if row is None:
        raise UnknownSchedule("This schedule is not in this data folder any more.", "Choose another one.")
    return row


def _notice(
    conn: Connection, row: Row, known: Mapping[str, str], living: Mapping[str, Row], now: int, fates: Fates
) -> NoticeSeen | None:
    body = notices.body_of(row)
    if row["kind"] == NoticeKind.SILENT:
        return _silent(conn, row, body)
    if row["kind"] == NoticeKind.HELD_UP:
        return _held_up(conn, row, body, fates)
    schedule = living.get(row["subject"])
    if row["kind"] == NoticeKind.NOT_READY and schedule is not None and schedule["next_at"] is not None:
        return _not_ready(schedule, body, now)
    said = " ".join(one_line(sentence) for sentence in told(row["kind"], body))
    missed = _missed(conn, body, known) if row["kind"] == NoticeKind.AWAY else ()
    return NoticeSeen(row["kind"], said, row["subject"], tuple(missed))


def _held_up(conn: Connection, row: Row, body: Mapping[str, Any], fates: Fates) -> NoticeSeen:
    """What holds a routine up, seen from its newest firing, with the question that lets it go on."""
    newest = firings.newest(conn, row["subject"], 1)
    why, gate_id = fates.held_up(str(body["reason"]), int(newest[0]["due_at"] if newest else row["at"]))
    said = as_sentence(f"{quoted(body['schedule'])} did not run {body['skipped']} times in a row: {one_line(why)}")
    return NoticeSeen(NoticeKind.HELD_UP, said, row["subject"], gate_id=gate_id)


def _silent(conn: Connection, row: Row, body: Mapping[str, Any]) -> NoticeSeen | None:
    """A silent step; None where its run has just gone on."""
    seen = silences.seen(conn, runs.get(conn, row["subject"]))
    words = f"{seen.words} {one_line(body['title'])}, run {body['run']}." if seen is not None else ""
    return NoticeSeen(NoticeKind.SILENT, words, silent=seen) if seen is not None else None


def _not_ready(row: Row, body: Mapping[str, Any], now: int) -> NoticeSeen:
    """What the next firing lacks: `Tomorrow 07:00 ‘Weekly report’ cannot run: …`, with what can be done at once."""
    due, sign_in = int(row["next_at"]), str(body.get("sign_in") or "")
    why = one_line(str(body["words"] if sign_in else body["reason"]))
    why = why[:1].lower() + why[1:] if why.startswith(_BEGINNINGS) else why  # names keep their first letter
    said = f"{day_and_time(due, now)} {quoted(row['name'])} cannot run: {why}"
    skip = skip_words(due, _after(row, due), now)
    return NoticeSeen(NoticeKind.NOT_READY, said, row["schedule_id"], (), due, skip, sign_in)


def _after(row: Row, due: int) -> int | None:
    """The firing after one."""
    try:
        rule, zone = rule_of(json.loads(row["rule"])), zone_of(row["zone"])
    except WrongRule:
        return None
    found = next(iter(firings_of(rule, zone, from_us(due))), None)
    return None if found is None else to_us(found.due_at)


def _missed(conn: Connection, body: Mapping[str, Any], known: Mapping[str, str]) -> Iterator[FiringSeen]:
    """The firings of an absence that did not run and were not run after all, the newest first; `known` are the routines by name."""
    for one in body["schedules"]:
        schedule_id = known.get(one["schedule"], "")
        for text in reversed(one["not_run"] if schedule_id else []):
            due = to_us(datetime.fromisoformat(text))
            if firings.get(conn, schedule_id, due, FiringOrigin.AGAIN) is None:
                yield FiringSeen(schedule_id, one["schedule"], due, "missed")


def _midnight(day: date) -> int:
    """The first moment of a day on this computer's clocks."""
    return to_us(datetime.combine(day, time()).astimezone())


def _day_of(seen: FiringSeen) -> date:
    return from_us(seen.due_at).astimezone().date()


def _together(found: list[FiringSeen]) -> tuple[FiringSeen, ...]:
    """The firings of a day; many of one routine and of one fate as one."""
    shown: list[FiringSeen] = []
    found = sorted(found, key=lambda seen: (seen.schedule_id, seen.fate, seen.due_at))
    for _, group in groupby(found, key=lambda seen: (seen.schedule_id, seen.fate)):
        alike = list(group)
        shown += alike if len(alike) <= _APART else [_as_one(alike)]
    return tuple(sorted(shown, key=lambda seen: (seen.due_at, seen.name)))


def _as_one(alike: list[FiringSeen]) -> FiringSeen:
    first, last = alike[0], alike[-1]
    return FiringSeen(
        first.schedule_id,
        first.name,
        first.due_at,
        first.state,
        reason=last.reason,
        run_id=last.run_id,
        run_number=last.run_number,
        run_state=last.run_state,
        again=last.again,
        count=len(alike),
        until=last.due_at,
    )
