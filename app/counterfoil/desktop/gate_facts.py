"""What the page of a gate needs to know, and what a person fills in there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol


@dataclass(frozen=True, slots=True)
class Draft:
    """What a person has filled in so far. `values` by field name; `held` rows; `left_out` plan numbers; `edits` by plan number;
    `words` typed in a sheet whose button was not pressed, by what the sheet asks."""

    values: dict[str, Any] = field(default_factory=dict)
    held: tuple[int, ...] = ()
    left_out: tuple[int, ...] = ()
    edits: dict[str, dict[str, Any]] = field(default_factory=dict)
    comment: str = ""
    words: dict[str, str] = field(default_factory=dict)
    opened: tuple[str, ...] = ()
    seen: str = ""  # digest that was on the screen when this was filled in

    @property
    def empty(self) -> bool:
        """Whether there is nothing worth a word."""
        return not (self.values or self.held or self.left_out or self.edits or self.comment or self.words)


@dataclass(frozen=True, slots=True)
class Aftermath:
    """What then happened to one effect of a decided gate."""

    n: int
    state: str
    words: str


@dataclass(frozen=True, slots=True)
class GateSeen:
    """A gate as it is shown: the contract's document and what else the page needs. `bodies` are effects by number from 1."""

    document: Mapping[str, Any]
    template: str
    run_number: int
    run_title: str
    run_state: str
    started_by: str
    workspace: str
    isolation: str
    figures: tuple[tuple[str, Any], ...] = ()
    fields: tuple[
        Mapping[str, Any], ...
    ] = ()  # with help and required_when, where the contract's fields leave them out
    bodies: tuple[Mapping[str, Any], ...] = ()
    editable: Mapping[int, tuple[str, ...]] = field(default_factory=dict)
    partial: bool = False
    about: Mapping[str, Any] = field(default_factory=dict)
    step: int | None = None
    files_at: int | None = None
    story: tuple[str, ...] = ()
    prior: tuple[str, ...] = ()
    foreign: tuple[str, ...] = ()
    after: tuple[Aftermath, ...] = ()
    successor: str | None = None
    earlier: str = ""  # the gate that this one took the place of: a round before, "" where there was none
    may_decide: bool = True
    why_not: str = ""
    why_owner: str = ""  # why it goes to whose data folder this is, where nobody else here may answer it
    me: str = ""
    asleep_until: int | None = None  # this person has snoozed it
    draft: Draft = field(default_factory=Draft)
    sent_back: str = ""  # what sending it back comes to, as a sentence

    @property
    def gate_id(self) -> str:
        """The gate's id."""
        return str(self.document["gate_id"])


@dataclass(frozen=True, slots=True)
class PageSeen:
    """A page of a document as a picture (PNG), its size in points, and the boxes to draw on it (x0, top, x1, bottom in points)."""

    png: bytes
    width: float
    height: float
    page: int
    pages: int
    boxes: tuple[tuple[float, float, float, float], ...] = ()


@dataclass(frozen=True, slots=True)
class DecisionMade:
    """A decision that was committed; `effective_at` is when it cannot be taken back any more."""

    gate_id: str
    verdict: str
    effective_at: int


@dataclass(frozen=True, slots=True)
class Answer:
    """What a person decided, ready to be committed."""

    gate_id: str
    digest: str
    verdict: str
    comment: str = ""
    values: Mapping[str, Any] = field(default_factory=dict)
    only: tuple[int, ...] | None = None
    edits: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    confirmed: tuple[int, ...] = ()  # items whose files run later


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody a gate can be given to, by principal and name; `why_not` where its rules leave them out."""

    principal: str
    name: str
    why_not: str = ""


class SetsAside(Protocol):
    """What a person does at a gate instead of deciding it: not now, or somebody else."""

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
