"""One runner per data folder: a lease in the database with a fence, and a file lock that tells at once when its holder has died."""

from __future__ import annotations

import os
import sys
import time
import uuid
from typing import IO

from counterfoil.errors import RunnerTrouble
from counterfoil.places import Home
from counterfoil.store import leases
from counterfoil.store.database import Database
from counterfoil.store.holders import process_lives

MANNERS = 0.5  # seconds that the holder of the file goes first, if it can be the one that has not renewed
_LOOK = 0.05
RENEW_EVERY = 5.0  # seconds; the lease lasts 15


class Lease:
    """The right to be the runner of a home."""

    def __init__(self, database: Database, home: Home) -> None:
        self.holder = uuid.uuid4().hex  # random per process start: two processes never share one
        self.fence = 0
        self._database = database
        self._home = home
        self._lock: IO[bytes] | None = None

    def take(self) -> None:
        """Become the runner.

        Raises:
            RunnerTrouble: another one lives.
        """
        alone = self.lock() or self._lock_later()
        fence = self._database.transact(lambda txn: leases.take(txn, self.holder, os.getpid(), previous_is_dead=alone))
        if fence is None:
            self._unlock()
            row = leases.read(self._database.reader)
            pid = row["pid"] if row else 0
            raise RunnerTrouble(f"A runner is working already (process {pid}).", "Nothing needs to be started.")
        self.fence = fence

    def lock(self) -> bool:
        """Have the file lock, if no other living process on this computer does; whether it is had."""
        self._lock = self._lock or lock_file(self._home)
        return self._lock is not None

    def _lock_later(self) -> bool:
        """Somebody has the file who has just started and not written the row yet, is just leaving, only looks, or hangs."""
        row = leases.read(self._database.reader)
        patience = MANNERS if row is not None and process_lives(row["pid"]) else leases.TTL_US / 1_000_000
        until = time.monotonic() + patience
        while time.monotonic() < until and not runner_alive(self._database):
            time.sleep(_LOOK)
            if self.lock():
                return True
        return False

    def _unlock(self) -> None:
        if self._lock is not None:
            unlock(self._lock)
            self._lock = None

    def release(self) -> None:
        """Let the next runner in at once."""
        self._database.transact(lambda txn: leases.release(txn, self.holder))
        self._unlock()


def lock_file(home: Home) -> IO[bytes] | None:
    """The lock of a home's runner, held until it is given to `unlock` or this process dies; None where a living process holds it."""
    handle = (home.run / "runner.lock").open("ab")
    if sys.platform == "win32":
        import msvcrt

        try:
            msvcrt.locking(handle.fileno(), msvcrt.LK_NBLCK, 1)
        except OSError:
            handle.close()
            return None
    else:
        import fcntl

        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            handle.close()
            return None
    return handle


def unlock(handle: IO[bytes]) -> None:
    """Let go of the lock of a runner."""
    handle.close()


def runner_alive(database: Database) -> bool:
    """Whether a runner holds the lease, has renewed it in time, and its process is there."""
    return leases.alive(leases.read(database.reader), database.clock.now_us())
