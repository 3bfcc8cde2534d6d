"""Due instants become runs once, and every one has its row and its reason."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from counterfoil.errors import NotReady
from counterfoil.facts import FiringOrigin, RunState
from counterfoil.schedules.scanning import scan
from counterfoil.store import firings, notices, runs, schedules
from counterfoil.store.transactions import Row, Txn
from schedules.routines import Desk, us

HOURLY = {"kind": "interval", "seconds": 3600, "anchor_utc": "2026-01-01T00:00:00Z"}
MONDAY = {"kind": "weekly", "days": ["MO"], "time": "07:00"}


def end_runs(desk: Desk) -> None:
    """Let every run of the home end."""

    def operation(txn: Txn) -> None:
        for row in runs.in_state(txn.conn, [RunState.READY]):
            runs.move(txn, row["run_id"], RunState.RUNNING)
            runs.move(txn, row["run_id"], RunState.DONE)

    desk.database.transact(operation)


def test_an_instant_starts_one_run_that_carries_it(desk: Desk) -> None:
    kept = desk.add(rule=MONDAY, zone="Europe/Berlin")
    assert desk.scan(kept).started == []
    desk.at(datetime(2026, 11, 30, 6, 0, 1, tzinfo=UTC))
    (run_id,) = desk.scan(kept).started
    assert desk.scan(kept).started == []
    run = runs.get(desk.database.reader, run_id)
    assert (run["schedule_id"], run["planned_at"]) == (kept, us("2026-11-30T07:00:00+01:00"))
    assert desk.log(kept) == [("started", "")]
    assert schedules.get(desk.database.reader, kept)["next_at"] == us("2026-12-07T07:00:00+01:00")


@pytest.mark.parametrize(
    "policy, ran, missed",
    [
        ({"missed": "latest"}, ["2026-11-28T09:00Z"], 15),
        ({"missed": "none"}, [], 16),
        ({"missed": "all", "missed_most": 3, "overlap": "allow", "overlap_most": 9},
         ["2026-11-28T07:00Z", "2026-11-28T08:00Z", "2026-11-28T09:00Z"], 13),
        ({"missed": "all", "missed_within": 7200, "overlap": "allow", "overlap_most": 9},
         ["2026-11-28T08:00Z", "2026-11-28T09:00Z"], 14),
    ],
)  # fmt: skip
def test_after_sleep_the_policy_decides_and_every_instant_has_a_row(
    desk: Desk, policy: dict[str, Any], ran: list[str], missed: int
) -> None:
    kept = desk.add(rule=HOURLY, policy=policy)
    desk.at(datetime(2026, 11, 28, 9, 30, tzinfo=UTC))
    started = [runs.get(desk.database.reader, one)["planned_at"] for one in desk.scan(kept).started]
    assert started == [us(one) for one in ran]
    states = [state for state, _ in desk.log(kept)]
    assert (states.count("started"), states.count("missed")) == (len(ran), missed)
    (card,) = notices.standing(desk.database.reader)
    body = notices.body_of(card)["schedules"][0]
    assert (card["kind"], body["ran_late"], body["missed"]) == ("away", len(ran), missed)
    assert desk.scan(kept).started == []


def test_a_start_within_the_grace_is_on_time(desk: Desk) -> None:
    kept = desk.add(rule=MONDAY, policy={"missed": "none"})
    desk.at(datetime(2026, 11, 30, 7, 4, 59, tzinfo=UTC))
    assert len(desk.scan(kept).started) == 1
    assert notices.standing(desk.database.reader) == []


def test_why_an_instant_was_missed_is_told(desk: Desk) -> None:
    kept = desk.add(rule=HOURLY, policy={"missed": "none"})
    desk.at(datetime(2026, 11, 27, 18, 30, tzinfo=UTC))
    desk.scan(kept)
    assert desk.log(kept) == [("missed", "the runner was off")]


def test_a_run_that_waits_for_a_person_counts_and_three_skips_name_it(desk: Desk) -> None:
    kept = desk.add(rule=HOURLY)
    for hour in range(18, 22):
        desk.at(datetime(2026, 11, 27, hour, 0, 1, tzinfo=UTC))
        desk.scan(kept)
    assert desk.log(kept) == [("started", ""), *[("skipped", "the last one is still open: run 1 is still going")] * 3]
    (card,) = notices.standing(desk.database.reader)
    assert (card["kind"], notices.body_of(card)["skipped"]) == ("held_up", 3)
    end_runs(desk)
    desk.at(datetime(2026, 11, 27, 22, 0, 1, tzinfo=UTC))
    assert len(desk.scan(kept).started) == 1
    assert notices.standing(desk.database.reader) == []


def test_a_queued_firing_starts_when_the_run_ends_and_only_the_newest_waits(desk: Desk) -> None:
    kept = desk.add(rule=HOURLY, policy={"overlap": "queue"})
    for hour in range(18, 21):
        desk.at(datetime(2026, 11, 27, hour, 0, 1, tzinfo=UTC))
        desk.scan(kept)
    assert desk.log(kept) == [
        ("started", ""),
        ("skipped", "a later one waits instead"),
        ("queued", "waits for the last one: run 1 is still going"),
    ]
    end_runs(desk)
    (run_id,) = desk.scan(kept).started
    assert runs.get(desk.database.reader, run_id)["planned_at"] == us("2026-11-27T20:00Z")
    assert desk.log(kept)[-1] == ("started", "the last one was open until then")


def test_cancelling_the_open_run_is_asked_for_and_a_run_that_stays_blocks(desk: Desk) -> None:
    kept = desk.add(rule=HOURLY, policy={"overlap": "cancel", "cancel_within": 60})
    desk.at(datetime(2026, 11, 27, 18, 0, 1, tzinfo=UTC))
    (first,) = desk.scan(kept).started
    desk.at(datetime(2026, 11, 27, 19, 0, 1, tzinfo=UTC))
    assert desk.scan(kept).started == []
    assert runs.get(desk.database.reader, first)["cancel_by"] == "schedule:weekly"
    desk.at(datetime(2026, 11, 27, 19, 2, tzinfo=UTC))
    desk.scan(kept)
    assert desk.log(kept)[-1] == ("blocked", "run 1 was not cancelled within 60 s")


def test_as_many_as_allowed_run_at_once(desk: Desk) -> None:
    kept = desk.add(rule=HOURLY, policy={"overlap": "allow", "overlap_most": 2})
    for hour in range(18, 21):
        desk.at(datetime(2026, 11, 27, hour, 0, 1, tzinfo=UTC))
        desk.scan(kept)
    assert [state for state, _ in desk.log(kept)] == ["started", "started", "skipped"]


def test_what_is_not_ready_is_blocked_with_the_reason_and_one_notice(desk: Desk) -> None:
    kept = desk.add(rule=HOURLY)

    def refuse(txn: Txn, schedule: Row, planned_us: int) -> Row:
        raise NotReady("The folder is gone.")

    for hour in (18, 19):
        desk.at(datetime(2026, 11, 27, hour, 0, 1, tzinfo=UTC))
        desk.database.transact(lambda txn: scan(txn, kept, refuse))
    assert desk.log(kept) == [("blocked", "The folder is gone.")] * 2
    (card,) = notices.standing(desk.database.reader)
    assert (card["kind"], notices.body_of(card)["reason"]) == ("not_ready", "The folder is gone.")
    assert runs.in_state(desk.database.reader, [RunState.READY]) == []


def test_a_clock_that_jumped_ahead_and_came_back_silences_nothing(desk: Desk) -> None:
    kept = desk.add(rule=HOURLY, policy={"missed": "none"})
    desk.at(datetime(2027, 1, 27, 17, 30, tzinfo=UTC))
    desk.scan(kept)  # everything until then is written off as missed
    desk.at(datetime(2026, 11, 27, 18, 0, 1, tzinfo=UTC))
    assert len(desk.scan(kept).started) == 1
    assert schedules.get(desk.database.reader, kept)["next_at"] == us("2026-11-27T19:00Z")


def test_a_paused_or_removed_routine_does_nothing(desk: Desk) -> None:
    kept = desk.add(rule=HOURLY)
    row = schedules.get(desk.database.reader, kept)
    desk.database.transact(lambda txn: schedules.change(txn, row, "user:anna", "Paused", paused=True))
    desk.at(datetime(2026, 11, 27, 19, 0, 1, tzinfo=UTC))
    assert desk.scan(kept).started == []
    assert desk.log(kept) == []


def test_jitter_delays_the_start_and_never_changes_the_instant(desk: Desk) -> None:
    kept = desk.add(rule=HOURLY, policy={"jitter": 600})
    due = us("2026-11-27T18:00Z")
    desk.at(datetime(2026, 11, 27, 18, 10, 1, tzinfo=UTC))
    desk.scan(kept)
    row = firings.get(desk.database.reader, kept, due, FiringOrigin.GRID)
    assert row is not None
    assert row["state"] == "started"
    again = schedules.get(desk.database.reader, kept)
    assert 0 <= again["wake_at"] - again["next_at"] < 600_000_000


def test_a_rule_that_ends_leaves_nothing_to_wait_for(desk: Desk) -> None:
    kept = desk.add(rule={**MONDAY, "end_date": "2026-11-30"})
    desk.at(datetime(2026, 11, 30, 7, 0, 1, tzinfo=UTC))
    assert len(desk.scan(kept).started) == 1
    assert schedules.get(desk.database.reader, kept)["next_at"] is None
