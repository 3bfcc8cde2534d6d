"""Why a person's act on a gate comes to nothing: it is open no more, or it is not theirs to answer. Said before anything is changed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from counterfoil.clock import from_us
from counterfoil.errors import AlreadyDecided, GateClosed, NotAllowed
from counterfoil.facts import GateState, person, unproven
from counterfoil.inbox.accounts import account, accounts, owner
from counterfoil.places import Home
from counterfoil.policy.approvers import ANYBODY, Approvers, approvers_of, may_not, why_not, with_owner
from counterfoil.store import asides, gates
from counterfoil.store.transactions import Connection, Row


def refuse_closed(conn: Connection, row: Row) -> None:
    """Say honestly that a gate is open no more.

    Raises:
        AlreadyDecided, GateClosed: by whom and when, or why.
    """
    if row["state"] == GateState.OPEN:
        return
    number = row["number"]
    if row["state"] == GateState.DECIDED:
        made = gates.decisions(conn, row["gate_id"])[-1]
        when = f"{from_us(made['at']).astimezone():%H:%M}"
        raise AlreadyDecided(
            f"Gate g-{number} was decided by {person(made['principal'])}{unproven(made['signature'])} at {when} "
            f"({made['verdict']}). Nothing was changed.",
            f"See: counterfoil show g-{number}",
        )
    if row["state"] == GateState.SUPERSEDED:
        raise GateClosed(
            f"Gate g-{number} was superseded: a newer round is open. Nothing was changed.", "See: counterfoil inbox"
        )
    why = row["closed_why"] or row["state"]
    raise GateClosed(
        f"Gate g-{number} takes no decision any more: {why}. Nothing was changed.", "See: counterfoil inbox"
    )


def rules_here(conn: Connection, home: Home, spec: Mapping[str, Any]) -> Approvers:
    """Who may answer a gate on this computer."""
    rules = approvers_of(spec)
    if rules == ANYBODY:
        return rules
    return with_owner(rules, known_here(conn), owner(home))


def known_here(conn: Connection) -> set[str]:
    """Principals of who has an account on this computer, or has decided, begun or been given something in this data folder."""
    return {f"user:{name}" for name in accounts()} | asides.principals(conn) | {account()}


def refuse_others(conn: Connection, home: Home, row: Row, spec: Mapping[str, Any], principal: str) -> str:
    """A gate is answered by whom its rules allow and, since it was given to somebody, by them alone: whoever else may takes it first.

    Why it falls to this person though its rules want others, as a sentence; "" where it does not.

    Raises:
        NotAllowed: it is not this person's to answer.
    """
    given = asides.giving(conn, row["gate_id"])
    rules, asked = rules_here(conn, home, spec), given["asked"] if given is not None else None
    said = why_not(rules, principal, asked)
    if said:
        number = row["number"]
        takes = "" if may_not(rules, principal) else f"Take it first: counterfoil give g-{number} --take"
        raise NotAllowed(f"Gate g-{number} is not yours to decide. {said} Nothing was changed.", takes)
    return rules.why_owner if may_not(approvers_of(spec), principal) else ""
