"""Less protection than before is asked about, and code that nothing confines runs only where a person typed the folder's name."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from cli.note_template import write_template
from cli.speaking import Caller, Said
from counterfoil.cli import call as call_module
from counterfoil.errors import CounterfoilError, LessProtection, NotIsolated
from counterfoil.places import Home
from counterfoil.policy import protection, unprotected
from counterfoil.policy.protection import ISOLATED, NONE, TELLS, Level
from counterfoil.runner.firing import RunStarter
from counterfoil.sandbox import probing
from counterfoil.sandbox.levels import Measured
from counterfoil.store.database import open_database
from counterfoil.store.transactions import Txn


class Desk:
    """The program on a home and a workspace that knows the template `note`."""

    def __init__(self, call: Caller, home: Home, workspace: Path) -> None:
        self.call, self.home, self.workspace = call, home, workspace

    def run(self, *words: str) -> Said:
        """Start the template and wait."""
        return self.call(
            "run", "note", "--workspace", str(self.workspace), "--set", "text=hello", "--wait", "--json", *words
        )

    def change(self, statement: str, *values: Any) -> None:
        """Change rows as another computer would have left them."""

        def operation(txn: Txn) -> None:
            txn.conn.exec_driver_sql(statement, values)

        database = open_database(self.home)
        database.transact(operation)
        database.close()

    def trail(self) -> list[Any]:
        """What was agreed to."""
        return [entry for entry in self.call("trail", "--json").document if entry["kind"] == "protection"]


@pytest.fixture
def desk(call: Caller, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Desk:
    """A workspace of the test's own, in which nobody has allowed anything."""
    monkeypatch.delenv("COUNTERFOIL_UNPROTECTED")
    workspace = tmp_path / "files"
    workspace.mkdir()
    write_template(workspace)
    return Desk(call, Home(tmp_path / "home").create(), workspace)


def _now(monkeypatch: pytest.MonkeyPatch, level: Level) -> None:
    monkeypatch.setattr(probing, "_known", {})
    monkeypatch.setattr(probing, "_read", lambda *_: None)
    monkeypatch.setattr(probing, "_measure", lambda: Measured(level, "Something broke.", "Mend it."))


@pytest.fixture
def nothing_confines(monkeypatch: pytest.MonkeyPatch) -> None:
    """This computer has no isolation at all."""
    _now(monkeypatch, NONE)


@pytest.mark.usefixtures("nothing_confines")
def test_code_of_others_is_not_run_unconfined_unasked(desk: Desk) -> None:
    refused = desk.run()
    assert refused.code == 1
    error = refused.document["error"]
    assert error["code"] == "not_isolated"
    assert error["message"].startswith("No isolation on this system. Workflow code would run as you.")
    assert "--unprotected ‘files’" in error["next"]
    assert desk.call("runs", "--json").document == []
    form = desk.call("template", "show", "note", "--form", "--workspace", str(desk.workspace), "--json")
    assert form.document["error"]["code"] == "not_isolated"
    words = ("template", "show", "note", "--form", "--workspace", str(desk.workspace), "--unprotected")
    assert desk.call(*words, "fils").code == 2
    assert desk.call(*words, "files").code == 0


@pytest.mark.usefixtures("nothing_confines")
def test_a_typed_name_allows_it_in_one_folder_until_the_session_ends(desk: Desk, tmp_path: Path) -> None:
    wrong = desk.run("--unprotected", "fils")
    assert (wrong.code, wrong.document["error"]["code"]) == (2, "wrong_use")
    held = desk.run("--unprotected", "files")
    assert held.code == 3, held.err
    assert held.document["isolation"] == "L0"
    assert desk.run().code == 3
    other = tmp_path / "other"
    other.mkdir()
    write_template(other)
    elsewhere = desk.call("run", "note", "--workspace", str(other), "--set", "text=x", "--json")
    assert elsewhere.document["error"]["code"] == "not_isolated"
    _end_session(desk.home)
    assert desk.run().code == 1


def _end_session(home: Home) -> None:
    """Let it look as if the session's leader had ended."""
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    place = home.run / "unprotected.json"
    kept = json.loads(place.read_text())
    place.write_text(json.dumps({name: {**session, "pid": gone.pid} for name, session in kept.items()}))


