"""A tool that is not what was seen before its call: the gate that shows how it has changed, and what a person says of it there.

Who accepts it there has looked at it, as by `connector tools --accept`; the call goes on with exactly the definition that was shown.
"""

from __future__ import annotations

import difflib
import json
from collections.abc import Mapping
from typing import Any

from counterfoil.authoring.evidence import Evidence, fields, text
from counterfoil.authoring.parameters import Field
from counterfoil.connectors import keeping
from counterfoil.connectors.declared import Declared
from counterfoil.connectors.definitions import Tool
from counterfoil.effects.imagining import refusal
from counterfoil.engine.ports import InputNeeded, Moment
from counterfoil.facts import person
from counterfoil.policy.boundaries import visible
from counterfoil.store import connector_rows
from counterfoil.store.database import Database
from counterfoil.store.transactions import Row, Txn
from counterfoil.views.tool_changes import changes_between

_SHOWN, _ACCEPTED = (
    "changed",
    "accepted",
)  # in what a gate keeps for the call: the pin that it shows, and one that was accepted before
_LONGEST = 200_000  # characters of a difference; what is longer is not looked at in a gate


def accepted(moment: Moment) -> str | None:
    """The pin of the definition that a person has accepted for this call, or None."""
    state = moment.state or {}
    if state.get(_SHOWN) and not moment.declined and moment.answers.get("accept") is True:
        return str(state[_SHOWN])
    return state.get(_ACCEPTED)


def kept(moment: Moment) -> dict[str, Any]:
    """What a further gate of the same call keeps of it."""
    pin = accepted(moment)
    return {} if pin is None else {_ACCEPTED: pin}


def since_looked(who: str, row: Row) -> str:
    """What has changed of a tool since somebody looked at it, as a sentence for whoever approves a call of it."""
    shown = f"‘{visible(row['tool'][:80])}’ of {who}"
    if row["agreed"] is None:
        return f"Nobody has looked at {shown} yet."
    said = changes_between(json.loads(row["agreed"]), json.loads(row["definition"]))
    return f"Since somebody looked at it, {shown} {' and '.join(said) or 'has changed'}."


def put_before_a_person(
    declared: Declared, tool: Tool, row: Row | None, moment: Moment, args: Mapping[str, str]
) -> Exception:
    """Why the call is not made yet: a question, or the refusal of who was asked it. `args` are those of the call, as people read them."""
    state = moment.state or {}
    shown = f"‘{visible(tool.tool[:80])}’ of {declared.shown}"
    if state.get(_SHOWN) == tool.pin:
        return refusal(f"{person(moment.by)} did not accept {shown} as it is now, so it was not called.")
    before = json.loads(row["agreed"]) if row is not None and row["agreed"] is not None else None
    title = f"{shown} has changed since. Call it as it is now?"
    if before is None:
        title = f"Nobody has looked at {shown} yet. Call it?"
    accept = Field(name="accept", type="boolean", label="I have looked at it: call it as it is now", required=True)
    call = [fields({visible(name): value for name, value in args.items()}, title="The call")] if args else []
    evidence = [piece.to_json({}) for piece in (*call, *_evidence(declared, tool, before))]
    kept_here = {_SHOWN: tool.pin}
    return InputNeeded(title, fields=[accept.to_json()], evidence=evidence, flags=[], state=kept_here, why="changed")


def note_accepted(database: Database, declared: Declared, tool: Tool, by: str) -> None:
    """Somebody has accepted a tool at the gate of a call: it was looked at. Safe to repeat; blocking."""

    def operation(txn: Txn) -> None:
        row = connector_rows.tool(txn.conn, declared.name, tool.tool)
        if row is not None and row["pin"] == tool.pin != row["agreed_pin"]:
            keeping.agree(txn, declared.name, [tool.tool], by)

    database.transact(operation)


def _evidence(declared: Declared, tool: Tool, before: dict[str, Any] | None) -> list[Evidence]:
    """In our words what has changed, then the server's own definition, then and now."""
    now = _lines(tool.definition)
    if before is None or before == tool.definition:
        return [text("\n".join(now)[:_LONGEST], title=f"How {declared.shown} describes it", source=declared.shown)]
    said = [f"It {sentence}." for sentence in changes_between(before, tool.definition)]
    found = [text("\n".join(said), title="What has changed")] if said else []
    difference = "\n".join(difflib.unified_diff(_lines(before), now, lineterm="", n=3))
    return [
        *found,
        Evidence("diff", f"How {declared.shown} describes it, before and now", difference[:_LONGEST], declared.shown),
    ]


def _lines(definition: Mapping[str, Any]) -> list[str]:
    return [visible(line) for line in json.dumps(definition, indent=2, ensure_ascii=False, sort_keys=True).splitlines()]
