"""The folder of a run on the command line: said at the first run and by doctor."""

from pathlib import Path

import pytest

from cli.note_template import write_template
from cli.speaking import Caller


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
    assert found[0]["means"] == (f"{workspace}: 1 file, 3 B. Files can be created, renamed, removed.")
    assert [check["state"] for check in found] == ["ok", "warn"]
    assert found[1]["next"].startswith("That works, but")
    assert call("doctor", "--workspace", str(workspace / "nowhere")).code == 2


def test_broken_settings_of_files_say_what_to_write(call: Caller, workspace: Path) -> None:
    settings = workspace / ".counterfoil/workspace.toml"
    for text, said in (
        ("files = 3", "‘files’ must be a table"),
        ("[files]\nleave_out = 'x'", "‘leave_out’ in [files] must be a list"),
    ):
        settings.write_text(text)
        checks = call("doctor", "--workspace", str(workspace), "--json").document
        assert said in str(checks[-1])
