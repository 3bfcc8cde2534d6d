"""What the demonstration of pulling the plug hands out; a part of `office`."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Plug:
    """What pulling the plug has shown so far. Counts are None until the run is back."""

    ended_at: int
    back_at: int | None = None
    step: str = ""
    steps_repeated: int | None = None
    effects_repeated: int | None = None
    trouble: str = ""
