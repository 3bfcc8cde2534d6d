"""A clock that jumps by more than a day holds every routine and asks once; sleep is no jump (durability.md 1.5)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from counterfoil.clock import FakeClock, SystemClock
from counterfoil.facts import NoticeKind
from counterfoil.places import Home
from counterfoil.schedules import clock_jumps
from counterfoil.schedules.clock_jumps import ClockWatch
from counterfoil.schedules.keeping import got_it
from counterfoil.schedules.telling import notice_sentences
from counterfoil.store import notices
from counterfoil.store.database import Database, open_database

HOUR = 3600 * 1_000_000


class TwoClocks(SystemClock):
    """What the computer says of the time, and how long it has been on."""

    def __init__(self) -> None:
        self.wall, self.on = 1_795_000_000_000_000, 5 * HOUR

    def now_us(self) -> int:
        return self.wall

    def since_start_us(self) -> int:
        return self.on

    def pass_by(self, hours: int) -> None:
        """Time passes, awake or asleep."""
        self.wall += hours * HOUR
        self.on += hours * HOUR


@pytest.fixture
def clocks() -> TwoClocks:
    return TwoClocks()


@pytest.fixture
def database(tmp_path: Path, clocks: TwoClocks) -> Iterator[Database]:
    made = open_database(Home(tmp_path / "home").create(), clocks)
    yield made
    made.close()


def said(database: Database) -> list[str]:
    return [one for one in notice_sentences(database.reader) if "clock" in one]


def test_time_that_passes_is_no_jump_and_neither_is_less_than_a_day(database: Database, clocks: TwoClocks) -> None:
    watch = ClockWatch(database)
    assert not watch.holds()
    clocks.pass_by(24 * 30)
    assert not watch.holds()
    clocks.wall += 23 * HOUR
    assert not watch.holds()
    assert not ClockWatch(database).holds()
    assert said(database) == []


@pytest.mark.parametrize("jump", [25 * HOUR, -400 * 24 * HOUR])
def test_a_jump_holds_and_asks_until_somebody_says_that_the_time_is_right(
    database: Database, clocks: TwoClocks, jump: int
) -> None:
    watch = ClockWatch(database)
    assert not watch.holds()
    clocks.wall += jump
    assert watch.holds()
    assert watch.holds()
    assert ClockWatch(database).holds()  # of a runner that was started anew
    (sentence,) = said(database)
    assert sentence.startswith("This computer's clock went from ")
    assert sentence.endswith("or it is put back. It is right: counterfoil schedule got-it")
    assert database.transact(lambda txn: got_it(txn, "user:anna")) == 1
    assert not watch.holds()
    assert not ClockWatch(database).holds()
    assert said(database) == []


def test_small_steps_do_not_add_up_unseen(database: Database, clocks: TwoClocks) -> None:
    watch = ClockWatch(database)
    assert not watch.holds()
    clocks.wall += 20 * HOUR
    assert not watch.holds()
    clocks.wall += 20 * HOUR
    assert watch.holds()


def test_a_clock_that_is_put_back_is_asked_about_no_more(database: Database, clocks: TwoClocks) -> None:
    watch = ClockWatch(database)
    assert not watch.holds()
    clocks.wall += 48 * HOUR
    assert watch.holds()
    clocks.wall -= 48 * HOUR
    assert not watch.holds()
    assert said(database) == []
    closed = notices.newest(database.reader, NoticeKind.CLOCK, "home")
    assert closed is not None
    assert closed["closed_by"] == "runner"


def test_a_computer_that_was_started_anew_cannot_tell_and_what_was_asked_stays_asked(
    database: Database, clocks: TwoClocks, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert not ClockWatch(database).holds()
    monkeypatch.setattr(clock_jumps, "boot", lambda: "another")
    clocks.wall, clocks.on = clocks.wall + 90 * 24 * HOUR, HOUR
    watch = ClockWatch(database)
    assert not watch.holds()
    clocks.wall += 48 * HOUR
    assert watch.holds()
    monkeypatch.setattr(clock_jumps, "boot", lambda: "a third")
    clocks.on = HOUR
    assert ClockWatch(database).holds()
    database.transact(lambda txn: got_it(txn, "user:anna"))
    assert not ClockWatch(database).holds()


def test_the_clocks_of_this_computer_agree_and_that_of_a_test_does_not_jump(tmp_path: Path) -> None:
    clock = SystemClock()
    began = clock.now_us() - clock.since_start_us()
    assert abs(clock.now_us() - clock.since_start_us() - began) < HOUR
    database = open_database(Home(tmp_path / "home").create(), FakeClock())
    assert not ClockWatch(database).holds()
    database.close()
