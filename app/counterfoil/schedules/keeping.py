"""Routines as people keep them: added, changed, paused, resumed, skipped once, run beside the rule, removed."""

from __future__ import annotations

import json
import shlex
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from counterfoil.clock import from_us
from counterfoil.errors import NotNow, UnknownSchedule, WrongUse, did_you_mean
from counterfoil.facts import FiringOrigin, FiringState, NoticeKind, person, storable
from counterfoil.schedules.instants import refuse_never
from counterfoil.schedules.outcomes import unused
from counterfoil.schedules.policies import Policy, form_of_policy, read_policy
from counterfoil.schedules.rules import Rule, form_of, rule_of, zone_of
from counterfoil.schedules.scanning import Scanned, Starter, begin, due_of, why_not_now
from counterfoil.schedules.triggers import pass_over_present, refuse_circle
from counterfoil.store import firings, notices, schedules
from counterfoil.store.transactions import Connection, Row, Txn


@dataclass(frozen=True, slots=True)
class Wanted:
    """A routine to be kept: `template` a name or a path, `parameters` plain JSON with codec tags, checked by the caller."""

    name: str
    template: str
    workspace: str
    rule: Rule
    zone: str
    policy: Policy
    parameters: dict[str, Any]


def find(conn: Connection, name: str) -> Row:
    """The routine of a name.

    Raises:
        UnknownSchedule: there is none; the next step names the nearest one.
    """
    row = schedules.named(conn, name)
    if row is None:
        known = [one["name"] for one in schedules.living(conn)]
        near = did_you_mean(name, known) or "List them: counterfoil schedule list"
        raise UnknownSchedule(f"No schedule ‘{name}’.", near)
    return row


def add(txn: Txn, wanted: Wanted, by: str) -> Row:
    """Keep a routine from now on; its row.

    Raises:
        WrongUse: the name is taken, or is no name.
        WrongRule: the rule has no firing in the next 12 years, or its runs would start it again.
        NotReady: the folder it watches cannot be looked into.
    """
    _refuse_name(txn, wanted.name)
    refuse_never(wanted.rule, zone_of(wanted.zone), from_us(txn.now_us))
    refuse_circle(txn.conn, wanted.rule, wanted.template, wanted.workspace)
    row = schedules.add(txn, schedules.NewSchedule(**_said(wanted), created_by=by, next_at=None, wake_at=None))
    pass_over_present(txn, row)
    return _aligned(txn, row)


def _refuse_name(txn: Txn, name: str) -> None:
    if not name.strip() or len(name) > 80 or not name.isprintable():
        raise WrongUse("A schedule needs a name of 1 to 80 printable characters.", "Such as: Weekly payments")
    if schedules.named(txn.conn, name) is not None:
        raise WrongUse(f"There is a schedule ‘{name}’ already.", "Choose another name, or remove that one.")


def _said(wanted: Wanted) -> dict[str, Any]:
    """What a routine says, as its row keeps it."""
    return {
        "name": wanted.name,
        "template": wanted.template,
        "workspace": wanted.workspace,
        "rule": json.dumps(form_of(wanted.rule)),
        "zone": wanted.zone,
        "policy": json.dumps(form_of_policy(wanted.policy)),
        "parameters": json.dumps(wanted.parameters),
    }


def change(txn: Txn, row: Row, wanted: Wanted, by: str) -> Row:
    """Let a routine say something else from now on; its row. What it said before stays in the trail, its runs and its log are untouched.

    A new rule or zone counts from now: instants of the old one that nobody looked at yet are not made up for.

    Raises:
        WrongUse: it would say what it says already, or the new name is taken or no name.
        WrongRule: the rule has no firing in the next 12 years.
    """
    fresh = _said(wanted)
    values = {name: value for name, value in fresh.items() if value != row[name]}
    if not values:
        raise WrongUse(f"‘{row['name']}’ says that already.", "Name what is to be different.")
    if "name" in values:
        _refuse_name(txn, wanted.name)
    if {"rule", "zone"} & set(values):
        refuse_never(wanted.rule, zone_of(wanted.zone), from_us(txn.now_us))
        refuse_circle(txn.conn, wanted.rule, wanted.template, wanted.workspace, row["schedule_id"])
        values |= {"effective_from": txn.now_us, "next_at": None, "wake_at": None}
    changed = schedules.change(txn, row, by, f"{person(by)} changed the schedule ‘{row['name']}’", **values)
    if "rule" in values:
        pass_over_present(txn, changed)
    return changed if changed["paused"] else _aligned(txn, changed)


def wanted_of(row: Row) -> Wanted:
    """What a routine says now."""
    rule, policy = rule_of(json.loads(row["rule"])), read_policy(row["policy"])
    parameters = json.loads(row["parameters"])
    return Wanted(row["name"], row["template"], row["workspace"], rule, row["zone"], policy, parameters)


def _aligned(txn: Txn, row: Row) -> Row:
    """The row with its next instant computed anew, as the scan computes it."""
    due = due_of(txn.conn, row, txn.now_us)
    first = due.now[0] if due.now else due.next_at
    schedules.set_next(txn, row, first, first if due.now else due.wake_at)
    return schedules.get(txn.conn, row["schedule_id"])


def pause(txn: Txn, row: Row, by: str) -> Row:
    """Switch a routine off; its instants pass without rows until it is resumed."""
    if row["paused"]:
        raise WrongUse(f"‘{row['name']}’ is paused already.", f"Resume it: counterfoil schedule resume '{row['name']}'")
    summary = f"{person(by)} paused the schedule ‘{row['name']}’"
    return schedules.change(txn, row, by, summary, paused=True, paused_by=by, next_at=None, wake_at=None)


