"""What a person does at a gate instead of deciding it: not now, or somebody else; a part of `office`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody a gate can be given to, by principal and name; `why_not` where its rules leave them out."""

    principal: str
    name: str
    why_not: str = ""


class SetsAside(Protocol):
    """Puts gates off and hands them over; nothing of it decides."""

    def snooze(self, gate_id: str, until: int) -> None:
        """Not before this instant (us); it comes back by itself."""

    def wake(self, gate_id: str) -> None:
        """See it again now."""

    def people(self, gate_id: str) -> tuple[Person, ...]:
        """Everybody that is known here but oneself, by name."""

    def give(self, gate_id: str, principal: str, why: str) -> None:
        """From now on it waits for them."""

    def take(self, gate_id: str) -> None:
        """From now on it waits for oneself."""
