"""One write transaction as operations see it: a connection, its instant, and what was learned in it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import sqlalchemy as sa

Connection = sa.Connection  # the word for rooms that read through store functions and speak no SQL


class Row(Protocol):
    """A row, read by the names of its columns."""

    def __getitem__(self, key: str, /) -> Any: ...

    def keys(self) -> Iterable[str]: ...


class Prepared:
    """A statement of the hot path, compiled once: what every step and every wake-up does should not pay for being general.

    The statement is made at its first use, so that a process that looks once does not pay for all of them. Values go to the driver
    as they are, so the columns must be of plain text, integer or boolean types. `columns` names the values of an insert, or more
    values of an update; other values are `bindparam`s. Write `any_of` instead of `in_`, which is rendered anew each time.
    """

    def __init__(self, statement: Callable[[], sa.sql.ClauseElement], columns: Sequence[str] | None = None) -> None:
        self._statement = statement
        self._columns = columns
        self._text = ""
        self._order: tuple[str, ...] = ()
        self._fixed: dict[str, Any] = {}
        self._names: list[str] = []
        self._booleans: list[str] = []

    def _compile(self, conn: sa.Connection) -> None:
        statement = self._statement()
        compiled: Any = statement.compile(dialect=conn.dialect, column_keys=self._columns)
        self._order = tuple(compiled.positiontup)
        self._fixed = {name: compiled.params[name] for name in self._order if not compiled.binds[name].required}
        if isinstance(statement, sa.Select):
            chosen = statement.selected_columns
            self._names = list(chosen.keys())
            self._booleans = [name for name, column in chosen.items() if isinstance(column.type, sa.Boolean)]
        self._text = str(compiled)

    def run(self, conn: sa.Connection, values: Mapping[str, Any]) -> Any:
        """Run it on a connection's driver; the driver's cursor."""
        if not self._text:
            self._compile(conn)
        raw: Any = conn.connection.driver_connection
        given = {**self._fixed, **values} if self._fixed else values
        return raw.execute(self._text, [given[name] for name in self._order])

    def all(self, conn: sa.Connection, values: Mapping[str, Any]) -> list[Row]:
        """Every row."""
        found = self.run(conn, values)
        rows = [dict(zip(self._names, row, strict=True)) for row in found]
        for name in self._booleans:
            for row in rows:
                row[name] = None if row[name] is None else bool(row[name])
        return rows  # type: ignore[return-value]  # a list of rows that nobody else has

    def tuples(self, conn: sa.Connection, values: Mapping[str, Any]) -> list[tuple[Any, ...]]:
        """Every row as the driver has it: in the order of the columns, booleans as 0 and 1."""
        found: list[tuple[Any, ...]] = self.run(conn, values).fetchall()
        return found

    def first(self, conn: sa.Connection, values: Mapping[str, Any]) -> Row | None:
        """The first row, or None."""
        rows = self.all(conn, values)
        return rows[0] if rows else None

    def value(self, conn: sa.Connection, values: Mapping[str, Any]) -> Any:
        """The first column of the first row, or None."""
        row = self.run(conn, values).fetchone()
        return None if row is None else row[0]

    def do(self, conn: sa.Connection, values: Mapping[str, Any]) -> int:
        """How many rows it changed."""
        return int(self.run(conn, values).rowcount)


def any_of(column: sa.Column[str], words: Iterable[str]) -> sa.ColumnElement[bool]:
    """Whether a column holds one of these words."""
    return sa.or_(*(column == str(word) for word in words))


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
