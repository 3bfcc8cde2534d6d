"""`service`: what starts at login, said exactly; and the question that is asked once, when a first schedule is kept at a terminal."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest

from cli.note_template import write_template
from cli.speaking import Caller
from counterfoil.cli.call import Call


@pytest.fixture(autouse=True)
def bare(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A computer without the system's tool, whose files for login lie in a folder of the test's own."""
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setenv("PATH", str(tmp_path / "no-tools"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    return tmp_path / "config/systemd/user"


def test_installing_and_removing_say_what_they_did(call: Caller, bare: Path) -> None:
    assert call("service", "status").out.startswith("At login: nothing starts (")
    done = call("service", "install")
    (unit,) = bare.iterdir()
    assert (done.code, done.out.splitlines()) == (
        0,
        [f"Wrote {unit}.", "There is no systemctl on this computer, so nothing starts it: counterfoil runner"],
    )
    found = call("service", "status", "--json").document
    assert {name: found[name] for name in ("installed", "current", "active", "runner", "paused")} == {
        "installed": True, "current": True, "active": None, "runner": None, "paused": None,
    }  # fmt: skip
    unit.write_text("[Unit]\n")
    assert "It would start another program than this one." in call("service", "status").out
    assert call("service", "remove").out.splitlines()[-1] == f"Removed {unit}."
    assert not unit.exists()
    assert call("service", "remove").out == f"It was not set up: there is no {unit}.\n"
    told = [one for one in call("trail", "--json").document if one["kind"] == "setting"]
    assert [(one["before"], one["after"]) for one in told] == [
        ({"start_at_login": False}, {"start_at_login": True}), ({"start_at_login": True}, {"start_at_login": False}),
    ], "what changes nothing is no entry"  # fmt: skip


@pytest.mark.parametrize("answer, files", [("y\n", 1), ("n\n", 0)])
def test_a_first_schedule_at_a_terminal_asks_once(
    call: Caller, bare: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, answer: str, files: int
) -> None:
    folder = tmp_path / "files"
    folder.mkdir()
    write_template(folder)
    add = ("--workspace", str(folder), "--set", "text=hello", "--rule", "Mondays at 9", "--zone", "Europe/Berlin")
    call("schedule", "add", "Unasked", "note", *add)
    assert not bare.exists()
    monkeypatch.setattr(Call, "can_ask", True)
    monkeypatch.setattr(sys, "stdin", io.StringIO(answer))
    assert call("schedule", "add", "First", "note", *add).code == 0
    assert len(list(bare.glob("*.service"))) == files
    monkeypatch.setattr(sys, "stdin", io.StringIO())  # asking again would end here
    assert call("schedule", "add", "Second", "note", *add).code == 0
