"""Facts to remember as effects: their shape and how a person sees them. They are kept by the engine, which knows who has accepted them."""

from __future__ import annotations

from typing import Any

from counterfoil.effects import shapes
from counterfoil.effects.sentences import shortened
from counterfoil.engine.ports import NO_MOMENT, EffectTrouble, Finding, Moment, PlanEntry, Reconciled
from counterfoil.facts import DoubtPolicy, FailureClass, Risk
from counterfoil.policy.boundaries import visible

LONGEST_FACT, LONGEST_SOURCE = 500, 300


class Facts:
    """`remember@1`: a fact as one sentence, and where it stands or who said so."""

    def check(self, args: object) -> None:
        """Raise BadEffect unless the arguments are of its shape."""
        given = shapes.exactly(args, ("fact", "source"))
        shapes.text(given["fact"], "The fact", longest=LONGEST_FACT, empty=False)
        shapes.text(given["source"], "The source", longest=LONGEST_SOURCE, empty=False)

    def policy(self, args: dict[str, Any]) -> DoubtPolicy:
        """It is kept under its key, so keeping it again changes nothing."""
        return DoubtPolicy.RETRY

    def entry(self, args: dict[str, Any], workspace: str) -> PlanEntry:
        """`Remember for later runs: …`."""
        return PlanEntry(
            effect="remember@1",
            summary=f"Remember for later runs: {shortened(visible(args['fact']))}",
            target=visible(args["source"]),
            risk=Risk.NORMAL,
        )

    async def perform(self, args: dict[str, Any], key: str, workspace: str, moment: Moment = NO_MOMENT) -> Any:
        """Never: it needs the approval it is kept under.

        Raises:
            EffectTrouble: always.
        """
        raise EffectTrouble("Facts are kept under an approval of a run.", FailureClass.STRUCTURAL)

    async def reconcile(self, args: dict[str, Any], key: str) -> Reconciled:
        """Keeping it again changes nothing."""
        return Reconciled(Finding.NOT_HAPPENED)
