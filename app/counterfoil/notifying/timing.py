"""When people hear it: gathered into one message, held back in quiet hours; a deadline within the hour waits for nobody."""

from __future__ import annotations

from collections.abc import Sequence

from counterfoil.clock import from_us
from counterfoil.notifying.words import Word
from counterfoil.settings.notifications import Notifications


def ripe(
    words: Sequence[Word], now_us: int, last_us: int | None, settings: Notifications, *, after_us: int = 0
) -> list[Word]:
    """Of what is unheard, what is to be told now, all in one message; `last_us` is when this channel told something last. `after_us`: only
    what has waited so long, as for people who are away. What is urgent takes along what is ripe beside it."""
    old = [word for word in words if word.urgent or now_us - word.since >= after_us]
    urgent = [word for word in old if word.urgent]
    gathered = last_us is None or now_us - last_us >= settings.digest * 1_000_000
    if gathered and not is_quiet(now_us, settings):
        return old
    return urgent


def is_quiet(now_us: int, settings: Notifications) -> bool:
    """Whether quiet hours are on, on this computer's clock."""
    if settings.quiet is None:
        return False
    begin, end = settings.quiet
    now = from_us(now_us).astimezone().time()
    return begin <= now < end if begin <= end else now >= begin or now < end


def said(words: Sequence[Word], *, hidden: bool) -> str:
    """The one line of several: the sentence itself, or how many there are."""
    if len(words) == 1:
        return words[0].hidden if hidden else words[0].text
    waiting = sum(bool(word.gate_id) for word in words)
    if waiting == len(words):
        return f"{waiting} things need you"
    rest = len(words) - waiting
    return f"{waiting} things need you, {rest} more to know" if waiting else f"{rest} things to know"
