"""Giving a gate to somebody: from then on it waits for them, and the trail says who gave it, to whom and why.

Who is asked changes, who may answer does not. Taking a gate is giving it to oneself; whoever may answer it may take it.
"""

from __future__ import annotations

from dataclasses import dataclass

from counterfoil.errors import NotAllowed, WrongUse, did_you_mean
from counterfoil.facts import person, storable, unproven
from counterfoil.inbox.finding import find_gate
from counterfoil.inbox.refusing import known_here, refuse_closed, rules_here
from counterfoil.policy.approvers import approvers_of, may_not
from counterfoil.store import asides, gates, trail_rows
from counterfoil.store.blobs import Blobs
from counterfoil.store.database import Database
from counterfoil.store.transactions import Connection, Row, Txn
from counterfoil.views.asked import spec_of


@dataclass(frozen=True, slots=True)
class Handing:
    """Who gives a gate to whom (principals) and why; `signature` and `entered_by` as for a decision."""

    by: str
    to: str
    why: str = ""
    signature: str = "account"
    entered_by: str | None = None


def people(conn: Connection, blobs: Blobs, row: Row | None = None) -> list[str]:
    """Principals of everybody that is known here: who has decided or begun something, whom the gate's rules name, and the accounts of
    this computer; by name."""
    known = known_here(conn)
    if row is not None:
        rules = approvers_of(spec_of(blobs, row))
        known |= {*rules.named, *rules.barred}
    return sorted(principal for principal in known if principal.startswith("user:"))


def known_person(name: str, known: list[str]) -> str:
    """The principal of a person as somebody writes it: `ben`, `Ben`, `user:ben`.

    Raises:
        WrongUse: nobody of that name is known.
    """
    wanted = name.strip().removeprefix("user:")
    exact = f"user:{wanted}"
    if exact in known:
        return exact
    alike = [principal for principal in known if principal.casefold() == exact.casefold()]
    if len(alike) == 1:
        return alike[0]
    names = [principal.removeprefix("user:") for principal in known]
    advice = did_you_mean(wanted, names) or f"Known here: {', '.join(names)}."
    raise WrongUse(f"Nobody called ‘{name}’ is known here. Nothing was changed.", advice)


def give(database: Database, blobs: Blobs, reference: str, handing: Handing) -> Row:
    """Let a gate wait for one person from now on; its row.

    Raises:
        UnknownGate, AlreadyDecided, GateClosed, NotAllowed: nothing was changed.
    """
    gate_id = find_gate(database.reader, reference)["gate_id"]
    why = storable(handing.why.strip())

    def operation(txn: Txn) -> Row:
        row = gates.get(txn.conn, gate_id)
        refuse_closed(txn.conn, row)
        rules = rules_here(txn.conn, database.home, spec_of(blobs, row))
        refused = may_not(rules, handing.to)
        if refused:
            raise NotAllowed(f"Gate g-{row['number']}: {refused} Nothing was changed.", "Give it to somebody else.")
        before = asides.giving(txn.conn, gate_id)
        asked = before["asked"] if before is not None else None
        if asked == handing.to:
            waits = "you" if handing.to == handing.by else person(handing.to)
            raise NotAllowed(f"Gate g-{row['number']} waits for {waits} already. Nothing was changed.")
        asides.give(txn, gate_id, handing.to, handing.by, why)
        asides.wake(txn, gate_id)
        _note(txn, row, handing, why, asked)
        return row

    return database.transact(operation)


def _note(txn: Txn, row: Row, handing: Handing, why: str, asked: str | None) -> None:
    by, sure = person(handing.by), unproven(handing.signature)
    taken = handing.to == handing.by
    said = f"{by}{sure} took “{row['title']}”" if taken else f"{by}{sure} gave “{row['title']}” to {person(handing.to)}"
    entered = f". Entered by {person(handing.entered_by)}." if handing.entered_by is not None else ""
    trail_rows.append(
        txn,
        by=handing.by,
        kind="gate_taken" if taken else "gate_given",
        subject=row["run_id"],
        summary=f"{said}{entered}",
        before={"gate": row["gate_id"], "asked": asked},
        after={
            "gate": row["gate_id"],
            "asked": handing.to,
            "why": why,
            "signature": handing.signature,
            "entered_by": handing.entered_by,
        },
    )