@pytest.mark.usefixtures("nothing_confines")
def test_a_run_that_waited_longer_than_the_session_asks_again(desk: Desk) -> None:
    assert desk.run("--unprotected", "files").code == 3
    _end_session(desk.home)
    assert desk.call("approve", "g-1").code == 0
    assert desk.call("runner", "--until-idle").code == 3
    gate = desk.call("show", "g-2", "--json").document
    assert gate["kind"] == "failure"
    assert "cannot be protected" in gate["title"]
    assert desk.call("retry", "r-1", "--json").document["error"]["code"] == "not_isolated"
    assert desk.call("retry", "r-1", "--unprotected", "files").code == 0
    assert desk.call("runner", "--until-idle").code == 0
    assert desk.call("show", "r-1", "--json").document["state"] == "done"


@pytest.mark.usefixtures("nothing_confines")
def test_what_comes_with_the_program_needs_no_leave(desk: Desk) -> None:
    done = desk.call("demo", "--yes", "--json")
    assert done.code == 0
    assert (done.document["state"], done.document["isolation"]) == ("done", "L0")


@pytest.mark.usefixtures("nothing_confines")
def test_a_changed_copy_of_it_does(desk: Desk) -> None:
    from counterfoil import places

    copy = desk.workspace / "pay-invoices"
    source = places.bundled("workflows") / "pay-invoices"
    subprocess.run(["cp", "-r", str(source), str(copy)], check=True)
    with (copy / "workflow.py").open("a") as out:
        out.write("\n# changed\n")
    refused = desk.call("run", str(copy), "--workspace", str(desk.workspace), "--json")
    assert refused.document["error"]["code"] == "not_isolated"


