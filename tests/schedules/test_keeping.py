"""Routines that people change: what they say from now on, what the trail keeps of before, and the month as it is looked at."""

from __future__ import annotations

import dataclasses
import json
from datetime import UTC, datetime
from functools import partial

import pytest

from counterfoil.errors import WrongRule, WrongUse
from counterfoil.schedules.keeping import change, wanted_of
from counterfoil.schedules.policies import policy_of
from counterfoil.schedules.rules import rule_of
from counterfoil.store import firings, schedules, trail_rows
from schedules.routines import Desk, us

MONDAY = {"kind": "weekly", "days": ["MO"], "time": "07:00"}
FRIDAY = {"kind": "weekly", "days": ["FR"], "time": "18:00"}


def test_a_changed_rule_counts_from_now_and_the_trail_keeps_the_first_one(desk: Desk) -> None:
    kept = desk.add(rule=MONDAY)
    desk.at(datetime(2026, 12, 1, 9, tzinfo=UTC))  # Monday's instant has passed without a look
    row = schedules.get(desk.database.reader, kept)
    wanted = dataclasses.replace(wanted_of(row), rule=rule_of(FRIDAY), policy=policy_of({"overlap": "queue"}))
    changed = desk.database.transact(lambda txn: change(txn, row, wanted, "user:anna"))
    assert (changed["rev"], changed["next_at"]) == (row["rev"] + 1, us("2026-12-04T18:00Z"))
    assert desk.scan(kept).started == []
    assert firings.newest(desk.database.reader, kept, 9) == []
    entry = trail_rows.entries(desk.database.reader, limit=1)[0]
    assert (entry["summary"], json.loads(entry["before"])["rule"]) == (
        "Anna changed the schedule ‘weekly’",
        json.loads(row["rule"]),
    )
    assert set(json.loads(entry["after"])) == {"rule", "policy"}


def test_a_changed_parameter_takes_nothing_from_an_instant_that_is_due(desk: Desk) -> None:
    kept = desk.add(rule=MONDAY)
    desk.at(datetime(2026, 11, 30, 7, 0, 1, tzinfo=UTC))
    row = schedules.get(desk.database.reader, kept)
    wanted = dataclasses.replace(wanted_of(row), parameters={"text": "other"}, name="Mondays")
    desk.database.transact(lambda txn: change(txn, row, wanted, "user:anna"))
    assert len(desk.scan(kept).started) == 1


def test_a_change_that_cannot_be_leaves_everything_as_it_was(desk: Desk) -> None:
    kept = desk.add(rule=MONDAY)
    desk.add("other", rule=MONDAY)
    row = schedules.get(desk.database.reader, kept)
    said = wanted_of(row)
    over = rule_of({**MONDAY, "end_date": "2020-01-01"})
    for wanted, problem in (
        (said, WrongUse),
        (dataclasses.replace(said, name="other"), WrongUse),
        (dataclasses.replace(said, rule=over), WrongRule),
        (dataclasses.replace(said, zone="Berln"), WrongRule),
    ):
        with pytest.raises(problem):
            desk.database.transact(partial(change, row=row, wanted=wanted, by="user:anna"))
    assert schedules.get(desk.database.reader, kept) == row


def test_a_paused_one_stays_paused_when_it_changes(desk: Desk) -> None:
    kept = desk.add(rule=MONDAY)
    row = schedules.get(desk.database.reader, kept)
    paused = desk.database.transact(lambda txn: schedules.change(txn, row, "user:anna", "Paused", paused=True))
    wanted = dataclasses.replace(wanted_of(paused), rule=rule_of(FRIDAY))
    assert desk.database.transact(lambda txn: change(txn, paused, wanted, "user:anna"))["next_at"] is None
