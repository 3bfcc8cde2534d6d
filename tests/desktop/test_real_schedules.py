"""Schedules of a real database as the page sees them: list, calendar, acts, drafts; and one that the window writes and the runner runs."""

import dataclasses
import functools
import json
import sqlite3
from collections.abc import Generator, Iterator
from datetime import date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from cli.note_template import write_template
from counterfoil.clock import from_us
from counterfoil.desktop.office import Part
from counterfoil.desktop.real_office.office import RealOffice
from counterfoil.desktop.schedule_facts import FiringSeen, ScheduleDraft
from counterfoil.desktop.words import schedules as words
from counterfoil.errors import NotNow, UnknownSchedule
from counterfoil.facts import GateKind, RunState, Slot, person
from counterfoil.inbox.accounts import account
from counterfoil.places import Home
from counterfoil.routing import keeping
from counterfoil.runner.findings import Finding
from counterfoil.runner.tending import tell_missing
from counterfoil.schedules import typed
from counterfoil.schedules.instants import firings as firings_of
from counterfoil.schedules.keeping import Wanted, add
from counterfoil.schedules.nights import changes, place_of
from counterfoil.schedules.policies import policy_of
from counterfoil.schedules.rules import rule_of
from counterfoil.schedules.typed import form_typed, instead_of, understood, words_of
from counterfoil.store import asides, firings, gates, runs, schedules
from counterfoil.store.llm_money import amount_of
from counterfoil.store.llm_routes import NewEntry
from counterfoil.store.transactions import Txn
from schedules.routines import START, Desk, us

MONDAYS = {"kind": "weekly", "days": ["MO"], "time": "07:00"}
DAILY = {"kind": "weekly", "days": ["MO", "TU", "WE", "TH", "FR", "SA", "SU"], "time": "18:00"}
BERLIN = ZoneInfo("Europe/Berlin")


