"""What stands beside an open gate: until when a person does not want to see it, and whom it waits for since it was given to them.

Neither changes the gate: a newer round is another gate, so it is seen again and asks whoever may answer.
"""

from __future__ import annotations

from collections.abc import Sequence

import sqlalchemy as sa
from sqlalchemy.dialects.sqlite import insert

from counterfoil.facts import GateState
from counterfoil.store import tables
from counterfoil.store.transactions import Row, Txn

_SNOOZE, _GIVING, _GATE, _DECISION = tables.snooze, tables.giving, tables.gate, tables.decision
_CHUNK = 500  # gates in one IN list


def snooze(txn: Txn, gate_id: str, principal: str, until_us: int) -> None:
    """Keep until when a person does not want to see a gate; what was kept of gates that are closed is dropped with it."""
    fresh = insert(_SNOOZE).values(gate_id=gate_id, principal=principal, until=until_us, set_at=txn.now_us)
    kept = {"until": until_us, "set_at": txn.now_us}
    txn.do(fresh.on_conflict_do_update(index_elements=["gate_id", "principal"], set_=kept))
    closed = sa.select(_GATE.c.gate_id).where(
        _GATE.c.gate_id == _SNOOZE.c.gate_id, _GATE.c.state != str(GateState.OPEN)
    )
    txn.do(sa.delete(_SNOOZE).where(closed.exists()))


def wake(txn: Txn, gate_id: str, principal: str | None = None) -> bool:
    """A gate is seen again by a person, or by everybody; whether anybody had snoozed it."""
    query = sa.delete(_SNOOZE).where(_SNOOZE.c.gate_id == gate_id)
    return txn.do(query if principal is None else query.where(_SNOOZE.c.principal == principal)) > 0


def snoozed(conn: sa.Connection, principal: str | None = None) -> dict[str, int]:
    """Until when each gate was snoozed, also when that is over: by one person, or the latest of everybody."""
    query = sa.select(_SNOOZE.c.gate_id, sa.func.max(_SNOOZE.c.until).label("until")).group_by(_SNOOZE.c.gate_id)
    if principal is not None:
        query = query.where(_SNOOZE.c.principal == principal)
    return {str(row["gate_id"]): int(row["until"]) for row in conn.execute(query).mappings()}


def asleep(conn: sa.Connection, principal: str, now_us: int) -> dict[str, int]:
    """Gates that this person has snoozed until a time to come."""
    return {gate_id: until for gate_id, until in snoozed(conn, principal).items() if until > now_us}


def give(txn: Txn, gate_id: str, asked: str, by: str, why: str) -> None:
    """From now on the gate waits for one person."""
    row = {"asked": asked, "given_by": by, "why": why, "given_at": txn.now_us}
    fresh = insert(_GIVING).values(gate_id=gate_id, **row)
    txn.do(fresh.on_conflict_do_update(index_elements=["gate_id"], set_=row))


def giving(conn: sa.Connection, gate_id: str) -> Row | None:
    """Whom a gate waits for (`asked`), and who said so (`given_by`, `why`, `given_at`); None where it waits for anybody."""
    return conn.execute(sa.select(_GIVING).where(_GIVING.c.gate_id == gate_id)).mappings().first()


def givings(conn: sa.Connection, gate_ids: Sequence[str]) -> dict[str, Row]:
    """As `giving`, of these gates that wait for one person."""
    found: dict[str, Row] = {}
    for start in range(0, len(gate_ids), _CHUNK):
        query = sa.select(_GIVING).where(_GIVING.c.gate_id.in_(gate_ids[start : start + _CHUNK]))
        found.update({str(row["gate_id"]): row for row in conn.execute(query).mappings()})
    return found


def principals(conn: sa.Connection) -> set[str]:
    """Everybody who has decided something, started a run, or was given a gate."""
    queries = (
        sa.select(_DECISION.c.principal).distinct(),
        sa.select(tables.run.c.started_by).distinct(),
        sa.select(_GIVING.c.asked).distinct(),
    )
    return {str(found) for query in queries for found in conn.execute(query).scalars()}
