"""An open data folder as one thread holds it, with reads that see one moment and errors that are ours."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeVar

from counterfoil.clock import Clock
from counterfoil.errors import UnknownGate, UnknownRun
from counterfoil.places import Home
from counterfoil.store import gates, runs
from counterfoil.store.blobs import Blobs
from counterfoil.store.database import Database, translated
from counterfoil.store.transactions import Connection, Row, Txn

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Access:
    """The database, its blobs, the clock, and who looks."""

    home: Home
    database: Database
    blobs: Blobs
    clock: Clock
    me: str

    @contextlib.contextmanager
    def telling(self) -> Iterator[None]:
        """The driver's errors as ours; of a full disk with how much is left, since nothing can be decided until there is room."""
        with translated(self.home.root):
            yield

    @contextlib.contextmanager
    def reading(self) -> Iterator[Connection]:
        """Reads that all see the same moment."""
        with translated(), self.database.snapshot() as conn:
            yield conn

    def write(self, operation: Callable[[Txn], T]) -> T:
        """One transaction, synced to disk before this returns."""
        with self.telling():
            return self.database.transact(operation)


def gate_row(conn: Connection, gate_id: str) -> Row:
    """A gate's row.

    Raises:
        UnknownGate: there is none.
    """
    try:
        return gates.get(conn, gate_id)
    except KeyError:
        raise UnknownGate("This question is not in this data folder any more.", "Choose another one.") from None


def run_row(conn: Connection, run_id: str) -> Row:
    """A run's row.

    Raises:
        UnknownRun: there is none.
    """
    try:
        return runs.get(conn, run_id)
    except KeyError:
        raise UnknownRun("This run is not in this data folder any more.", "Choose another one.") from None
