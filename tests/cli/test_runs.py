"""Real runs from the command line: started, followed, decided, repaired, cancelled; documents and exit codes at every turn."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from cli.note_template import write_template
from cli.speaking import Caller, Said
from counterfoil.runner.lease import Lease
from counterfoil.sandbox.probing import measured
from counterfoil.store.database import open_database
from house.repository import ROOT
from views.test_documents import DECISION, DETAIL, GATE, RUN, STEP


class Desk:
    """The program on a home and a workspace that knows the template `note`."""

    def __init__(self, call: Caller, workspace: Path) -> None:
        self.call = call
        self.workspace = workspace

    def run(self, *words: str) -> Said:
        """Start the template."""
        return self.call("run", "note", "--workspace", str(self.workspace), "--json", *words)

    def shown(self, reference: str) -> Any:
        """The document of `show`."""
        return self.call("show", reference, "--json").document


@pytest.fixture
def desk(call: Caller, tmp_path: Path) -> Desk:
    """A workspace of the test's own."""
    workspace = tmp_path / "files"
    workspace.mkdir()
    write_template(workspace)
    return Desk(call, workspace)


def test_run_starts_nothing_and_says_so(desk: Desk) -> None:
    started = desk.run("--set", "text=hello", "--set", "limit=10000 EUR")
    assert started.code == 0
    assert list(started.document) == RUN
    assert (started.document["state"], started.document["title"]) == ("ready", "Note hello")
    assert started.document["parameters"]["limit"] == {"amount": "10000", "currency": "EUR"}
    assert started.err.endswith(
        "counterfoil: the runner is off; run r-1 is kept and starts with it: counterfoil runner\n"
    )
    assert desk.call("runs").out.splitlines()[1].split()[:4] == ["r-1", "Note", "hello", "Starting"]


def test_from_start_to_written_file(desk: Desk) -> None:
    held = desk.run("--set", "text=hello", "--wait")
    assert held.code == 3
    assert "✓ compose: 5 letters" in held.err
    (gate,) = held.document["gates"]
    assert list(gate) == GATE
    assert held.document["wait"] == {"kind": "gate", "on": gate["gate_id"], "until": None}
    approved = desk.call("approve", "g-1", "--json")
    assert approved.code == 0
    assert list(approved.document) == DECISION
    assert (approved.document["verdict"], approved.document["digest"]) == ("approved", gate["digest"])
    assert "the decision is kept and takes effect when it starts: counterfoil runner" in approved.err
    assert not (desk.workspace / "note.txt").exists()
    assert desk.call("runner", "--until-idle", "--json").code == 0
    assert (desk.workspace / "note.txt").read_text() == "HELLO"
    detail = desk.shown("r-1")
    assert list(detail) == DETAIL
    assert [(step["name"], step["state"]) for step in detail["steps"]] == [
        ("compose", "done"),
        ("approve", "done"),
        ("write_file@1", "done"),
    ]
    assert [list(step) for step in detail["steps"]] == [STEP] * 3
    assert detail["effects"][0]["state"] == "done"
    assert detail["files"][0]["path"] == "note.txt"
    assert detail["result"] == {"summary": "note.txt is written."}
    assert [entry["reason"] for entry in detail["checkpoint"]["resumptions"]] == ["an answer came"]
    assert desk.call("trail", "--verify").code == 0
    page = desk.call("show", "r-1").out
    assert "note.txt is written." in page
    assert "Done" in page


