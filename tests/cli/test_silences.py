"""`inbox`, `runs` and `show` tell of a silent step; `wait` and `restart` answer it."""

import pytest

from cli.speaking import Caller
from counterfoil.clock import iso
from counterfoil.facts import NoticeKind
from counterfoil.store import notices, runs
from counterfoil.store.transactions import Row
from views.rows import Office

STEP = {"path": "", "ordinal": 1, "name": "read_contracts", "title": "Read contracts", "kind": "step", "limit": 600.0}


@pytest.fixture
def silent(office: Office) -> Row:
    """A run whose second step has said nothing for twelve minutes."""
    run = office.run("Contract review")
    office.claim(run["run_id"])
    office.record(run["run_id"], 0, "list_contracts", 9)
    step = {**STEP, "since": iso(office.database.clock.now_us()), "minutes": 12}
    body = {"run": run["number"], "title": run["title"], "steps": [step], "schedule_id": None}
    office.database.transact(lambda txn: notices.post(txn, NoticeKind.SILENT, run["run_id"], body))
    return run


def test_a_silent_step_is_told_everywhere(call: Caller, silent: Row) -> None:
    assert "No news from ‘Read contracts’ for 12 min: Contract review, run 1." in call("inbox").err
    assert "counterfoil restart r-1" in call("inbox").err
    assert "Running: Read contracts, no news for 12 min" in call("runs").out
    sheet = call("show", "r-1").out
    assert "Running: Read contracts, no news for 12 min" in sheet
    assert "“read_contracts” would start again. 1 step before it stays." in sheet
    (step,) = call("show", "r-1", "--json").document["silent"]
    assert (step["name"], step["minutes"]) == ("read_contracts", 12)


def test_it_is_waited_for(call: Caller, silent: Row) -> None:
    assert "r-1 goes on" in call("wait", "r-1").out
    assert call("show", "r-1", "--json").document["silent"] is None
    assert "No news" not in call("inbox").err
    again = call("wait", "r-1", "--json")
    assert (again.code, again.document["error"]["code"]) == (1, "refused")


def test_it_is_restarted(call: Caller, office: Office, silent: Row) -> None:
    said = call("restart", "r-1")
    assert said.code == 0
    assert "“Read contracts” starts again." in said.out
    assert "1 step before stays as it is." in said.out
    wish = runs.restart_of(runs.get(office.database.reader, silent["run_id"]))
    assert wish is not None
    assert wish["of"] == [["", 1]]
    assert "asked to restart ‘Read contracts’ of run 1" in call("trail").out


def test_what_is_in_the_middle_of_nothing_is_not_restarted(call: Caller, office: Office) -> None:
    office.run("Contract review")
    refused = call("restart", "r-1", "--json")
    assert refused.code == 1
    assert "in the middle of nothing" in refused.document["error"]["message"]
