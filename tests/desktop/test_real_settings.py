"""Settings of a real data folder: what is typed is judged, what is kept is in the trail, and what is given away holds nobody's names."""

import getpass
import json
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

from counterfoil.clock import SystemClock
from counterfoil.desktop.real_office import settings_pages
from counterfoil.desktop.real_office.access import Access
from counterfoil.desktop.real_office.settings_pages import SettingsPages
from counterfoil.errors import WrongUse
from counterfoil.places import Home
from counterfoil.settings.window import undo_seconds
from counterfoil.store import trail_rows
from counterfoil.store.blobs import Blobs
from counterfoil.store.database import open_database
from counterfoil.views.support import LEFT_OUT, support_text


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path / "home").create()


@pytest.fixture
def desk(home: Home) -> Generator[SettingsPages]:
    database = open_database(home, SystemClock())
    yield SettingsPages(Access(home, database, Blobs(home), SystemClock(), "user:anna"))
    database.close()


def test_what_is_typed_is_kept_and_told(home: Home, desk: SettingsPages, tmp_path: Path) -> None:
    assert desk.set_undo(" 9 ") == "From now on a decision can be taken back for 9 seconds."
    assert undo_seconds(home.root) == desk.general().undo_seconds == 9
    assert desk.set_quiet("18.00", "7:30") == "From 18:00 to 07:30 only deadlines within the hour are told."
    assert desk.set_hide(on=False) == "Notices name what they are about."
    assert desk.set_digest("1") == "What comes within 1 minute of a message is told in the next one."
    (tmp_path / "desk/.counterfoil").mkdir(parents=True)
    (tmp_path / "desk/.counterfoil/workspace.toml").write_text('[mail]\nhost = "smtp.example.org"\n')
    assert desk.set_mail("a@b.example; c@d.example", str(tmp_path / "desk"), "20").startswith(
        "a@b.example and c@d.example hear"
    )
    seen = desk.notices()
    assert (seen.quiet, seen.digest, seen.hide) == (("18:00", "07:30"), 1, False)
    assert (seen.mail_to, seen.mail_account, seen.mail_after) == (
        ("a@b.example", "c@d.example"),
        str(tmp_path / "desk"),
        20,
    )
    assert desk.set_mail("", "", "") == "Nobody is mailed."
    assert desk.set_quiet("", "") == "There are no quiet hours."
    with desk._access.reading() as conn:
        told = [row for row in trail_rows.entries(conn) if row["kind"] == "setting"]
    assert [json.loads(row["after"]) for row in told][:2] == [{"undo_seconds": 9}, {"quiet": "18:00-07:30"}]
    assert len(told) == 7


@pytest.mark.parametrize(
    "act, words, said",
    [
        ("set_undo", ("61",), "‘61’ is no number of seconds from 0 to 60."),
        ("set_undo", ("²",), "‘²’ is no number of seconds"),
        ("set_digest", ("1441",), "from 0 to 1,440"),
        ("set_quiet", ("", "7:00"), "Quiet hours need a time at which they begin."),
        ("set_quiet", ("25:00", "7:00"), "‘25:00’ is no time of day."),
        ("set_quiet", ("07:00", "7:00"), "begin when they end"),
        ("set_mail", ("anna", "/", "5"), "‘anna’ is no address."),
        ("set_mail", ("a@b.example", "", "5"), "The account is a folder"),
        ("set_mail", ("a@b.example", "/", "x"), "‘x’ is no number of minutes"),
        ("set_mail", ("a@b.example", "/", "5"), "has no mail account"),
    ],
)
def test_what_cannot_be_meant_is_said(
    home: Home, desk: SettingsPages, act: str, words: tuple[str, ...], said: str
) -> None:
    with pytest.raises(WrongUse, match=said):
        getattr(desk, act)(*words)
    assert not (home.root / "settings.toml").exists()


