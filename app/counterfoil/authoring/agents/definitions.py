"""Agents that a team has written down: `.counterfoil/agents/NAME.md`, a head with what it may use and its instructions beneath."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from counterfoil.authoring.agents.front_matter import BadHead, parted
from counterfoil.errors import RefusedUse

_KEYS = {"name", "description", "tools", "skills", "route", "turns"}


@dataclass(frozen=True, slots=True)
class Definition:
    """One agent: `tools` are the words that `agent(tools=…)` takes (None: those of who calls it), `instructions` what it is told."""

    name: str
    description: str
    instructions: str
    tools: tuple[str, ...] | None = None
    skills: tuple[str, ...] = ()
    route: str | None = None
    turns: int | None = None


def read_definition(name: str, text: str) -> Definition:
    """The agent of a file.

    Raises:
        RefusedUse: its head cannot be read, or holds what an agent does not have.
    """
    where = f".counterfoil/agents/{name}.md"
    try:
        head, body = parted(text)
    except BadHead as problem:
        raise RefusedUse(f"{where}: {problem}") from problem
    strange = sorted(set(head) - _KEYS)
    if strange:
        raise RefusedUse(f"{where} has ‘{strange[0]}’ in its head; an agent has {', '.join(sorted(_KEYS))}")
    if head.get("name", name) != name:
        raise RefusedUse(f"{where} calls itself “{head['name']}”; name and file must be the same")
    if not body.strip():
        raise RefusedUse(f"{where} holds no instructions; write them beneath its head")
    turns = head.get("turns")
    if turns is not None and not (isinstance(turns, str) and turns.isdigit() and int(turns) > 0):
        raise RefusedUse(f"{where}: turns must be a whole number from 1 on")
    return Definition(
        name,
        str(head.get("description") or ""),
        body.strip(),
        tools=_words(head["tools"]) if "tools" in head else None,
        skills=_words(head.get("skills", ())),
        route=str(head["route"]) if head.get("route") else None,
        turns=int(turns) if turns is not None else None,
    )


def _words(value: Any) -> tuple[str, ...]:
    if isinstance(value, str):
        return tuple(value.replace(",", " ").split())
    return tuple(str(item) for item in value)
