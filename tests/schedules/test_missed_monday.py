"""The story of the missed Monday: a weekly report, a file that is open at seven, a computer that sleeps until nine."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from counterfoil.catalogue.loading import load_workflow
from counterfoil.cli.run_sheet import run_sheet
from counterfoil.clock import FakeClock, to_us
from counterfoil.places import bundled
from counterfoil.runner.firing import RunStarter
from counterfoil.schedules.documents import log_documents
from counterfoil.schedules.keeping import Wanted, add, run_missed
from counterfoil.schedules.policies import policy_of
from counterfoil.schedules.rules import rule_of
from counterfoil.schedules.scanning import scan_due
from counterfoil.schedules.telling import notice_sentences
from counterfoil.store import schedules
from counterfoil.store.transactions import Row
from counterfoil.testing import Harness
from counterfoil.views.runs import run_detail
from schedules.routines import Desk, us

TEMPLATE = bundled("workflows") / "weekly-report"
RULE = {"kind": "weekly", "days": ["MO"], "time": "07:00"}
PARAMETERS = {"folder": "sales", "period": "last week", "open_files": "wait half an hour"}


class Office:
    """A workspace with the sample and a routine on it; the clock moves when told."""

    def __init__(self, folder: Path) -> None:
        self.workspace = folder / "work"
        shutil.copytree(TEMPLATE / "sample", self.workspace)
        self.harness = Harness(
            self.workspace, home=folder / "home", clock=FakeClock(datetime(2026, 11, 20, tzinfo=UTC))
        )
        self.database, self.home = self.harness.database, self.harness.home
        self.workflow = load_workflow(TEMPLATE, "weekly-report")
        wanted = Wanted(
            "Weekly report",
            "weekly-report",
            str(self.workspace),
            rule_of(RULE),
            "Europe/Berlin",
            policy_of({}),
            PARAMETERS,
        )
        self.schedule_id = str(self.database.transact(lambda txn: add(txn, wanted, "user:anna"))["schedule_id"])

    def at(self, moment: str) -> None:
        """Set the clock forward."""
        now = self.harness.clock.now_us()
        self.harness.tick(timedelta(microseconds=us(moment) - now))

    def scan(self, away_since: str = "") -> list[str]:
        """What the runner does when it looks at its routines."""
        return scan_due(self.database, RunStarter(self.database, self.home), us(away_since) if away_since else None)

    def take_up(self, run_id: str) -> None:
        """Go on with a run that was fired."""
        self.harness.use(self.workflow)
        self.harness.run_id = run_id

    def detail(self) -> dict[str, Any]:
        """The run's document."""
        return run_detail(self.database.reader, self.harness.blobs, self.home, self.harness.run())

    def routine(self) -> Row:
        """The routine's row."""
        return schedules.get(self.database.reader, self.schedule_id)

    def log(self) -> list[tuple[str, str, str]]:
        """What became of instants: local day, state, reason; the newest first, without the next."""
        found = log_documents(self.database.reader, self.routine(), 10)
        return [(one["local"][:10], one["state"], one["reason"] or "") for one in found if one["state"] != "planned"]


@pytest.fixture
def office(tmp_path: Path) -> Iterator[Office]:
    made = Office(tmp_path)
    yield made
    made.harness.close()


def figures(harness: Harness) -> dict[str, Any]:
    """The key figures of the open gate."""
    return dict(harness.spec()["figures"])


