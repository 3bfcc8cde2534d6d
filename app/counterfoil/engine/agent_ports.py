"""What the engine needs of the rooms above it for agents: what their team has written down and accepted, and commands in a sandbox."""

from __future__ import annotations

from typing import Any, Protocol


class Team(Protocol):
    """What the people of a workspace give to agents. Blocking, so call it in a thread."""

    def known(self, workspace: str) -> dict[str, Any]:
        """`agents`: [name, text] of each `.counterfoil/agents/*.md`, by name; `facts`: sentences that somebody has accepted.

        Raises:
            CounterfoilError: they cannot be read.
        """
