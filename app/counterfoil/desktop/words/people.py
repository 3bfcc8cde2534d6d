"""Who did it, as people say it. Principals are `user:NAME`, `runner`, `schedule:ID` and `agent:NAME`."""

from __future__ import annotations

from counterfoil.desktop.words.plain import one_line


def person(principal: str, me: str = "") -> str:
    """`you`, `Ben`, `the runner`, `the schedule ‘Weekly report’`."""
    if me and principal == me:
        return "you"
    kind, _, name = principal.partition(":")
    if kind == "user" and name:
        return one_line(name[:1].upper() + name[1:])
    if kind == "schedule":
        return f"the schedule ‘{one_line(name)}’"
    if kind == "agent":
        return f"the agent ‘{one_line(name)}’"
    return f"the {one_line(kind)}" if kind else "somebody"


def capital(words: str) -> str:
    """With a capital first letter."""
    return words[:1].upper() + words[1:]
