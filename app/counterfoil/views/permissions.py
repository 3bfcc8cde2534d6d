"""Rules of people as documents: the sentence that says what a rule does, what it protects, who gave it, how often it was used."""

from __future__ import annotations

import json
from typing import Any

from counterfoil.clock import from_us, iso
from counterfoil.engine.ports import Permission
from counterfoil.facts import person
from counterfoil.policy import grants
from counterfoil.policy.grant_words import GROUPS, group_of, sentence
from counterfoil.store import permission_rows
from counterfoil.store.permission_rows import Use
from counterfoil.store.transactions import Connection, Row

Document = dict[str, Any]
_NEVER = Use(0, None)


def permission_documents(conn: Connection, *, taken_back: bool = False, now_us: int) -> list[Document]:
    """The rules in force (`taken_back`: and those that are not), by what they protect."""
    uses = permission_rows.uses(conn)
    rows = permission_rows.every(conn) if taken_back else permission_rows.living(conn)
    found = [permission_document(row, uses.get(row["permission_id"], _NEVER), now_us) for row in rows]
    return sorted(found, key=lambda one: (GROUPS.index(one["group"]), one["number"]))


def permission_document(row: Row, use: Use, now_us: int) -> Document:
    """One rule: `sentence` says what it does, `account` who gave it and how often it was used; `conditions` are what it speaks of."""
    verdict, rule = Permission(row["verdict"]), grants.read(row["conditions"])
    return {
        "permission_id": row["permission_id"],
        "number": row["number"],
        "verdict": row["verdict"],
        "group": group_of(rule),
        "sentence": sentence(verdict, rule),
        "account": _account(row, use, now_us),
        "conditions": json.loads(row["conditions"]),
        "comment": row["comment"],
        "granted_by": row["granted_by"],
        "granted_at": iso(row["granted_at"]),
        "gate_id": row["gate_id"],
        "used": use.times,
        "last_used_at": iso(use.last_us),
        "revoked_by": row["revoked_by"],
        "revoked_at": iso(row["revoked_at"]),
    }


def _account(row: Row, use: Use, now_us: int) -> str:
    """`Granted by Anna 3 Nov, used 41 times, last today.`"""
    word = "Granted" if row["verdict"] == Permission.ALLOW else "Given"
    parts = [f"{word} by {person(row['granted_by'])} {_day(row['granted_at'])}"]
    if row["verdict"] == Permission.ALLOW:
        times = "never used" if not use.times else f"used {use.times:,} {'time' if use.times == 1 else 'times'}"
        parts.append(times)
        if use.last_us is not None:
            parts.append(f"last {_when(use.last_us, now_us)}")
    if row["revoked_at"] is not None:
        parts.append(f"taken back by {person(row['revoked_by'])} {_day(row['revoked_at'])}")
    return f"{', '.join(parts)}."


def _day(at_us: int) -> str:
    at = from_us(at_us).astimezone()
    return f"{at.day} {at:%b}"


def _when(at_us: int, now_us: int) -> str:
    """`today`, `yesterday`, or the day."""
    days = (from_us(now_us).astimezone().date() - from_us(at_us).astimezone().date()).days
    return {0: "today", 1: "yesterday"}.get(days, _day(at_us))
