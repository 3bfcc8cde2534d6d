"""The folder of a run on the command line: said at the first run and by doctor, refused when it is too much, parts left out by name."""

from pathlib import Path

import pytest

from cli.note_template import write_template
from cli.speaking import Caller
from counterfoil.cli import main
from counterfoil.settings.workspace import files_chosen


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """A workspace in a synced folder, with some of what is left out."""
    place = tmp_path / "Dropbox" / "files"
    place.mkdir(parents=True)
    write_template(place)
    (place / ".env").write_text("SECRET=1")
    (place / "a.txt").write_text("one")
    return place


def test_the_first_run_says_what_is_unusual(call: Caller, workspace: Path) -> None:
    said = "counterfoil: This folder is synced by Dropbox. That works, but a colleague's change during a run will be shown to you as"
    assert said in call("run", "note", "--workspace", str(workspace), "--set", "text=x").err
    assert "Dropbox" not in call("run", "note", "--workspace", str(workspace), "--set", "text=x").err


def test_doctor_looks_at_a_folder(call: Caller, workspace: Path) -> None:
    told = call("doctor", "--workspace", str(workspace), "--json")
    found = [check for check in told.document if check["what"] == "Folder"]
    assert found[0]["means"] == (
        f"{workspace}: 1 file, 3 B. Left out of copies: .env. Files can be created, renamed, removed."
    )
    assert [check["state"] for check in found] == ["ok", "warn"]
    assert found[1]["next"].startswith("That works, but")
    assert call("doctor", "--workspace", str(workspace / "nowhere")).code == 2


def test_too_much_is_refused_and_a_part_can_be_left_out(
    call: Caller, workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("counterfoil.stage.survey.MOST_FILES", 5)
    for number in range(6):
        (workspace / "archive").mkdir(exist_ok=True)
        (workspace / f"archive/{number}").write_text("x")
    start = ["run", "note", "--workspace", str(workspace), "--set", "text=x", "--json"]
    refused = call(*start)
    assert refused.code == 2
    assert (
        "holds 7 files, 0 MB in 1 folder; a run works on a copy, and copies at most 5 files" in refused.error["message"]
    )
    assert "Its largest parts: archive (6 files, 0 MB)" in refused.error["message"]
    assert "--leave-out NAME" in refused.error["next"]
    assert call("doctor", "--workspace", str(workspace), "--json").document[-1]["state"] == "bad"
    assert call(*start, "--leave-out", "archive/").code == 0
    assert files_chosen(workspace) == (frozenset({"archive"}), frozenset())
    assert call(*start).code == 0


@pytest.mark.parametrize("path", ["../x", "/etc/../..", "", "a//b"])
def test_what_lies_elsewhere_cannot_be_left_out(path: str, call: Caller, workspace: Path) -> None:
    refused = call("run", "note", "--workspace", str(workspace), "--set", "text=x", "--leave-out", path, "--json")
    assert refused.code == 2
    assert refused.error["message"].startswith(f"--leave-out {path}: ")
    assert not (workspace / ".counterfoil/workspace.toml").exists()


def test_broken_settings_of_files_say_what_to_write(call: Caller, workspace: Path) -> None:
    settings = workspace / ".counterfoil/workspace.toml"
    for text, said in (
        ("files = 3", "‘files’ must be a table"),
        ("[files]\nleave_out = 'x'", "‘leave_out’ in [files] must be a list"),
    ):
        settings.write_text(text)
        refused = call("run", "note", "--workspace", str(workspace), "--set", "text=x", "--json")
        assert said in refused.error["message"]


@pytest.mark.parametrize("place", ["loop", "~nobody-of-that-name/x"])
def test_a_place_that_leads_nowhere_is_a_sentence(
    call: Caller, workspace: Path, capsys: pytest.CaptureFixture[str], place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A folder that is a link is followed once, when it is named; links in a circle and accounts that nobody has are refused."""
    monkeypatch.chdir(workspace)
    (workspace / "loop").symlink_to("loop")
    elsewhere = workspace / "elsewhere"
    elsewhere.symlink_to(workspace / "real")
    (workspace / "real").mkdir()
    why = "its links lead in a circle, or nothing can be called that"
    refused = call("run", "note", "--workspace", place, "--set", "text=x", "--json")
    assert (refused.code, refused.error["code"]) == (2, "wrong_workspace")
    assert why in refused.error["message"]
    for words in (["demo", "--into", place], ["connector", "add", "x", "--code", place, "--", "/bin/true"]):
        refused = call("--json", *words)
        assert (refused.code, why in refused.error["message"]) == (2, True), words
    assert main(["--home", place, "runs"]) == 2
    said = capsys.readouterr()
    assert (said.out, why in said.err) == ("", True)
    looked = [check["means"] for check in call("doctor", "--workspace", str(elsewhere), "--json").document]
    assert any(means.startswith(f"{workspace / 'real'}: 0 files") for means in looked)
