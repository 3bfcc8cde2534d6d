"""From due instants to runs: each has one row, at most one run, and a reason where it has none.

A scan is one transaction per routine: the next instant is moved by compare-and-set, every instant that is due gets its row, and the
run that one of them starts is made beside it. Whoever comes second finds the instant settled, so any number of scanners does no harm.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from counterfoil.clock import from_us, iso, to_us
from counterfoil.errors import NotReady, WrongRule
from counterfoil.facts import FiringOrigin, FiringState, GateState, NoticeKind, person
from counterfoil.schedules.instants import firings as firings_of
from counterfoil.schedules.policies import Policy, read_policy
from counterfoil.schedules.rules import rule_of, zone_of
from counterfoil.store import firings, gates, leases, notices, runs, schedules, standing
from counterfoil.store.database import Database
from counterfoil.store.transactions import Connection, Row, Txn

LOOK_AHEAD = 512  # settled instants passed over in one look for the next one
MOST_TOLD = 20  # instants of one line of the card; the log of a schedule has every one
SKIPS_TO_TELL = 3  # in a row for one cause, before an inbox item names it
_SCANNER = "runner"


class Starter(Protocol):
    """What makes a run of a routine, in the transaction of its firing."""

    def __call__(self, txn: Txn, schedule: Row, planned_us: int) -> Row:
        """The run's row. Raises NotReady where it cannot be as things are."""
        ...


class PreparedStarter(Starter, Protocol):
    """A starter that looks at the templates of routines beforehand, outside of any transaction."""

    def prepare(self, rows: Sequence[Row]) -> None:
        """Get ready for these routines."""


class Outpaced(Exception):
    """Another scan, or an edit, was first; this one has written nothing."""


@dataclass(slots=True)
class Scanned:
    """What a scan has done: ids of runs that it started, and how many instants it settled without one."""

    started: list[str] = field(default_factory=list)
    unstarted: int = 0


@dataclass(frozen=True, slots=True)
class Due:
    """What is due of a routine: instants that are not settled, ascending, then the next one and when it is to be looked at."""

    now: list[int]
    next_at: int | None
    wake_at: int | None


def due_of(conn: Connection, row: Row, now_us: int) -> Due:
    """What of a routine is due at an instant. The rule is read from the next instant on, and from the recent past where that instant
    lies further ahead than the rule says: what a clock that was wrong has written is put right here. Never before `effective_from`.

    Raises:
        WrongRule: the stored rule or zone cannot be used by this version.
    """
    rule, zone, policy = rule_of(json.loads(row["rule"])), zone_of(row["zone"]), read_policy(row["policy"])
    recent = now_us - policy.grace * 1_000_000
    start = recent if row["next_at"] is None else min(int(row["next_at"]) - 1, recent)
    ready: list[int] = []
    passed = 0
    for firing in firings_of(rule, zone, from_us(max(start, int(row["effective_from"]) - 1))):
        due = to_us(firing.due_at)
        wake = due + policy.delay_us(row["schedule_id"], due)
        if firings.settled(conn, row["schedule_id"], due, now_us):
            passed += 1
            if passed > LOOK_AHEAD:
                return Due(ready, due, wake)
            continue
        if wake > now_us:
            return Due(ready, due, wake)
        ready.append(due)
    return Due(ready, None, None)


def scan(txn: Txn, schedule_id: str, start: Starter, away_since_us: int | None = None) -> Scanned:
    """Settle what is due of one routine; `away_since_us` is when somebody looked last, where that was long ago.

    Raises:
        Outpaced: another scan was first; nothing was written.
    """
    row, done = schedules.get(txn.conn, schedule_id), Scanned()
    if row["paused"] or row["removed_at"] is not None:
        return done
    pause = standing.get(txn.conn, standing.PAUSE)
    if pause is None:
        _go_on_with_queued(txn, row, start, done)
    try:
        due = due_of(txn.conn, row, txn.now_us)
    except WrongRule as problem:
        _tell_not_ready(txn, row, str(problem))
        schedules.set_next(txn, row, None, None)
        return done
    if (due.next_at, due.wake_at) == (row["next_at"], row["wake_at"]) and not due.now:
        return done
    if not schedules.set_next(txn, row, due.next_at, due.wake_at):
        raise Outpaced(schedule_id)
    if due.now and pause is not None:
        why = f"everything was paused by {person(pause['by'])}"
        done.unstarted += sum(firings.settle(txn, row, one, FiringState.SKIPPED, why) for one in due.now)
    elif due.now:
        _Settling(txn, row, read_policy(row["policy"]), start, done, away_since_us).all(due.now)
    return done


