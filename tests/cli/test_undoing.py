"""`undo` of real runs: everything is as it was, per file refused where it changed since, whole or nothing whatever is killed."""

import contextlib
import errno
import io
import os
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Generator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pytest

from cli.speaking import Caller, Said, caller
from counterfoil.cli import main
from counterfoil.effects import carrying
from counterfoil.engine import killpoints
from counterfoil.places import Home
from counterfoil.runner.undoing import expire
from counterfoil.store.database import open_database
from counterfoil.views.undoing import KEPT_FOR_US
from effects.sets import killed_in_a_child
from house.repository import ROOT
from templates.tidy_folder.mixed import photographed

MANIFEST = """
name = "shake"
title = "Shake a folder"
description = "Every kind of change of files, under two approvals"
works_without_llm = true
asks = "several times"
permissions = ["write_file", "append_rows", "move_files", "delete_files", "make_folders"]
"""

WORKFLOW = '''
"""Does everything to files that can be done to them."""

from counterfoil import Params, append_rows, approve, delete_files, make_folders, move_files, workflow, write_file


class P(Params):
    pass


@workflow("shake")
async def shake(p: P) -> dict[str, str]:
    first = [
        append_rows("ledger.csv", [{"a": 1}], columns=["a"]),
        write_file("new/letter.txt", "dear"),
        move_files([("l.txt", "r.txt"), ("r.txt", "l.txt"), ("in/one.xml", "archive/one.xml"), ("Case.TXT", "case.txt")]),
        delete_files(["drop/x.txt", "drop"]),
        write_file("run.sh", "#!/bin/sh\\n", executable=True),
        make_folders(["empty/inner"]),
    ]
    await (await approve("First", plan=first)).perform()
    second = [
        append_rows("ledger.csv", [{"a": 2}], columns=["a"]),
        move_files([("archive/one.xml", "archive/2026/one.xml"), ("new/letter.txt", "sent/letter.txt")]),
    ]
    await (await approve("Second", plan=second)).perform()
    return {"summary": "shaken"}
'''

OLD = {
    "ledger.csv": "a\n0\n",
    "l.txt": "L",
    "r.txt": "R",
    "in/one.xml": "1",
    "drop/x.txt": "X",
    "Case.TXT": "c",
    "run.sh": "#!/bin/sh\n",
}

Photo = dict[str, tuple[object, ...]]


@dataclass
class Shaken:
    """A home and a workspace in which the run has ended."""

    folder: Path
    before: Photo
    after: Photo
    call: Caller

    @property
    def workspace(self) -> Path:
        """Where the files are."""
        return self.folder / "files"

    @property
    def home(self) -> Home:
        """Where the run is."""
        return Home(self.folder / "home")

    def undo(self, *words: str) -> Said:
        """The command, in this process."""
        return self.call("undo", "r-1", *words)

    def undo_killed(self, point: str, visit: int) -> None:
        """The command in a process that is killed at a visit of a point."""
        act = partial(_program, self.home.root, "undo", "r-1")
        assert killed_in_a_child(act, lambda _: killpoints.arm(point, visit, lambda _: None))


@pytest.fixture(scope="module")
def ended(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Photo, Photo]:
    """The run, made once by the real runner: where, and the workspace before and after it."""
    folder = tmp_path_factory.mktemp("undo")
    workspace = folder / "files"
    template = workspace / ".counterfoil/templates/shake"
    template.mkdir(parents=True)
    (template / "template.toml").write_text(MANIFEST)
    (template / "workflow.py").write_text(WORKFLOW)
    for number, (path, text) in enumerate(OLD.items()):
        (workspace / path).parent.mkdir(exist_ok=True)
        (workspace / path).write_text(text)
        os.utime(workspace / path, ns=(10**18 + number, 10**18 + number))
    (workspace / "drop").chmod(0o750)
    before = photographed(workspace)
    for words in (
        ["run", "shake", "--workspace", str(workspace)],
        ["runner", "--until-idle"],
        ["approve", "g-1", "--confirm", "5"],
        ["runner", "--until-idle"],
        ["approve", "g-2"],
        ["runner", "--until-idle"],
    ):
        assert _program(folder / "home", *words) in (0, 3), words  # 3: somebody is asked
    after = photographed(workspace)
    assert after != before
    for name in ("files", "home"):
        shutil.copytree(folder / name, folder / f"{name}.kept")
    return folder, before, after


def _program(home: Path, *words: str) -> int:
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        return main(["--home", str(home), *words])


