"""What a notice of the desktop says; a part of `office`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class News:
    """One notice: its line, the gate or the run that a click opens, "" where it is about several things or none, and whether it is about
    gates."""

    words: str
    gate_id: str = ""
    gates: bool = True
    run_id: str = ""


class Tells(Protocol):
    """Says what is to be heard."""

    def news(self, *, looking: bool) -> News | None:
        """What to tell a person who is elsewhere; nothing to one who is looking at the window."""