class _Settling:
    """What becomes of the instants of one routine that are due now."""

    def __init__(self, txn: Txn, row: Row, policy: Policy, start: Starter, done: Scanned, since_us: int | None) -> None:
        self._since_us = since_us
        self._txn = txn
        self._row = row
        self._policy = policy
        self._start = start
        self._done = done

    def all(self, dues: list[int]) -> None:
        late = [due for due in dues if self._is_late(due)]
        chosen = self._chosen(dues, late)
        missed = [due for due in dues if due not in set(chosen)]
        ran = [due for due in chosen if self._one(due)]
        self._miss(missed, ran)
        if late:
            ran_late = [due for due in ran if due in late]
            _tell_away(self._txn, self._row, ran=ran_late, missed=missed, since_us=self._since_us)

    def _is_late(self, due: int) -> bool:
        wake = due + self._policy.delay_us(self._row["schedule_id"], due)
        return self._txn.now_us - wake > self._policy.grace * 1_000_000

    def _chosen(self, dues: list[int], late: list[int]) -> list[int]:
        """The instants that may start; the rest has been missed."""
        if not late:
            return dues
        if self._policy.missed == "none":
            return [due for due in dues if due not in set(late)]
        if self._policy.missed == "latest":
            return dues[-1:]
        within = [due for due in dues if self._txn.now_us - due <= self._policy.missed_within * 1_000_000]
        return within[-self._policy.missed_most :]

    def _miss(self, missed: list[int], ran: list[int]) -> None:
        if not missed:
            return
        tail = "; the newest ran instead" if ran and self._policy.missed == "latest" else ""
        for due in missed:
            if self._policy.missed == "all":
                tail = "; more were missed than are made up for"
            self._done.unstarted += firings.miss(self._txn, self._row, [due], f"{self._why_late(due)}{tail}")

    def _why_late(self, due: int) -> str:
        """What kept an instant from starting on time."""
        lease = leases.read(self._txn.conn)
        begun = int(lease["started_at"]) if lease else self._txn.now_us
        return "the runner was off" if due < begun else "this computer was asleep"

    def _one(self, due: int) -> bool:
        """Start, queue or skip one instant; whether it started."""
        run_id, state, reason = _overlap(self._txn, self._row, self._policy)
        if state is None:
            why = self._why_late(due) if self._is_late(due) else ""
            return begin(self._txn, self._row, due, self._start, self._done, reason=why)
        if state is FiringState.QUEUED:
            for earlier in firings.queued(self._txn.conn, self._row["schedule_id"]):
                firings.settle(
                    self._txn, self._row, earlier["due_at"], FiringState.SKIPPED, "a later one waits instead"
                )
        if run_id is not None and self._policy.overlap == "cancel":
            runs.ask_to_cancel(self._txn, run_id, f"schedule:{self._row['name']}")
        self._done.unstarted += firings.settle(self._txn, self._row, due, state, reason)
        _tell_held_up(self._txn, self._row)
        return False


def begin(
    txn: Txn,
    row: Row,
    due: int,
    start: Starter,
    done: Scanned,
    origin: FiringOrigin = FiringOrigin.GRID,
    *,
    reason: str = "",
) -> bool:
    """Start the run of an instant, or keep why it cannot be; whether it started. `reason` is why it starts late, where it does."""
    try:
        run = start(txn, row, due)
    except NotReady as problem:
        done.unstarted += firings.settle(txn, row, due, FiringState.BLOCKED, str(problem), origin=origin)
        _tell_not_ready(txn, row, str(problem))
        return False
    if not firings.settle(txn, row, due, FiringState.STARTED, reason, run_id=run["run_id"], origin=origin):
        raise Outpaced(row["schedule_id"])
    notices.close(txn, NoticeKind.NOT_READY, row["schedule_id"], _SCANNER)
    notices.close(txn, NoticeKind.HELD_UP, row["schedule_id"], _SCANNER)
    done.started.append(run["run_id"])
    return True


def _overlap(txn: Txn, row: Row, policy: Policy) -> tuple[str | None, FiringState | None, str]:
    """Whether an open run stands in the way: its id, what becomes of the instant instead (None: it may start), and why."""
    open_ones = schedules.open_runs(txn.conn, row["schedule_id"])
    if not open_ones or (policy.overlap == "allow" and len(open_ones) < policy.overlap_most):
        return None, None, ""
    oldest = open_ones[0]
    why = _held_by(txn.conn, oldest)
    if policy.overlap == "allow":
        return oldest["run_id"], FiringState.SKIPPED, f"{len(open_ones)} are open at once, which is the most; {why}"
    if policy.overlap == "cancel":
        return oldest["run_id"], FiringState.QUEUED, f"starts when run {oldest['number']} is cancelled"
    if policy.overlap == "queue":
        return oldest["run_id"], FiringState.QUEUED, f"waits for the last one: {why}"
    return oldest["run_id"], FiringState.SKIPPED, f"the last one is still open: {why}"


def _held_by(conn: Connection, run: Row) -> str:
    """What an open run waits for, by the name that people look for."""
    asked = [gate for gate in gates.of_run(conn, run["run_id"]) if gate["state"] == GateState.OPEN]
    return f"run {run['number']} waits at g-{asked[0]['number']}" if asked else f"run {run['number']} is still going"


