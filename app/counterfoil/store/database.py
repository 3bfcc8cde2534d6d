"""Opening the one database: where it may live, how it is set up, which version it has.

SQLite in WAL with synchronous=FULL (fullfsync on macOS) and foreign keys; transactions are ours (BEGIN IMMEDIATE), so the driver's
own are switched off. A network drive is refused, because WAL needs shared memory between processes.
"""

from __future__ import annotations

import contextlib
import sqlite3
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import sqlalchemy as sa

from counterfoil.clock import Clock, SystemClock
from counterfoil.errors import NewerDatabase, StoreTrouble
from counterfoil.places import Home, alone
from counterfoil.store import schema
from counterfoil.store.migrating import migrate
from counterfoil.store.transactions import Txn
from counterfoil.store.troubles import is_busy, refuse_unusable, trouble_of

T = TypeVar("T")
SCHEMA, APPLICATION = schema.SCHEMA, schema.APPLICATION
_NETWORK = frozenset({"nfs", "nfs4", "cifs", "smb3", "smbfs", "fuse.sshfs", "9p", "afs", "webdav", "davfs"})
_migrating = threading.Lock()  # what a revision says goes to whatever Alembic is doing in this process
_SMALLEST = 512  # bytes of the smallest database there can be
BUSY_MS = 15_000
_AGAIN = 0.01  # seconds


class Database:
    """One process's way to the checkpoint database; it holds no connection until one is needed."""

    def __init__(self, home: Home, clock: Clock | None = None) -> None:
        self.home = home
        self.clock = clock or SystemClock()
        self._engine = sa.create_engine(
            "sqlite://",
            creator=self._connect,
            poolclass=sa.pool.QueuePool,  # one connection is kept for the next caller, any number may be in use
            pool_size=1,
            max_overflow=-1,
            isolation_level=None,
        )
        self._reader: sa.Connection | None = None

    def _connect(self) -> sqlite3.Connection:
        with translated(self.home.root):
            raw = sqlite3.connect(
                self.home.database, isolation_level=None, timeout=BUSY_MS / 1000, check_same_thread=False
            )
            try:
                raw.execute(f"PRAGMA busy_timeout={BUSY_MS}")
                _keep_a_log(raw)
                raw.execute("PRAGMA synchronous=FULL")
                raw.execute("PRAGMA foreign_keys=ON")
                if sys.platform == "darwin":
                    raw.execute("PRAGMA fullfsync=ON")
            except sqlite3.Error:
                raw.close()
                raise
            return raw

    def connect(self) -> sa.Connection:
        """A new connection of the caller's own; close it."""
        return self._engine.connect()

    @property
    def reader(self) -> sa.Connection:
        """A connection for reads on the thread that opened this database; no transaction stays open on it."""
        if self._reader is None:
            self._reader = self.connect()
        return self._reader

    @contextlib.contextmanager
    def snapshot(self) -> Iterator[sa.Connection]:
        """Reads that all see the same moment."""
        connection = self.reader
        connection.exec_driver_sql("BEGIN")
        try:
            yield connection
        finally:
            connection.exec_driver_sql("ROLLBACK")
            connection.rollback()

    def transact(self, operation: Callable[[Txn], T]) -> T:
        """Run one operation in a transaction of its own, committed with a sync before this returns.

        Raises:
            DiskFull: nothing could be kept, and nothing was.
        """
        with self.connect() as connection, translated(self.home.root):
            connection.exec_driver_sql("BEGIN IMMEDIATE")
            txn = Txn(connection, self.clock.now_us())
            try:
                result = operation(txn)
            except BaseException:
                _rollback(connection)
                raise
            connection.exec_driver_sql("COMMIT")
            return result

    def close(self) -> None:
        """Let go of the reader."""
        if self._reader is not None:
            self._reader.close()
            self._reader = None
        self._engine.dispose()


def _keep_a_log(raw: sqlite3.Connection) -> None:
    """Into WAL, where the file is not yet: of two that change it at once SQLite refuses one at once, whatever its busy timeout."""
    until = time.monotonic() + BUSY_MS / 1000
    while True:
        try:
            raw.execute("PRAGMA journal_mode=WAL")
        except sqlite3.OperationalError as problem:
            if not is_busy(problem) or time.monotonic() > until:
                raise
            time.sleep(_AGAIN)
        else:
            return


