"""Connectors as documents: what each is, whether it answers, what its tools do and what has changed of them."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import urlsplit

from counterfoil.clock import iso
from counterfoil.policy.boundaries import visible
from counterfoil.store import connector_rows
from counterfoil.store.transactions import Connection, Row
from counterfoil.views.tool_changes import changes_between
from counterfoil.views.tool_claims import claim_of, place_of

DOES = {
    "": "Asks each time.",
    "reads": "Only reads.",
    "changes": "Changes something there.",
    "sends": "Sends something to people.",
    "spends": "Spends money.",
}
Document = dict[str, Any]


def connector_document(conn: Connection, row: Row) -> Document:
    """One connector. `health` is what came of the last look, None where nobody has looked; `changed` counts the tools that are not as
    somebody has looked at them."""
    facts = connector_rows.facts_of(row)
    tools = connector_rows.tools(conn, row["name"])
    given = [*facts["settings"].values(), *facts["headers"].values()]
    return {
        "name": row["name"],
        "title": row["title"],
        "on": bool(row["is_on"]),
        "where": "Isolated here" if facts["argv"] else f"At {urlsplit(facts['url']).netloc}",
        "program": list(facts["argv"]),
        "address": facts["url"],
        "files": facts["stage"],
        "hosts": list(facts["hosts"]),
        "llms": bool(facts.get("llms")),
        "secrets": sorted({value["$secret"] for value in given if isinstance(value, dict)}),
        "health": _health(row),
        "tools": len(tools),
        "changed": sum(1 for tool in tools if tool["agreed_pin"] != tool["pin"]),
        "added_by": row["added_by"],
        "added_at": iso(row["added_at"]),
    }


def _health(row: Row) -> Document | None:
    """`ok`, `words`, `checked_at`; and what is known beside: `server`, `protocol`, `left_out`, `noise`, `last_words`, `signed_out`."""
    if row["health"] is None:
        return None
    kept = json.loads(row["health"])
    return {
        "ok": kept["ok"],
        "words": kept["words"],
        "checked_at": iso(kept["at"]),
        "server": kept.get("server", ""),
        "protocol": kept.get("protocol", ""),
        "left_out": kept.get("left_out", []),
        "noise": kept.get("noise", 0),
        "last_words": kept.get("last_words", ""),
        "signed_out": kept.get("signed_out", False),
    }


def connector_documents(conn: Connection) -> list[Document]:
    """Every connector, by name."""
    return [connector_document(conn, row) for row in connector_rows.every(conn)]


def tool_document(row: Row) -> Document:
    """One tool. `changes` are sentences without their subject, of what has changed since somebody looked; `says` is what its server says
    of it, in the server's words, and `claim` in ours what it says that it does."""
    now = json.loads(row["definition"])
    before = json.loads(row["agreed"]) if row["agreed"] is not None else None
    properties = now["inputSchema"].get("properties")
    return {
        "tool": row["tool"],
        "title": visible(str(now.get("title") or row["tool"]))[:120],
        "says": str(now.get("description") or ""),
        "takes": list(properties) if isinstance(properties, dict) else [],
        "does": row["does"],
        "does_words": DOES[row["does"]],
        "repeatable": bool(row["repeatable"]),
        "said_by": row["said_by"],
        "is_new": before is None,
        "changes": changes_between(before, now) if before is not None and row["agreed_pin"] != row["pin"] else [],
        "pin": row["pin"],
        "hints": now.get("annotations") or {},
        "claim": claim_of(now),
    }


def tool_documents(conn: Connection, name: str) -> list[Document]:
    """The tools of a connector as they were seen last: what may destroy something first, what only reads last, else by name."""
    found = [tool_document(row) for row in connector_rows.tools(conn, name)]
    return sorted(found, key=lambda one: place_of(one["claim"]))


def is_signed_out(conn: Connection, name: str) -> bool:
    """Whether a connector that is on wants somebody to sign in."""
    row = connector_rows.get(conn, name)
    health = _health(row) if row is not None and row["is_on"] else None
    return health is not None and bool(health["signed_out"])


def trouble_with(conn: Connection, name: str) -> tuple[str, str]:
    """Why runs could not use a connector as things are, and what to do; two empty texts where they can."""
    row = connector_rows.get(conn, name)
    if row is None:
        return f"There is no connector “{visible(name)}”.", "Add it: counterfoil connector add"
    found = connector_document(conn, row)
    if not found["on"]:
        return f"The connector “{name}” is off.", f"Switch it on: counterfoil connector on {name}"
    if is_signed_out(conn, name):
        return f"The sign-in to “{name}” has ended.", f"Sign in: counterfoil connector sign-in {name}"
    if found["health"] is None or not found["health"]["ok"]:
        said = f": {found['health']['words']}" if found["health"] is not None else "."
        return f"The connector “{name}” did not answer last{said}", f"Look at it: counterfoil connector test {name}"
    if found["changed"]:
        return (
            f"{found['changed']} tools of the connector “{name}” have changed or are new, and ask until somebody looks.",
            f"Look at them: counterfoil connector tools {name} --accept",
        )
    return "", ""
