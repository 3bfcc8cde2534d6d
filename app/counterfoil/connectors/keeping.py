"""What people do with connectors: add, look, agree, say what a tool does, switch on and off, remove. Each is an entry of the trail."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from counterfoil.connectors.declared import Declared, checked, declared_of
from counterfoil.errors import WrongUse, did_you_mean
from counterfoil.facts import person
from counterfoil.policy.boundaries import visible
from counterfoil.store import connector_rows, trail_rows
from counterfoil.store.transactions import Connection, Row, Txn

DOES = {
    "reads": "only reads",
    "changes": "changes something there",
    "sends": "sends something to people",
    "spends": "spends money",
}


def connector(conn: Connection, name: str) -> Row:
    """A connector's row.

    Raises:
        WrongUse: there is none of that name.
    """
    row = connector_rows.get(conn, name)
    if row is None:
        known = [one["name"] for one in connector_rows.every(conn)]
        advice = did_you_mean(name, known) or "counterfoil connector list shows those there are."
        raise WrongUse(f"There is no connector “{visible(name[:60])}”.", advice)
    return row


def add(txn: Txn, declared: Declared, by: str) -> None:
    """Keep a connector, off until somebody has seen what it can do.

    Raises:
        WrongUse: it cannot be kept, or there is one of that name.
    """
    checked(declared)
    if connector_rows.get(txn.conn, declared.name) is not None:
        raise WrongUse(
            f"There is a connector “{declared.name}” already.",
            f"Remove it first: counterfoil connector remove {declared.name}",
        )
    connector_rows.add(txn, declared.name, declared.title or declared.name, declared.facts, by)
    _note(txn, declared.name, by, f"added the connector {declared.name}", after=declared.facts)


def switch(txn: Txn, name: str, by: str, *, on: bool) -> bool:
    """Switch a connector on or off; False where it was so already. Switching it on agrees to its tools as they were seen.

    Raises:
        WrongUse: there is none, or nobody has seen its tools yet.
    """
    row = connector(txn.conn, name)
    if bool(row["is_on"]) == on:
        return False
    if on:
        if row["health"] is None:
            raise WrongUse(
                f"Nobody has looked at what “{name}” can do yet.", f"Look first: counterfoil connector test {name}"
            )
        agree(txn, name, [], by)
    connector_rows.turn(txn, name, on=on)
    _note(txn, name, by, f"switched the connector {name} {'on' if on else 'off'}")
    return True


def agree(txn: Txn, name: str, tools: Sequence[str], by: str) -> list[str]:
    """Somebody has looked at tools as they are now, at all of them without names; those that had changed or were new. What was said of what
    a tool does was said of what it was, so it is to be said anew of one that has changed.

    Raises:
        WrongUse: there is no such connector or tool.
    """
    rows = [tool_row(txn.conn, name, one) for one in tools] or connector_rows.tools(txn.conn, name)
    fresh = [row for row in rows if row["agreed_pin"] != row["pin"]]
    for row in fresh:
        connector_rows.agree(txn, name, row["tool"])
        if row["agreed"] is not None and row["does"]:
            connector_rows.say(txn, name, row["tool"], "", by, repeatable=False)
        before = json.loads(row["agreed"]) if row["agreed"] is not None else None
        words = f"looked at ‘{visible(row['tool'][:80])}’ of {name}"
        _note(txn, name, by, words, before=before, after=json.loads(row["definition"]))
    return [row["tool"] for row in fresh]


def classify(txn: Txn, name: str, tool: str, does: str, by: str, *, repeatable: bool = False) -> None:
    """Somebody says what a tool does, having looked at it as it is now. `repeatable`: doing it twice is as doing it once.

    Raises:
        WrongUse: there is no such connector or tool, or nothing that a tool can do is called so.
    """
    row = tool_row(txn.conn, name, tool)
    if does not in DOES:
        raise WrongUse(f"“{visible(does)}” says nothing of a tool.", f"Use one of: {', '.join(DOES)}.")
    agree(txn, name, [tool], by)
    connector_rows.say(txn, name, tool, does, by, repeatable=repeatable)
    twice = ", and may be done twice" if repeatable else ""
    _note(
        txn,
        name,
        by,
        f"said that ‘{visible(tool[:80])}’ of {name} {DOES[does]}{twice}",
        before={"does": row["does"], "repeatable": bool(row["repeatable"])},
        after={"does": does, "repeatable": repeatable, "pin": row["pin"]},
    )


def tool_row(conn: Connection, name: str, tool: str) -> Row:
    """A tool's row, as its connector was seen last.

    Raises:
        WrongUse: there is no such connector or tool.
    """
    connector(conn, name)
    row = connector_rows.tool(conn, name, tool)
    if row is None or row["gone_at"] is not None:
        known = [one["tool"] for one in connector_rows.tools(conn, name)]
        advice = did_you_mean(tool, known) or f"counterfoil connector tools {name} shows those it has."
        raise WrongUse(f"“{name}” has no tool ‘{visible(tool[:60])}’.", advice)
    return row


def note_signed_in(txn: Txn, name: str, by: str) -> None:
    """Somebody has signed in to a connector, so it was reached: that is its health until it is asked for something."""
    connector_rows.set_health(txn, name, {"ok": True, "words": "Somebody has signed in."})
    _note(txn, name, by, f"signed in to the connector {name}")


def remove(txn: Txn, name: str, by: str) -> Declared:
    """Forget a connector and what was said of its tools; what it was.

    Raises:
        WrongUse: there is none of that name.
    """
    declared = declared_of(connector(txn.conn, name))
    connector_rows.remove(txn, name)
    _note(txn, name, by, f"removed the connector {name}", before=declared.facts)
    return declared


def _note(txn: Txn, name: str, by: str, words: str, *, before: Any = None, after: Any = None) -> None:
    summary = f"{person(by)} {words}"
    trail_rows.append(txn, by=by, kind="connector", subject=name, summary=summary, before=before, after=after)
