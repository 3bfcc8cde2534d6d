"""Settings of the home: the file and the entry in the trail, both or neither; a person's comments survive."""

import json
from pathlib import Path
from typing import Any

import pytest

from counterfoil.errors import WrongUse
from counterfoil.inbox import home_settings as module
from counterfoil.inbox.home_settings import change_setting, home_settings
from counterfoil.store import trail_rows
from counterfoil.store.database import Database
from views.rows import Office, make_office


@pytest.fixture
def office(tmp_path: Path) -> Any:
    made = make_office(tmp_path)
    yield made
    made.database.close()


def change(office: Office, name: str, value: Any) -> bool:
    return change_setting(office.database, office.home, "user:anna", name, value)


def entries(office: Office) -> list[Any]:
    return [row for row in trail_rows.entries(office.database.reader) if row["kind"] == "setting"]


def test_a_change_is_in_the_file_and_in_the_trail(office: Office) -> None:
    file = office.home.root / "settings.toml"
    file.write_text("# ours\n[window]\nundo_seconds = 7  # more than usual\n")
    assert change(office, "undo_seconds", 12)
    assert change(office, "quiet", "18:00-07:00")
    assert change(office, "mail", {"to": ["anna@example.org"], "account": "/w", "after": 20})
    assert not change(office, "hide", True), "it was so already"
    assert file.read_text().startswith("# ours\n[window]\nundo_seconds = 12  # more than usual\n")
    assert home_settings(office.home).plain() == {
        "undo_seconds": 12, "quiet": "18:00-07:00", "digest": 15, "hide": True,
        "mail": {"to": ["anna@example.org"], "account": "/w", "after": 20},
    }  # fmt: skip
    [first, quiet, mail] = entries(office)
    assert (first["by"], json.loads(first["before"]), json.loads(first["after"])) == (
        "user:anna", {"undo_seconds": 7}, {"undo_seconds": 12},
    )  # fmt: skip
    assert quiet["summary"] == "Anna changed quiet hours: none before, 18:00-07:00 now"
    assert mail["summary"].endswith("none before, anna@example.org after 20 min now")
    assert change(office, "mail", None)
    assert "mail" not in file.read_text()


@pytest.mark.parametrize(
    "name, value", [("undo_seconds", 61), ("quiet", "soon-later"), ("digest", -1), ("mail", {"to": []})]
)
def test_what_cannot_be_meant_changes_nothing(office: Office, name: str, value: Any) -> None:
    with pytest.raises(WrongUse):
        change(office, name, value)
    assert not (office.home.root / "settings.toml").exists()
    assert entries(office) == []


def test_a_file_that_cannot_be_written_leaves_no_entry(office: Office, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(module, "replace_file", full)
    with pytest.raises(WrongUse, match="No space left on device"):
        change(office, "undo_seconds", 9)
    assert entries(office) == []


def test_an_entry_that_cannot_be_kept_takes_the_file_back(office: Office, monkeypatch: pytest.MonkeyPatch) -> None:
    file = office.home.root / "settings.toml"
    file.write_text("[window]\nundo_seconds = 7\n")
    real = Database.transact

    def torn(self: Database, operation: Any) -> Any:
        def then_fails(txn: Any) -> Any:
            operation(txn)
            raise OSError(5, "the disk is gone")

        return real(self, then_fails)

    monkeypatch.setattr(Database, "transact", torn)
    with pytest.raises(OSError, match="the disk is gone"):
        change(office, "undo_seconds", 9)
    assert file.read_text() == "[window]\nundo_seconds = 7\n"
    assert entries(office) == []
