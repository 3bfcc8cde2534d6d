"""Step records: one per identity, chained per run by a hash, never changed."""

from __future__ import annotations

import hashlib
import operator
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import sqlalchemy as sa

from counterfoil.authoring.encoding import json_writer
from counterfoil.facts import AttemptState, FailureClass, Outcome, StepKind, storable
from counterfoil.store import tables
from counterfoil.store.transactions import Prepared, Row, Txn

_RECORD = tables.record
_INSERT = Prepared(lambda: sa.insert(_RECORD), [column.name for column in _RECORD.c if column.name != "row"])
# the index of identities finds a run's records and gives their rows without looking at them; sorting them all would not
_NEWEST = sa.select(sa.func.max(_RECORD.c.row)).where(_RECORD.c.run_id == sa.bindparam("rid")).scalar_subquery()
_ALL = Prepared(lambda: sa.select(_RECORD).where(_RECORD.c.run_id == sa.bindparam("rid")))
_LAST = Prepared(lambda: sa.select(_RECORD).where(_RECORD.c.row == _NEWEST))
_HEAD = Prepared(lambda: sa.select(_RECORD.c.hash).where(_RECORD.c.row == _NEWEST))
_COUNT = Prepared(lambda: sa.select(sa.func.count()).where(_RECORD.c.run_id == sa.bindparam("rid")))
_ATTEMPT = tables.attempt
TAKEN_OVER = "happened in run "  # how the origin of a record says that another run has made it
FIELDS = (
    "run_id", "path", "ordinal", "kind", "name", "args_digest", "outcome", "payload", "payload_blob", "summary",
    "started_at", "committed_at", "attempts", "key", "origin",
)  # fmt: skip
_FIELDS = operator.itemgetter(*FIELDS)
_BLOB = FIELDS.index("payload_blob")
_chained = json_writer()


def _here(table: sa.Table) -> tuple[sa.ColumnElement[bool], ...]:
    return (
        table.c.run_id == sa.bindparam("rid"),
        table.c.path == sa.bindparam("at"),
        table.c.ordinal == sa.bindparam("nth"),
    )


_GET = Prepared(lambda: sa.select(_RECORD).where(*_here(_RECORD)))
_ATTEMPTS = Prepared(
    lambda: sa.select(_ATTEMPT).where(_ATTEMPT.c.run_id == sa.bindparam("rid")).order_by(_ATTEMPT.c.row)
)
_TRIES = Prepared(lambda: sa.select(_ATTEMPT).where(*_here(_ATTEMPT)).order_by(_ATTEMPT.c.n))
_TRIED = Prepared(lambda: sa.select(sa.func.count()).where(*_here(_ATTEMPT)))
_NOTE = Prepared(lambda: sa.insert(_ATTEMPT), [column.name for column in _ATTEMPT.c if column.name != "row"])
_END = Prepared(
    lambda: (
        sa.update(_ATTEMPT)
        .where(_ATTEMPT.c.row == sa.select(sa.func.max(_ATTEMPT.c.row)).where(*_here(_ATTEMPT)).scalar_subquery())
        .values(state=sa.bindparam("became"), ended_at=sa.bindparam("now"), message=sa.bindparam("said"))
    )
)


class Link(NamedTuple):
    """A record as a replay reads it, ten thousand at a time: sealed fields in their order, seal, row. `payload_blob` is 0 or 1."""

    run_id: str
    path: str
    ordinal: int
    kind: str
    name: str
    args_digest: str
    outcome: str
    payload: str
    payload_blob: int
    summary: str | None
    started_at: int
    committed_at: int
    attempts: int
    key: str | None
    origin: str | None
    hash: str
    row: int


_LINKS = Prepared(
    lambda: sa.select(*(_RECORD.c[name] for name in Link._fields)).where(_RECORD.c.run_id == sa.bindparam("rid"))
)


@dataclass(frozen=True, slots=True)
class NewRecord:
    """A record to be written. `payload` is canonical text, or a blob's digest when `payload_blob`."""

    run_id: str
    path: str
    ordinal: int
    kind: StepKind
    name: str
    args_digest: str
    outcome: Outcome
    payload: str
    payload_blob: bool = False
    summary: str | None = None
    started_at: int = 0
    attempts: int = 1
    key: str | None = None
    origin: str | None = None


def append(txn: Txn, new: NewRecord) -> str:
    """Write a record and chain it; the run's new head hash. A second record of one identity is an integrity error."""
    head = txn.heads.get(new.run_id)
    if head is None:
        head = _HEAD.value(txn.conn, {"rid": new.run_id}) or new.run_id
    row = {
        "run_id": new.run_id,
        "path": new.path,
        "ordinal": new.ordinal,
        "kind": str(new.kind),
        "name": new.name,
        "args_digest": new.args_digest,
        "outcome": str(new.outcome),
        "payload": new.payload,
        "payload_blob": new.payload_blob,
        "summary": new.summary,
        "started_at": new.started_at or txn.now_us,
        "committed_at": txn.now_us,
        "attempts": new.attempts,
        "key": new.key,
        "origin": new.origin,
    }
    row["hash"] = head = record_hash(head, row)
    txn.touched.add(new.run_id)
    _INSERT.run(txn.conn, row)
    txn.heads[new.run_id] = head
    return head


def carry(txn: Txn, run_id: str, rows: Iterable[dict[str, Any]]) -> str:
    """Write records of another run, in its order, into a new one and chain them there; the head hash. When they were committed they keep,
    since a workflow's `now()` is made of it."""
    head = run_id
    for kept in rows:
        row = {name: kept[name] for name in FIELDS} | {"run_id": run_id}
        row["hash"] = head = record_hash(head, row)
        _INSERT.run(txn.conn, row)
    txn.heads[run_id] = head
    txn.touched.add(run_id)
    return head