def resume(txn: Txn, row: Row, by: str) -> Row:
    """Switch a routine on again, from now: a pause is no outage, so nothing is made up for."""
    if not row["paused"]:
        raise WrongUse(f"‘{row['name']}’ is not paused.", "There is nothing to resume.")
    summary = f"{person(by)} resumed the schedule ‘{row['name']}’"
    changed = schedules.change(txn, row, by, summary, paused=False, paused_by=None, effective_from=txn.now_us)
    return _aligned(txn, changed)


def skip_next(txn: Txn, row: Row, by: str, due_us: int | None = None, reason: str = "") -> datetime:
    """Let the next instant pass without a run; that instant. What it lacks is no longer told. `due_us` is the one that is meant.
    A reason is kept with the firing and in the trail.

    Raises:
        NotNow: nothing is due any more, the routine is paused, or another instant is next than the one that is meant.
    """
    if row["paused"] or row["next_at"] is None:
        raise NotNow(f"‘{row['name']}’ has no next firing to skip.", "Look at it: counterfoil schedule list")
    due = int(row["next_at"])
    if due_us not in (None, due):
        raise NotNow(
            f"‘{row['name']}’: that firing has come already, or was skipped. Nothing was changed.",
            f"See what became of it: counterfoil schedule log {shlex.quote(row['name'])}",
        )
    why = f": {storable(reason.strip())}" if reason.strip() else ""
    firings.settle(txn, row, due, FiringState.SKIPPED, f"skipped by {person(by)}{why}")
    notices.close(txn, NoticeKind.NOT_READY, row["schedule_id"], by)
    schedules.change(txn, row, by, f"{person(by)} skips the next firing of ‘{row['name']}’{why}")
    _aligned(txn, schedules.get(txn.conn, row["schedule_id"]))
    return from_us(due)


def run_now(txn: Txn, row: Row, start: Starter, by: str) -> str:
    """Start a run beside the rule, planned for now; its id. The grid is not moved by it.

    Raises:
        NotNow: the last run is still open, or the run cannot be as things are.
    """
    return _beside(txn, row, start, by, FiringOrigin.NOW, txn.now_us)


def run_missed(txn: Txn, row: Row, start: Starter, by: str, due_us: int) -> str:
    """Run an instant after all that did not start, or whose run was of no use: the same planned moment, a row of its own; the run's id.

    Raises:
        NotNow: that instant did run, or is not known, or the run cannot be as things are.
    """
    known = firings.get(txn.conn, row["schedule_id"], due_us)
    if known is None or not _came_to_nothing(txn, known):
        what = "has run already" if known else "is no firing of it"
        advice = f"See which did not run: counterfoil schedule log '{row['name']}'"
        raise NotNow(f"‘{row['name']}’: {from_us(due_us):%Y-%m-%dT%H:%M}Z {what}.", advice)
    return _beside(txn, row, start, by, FiringOrigin.AGAIN, due_us)


def _came_to_nothing(txn: Txn, firing: Row) -> bool:
    """Whether a firing started no run, or one that has ended without doing what it was for."""
    ended = firings.ended_runs(txn.conn, [firing["run_id"] or ""])
    return firing["run_id"] is None or any(unused(run) is not None for run in ended.values())


def _beside(txn: Txn, row: Row, start: Starter, by: str, origin: FiringOrigin, due_us: int) -> str:
    held = why_not_now(txn, row)
    if held is not None:
        raise NotNow(f"‘{row['name']}’ cannot start now: {held}.", "Decide or cancel that run first.")
    if firings.get(txn.conn, row["schedule_id"], due_us, origin) is not None:
        raise NotNow(f"‘{row['name']}’: that instant was run after all before.", "Start it anew: run it now.")
    done = Scanned()
    if not begin(txn, row, due_us, start, done, origin):
        blocked = firings.get(txn.conn, row["schedule_id"], due_us, origin)
        raise NotNow(f"‘{row['name']}’ cannot start: {blocked['reason'] if blocked else 'it is not ready.'}")
    schedules.change(txn, row, by, f"{person(by)} ran ‘{row['name']}’ beside its rule")
    return done.started[0]


def remove(txn: Txn, row: Row, by: str) -> Row:
    """Take a routine away, with what was said of it; its runs and its log stay. Its row."""
    schedules.remove(txn, row, by)
    for kind in (NoticeKind.NOT_READY, NoticeKind.HELD_UP, NoticeKind.NOTHING, NoticeKind.HOLIDAYS):
        notices.close(txn, kind, row["schedule_id"], by)
    return schedules.get(txn.conn, row["schedule_id"])


def got_it(txn: Txn, by: str, only: tuple[str, str] | None = None) -> int:
    """Take down the card of what happened while nobody was there, and what was asked; how many. What cannot run stays up until it can.
    `only` that of this kind and subject: who has seen one card has not seen the others."""
    answered = (NoticeKind.AWAY, NoticeKind.NOTHING, NoticeKind.ZONE, NoticeKind.CLOCK)
    told = [(NoticeKind(row["kind"]), row["subject"]) for row in notices.standing(txn.conn)]
    wanted = [one for one in told if one[0] in answered and only in (None, one)]
    return sum(notices.close(txn, kind, subject, by) for kind, subject in wanted)
