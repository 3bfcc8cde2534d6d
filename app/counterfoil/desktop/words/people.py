"""Who did it, as people say it. Principals are `user:NAME`, `runner`, `schedule:ID` and `agent:NAME`."""

from __future__ import annotations

from counterfoil import facts
from counterfoil.desktop.words.plain import one_line

OPENING = "Opening the page to sign in…"  # while a browser is asked to


def person(principal: str, me: str = "") -> str:
    """`you` for one's own account, else the name that `facts.person` gives, made safe to show."""
    return "you" if me and principal == me else one_line(facts.person(principal))


def capital(words: str) -> str:
    """With a capital first letter."""
    return words[:1].upper() + words[1:]
