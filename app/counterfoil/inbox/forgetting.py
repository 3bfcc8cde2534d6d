"""Taking back what agents are told: a fact counts in no run that begins after it, and the trail says who did so."""

from __future__ import annotations

from counterfoil.errors import UnknownFact
from counterfoil.facts import person
from counterfoil.store import fact_rows, trail_rows
from counterfoil.store.transactions import Row, Txn


def forget(txn: Txn, number: int, by: str) -> tuple[Row, bool]:
    """Take a fact back; its row, and whether it still counted.

    Raises:
        UnknownFact: there is none of this number.
    """
    row = next((one for one in fact_rows.of_workspace(txn.conn, taken_back=True) if one["number"] == number), None)
    if row is None:
        raise UnknownFact(f"There is no fact f-{number}.", "See: counterfoil memory list --all")
    was_living = fact_rows.revoke(txn, number, by)
    if was_living:
        trail_rows.append(
            txn,
            by=by,
            kind="memory",
            subject=row["run_id"],
            summary=f"{person(by)} had f-{number} forgotten: {row['fact']}",
            after={"number": number, "fact": row["fact"], "accepted_by": row["accepted_by"]},
        )
    return row, was_living