@pytest.fixture
def shaken(ended: tuple[Path, Photo, Photo], capsys: pytest.CaptureFixture[str]) -> Generator[Shaken]:
    """The run as it has ended; its trail is sound whatever a test does."""
    folder, before, after = ended
    for name in ("files", "home"):
        shutil.rmtree(folder / name)
        shutil.copytree(folder / f"{name}.kept", folder / name)
    with contextlib.closing(sqlite3.connect(folder / "home/counterfoil.db")) as raw, raw:
        raw.execute("DELETE FROM standing WHERE name = 'place'")  # no copy that somebody has to look at
    found = Shaken(folder, before, after, caller(capsys, folder / "home"))
    yield found
    assert found.call("trail", "--verify").code == 0


def test_everything_comes_back_with_its_times_and_rights(shaken: Shaken) -> None:
    said = shaken.undo("--comment", "wrong month")
    assert (said.code, said.err) == (0, "")
    assert said.out.startswith("r-1: 8 files are put back.\n")
    assert photographed(shaken.workspace) == shaken.before
    told = {entry["kind"]: entry for entry in shaken.call("trail", "--json").document}
    assert "asked to put back 8 files of run 1: wrong month" in told["undo_asked"]["summary"]
    assert told["undone"]["summary"] == "8 files are put back as before run 1"
    assert "Done, then undone" in shaken.call("runs").out
    sheet = shaken.call("show", "r-1")
    assert (sheet.code, sheet.err) == (0, "")
    assert "Done, then undone" in sheet.out
    assert shaken.call("show", "r-1", "--json").document["undone"] == "wholly"
    again = shaken.undo()
    assert again.code == 1
    assert "Run r-1 was undone by" in again.err
    assert "Nothing is left to put back." in again.err
    assert photographed(shaken.workspace) == shaken.before


def test_json_is_the_wish(shaken: Shaken) -> None:
    document = shaken.undo("--json").document
    assert list(document) == ["undo_id", "run_id", "state", "message", "paths", "by", "comment", "asked_at", "ended_at"]
    assert (document["state"], len(document["paths"])) == ("done", 8)


def test_refused_file_by_file_and_the_rest_put_back(shaken: Shaken) -> None:
    (shaken.workspace / "ledger.csv").write_text("a\n0\n1\n2\n3\n")
    (shaken.workspace / "sent/letter.txt").unlink()
    (shaken.workspace / "Case.TXT").write_text("theirs")
    found = photographed(shaken.workspace)
    said = shaken.undo()
    assert said.code == 1
    for sentence in (
        "ledger.csv was changed at ",
        "sent/letter.txt is gone.",
        "Something else is at Case.TXT by now.",
        "The other 5 files can be put back. Nothing was put back.",
        "counterfoil undo r-1 --only .",
    ):
        assert sentence in said.err
    assert photographed(shaken.workspace) == found
    assert shaken.undo("--only", "ledger.csv").code == 1
    assert shaken.call("show", "r-1", "--json").document["undone"] is None
    rest = shaken.undo("--only", ".")
    assert "Done, then partly undone" in shaken.call("show", "r-1").out
    assert (rest.code, rest.err) == (0, "")
    now = photographed(shaken.workspace)
    held = {"ledger.csv", "case.txt", "Case.TXT"}
    assert {path: facts for path, facts in now.items() if path not in held} == {
        path: facts for path, facts in shaken.before.items() if path not in held
    }
    assert {path: now[path] for path in held} == {path: found[path] for path in held}


def test_files_that_changed_since_are_compared(shaken: Shaken) -> None:
    nothing = shaken.undo("--compare")
    assert (nothing.code, nothing.out) == (0, "")
    assert "there is nothing to compare: what is there now is what run r-1 left." in nothing.err
    (shaken.workspace / "ledger.csv").write_text("a\n0\n1\n2\n3\n")
    (shaken.workspace / "run.sh").write_text("#!/bin/sh\nexit 1\n")
    (shaken.workspace / "archive/2026/one.xml").write_text("2")
    (shaken.workspace / "Case.TXT").write_text("theirs")
    (shaken.workspace / "sent/letter.txt").unlink()
    found = photographed(shaken.workspace)
    refused = shaken.undo()
    assert "; to see what changed: counterfoil undo r-1 --compare" in refused.err
    said = shaken.undo("--compare")
    assert (said.code, said.err) == (0, "counterfoil: sent/letter.txt is gone.\n")
    for line in (
        "  ledger.csv  8 B → 10 B · 1 line added, 0 lines removed.",
        "      ! Compared: as the run left it, and as it is now.",
        "      + 5  3",
        "  run.sh  10 B → 17 B · 1 line added, 0 lines removed.",
        "      + 2  exit 1",
        "  archive/2026/one.xml  1 B",
        "! Compared: as the run left it, and as it is now. The run only moved this file, so what it held then is not kept.",
        "  Case.TXT  1 B → 6 B",
        "      ! Compared: what would come back, and what is there now.",
        "      − 1  c",
        "      + 1  theirs",
    ):
        assert line in said.out
    assert photographed(shaken.workspace) == found
    one = shaken.undo("--compare", "--only", "ledger.csv", "--json").document
    assert [(entry["kind"], entry["title"], entry["data"]["kind"]) for entry in one] == [("diff", "ledger.csv", "text")]
    assert (
        shaken.undo("--compare", "--only", "archive/", "--json").document[0]["data"]["path"] == "archive/2026/one.xml"
    )


