"""Rules that people give and take back: checked, kept, and told in the trail; and what a gate proposes as one."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from counterfoil.engine.ports import Permission
from counterfoil.errors import UnknownRule, WrongUse
from counterfoil.facts import person
from counterfoil.inbox.finding import find_gate
from counterfoil.policy import grants, proposing
from counterfoil.policy.grant_words import sentence
from counterfoil.policy.grants import Conditions
from counterfoil.policy.proposing import LOOKED_AT, Question
from counterfoil.store import connector_rows, gates, history, permission_rows, runs, trail_rows
from counterfoil.store.blobs import Blobs
from counterfoil.store.transactions import Connection, Row, Txn


@dataclass(frozen=True, slots=True)
class Before:
    """A decision of a person that a rule is held against: whether it would have been spared, and what was decided instead."""

    number: int
    title: str
    verdict: str
    by: str
    at: int
    covered: bool


def grant(
    txn: Txn, verdict: Permission, rule: Conditions, by: str, comment: str = "", gate_id: str | None = None
) -> Row:
    """Keep a rule; its row. One that says the same is kept as it is.

    Raises:
        WrongUse: it could match nothing, or allows more than it says.
    """
    grants.check(verdict, rule)
    text = rule.to_json()
    for row in permission_rows.living(txn.conn):
        if (row["verdict"], row["conditions"]) == (str(verdict), text):
            return row
    row = permission_rows.add(txn, str(verdict), text, by=by, comment=comment, gate_id=gate_id)
    trail_rows.append(
        txn,
        by=by,
        kind="permission",
        subject=row["permission_id"],
        summary=f"{person(by)} gave the rule p-{row['number']}: {sentence(verdict, rule)}",
        after={"verdict": str(verdict), "conditions": json.loads(text), "comment": comment, "gate": gate_id},
    )
    return row


def pinned(conn: Connection, verdict: Permission, rule: Conditions) -> Conditions:
    """A rule that allows a tool, bound to the tool as somebody has looked at it, unless it names a definition itself.

    Raises:
        WrongUse: nobody has looked at the tool as it is now.
    """
    if verdict is not Permission.ALLOW or rule.effect != "call" or rule.pin or not rule.tool:
        return rule
    tool = connector_rows.tool(conn, rule.connector, rule.tool)
    if tool is None or tool["agreed_pin"] != tool["pin"]:
        raise WrongUse(
            f"Nobody has looked at ‘{rule.tool}’ of the connector {rule.connector} as it is now, so it cannot be allowed.",
            f"Look first: counterfoil connector tools {rule.connector}",
        )
    return dataclasses.replace(rule, pin=tool["pin"])


def take_back(txn: Txn, row: Row, by: str) -> bool:
    """Take a rule back; False where it was taken back before."""
    if not permission_rows.revoke(txn, row["permission_id"], by):
        return False
    said = sentence(Permission(row["verdict"]), grants.read(row["conditions"]))
    trail_rows.append(
        txn,
        by=by,
        kind="permission",
        subject=row["permission_id"],
        summary=f"{person(by)} took the rule p-{row['number']} back: {said}",
        before={"verdict": row["verdict"], "conditions": json.loads(row["conditions"])},
    )
    return True


def find(conn: Connection, reference: str) -> Row:
    """The rule that is meant by `p-3`, an id or the beginning of one.

    Raises:
        UnknownRule: there is none, or more than one.
    """
    found = permission_rows.find(conn, reference.strip().lower()) if len(reference.strip()) > 2 else []
    if len(found) != 1:
        raise UnknownRule(f"There is no rule ‘{reference}’.", "See: counterfoil permission list")
    return found[0]


def question_of(conn: Connection, blobs: Blobs, gate: Row) -> Question:
    """A gate as rules meet it."""
    run = runs.get(conn, gate["run_id"])
    spec: dict[str, Any] = json.loads(blobs.text(gate["spec"], gate["spec_blob"]))
    return Question(spec, run["workspace"], run["template"])


def proposed(conn: Connection, blobs: Blobs, reference: str) -> tuple[Row, list[Conditions]]:
    """A gate, and the narrowest rules that would have spared it.

    Raises:
        UnknownGate: there is no such gate.
        WrongUse: it asks about nothing that a rule could allow.
    """
    gate = find_gate(conn, reference)
    question = question_of(conn, blobs, gate)
    if not question.spec["plan"] or question.spec["kind"] != "approval":
        raise WrongUse(
            f"Gate g-{gate['number']} asks about nothing that a rule could allow.",
            "Rules allow what effects do; a question is always asked.",
        )
    rules = [pinned(conn, Permission.ALLOW, rule) for rule in proposing.narrowest(question)]
    for rule in rules:
        grants.check(Permission.ALLOW, rule)
    return gate, rules


def held_against(conn: Connection, blobs: Blobs, rules: Sequence[Conditions]) -> list[Before]:
    """The last decisions of people on approvals, newest first, each with whether these rules would have spared it."""
    found: list[Before] = []
    for row in history.people_decided(conn, LOOKED_AT):
        question = question_of(conn, blobs, gates.get(conn, row["gate_id"]))
        # held against the tool as it was then
        covered = proposing.would_cover(_with_pins(rules, question), question)
        found.append(Before(row["number"], row["title"], row["verdict"], row["principal"], row["at"], covered))
    return found


def _with_pins(rules: Sequence[Conditions], question: Question) -> list[Conditions]:
    pins = {
        (args.get("connector"), args.get("tool")): str(args.get("pin") or "")
        for item in question.spec["plan"]
        if item["body"]["kind"].startswith("call@") and (args := item["body"]["args"])
    }
    return [dataclasses.replace(rule, pin=pins.get((rule.connector, rule.tool), rule.pin)) for rule in rules]