def test_second_and_stale_decisions_are_refused(desk: Desk) -> None:
    desk.run("--set", "text=x", "--wait")
    stale = desk.call("approve", "g-1", "--digest", "0" * 64, "--json")
    assert (stale.code, stale.error["code"]) == (1, "stale_digest")
    assert desk.call("reject", "g-1", "--json").error["code"] == "wrong_answer"
    assert desk.call("reject", "g-1").code == 2
    refused = desk.call("reject", "g-1", "--comment", "no", "--as", "ben", "--json")
    assert (refused.code, refused.document["by"], refused.document["signature"]) == (0, "user:ben", "unverified")
    late = desk.call("approve", "g-1", "--json")
    assert (late.code, late.error["code"]) == (1, "already_decided")
    assert "Ben" in late.err
    assert "Nothing was changed." in late.err
    assert desk.call("approve", "g-1", "--as", "the:moon", "--json").error["code"] == "wrong_use"
    assert desk.call("runner", "--until-idle").code == 0
    run = desk.shown("r-1")
    assert (run["state"], run["result"]["verdict"]) == ("done", "rejected")
    assert desk.shown("g-1")["decisions"][0]["comment"] == "no"
    assert "Ben rejected at" in desk.call("show", "g-1").out


def test_another_file_is_given_to_a_step_that_could_not_read_one(desk: Desk, tmp_path: Path) -> None:
    (desk.workspace / "words.txt").write_text("soft")
    loud = tmp_path / "loud words.txt"
    loud.write_text("LOUD")
    held = desk.run("--set", "text=x", "--set", "end=read", "--wait")
    assert held.document["gates"][0]["title"] == "Needs repair: read words.txt"
    shown = " ".join(desk.call("show", "g-1").out.split())
    assert "the file you name takes the place of words.txt in the run's copy" in shown
    assert "--set file=…" in shown
    refused = desk.call("answer", "g-1", "--set", "choice=retry", "--set", f"file={tmp_path}", "--json")
    assert refused.error["code"] == "wrong_answer"
    given = desk.call("answer", "g-1", "--set", "choice=retry", "--set", f"file=words.txt={loud}")
    assert given.code == 0
    assert "file: loud words.txt (seal " in given.out
    assert desk.call("runner", "--until-idle").code == 3
    run = desk.shown("r-1")
    assert list(run) == DETAIL
    (file,) = run["given"]
    assert (file["path"], file["name"], file["bytes"]) == ("words.txt", "loud words.txt", 4)
    told = desk.call("show", "r-1").out
    assert f"gave loud words.txt (seal {file['sha256'][:4]} {file['sha256'][4:8]}) in place of words.txt" in told
    assert (desk.workspace / "words.txt").read_text() == "soft"


def test_what_follows_on_sending_back_is_said(desk: Desk) -> None:
    desk.run("--set", "text=x", "--wait")
    back = desk.call("return", "g-1", "--comment", "shorter")
    assert "g-1 sent back. By" in back.out
    assert "Its workflow does not foresee this: the run keeps its work, stops here and needs repair." in back.out
    assert desk.call("runner", "--until-idle").code == 3
    stopped = desk.shown("g-2")
    assert stopped["title"] == "Needs repair: it was sent back, and its workflow does not foresee that"
    assert "the workflow meets the same answer and stops here again" in stopped["consequences"][1]


def test_failure_is_repaired_or_stopped(desk: Desk) -> None:
    held = desk.run("--set", "text=x", "--set", "end=fail", "--wait")
    assert held.code == 3
    assert held.document["gates"][0]["kind"] == "failure"
    (step,) = desk.shown("r-1")["steps"]
    assert (step["name"], step["state"], step["attempts"]) == ("compose", "waiting", 1)
    assert "there is no ink" in desk.call("show", "g-1").out
    tried = desk.call("retry", "r-1", "--json")
    assert (tried.code, tried.document["verdict"]) == (0, "answered")
    assert desk.call("runner", "--until-idle").code == 3
    asked_again = desk.call("show", "g-2").out
    assert "Answered before" in asked_again
    assert asked_again.split("Answered before\n", 1)[1].splitlines()[0].endswith(": “try again”")
    assert desk.call("answer", "g-2", "--set", "choice=perhaps", "--json").error["code"] == "wrong_answer"
    assert desk.call("answer", "g-2", "--set", "chioce=stop", "--json").error["code"] == "wrong_answer"
    assert desk.call("answer", "g-2", "--set", "choice=stop", "--json").code == 0
    assert desk.call("runner", "--until-idle").code == 0
    run = desk.shown("r-1")
    assert (run["state"], list(run["error"])) == ("failed", ["kind", "message", "step", "next"])
    assert desk.call("retry", "r-1", "--json").error["code"] == "run_ended"


