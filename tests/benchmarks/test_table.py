"""The table is measured and printed; what must not change is asserted: counts of syncs, threads and rows, never a time nor a ratio of
times. Those are read by people, because a busy computer would decide about them: `python tests/benchmarks/table.py` measures all rows."""

import subprocess
import sys

import pytest

from benchmarks.diff_rows import CHANGED
from benchmarks.measuring import Row, ground, lines
from benchmarks.processes import beneath, can_look, cpu_seconds
from benchmarks.sync_rows import PLAN
from benchmarks.table import machine, measure

COUNTED = (
    *(
        "syncs-alone",
        "syncs-together",
        "syncs-requests",
        "syncs-files",
        "set-moves-disk",
        "set-deletions",
        "set-writes-disk",
    ),
    *("agent-replay", "diff", "hosts-at-once", "waiting", "idle", "window-live", "window-evidence", "office-first"),
)


@pytest.fixture(scope="module")
def table() -> dict[str, Row]:
    """Its rows that count something, quickly, printed."""
    with ground(quick=True) as place:
        about = machine(place)
        rows = measure(place, COUNTED)
    print("", about, *lines(list(rows.values())), sep="\n")
    return rows


@pytest.mark.skipif(not can_look(), reason="no /proc that tells of processes")
def test_a_process_that_ended_while_it_was_looked_at_has_nothing_beneath_it() -> None:
    with subprocess.Popen([sys.executable, "-S", "-c", "pass"]) as ended:
        ended.wait()
    assert (beneath(ended.pid), cpu_seconds(ended.pid)) == ([], 0.0)


def test_every_row_is_there(table: dict[str, Row]) -> None:
    assert set(table) == set(COUNTED)
    assert [row.what for row in table.values() if not row.measured] == []


def test_a_pure_step_costs_one_sync_alone(table: dict[str, Row]) -> None:
    assert set(table["syncs-alone"].counts.values()) == {1.0}


def test_runs_at_once_share_their_syncs(table: dict[str, Row]) -> None:
    assert max(table["syncs-together"].counts.values()) <= 0.1


def test_an_effect_costs_two_syncs_and_a_plan_of_n_costs_n_and_one(table: dict[str, Row]) -> None:
    assert table["syncs-requests"].counts == {"alone": 2, "plan": PLAN + 1}


def test_files_cost_one_more_for_the_journal(table: dict[str, Row]) -> None:
    counts = table["syncs-files"].counts
    assert (counts["alone"], counts["plan"]) == (3, PLAN + 2)


def test_a_file_of_a_set_costs_one_sync_and_a_name_none(table: dict[str, Row]) -> None:
    few = 10  # the note before and after, the folders, the store
    assert table["set-moves-disk"].counts["syncs"] <= few
    assert table["set-deletions"].counts["syncs"] <= few
    written = table["set-writes-disk"].counts
    assert written["syncs"] <= written["files"] + few


def test_a_difference_tells_exactly_what_was_changed(table: dict[str, Row]) -> None:
    assert table["diff"].counts == {"changes": CHANGED}


def test_a_replay_asks_no_llm_again(table: dict[str, Row]) -> None:
    assert table["agent-replay"].counts == {"asked again": 0}


def test_nobody_waits_for_a_host_in_vain(table: dict[str, Row]) -> None:
    counts = table["hosts-at-once"].counts
    assert not counts or counts["begun"] == counts["wanted"]


def test_runs_that_wait_hold_no_thread(table: dict[str, Row]) -> None:
    assert table["waiting"].counts["threads"] <= 0  # one of before may have ended
    # of the 1,000 none; asyncio's own pool keeps a thread more or less, as the moment has it
    assert table["idle"].counts.get("threads", 0) <= 4


def test_the_first_page_of_the_inbox_needs_no_sqlalchemy(table: dict[str, Row]) -> None:
    assert table["office-first"].counts == {"rows": 200, "sqlalchemy": 0}


def test_every_commit_of_another_process_is_shown(table: dict[str, Row]) -> None:
    assert table["window-live"].counts["shown"] == 12


def test_a_long_table_of_evidence_is_shown_whole(table: dict[str, Row]) -> None:
    assert table["window-evidence"].counts == {"rows": 5_000}