def why_not_now(txn: Txn, row: Row) -> str | None:
    """Why a person cannot start a run of this routine beside the rule, or None when they can: overlap holds on every way to start."""
    _, state, reason = _overlap(txn, row, read_policy(row["policy"]))
    return None if state is None else reason


def _go_on_with_queued(txn: Txn, row: Row, start: Starter, done: Scanned) -> None:
    """The instant that waited for a run to end starts now, or is given up where that run would not be cancelled in time."""
    policy = read_policy(row["policy"])
    for waiting in firings.queued(txn.conn, row["schedule_id"])[-1:]:
        run_id, state, _ = _overlap(txn, row, policy)
        if state is None:
            begin(txn, row, waiting["due_at"], start, done, reason="the last one was open until then")
        elif policy.overlap == "cancel" and txn.now_us - waiting["settled_at"] > policy.cancel_within * 1_000_000:
            open_one = runs.get(txn.conn, str(run_id))
            reason = f"run {open_one['number']} was not cancelled within {policy.cancel_within} s"
            done.unstarted += firings.settle(txn, row, waiting["due_at"], FiringState.BLOCKED, reason)


# ------------------------------------------------------------------------------------------------------------- telling


def _tell_not_ready(txn: Txn, row: Row, reason: str) -> None:
    notices.post(txn, NoticeKind.NOT_READY, row["schedule_id"], {"schedule": row["name"], "reason": reason})


def _tell_held_up(txn: Txn, row: Row) -> None:
    """Three skips in a row for one cause become one inbox item that names it."""
    newest = firings.newest(txn.conn, row["schedule_id"], SKIPS_TO_TELL)
    causes = {one["reason"] for one in newest if one["state"] == FiringState.SKIPPED}
    if len(newest) == SKIPS_TO_TELL and len(causes) == 1 and all(one["state"] == FiringState.SKIPPED for one in newest):
        body = {"schedule": row["name"], "reason": causes.pop(), "skipped": SKIPS_TO_TELL}
        notices.post(txn, NoticeKind.HELD_UP, row["schedule_id"], body)


def _tell_away(txn: Txn, row: Row, *, ran: list[int], missed: list[int], since_us: int | None) -> None:
    """One card for all routines, with a line for each: what was missed while nobody was there, and what was done. A second absence
    joins the first one for as long as nobody has seen the card."""
    known = next((one for one in notices.standing(txn.conn) if one["kind"] == NoticeKind.AWAY), None)
    body = notices.body_of(known) if known is not None else {"schedules": []}
    lines = {one["schedule"]: one for one in body["schedules"]}
    before = lines.pop(row["name"], {})
    lines[row["name"]] = {
        "schedule": row["name"],
        "ran_late": before.get("ran_late", 0) + len(ran),
        "missed": before.get("missed", 0) + len(missed),
        "ran_at": iso(txn.now_us) if ran else before.get("ran_at"),
        "ran": [*before.get("ran", []), *map(iso, ran)][-MOST_TOLD:],
        "not_run": [*before.get("not_run", []), *map(iso, missed[-MOST_TOLD:])][-MOST_TOLD:],
    }
    since = body.get("since") or iso(since_us)
    notices.post(
        txn, NoticeKind.AWAY, "home", {"schedules": [*lines.values()], "since": since, "until": iso(txn.now_us)}
    )


def scan_due(database: Database, start: PreparedStarter, away_since_us: int | None = None) -> list[str]:
    """Look at every routine that has something due or queued, each in a transaction of its own; ids of the runs that were started."""
    with database.connect() as conn:
        wanted = schedules.to_look_at(conn, database.clock.now_us())
    if not wanted:
        return []
    start.prepare(wanted)
    return [run_id for row in wanted for run_id in _scanned(database, row["schedule_id"], start, away_since_us)]


def realign(database: Database) -> None:
    """Compute the next instant of every routine anew: clocks may have been wrong, and zones change their rules."""
    with database.connect() as conn:
        rows = schedules.awake(conn)
        fresh = [(row, _next_in(conn, row, database.clock.now_us())) for row in rows]
    changed = [(row, at) for row, at in fresh if at is not None and at != (row["next_at"], row["wake_at"])]

    def operation(txn: Txn) -> None:
        for row, (next_at, wake_at) in changed:
            schedules.set_next(txn, row, next_at, wake_at)

    if changed:
        database.transact(operation)


def _next_in(conn: Connection, row: Row, now_us: int) -> tuple[int | None, int | None] | None:
    """The next instant of a routine and when to look at it; None where it is to be scanned, which tells what is wrong with it."""
    try:
        due = due_of(conn, row, now_us)
    except WrongRule:
        return None
    return (due.now[0], due.now[0]) if due.now else (due.next_at, due.wake_at)


def _scanned(database: Database, schedule_id: str, start: Starter, away_since_us: int | None) -> list[str]:
    try:
        return database.transact(lambda txn: scan(txn, schedule_id, start, away_since_us)).started
    except Outpaced:
        return []
