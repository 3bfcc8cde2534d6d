"""The door: global options anywhere, exactly one document with --json, pinned codes, never a traceback."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from cli.speaking import Caller
from counterfoil import __version__, errors
from counterfoil.cli import entry
from counterfoil.cli.commands import COMMANDS
from house.repository import ROOT
from views.rows import Office, spec

CODES = {
    "error", "wrong_use", "wrong_parameter", "unknown_template", "broken_template", "unknown_gate", "unknown_rule", "unknown_run",
    "unknown_fact", "wrong_workspace", "wrong_answer", "refused", "gate_closed", "already_decided", "stale_digest", "claimed_elsewhere",
    "needs_confirmation", "not_allowed", "run_ended", "runner", "store", "newer_database", "disk_full", "damaged", "secret_missing",
    "run_damaged",
    "interrupted", "unknown_schedule", "wrong_rule", "not_ready", "not_now", "packages_missing", "fetch_failed",
    "not_isolated", "less_protection", "too_much_changed", "nothing_to_undo", "undo_refused", "paused", "start_at_login",
    "no_answer", "not_exported",
}  # fmt: skip


def test_codes_are_pinned() -> None:
    def below(kind: type[errors.CounterfoilError]) -> set[str]:
        # what the window alone can meet never comes out of the command line, and may be imported by another test or not
        children = [child for child in kind.__subclasses__() if not child.__module__.startswith("counterfoil.desktop")]
        return {kind.code}.union(*map(below, children))

    assert below(errors.CounterfoilError) == CODES


def test_version_and_overview(call: Caller) -> None:
    assert call("--version").out == f"counterfoil {__version__}\n"
    assert call("--version", "--json").document == {"version": __version__}
    overview = call("--help")
    assert overview.code == 0
    assert all(f"  {name} " in overview.out for name in COMMANDS)
    assert call("--help", "--json").document["commands"].keys() == COMMANDS.keys()


@pytest.mark.parametrize("name", COMMANDS)
def test_help_of_every_command(call: Caller, name: str) -> None:
    told = call(name, "--help")
    assert (told.code, told.err) == (0, "")
    assert told.out.startswith(f"Usage: counterfoil {name} ")
    assert "--home DIR" in told.out
    assert call(name, "--help", "--json").document["command"] == name


@pytest.mark.parametrize(
    "words, code",
    [
        (["inbx"], "wrong_use"),
        (["--nonsense"], "wrong_use"),
        (["approve"], "wrong_use"),
        (["approve", "g-1", "--nonsense"], "wrong_use"),
        (["runs", "--limit", "many"], "wrong_use"),
        (["runs", "--state", "redy"], "wrong_use"),
        (["secret"], "wrong_use"),
        (["secret", "lst"], "wrong_use"),
        (["show", "g-99"], "unknown_gate"),
        (["show", "r-99"], "unknown_run"),
        (["show", "abcdef"], "unknown_run"),
        (["approve", "xyz"], "unknown_gate"),
        (["cancel", "r-99"], "unknown_run"),
        (["retry", "r-99"], "unknown_run"),
        (["template", "show", "pay-invoice"], "unknown_template"),
        (["inbox", "--workspace", "/nowhere/at/all"], "wrong_workspace"),
    ],
)
def test_wrong_use_is_one_document_and_one_sentence(call: Caller, words: list[str], code: str) -> None:
    before, after = call("--json", *words), call(*words, "--json")
    assert before == after
    assert before.code == 2
    assert before.error["code"] == code
    assert before.error["next"]
    assert before.err.startswith("counterfoil: ")
    assert before.err.count("\n") == 1
    spoken = call(*words)
    assert (spoken.code, spoken.out, spoken.err) == (2, "", before.err)


def test_near_command_is_named(call: Caller) -> None:
    assert call("inbx").err == "counterfoil: no command ‘inbx’. Did you mean ‘inbox’?\n"


def test_home_may_stand_anywhere(capsys: pytest.CaptureFixture[str], office: Office) -> None:
    office.gate(office.run()["run_id"], 0, spec())
    for words in (["--home", str(office.home.root), "inbox"], ["inbox", f"--home={office.home.root}"]):
        assert entry.main(words) == 0
        assert "g-1" in capsys.readouterr().out
    assert entry.main(["inbox", "--home"]) == 2
    assert "--home needs a folder" in capsys.readouterr().err


def test_fault_of_our_own_is_a_sentence_and_its_trace_is_kept(
    call: Caller, office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> int:
        raise KeyError("amount")

    monkeypatch.setattr(entry, "_perform", broken)
    told = call("inbox", "--json")
    assert told.code == 1
    assert told.error["code"] == "error"
    assert "Traceback" not in told.err
    (kept,) = office.home.logs.glob("fault-*.txt")
    assert "KeyError: 'amount'" in kept.read_text()


def test_interrupt_says_what_is_kept(call: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr(entry, "_perform", interrupted)
    told = call("inbox", "--json")
    assert (told.code, told.error["code"]) == (130, "interrupted")
    assert told.err == "counterfoil: Interrupted. What was committed is kept.\n"


def shell(*words: str, **more: object) -> subprocess.CompletedProcess[bytes]:
    """The program in a process of its own."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "app"), **more}
    command = [sys.executable, "-m", "counterfoil", *words]
    return subprocess.run(command, env=environment, capture_output=True, check=False)  # type: ignore[arg-type]


def test_reader_who_goes_away_is_no_trouble(office: Office) -> None:
    run = office.run()
    for ordinal in range(300):
        office.gate(run["run_id"], ordinal, spec(title=f"Question {ordinal} {'x' * 300}"))
    command = f'"{sys.executable}" -m counterfoil --home "{office.home.root}" inbox --json | head -c 10'
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "app")}
    done = subprocess.run(command, shell=True, env=environment, capture_output=True, check=False)
    assert (done.stdout, done.stderr) == (b'[{"gate_id', b"")


def test_stdout_that_speaks_no_utf8_still_gets_a_document(office: Office) -> None:
    office.gate(office.run()["run_id"], 0, spec(title="Prüfen €"))
    done = shell("--home", str(office.home.root), "inbox", "--json", PYTHONIOENCODING="ascii", PYTHONUTF8="0")
    assert (done.returncode, done.stderr) == (0, b"")
    assert json.loads(done.stdout)[0]["title"] == "Prüfen €"
    page = shell("--home", str(office.home.root), "inbox", PYTHONIOENCODING="ascii", PYTHONUTF8="0")
    assert b"Pr\\xfcfen" in page.stdout


def test_words_that_are_no_text_still_get_a_document(office: Office) -> None:
    done = shell("--home", str(office.home.root), "show", "g-\udc80", "--json")
    assert done.returncode == 2
    assert "g-\udc80" in json.loads(done.stdout)["error"]["message"]


def test_only_what_a_command_needs_is_loaded(office: Office) -> None:
    heavy = "alembic, httpx, rich, keyring, lxml, PySide6, apscheduler"
    probe = (
        "import sys; from counterfoil.cli import main; code = main(sys.argv[1:]); "
        f"print([name for name in '{heavy}'.split(', ') if name in sys.modules], file=sys.stderr)"
    )
    command = [sys.executable, "-c", probe, "--home", str(office.home.root), "inbox", "--json"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "app")}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("[]\n", "[]\n")


def test_module_runs(tmp_path: Path) -> None:
    done = shell("--home", str(tmp_path), "--version")
    assert (done.returncode, done.stdout.decode().strip()) == (0, f"counterfoil {__version__}")
