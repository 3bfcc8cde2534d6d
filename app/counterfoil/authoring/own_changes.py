"""What the steps of a run have written into its copy of the workspace, as a plan that a person can approve.

Steps write files as any program does (`files()`); the team's folder changes only by effects that were approved. `changes()` is the way
from the one to the other: the runner compares the copy with what was copied, and says which effects make the folder the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from counterfoil.authoring import machine
from counterfoil.authoring.effect_values import Effect, from_body
from counterfoil.authoring.evidence import Evidence, table


@dataclass(frozen=True, slots=True)
class LeftAlone:
    """A change in the run's copy that no effect carries out: where, and why not, as a sentence for people."""

    path: str
    why: str


class Changes(list[Effect]):
    """Effects that bring what the run has written into the team's folder: use it as the plan of `approve`.

    `left` is what is not among them. `approve` shows it beside the plan; who makes a list of its own shows `evidence`.
    """

    def __init__(self, effects: Iterable[Effect] = (), left: Sequence[LeftAlone] = ()) -> None:
        super().__init__(effects)
        self.left = list(left)

    @property
    def evidence(self) -> list[Evidence]:
        """What is left alone, as a table; nothing where there is nothing."""
        rows = [{"file": one.path, "why": one.why} for one in self.left]
        return [table(rows, title="Left as it is in your folder", columns=["file", "why"])] if rows else []


@machine.durable
async def changes() -> Changes:
    """What this run's steps have written, moved and removed in its copy of the workspace, as effects.

    Asked again after a crash, it answers the same. What was carried out already is not among it; neither is what somebody changed in the
    folder meanwhile, what runs nowhere but in a sandbox (links, pipes), and files that no effect may touch: these are `left`.
    """
    branch = machine.require("changes()")
    found = await branch.machine.lookup(branch, "changes", [])
    return Changes(
        (from_body(body) for body in found["plan"]), [LeftAlone(str(path), str(why)) for path, why in found["left"]]
    )
