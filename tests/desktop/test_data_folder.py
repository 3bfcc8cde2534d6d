"""A data folder that is newer, damaged, locked, full or forbidden: the window says so, claims nothing, and goes on when it can."""

import os
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication

from counterfoil.desktop.bridge import Bridge
from counterfoil.desktop.gate.sheets import WordsSheet
from counterfoil.desktop.parts.boxes import Banner
from counterfoil.desktop.parts.buttons import Button
from counterfoil.desktop.parts.labels import Prose
from counterfoil.desktop.theme import Theme
from counterfoil.places import Home
from counterfoil.store import database as database_module
from counterfoil.store import gates, quick_look, schema
from counterfoil.store.database import open_database
from desktop.real_home import RowsHome
from desktop.real_window import Seat
from house.repository import ROOT
from views.rows import spec

SHIFT = Qt.KeyboardModifier.ShiftModifier
CTRL = Qt.KeyboardModifier.ControlModifier
SOON = 0.2  # seconds that a lock is waited for here instead of 5 and 15

MakeSeat = Callable[[Home], Seat]


@pytest.fixture
def sit(qapp: QApplication, theme: Theme, monkeypatch: pytest.MonkeyPatch) -> Generator[MakeSeat]:
    """Opens windows on data folders; locks are not waited for long."""
    monkeypatch.setattr(database_module, "BUSY_MS", int(SOON * 1000))
    monkeypatch.setattr(quick_look, "_BUSY_MS", int(SOON * 1000))
    opened: list[Seat] = []

    def make(home: Home) -> Seat:
        opened.append(Seat(home, theme))
        return opened[-1]

    yield make
    for seat in opened:
        seat.close()


@pytest.fixture
def waiting(tmp_path: Path) -> Generator[RowsHome]:
    """A data folder in which one gate is open."""
    made = RowsHome(tmp_path)
    made.office.close()
    made.ask(made.rows.run()["run_id"], 0, spec(title="Write it"))
    yield made
    made.rows.database.close()


def shut(seat: Seat) -> Any:
    """The page that stands in place of all others; None while it does not."""
    page = seat.window._shut
    return page if page.isVisible() and page.head.text() else None


def claims_nothing(seat: Seat) -> None:
    """Neither that nothing waits, nor how the runner does, nor a first run that could not begin."""
    seat.listen()
    said = " ".join(seat.said)
    for claim in ("Nothing waits", "No runs yet", "Approve your first run", "Running", "Starting"):
        assert claim not in said
    assert seat.window.sidebar.runner._face.accessibleName().startswith("Runner: Not known")
    assert not seat.window.sidebar.runner.start.isVisible()
    assert seat.window.windowTitle() == "Counterfoil"


def newer(home: Home) -> None:
    open_database(home).close()
    raw = sqlite3.connect(home.database)
    raw.execute(f"PRAGMA user_version={schema.SCHEMA + 7}")
    raw.close()


def no_database(home: Home) -> None:
    home.root.mkdir()
    home.database.write_bytes(b"no database at all, but long enough to be looked at as one" * 100)


def torn(home: Home) -> None:
    open_database(home).close()
    data = bytearray(home.database.read_bytes())
    data[4096 : 4096 * 6] = b"\x55" * (4096 * 5)
    home.database.write_bytes(bytes(data))


def foreign(home: Home) -> None:
    home.root.mkdir()
    raw = sqlite3.connect(home.database)
    raw.execute("CREATE TABLE x (y)")
    raw.close()


def a_file(home: Home) -> None:
    home.root.write_text("a file")


@pytest.mark.parametrize(
    "spoil, says, then",
    [
        (newer, f"was written by a newer Counterfoil (data version {schema.SCHEMA + 7})", "Start the newer program"),
        (no_database, "The database is damaged (file is not a database). Nothing was changed.", "counterfoil doctor"),
        (torn, "The database is damaged (database disk image is malformed). Nothing was changed.", "restore a backup"),
        (foreign, "is a database of another program.", "Move it away"),
        (a_file, "is no folder, so it cannot be the data folder. Nothing was changed.", "Choose another folder"),
    ],
    ids=["newer", "no-database", "torn", "foreign", "a-file"],
)
def test_what_cannot_be_opened_is_said_and_nothing_is_claimed(
    sit: MakeSeat, tmp_path: Path, spoil: Callable[[Home], None], says: str, then: str
) -> None:
    home = Home(tmp_path / "home")
    spoil(home)
    before = home.root.read_bytes() if home.root.is_file() else home.database.read_bytes()
    seat = sit(home)
    page = seat.until(lambda: shut(seat), "the window says what is wrong")
    assert says in page.head.text()
    assert then in page.words.text()
    claims_nothing(seat)
    seat.press(Qt.Key.Key_2, CTRL)
    seat.rest(0.2)
    assert shut(seat)
    claims_nothing(seat)
    assert (home.root.read_bytes() if home.root.is_file() else home.database.read_bytes()) == before


