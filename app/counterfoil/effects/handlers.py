"""What every kind of effect brings to the catalogue: its shape, its entry in a plan, and its hands.

Kinds of files and kinds of the wire differ in one thing: files of a gate are one apply set, imagined together before any of them is
touched, while what goes over the wire is done one by one.
"""

from __future__ import annotations

from typing import Any, Protocol

from counterfoil.effects.imagining import Scene
from counterfoil.engine.ports import NO_MOMENT, FileOp, Moment, PlanEntry, Reconciled
from counterfoil.facts import DoubtPolicy


class FileKind(Protocol):
    """A kind of effect on files. `phase`: what clears names away is imagined before what takes them, whatever the order of the plan."""

    @property
    def phase(self) -> int:
        """0 deletes, 1 moves, 2 makes folders, 3 gives a file new bytes."""

    def check(self, args: object) -> None:
        """Raise BadEffect unless the arguments are of its shape."""

    def imagine(self, args: dict[str, Any], scene: Scene, n: int) -> list[FileOp]:
        """What it would do as item n, on top of what the items before it do; at least one op.

        Raises:
            EffectTrouble: it cannot be done on the files as they are, or not after the items before it.
        """

    def entry(self, args: dict[str, Any], ops: list[FileOp], scene: Scene) -> PlanEntry:
        """How a person sees it; `base` is filled in by the caller."""


class WireKind(Protocol):
    """A kind of effect that reaches out."""

    def check(self, args: object) -> None:
        """Raise BadEffect unless the arguments are of its shape."""

    def policy(self, args: dict[str, Any]) -> DoubtPolicy:
        """What to do with an intent that has no outcome."""

    def entry(self, args: dict[str, Any], workspace: str) -> PlanEntry:
        """How a person sees it; it looks at nothing that can fail, because doubts are worded with it too."""

    async def perform(self, args: dict[str, Any], key: str, workspace: str, moment: Moment = NO_MOMENT) -> Any:
        """Do it; the outcome as plain JSON.

        Raises:
            EffectTrouble: it is known not to have happened.
            InputNeeded: a person is asked something first.
            OutcomeUnknown: nobody knows.
        """

    async def reconcile(self, args: dict[str, Any], key: str) -> Reconciled:
        """Ask the outside whether it happened."""