@pytest.mark.usefixtures("nothing_confines")
def test_a_folder_named_by_the_environment_is_allowed(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COUNTERFOIL_UNPROTECTED", os.pathsep.join(["/nowhere", str(desk.workspace.parent)]))
    assert desk.run().code == 3


def test_a_routine_agrees_to_nothing(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    assert desk.run().code == 3
    database = open_database(desk.home)
    row: Any = {"schedule_id": "1", "name": "weekly", "template": "note", "workspace": str(desk.workspace)}
    starter = RunStarter(database, desk.home)
    assert not isinstance(starter._version(row), CounterfoilError)
    desk.change("UPDATE run SET isolation = 'L5'")
    assert isinstance(starter._version(row), LessProtection)
    desk.change("UPDATE run SET isolation = 'L0'")
    _now(monkeypatch, NONE)
    assert isinstance(starter._version(row), NotIsolated)
    database.close()


@pytest.mark.usefixtures("nothing_confines")
def test_a_person_at_a_terminal_is_asked(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(call_module.Call, "can_ask", property(lambda _: True))
    typed = iter(["yes", "files"])
    monkeypatch.setattr("builtins.input", lambda _: next(typed))
    words = ("run", "note", "--workspace", str(desk.workspace), "--set", "text=hello")
    assert desk.call(*words).code == 2
    said = desk.call(*words)
    assert said.code == 0
    assert "type the folder's name (‘files’)" in said.err
    assert unprotected.is_confirmed(desk.home, desk.workspace)


def test_a_fall_of_protection_is_asked_about_once_and_kept_in_the_trail(desk: Desk) -> None:
    assert desk.run().code == 3
    found = probing.measured(desk.home)
    desk.change("UPDATE run SET isolation = 'L5'")
    assert desk.run().code == 1, "a level nobody knows is higher than all"
    _fell(desk, found)


def _fell(desk: Desk, found: Measured) -> None:
    refused = desk.run()
    error = refused.document["error"]
    assert error["code"] == "less_protection"
    assert f"--protection {found.code}" in error["next"]
    assert found.sentence in error["message"]
    assert desk.run("--protection", "L9").code == 1
    assert desk.trail() == []
    accepted = desk.run("--protection", found.code)
    assert accepted.code == 3, accepted.err
    (entry,) = desk.trail()
    assert entry["subject"] == accepted.document["run_id"]
    assert entry["after"]["isolation"] == found.mark
    assert desk.run().code == 3, "it is asked once"
    assert len(desk.trail()) == 1
    assert desk.call("trail", "--verify").code == 0


def test_a_fall_is_asked_about_on_a_terminal(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    assert desk.run().code == 3
    desk.change("UPDATE run SET isolation = 'L5'")
    monkeypatch.setattr(call_module.Call, "can_ask", property(lambda _: True))
    typed = iter(["no", "yes"])
    monkeypatch.setattr("builtins.input", lambda _: next(typed))
    words = ("run", "note", "--workspace", str(desk.workspace), "--set", "text=hello")
    assert desk.call(*words).code == 1
    assert desk.call(*words).code == 0
    assert len(desk.trail()) == 1


def test_a_run_under_way_is_never_lowered_silently(desk: Desk) -> None:
    assert desk.run().code == 3
    found = probing.measured(desk.home)
    desk.change("UPDATE run SET isolation = 'L5'")
    assert desk.call("approve", "g-1").code == 0
    assert desk.call("runner", "--until-idle").code == 3
    gate = desk.call("show", "g-2", "--json").document
    assert gate["kind"] == "failure"
    text = desk.call("show", "g-2").out
    assert f"counterfoil retry r-1 --protection {found.code}" in " ".join(text.split())
    assert desk.call("answer", "g-2", "--set", "choice=retry").code == 0
    assert desk.call("runner", "--until-idle").code == 3, "an answer alone is no leave"
    assert desk.call("retry", "r-1", "--json").document["error"]["code"] == "less_protection"
    assert desk.call("retry", "r-1", "--protection", found.code).code == 0
    assert desk.call("runner", "--until-idle").code == 0
    shown = desk.call("show", "r-1", "--json").document
    assert (shown["state"], shown["isolation"]) == ("done", found.code)
    assert [entry["before"]["isolation"] for entry in desk.trail()] == ["L5"]


def test_show_and_the_trail_carry_the_level(desk: Desk) -> None:
    started = desk.run()
    found = probing.measured(desk.home)
    assert started.document["isolation"] == found.code
    assert f"{protection.sentence(found.mark)} ({found.code})" in " ".join(desk.call("show", "r-1").out.split())
    assert f"{protection.sentence(found.mark)} ({found.code})" in " ".join(desk.call("show", "g-1").out.split())
    (entry,) = (entry for entry in desk.call("trail", "--json").document if entry["kind"] == "run_started")
    assert entry["after"]["isolation"] == found.mark


@pytest.mark.usefixtures("nothing_confines")
def test_little_protection_is_said_before_anything_else(desk: Desk) -> None:
    said = desk.run("--unprotected", "files").err
    assert said.startswith(f"counterfoil: protection here: {NONE.sentence} Something broke. (L0)\n")


def test_at_a_terminal_every_level_is_said(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    found = probing.measured(desk.home)
    monkeypatch.setattr(call_module.Call, "can_ask", property(lambda _: True))
    said = desk.call("run", "note", "--workspace", str(desk.workspace), "--set", "text=hello").err
    assert f"counterfoil: protection here: {found.sentence} ({found.code})\n" in said


def test_doctor_prints_the_profile_that_an_administrator_may_load(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    profile = "profile x /usr/bin/bwrap {\n  userns,\n}\n"
    found = Measured(NONE, "It broke.", "Load this.", profile=profile)
    monkeypatch.setattr(probing, "_measure", lambda: found)
    monkeypatch.setattr(probing, "_known", {})
    assert "    profile x /usr/bin/bwrap {\n      userns,\n    }\n" in desk.call("doctor").out


def test_doctor_says_what_an_older_kernel_lets_be_read(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(probing, "_measure", lambda: Measured(ISOLATED, tells=True))
    monkeypatch.setattr(probing, "_known", {})
    [told] = [check for check in desk.call("doctor", "--json").document if check["what"] == "Protection"]
    assert told["means"] == f"{ISOLATED.sentence} {TELLS} (L3)"
    assert "Linux hides that from 5.19 on" in told["means"]


@pytest.fixture(autouse=True)
def _known_levels() -> Iterator[None]:
    yield
    probing._known.clear()
