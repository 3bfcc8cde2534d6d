"""“Always allow”: the narrowest rules that would have covered what a gate asks about, and what a rule would have covered before."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

from counterfoil.authoring.patterns import exactly
from counterfoil.engine.by_rule import may_decide
from counterfoil.engine.ports import Permission
from counterfoil.policy.grants import Conditions, covers
from counterfoil.policy.reaching import FILES, Reach, reach_of

LOOKED_AT = 40  # decisions that a proposal is held against


@dataclass(frozen=True, slots=True)
class Question:
    """A gate as a rule would have met it: what it showed, in which workspace, asked by which template."""

    spec: dict[str, Any]
    workspace: str
    template: str


def narrowest(question: Question) -> list[Conditions]:
    """Rules that allow what a gate asks about and as little else as can be said: one for each kind of effect in its plan."""
    by_kind: dict[tuple[str, ...], list[Reach]] = {}
    for item in question.spec["plan"]:
        reach = reach_of(item["body"])
        by_kind.setdefault(
            (reach.effect, reach.connector, reach.tool, reach.pin, reach.method, reach.command + reach.given), []
        ).append(reach)
    return [_of_kind(reaches, question) for reaches in by_kind.values()]


def would_cover(rules: Sequence[Conditions], question: Question) -> bool:
    """Whether a gate would not have been asked, had these rules allowed what they say. What needs a person's eye, a form to be filled in or
    files that run later, is asked in any case."""
    spec = question.spec
    if not may_decide(spec):
        return False
    return all(
        any(
            covers(Permission.ALLOW, rule, reach_of(item["body"]), question.workspace, question.template)
            for rule in rules
        )
        for item in spec["plan"]
    )


def _of_kind(reaches: list[Reach], question: Question) -> Conditions:
    first = reaches[0]
    common: dict[str, Any] = {"effect": first.effect, "workspace": question.workspace, "template": question.template}
    if first.effect in FILES:
        paths = [_around(first.effect, path) for reach in reaches for path in reach.paths]
        return Conditions(**common, path=_once(paths))
    return Conditions(
        **common,
        to=_once(exactly(one) for reach in reaches for one in reach.recipients),
        host=_once(exactly(one) for reach in reaches for one in reach.hosts),
        method=first.method,
        secret=_once(exactly(one) for reach in reaches for one in reach.secrets),
        connector=first.connector,
        tool=exactly(first.tool),
        pin=first.pin,
        command=exactly(first.command + first.given),
    )


def _around(effect: str, path: str) -> str:
    """The folder that a file lies in; a table that rows are added to, and a file of the workspace's own folder, are named themselves."""
    folder = PurePosixPath(path).parent.as_posix()
    return exactly(path) if folder == "." or effect == "append_rows" else f"{exactly(folder)}/*"


def _once(texts: Any) -> tuple[str, ...]:
    return tuple(dict.fromkeys(texts))
