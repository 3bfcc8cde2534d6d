"""Who may answer a gate, and whom it asks: one place for every path, whether a person decides, gives it to somebody or takes it.

Giving a gate changes who is asked and never who may: whom its rules leave out can neither be given it nor take it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from counterfoil.facts import person


@dataclass(frozen=True, slots=True)
class Approvers:
    """How many decisions a gate needs, who alone may give one (anybody where nobody is named), and who may not."""

    needs: int = 1
    named: tuple[str, ...] = ()
    barred: tuple[str, ...] = ()


ANYBODY = Approvers()


def approvers_of(spec: Mapping[str, Any]) -> Approvers:
    """The rules of a gate; without any, one decision of anybody is enough."""
    who = spec.get("who") or {}
    return Approvers(int(who.get("needs") or 1), tuple(who.get("from") or ()), tuple(who.get("not") or ()))


def may_not(rules: Approvers, principal: str) -> str:
    """Why a person may not answer a gate whatever happens; "" where they may."""
    if principal in rules.barred:
        return f"{_capital(person(principal))} may not decide this: its rules leave {person(principal)} out."
    if rules.named and principal not in rules.named:
        return f"Only {_either([person(name) for name in rules.named])} may decide this."
    return ""


def why_not(rules: Approvers, principal: str, asked: str | None) -> str:
    """Why a person cannot answer a gate now: its rules, or that it waits for somebody else; "" where they can."""
    barred = may_not(rules, principal)
    if barred or asked in (None, principal):
        return barred
    return f"This waits for {person(str(asked))}."


def _either(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} or {names[-1]}"


def _capital(words: str) -> str:
    return words[:1].upper() + words[1:]
