"""What came of the runs of a routine: a firing whose run could not use it says so, and five of them in a row are asked about once."""

from __future__ import annotations

import json
from typing import Any

from counterfoil.clock import iso
from counterfoil.facts import FiringOrigin, FiringState, NoticeKind, RunState
from counterfoil.store import firings, notices, schedules
from counterfoil.store.transactions import Connection, Row, Txn

IN_A_ROW = 5  # runs that found nothing to do, before somebody is asked
_LOOKED_BACK = 60  # firings, to say since when
_TOLD_BY = "runner"


def unused(run: Row) -> str | None:
    """Why a run that has ended was of no use, in its own words; None where it did what it was for."""
    if run["state"] != RunState.DONE or run["acted"]:
        return None
    told: Any = json.loads(run["result"]) if run["result"] else None
    summary = told.get("summary") if isinstance(told, dict) else None
    return str(summary).rstrip(".") if summary else "it found nothing to do"


def reasons(conn: Connection, rows: list[Row]) -> dict[str, str]:
    """Why the runs of firings were of no use or came to no good end, by run id; a run that did what it was for is not in it."""
    found = {}
    for run_id, run in firings.ended_runs(conn, [row["run_id"] for row in rows if row["run_id"]]).items():
        why = unused(run)
        if run["state"] in (RunState.FAILED, RunState.CANCELLED):
            why = str(json.loads(run["error"] or "{}").get("message") or run["state"]).rstrip(".")
        if why:
            found[run_id] = why
    return found


def ask_about_nothing(txn: Txn, row: Row) -> None:
    """Ask once about a routine whose newest five runs found nothing to do; what was asked is taken back when one did."""
    grid = [
        one
        for one in firings.newest(txn.conn, row["schedule_id"], _LOOKED_BACK)
        if one["state"] == FiringState.STARTED and one["origin"] == FiringOrigin.GRID
    ]
    ended = firings.ended_runs(txn.conn, [one["run_id"] for one in grid])
    streak = []
    for one in grid:
        run = ended.get(one["run_id"])
        if run is None or unused(run) is None:
            break
        streak.append(one)
    if len(streak) < IN_A_ROW:
        notices.close(txn, NoticeKind.NOTHING, row["schedule_id"], _TOLD_BY)
        return
    before = notices.newest(txn.conn, NoticeKind.NOTHING, row["schedule_id"])
    if before is not None and before["closed_at"] and before["at"] >= streak[-1]["due_at"]:
        return  # asked and answered about this very row of firings
    body = {"schedule": row["name"], "since": iso(streak[-1]["due_at"]), "times": len(streak)}
    notices.post(txn, NoticeKind.NOTHING, row["schedule_id"], body)


def usage_document(conn: Connection, row: Row) -> dict[str, Any]:
    """What a routine has used: firings by what became of them, runs that were of no use, and seconds from start to end of its runs."""
    by_state = firings.counted(conn, row["schedule_id"])
    started = [one for one in firings.newest(conn, row["schedule_id"], 1000) if one["run_id"]]
    ended = firings.ended_runs(conn, [one["run_id"] for one in started])
    return {
        "name": row["name"],
        "since": iso(row["created_at"]),
        **{str(state): by_state.get(state, 0) for state in FiringState},
        "nothing_to_do": sum(unused(run) is not None for run in ended.values()),
        "failed": sum(run["state"] == RunState.FAILED for run in ended.values()),
        "open": len(schedules.open_runs(conn, row["schedule_id"])),
        "seconds": round(firings.time_taken(conn, row["schedule_id"]) / 1_000_000, 1),
        "cost": None,
    }
