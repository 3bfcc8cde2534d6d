"""What became of a firing, with how its run does."""

from __future__ import annotations

import re
from datetime import timedelta

from counterfoil.clock import from_us
from counterfoil.desktop.schedule_facts import FiringSeen
from counterfoil.desktop.words.plain import quoted
from counterfoil.facts import ENDED, FiringOrigin, FiringState, GateState, RunState, person
from counterfoil.store import asides, firings, gates, runs
from counterfoil.store.transactions import Connection, Row

_HELD = re.compile(r"(.*)\brun (\d+) (?:waits at g-\d+|is still going)")
_PLAIN = ("the last one is still open: ", "waits for the last one: ")  # what the sentence says by itself


class Fates:
    """Reads of one moment."""

    def __init__(self, conn: Connection, me: str = "") -> None:
        self._conn, self._me = conn, me

    def seen(self, firing: Row, schedule: Row, *, again: bool | None = None, came_of: str = "") -> FiringSeen:
        """A firing's row as the page wants it; `again` whether it was run after all, where that is known; `came_of` what its run says
        where it could not use it."""
        run = runs.get(self._conn, firing["run_id"]) if firing["run_id"] else None
        grid = firing["origin"] == FiringOrigin.GRID
        if again is None:
            later = firings.get(self._conn, schedule["schedule_id"], firing["due_at"], FiringOrigin.AGAIN)
            again = grid and firing["run_id"] is None and later is not None
        reason = str(firing["reason"] or "")
        held = None if run else self._held_by(reason)
        told = run or held
        asked = self._asked(told)
        if held is not None:
            reason = self.in_words(reason, held, int(firing["due_at"]))
        return FiringSeen(
            schedule_id=schedule["schedule_id"],
            name=schedule["name"],
            due_at=int(firing["due_at"]),
            state="queued" if firing["state"] == FiringState.QUEUED else str(firing["state"]),
            reason="; ".join(filter(None, (reason, came_of))),
            beside="" if grid else str(firing["origin"]),
            run_id=firing["run_id"] or "",
            run_number=int(told["number"]) if told else 0,
            run_state=str(run["state"]) if run else "",
            began_at=run["started_at"] if run else None,
            ended_at=run["ended_at"] if run else None,
            again=again,
            no_use=bool(came_of),
            gate_id=str(asked[0]["gate_id"]) if asked else "",
            held_by=str(held["run_id"]) if held else "",
        )

    def held_up(self, reason: str, due_us: int) -> tuple[str, str]:
        """What holds a schedule up, in words, and the question that has to be answered for it to go on, "" where there is none."""
        held = self._held_by(reason)
        if held is None:
            return reason, ""
        asked = self._asked(held)
        what = f", at {quoted(asked[0]['title'])}" if asked else ""
        return f"{self.in_words(reason, held, due_us)}{what}", str(asked[0]["gate_id"]) if asked else ""

    def in_words(self, reason: str, held: Row, due_us: int) -> str:
        """A reason that names a run, as people say it: `last week's still waits for Anna`. It tells how that run does now."""
        named = _HELD.search(reason)
        before = named[1] if named is not None and named[1] not in _PLAIN else ""
        whose = _whose(held, due_us)
        if held["state"] in ENDED:
            return f"{before}{whose} was still open then"
        asked = self._asked(held)
        if not asked:
            return f"{before}{whose} is still {'running' if held['state'] == RunState.RUNNING else 'open'}"
        given = asides.giving(self._conn, asked[0]["gate_id"])
        whom = given["asked"] if given is not None else self._me
        return f"{before}{whose} still waits for {'you' if whom == self._me else person(whom)}"

    def _asked(self, run: Row | None) -> list[Row]:
        """The open gates of a run."""
        found = gates.of_run(self._conn, run["run_id"]) if run is not None else []
        return [gate for gate in found if gate["state"] == GateState.OPEN]

    def _held_by(self, reason: str) -> Row | None:
        """The run that a reason names."""
        named = _HELD.search(reason)
        found = runs.find(self._conn, f"r-{named[2]}") if named else []
        return found[0] if found else None


def _whose(held: Row, due_us: int) -> str:
    """Which firing's run it is, seen from a later one: `last week's`, `yesterday's`, `that of Fri 27 Nov`."""
    planned, due = (from_us(us).astimezone() for us in (held["planned_at"] or held["created_at"], due_us))
    if planned.date() == due.date():
        return f"that of {planned:%H:%M}"
    if due.date() - planned.date() == timedelta(days=1):
        return "the day before's"
    if due.isocalendar()[:2] == (planned + timedelta(weeks=1)).isocalendar()[:2]:
        return "last week's"
    return f"that of {planned:%a} {planned.day} {planned:%b}"
