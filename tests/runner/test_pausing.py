"""Pause everything: nothing starts and nothing goes on in a real runner, decisions wait, and each place says so."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from cli.note_template import write_template
from cli.speaking import Caller, caller
from counterfoil.catalogue.loading import load_workflow
from counterfoil.inbox.pausing import pause_everything, resume_everything
from counterfoil.testing import Harness
from runner.real_runner import running, until
from schedules.routines import Desk
from views.rows import Office, make_office

HOURLY = {"kind": "interval", "seconds": 3600, "anchor_utc": "2026-01-01T00:00:00Z"}


@pytest.fixture
def office(tmp_path: Path) -> Iterator[Office]:
    made = make_office(tmp_path)
    yield made
    made.database.close()


@pytest.fixture
def call(office: Office, capsys: pytest.CaptureFixture[str]) -> Caller:
    return caller(capsys, office.home.root)


def test_an_instant_that_passes_while_everything_is_paused_is_skipped_with_the_name(tmp_path: Path) -> None:
    desk = Desk(tmp_path / "home")
    kept = desk.add(rule=HOURLY)
    assert desk.database.transact(lambda txn: pause_everything(txn, "user:anna")) is True
    assert desk.database.transact(lambda txn: pause_everything(txn, "user:ben")) is False
    desk.at(datetime(2026, 11, 27, 18, 0, 1, tzinfo=UTC))
    assert desk.scan(kept).started == []
    assert desk.database.transact(lambda txn: resume_everything(txn, "user:anna")) is True
    assert desk.scan(kept).started == []
    desk.at(datetime(2026, 11, 27, 19, 0, 1, tzinfo=UTC))
    assert len(desk.scan(kept).started) == 1
    rows = desk.log(kept)
    assert rows == [("skipped", "everything was paused by Anna"), ("started", "")]
    desk.database.close()


def test_an_approved_effect_is_not_begun_even_where_nobody_has_noticed_the_pause(tmp_path: Path) -> None:
    folder = tmp_path / "files"
    folder.mkdir()
    workflow = load_workflow(write_template(folder), "note")
    harness = Harness(folder, home=tmp_path / "home")
    harness.start(workflow, text="hello")
    assert harness.advance() == "waiting"
    harness.database.transact(lambda txn: pause_everything(txn, "user:anna"))
    harness.approve()
    assert (harness.advance(), (folder / "note.txt").exists()) == ("ready", False)
    harness.database.transact(lambda txn: resume_everything(txn, "user:anna"))
    assert (harness.advance(), (folder / "note.txt").read_text()) == ("done", "HELLO")
    harness.close()


def test_a_real_runner_holds_still_until_everything_goes_on(office: Office, call: Caller, tmp_path: Path) -> None:
    folder = tmp_path / "files"
    folder.mkdir()
    write_template(folder)
    start = ("run", "note", "--workspace", str(folder), "--set", "text=hello", "--json")

    def run(number: int) -> dict[str, Any]:
        found: dict[str, Any] = call("show", f"r-{number}", "--json").document
        return found

    with running(office.home.root):
        first = call(*start).document["number"]
        until(lambda: run(first)["state"] == "waiting", "the first run waits at its gate")
        assert (
            call("runner", "pause").err
            == "counterfoil: everything is paused; what is in the middle of an effect ends it first.\n"
        )
        assert "Nothing was changed." in call("runner", "pause").err
        gate = run(first)["gates"][0]
        given = call("approve", f"g-{gate['number']}")
        assert given.code == 0
        assert "It is kept, and goes on after: counterfoil runner resume" in given.err
        second = call(*start).document["number"]
        call("schedule", "list")
        until(lambda: run(first)["state"] == "ready", "the decision has made the run ready")
        assert (run(second)["state"], run(first)["effects"]) == ("ready", [])
        assert not (folder / "note.txt").exists()
        for place in (("inbox",), ("schedule", "list")):
            assert "Everything was paused by " in call(*place).err
        waited = call(*start, "--wait")
        assert (waited.code, waited.document["error"]["code"]) == (1, "paused")
        assert call("runner", "--until-idle").code == 1
        assert call("runner", "resume").err.startswith("counterfoil: everything goes on.\n")
        until(lambda: run(first)["state"] == "done", "the approved run goes on")
        until(lambda: run(second)["state"] == "waiting", "the second run starts")
    assert (folder / "note.txt").read_text() == "HELLO"
    assert call("runner", "resume").err.startswith("counterfoil: nothing was paused.\n")
    kinds = [entry["summary"] for entry in call("trail", "--json").document if entry["kind"] == "runner"]
    assert [summary.partition(" ")[2] for summary in kinds] == ["paused everything", "let everything go on"]