def test_code_that_changed_after_it_was_started_is_not_what_is_approved(desk: Desk) -> None:
    """A run goes on with the code it was started with, and the next one, with the new code, is asked about anew."""
    assert desk.run("--set", "text=hello", "--wait").code == 3
    code = desk.workspace / ".counterfoil/templates/note/workflow.py"
    code.write_text(code.read_text().replace("text.upper()", "'changed'"))
    assert desk.call("approve", "g-1").code == 0
    assert desk.call("runner", "--until-idle").code == 0
    assert (desk.workspace / "note.txt").read_text() == "HELLO"
    assert desk.run("--set", "text=hello", "--wait").code == 3
    first, second = desk.shown("r-1"), desk.shown("r-2")
    assert first["version"] != second["version"]
    assert [gate["state"] for gate in second["gates"]] == ["open"]
    assert (desk.workspace / "note.txt").read_text() == "HELLO"


def test_cancel(desk: Desk) -> None:
    desk.run("--set", "text=x", "--wait")
    cancelled = desk.call("cancel", "r-1", "--json")
    assert (cancelled.code, cancelled.document["state"]) == (0, "cancelled")
    assert list(cancelled.document) == RUN
    assert desk.call("approve", "g-1", "--json").error["code"] == "gate_closed"
    assert desk.call("cancel", "r-1", "--json").error["code"] == "run_ended"
    assert desk.call("cancel", "r-1").code == 1
    assert "This question was withdrawn: its run has ended." in desk.call("show", "g-1").out


def test_run_that_asks_nothing_ends_with_zero(desk: Desk) -> None:
    done = desk.run("--set", "text=x", "--set", "end=nothing", "--wait")
    assert (done.code, done.document["state"]) == (0, "done")
    assert desk.call("retry", "r-1", "--json").error["code"] == "run_ended"


@pytest.mark.parametrize(
    "words, code, said",
    [
        ([], "wrong_parameter", "Text"),
        (["--set", "txt=hello"], "wrong_parameter", "Did you mean ‘text’?"),
        (["--set", "text=a", "--set", "copies=many"], "wrong_parameter", "copies"),
        (["--set", "text"], "wrong_use", "--set name=value"),
        (["--input", "nowhere.json"], "wrong_use", "nowhere.json"),
    ],
)
def test_wrong_parameters_start_nothing(desk: Desk, words: list[str], code: str, said: str) -> None:
    refused = desk.run(*words)
    assert (refused.code, refused.error["code"]) == (2, code)
    assert said in refused.err
    assert desk.call("runs", "--json").document == []


def test_input_file_set_and_what_is_remembered(desk: Desk, tmp_path: Path) -> None:
    source = tmp_path / "parameters.json"
    source.write_text(json.dumps({"text": "from file", "copies": 3}))
    first = desk.run("--input", str(source), "--set", "copies=4")
    assert first.document["parameters"] == {"text": "from file", "copies": 4, "limit": None, "end": "ask"}
    assert desk.run().document["parameters"]["text"] == "from file"
    source.write_text("[1]")
    assert desk.run("--input", str(source)).error["code"] == "wrong_use"
    source.write_text("{")
    assert desk.run("--input", str(source)).error["code"] == "wrong_use"


def test_template_by_path_and_by_a_wrong_name(desk: Desk) -> None:
    folder = desk.workspace / ".counterfoil/templates/note"
    started = desk.call("run", f"{folder}/", "--workspace", str(desk.workspace), "--set", "text=x", "--json")
    assert started.code == 0
    wrong = desk.call("run", "note1", "--workspace", str(desk.workspace), "--json")
    assert (wrong.code, wrong.error["code"]) == (2, "unknown_template")
    assert wrong.error["next"] == "Did you mean ‘note’?"
    (folder / "workflow.py").write_text("this is no Python")
    broken = desk.run("--set", "text=x")
    assert (broken.code, broken.error["code"]) == (2, "broken_template")


