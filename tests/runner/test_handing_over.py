"""An upgrade drains and hands over; a runner that crashes is started again after a pause that grows."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import threading
from pathlib import Path
from typing import IO

import pytest

from counterfoil.errors import RunnerTrouble
from counterfoil.places import Home
from counterfoil.runner import handing_over, lease
from counterfoil.runner.keeping_up import LONGEST, KeptUp
from counterfoil.runner.lease import lock_file, unlock
from counterfoil.runner.tenure import Tenure
from counterfoil.store import leases
from counterfoil.store.database import open_database
from counterfoil.store.writer import Writer
from runner.real_runner import PATIENCE, running, until


def test_a_newcomer_lets_the_old_runner_drain_and_takes_over(tmp_path: Path) -> None:
    home = Home(tmp_path / "home").create()
    database = open_database(home)

    def holder() -> int:
        row = leases.read(database.reader)
        return row["pid"] if row and leases.alive(row, database.clock.now_us()) else 0

    with running(home.root) as old:
        until(lambda: holder() == old.pid, "the old runner works")
        with running(home.root, "--take-over") as new:
            until(lambda: holder() == new.pid, "the new runner works")
            assert old.wait(timeout=PATIENCE) == 0
            assert not (home.run / "hand-over").exists()
    database.close()


def test_a_runner_that_does_not_let_go_is_named_and_nothing_is_left(tmp_path: Path) -> None:
    home = Home(tmp_path / "home").create()
    held = lock_file(home)
    assert held is not None
    with pytest.raises(RunnerTrouble, match="has not let go"):
        handing_over.ask(home, patience=0.3)
    assert not handing_over.is_wished(home)
    unlock(held)
    assert handing_over.ask(home, patience=0.3) is False


def test_a_runner_that_starts_while_another_leaves_has_the_lock_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without it the next would take it for dead, and take over."""
    home = Home(tmp_path / "home").create()
    database = open_database(home)
    asked: list[Home] = []

    def at_first_held(of: Home) -> IO[bytes] | None:
        asked.append(of)
        return lock_file(of) if asked[1:] else None

    monkeypatch.setattr(lease, "lock_file", at_first_held)
    mine = lease.Lease(database, home)
    mine.take()
    assert lock_file(home) is None
    mine.release()
    database.close()


def test_a_runner_that_took_over_from_one_that_hung_has_the_lock_when_that_one_is_gone(tmp_path: Path) -> None:
    home = Home(tmp_path / "home").create()
    database = open_database(home)
    hung, next_one = lease.Lease(database, home), Tenure(database, home)
    hung.take()
    database.transact(lambda txn: leases.release(txn, hung.holder))
    next_one.begin()
    hung.release()
    writer = Writer(database)

    async def renewed() -> bool:
        return await next_one.renew_once(writer)

    assert asyncio.run(renewed())
    writer.close()
    assert lock_file(home) is None
    next_one.end()
    database.close()


@pytest.mark.expects_log("it is started again in")
def test_a_crash_is_followed_by_a_start_and_each_pause_is_longer(tmp_path: Path) -> None:
    lives = tmp_path / "lives"
    code = f"import os, signal; open({str(lives)!r}, 'a').write('x'); n = os.path.getsize({str(lives)!r}); "
    code += "os.kill(os.getpid(), signal.SIGKILL) if n < 4 else None"
    kept = KeptUp([sys.executable, "-c", code], first=0.01)
    assert kept.run() == 0
    assert lives.read_text() == "xxxx"
    assert kept.pauses == [0.01, 0.02, 0.04]
    assert LONGEST <= 60


def test_being_told_to_stop_ends_the_runner_and_starts_none(tmp_path: Path) -> None:
    mark = tmp_path / "began"
    code = f"import pathlib, time; pathlib.Path({str(mark)!r}).touch(); time.sleep(600)"
    kept = KeptUp([sys.executable, "-c", code])
    ended: list[int] = []
    thread = threading.Thread(target=lambda: ended.append(kept.run()))
    thread.start()
    until(mark.exists, "the process lives")
    kept.stop()
    thread.join(PATIENCE)
    assert ended == [0]


def test_a_runner_that_is_kept_up_survives_its_own_killing(tmp_path: Path) -> None:
    home = Home(tmp_path / "home").create()
    database = open_database(home)

    def holder() -> int:
        row = leases.read(database.reader)
        return row["pid"] if row and leases.alive(row, database.clock.now_us()) else 0

    with running(home.root, "--keep-up"):
        until(lambda: holder() != 0, "a runner works")
        first = holder()
        os.kill(first, signal.SIGKILL)
        until(lambda: holder() not in (0, first), "another one works")
        last = holder()
    until(lambda: not leases.alive({"pid": last, "expires_at": 2**62}, 0), "it ends with its parent")
    database.close()