def test_it_goes_on_as_soon_as_the_folder_can_be_used(sit: MakeSeat, waiting: RowsHome) -> None:
    home = waiting.rows.home
    holder = sqlite3.connect(home.database, isolation_level=None)
    waiting.rows.database.close()
    holder.execute("PRAGMA locking_mode=EXCLUSIVE")
    holder.execute("BEGIN EXCLUSIVE")
    seat = sit(home)
    page = seat.until(lambda: shut(seat), "the window says that it is locked")
    assert (
        page.head.text() == "The database is locked by another program, so it could not be used. Nothing was changed."
    )
    claims_nothing(seat)
    seat.click(page._try)
    assert page._try.accessibleName() == "Looking again…"
    seat.until(page._try.isEnabled, "it was tried again")
    assert page._try.accessibleName() == "Try again"
    holder.close()
    seat.click(page._try)
    seat.until(lambda: not shut(seat) and seat.detail.page, "the gate is there")
    assert seat.window.windowTitle() == "Counterfoil (1)"


def test_a_folder_that_goes_away_is_said_once_and_that_goes_by_itself(sit: MakeSeat, waiting: RowsHome) -> None:
    seat = sit(waiting.rows.home)
    seat.until(lambda: seat.detail.page, "the gate is there")
    kept = waiting.rows.home.database.with_suffix(".kept")
    waiting.rows.home.database.rename(kept)
    waiting.rows.home.database.mkdir()  # as if the drive had gone: nothing under this name can be opened
    seat.bridge.ask(seat.window, lambda office: office._glance.close(), lambda _: None)  # type: ignore[attr-defined]
    seat.until(lambda: _told(seat, "may be out of date"), "the window says so")
    seat.rest(0.5)
    assert seat.banners() == [
        "This account may not use the database (unable to open database file). Nothing was changed."
    ]
    waiting.rows.home.database.rmdir()
    kept.rename(waiting.rows.home.database)
    seat.until(lambda: not seat.banners(), "the banner goes when it can look again")


