"""A clock that jumps: where this computer's time has moved by more than a day that did not pass, no routine starts until somebody says
that the time is right, or until it is put back. Sleep is no jump: the other clock, which counts from the computer's start, goes on in it.
"""

from __future__ import annotations

import uuid
from typing import Any

from counterfoil.clock import SystemClock, boot, iso
from counterfoil.facts import NoticeKind
from counterfoil.store import notices, standing
from counterfoil.store.database import Database
from counterfoil.store.transactions import Txn

MOST_US = 24 * 3600 * 1_000_000  # microseconds; less is put right by the time servers of the world every day
_SUBJECT = "home"
_BY = "runner"


class ClockWatch:
    """Holds the wall clock of a home's computer against the clock that counts from its start."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self.held = False  # what the last look found
        self._right: int | None = None  # when the computer was started by its clock, while that was right
        self._start = boot() or uuid.uuid4().hex  # without a name of its own, a start is known to this process alone

    def holds(self) -> bool:
        """Whether routines hold now. A clock of a test does not jump."""
        clock = self._database.clock
        if not isinstance(clock, SystemClock):
            return False
        began = clock.now_us() - clock.since_start_us()
        if self._right is not None and abs(began - self._right) <= MOST_US:
            return False
        self.held = self._database.transact(lambda txn: self._judged(txn, began))
        self._right = None if self.held else began
        return self.held

    def _jump(self, kept: dict[str, Any], began: int) -> bool | None:
        """Whether the clock has jumped since it was kept; None where the computer was started anew, so that nobody can tell."""
        return abs(began - kept["began"]) > MOST_US if kept["start"] == self._start else None

    def _judged(self, txn: Txn, began: int) -> bool:
        kept = standing.value_of(standing.get(txn.conn, standing.CLOCK))
        jumped = None if kept is None else self._jump(kept, began)
        asked = kept is not None and kept["asked"]
        if jumped and not asked:
            standing.put(txn, standing.CLOCK, {**kept, "asked": True}, _BY)
            before = txn.now_us - (began - kept["began"])
            notices.post(txn, NoticeKind.CLOCK, _SUBJECT, {"before": iso(before), "now": iso(txn.now_us)})
            return True
        if jumped is False and not asked:
            return False
        is_open = any(row["kind"] == NoticeKind.CLOCK for row in notices.standing(txn.conn))
        if asked and is_open and jumped is not False:
            return True
        notices.close(txn, NoticeKind.CLOCK, _SUBJECT, _BY)  # it was put back
        standing.put(txn, standing.CLOCK, {"start": self._start, "began": began, "asked": False}, _BY)
        return False