def test_the_missed_monday(office: Office) -> None:
    harness = office.harness
    # the week before, somebody has the spreadsheet open from seven to after half past
    mark = office.workspace / "sales/~$Umsatz KW47.xlsx"
    mark.write_bytes(b"anna")
    office.at("2026-11-23T07:00:01+01:00")
    (early,) = office.scan()
    office.take_up(early)
    for _ in range(6):
        assert harness.advance() == "waiting"
        harness.tick(timedelta(minutes=5))
    assert harness.advance() == "done"
    mark.unlink()
    assert office.log() == [
        (
            "2026-11-23",
            "started",
            "Nothing was counted: Umsatz KW47.xlsx is open in Excel, tried for 30 minutes. Nothing was written",
        )
    ]

    # asleep from Friday evening to Monday 09:12: one run, one card
    office.at("2026-11-30T09:12:00+01:00")
    (late,) = office.scan(away_since="2026-11-27T18:10:00+01:00")
    assert office.scan() == []
    assert len(notice_sentences(office.database.reader)) == 1
    assert "‘Weekly report’ ran late" in notice_sentences(office.database.reader)[0]

    # titled with the week before its Monday, though a row of 30 November is there
    office.take_up(late)
    run = harness.run()
    assert run["title"] == "Weekly report, 23–29 Nov 2026"
    assert json.loads(run["parameters"])["period"] == "2026-11-23/2026-11-29"
    detail = office.detail()
    assert (detail["planned_at"], detail["created_at"][:16]) == ("2026-11-30T06:00:00.000Z", "2026-11-30T08:12")
    assert "planned" in run_sheet(detail, 120, "x")[1]
    assert "started" in run_sheet(detail, 120, "x")[1]
    assert harness.advance() == "waiting"
    harness.answer(q1="Netto SEK")
    assert harness.advance() == "waiting"
    assert harness.gate()["title"] == "Write the report on 23–29 Nov 2026"
    assert figures(harness)["Total"] == "€4,380.00, £1,555.60 and SEK 5,280.00"

    # sent back once, it comes again with the difference
    with (office.workspace / "sales/Ventes Lyon novembre.csv").open("a", encoding="cp1252") as table:
        table.write("27 nov. 2026;Quinta SARL;120,00\r\n")
    harness.send_back("Lyon's Friday is missing")
    assert harness.advance() == "waiting"
    spec = harness.spec()
    assert spec["round"] == 2
    assert spec["flags"][:2] == [
        "Test sent it back: “Lyon's Friday is missing”.",
        "The total was €4,380.00 from 6 rows at the last round and is €4,500.00 from 7 rows.",
    ]
    harness.approve()
    assert harness.advance() == "done"
    assert harness.result()["summary"].startswith("The report on 23–29 Nov 2026 is written: €4,500.00")

    # the skipped one after all: its own week, a row of its own, the grid where it was
    before = office.routine()["next_at"]
    starter = RunStarter(office.database, office.home)
    starter.prepare([office.routine()])
    due = to_us(datetime(2026, 11, 23, 6, tzinfo=UTC))
    again = office.database.transact(lambda txn: run_missed(txn, office.routine(), starter, "user:anna", due))
    office.take_up(again)
    assert harness.run()["title"] == "Weekly report, 16–22 Nov 2026"
    assert office.detail()["planned_at"] == "2026-11-23T06:00:00.000Z"
    assert harness.advance() == "waiting"
    assert figures(harness)["Total"] == "€4,275.75"
    harness.approve()
    assert harness.advance() == "done"
    assert [row[:2] for row in office.log()] == [
        ("2026-11-30", "started"),
        ("2026-11-23", "started"),
        ("2026-11-23", "started"),
    ]
    assert office.routine()["next_at"] == before == us("2026-12-07T07:00:00+01:00")


@pytest.mark.parametrize("sunday", [date(2026, 10, 25), date(2027, 3, 28)])
def test_on_the_sunday_the_clocks_change_nothing_runs_twice_or_goes_missing(desk: Desk, sunday: date) -> None:
    start = datetime(sunday.year, sunday.month, sunday.day, tzinfo=UTC) - timedelta(hours=26)
    desk.at(start - timedelta(hours=1))
    days = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"]
    policy = {"overlap": "allow", "overlap_most": 9}
    kept = desk.add(rule={"kind": "weekly", "days": days, "time": "02:30"}, zone="Europe/Berlin", policy=policy)
    started = []
    for night in range(3):
        for hour in range(7):
            desk.at(start + timedelta(days=night, hours=hour, minutes=31))
            started += desk.scan(kept).started
    assert len(started) == 3
    assert len({one[0] for one in _local_days(desk, kept)}) == 3


def _local_days(desk: Desk, kept: str) -> list[tuple[str]]:
    row = schedules.get(desk.database.reader, kept)
    return [(one["local"][:10],) for one in log_documents(desk.database.reader, row, 10) if one["state"] == "started"]