def _rollback(connection: sa.Connection) -> None:
    raw: Any = connection.connection.driver_connection
    if raw.in_transaction:  # a full disk has rolled back by itself
        connection.exec_driver_sql("ROLLBACK")


@contextlib.contextmanager
def translated(place: Path | None = None) -> Iterator[None]:
    """Turn the driver's errors about the user's world into ours; `place` is the folder of the data, if it is known."""
    try:
        yield
    except (sa.exc.DatabaseError, sqlite3.DatabaseError) as problem:
        told = trouble_of(cause_of(problem), place)
        if told is None:
            raise
        raise told from problem


def cause_of(problem: BaseException) -> BaseException:
    """The driver's own error beneath SQLAlchemy's."""
    return getattr(problem, "orig", None) or problem


def open_database(home: Home, clock: Clock | None = None) -> Database:
    """The database of a home, made or migrated when needed.

    Raises:
        NewerDatabase: a newer version of the program wrote it.
        StoreTrouble: it lies where it cannot be safe, or is no database of ours.
    """
    _refuse_network(home.root)
    refuse_unusable(home)
    try:
        home.create()
    except OSError as problem:
        raise StoreTrouble(
            f"The data folder {home.root} cannot be used: {problem.strerror}.", "Choose another with --home DIR."
        ) from problem
    version = _version_of(home.database)
    if version > SCHEMA:
        raise NewerDatabase(
            f"The data in {home.root} was written by a newer Counterfoil (data version {version}); this one knows {SCHEMA}.",
            "Start the newer program, or choose another data folder with --home DIR.",
        )
    if version < SCHEMA:
        with _migrating, alone(home.run / "migrating.lock"):
            version = _version_of(home.database)  # another thread or process may have done it
            if version < SCHEMA:
                migrate(home.database, version, SCHEMA, APPLICATION)
    return Database(home, clock)


def integrity(conn: sa.Connection) -> str:
    """SQLite's own verdict on the whole file: "ok", or the first things that are wrong."""
    return "; ".join(str(row[0]) for row in conn.exec_driver_sql("PRAGMA quick_check(3)"))


def _version_of(path: Path) -> int:
    if not path.exists() or path.stat().st_size == 0:
        return 0
    try:
        # Only SQLite may open this file: closing it here would end the locks of every other connection of this process.
        if path.stat().st_size < _SMALLEST:  # SQLite takes a file of a few bytes for an empty database
            raise sqlite3.DatabaseError("it is too short")
        with contextlib.closing(sqlite3.connect(path, timeout=BUSY_MS / 1000)) as raw:
            application, version = (
                int(raw.execute(f"PRAGMA {what}").fetchone()[0]) for what in ("application_id", "user_version")
            )
            foreign = application != APPLICATION and raw.execute("SELECT 1 FROM sqlite_master").fetchone() is not None
    except sqlite3.DatabaseError as problem:
        raise StoreTrouble(
            f"{path} is not a database of Counterfoil: {problem}.",
            "Move it away, or restore a backup of the data folder.",
        ) from problem
    if foreign:
        raise StoreTrouble(
            f"{path} is a database of another program.", "Move it away, or choose another folder with --home DIR."
        )
    return version if application == APPLICATION else 0


def _refuse_network(folder: Path) -> None:
    kind = filesystem_of(folder)
    if kind in _NETWORK:
        raise StoreTrouble(
            f"The data folder {folder} lies on a network drive ({kind}), where a database can be damaged.",
            "Choose a folder on this computer with --home DIR.",
        )


def filesystem_of(folder: Path) -> str:
    """The file system a folder lies on, as Linux names it; "" where that cannot be told."""
    mounts = Path("/proc/self/mounts")
    if not mounts.exists():
        return ""
    best, kind = "", ""
    for line in mounts.read_text(encoding="utf-8", errors="surrogateescape").splitlines():
        parts = line.split(" ")
        point = parts[1].replace("\\040", " ")
        if (f"{folder}/").startswith(point.rstrip("/") + "/") and len(point) >= len(best):
            best, kind = point, parts[2]
    return kind