def test_templates_are_listed_shown_and_checked(desk: Desk) -> None:
    place = ["--workspace", str(desk.workspace)]
    listed = {entry["name"]: entry for entry in desk.call("template", "list", *place, "--json").document}
    assert listed["note"]["origin"] == "workspace"
    assert listed["pay-invoices"]["origin"] == "bundled"
    assert "No llm needed" in desk.call("template", "list", *place).out
    assert desk.call("template", "show", "note", *place, "--json").document["title"] == "Write a note"
    assert "counterfoil run note" in desk.call("template", "show", "note", *place).out
    assert desk.call("template", "check", "note", *place).code == 0
    workflow = desk.workspace / ".counterfoil/templates/note/workflow.py"
    workflow.write_text(
        workflow.read_text().replace(
            '    if p.end == "sleep":', "    import time\n    time.time()\n    if p.end == 'sleep':"
        )
    )
    found = desk.call("template", "check", "note", *place, "--json")
    assert found.code == 1
    assert list(found.document[0]) == ["file", "line", "what", "why", "instead", "level"]
    assert "workflow.py:" in desk.call("template", "check", "note", *place).out


def test_second_runner_is_refused(desk: Desk, office: Any) -> None:
    database = open_database(office.home)
    first = Lease(database, office.home)
    first.take()
    try:
        refused = desk.call("runner", "--until-idle", "--json")
        alive = desk.run("--set", "text=x")
    finally:
        first.release()
        database.close()
    assert (refused.code, refused.error["code"]) == (1, "runner")
    assert alive.err == ""


def test_doctor(desk: Desk, office: Any) -> None:
    desk.run("--set", "text=x")
    told = desk.call("doctor", "--json")
    assert told.code == 0
    checks = {check["what"]: check for check in told.document}
    assert list(checks) == [
        "Program", "Data folder", "Database", "Runner", "Keyring", "Protection", "Window", "Disk", "Undo",
        "Settings", "Templates", "Start at login", "Time zones",
    ]  # fmt: skip
    assert all(list(check) == ["what", "state", "means", "next"] for check in checks.values())
    found = measured(office.home)
    assert checks["Protection"]["means"] == f"{found.sentence} ({found.code})"
    assert (checks["Protection"]["next"] is None) == found.is_isolated
    assert checks["Runner"]["next"] == "Start it: counterfoil runner"
    assert checks["Keyring"]["state"] == "warn"


def test_doctor_finds_a_damaged_database(desk: Desk, office: Any) -> None:
    office.database.close()
    office.home.database.write_bytes(b"no database at all, but long enough to be looked at as one" * 100)
    told = desk.call("doctor", "--json")
    assert told.code == 1
    assert {check["what"]: check["state"] for check in told.document}["Database"] == "bad"
    assert desk.call("inbox", "--json").error["code"] == "store"


# A runner that looks at nothing by itself: a wake-up that is lost stays lost.
WOKEN_ALONE = """
import sys
from counterfoil.runner import running
from counterfoil.schedules import heartbeat
running.SWEEP = heartbeat.EVERY = 3600
from counterfoil.cli import main
sys.exit(main())
"""


@pytest.mark.skipif(sys.platform == "win32", reason="level L0: Windows knows no SIGINT")
def test_beside_a_living_runner(desk: Desk, office: Any) -> None:
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "app")}
    command = [sys.executable, "-c", WOKEN_ALONE, "--home", str(office.home.root), "runner"]
    runner = subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True)
    assert runner.stderr is not None
    try:
        assert "the runner is running" in runner.stderr.readline()
        end = time.monotonic() + 120
        held = desk.run("--set", "text=x", "--wait")
        approved = desk.call("approve", "g-1")
        while desk.shown("r-1")["state"] != "done" and time.monotonic() < end:
            pass
    finally:
        runner.send_signal(signal.SIGINT)
        said = runner.communicate(timeout=120)[1]
    assert held.code == 3
    assert (approved.code, approved.err) == (0, "")
    assert (desk.workspace / "note.txt").read_text() == "X"
    assert runner.returncode == 0
    assert "the runner has stopped; every step and decision is kept." in said


