"""Asking policy: the one place where the engine does, so that every path is judged alike, on the final arguments."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

from counterfoil.engine.holding import Breach, Hold
from counterfoil.engine.ports import BadEffect, Judgement, Permission
from counterfoil.store.transactions import Txn


def judged(hold: Hold, body: dict[str, Any]) -> Judgement:
    """What may happen with an effect of this run that no approval covers."""
    return hold.powers.policy.judge(body, hold.workspace, hold.manifest)


def foreseen(hold: Hold, texts: Sequence[str]) -> Callable[[Txn], tuple[Any, str]]:
    """What policy says of effects before they are awaited: a pair of permission and reason each. The canonical bodies are `texts`.

    Files change only under an approval, so what policy allows of them is asked about as well.

    Raises:
        Breach: one of them is no effect of the catalogue.
    """
    effects, said = hold.powers.effects, []
    for text in texts:
        body = json.loads(text)
        try:
            effects.check(body)
        except BadEffect as problem:
            raise Breach(f"a question about an effect that is none: {problem}") from problem
        judgement = judged(hold, body)
        asks = judgement.permission is Permission.ALLOW and effects.is_file(body)
        said.append([str(Permission.ASK if asks else judgement.permission), judgement.reason])
    asked = sum(word == Permission.ASK for word, _ in said)
    return lambda _: (said, f"{asked} of {len(said)} would ask")
