"""A home with a routine in it, and a starter that makes bare runs."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from counterfoil.clock import FakeClock, to_us
from counterfoil.places import Home
from counterfoil.schedules.keeping import Wanted, add
from counterfoil.schedules.policies import policy_of
from counterfoil.schedules.rules import rule_of
from counterfoil.schedules.scanning import Scanned, scan
from counterfoil.store import firings, runs, versions
from counterfoil.store.database import Database, open_database
from counterfoil.store.transactions import Row, Txn

START = datetime(2026, 11, 27, 17, 0, tzinfo=UTC)


def bare_version(txn: Txn) -> None:
    """A version that runs can point to."""
    if versions.get(txn.conn, "v" * 64) is None:
        versions.add(
            txn,
            "user:anna",
            digest="v" * 64,
            name="report",
            title="Report",
            manifest="{}",
            parameters="[]",
            source="s" * 64,
            origin="",
            program="0",
        )


def bare_run(txn: Txn, schedule: Row, planned_us: int) -> Row:
    """A ready run that nobody advances."""
    bare_version(txn)
    new = runs.NewRun(
        template="report",
        version="v" * 64,
        workspace="/w",
        title=schedule["name"],
        parameters="{}",
        started_by=f"schedule:{schedule['name']}",
        program="0",
        schedule_id=schedule["schedule_id"],
        planned_at=planned_us,
    )
    return runs.create(txn, new)


class Bare:
    """A starter that needs no templates."""

    def prepare(self, rows: Sequence[Row]) -> None:
        pass

    def __call__(self, txn: Txn, schedule: Row, planned_us: int) -> Row:
        return bare_run(txn, schedule, planned_us)


class Desk:
    """A home, its clock, and what tests do to its routines."""

    def __init__(self, folder: Path) -> None:
        self.clock = FakeClock(START)
        self.database: Database = open_database(Home(folder).create(), self.clock)

    def add(
        self, name: str = "weekly", *, rule: dict[str, Any], zone: str = "UTC", policy: dict[str, Any] | None = None
    ) -> str:
        """Keep a routine; its id."""
        wanted = Wanted(name, "report", "/w", rule_of(rule), zone, policy_of(policy or {}), {})
        return str(self.database.transact(lambda txn: add(txn, wanted, "user:anna"))["schedule_id"])

    def scan(self, schedule_id: str) -> Scanned:
        """One scan of one routine."""
        return self.database.transact(lambda txn: scan(txn, schedule_id, bare_run))

    def log(self, schedule_id: str) -> list[tuple[str, str]]:
        """State and reason of every firing, oldest first."""
        rows = reversed(firings.newest(self.database.reader, schedule_id, 1000))
        return [(row["state"], row["reason"]) for row in rows]

    def at(self, moment: datetime) -> None:
        """Set the clock; it may go back."""
        self.clock.advance(moment - datetime.fromtimestamp(self.clock.now_us() / 1e6, UTC))


def us(text: str) -> int:
    """An ISO instant in microseconds."""
    return to_us(datetime.fromisoformat(text))
