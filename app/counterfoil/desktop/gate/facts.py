"""A value under its name, and a row that needs an answer: what the pages of a gate are made of."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Fact:
    """A value under its name, where it comes from, and − or + where it is what was or what is now."""

    name: str
    value: str
    source: str = ""
    mark: str = ""


@dataclass(frozen=True, slots=True)
class AnswerRow:
    """One thing that needs an answer. `reasoned` are the choices that need a reason."""

    key: str
    title: str
    choices: tuple[str, ...]
    flag: str = ""
    help: str = ""
    facts: tuple[Fact, ...] = ()
    default: str = ""  # what happens to it without an answer; "" where one is needed
    reason: str = ""  # name of the reason's field, "" where there is none
    reasoned: frozenset[str] = frozenset()
    item: int = 0  # the plan's item that is confirmed by it, 0 for a field of the author's

    @property
    def field(self) -> str:
        """The name of the field its choice is kept in."""
        return field_of(self.key)


def field_of(key: str) -> str:
    """The name of the field that the choice of a row is kept in; the row without a key is the only one."""
    return f"choice.{key}" if key else "choice"
