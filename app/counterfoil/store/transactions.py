"""One write transaction as operations see it: a connection, its instant, and what was learned in it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import sqlalchemy as sa

Row = sa.RowMapping
Connection = sa.Connection  # the word for rooms that read through store functions and speak no SQL


class Prepared:
    """A statement of the hot path, compiled once: what every step does should not pay for being general.

    Values go to the driver as they are, so the columns must be of plain text, integer or boolean types.
    """

    def __init__(self, statement: sa.sql.ClauseElement, columns: Sequence[str] | None = None) -> None:
        self._statement = statement
        self._columns = columns
        self._text = ""
        self._order: tuple[str, ...] = ()

    def run(self, conn: sa.Connection, values: Mapping[str, Any]) -> Any:
        """Run it on a connection's driver; the driver's cursor."""
        if not self._text:
            compiled: Any = self._statement.compile(dialect=conn.dialect, column_keys=self._columns)
            self._text, self._order = str(compiled), tuple(compiled.positiontup)
        raw: Any = conn.connection.driver_connection
        return raw.execute(self._text, [values[name] for name in self._order])


@dataclass(slots=True)
class Txn:
    """An open transaction. `now_us` is the instant of its rows; `heads` the last record hash per run, so chaining costs no read."""

    conn: sa.Connection
    now_us: int
    heads: dict[str, str] = field(default_factory=dict)
    fences: dict[str, int] = field(default_factory=dict)
    touched: set[str] = field(default_factory=set)

    def do(
        self, statement: sa.Executable, values: Mapping[str, Any] | Sequence[Mapping[str, Any]] | None = None
    ) -> int:
        """Run a statement; how many rows it changed."""
        return self.conn.execute(statement, values).rowcount

    def one(self, statement: sa.Executable, values: Mapping[str, Any] | None = None) -> Row | None:
        """The first row, or None."""
        return self.conn.execute(statement, values).mappings().first()

    def all(self, statement: sa.Executable, values: Mapping[str, Any] | None = None) -> Sequence[Row]:
        """Every row."""
        return self.conn.execute(statement, values).mappings().all()

    def value(self, statement: sa.Executable, values: Mapping[str, Any] | None = None) -> Any:
        """The first column of the first row, or None."""
        return self.conn.execute(statement, values).scalar()
