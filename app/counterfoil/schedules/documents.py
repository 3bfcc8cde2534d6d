"""Routines and firings as JSON documents (contract.md 4: schedule preview, schedule log), and the words for what became of one."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from counterfoil.catalogue.finding import called
from counterfoil.clock import from_us, iso, to_us
from counterfoil.facts import FiringOrigin, FiringState
from counterfoil.schedules.instants import Firing, next_firings
from counterfoil.schedules.outcomes import reasons
from counterfoil.schedules.rules import rule_of, zone_of
from counterfoil.schedules.wording import say
from counterfoil.store import firings
from counterfoil.store.transactions import Connection, Row


def schedule_document(conn: Connection, row: Row) -> dict[str, Any]:
    """One routine: what it says, what is next, what was last."""
    zone, newest = zone_of(row["zone"]), firings.newest(conn, row["schedule_id"], 1)
    last = _firing_documents(conn, list(newest), zone)
    return {
        "schedule_id": row["schedule_id"],
        "number": row["number"],
        "name": row["name"],
        "template": called(row["template"]),
        "workspace": row["workspace"],
        "rule": json.loads(row["rule"]),
        "words": say(rule_of(json.loads(row["rule"]))),
        "zone": row["zone"],
        "policy": json.loads(row["policy"]),
        "parameters": json.loads(row["parameters"]),
        "paused": row["paused"],
        "paused_by": row["paused_by"],
        "next_at": iso(row["next_at"]),
        "last": last[0] if last else None,
        "created_at": iso(row["created_at"]),
        "created_by": row["created_by"],
    }


def _firing_documents(conn: Connection, rows: list[Row], zone: ZoneInfo) -> list[dict[str, Any]]:
    why = reasons(conn, rows)
    return [firing_document(row, zone, why.get(row["run_id"] or "", "")) for row in rows]


def firing_document(row: Row, zone: ZoneInfo, came_of: str = "") -> dict[str, Any]:
    """What became of one instant. A queued one is `planned`: it waits for its turn. `came_of` is what its run says in the end, where that
    could not use it (`outcomes.reasons`)."""
    state = "planned" if row["state"] == FiringState.QUEUED else row["state"]
    beside = {FiringOrigin.NOW: "started by hand", FiringOrigin.AGAIN: "run after all"}.get(
        FiringOrigin(row["origin"]), ""
    )
    reason = "; ".join(part for part in (beside, row["reason"], came_of) if part)
    return {
        "due_at": iso(row["due_at"]),
        "local": local_text(from_us(row["due_at"]), zone),
        "state": state,
        "reason": reason or None,
        "run_id": row["run_id"],
    }


def log_documents(conn: Connection, row: Row, count: int) -> list[dict[str, Any]]:
    """The newest firings of a routine, and before them, as planned, the next one."""
    zone = zone_of(row["zone"])
    found = _firing_documents(conn, list(firings.newest(conn, row["schedule_id"], count)), zone)
    if row["next_at"] is None:
        return found
    ahead = from_us(row["next_at"])
    planned = {
        "due_at": iso(row["next_at"]),
        "local": local_text(ahead, zone),
        "state": "planned",
        "reason": None,
        "run_id": None,
    }
    return [planned, *found]


def preview_documents(rule: dict[str, Any], zone: str, after: datetime, count: int) -> list[dict[str, Any]]:
    """The next firings of a rule strictly after an instant, as the engine will compute them.

    Raises:
        WrongRule: the rule or the zone cannot be used.
    """
    there = zone_of(zone)
    return [_preview(one, there) for one in next_firings(rule_of(rule), there, after, count)]


def _preview(firing: Firing, zone: ZoneInfo) -> dict[str, Any]:
    return {"due_at": iso(to_us(firing.due_at)), "local": local_text(firing.due_at, zone), "note": firing.note or None}


def local_text(instant: datetime, zone: ZoneInfo) -> str:
    """An instant on the clocks of a zone, to the minute, with its offset: `2026-12-07T09:00+01:00`."""
    return instant.astimezone(zone).isoformat(timespec="minutes")
