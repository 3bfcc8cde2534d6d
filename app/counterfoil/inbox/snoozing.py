"""Not now: a person puts an open gate off until a time. Nothing is decided, no deadline moves, and the gate comes back by itself.

That is a matter of the clock alone, so nothing has to run for a gate to come back. The trail does not tell it: it concerns nobody else.
"""

from __future__ import annotations

from counterfoil.errors import NotAllowed
from counterfoil.facts import person
from counterfoil.inbox.finding import find_gate
from counterfoil.inbox.refusing import refuse_closed
from counterfoil.inbox.until import refuse_time
from counterfoil.store import asides, gates
from counterfoil.store.database import Database
from counterfoil.store.transactions import Row, Txn


def snooze(database: Database, reference: str, principal: str, until_us: int) -> Row:
    """Put a gate off for one person; its row.

    Raises:
        UnknownGate, AlreadyDecided, GateClosed, NotAllowed, WrongUse: nothing was changed.
    """
    gate_id = find_gate(database.reader, reference)["gate_id"]

    def operation(txn: Txn) -> Row:
        row = gates.get(txn.conn, gate_id)
        refuse_closed(txn.conn, row)
        given = asides.giving(txn.conn, gate_id)
        if given is not None and given["asked"] != principal:
            raise NotAllowed(
                f"Gate g-{row['number']} waits for {person(given['asked'])}, not for you. Nothing was changed.",
                f"Take it first: counterfoil give g-{row['number']} --take",
            )
        refuse_time(until_us, row["due_at"], txn.now_us)
        asides.snooze(txn, gate_id, principal, until_us)
        return row

    return database.transact(operation)


def wake(database: Database, reference: str, principal: str) -> tuple[Row, bool]:
    """A person wants to see a gate again now; its row, and whether it was snoozed.

    Raises:
        UnknownGate: there is none.
    """
    row = find_gate(database.reader, reference)
    return row, database.transact(lambda txn: asides.wake(txn, row["gate_id"], principal))
