"""What became of a firing, with how its run does."""

from __future__ import annotations

import re

from counterfoil.desktop.schedule_facts import FiringSeen
from counterfoil.facts import FiringOrigin, FiringState, GateState
from counterfoil.store import firings, gates, runs
from counterfoil.store.transactions import Connection, Row

_RUN = re.compile(r"\brun (\d+) (?:waits|is)")


class Fates:
    """Reads of one moment."""

    def __init__(self, conn: Connection) -> None:
        self._conn = conn

    def seen(self, firing: Row, schedule: Row, *, again: bool | None = None, came_of: str = "") -> FiringSeen:
        """A firing's row as the page wants it; `again` whether it was run after all, where that is known; `came_of` what its run says
        where it could not use it."""
        run = runs.get(self._conn, firing["run_id"]) if firing["run_id"] else None
        asked = (
            [gate for gate in gates.of_run(self._conn, firing["run_id"]) if gate["state"] == GateState.OPEN]
            if run
            else []
        )
        grid = firing["origin"] == FiringOrigin.GRID
        if again is None:
            later = firings.get(self._conn, schedule["schedule_id"], firing["due_at"], FiringOrigin.AGAIN)
            again = grid and firing["run_id"] is None and later is not None
        held = None if run else self._held_by(firing["reason"] or "")
        told = run or held
        return FiringSeen(
            schedule_id=schedule["schedule_id"],
            name=schedule["name"],
            due_at=int(firing["due_at"]),
            state="queued" if firing["state"] == FiringState.QUEUED else str(firing["state"]),
            reason="; ".join(filter(None, (firing["reason"], came_of))),
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

    def _held_by(self, reason: str) -> Row | None:
        """The run that a reason names."""
        named = _RUN.search(reason)
        found = runs.find(self._conn, f"r-{named[1]}") if named else []
        return found[0] if found else None