def test_storage_counts_every_file_once(home: Home, desk: SettingsPages) -> None:
    for place, octets in (
        ("blobs/ab/x", 700),
        ("stages/1/x", 80),
        ("undo/1/x", 9),
        ("logs/runner.log", 11),
        ("demo/x", 5),
    ):
        (home.root / place).parent.mkdir(parents=True, exist_ok=True)
        (home.root / place).write_bytes(b"x" * octets)
    seen = desk.storage()
    sizes = {part.name: part.size for part in seen.parts}
    assert {name: sizes[name] for name in ("Kept values", "Your copies", "Undo", "Packages", "Logs", "Everything else")} == {
        "Kept values": 700, "Your copies": 80, "Undo": 9, "Packages": 0, "Logs": 11, "Everything else": 5,
    }  # fmt: skip
    assert sizes["Database"] >= home.database.stat().st_size > 0
    assert seen.total == sum(file.lstat().st_size for file in home.root.rglob("*") if file.is_file())
    assert seen.root == str(home.root)


@pytest.mark.parametrize(
    "found, starts, stale, words",
    [
        ({"installed": False, "current": None, "active": None}, False, False, "Nothing starts at login."),
        ({"installed": True, "current": True, "active": None}, True, False, "cannot be asked here"),
        ({"installed": True, "current": True, "active": True}, True, False, "The system runs it now."),
        ({"installed": True, "current": False, "active": True}, True, True, "another program"),
    ],
)
def test_what_starts_at_login_is_what_the_command_says(
    desk: SettingsPages, monkeypatch: pytest.MonkeyPatch, found: dict[str, Any], starts: bool, stale: bool, words: str
) -> None:
    asked: list[tuple[str, ...]] = []

    def answered(_home: Home, *command: str) -> dict[str, Any]:
        asked.append(command)
        return {**found, "file": "/c/counterfoil-runner.service"}

    monkeypatch.setattr(settings_pages, "call", answered)
    seen = desk.background()
    assert (seen.starts, seen.stale) == (starts, stale)
    assert words in desk.start_at_login(on=True)
    assert asked == [("service", "status"), ("service", "install")]


def test_what_is_given_away_names_nobody_and_nothing(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(getpass, "getuser", lambda: "canary-anna")
    monkeypatch.setenv("HOME", "/people/canary anna")
    checks: list[dict[str, Any]] = [
        {"what": "Program", "state": "ok", "means": "Counterfoil 1.0 on Python 3.11.2, linux.", "next": None},
        {"what": "Database", "state": "ok", "means": f"{home.root}/counterfoil.db, 48 MB, not damaged.", "next": None},
        {
            "what": "Data folder",
            "state": "bad",
            "means": "/canary/place cannot be written by canary-anna.",
            "next": None,
        },
        {"what": "Start at login", "state": "ok", "means": "By /people/canary anna/.config/x.service.", "next": None},
        {
            "what": "Window",
            "state": "warn",
            "means": "/people/canary anna/Canary AG/lib/QtCore.so and ‘/srv/Canary & canary’ cannot be loaded.",
            "next": None,
        },
        {
            "what": "Runner",
            "state": "warn",
            "means": "Python /usr/bin/python3 at /srv/The canary/x is off.",
            "next": None,
        },
        {"what": "Protection", "state": "warn", "means": "/usr/bin/bwrap may not.", "next": "profile canary"},
        {"what": "Pause", "state": "warn", "means": "Everything was paused by canary.", "next": None},
        {"what": "Settings", "state": "bad", "means": "settings.toml: canary@example.org is no address.", "next": None},
    ]
    text = support_text(checks, home, 0)
    assert "canary" not in text.lower()
    assert str(home.root) not in text
    assert "Database: fine. <data folder>/counterfoil.db, 48 MB, not damaged.\n" in text
    assert "Protection: look at this. /usr/bin/bwrap may not.\n" in text
    assert "Pause: look at this.\n" in text
    assert LEFT_OUT in text
