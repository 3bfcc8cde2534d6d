"""“Pause everything”: a person's wish that nothing starts and nothing goes on, kept until somebody takes it back.

No run starts, no firing, no effect is begun; what is in the middle of an effect ends it first. Decisions can be given and wait.
"""

from __future__ import annotations

from counterfoil.clock import from_us
from counterfoil.errors import EverythingPaused
from counterfoil.facts import person
from counterfoil.store import standing, trail_rows
from counterfoil.store.transactions import Connection, Row, Txn


def pause_everything(txn: Txn, by: str) -> bool:
    """Let nothing start or go on from now on; False where that was so already."""
    if standing.get(txn.conn, standing.PAUSE) is not None:
        return False
    standing.put(txn, standing.PAUSE, {}, by)
    trail_rows.append(txn, by=by, kind="runner", subject="home", summary=f"{person(by)} paused everything")
    return True


def hold_everything(txn: Txn, by: str, why: str) -> bool:
    """The same by the program itself, which says why and that nothing goes on; False where everything was paused already."""
    trail_rows.append(txn, by=by, kind="runner", subject="home", summary=why)
    if standing.get(txn.conn, standing.PAUSE) is not None:
        return False
    standing.put(txn, standing.PAUSE, {"why": why}, by)
    return True


def resume_everything(txn: Txn, by: str) -> bool:
    """Let everything go on; False where nothing was paused."""
    if not standing.drop(txn, standing.PAUSE):
        return False
    trail_rows.append(txn, by=by, kind="runner", subject="home", summary=f"{person(by)} let everything go on")
    return True


def paused(conn: Connection) -> Row | None:
    """Who has paused everything and when (`by`, `at`); None where nobody has."""
    return standing.get(conn, standing.PAUSE)


def pause_sentence(conn: Connection) -> str:
    """“Everything was paused by Anna, Mon 14:02.”, or nothing where it is not."""
    row = paused(conn)
    return "" if row is None else f"{_told(row)} {_why(row)}".rstrip()


def standstill(conn: Connection) -> str:
    """The same with what it means for whoever meets it, which a reason of the program tells itself."""
    row = paused(conn)
    return "" if row is None else f"{_told(row)} {_why(row) or 'Nothing starts or goes on.'}"


def _told(row: Row) -> str:
    return f"Everything was paused by {person(row['by'])}, {from_us(row['at']).astimezone():%a %H:%M}."


def _why(row: Row) -> str:
    return str((standing.value_of(row) or {}).get("why", ""))


def refuse_paused(conn: Connection) -> None:
    """Refuse to wait for what cannot go on.

    Raises:
        EverythingPaused: somebody has paused everything.
    """
    said = standstill(conn)
    if said:
        raise EverythingPaused(said, "To go on: counterfoil runner resume")
