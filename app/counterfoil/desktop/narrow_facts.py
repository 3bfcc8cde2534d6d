"""To which runs a list is narrowed beside their state and words: those of a template, of a schedule, of the last
days, of a workspace."""

from __future__ import annotations

from dataclasses import dataclass

Choices = tuple[tuple[str, str], ...]  # key and words


@dataclass(frozen=True, slots=True)
class Narrow:
    """`template` by name, all its versions; `schedule` by id; `days` back from today, which is 1; `workspace` by its
    path, whatever the window shows besides. Nothing set narrows nothing."""

    template: str = ""
    schedule: str = ""
    days: int = 0
    workspace: str = ""

    @property
    def on(self) -> bool:
        """Whether it leaves anything out."""
        return self != EVERY


EVERY = Narrow()