def test_files_that_changed_are_answered_by_their_names(desk: Desk) -> None:
    desk.run("--set", "text=hello", "--wait")
    desk.call("approve", "g-1")
    (desk.workspace / "note.txt").write_text("somebody's")
    assert desk.call("runner", "--until-idle").code == 3
    assert (desk.workspace / "note.txt").read_text() == "somebody's"
    shown = desk.call("show", "g-2")
    assert "Files changed: 1 file changed in your folder. Nothing has been written." in shown.out
    assert "counterfoil answer g-2 --set choice=keep|use|both" in shown.out
    document = desk.shown("g-2")
    assert list(document) == [*GATE, "snoozed_until"]
    assert (document["kind"], [field["name"] for field in document["fields"]]) == (
        "conflict",
        ["choice", "choice.note.txt"],
    )
    assert desk.call("approve", "g-2").code == 2
    assert desk.call("answer", "g-2").code == 2
    assert desk.call("answer", "g-2", "--set", "choice.note.txt=both", "--json").document["verdict"] == "answered"
    assert desk.call("runner", "--until-idle").code == 0
    assert (desk.workspace / "note.txt").read_text() == "somebody's"
    assert (desk.workspace / "note (run 1).txt").read_text() == "HELLO"
    assert desk.call("trail", "--verify").code == 0


def test_a_run_goes_on_from_a_step_in_a_new_one(desk: Desk) -> None:
    desk.run("--set", "text=hello", "--wait")
    desk.call("approve", "g-1")
    assert desk.call("runner", "--until-idle").code == 0
    forked = desk.call("fork", "r-1", "--from", "3", "--comment", "the file was lost", "--json")
    assert forked.code == 0
    assert list(forked.document) == RUN
    assert (forked.document["number"], forked.document["state"]) == (2, "ready")
    assert "Also done by run 1, and asked about before it is done once more: note.txt." in forked.err
    assert "It begins at step 2: what was approved there is asked again." in forked.err
    assert desk.call("runner", "--until-idle").code == 3
    (gate,) = desk.call("inbox", "--json").document
    assert (gate["number"], gate["title"]) == (2, "Write the note")
    detail = desk.shown("r-2")
    assert detail["again_of"] == {
        "run_id": desk.shown("r-1")["run_id"],
        "number": 1,
        "ordinal": 1,
        "reason": "the file was lost",
    }
    page = desk.call("show", "r-2").out
    assert "r-1, from step 2; what it did before that is kept" in page
    assert "the file was lost" in page
    assert "run 1 again from step 2: the file was lost" in desk.call("trail").out
    assert desk.call("trail", "--verify").code == 0
    again = desk.run("--again", "r-1", "--comment", "in another month")
    assert again.document["parameters"]["text"] == "hello"
    told = desk.shown("r-3")["again_of"]
    assert (told["number"], told["ordinal"], told["reason"]) == (1, None, "in another month")
    there = desk.call("run", str(desk.workspace / ".counterfoil/templates/note"), "--again", "r-1", "--json")
    assert there.document["workspace"] == again.document["workspace"]  # wherever the shell stands
    other = desk.call("run", "tidy-folder", "--again", "r-1", "--json").error["message"]
    assert other == "Run r-1 is one of template ‘note’, not of ‘tidy-folder’."
    assert desk.run("--set", "text=x", "--comment", "why").error["code"] == "wrong_use"


def test_a_step_that_is_none_is_refused(desk: Desk) -> None:
    desk.run("--set", "text=x")
    for step, code, words in (
        ("9", 1, "Run 1 has come to no step yet"),
        ("x", 2, "--from x names no step."),
        ("2.1", 2, "Step 2.1 lies inside another one"),
        ("0", 2, "--from 0 names no step."),
    ):
        refused = desk.call("fork", "r-1", "--from", step, "--json")
        assert (refused.code, words in refused.error["message"]) == (code, True)
    assert len(desk.call("runs", "--json").document) == 1
