"""Timers are rows: a sleep or a retry that is due at an absolute instant."""

from __future__ import annotations

import sqlalchemy as sa
from sqlalchemy.dialects.sqlite import insert

from counterfoil.store import tables
from counterfoil.store.transactions import Prepared, Row, Txn

_TIMER = tables.timer
_HERE = (
    _TIMER.c.run_id == sa.bindparam("rid"),
    _TIMER.c.path == sa.bindparam("at"),
    _TIMER.c.ordinal == sa.bindparam("nth"),
    _TIMER.c.kind == sa.bindparam("what"),
)
_SET = Prepared(lambda: insert(_TIMER).on_conflict_do_nothing(), [column.name for column in _TIMER.c])
_GET = Prepared(lambda: sa.select(_TIMER).where(*_HERE))
_END = Prepared(lambda: sa.update(_TIMER).where(*_HERE).values(state=sa.bindparam("became")))
_DUE = sa.select(_TIMER).where(_TIMER.c.state == "pending", _TIMER.c.due_at <= sa.bindparam("now"))
_ALL_DUE = Prepared(lambda: _DUE)
_DUE_OF_RUN = Prepared(lambda: _DUE.where(_TIMER.c.run_id == sa.bindparam("rid")))
_OF_RUN = (_TIMER.c.run_id == sa.bindparam("rid"), _TIMER.c.state == "pending")
_PENDING = Prepared(lambda: sa.select(_TIMER).where(*_OF_RUN).order_by(_TIMER.c.due_at))
_CANCEL = Prepared(lambda: sa.update(_TIMER).where(*_OF_RUN).values(state="cancelled"))
_NEXT = Prepared(lambda: sa.select(sa.func.min(_TIMER.c.due_at)).where(_TIMER.c.state == "pending"))


def set_timer(
    txn: Txn, run_id: str, path: str, ordinal: int, kind: str, due_at: int, args_digest: str = "", *, anew: bool = False
) -> int:
    """Set a timer once; asking again keeps the instant first set, unless it is set `anew`. The instant."""
    if anew:
        reset(txn, run_id, path, ordinal, kind)
    _SET.run(
        txn.conn,
        {
            "run_id": run_id,
            "path": path,
            "ordinal": ordinal,
            "kind": kind,
            "args_digest": args_digest,
            "set_at": txn.now_us,
            "due_at": due_at,
            "state": "pending",
        },
    )
    row = get(txn.conn, run_id, path, ordinal, kind)
    return int(row["due_at"]) if row else due_at


def get(conn: sa.Connection, run_id: str, path: str, ordinal: int, kind: str) -> Row | None:
    """One timer."""
    return _GET.first(conn, {"rid": run_id, "at": path, "nth": ordinal, "what": kind})


def reset(txn: Txn, run_id: str, path: str, ordinal: int, kind: str) -> None:
    """Forget a timer, so that the next try can set its own."""
    txn.do(
        sa.delete(_TIMER).where(
            _TIMER.c.run_id == run_id, _TIMER.c.path == path, _TIMER.c.ordinal == ordinal, _TIMER.c.kind == kind
        )
    )


def due(conn: sa.Connection, now_us: int, run_id: str | None = None) -> list[Row]:
    """Pending timers that are due, of every run or one."""
    if run_id is None:
        return _ALL_DUE.all(conn, {"now": now_us})
    return _DUE_OF_RUN.all(conn, {"now": now_us, "rid": run_id})


def pending(conn: sa.Connection, run_id: str) -> list[Row]:
    """Pending timers of a run, earliest first."""
    return _PENDING.all(conn, {"rid": run_id})


def next_due(conn: sa.Connection) -> int | None:
    """The earliest pending instant."""
    due_at: int | None = _NEXT.value(conn, {})
    return due_at


def end(txn: Txn, run_id: str, path: str, ordinal: int, kind: str, state: str) -> None:
    """A timer fired or was cancelled."""
    _END.run(txn.conn, {"rid": run_id, "at": path, "nth": ordinal, "what": kind, "became": state})


def cancel_all(txn: Txn, run_id: str) -> None:
    """The run is closing: its timers end with it."""
    _CANCEL.run(txn.conn, {"rid": run_id})


def cancel_below(txn: Txn, run_id: str, path: str) -> None:
    """A branch has lost a race: its timers end with it."""
    below = sa.or_(_TIMER.c.path == path, _TIMER.c.path.startswith(f"{path}/", autoescape=True))
    txn.do(
        sa.update(_TIMER).where(_TIMER.c.run_id == run_id, _TIMER.c.state == "pending", below).values(state="cancelled")
    )
