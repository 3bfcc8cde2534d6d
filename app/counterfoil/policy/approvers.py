"""Who may answer a gate, and whom it asks: one place for every path, whether a person decides, gives it to somebody or takes it.

Giving a gate changes who is asked and never who may: whom its rules leave out can neither be given it nor take it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import Any

from counterfoil.facts import either, person


@dataclass(frozen=True, slots=True)
class Approvers:
    """How many decisions a gate needs, who alone may give one (anybody where nobody is named), and who may not. `owner` may as well where
    nobody of them is here, for the reason `why_owner`."""

    needs: int = 1
    named: tuple[str, ...] = ()
    barred: tuple[str, ...] = ()
    owner: str = ""
    why_owner: str = ""


ANYBODY = Approvers()


def approvers_of(spec: Mapping[str, Any]) -> Approvers:
    """The rules of a gate; without any, one decision of anybody is enough."""
    who = spec.get("who") or {}
    return Approvers(int(who.get("needs") or 1), tuple(who.get("from") or ()), tuple(who.get("not") or ()))


def with_owner(rules: Approvers, known: Collection[str], owner: str) -> Approvers:
    """The rules as they come to on one computer: where nobody who is `known` there may answer, the `owner` of its data folder may, and
    is told why. A question that nobody is able to answer would wait for ever."""
    able = {*(rules.named or known)} - {*rules.barred}
    if rules == ANYBODY or not owner or able & {*known}:
        return rules
    if not able:
        why = "its rules leave out everybody"
    else:
        names = either([person(name) for name in sorted(able)])
        why = f"its rules want {names}, and nobody called so has ever signed in or decided anything here"
    return replace(rules, owner=owner, why_owner=f"This goes to {person(owner)}, whose data folder this is: {why}.")


def may_not(rules: Approvers, principal: str) -> str:
    """Why a person may not answer a gate whatever happens; "" where they may."""
    if rules.owner == principal != "":
        return ""
    if principal in rules.barred:
        return f"{_capital(person(principal))} may not decide this: its rules leave {person(principal)} out."
    if rules.named and principal not in rules.named:
        return f"Only {either([person(name) for name in rules.named])} may decide this."
    return ""


def why_not(rules: Approvers, principal: str, asked: str | None) -> str:
    """Why a person cannot answer a gate now: its rules, or that it waits for somebody else; "" where they can."""
    barred = may_not(rules, principal)
    if barred or asked in (None, principal):
        return barred
    return f"This waits for {person(str(asked))}."


def _capital(words: str) -> str:
    return words[:1].upper() + words[1:]
