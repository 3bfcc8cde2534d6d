"""How facts read: money, instants, tables that flow instead of being cut, text made harmless."""

from datetime import datetime, timedelta, timezone
from decimal import Decimal
from typing import Any

import pytest

from counterfoil import facts
from counterfoil.authoring.codec import to_plain
from counterfoil.cli.call import harmless
from counterfoil.cli.gate_sheet import how_to_decide
from counterfoil.cli.tables import pairs, table
from counterfoil.cli.words import Cell, cell, clock, day, money, person, run_state, size, took
from counterfoil.facts import Money
from counterfoil.inbox.accounts import account

ZONE = timezone(timedelta(hours=1))
NOW = datetime(2026, 11, 30, 12, 0, tzinfo=ZONE)


@pytest.mark.parametrize(
    "value, text",
    [
        (Money(Decimal("14201.22"), "EUR"), "€14,201.22"),
        (Money(Decimal("-5.5"), "GBP"), "-£5.5"),
        (Money(Decimal(3400), "SEK"), "SEK 3,400"),
        (Decimal("12.50"), "12.50"),
        (True, "yes"),
        (None, ""),
        (["a", 1], "a, 1"),
        ({"a": Decimal(1)}, "a: 1"),
        (timedelta(hours=2), "2:00:00"),
        (b"x", "bytes"),
    ],
)
def test_cell(value: Any, text: str) -> None:
    assert cell(to_plain(value, {})).text == text


def test_amounts_that_are_text_stand_right_too() -> None:
    assert cell("€9,112.50").money
    assert cell("SEK 18,400.00").money
    assert not cell("DE89 3704 0044 0532 0130 00").figure
    assert not cell("INV 20931 A").figure


def test_money_that_is_no_number_is_shown_as_it_is() -> None:
    assert money("many", "EUR") == "€many"


def test_instants() -> None:
    today = NOW.astimezone()
    assert clock(today.isoformat(), NOW) == f"{today:%H:%M}"
    assert clock(today - timedelta(days=40), NOW).startswith(f"{(today - timedelta(days=40)).day} Oct ")
    assert day(NOW.date().replace(year=2025), NOW.date()) == "30 Nov 2025"
    assert took("2026-11-30T08:00:00.000Z", "2026-11-30T10:10:00.000Z") == "2 h 10 min"
    assert took("2026-11-30T08:00:00.000Z", "2026-11-30T08:00:00.041Z") == "41 ms"
    assert took("2026-11-30T08:00:00.000Z", None) == ""


@pytest.mark.parametrize("count, text", [(812, "812 B"), (4100, "4.1 kB"), (1_300_000, "1.3 MB"), (None, "")])
def test_sizes(count: int | None, text: str) -> None:
    assert size(count) == text


def test_people() -> None:
    assert person("user:somebody-else") == "Somebody-else"
    assert person("schedule:Weekly") == "the schedule ‘Weekly’"
    assert person("runner") == "the runner"
    assert person(account()) == "you"
    for principal in ("user:ben", "agent:triage", "schedule:Weekly", "runner", "user:", ""):
        assert person(principal) == facts.person(principal)


def test_run_states() -> None:
    run: dict[str, Any] = {"state": "waiting", "wait": None, "gates": [], "started_at": None, "error": None}
    assert run_state(run) == "Waiting"
    assert run_state({**run, "gates": [{}]}) == "Waiting for you"
    assert run_state({**run, "wait": {"kind": "timer", "until": "2020-01-06T07:00:00.000Z"}}).startswith(
        "Waiting until "
    )
    assert run_state({**run, "state": "ready"}) == "Starting"
    assert run_state({**run, "state": "ready", "started_at": "x"}) == "Carries on"
    assert run_state({**run, "state": "failed", "error": {"message": "no ink"}}) == "Stopped: no ink"


ROWS = [
    [Cell("Brightwater Ltd"), Cell("GB29 NWBK 6016 1331 9268 19"), Cell("€1,320.00", figure=True, money=True)],
    [Cell("王 & Hale"), Cell("DE89 3704 0044 0532 0130 00"), Cell("€14,201.22", figure=True, money=True)],
]
NAMES = ["supplier", "account", "amount"]


def test_table_side_by_side() -> None:
    assert table(NAMES, ROWS, 100) == [
        "supplier         account                          amount",
        "Brightwater Ltd  GB29 NWBK 6016 1331 9268 19   €1,320.00",
        "王 & Hale        DE89 3704 0044 0532 0130 00  €14,201.22",
    ]


def test_narrow_table_flows() -> None:
    assert table(NAMES, ROWS, 30) == [
        "supplier             amount",
        "Brightwater Ltd   €1,320.00",
        "      account: GB29 NWBK 6016 1331 9268 19",
        "王 & Hale        €14,201.22",
        "      account: DE89 3704 0044 0532 0130 00",
    ]


@pytest.mark.parametrize("width", range(1, 70))
def test_nothing_is_cut_at_any_width(width: int) -> None:
    told = "\n".join(table(NAMES, ROWS, width))
    assert all(entry.text in told for row in ROWS for entry in row)


def test_empty_columns_are_left_out() -> None:
    assert table(["a", "b", "c"], [[Cell("1"), Cell(""), Cell("2")]], 80) == ["a  c", "1  2"]


def test_pairs_align() -> None:
    assert pairs([("Total", "1"), ("Pay on", "2")], indent=2) == ["  Total   1", "  Pay on  2"]


def test_harmless() -> None:
    assert harmless("a\x1b[2Jb\u202ec\n\u200bd") == "a\\x1b[2Jb\\u202ec \\u200bd"
    assert harmless("Wójcik “€” 王 e\u0301 \u00a0") == "Wójcik “€” 王 e\u0301 \u00a0"


def test_what_runs_later_stands_in_the_command_that_approves_it() -> None:
    plan = [{"n": 1, "risk": "normal"}, {"n": 2, "risk": "runs_later"}, {"n": 3, "risk": "runs_later"}]
    gate = {"number": 3, "kind": "approval", "plan": plan, "fields": []}
    assert how_to_decide(gate)[1] == "  counterfoil approve g-3 --confirm 2,3"
    assert how_to_decide({**gate, "plan": plan[:1]})[1] == "  counterfoil approve g-3"
