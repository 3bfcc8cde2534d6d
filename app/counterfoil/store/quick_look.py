"""A quick look at the database, for a window that must be there at once: the driver alone, read only, no SQLAlchemy to import."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterator, Sequence
from typing import Any
from urllib.parse import quote

from counterfoil.errors import NewerDatabase, StoreTrouble
from counterfoil.places import Home
from counterfoil.store.schema import APPLICATION, SCHEMA
from counterfoil.store.troubles import refuse_unusable, trouble_of

Fields = Sequence[Any]
_BUSY_MS = 5_000


class QuickLook:
    """One connection for looks, opened when the database is there; used by one thread."""

    def __init__(self, home: Home) -> None:
        self._home = home
        self._conn: sqlite3.Connection | None = None

    def connection(self) -> sqlite3.Connection | None:
        """The connection; None while there is no database of this data version.

        Raises:
            NewerDatabase: a newer version of the program wrote it.
            StoreTrouble: it cannot be opened, or its folder cannot be used.
        """
        if self._conn is None:
            refuse_unusable(self._home)
            self._conn = self._opened() if self._home.database.exists() else None
        return self._conn

    def _opened(self) -> sqlite3.Connection | None:
        with _translated():
            place = f"file:{quote(str(self._home.database))}?mode=rw"
            conn = sqlite3.connect(place, uri=True, isolation_level=None, timeout=_BUSY_MS / 1000)
            try:
                conn.execute(f"PRAGMA busy_timeout={_BUSY_MS}")
                conn.execute("PRAGMA query_only=ON")
                conn.execute("PRAGMA cache_size=-32000")
                version = int(conn.execute("PRAGMA user_version").fetchone()[0])
                ours = conn.execute("PRAGMA application_id").fetchone()[0] == APPLICATION
                empty = conn.execute("SELECT 1 FROM sqlite_master").fetchone() is None
            except sqlite3.Error:
                conn.close()
                raise
        if ours and version == SCHEMA:
            return conn
        conn.close()
        if not ours and not empty:
            raise StoreTrouble(
                f"{self._home.database} is a database of another program.",
                "Move it away, or choose another folder with --home DIR.",
            )
        if version > SCHEMA:
            raise NewerDatabase(
                f"The data in {self._home.root} was written by a newer Counterfoil (data version {version}); "
                f"this one knows {SCHEMA}.",
                "Start the newer program, or choose another data folder with --home DIR.",
            )
        return None

    def close(self) -> None:
        """Let go of the connection."""
        if self._conn is not None:
            self._conn.close()
            self._conn = None

    def rows(self, text: str, values: dict[str, Any] | None = None) -> list[Fields]:
        """Every row of a query; none where there is no database yet."""
        with _translated():
            conn = self.connection()
            return [] if conn is None else conn.execute(text, values or {}).fetchall()

    def dicts(self, text: str, values: dict[str, Any]) -> list[dict[str, Any]]:
        """Every row of a query by the names of its columns; none where there is no database yet."""
        with _translated():
            conn = self.connection()
            if conn is None:
                return []
            found = conn.execute(text, values)
            names = [column[0] for column in found.description]
            return [dict(zip(names, row, strict=True)) for row in found]

    def value(self, text: str, values: dict[str, Any] | None = None) -> Any:
        """The first column of the first row, or None."""
        found = self.rows(text, values)
        return found[0][0] if found else None


@contextlib.contextmanager
def _translated() -> Iterator[None]:
    try:
        yield
    except sqlite3.Error as problem:
        raise trouble_of(problem) or StoreTrouble(
            f"The database could not be used: {problem}.", "Run: counterfoil doctor"
        ) from problem
