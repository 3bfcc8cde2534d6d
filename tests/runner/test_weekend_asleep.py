"""The missed Monday: a weekly report on a laptop that sleeps, told by a real runner with real hosts and a clock that jumps."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from counterfoil.clock import FakeClock, to_us
from counterfoil.facts import NoticeKind, RunState, Verdict
from counterfoil.inbox.deciding import Wish, decide
from counterfoil.inbox.hinting import hint
from counterfoil.notifying.words import unheard
from counterfoil.places import Home
from counterfoil.runner import handing_over
from counterfoil.runner.firing import RunStarter
from counterfoil.runner.running import Runner
from counterfoil.schedules import keeping
from counterfoil.schedules.documents import log_documents
from counterfoil.schedules.policies import policy_of
from counterfoil.schedules.rules import rule_of
from counterfoil.store import gates, notices, runs, schedules, timers
from counterfoil.store.blobs import Blobs
from counterfoil.store.database import open_database
from counterfoil.store.transactions import Row
from counterfoil.views.gates import gate_document
from counterfoil.views.runs import run_detail
from runner.real_runner import PATIENCE, until
from schedules.routines import Desk

SALES = """Datum;Kunde;Betrag EUR
17.11.2026;A;75,25
19.11.2026;B;20,00
23.11.2026;A;100,00
24.11.2026;B;50,50
30.11.2026;A;999,99
"""
MONDAY = rule_of({"kind": "weekly", "days": ["MO"], "time": "07:00"})
DAILY = rule_of({"kind": "weekly", "days": ["MO", "TU", "WE", "TH", "FR", "SA", "SU"], "time": "08:00"})


def berlin(day: int, hour: int, minute: int = 0, second: int = 0) -> datetime:
    """An instant of November 2026 on the clocks of Berlin."""
    return datetime(2026, 11, day, hour - 1, minute, second, tzinfo=UTC)


class Laptop:
    """A computer with one folder of sales and a runner; its clock goes where it is told."""

    def __init__(self, folder: Path) -> None:
        self.files = folder / "files"
        (self.files / "sales").mkdir(parents=True)
        (self.files / "sales/sales.csv").write_text(SALES)
        self.home = Home(folder / "home").create()
        self.clock = FakeClock(berlin(20, 18))
        self.database = open_database(self.home, self.clock)
        self._own = open_database(self.home, self.clock)  # the runner's
        self.runner = Runner(self._own, self.home)
        self._thread = threading.Thread(target=self.runner.run_forever)

    def begin(self) -> None:
        """Start the runner."""
        self._thread.start()
        until(
            lambda: (self.home.run / "wake.port").exists() or self.runner._tenure.lease.fence > 0, "the runner is there"
        )

    def end(self) -> None:
        """End it in an orderly way."""
        if self._thread.is_alive():
            handing_over.ask(self.home, PATIENCE)
            self._thread.join(PATIENCE)
        self.database.close()
        self._own.close()

    def at(self, moment: datetime) -> None:
        """Let the clock jump there, as a computer that wakes, and let the runner look."""
        self.clock.advance(moment - datetime.fromtimestamp(self.clock.now_us() / 1e6, UTC))
        self.looks()

    def looks(self) -> None:
        """Wait until the runner has looked for due instants at the present moment."""
        now = self.clock.now_us()

        def looked() -> bool:
            hint(self.home)
            return self.runner._looked_us >= now

        until(looked, "the runner looks")

    def add(self, name: str, rule: Any, **parameters: str) -> Row:
        """Keep a routine of the weekly report in Berlin time."""
        values = {"folder": "sales", **parameters}
        wanted = keeping.Wanted(name, "weekly-report", str(self.files), rule, "Europe/Berlin", policy_of({}), values)
        return self.database.transact(lambda txn: keeping.add(txn, wanted, "user:anna"))

    def run(self, number: int) -> Row:
        """A run by its number."""
        (row,) = [one for one in runs.page(self.database.reader, limit=50) if one["number"] == number]
        return row

    def is_there(self, number: int) -> bool:
        """Whether there is a run of that number."""
        return any(one["number"] == number for one in runs.page(self.database.reader, limit=50))

    def gate_of(self, number: int, round_number: int = 1) -> dict[str, Any]:
        """The open gate of a run, once it has come to it."""
        until(lambda: self.is_there(number), f"run {number} is there")
        run_id = self.run(number)["run_id"]

        def standing() -> list[Row]:
            hint(self.home)
            found = gates.of_run(self.database.reader, run_id)
            return [gate for gate in found if gate["state"] == "open" and gate["round"] == round_number]

        until(lambda: bool(standing()), f"run {number} asks, round {round_number}")
        with self.database.snapshot() as conn:
            return gate_document(conn, Blobs(self.home), standing()[0])

    def decide(self, gate: dict[str, Any], verdict: Verdict, comment: str = "") -> None:
        """Anna decides."""
        wish = Wish(verdict, "user:anna", comment=comment)
        decide(self.database, Blobs(self.home), gate["gate_id"], wish)
        hint(self.home)

    def gave_up(self, number: int) -> bool:
        """Whether a run that waits again and again has ended; the clock goes where its timer points."""
        run = self.run(number)
        pending = timers.pending(self.database.reader, run["run_id"])
        if run["state"] == RunState.WAITING and pending and pending[0]["due_at"] > self.clock.now_us():
            self.clock.advance(timedelta(microseconds=pending[0]["due_at"] + 1 - self.clock.now_us()))
        hint(self.home)
        return bool(run["state"] == RunState.DONE)

    def log(self, row: Row) -> list[dict[str, Any]]:
        """What became of each instant, the newest first, without what is planned."""
        found = log_documents(self.database.reader, schedules.get(self.database.reader, row["schedule_id"]), 20)
        return [one for one in found if one["state"] != "planned"]


@pytest.fixture
def laptop(tmp_path: Path) -> Iterator[Laptop]:
    made = Laptop(tmp_path)
    yield made
    made.end()


def test_the_missed_monday(laptop: Laptop) -> None:
    weekly = laptop.add("Weekly report", MONDAY, open_files="wait half an hour")
    laptop.begin()

    # The week before, the spreadsheet is still open at 07:00, and stays so.
    mark = laptop.files / "sales/.~lock.sales.csv#"
    mark.write_text(",anna,laptop;")
    laptop.at(berlin(23, 7, 0, 1))
    until(lambda: laptop.is_there(1), "the report of the week before starts")
    until(lambda: laptop.gave_up(1), "it gives up")
    (first,) = laptop.log(weekly)
    assert (
        first["reason"]
        == "Nothing was counted: sales.csv is open in LibreOffice, tried for 30 minutes. Nothing was written"
    )
    mark.unlink()

    # Asleep from Friday evening to Monday 09:12; the file holds a row of that Monday already.
    laptop.at(berlin(27, 18, 5))
    listing = laptop.add("Daily list", DAILY)
    laptop.at(berlin(27, 18, 10))
    laptop.at(berlin(30, 9, 12))
    until(lambda: laptop.is_there(3), "both start late")
    late = {row["schedule_id"]: row for row in (laptop.run(2), laptop.run(3))}
    report = late[weekly["schedule_id"]]
    assert report["title"] == "Weekly report, 23–29 Nov 2026"
    assert (report["planned_at"], report["created_at"] // 60_000_000) == (
        to_us(berlin(30, 7)),
        to_us(berlin(30, 9, 12)) // 60_000_000,
    )
    document = run_detail(laptop.database.reader, Blobs(laptop.home), laptop.home, report)
    assert document["start_reason"] == "this computer was asleep"
    assert [(one["local"][:16], one["state"]) for one in laptop.log(listing)] == [
        ("2026-11-30T08:00", "started"),
        ("2026-11-29T08:00", "missed"),
        ("2026-11-28T08:00", "missed"),
    ]
    assert {one["reason"] for one in laptop.log(listing)[1:]} == {"this computer was asleep; the newest ran instead"}
    (card,) = [one for one in notices.standing(laptop.database.reader) if one["kind"] == NoticeKind.AWAY]
    told = notices.body_of(card)
    assert (told["since"][:16], told["until"][:16]) == ("2026-11-27T17:10", "2026-11-30T08:12")
    assert {one["schedule"]: (one["ran_late"], one["missed"]) for one in told["schedules"]} == {
        "Weekly report": (1, 0),
        "Daily list": (1, 2),
    }

    words = unheard(laptop.database.reader, "desktop", laptop.clock.now_us())
    assert [word.text[:24] for word in words if not word.gate_id] == [
        "Ran late, some did not: "
    ]  # one to hear, not three

    # The figures are of the planned week; sent back they come again, and what is approved is written.
    gate = laptop.gate_of(report["number"])
    assert "150.50" in json.dumps(gate["evidence"])
    assert "999.99" not in json.dumps(gate["evidence"][:1])
    laptop.decide(gate, Verdict.RETURNED, "The customers in the order of last week.")
    again = laptop.gate_of(report["number"], 2)
    assert (again["round"], "The customers in the order of last week." in json.dumps(again)) == (2, True)
    laptop.decide(again, Verdict.APPROVED)
    until(lambda: laptop.run(report["number"])["state"] == RunState.DONE, "the report is written")
    assert (laptop.files / "reports/Weekly report 2026-11-23 to 2026-11-29.docx").is_file()

    # She runs the one that was of no use: the same period, a row of its own, the grid unmoved.
    before = schedules.get(laptop.database.reader, weekly["schedule_id"])
    starter = RunStarter(laptop.database, laptop.home)
    starter.prepare([before])
    due = to_us(berlin(23, 7))
    run_id = laptop.database.transact(lambda txn: keeping.run_missed(txn, before, starter, "user:anna", due))
    made = runs.get(laptop.database.reader, run_id)
    assert (made["title"], made["planned_at"]) == ("Weekly report, 16–22 Nov 2026", due)
    assert "95.25" in json.dumps(laptop.gate_of(made["number"])["evidence"])
    after = schedules.get(laptop.database.reader, weekly["schedule_id"])
    assert (after["next_at"], after["next_at"]) == (before["next_at"], to_us(datetime(2026, 12, 7, 6, tzinfo=UTC)))
    assert [(one["local"][:10], one["state"], (one["reason"] or "")[:13]) for one in laptop.log(weekly)] == [
        ("2026-11-30", "started", "this computer"),
        ("2026-11-23", "started", "run after all"),
        ("2026-11-23", "started", "Nothing was c"),
    ]
    assert len(notices.standing(laptop.database.reader)) == 1


@pytest.mark.parametrize("sunday", [datetime(2026, 10, 25, tzinfo=UTC), datetime(2027, 3, 28, tzinfo=UTC)])
def test_on_the_sunday_the_clocks_change_nothing_runs_twice_or_goes_missing(desk: Desk, sunday: datetime) -> None:
    desk.at(sunday - timedelta(days=1, hours=3))
    rule = {"kind": "weekly", "days": ["SA", "SU", "MO"], "time": ["00:00", "02:30", "07:00"]}
    kept = desk.add(rule=rule, zone="Europe/Berlin", policy={"overlap": "allow", "overlap_most": 50})
    for half_hour in range(2 * 72):
        desk.at(sunday - timedelta(days=1, hours=3) + timedelta(minutes=30 * half_hour, seconds=1))
        desk.scan(kept)
    assert [state for state, _ in desk.log(kept)] == ["started"] * 9
    row = schedules.get(desk.database.reader, kept)
    told = [one for one in log_documents(desk.database.reader, row, 20) if one["state"] == "started"]
    assert len({one["local"][:10] for one in told}) == 3


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    made = Desk(tmp_path / "home")
    yield made
    made.database.close()
