"""Calls of llms, and every request that was made for one. A request has its row before its bytes leave."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import sqlalchemy as sa

from counterfoil.facts import LlmEnd
from counterfoil.store.llm_tables import llm_attempt, llm_call
from counterfoil.store.tables import run as run_table
from counterfoil.store.transactions import Prepared, Row, Txn

_CALL = llm_call
_ATTEMPT = llm_attempt
_RUN = run_table


def _here(table: sa.Table) -> tuple[sa.ColumnElement[bool], ...]:
    return (
        table.c.run_id == sa.bindparam("rid"),
        table.c.path == sa.bindparam("at"),
        table.c.ordinal == sa.bindparam("nth"),
    )


_GET = Prepared(lambda: sa.select(_CALL).where(*_here(_CALL)))
_OF_RUN = Prepared(lambda: sa.select(_CALL).where(_CALL.c.run_id == sa.bindparam("rid")))
_SAME = Prepared(
    lambda: (
        sa.select(_CALL.c.path, _CALL.c.ordinal)
        .where(_CALL.c.run_id == sa.bindparam("rid"), _CALL.c.digest == sa.bindparam("sha"))
        .order_by(_CALL.c.asked_at, _CALL.c.path, _CALL.c.ordinal)
    )
)
_ADD = Prepared(lambda: sa.insert(_CALL), [column.name for column in _CALL.c])
_BEGIN = Prepared(lambda: sa.insert(_ATTEMPT), [column.name for column in _ATTEMPT.c if column.name != "row"])
_TRIES = Prepared(lambda: sa.select(_ATTEMPT).where(*_here(_ATTEMPT)).order_by(_ATTEMPT.c.n))
_ALL = Prepared(lambda: sa.select(_ATTEMPT).where(_ATTEMPT.c.run_id == sa.bindparam("rid")).order_by(_ATTEMPT.c.row))
_LAST = Prepared(lambda: sa.select(sa.func.coalesce(sa.func.max(_ATTEMPT.c.n), 0)).where(*_here(_ATTEMPT)))
_ANSWER = Prepared(
    lambda: sa.select(_ATTEMPT.c.response, _ATTEMPT.c.response_blob).where(
        *_here(_ATTEMPT), _ATTEMPT.c.end == sa.literal_column("'ok'")
    )
)
_COST = Prepared(lambda: sa.select(sa.func.sum(_ATTEMPT.c.charge)).where(_ATTEMPT.c.run_id == sa.bindparam("rid")))


@dataclass(frozen=True, slots=True)
class NewCall:
    """A turn to be written. `opening` and `delta` are canonical texts, or digests of blobs where the flag beside says so."""

    run_id: str
    path: str
    ordinal: int
    name: str
    digest: str
    after: tuple[str, int] | None
    opening: str | None
    opening_blob: bool
    delta: str
    delta_blob: bool
    compacted: str | None


@dataclass(frozen=True, slots=True)
class NewAttempt:
    """A request that is about to be made. `charge` is what is reserved for it, None without a price; `tokens` the most it can come to."""

    route: str
    provider: str
    host: str
    llm: str
    tokens: int
    charge: int | None
    asked: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class AttemptEnd:
    """How a request ended. `charge` and `tokens` settle what was reserved; None keeps it, because nobody knows. `told` is what the other
    side said of it, `response` (text, whether it is a blob) an answer that is whole."""

    end: LlmEnd
    charge: int | None = None
    tokens: int | None = None
    told: dict[str, Any] = field(default_factory=dict)
    response: str | None = None
    response_blob: bool = False


def get(conn: sa.Connection, run_id: str, path: str, ordinal: int) -> Row | None:
    """The turn at an identity."""
    return _GET.first(conn, {"rid": run_id, "at": path, "nth": ordinal})


def of_run(conn: sa.Connection, run_id: str) -> list[Row]:
    """Every turn of a run."""
    return _OF_RUN.all(conn, {"rid": run_id})


def carry(txn: Txn, run_id: str, rows: Iterable[Row]) -> None:
    """Give a new run turns of another one, so that its conversations go on; what they have cost stays with that one."""
    for row in rows:
        _ADD.run(txn.conn, {column.name: row[column.name] for column in _CALL.c} | {"run_id": run_id})


def which_of_same(conn: sa.Connection, run_id: str, path: str, ordinal: int, digest: str) -> int:
    """The how manieth of the turns of a run with one digest it is, from 1; 0 where it is not written."""
    rows = _SAME.all(conn, {"rid": run_id, "sha": digest})
    return next((n for n, row in enumerate(rows, 1) if (row["path"], row["ordinal"]) == (path, ordinal)), 0)


def add(txn: Txn, new: NewCall) -> None:
    """Write a turn; a second one at an identity is an integrity error."""
    _ADD.run(
        txn.conn,
        {
            "run_id": new.run_id,
            "path": new.path,
            "ordinal": new.ordinal,
            "name": new.name,
            "digest": new.digest,
            "after_path": None if new.after is None else new.after[0],
            "after_ordinal": None if new.after is None else new.after[1],
            "opening": new.opening,
            "opening_blob": new.opening_blob,
            "delta": new.delta,
            "delta_blob": new.delta_blob,
            "compacted": new.compacted,
            "rounds": 0,
            "asked_at": txn.now_us,
        },
    )


def note_round(txn: Txn, run_id: str, path: str, ordinal: int) -> int:
    """The whole route was tried in vain once more; how often by now."""
    here = (_CALL.c.run_id == run_id, _CALL.c.path == path, _CALL.c.ordinal == ordinal)
    txn.do(sa.update(_CALL).where(*here).values(rounds=_CALL.c.rounds + 1))
    return int(txn.value(sa.select(_CALL.c.rounds).where(*here)))


def begin(txn: Txn, run_id: str, path: str, ordinal: int, new: NewAttempt) -> int:
    """Write the row of a request; its number, from 1."""
    n = int(_LAST.value(txn.conn, {"rid": run_id, "at": path, "nth": ordinal})) + 1
    _BEGIN.run(
        txn.conn,
        {
            "run_id": run_id,
            "path": path,
            "ordinal": ordinal,
            "n": n,
            "route": new.route,
            "provider": new.provider,
            "host": new.host,
            "llm": new.llm,
            "asked": json.dumps(new.asked, ensure_ascii=False),
            "started_at": txn.now_us,
            "ended_at": None,
            "end": None,
            "charge": new.charge,
            "tokens": new.tokens,
            "told": None,
            "response": None,
            "response_blob": False,
        },
    )
    return n


def end(txn: Txn, run_id: str, path: str, ordinal: int, n: int, how: AttemptEnd) -> bool:
    """Say how a request ended; False where that was said before."""
    changes: dict[str, Any] = {
        "end": str(how.end),
        "ended_at": txn.now_us,
        "told": json.dumps(how.told, ensure_ascii=False),
        "response": how.response,
        "response_blob": how.response_blob,
    }
    if how.charge is not None:
        changes["charge"] = how.charge
    if how.tokens is not None:
        changes["tokens"] = how.tokens
    here = (
        _ATTEMPT.c.run_id == run_id,
        _ATTEMPT.c.path == path,
        _ATTEMPT.c.ordinal == ordinal,
        _ATTEMPT.c.n == n,
        _ATTEMPT.c.end.is_(None),
    )
    return txn.do(sa.update(_ATTEMPT).where(*here).values(**changes)) == 1


def leave_open_ones(txn: Txn, run_id: str, path: str, ordinal: int) -> int:
    """Whoever made the requests that have no end is gone: nobody will know how they ended. How many they were."""
    here = (_ATTEMPT.c.run_id == run_id, _ATTEMPT.c.path == path, _ATTEMPT.c.ordinal == ordinal)
    unknown = {"end": str(LlmEnd.UNKNOWN), "ended_at": txn.now_us}
    return txn.do(sa.update(_ATTEMPT).where(*here, _ATTEMPT.c.end.is_(None)).values(**unknown))


def attempts(conn: sa.Connection, run_id: str) -> list[Row]:
    """Every request of a run, in the order of their rows."""
    return _ALL.all(conn, {"rid": run_id})


def attempts_of(conn: sa.Connection, run_id: str, path: str, ordinal: int) -> list[Row]:
    """The requests of one call, in order."""
    return _TRIES.all(conn, {"rid": run_id, "at": path, "nth": ordinal})


def response(conn: sa.Connection, run_id: str, path: str, ordinal: int) -> Row | None:
    """The answer of a call as its adapter keeps it: `response`, and whether that is a blob."""
    return _ANSWER.first(conn, {"rid": run_id, "at": path, "nth": ordinal})


def costs_of_runs(conn: sa.Connection, template: str, workspace: str | None, limit: int = 10) -> list[tuple[int, int]]:
    """What the newest finished runs of a template (in a workspace, or anywhere) that asked an llm have come to, in counted money, and in
    how many branches each has asked: one for each document, where a template reads them side by side."""
    here = () if workspace is None else (_RUN.c.workspace == workspace,)
    query = (
        sa.select(sa.func.sum(_ATTEMPT.c.charge), sa.func.count(_ATTEMPT.c.path.distinct()))
        .join(_RUN, _RUN.c.run_id == _ATTEMPT.c.run_id)
        .where(_RUN.c.template == template, _RUN.c.state == "done", *here)
        .group_by(_RUN.c.number)
        .order_by(_RUN.c.number.desc())
        .limit(limit)
    )
    return [(int(cost), int(branches)) for cost, branches in conn.execute(query) if cost is not None]


def perhaps_billed(conn: sa.Connection, since_us: int) -> tuple[int, int]:
    """How many requests since an instant may have been billed without an answer, and what they come to at most, in counted money."""
    doubtful = _ATTEMPT.c.end.in_([str(LlmEnd.UNKNOWN), str(LlmEnd.CUT)])
    query = sa.select(sa.func.count(), sa.func.coalesce(sa.func.sum(_ATTEMPT.c.charge), 0)).where(
        doubtful, _ATTEMPT.c.started_at >= since_us
    )
    number, most = conn.execute(query).one()
    return int(number), int(most)


def cost_of(conn: sa.Connection, run_id: str) -> int | None:
    """What a run has come to so far, reserved money included; None where it has asked no llm whose price is known."""
    found = _COST.value(conn, {"rid": run_id})
    return None if found is None else int(found)
