"""What people's rules decide in their place: a gate whose whole plan they allow is approved in the transaction that opens it, sealed,
recorded and undoable like any other. Files change only under a gate, so this is how a rule lets them change.

Nobody's eye is replaced where it is asked for: a gate with a form, with flags, with claims, or with files that run later stays open.
"""

from __future__ import annotations

from typing import Any

from counterfoil.authoring.codec import canonical, digest
from counterfoil.engine import answers
from counterfoil.engine.holding import Hold, Identity
from counterfoil.engine.judging import judged
from counterfoil.engine.ports import Judgement, Permission
from counterfoil.facts import GateKind, GateState, Risk, Slot, Verdict, person
from counterfoil.store import gates, permission_rows, seals, trail_rows
from counterfoil.store.transactions import Connection, Row, Txn

_RULE = "rule:"


def may_decide(spec: dict[str, Any]) -> bool:
    """Whether rules may answer a gate that shows this: an approval of effects that needs nobody's eye."""
    flagged = len(spec["flags"]) > len(
        spec.get("warnings") or ()
    )  # beyond what is said of every run that read from outside
    plain = not (spec["fields"] or spec["claims"] or flagged)
    risky = any(item["risk"] == Risk.RUNS_LATER for item in spec["plan"])
    return spec["kind"] == GateKind.APPROVAL and bool(spec["plan"]) and plain and not risky


def decide(hold: Hold, txn: Txn, gate: Row, shown: dict[str, Any]) -> None:
    """Approve a gate that was just opened, where rules allow all that it asks about."""
    if not may_decide(shown):
        return
    said = [judged(hold, item["body"], txn.conn) for item in shown["plan"]]
    rules = list(dict.fromkeys(one.rule for one in said if one.rule is not None))
    if not rules or any(one.permission is not Permission.ALLOW for one in said):
        return
    _approve(hold, txn, gate, shown, [permission_rows.find(txn.conn, rule)[0] for rule in rules])
    for rule in rules:
        permission_rows.note_use(txn, hold.run_id, gate["path"], gate["ordinal"], rule)
    if gate["slot"] == Slot.OUTCOME:
        row = gates.answer_at(txn.conn, hold.run_id, gate["path"], gate["ordinal"], Slot.OUTCOME, txn.now_us)
        if row is not None:
            answers.record_decision(txn, hold.powers.blobs, row)


def _approve(hold: Hold, txn: Txn, gate: Row, shown: dict[str, Any], rules: list[Row]) -> None:
    named = ", ".join(f"p-{rule['number']}" for rule in rules)
    by = f"{_RULE}{named}"
    gates.decide(txn, gate["gate_id"], gate["digest"], f"approved by {person(by)}")
    gates.add_decision(
        txn,
        gate_id=gate["gate_id"],
        principal=by,
        verdict=str(Verdict.APPROVED),
        answers="{}",
        comment="",
        on_behalf_of=rules[0]["granted_by"],
        at=txn.now_us,
        effective_at=txn.now_us,
        digest=gate["digest"],
        signature="rule",
    )
    bodies = [(item["n"], canonical(item["body"]), canonical(item["base"])) for item in shown["plan"]]
    seals.add(txn, gate["gate_id"], [(n, body, base, digest(body)) for n, body, base in bodies])
    trail_rows.append(
        txn,
        by=by,
        kind="decision",
        subject=hold.run_id,
        summary=f"The rule {named} approved “{gate['title']}”",
        after={
            "gate": gate["gate_id"],
            "digest": gate["digest"],
            "verdict": str(Verdict.APPROVED),
            "items": [[n, digest(body)] for n, body, _ in bodies],
            "rules": [rule["permission_id"] for rule in rules],
        },
    )


def decided(conn: Connection, gate_id: str) -> bool:
    """Whether rules, and no person, approved a gate."""
    return any(row["principal"].startswith(_RULE) for row in gates.decisions(conn, gate_id))


def void(txn: Txn, gate_id: str) -> None:
    """Let an approval by rules count no more, so that the question is asked anew."""
    gates.take(txn, gate_id)
    seals.void(txn, gate_id)


def note_use(txn: Txn, hold: Hold, identity: Identity, said: Judgement) -> None:
    """An effect begins without an approval: say so with the rule that allows it, and let go of the question it had asked before."""
    if said.permission is not Permission.ALLOW:
        return
    if said.rule is not None:
        permission_rows.note_use(txn, hold.run_id, *identity, said.rule)
    own = gates.newest(txn.conn, hold.run_id, *identity, Slot.GATE)
    if own is not None and own["state"] == GateState.OPEN:
        gates.close(txn, own["gate_id"], GateState.WITHDRAWN, said.reason)