class Lived:
    """A home of routines, and the office on it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.desk = Desk(folder)
        self.office = RealOffice(Home(folder), self.desk.clock)

    @property
    def seen(self) -> dict[str, tuple[str, str, str]]:
        """Rule, next and last in words, by name."""
        now = self.desk.clock.now_us()
        rows = self.office.schedules.look(None).rows
        return {
            one.name: (words.sentence(one), words.next_words(one, now), words.last_words(one.last, now)) for one in rows
        }

    def day(self, day: date) -> tuple[FiringSeen, ...]:
        """The firings of a day."""
        return self.office.schedules.calendar(day, 1, None).days[0].firings


@pytest.fixture
def lived(tmp_path: Path) -> Generator[Lived]:
    made = Lived(tmp_path)
    yield made
    made.office.close()
    made.desk.database.close()


def test_the_list_says_what_is_next_and_what_came_of_the_last(lived: Lived) -> None:
    weekly = lived.desk.add("Weekly", rule=MONDAYS, zone="Europe/Berlin")
    lived.desk.add("Daily", rule=DAILY)
    assert lived.seen["Weekly"] == (
        "Every Monday at 07:00, Berlin time",
        "Mon 30 Nov 07:00 in Berlin, 06:00\u00a0here",
        "Has not run yet",
    )
    lived.desk.at(datetime(2026, 11, 30, 6, 0, 30, tzinfo=ZoneInfo("UTC")))
    lived.desk.scan(weekly)
    lived.desk.at(datetime(2026, 12, 7, 6, 0, 30, tzinfo=ZoneInfo("UTC")))
    lived.desk.scan(weekly)
    assert lived.seen["Weekly"][2] == "Did not run today 06:00: last week's is still open"
    [held] = [one for one in lived.day(date(2026, 12, 7)) if one.name == "Weekly"]
    assert (held.fate, held.may_run, held.run_number, bool(held.held_by)) == ("missed", True, 1, True)


def test_what_holds_a_schedule_up_is_told_as_people_say_it_with_its_question(lived: Lived) -> None:
    desk, weekly = lived.desk, lived.desk.add("Weekly", rule=MONDAYS, zone="Europe/Berlin")

    def ask(txn: Txn) -> None:
        [run] = runs.page(txn.conn)
        runs.claim(txn, run["run_id"])
        runs.move(txn, run["run_id"], RunState.WAITING)
        new = gates.NewGate(
            run["run_id"], "", 0, Slot.OUTCOME, GateKind.APPROVAL, "Approve the figures", "{}", False, "a", "b"
        )
        asides.give(txn, gates.open_gate(txn, new)["gate_id"], "user:anna", account(), "")

    for week in range(4):
        desk.at(datetime(2026, 11, 30, 6, 0, 30, tzinfo=ZoneInfo("UTC")) + timedelta(weeks=week))
        desk.scan(weekly)
        if not week:
            desk.database.transact(ask)
        elif week == 1:
            assert lived.seen["Weekly"][2] == "Did not run today 06:00: last week's still waits for Anna"
    assert lived.seen["Weekly"][2] == "Did not run today 06:00: that of Mon 30 Nov still waits for Anna"
    [gate] = gates.inbox_page(desk.database.reader)
    [held] = [one for one in lived.day(date(2026, 12, 21)) if one.name == "Weekly"]
    assert (held.gate_id, held.run_number) == (gate["gate_id"], 1)
    [card] = [one for one in lived.office.schedules.look(None).notices if one.kind == "held_up"]
    why = "that of Mon 30 Nov still waits for Anna, at ‘Approve the figures’"
    assert card.words == f"‘Weekly’ did not run 3 times in a row: {why}."
    assert card.gate_id == gate["gate_id"]


def test_days_hold_what_was_and_what_will_be(lived: Lived) -> None:
    daily = lived.desk.add("Daily", rule=DAILY)
    lived.desk.at(START + timedelta(days=3, hours=5))
    lived.desk.scan(daily)
    seen = lived.office.schedules.calendar(date(2026, 11, 23), 14, None, daily)
    fates = {day.day.day: [one.fate for one in day.firings] for day in seen.days if day.firings}
    assert fates == {
        27: ["missed"],
        28: ["missed"],
        29: ["missed"],
        30: ["ran"],
        **{day: ["planned"] for day in range(1, 7)},
    }
    assert lived.office.schedules.calendar(date(2026, 11, 23), 14, "/elsewhere").days[5].firings == ()


def test_many_firings_of_a_day_stand_together(lived: Lived) -> None:
    lived.desk.add("Often", rule={"kind": "interval", "seconds": 900, "anchor_utc": "2000-01-01T00:00:00Z"})
    [one] = lived.day(date(2026, 11, 29))
    assert (one.count, one.fate) == (96, "planned")
    assert words.firing_words(one, lived.desk.clock.now_us()) == "96 firings until 23:45, planned"


def test_a_card_says_what_was_missed_until_it_was_seen(lived: Lived) -> None:
    daily = lived.desk.add("Daily", rule=DAILY)
    lived.desk.at(START + timedelta(days=3, hours=5))
    lived.desk.scan(daily)
    [card] = lived.office.schedules.look(None).notices
    assert card.kind == "away"
    assert "‘Daily’ ran late" in card.words
    assert "3 did not run" in card.words
    assert [(one.schedule_id, from_us(one.due_at).day) for one in card.missed] == [
        (daily, 29),
        (daily, 28),
        (daily, 27),
    ]
    lived.office.schedules.got_it("zone", "home")
    assert len(lived.office.schedules.look(None).notices) == 1, "that is another card"
    lived.office.schedules.got_it(card.kind, card.schedule_id)
    assert lived.office.schedules.look(None).notices == ()


def test_what_the_next_firing_lacks_is_told_with_its_day_and_can_be_skipped(lived: Lived) -> None:
    daily, office, desk = lived.desk.add("Daily", rule=DAILY), lived.office.schedules, lived.desk
    often = desk.add("Often", rule={**DAILY, "time": ["18:00", "19:30"]})
    for schedule_id in (daily, often):
        row = schedules.get(desk.database.reader, schedule_id)
        tell_missing(desk.database, row, Finding("folder", False, "The folder is not there.", "Bring it."))
    row_before = schedules.get(desk.database.reader, daily)
    first, second = office.look(None).notices
    assert first.words == "Today 18:00 ‘Daily’ cannot run: the folder is not there. Bring it."
    assert (first.skip, second.skip, first.sign_in) == ("Skip today", "Skip 18:00", "")
    assert office.skip(daily, first.due_at or 0, "a holiday") == "‘Daily’ skips Fri 27 Nov 18:00."
    [row] = firings.newest(desk.database.reader, daily, 1)
    assert (row["state"], row["reason"]) == ("skipped", f"skipped by {person(account())}: a holiday")
    with pytest.raises(NotNow, match="that firing has come already, or was skipped"):
        office.skip(daily, first.due_at or 0, "")
    assert [one.schedule_id for one in office.look(None).notices] == [often], "it is told again before the next one"
    lacking = Finding("connectors", False, "The sign-in to “mail” has ended.", "Sign in: counterfoil", "mail")
    tell_missing(desk.database, row_before, lacking)
    assert [one.schedule_id for one in office.look(None).notices] == [often], "it was changed since it was looked at"
    tell_missing(desk.database, schedules.get(desk.database.reader, daily), lacking)
    told = next(one for one in office.look(None).notices if one.schedule_id == daily)
    assert (told.words, told.skip, told.sign_in) == (
        "Tomorrow 18:00 ‘Daily’ cannot run: the sign-in to “mail” has ended.",
        "Skip tomorrow",
        "mail",
    )


def test_acts_are_done_and_told(lived: Lived) -> None:
    daily, office = lived.desk.add("Daily", rule=DAILY), lived.office.schedules
    due = next(one.next_at for one in office.look(None).rows if one.schedule_id == daily) or 0
    assert office.skip(daily, due, "stocktaking") == "‘Daily’ skips Fri 27 Nov 18:00."
    assert [one.state for one in lived.day(date(2026, 11, 27))] == ["skipped"]
    office.act(daily, "pause")
    assert lived.seen["Daily"][1].startswith("Paused by")
    assert lived.office.runner().next_at is None
    assert lived.day(date(2026, 11, 28)) == ()
    with pytest.raises(NotNow, match="no next firing"):
        office.skip(daily, due, "")
    office.act(daily, "resume")
    assert [one.state for one in lived.day(date(2026, 11, 28))] == ["planned"]
    ahead, now = lived.office.runner(), lived.desk.clock.now_us()
    assert words.next_firing(ahead.next_name, ahead.next_at, now) == "Next: Daily, tomorrow 18:00."
    lived.office.pause_everything(on=True)
    assert lived.office.runner().next_at is None  # nothing fires until somebody resumes it
    lived.office.pause_everything(on=False)
    office.act(daily, "remove")
    assert lived.office.runner().next_at is None
    assert lived.seen == {}
    with pytest.raises(UnknownSchedule):
        office.act(daily, "pause")


def test_a_change_of_schedules_is_noticed(lived: Lived) -> None:
    lived.office.changes()
    daily = lived.desk.add("Daily", rule=DAILY)
    found = lived.office.changes()
    assert found is not None
    assert Part.SCHEDULES in found.parts
    lived.desk.database.transact(
        lambda txn: schedules.set_next(txn, schedules.get(txn.conn, daily), us("2026-12-01T18:00Z"), None)
    )
    found = lived.office.changes()
    assert found is not None
    assert found.parts == {Part.SCHEDULES}


def test_a_rule_of_a_newer_version_is_told_and_breaks_nothing(lived: Lived) -> None:
    daily = lived.desk.add("Daily", rule=DAILY)
    with sqlite3.connect(Home(lived.folder).database) as raw:
        raw.execute("UPDATE schedule SET rule = ? WHERE schedule_id = ?", ('{"kind": "lunar"}', daily))
    raw.close()
    [row] = lived.office.schedules.look(None).rows
    assert "cannot be used" in row.trouble
    assert lived.day(date(2026, 11, 28)) == ()


# -------------------------------------------------------------------------------------------------------------- drafts


def judged(rule: str, zone: str = "Europe/Berlin", **more: Any) -> ScheduleDraft:
    return ScheduleDraft(name="N", rule=rule, zone=zone, **more)


def test_a_draft_is_judged_with_its_next_five(lived: Lived) -> None:
    seen = lived.office.schedules.judge(judged("every Sunday at 02:30"))
    assert (seen.said, len(seen.ahead), seen.problem) == ("every Sunday at 02:30", 5, "")
    assert seen.ahead[0].local == "2026-11-29T02:30+01:00"
    assert seen.notes == ("02:30 does not exist on 28 March in Berlin: it will run at 03:30.",)
    skipping = lived.office.schedules.judge(judged("every Sunday at 02:30", gap="skip"))
    assert skipping.notes == ("02:30 does not exist on 28 March in Berlin: it will not run that day.",)


def test_free_days_are_named_beside_the_rule_and_found_again(lived: Lived) -> None:
    office = lived.office.schedules
    draft = judged("every Friday at 09:00", holidays="2026-12-04", on_holiday="next")
    ahead = [one.local[:10] for one in office.judge(draft).ahead]
    assert ahead[:2] == ["2026-12-07", "2026-12-11"]
    assert (
        "No holidays are known for ‘XX-YY’" in office.judge(judged("every Friday at 09:00", holidays="XX-YY")).problem
    )
    form = form_typed(draft.rule, date(2026, 11, 27), {"on_holiday": "next"}, ["2026-12-04"])
    assert words_of(understood(form, BERLIN, START).rule) == "every Friday at 09:00"


NEVER = "This rule has no firing in the next 12 years."


@pytest.mark.parametrize(
    "rule, zone, where, problem, instead",
    [
        (
            "every year on 31 April at 9",
            "UTC",
            "rule",
            "31 April does not exist. Last day of the month instead?",
            "every year on 30 April at 9",
        ),
        ("every Monday at 09:00", "Berln", "zone", "Unknown zone ‘Berln’. Europe/Berlin?", "Europe/Berlin"),
        ("0 0 30 2 *", "UTC", "rule", "‘0 0 30 2 *’: no month in it has such a day.", ""),
        ("every Monday at 9 until 1 Nov 2026", "UTC", "rule", f"{NEVER} It ended on 1 November 2026.", ""),
    ],
)
def test_what_cannot_be_meant(lived: Lived, rule: str, zone: str, where: str, problem: str, instead: str) -> None:
    seen = lived.office.schedules.judge(judged(rule, zone))
    assert (seen.where, seen.problem, seen.instead) == (where, problem, instead)


def test_the_next_five_name_the_city_where_it_is_not_this_computers(
    lived: Lived, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("counterfoil.desktop.real_office.schedule_drafts.get_localzone_name", lambda: "Europe/Berlin")
    for zone, place in (("Europe/Berlin", ""), ("Asia/Tokyo", "Tokyo")):
        ahead = lived.office.schedules.judge(judged("every Monday at 09:00", zone)).ahead
        assert [one.place for one in ahead] == [place] * 5


def test_what_each_run_may_spend_is_asked_where_an_llm_has_a_price_and_found_again(
    lived: Lived, tmp_path: Path
) -> None:
    database, office = lived.desk.database, lived.office.schedules
    wanted = Wanted("Weekly", str(write_template(tmp_path)), "/w", rule_of(MONDAYS), "UTC", policy_of({}), {})
    weekly = database.transact(lambda txn: add(txn, wanted, "user:anna"))["schedule_id"]
    draft = office.draft_of(weekly)
    assert (office.judge(draft).most, office.judge(dataclasses.replace(draft, spend="lots")).spend) == ("", "")
    new = NewEntry("openai", "https://api.openai.com/v1", "gpt-5-mini", None, None, "table")
    database.transact(lambda txn: keeping.add(txn, "default", new, "user:anna"))
    assert office.judge(draft).most == "$2.00"
    assert office.judge(dataclasses.replace(draft, spend="lots")).spend == "‘lots’ is no amount."
    assert office.judge(dataclasses.replace(draft, spend="$1.50")).spend == ""
    assert database.transact(lambda txn: keeping.limit_each(txn, weekly, Decimal("1.5"), "user:anna"))
    assert office.draft_of(weekly).spend == "$1.50"
    for most in (Decimal("1234.5"), Decimal("2.505")):
        database.transact(functools.partial(keeping.limit_each, schedule_id=weekly, most=most, by="user:anna"))
        assert amount_of(office.draft_of(weekly).spend) == most, "what is found can be kept as it is"


def test_a_name_is_free_or_its_own(lived: Lived) -> None:
    daily = lived.desk.add("N", rule=DAILY)
    assert lived.office.schedules.judge(judged("every day at 9")).name == "There is a schedule ‘N’ already."
    assert lived.office.schedules.judge(judged("every day at 9", schedule_id=daily)).name == ""
    assert lived.office.schedules.judge(ScheduleDraft(zone="UTC")).name == "A schedule needs a name."


def test_nights_when_clocks_change() -> None:
    assert changes(BERLIN, date(2027, 3, 1), 31) == {date(2027, 3, 28): "02:00 becomes 03:00"}
    assert changes(BERLIN, date(2026, 10, 25), 1) == {date(2026, 10, 25): "03:00 becomes 02:00"}
    assert changes(ZoneInfo("Australia/Lord_Howe"), date(2026, 10, 1), 7) == {date(2026, 10, 4): "02:00 becomes 02:30"}
    assert changes(ZoneInfo("America/Sao_Paulo"), date(2018, 11, 1), 7) == {date(2018, 11, 4): "00:00 becomes 01:00"}
    assert changes(ZoneInfo("UTC"), date(2026, 1, 1), 365) == {}
    assert place_of("America/New_York") == "New York"


def test_calendars_mark_those_nights(lived: Lived) -> None:
    lived.desk.add("Weekly", rule=MONDAYS, zone="Europe/Berlin")
    days = lived.office.schedules.calendar(date(2027, 3, 1), 35, None).days
    assert {one.day.day: one.night for one in days if one.night} == {
        28: "Clocks change in Berlin: 02:00 becomes 03:00."
    }


def test_what_is_unusual_is_looked_for_on_nights_when_clocks_change_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    def counted(*given: Any) -> Iterator[Any]:
        for firing in firings_of(*given):
            looked.append(firing)
            yield firing

    looked: list[Any] = []
    monkeypatch.setattr(typed, "firings", counted)
    form = {"kind": "cron", "expr": "* 2-3 * * *"}
    assert typed.unusual(form, BERLIN, START) == [
        "02:00 does not exist on 28 March in Berlin: it will run at 03:00."
    ], "the first minute of them"
    often = {"kind": "cron", "expr": "* 9-17 * * *"}
    assert typed.unusual(often, BERLIN, START) == []
    assert len(looked) < 5_000, "of 200,000 in a year"
    assert typed.unusual({"kind": "cron", "expr": "* * * * *"}, BERLIN, START) == []
    ended = {"kind": "yearly", "month": 2, "day": 29, "time": "09:00", "end_date": "2026-01-01"}
    assert typed.unusual(ended, BERLIN, START) == []


def test_instead_keeps_the_time() -> None:
    problem = "This rule cannot be used: 30 February does not exist. Last day of the month instead?"
    assert instead_of("every year on 30 Feb at 30:00", problem) == "every year on 29 Feb at 30:00"
    assert (
        instead_of("every year on the 30th of February at 09:00", problem)
        == "every year on the 29 of February at 09:00"
    )
    assert instead_of("every day", "Something else.") == ""


def test_from_us_and_back_is_the_day_of_this_computer(lived: Lived) -> None:
    lived.desk.add("Weekly", rule={**MONDAYS, "time": "00:30"}, zone="Europe/Berlin")
    [one] = lived.day(
        date(2026, 11, 29)
    )  # half past midnight in Berlin is the day before in UTC, which is this computer's
    assert from_us(one.due_at).isoformat() == "2026-11-29T23:30:00+00:00"


def test_what_starts_by_files_is_shown_and_can_be_changed(lived: Lived, tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    kept = json.dumps({"kind": "folder", "path": "in"})
    seen = lived.office.schedules.judge(
        ScheduleDraft(name="W", zone="UTC", rule="when new files have come into in", kept_rule=kept, overlap="queue")
    )
    assert (seen.problem, seen.said, seen.ahead) == ("", "when new files have come into in", ())
    assert seen.notes == ("It starts when that happens, so it has no planned times.",)


def test_files_that_are_to_come_are_not_asked_for(lived: Lived, tmp_path: Path) -> None:
    workspace = tmp_path / "files"
    (workspace / "Inbox").mkdir(parents=True)
    template = write_template(workspace)
    flow = (template / "workflow.py").read_text()
    flow = flow.replace("import Money,", "import File, Money,").replace(
        "    copies:", "    papers: list[File] = param()\n    copies:"
    )
    (template / "workflow.py").write_text(flow)
    draft = judged("when new files have come into Inbox", template=str(template), workspace=str(workspace))
    seen = lived.office.schedules.judge(draft)
    assert (seen.problem, list(seen.fields)) == ("", ["text"])
    assert list(lived.office.schedules.judge(dataclasses.replace(draft, rule="daily at 9")).fields) == [
        "text",
        "papers",
    ]
    found = {
        one.check: one for one in lived.office.schedules.ready(dataclasses.replace(draft, values={"text": "hello"}))
    }
    assert {name for name, one in found.items() if not one.holds} == set()
    assert found["watched"].words == "New files in Inbox are seen."
