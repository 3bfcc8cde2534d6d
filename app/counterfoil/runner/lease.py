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

MANNERS = 0.5  # seconds that the holder of the file goes first
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
        alone = self._lock_file()
        if not alone:
            time.sleep(MANNERS)  # whoever has the file may have started just now and not written the row yet
        fence = self._database.transact(lambda txn: leases.take(txn, self.holder, os.getpid(), previous_is_dead=alone))
        if fence is None:
            self._unlock()
            row = leases.read(self._database.reader)
            pid = row["pid"] if row else 0
            raise RunnerTrouble(f"A runner is working already (process {pid}).", "Nothing needs to be started.")
        self.fence = fence

    def _lock_file(self) -> bool:
        """Whether no living process on this computer holds the file lock."""
        self._lock = lock_file(self._home)
        return self._lock is not None

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
