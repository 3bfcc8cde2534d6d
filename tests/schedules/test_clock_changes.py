"""Every clock change of 16 zones in 20 years, against looking at the clocks minute by minute."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import islice, takewhile
from zoneinfo import ZoneInfo

import pytest

from counterfoil.schedules.instants import Firing, firings
from counterfoil.schedules.rules import rule_of
from schedules.brute import ZONES, clocks, line, transitions

_AROUND = timedelta(hours=60)
_SLACK = timedelta(hours=26)  # so that a local day at the edge is seen whole
_LINES = 4  # per clock change


def _by(until: datetime, firing: Firing) -> bool:
    return firing.due_at <= until


def _compare(zone: ZoneInfo, middle: datetime, chance: random.Random, lines: int, span: timedelta) -> int:
    begin, end = middle - span, middle + span
    seen = clocks(zone, begin - _SLACK, end + _SLACK)
    compared = 0
    for _ in range(lines):
        one, gap, fold = line(chance), chance.choice(("shift", "skip")), chance.choice(("first", "second"))
        rule = rule_of({"kind": "cron", "expr": one.expr, "gap": gap, "fold": fold})
        expected = [at for at in one.due(seen, gap=gap, fold=fold) if begin < at <= end]
        found = [firing.due_at for firing in takewhile(lambda each: each.due_at <= end, firings(rule, zone, begin))]
        assert found == expected, (zone.key, one.expr, gap, fold, begin)
        compared += len(found)
    return compared


@pytest.mark.parametrize("name", ZONES)
def test_firings_around_every_clock_change_are_those_of_the_clocks(name: str) -> None:
    zone, chance = ZoneInfo(name), random.Random(name)
    compared = sum(_compare(zone, at, chance, _LINES, _AROUND) for at in transitions(zone))
    assert compared > 0 or name == "Asia/Kathmandu"  # which has none


def test_firings_after_random_moments_are_those_of_the_clocks() -> None:
    chance = random.Random(2035)
    since = datetime(2015, 1, 1, tzinfo=UTC)
    compared = 0
    for _ in range(40):  # spans of 250 moments each
        zone, length = ZoneInfo(chance.choice(ZONES)), timedelta(days=4)
        begin = since + timedelta(minutes=chance.randrange(20 * 365 * 24 * 60))
        seen = clocks(zone, begin - _SLACK, begin + length + _SLACK)
        lines = [line(chance) for _ in range(5)]
        until = begin + length
        due = {one: one.due(seen, gap="shift", fold="first") for one in lines}
        rules = {one: rule_of({"kind": "cron", "expr": one.expr}) for one in lines}
        for _ in range(250):
            one, moment = chance.choice(lines), begin + timedelta(seconds=chance.randrange(int(length.total_seconds())))
            expected = [at for at in due[one] if moment < at <= until][:3]
            upcoming = takewhile(partial(_by, until), firings(rules[one], zone, moment))
            assert [firing.due_at for firing in islice(upcoming, 3)] == expected, (zone.key, one.expr, moment)
            compared += 1
    assert compared == 10_000
