"""Asking policy: the one place where the engine does, so that every path is judged alike, on the final arguments."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from counterfoil.authoring.codec import canonical, digest
from counterfoil.authoring.machine import root_of
from counterfoil.engine import command_effects, replaced
from counterfoil.engine.holding import Breach, Hold
from counterfoil.engine.ports import Around, BadEffect, Judgement, Permission
from counterfoil.facts import Outcome
from counterfoil.store import connector_rows, intents, permission_rows, runs
from counterfoil.store.transactions import Connection, Row, Txn

MOST_TOLD = 5  # sentences about what was done already


def judged(hold: Hold, body: dict[str, Any], conn: Connection | None = None) -> Judgement:
    """What may happen with an effect of this run that no approval covers; `conn` is that of the transaction which acts on it."""
    refused = command_effects.refusal(hold, body)
    if refused is not None:
        return Judgement(Permission.DENY, refused)
    reader = hold.powers.database.reader if conn is None else conn
    around = around_of(reader, body, hold.template, hold.run_id)
    kin = runs.kin(reader, hold.run_id, hold.again_of)
    if kin:
        around = replace(around, done=done_before(reader, kin, digest(canonical(body))))
    return hold.powers.policy.judge(body, hold.workspace, hold.manifest, around)


def around_of(conn: Connection, body: dict[str, Any], template: str, run_id: str) -> Around:
    """What stands around an effect of a run as it is judged now."""
    does, pin = "", ""
    if body["kind"] == "call@1":
        tool = connector_rows.tool(conn, body["args"]["connector"], body["args"]["tool"])
        if tool is not None and tool["agreed_pin"] == tool["pin"]:
            does, pin = tool["does"], tool["pin"]
    rules, sources = permission_rows.living(conn), permission_rows.sources(conn, run_id)
    return Around(template, rules, sources, does, pin)


def done_before(conn: Connection, kin: Sequence[Row], effect_digest: str) -> list[str]:
    """What runs that do the same have done or begun that is exactly this effect, as sentences."""
    found = list[str]()
    for run in kin:
        for row in intents.of_digest(conn, run["run_id"], effect_digest):
            where = f"step {root_of(row['path'], row['ordinal']) + 1} of run {run['number']}"
            if row["outcome"] == Outcome.OK:
                found.append(f"This was done already, in {where}.")
            elif row["outcome"] is None:
                found.append(f"This was begun already, in {where}; whether it happened is not known.")
    return found[:MOST_TOLD]


def note_in_force(txn: Txn, hold: Hold) -> None:
    """Keep with the run by which rules of people it is judged."""
    rules = [[row["number"], row["verdict"], json.loads(row["conditions"])] for row in permission_rows.living(txn.conn)]
    permission_rows.note_in_force(txn, hold.run_id, canonical(rules))


def foreseen(hold: Hold, texts: Sequence[str]) -> Callable[[Txn], tuple[Any, str]]:
    """What policy says of effects before they are awaited: a pair of permission and reason each. The canonical bodies are `texts`.

    What the catalogue does not take is denied: an agent's llm may ask for anything.

    Raises:
        Breach: one of them is not even of an effect's shape.
    """
    reader = hold.powers.database.reader
    effects, said = hold.powers.effects, list[list[str]]()
    for text in texts:
        body = json.loads(text)
        if not isinstance(body, dict) or body.keys() != {"kind", "args"}:
            raise Breach("a question about what is no effect")
        try:
            effects.check(body)
        except BadEffect as problem:
            said.append([str(Permission.DENY), str(problem)])
            continue
        judgement = replaced.refusal(reader, hold, digest(text)) or judged(hold, body)
        asks = judgement.permission is Permission.ALLOW and judgement.rule is None and effects.is_file(body)
        said.append([str(Permission.ASK if asks else judgement.permission), judgement.reason])
    asked = sum(word == Permission.ASK for word, _ in said)
    return lambda _: (said, f"{asked} of {len(said)} would ask")