def record_hash(before: str, row: dict[str, Any] | Row) -> str:
    """SHA-256 over the hash before and the record's fields as a JSON list."""
    return _sealed([before, *_FIELDS(row)])


def _sealed(fields: list[Any]) -> str:
    return hashlib.sha256(_chained(fields).encode("utf-8", "surrogatepass")).hexdigest()


def links(conn: sa.Connection, run_id: str) -> list[Link]:
    """Every record of a run, in commit order, as a replay reads them."""
    return sorted(map(Link._make, _LINKS.tuples(conn, {"rid": run_id})), key=operator.itemgetter(-1))


def first_broken(run_id: str, chain: Sequence[Link]) -> Link | None:
    """The first record of a run, in commit order, whose hash does not hold; None where all do."""
    before, last = run_id, len(FIELDS)
    for link in chain:
        if _sealed([before, *link[:_BLOB], bool(link.payload_blob), *link[_BLOB + 1 : last]]) != link.hash:
            return link
        before = link.hash
    return None


def of_run(conn: sa.Connection, run_id: str) -> list[Row]:
    """Every record of a run, in commit order."""
    return sorted(_ALL.all(conn, {"rid": run_id}), key=operator.itemgetter("row"))


def count(conn: sa.Connection, run_id: str) -> int:
    """How many records a run has."""
    return int(_COUNT.value(conn, {"rid": run_id}))


def last(conn: sa.Connection, run_id: str) -> Row | None:
    """The newest record of a run: its checkpoint."""
    return _LAST.first(conn, {"rid": run_id})


def size(conn: sa.Connection, run_id: str) -> int:
    """How many bytes the payloads of a run take, in rows and in blobs."""
    blob = tables.blob
    length = sa.func.length(sa.cast(_RECORD.c.payload, sa.LargeBinary))
    query = (
        sa.select(sa.func.coalesce(sa.func.sum(sa.case((_RECORD.c.payload_blob, blob.c.size), else_=length)), 0))
        .select_from(_RECORD)
        .outerjoin(blob, sa.and_(_RECORD.c.payload_blob, blob.c.sha == _RECORD.c.payload))
        .where(_RECORD.c.run_id == run_id)
    )
    return int(conn.execute(query).scalar_one())


def stream(conn: sa.Connection) -> Iterator[Row]:
    """Every record of every run, run by run in commit order, without holding them all."""
    query = sa.select(_RECORD).order_by(_RECORD.c.run_id, _RECORD.c.row)
    yield from conn.execute(query.execution_options(yield_per=1000)).mappings()


def soundness(conn: sa.Connection, but: str) -> tuple[int, int]:
    """How many runs there are beside one, and how many of them have a record that does not match its seal."""
    others = sa.select(sa.func.count()).select_from(tables.run).where(tables.run.c.run_id != but)
    broken: set[str] = set()
    run_id = before = ""
    for row in stream(conn):
        if row["run_id"] != run_id:
            run_id = before = row["run_id"]
        if record_hash(before, row) != row["hash"]:
            broken.add(run_id)
        before = row["hash"]
    return int(conn.execute(others).scalar_one()), len(broken - {but})


def head(conn: sa.Connection, run_id: str) -> str:
    """The hash of a run's last record; of a run without one, its id."""
    return str(_HEAD.value(conn, {"rid": run_id}) or run_id)


def note_attempt(
    txn: Txn,
    run_id: str,
    path: str,
    ordinal: int,
    *,
    kind: StepKind,
    name: str,
    state: AttemptState,
    started_at: int | None = None,
    failure_class: FailureClass | None = None,
    message: str | None = None,
    detail: str | None = None,
    next_at: int | None = None,
) -> int:
    """Write the row of a try; its number, from 1."""
    n = int(_TRIED.value(txn.conn, {"rid": run_id, "at": path, "nth": ordinal})) + 1
    _NOTE.run(
        txn.conn,
        {
            "run_id": run_id,
            "path": path,
            "ordinal": ordinal,
            "n": n,
            "kind": str(kind),
            "name": name,
            "state": str(state),
            "started_at": started_at or txn.now_us,
            "ended_at": None if state is AttemptState.UNKNOWN else txn.now_us,
            "failure_class": failure_class,
            "message": None if message is None else storable(message),
            "detail": detail,
            "next_at": next_at,
        },
    )
    return n


def end_attempt(
    txn: Txn, run_id: str, path: str, ordinal: int, state: AttemptState, message: str | None = None
) -> None:
    """Say how the newest try ended."""
    here = {"rid": run_id, "at": path, "nth": ordinal}
    _END.run(
        txn.conn,
        {**here, "became": str(state), "now": txn.now_us, "said": None if message is None else storable(message)},
    )


def attempts(conn: sa.Connection, run_id: str) -> list[Row]:
    """Every try of a run that has a row, in order."""
    return _ATTEMPTS.all(conn, {"rid": run_id})


def attempts_of(conn: sa.Connection, run_id: str, path: str, ordinal: int) -> list[Row]:
    """The tries of one step, in order."""
    return _TRIES.all(conn, {"rid": run_id, "at": path, "nth": ordinal})


def get(conn: sa.Connection, run_id: str, path: str, ordinal: int) -> Row | None:
    """One record."""
    return _GET.first(conn, {"rid": run_id, "at": path, "nth": ordinal})
