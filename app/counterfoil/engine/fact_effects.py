"""Facts that a run proposes for later ones: kept with their source and with the person who has accepted them, and never without one."""

from __future__ import annotations

from counterfoil.authoring.codec import canonical
from counterfoil.engine import by_rule, killpoints
from counterfoil.engine.effect_values import Asked, Ended
from counterfoil.engine.holding import Hold
from counterfoil.engine.ports import EffectTrouble
from counterfoil.facts import FailureClass, Outcome
from counterfoil.store import fact_rows, gates, intents, permission_rows
from counterfoil.store.fact_rows import NewFact
from counterfoil.store.transactions import Txn

KIND = "remember@1"


async def act(hold: Hold, asked: Asked) -> Ended:
    """Keep an accepted fact.

    Raises:
        EffectTrouble: no person has accepted it.
    """
    number = await hold.do(lambda txn: _keep(txn, hold, asked))
    killpoints.reach("after_perform")
    return Ended(Outcome.OK, canonical({"number": number}))


def _keep(txn: Txn, hold: Hold, asked: Asked) -> int:
    intent = intents.get(txn.conn, hold.run_id, *asked.identity)
    gate_id = intent["gate_id"] if intent is not None else None
    if gate_id is None or by_rule.decided(txn.conn, gate_id):
        raise EffectTrouble("No person has accepted it, and nothing else is remembered.", FailureClass.STRUCTURAL)
    new = NewFact(
        key=asked.key,
        workspace=hold.workspace,
        fact=asked.body["args"]["fact"],
        source=asked.body["args"]["source"],
        sources=canonical(permission_rows.sources(txn.conn, hold.run_id)),
        run_id=hold.run_id,
        accepted_by=gates.decisions(txn.conn, gate_id)[-1]["principal"],
    )
    return fact_rows.keep(txn, new)