def test_a_full_disk_puts_nothing_back_and_says_so(shaken: Shaken, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(carrying, "write_all", full)
        said = shaken.undo()
    assert said.code == 1
    assert "The folder cannot be written (no space left on device); nothing was put back." in said.err
    assert photographed(shaken.workspace) == shaken.after
    assert shaken.undo().code == 0
    assert photographed(shaken.workspace) == shaken.before


def test_a_file_may_be_held_open(shaken: Shaken) -> None:
    with (shaken.workspace / "ledger.csv").open("rb") as held, (shaken.workspace / "r.txt").open("r+b"):
        assert shaken.undo().code == 0
        assert held.read() == b"a\n0\n1\n2\n"
    assert photographed(shaken.workspace) == shaken.before


@pytest.mark.parametrize("point", [("after_journal", 1), ("after_each_file", 1), ("after_each_file", 9)])
def test_killed_in_the_middle_the_runner_carries_it_on(shaken: Shaken, point: tuple[str, int]) -> None:
    shaken.undo_killed(*point)
    assert photographed(shaken.workspace) != shaken.before
    assert shaken.call("runner", "--until-idle").code == 0
    assert photographed(shaken.workspace) == shaken.before
    assert "was undone by" in shaken.undo().err


def test_killed_and_then_changed_by_somebody_it_is_as_the_run_left_it(shaken: Shaken) -> None:
    shaken.undo_killed("after_each_file", 4)
    (shaken.workspace / "ledger.csv").write_text("theirs")
    assert shaken.call("runner", "--until-idle").code == 0
    now = photographed(shaken.workspace)
    assert now.pop("ledger.csv")[2] == b"theirs"
    assert now == {path: facts for path, facts in shaken.after.items() if path != "ledger.csv"}
    assert "ledger.csv was changed" in shaken.undo().err


def test_the_living_runner_does_it(shaken: Shaken) -> None:
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "app")}
    command = [sys.executable, "-m", "counterfoil", "--home", str(shaken.home.root), "runner"]
    runner = subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True)
    assert runner.stderr is not None
    try:
        assert "the runner is running" in runner.stderr.readline()
        said = shaken.undo()
    finally:
        runner.send_signal(signal.SIGINT)
        runner.communicate(timeout=120)
    assert (said.code, said.err) == (0, "")
    assert photographed(shaken.workspace) == shaken.before


def test_a_run_that_waits_is_stopped_first(shaken: Shaken) -> None:
    call = shaken.call
    shaken.undo()
    call("run", "shake", "--workspace", str(shaken.workspace))
    assert "Run r-2 changed no files, so there is nothing to undo." in call("undo", "r-2").err
    call("runner", "--until-idle")
    call("approve", "g-3", "--confirm", "5")
    call("runner", "--until-idle")
    between = photographed(shaken.workspace)
    assert "Run r-2 has not ended. Stop it first, then undo it." in call("undo", "r-2").err
    assert photographed(shaken.workspace) == between != shaken.before
    call("cancel", "r-2")
    assert call("undo", "r-2").code == 0
    assert photographed(shaken.workspace) == shaken.before


def kept(shaken: Shaken) -> str:
    """What the check-up says of it."""
    [line] = [check["means"] for check in shaken.call("doctor", "--json").document if check["what"] == "Undo"]
    return str(line)


def test_after_thirty_days_it_is_too_late(shaken: Shaken) -> None:
    assert re.fullmatch(
        r"[\d,.]+ k?B of files as they were before runs changed them; each is kept for 30 days\.", kept(shaken)
    )
    database = open_database(shaken.home)
    try:
        expire(database, shaken.home, database.clock.now_us() + KEPT_FOR_US)
    finally:
        database.close()
    assert list(shaken.home.undo.iterdir()) == []
    assert kept(shaken) == "Nothing is kept: no run has displaced a file in the last 30 days."
    said = shaken.undo()
    assert said.code == 1
    assert "held before is not kept any more." in said.err
    assert photographed(shaken.workspace) == shaken.after


def test_the_folder_is_gone(shaken: Shaken) -> None:
    shaken.workspace.rename(shaken.folder / "elsewhere")
    said = shaken.undo()
    (shaken.folder / "elsewhere").rename(shaken.workspace)
    assert said.code == 1
    assert f"The folder {shaken.workspace} is not there. Bring it back first, then undo the run." in said.err
