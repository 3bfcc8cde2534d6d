"""What a run of a small program comes to when nothing goes wrong: the measure for the engine under faults.

A program is a row of parts. Walking it yields its value, the records it must leave (each once), and what must have happened outside (each
once). There is no database here, no clock and no crash. After the fault-free models that durable functions were proved against.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

Identity = tuple[str, int]


@dataclass(frozen=True)
class Work:
    """A step that returns `10 * n`."""

    n: int


@dataclass(frozen=True)
class Act:
    """One effect: `kind` says what is done about an unknown outcome, `may` what policy says of it."""

    kind: str
    may: str = "allow"


@dataclass(frozen=True)
class Plan:
    """An approval of effects, all performed when it is given."""

    kinds: tuple[str, ...]


@dataclass(frozen=True)
class Question:
    """A question; the answer is a number."""


@dataclass(frozen=True)
class Nap:
    """A sleep of some hours."""

    hours: int


@dataclass(frozen=True)
class Fork:
    """Programs side by side."""

    branches: tuple[Program, ...]


Part = Work | Act | Plan | Question | Nap | Fork
Program = tuple[Part, ...]


def says_no(title: str) -> bool:
    """How the person of these tests decides: by the title alone, the same every time."""
    return sum(title.encode()) % 4 == 0


def answer_to(title: str) -> int:
    """What the person of these tests answers to a question."""
    return sum(title.encode()) % 100


@dataclass
class Outcome:
    """What has come of a program: records by identity (name, outcome, value), and the texts of effects that happened."""

    value: Any = None
    records: dict[Identity, tuple[str, str, Any]] = field(default_factory=dict)
    happened: list[str] = field(default_factory=list)


def expected(program: Program) -> Outcome:
    """Walk a program to its end."""
    outcome = Outcome()
    outcome.value = _walk(program, "", outcome)
    return outcome


def name_of(path: str, ordinal: int) -> str:
    """What a part of a program is called outside: its place."""
    return f"{path or 'root'}#{ordinal}"


def _walk(program: Program, path: str, outcome: Outcome) -> list[Any]:
    values: list[Any] = []
    ordinal = 0
    for part in program:
        name = name_of(path, ordinal)
        match part:
            case Work(n):
                outcome.records[path, ordinal] = ("work", "ok", 10 * n)
                values.append(10 * n)
            case Act(kind, may):
                values.append(_act(kind, name, outcome, (path, ordinal), refused=may == "ask" and says_no(name)))
            case Plan(kinds):
                values.append(_plan(kinds, path, ordinal, outcome))
                ordinal += 0 if says_no(name) else len(kinds)
            case Question():
                outcome.records[path, ordinal] = ("ask", "ok", "answered")
                values.append(answer_to(name))
            case Nap():
                outcome.records[path, ordinal] = ("sleep", "ok", None)
                values.append("woke")
            case Fork(branches):
                prefix = f"{path}/{ordinal}" if path else str(ordinal)
                values.append([_walk(branch, f"{prefix}/{n}", outcome) for n, branch in enumerate(branches)])
        ordinal += 1
    return values


def _act(kind: str, text: str, outcome: Outcome, at: Identity, *, refused: bool) -> Any:
    if refused:
        outcome.records[at] = (kind, "failed", "not_approved")
        return "refused"
    outcome.records[at] = (kind, "ok", {"kept": text})
    outcome.happened.append(text)
    return {"kept": text}


def _plan(kinds: Sequence[str], path: str, ordinal: int, outcome: Outcome) -> Any:
    name = name_of(path, ordinal)
    outcome.records[path, ordinal] = ("approve", "ok", "rejected" if says_no(name) else "approved")
    if says_no(name):
        return "rejected"
    return [_act(kind, f"{name}/{n}", outcome, (path, ordinal + 1 + n), refused=False) for n, kind in enumerate(kinds)]
