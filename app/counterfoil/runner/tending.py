"""What the runner looks after between firings: whether the next one can run, routines that find nothing, a zone that has changed.

What is wrong is one notice each, put up before the firing that it would cost, and taken down as soon as it is mended.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Sequence
from datetime import date

import tzlocal

from counterfoil.clock import from_us
from counterfoil.facts import NoticeKind
from counterfoil.places import Home
from counterfoil.runner import preflight
from counterfoil.runner.findings import Finding
from counterfoil.runner.firing import RunStarter
from counterfoil.schedules import outcomes
from counterfoil.schedules.calendars import end_of
from counterfoil.store import notices, schedules, standing
from counterfoil.store.database import Database
from counterfoil.store.transactions import Row, Txn

_HOUR_US = 3600 * 1_000_000
AHEAD_US = 24 * _HOUR_US  # so long before a firing what it needs is looked at
NEAR_US = _HOUR_US  # and so long before it everything that comes and goes, such as a network
FAR = 5  # routines of the day ahead that one look takes: nobody waits for them, and runs wait for the look
AGAIN_US = 300 * 1_000_000  # so often in that hour, while nothing is missing; in the day before it once an hour
_BY = "runner"


class Tending:
    """Looks after the routines of a home; remembers only when it looked, so that it may be made anew at any time."""

    def __init__(self, database: Database, home: Home, starter: RunStarter) -> None:
        self._database = database
        self._home = home
        self._starter = starter
        self._looked: dict[tuple[str, int], int] = {}

    def look(self) -> None:
        """One look at everything that is due to be looked at. Blocking."""
        with self._database.connect() as conn:
            living = schedules.living(conn)
            told = {row["subject"] for row in notices.standing(conn) if row["kind"] == NoticeKind.NOT_READY}
        kept = {row["schedule_id"] for row in living}
        due = [row for row in living if row["schedule_id"] not in told and self._is_due(row)]
        far = [row for row in due if not self._is_near(row)]
        wanted = [row for row in living if row["schedule_id"] in told]
        wanted += [row for row in due if self._is_near(row)] + far[:FAR]
        if wanted:
            self._starter.prepare(wanted)
            for row in wanted:
                tell_missing(self._database, row, self.missing(row))
                self._looked[row["schedule_id"], row["rev"]] = self._database.clock.now_us()
        if living or told:
            self._database.transact(lambda txn: _tend(txn, living, told - kept))

    def _is_due(self, row: Row) -> bool:
        now = self._database.clock.now_us()
        if row["paused"] or row["next_at"] is None or row["next_at"] - now > AHEAD_US:
            return False
        looked = self._looked.get((row["schedule_id"], row["rev"]))
        return looked is None or now - looked > (AGAIN_US if self._is_near(row) else NEAR_US)

    def _is_near(self, row: Row) -> bool:
        """Whether its firing comes within the hour, or nobody knows when."""
        return row["next_at"] is None or row["next_at"] - self._database.clock.now_us() <= NEAR_US

    def missing(self, row: Row) -> Finding | None:
        """What the next firing of a routine that was prepared for lacks; None where it can run."""
        found = preflight.look(self._database, self._home, self._starter, row, is_near=self._is_near(row))
        return preflight.missing(found)


def tell_missing(database: Database, row: Row, lacking: Finding | None) -> None:
    """Put up what a routine's next firing lacks, or take it down; nothing where it was changed since `row` was read."""

    def operation(txn: Txn) -> None:
        if schedules.get(txn.conn, row["schedule_id"])["rev"] != row["rev"]:
            return
        if lacking is None:
            notices.close(txn, NoticeKind.NOT_READY, row["schedule_id"], _BY)
            return
        body = {"schedule": row["name"], "reason": str(lacking), "words": lacking.words, "sign_in": lacking.sign_in}
        notices.post(txn, NoticeKind.NOT_READY, row["schedule_id"], body)

    database.transact(operation)


def _tend(txn: Txn, living: Sequence[Row], gone: set[str]) -> None:
    for subject in gone:
        notices.close(txn, NoticeKind.NOT_READY, subject, _BY)
    for row in living:
        outcomes.ask_about_nothing(txn, row)
        _tell_holidays(txn, row)
    _tell_zone(txn, living)


def _tell_holidays(txn: Txn, row: Row) -> None:
    """Say that the copy of free days ends before it does: from then on a routine would run on holidays."""
    form = json.loads(row["rule"])
    days, sources = [date.fromisoformat(one) for one in form.get("holidays", ())], form.get("holidays_of", ())
    end = end_of(sources, days, from_us(txn.now_us).date())
    if end is None:
        notices.close(txn, NoticeKind.HOLIDAYS, row["schedule_id"], _BY)
        return
    options = " ".join(f"--holidays {shlex.quote(one)}" for one in sources)
    body = {"schedule": row["name"], "whose": ", ".join(sources), "until": end.isoformat(), "options": options}
    notices.post(txn, NoticeKind.HOLIDAYS, row["schedule_id"], body)


def _tell_zone(txn: Txn, living: Sequence[Row]) -> None:
    """Ask once when this computer has moved to another zone than the one that routines were kept in."""
    here = tzlocal.get_localzone_name()
    before = standing.value_of(standing.get(txn.conn, standing.ZONE))
    if not here or here == before:
        return
    standing.put(txn, standing.ZONE, here, _BY)
    names = [row["name"] for row in living if row["zone"] == before]
    if before and names:
        notices.post(txn, NoticeKind.ZONE, "home", {"before": before, "now": here, "schedules": names})
    else:
        notices.close(txn, NoticeKind.ZONE, "home", _BY)
