"""What is refused or marked, by commands alone: answers of another kind, other people's names, effects nobody asked for, dead runners."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import sqlalchemy as sa

from cli.note_template import MANIFEST, write_template
from cli.speaking import Caller
from counterfoil.clock import SystemClock
from counterfoil.facts import GateKind
from counterfoil.inbox.accounts import account
from counterfoil.store import leases, tables
from views.rows import Office, item, spec

ASKS = """
from typing import Any

from counterfoil import Field, Params, ask, workflow


class P(Params):
    text: str = "x"


@workflow("note")
async def note(p: P) -> Any:
    return await ask("Which period?", [Field(name="period", required=True)])
"""


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """A folder with the template `note`."""
    folder = tmp_path / "files"
    folder.mkdir()
    write_template(folder)
    return folder


def run(call: Caller, workspace: Path, *words: str) -> int:
    """Start the template and wait; the exit code."""
    return call("run", "note", "--workspace", str(workspace), "--wait", *words).code


def test_only_is_refused_on_a_question(call: Caller, workspace: Path) -> None:
    (workspace / ".counterfoil/templates/note/workflow.py").write_text(ASKS)
    assert run(call, workspace) == 3
    before = call("show", "g-1", "--json").document
    for only in ("1", "1,2"):
        refused = call("approve", "g-1", "--only", only, "--set", "period=May", "--json")
        assert (refused.code, refused.error["code"]) == (2, "wrong_answer")
        assert "This gate is a question." in refused.err
        assert "answer --set NAME=VALUE" in refused.err
    assert call("show", "g-1", "--json").document == before


def test_a_decision_in_anothers_name_is_marked_everywhere(call: Caller, workspace: Path) -> None:
    assert run(call, workspace, "--set", "text=x") == 3
    said = call("approve", "g-1", "--as", "user:ben", "--comment", "for Ben")
    assert said.code == 0
    assert f"recorded as unverified, entered by {account()}: nothing proves yet that this was Ben." in said.err
    entry = next(one for one in call("trail", "--json").document if one["kind"] == "decision")
    assert (entry["by"], entry["after"]["entered_by"]) == ("user:ben", account())
    assert entry["after"]["signature"] == "unverified"
    assert "(unverified). Entered by " in entry["summary"]
    assert "(unverified)" in call("trail").out
    assert "(unverified): “for Ben”" in call("show", "g-1").out
    late = call("reject", "g-1", "--comment", "no")
    assert "was decided by Ben (unverified) at" in late.err


def test_ones_own_name_needs_no_mark(call: Caller, workspace: Path) -> None:
    assert run(call, workspace, "--set", "text=x") == 3
    assert call("approve", "g-1", "--as", account(), "--json").document["signature"] == "account"
    entry = next(one for one in call("trail", "--json").document if one["kind"] == "decision")
    assert entry["after"]["entered_by"] is None
    assert "unverified" not in call("trail").out + call("show", "g-1").out


@pytest.mark.parametrize("way", ["approved", "direct"])
def test_an_effect_the_manifest_does_not_ask_for_needs_repair_and_is_not_performed(
    call: Caller, workspace: Path, way: str
) -> None:
    folder = workspace / ".counterfoil/templates/note"
    (folder / "template.toml").write_text(MANIFEST.replace('permissions = ["write_file"]', "permissions = []"))
    if way == "direct":
        code = (folder / "workflow.py").read_text()
        asked = '        decision = await approve("Write the note", plan=[write_file("note.txt", text)])\n'
        (folder / "workflow.py").write_text(
            code.replace(asked, "").replace("await decision.perform()", 'await write_file("note.txt", text)')
        )
    assert run(call, workspace, "--set", "text=x") == 3
    gate = call("show", "g-1", "--json").document
    assert gate["kind"] == GateKind.FAILURE
    said = call("show", "g-1").out
    assert "The template does not ask for ‘write_file’: add it to permissions in template.toml." in said
    shown = call("show", "r-1", "--json").document
    assert (shown["state"], shown["files"]) == ("waiting", [])
    assert {effect["outcome"]["kind"] for effect in shown["effects"]} <= {"denied"}
    assert not (workspace / "note.txt").exists()


def test_until_idle_says_what_came_of_each_run(call: Caller, workspace: Path) -> None:
    for text, end in (("one", "nothing"), ("two", "ask"), ("three", "fail"), ("four", "sleep")):
        words = ["--set", f"text={text}", "--set", f"end={end}"]
        call("run", "note", "--workspace", str(workspace), *words)
    told = call("runner", "--until-idle")
    assert told.code == 3
    lines = sorted(told.out.splitlines())
    assert lines[:3] == [
        "r-1 Note one: note.txt is written.",
        "r-2 Note two: Waiting for you",
        "r-3 Note three: Waiting for you",
    ]
    assert lines[3].startswith("r-4 Note four: Waiting until ")
    assert "2 gates wait for you: " in told.err
    call("reject", "g-1" if "two" in call("show", "g-1").out else "g-2", "--comment", "no")
    assert call("runner", "--until-idle").out.splitlines() == ["r-2 Note two: Rejected"]
    assert "Rejected" in next(line for line in call("runs").out.splitlines() if line.startswith("r-2"))
    assert "Rejected" in call("show", "r-2").out
    assert "Done" not in call("show", "r-2").out.splitlines()[1]


def test_commands_are_told_under_the_name_the_program_was_called_by(
    call: Caller, office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_id = office.run()["run_id"]
    office.gate(run_id, 0, spec(plan=[item(1, "write_file@1", {"path": "a.txt", "data": {"$bytes": "eA=="}})]))
    monkeypatch.delenv("COUNTERFOIL_CALLED_AS", raising=False)
    assert "counterfoil approve g-1" in call("show", "g-1").out
    monkeypatch.setenv("COUNTERFOIL_CALLED_AS", "packaging/start")
    told = call("show", "g-1")
    assert "packaging/start approve g-1" in told.out
    assert "counterfoil approve" not in told.out
    wrong = call("show", "g-9")
    assert "packaging/start inbox" in wrong.err
    assert wrong.err.startswith("counterfoil: ")  # the program keeps its own name


def test_a_lease_whose_holder_is_dead_is_no_runner(office: Office) -> None:
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    now = office.clock.now_us()
    for pid, lives in ((ended.pid, False), (os.getpid(), True)):
        row = {"pid": pid, "expires_at": now + leases.TTL_US}
        assert leases.alive(row, now) is lives
        assert not leases.alive(row, now + leases.TTL_US)
    assert not leases.alive(None, now)


def test_a_dead_runners_lease_does_not_hide_that_the_runner_is_off(
    call: Caller, office: Office, workspace: Path
) -> None:
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    office.database.transact(lambda txn: leases.take(txn, "gone", ended.pid, previous_is_dead=True))
    told = call("run", "note", "--workspace", str(workspace), "--set", "text=x")
    assert "the runner is off" in told.err
    checks = {check["what"]: check for check in json.loads(call("doctor", "--json").out)}
    assert checks["Runner"]["next"] == "Start it: counterfoil runner"


def test_until_idle_waits_for_a_run_that_is_ready_a_little_later(call: Caller, office: Office, workspace: Path) -> None:
    """As one is that lost its host twice, or that was decided in the window and can still be taken back."""
    call("run", "note", "--workspace", str(workspace), "--set", "text=one", "--set", "end=nothing")
    later = SystemClock().now_us() + 2_000_000
    office.database.transact(lambda txn: txn.do(sa.update(tables.run).values(ready_at=later)))
    told = call("runner", "--until-idle")
    assert (told.code, told.out) == (0, "r-1 Note one: note.txt is written.\n")
    assert SystemClock().now_us() > later
