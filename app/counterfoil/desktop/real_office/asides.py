"""Which open gates are not for this person now: snoozed ones, and those that wait for others. Read anew with each look; there are few."""

from __future__ import annotations

from dataclasses import dataclass, field

from counterfoil.clock import Clock
from counterfoil.desktop.words.asides import handed
from counterfoil.store import aside_glance
from counterfoil.store.glance import Glance


@dataclass(frozen=True, slots=True)
class Mark:
    """What a row says of it: until when it is snoozed, to whom it was given, and whether it waits for somebody else."""

    asleep_until: int | None = None
    handed: str = ""
    others: bool = False


@dataclass(frozen=True, slots=True)
class Aside:
    """Marks by the number of the gate; how many wait for others, and how many of the rest are snoozed."""

    marks: dict[int, Mark] = field(default_factory=dict)
    others: int = 0
    snoozed: int = 0


class Asides:
    """Looks for one person, and notices when a snoozed gate is back, which no commit tells."""

    def __init__(self, glance: Glance, clock: Clock, me: str) -> None:
        self._glance, self._clock, self._me = glance, clock, me
        self._next: int | None = None  # when the next gate comes back

    def look(self) -> Aside:
        """What is aside now."""
        me, now = self._me, self._clock.now_us()
        asleep = aside_glance.snoozed(self._glance, me, now)
        self._next = min(asleep.values(), default=None)
        marks = {number: Mark(asleep_until=until) for number, until in asleep.items()}
        for number, asked, by, _run in aside_glance.given(self._glance):
            marks[number] = Mark(None if asked != me else asleep.get(number), handed(asked, by, me), others=asked != me)
        others = sum(mark.others for mark in marks.values())
        return Aside(marks, others, sum(mark.asleep_until is not None for mark in marks.values()))

    def turned(self) -> bool:
        """Whether a gate has come back since the last look; said once."""
        if self._next is None or self._clock.now_us() < self._next:
            return False
        self._next = None
        return True