def test_a_decision_while_the_database_is_locked_is_refused_whole_and_can_be_given_again(
    sit: MakeSeat, waiting: RowsHome
) -> None:
    seat = sit(waiting.rows.home)
    seat.gate("approval")
    holder = sqlite3.connect(waiting.rows.home.database, isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    seat.click(seat.detail.bar.primary)
    assert seat.detail.bar.primary.accessibleName() == "Keeping your decision…"
    said = seat.until(lambda: next(one for one in seat.banners() if "locked" in one), "it is refused")
    assert "Nothing was changed." in said
    holder.execute("ROLLBACK")
    holder.close()
    assert decisions(waiting) == []
    seat.until(seat.detail.bar.primary.isEnabled, "it can be given again")
    seat.click(seat.detail.bar.primary)
    seat.until(seat.may_undo, "the decision is kept")
    assert len(decisions(waiting)) == 1


def test_a_full_disk_refuses_the_decision_and_says_how_full(sit: MakeSeat, waiting: RowsHome) -> None:
    seat = sit(waiting.rows.home)
    seat.gate("approval")
    room = Room(seat.bridge)
    room.set_to(0)
    seat.until(lambda: room.done, "there is no room any more")
    reason = "the amounts differ " * 20_000  # more than what is left on the last page
    seat.detail.focus_title()
    seat.press(Qt.Key.Key_R, CTRL | SHIFT)
    sheet = seat.detail.deciding.asking.sheet
    assert isinstance(sheet, WordsSheet)
    sheet.editor.setPlainText(reason)  # type: ignore[union-attr]
    seat.click(sheet.act)
    said = seat.until(lambda: next(one for one in seat.banners() if one.startswith("The disk is full (")), "refused")
    assert said.endswith(" free). Decisions cannot be kept, so none is accepted. Nothing is lost.")
    assert decisions(waiting) == []
    assert not seat.detail.bar.counting
    [key] = [one for one in seat.window.notices.findChildren(Button) if one.text() == "Show what takes space"]
    seat.click(key)
    seat.until(seat.window.pages["settings"].isVisible, "what takes space is shown")
    seat.window.show_page("inbox")
    room.set_to(2**30)
    seat.until(lambda: room.done, "there is room again")
    seat.detail.focus_title()
    seat.press(Qt.Key.Key_R, CTRL | SHIFT)
    again = seat.detail.deciding.asking.sheet
    assert again.text() == reason.strip()  # nothing that was written is lost
    seat.click(again.act)
    seat.until(seat.may_undo, "the decision is kept")
    (made,) = decisions(waiting)
    assert made["verdict"] == "rejected"
    assert not any(one.startswith("The disk is full (") for one in seat.banners())  # it is no more


def _told(seat: Seat, words: str) -> bool:
    """Whether it is written in a banner that can be seen."""
    shown = [one for one in seat.window.findChildren(Banner) if one.isVisible()]
    return any(words in label.text() for one in shown for label in one.findChildren(Prose))


class Room:
    """Lets the window's database grow by so many pages and no more, which to SQLite is a full disk."""

    def __init__(self, bridge: Bridge) -> None:
        self._bridge = bridge
        self._most = 0  # pages; of every connection that is taken from now on, since several may write
        self.done = False

    def set_to(self, pages: int) -> None:
        """From now on."""
        self.done = False

        def limit(office: Any) -> None:
            database = office._rooms._access.database
            with database.connect() as connection:
                now = int(connection.exec_driver_sql("PRAGMA page_count").scalar())
            begun, self._most = bool(self._most), now + pages
            if not begun:
                sa.event.listen(database._engine, "checkout", self._limit)

        self._bridge.ask(self._bridge, limit, self._set)

    def _limit(self, connection: sqlite3.Connection, *_record: object) -> None:
        connection.execute(f"PRAGMA max_page_count={self._most}")

    def _set(self, _nothing: object) -> None:
        self.done = True


def decisions(home: RowsHome) -> list[Any]:
    """What was decided on the one gate."""
    reader = home.rows.database.reader
    (row,) = gates.find(reader, "g-1")
    return gates.decisions(reader, row["gate_id"])


FORBIDDEN = """
import os, sys
from pathlib import Path
from counterfoil.desktop.real_office.office import RealOffice
from counterfoil.errors import StoreTrouble
from counterfoil.places import Home
if os.geteuid() == 0:
    os.setgroups([])
    os.setgid(65534)
    os.setuid(65534)
try:
    print(RealOffice(Home(Path(sys.argv[1]))).counts(None))
except StoreTrouble as problem:
    print(problem)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="rights are told otherwise there")
@pytest.mark.parametrize(
    "outer, inner, says",
    [
        (0o755, 0o700, "This account may not read and write in the data folder"),
        (0o755, 0o500, "This account may not read and write in the data folder"),
        (0o555, None, "cannot be made: this account may not write in"),
        (0o700, 0o700, "cannot be looked at (Permission denied)"),
    ],
)
def test_a_folder_without_permission_is_named_with_the_way_on(outer: int, inner: int | None, says: str) -> None:
    """Asked by another account where this one may do everything."""
    mine = os.geteuid() != 0
    with tempfile.TemporaryDirectory() as place:
        home = Path(place) / "home"
        if inner is not None:
            home.mkdir()
            home.chmod(inner & 0o077 if mine else inner)
        Path(place).chmod(outer & 0o577 if mine else outer)
        if mine and outer == 0o700:
            Path(place).chmod(0)
        done = subprocess.run(
            [sys.executable, "-P", "-c", FORBIDDEN, str(home)],
            capture_output=True, text=True, check=True, env={**os.environ, "PYTHONPATH": str(ROOT / "app")},
        )  # fmt: skip
        Path(place).chmod(0o700)
        if inner is not None:
            home.chmod(0o700)
    assert says in done.stdout
    assert "Choose another folder with --home DIR." in done.stdout
