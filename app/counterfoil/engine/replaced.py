"""Calls that a person changed before approving them: as they were asked for first they are not done in this run any more.

What was approved instead is sealed; the original asks nobody again, whoever in the run comes back to it.
"""

from __future__ import annotations

import json

from counterfoil.authoring.codec import canonical, digest
from counterfoil.engine.holding import Hold
from counterfoil.engine.ports import Judgement, Permission
from counterfoil.facts import GateState, person
from counterfoil.store import gates, seals
from counterfoil.store.transactions import Connection


def refusal(conn: Connection, hold: Hold, asked_digest: str) -> Judgement | None:
    """A denial where a person has changed exactly this effect; None where nobody has."""
    for gate_id in gates.taken_ids(conn, hold.run_id):
        if gate_id not in hold.replaced:
            hold.replaced[gate_id] = _originals(conn, hold, gate_id)
    by = next((found[asked_digest] for found in hold.replaced.values() if asked_digest in found), None)
    if by is None:
        return None
    why = f"{person(by)} changed this before approving it, so as it was asked for first it is not done in this run."
    return Judgement(Permission.DENY, why)


def _originals(conn: Connection, hold: Hold, gate_id: str) -> dict[str, str]:
    """The digests of a gate's items that were approved otherwise than they were asked for, with who did so."""
    gate = gates.get(conn, gate_id)
    if gate["state"] != GateState.DECIDED:
        return {}
    plan = json.loads(hold.powers.blobs.text(gate["spec"], gate["spec_blob"]))["plan"]
    if not any(item["editable"] for item in plan):
        return {}
    asked = {item["n"]: digest(canonical(item["body"])) for item in plan}
    by = gates.decisions(conn, gate_id)[-1]["principal"]
    return {asked[seal["n"]]: by for seal in seals.of_gate(conn, gate_id) if seal["digest"] != asked[seal["n"]]}
