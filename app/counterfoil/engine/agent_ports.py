"""What the engine needs of the rooms above it for agents: what their team has written down and accepted, and commands in a sandbox."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol


class Team(Protocol):
    """What the people of a workspace give to agents. Blocking, so call it in a thread."""

    def known(self, workspace: str) -> dict[str, Any]:
        """`agents`: [name, text] of each `.counterfoil/agents/*.md`, by name; `facts`: sentences that somebody has accepted;
        `skills`: name, files, texts and digest of each folder in `.counterfoil/skills`.

        Raises:
            CounterfoilError: they cannot be read.
        """


class Written(Protocol):
    """What a command has changed in its copy."""

    @property
    def token(self) -> str | None:
        """The name of the overlay that holds it; None where nothing was changed."""

    @property
    def paths(self) -> Sequence[str]:
        """The files that were changed or removed."""

    @property
    def left(self) -> Sequence[str]:
        """What is not taken over: links, pipes."""


class Commands(Protocol):
    """Commands in sandboxes. All but `run` block, so call them in a thread."""

    def refusal(self) -> str | None:
        """Why none is run on this computer, as a sentence; None where they are."""

    def copy(self, run_id: str, tree: str, workspace: str, skill: dict[str, str] | None) -> Any:
        """A private copy of a run's files, with those of a skill beside them; its `made` has what is in it by path.

        Raises:
            EffectTrouble: there is no room, or the skill is not as it was.
        """

    async def run(self, copy: Any, args: dict[str, Any]) -> dict[str, Any]:
        """Run one on the copy: `status`, `ended` (why it was ended, ""), `out`, `err`, `seconds`, `failed`.

        Raises:
            EffectTrouble: it was not run.
        """

    def written(self, copy: Any, overlays: str) -> Written:
        """What it has changed, as an overlay in this folder. Raises TooMuchWritten."""

    def drop(self, copy: Any) -> None:
        """Let go of the copy."""
