"""The first run to look at: asked in between, held without an answer, carried out with --yes, and honest about the bank."""

import os
import pty
import re
import select
import signal
import subprocess
import sys
from decimal import Decimal
from pathlib import Path

import pytest

from cli.note_template import write_template
from cli.speaking import Caller
from house.repository import ROOT
from views.rows import Office
from views.test_documents import RUN

ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT / "app"), "COLUMNS": "100"}


def test_yes_ends_with_a_payment_file(call: Caller, tmp_path: Path) -> None:
    place = tmp_path / "fresh"
    done = call("demo", "--yes", "--into", str(place))
    assert done.code == 0
    (written,) = (place / "payments").iterdir()
    amounts = re.findall(r"<InstdAmt Ccy=\"EUR\">([0-9.]+)<", written.read_text())
    assert sum(map(Decimal, amounts)) == Decimal("41208.90")
    assert "Write payment file for 12 invoices" in done.out
    assert "GB94 BARC 1020 1530 0934 59" in done.out
    assert "SE45 5000 0000 0583 9825 7466" in done.out
    assert "€41,208.90" in done.out
    assert "Nothing was sent to a bank." in done.out
    assert f"It lies here: {written}" in done.out
    assert call("show", "g-2", "--json").document["decisions"][0]["verdict"] == "approved"
    assert len(call("inbox", "--json").document) == 0
    assert call("trail", "--verify").code == 0


def test_without_a_terminal_it_says_how_to_decide(call: Caller, office: Office) -> None:
    held = call("demo")
    assert held.code == 3
    assert "counterfoil answer g-1" in held.out
    assert "g-1 is open and waits for you; nothing has been written." in held.err
    (place,) = (office.home.root / "demo").iterdir()
    assert not (place / "payments").exists()
    assert [gate["kind"] for gate in call("inbox", "--json").document] == ["question"]
    assert call("answer", "g-1", "--json").code == 0
    assert call("runner", "--until-idle").code == 3
    approved = call("approve", "g-2", "--json")
    assert approved.code == 0
    assert call("runner", "--until-idle").code == 0
    assert len(list((place / "payments").iterdir())) == 1


def test_json_is_one_run_document(call: Caller, tmp_path: Path) -> None:
    held = call("demo", "--json", "--into", str(tmp_path / "a"))
    assert held.code == 3
    assert list(held.document) == RUN
    assert held.document["gates"][0]["number"] == 1
    done = call("demo", "--yes", "--json", "--into", str(tmp_path / "b"))
    assert (done.code, done.document["state"]) == (0, "done")


def test_folder_with_something_in_it_is_left_alone(call: Caller, tmp_path: Path) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "full/mine.txt").write_text("mine")
    refused = call("demo", "--into", str(tmp_path / "full"), "--json")
    assert (refused.code, refused.error["code"]) == (2, "wrong_workspace")
    assert [file.name for file in (tmp_path / "full").iterdir()] == ["mine.txt"]


def on_terminal(command: list[str], answers: list[tuple[str, str]]) -> tuple[int, str]:
    """Run a command on a terminal; each answer is typed once its text has appeared."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "counterfoil", *command], env=ENVIRONMENT, stdin=theirs, stdout=theirs, stderr=theirs
    )
    os.close(theirs)
    seen, fresh, waiting = "", "", list(answers)
    while select.select([ours], [], [], 120)[0]:
        try:
            chunk = os.read(ours, 65536).decode("utf-8", "replace")
        except OSError:  # the program has closed its side
            break
        seen, fresh = seen + chunk, fresh + chunk
        if waiting and waiting[0][0] in fresh:
            os.write(ours, waiting.pop(0)[1].encode())
            fresh = ""
    os.close(ours)
    return process.wait(timeout=120), seen


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo terminal")
def test_person_on_a_terminal_is_asked(office: Office, tmp_path: Path) -> None:
    command = ["--home", str(office.home.root), "demo", "--into", str(tmp_path / "fresh")]
    code, seen = on_terminal(command, [("leave it open: ", "y\n"), ("leave it open: ", "q\n")])
    assert code == 3
    assert "go on as it stands, holding what is open" in seen
    assert "approve as it stands" in seen
    assert not (tmp_path / "fresh/payments").exists()


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo terminal")
def test_person_may_say_no(office: Office, tmp_path: Path, call: Caller) -> None:
    command = ["--home", str(office.home.root), "demo", "--into", str(tmp_path / "fresh")]
    answers = [("leave it open: ", "y\n"), ("leave it open: ", "r\n"), ("Why", "wrong period\n")]
    code, seen = on_terminal(command, answers)
    assert code == 0
    assert "No payment file was written." in seen
    assert not (tmp_path / "fresh/payments").exists()
    assert call("show", "g-2", "--json").document["decisions"][0]["comment"] == "wrong period"


@pytest.mark.skipif(sys.platform == "win32", reason="sends SIGINT")
def test_interrupted_waiting_keeps_the_run(office: Office, tmp_path: Path, call: Caller) -> None:
    workspace = tmp_path / "files"
    workspace.mkdir()
    write_template(workspace)
    words = ["--home", str(office.home.root), "run", "note", "--workspace", str(workspace), "--set", "text=x"]
    command = [sys.executable, "-m", "counterfoil", *words, "--set", "end=sleep", "--wait", "--json"]
    waiting = subprocess.Popen(command, env=ENVIRONMENT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert waiting.stderr is not None
    assert "✓ compose" in waiting.stderr.readline()
    waiting.send_signal(signal.SIGINT)
    out, err = waiting.communicate(timeout=120)
    assert waiting.returncode == 130
    assert '"interrupted"' in out
    assert "Run r-1 is kept with every step it has done. It carries on with: counterfoil runner" in err
    assert call("show", "r-1", "--json").document["steps"][0]["state"] == "done"
