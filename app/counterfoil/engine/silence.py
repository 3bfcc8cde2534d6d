"""Silence: what a run is in the middle of and has said nothing for its limit. People are told; nothing is ended by itself.

Time is counted while this process is awake. What waits for a person or a timer is not in the middle of anything. Only a word of its own
starts the clock of a step anew: a line of progress, a new request of an llm, its end.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from counterfoil.clock import AwakeClock, Clock, iso
from counterfoil.facts import StepKind

Identity = tuple[str, int]
WHOLE: Identity = ("", -1)  # the run itself, between what has a name
USUAL = 600.0  # seconds, where an author has said nothing else
LLM = 300.0  # without a piece of an answer: longer than the rules of the wire let an llm be silent
MARGIN = 60.0  # beyond a limit that ends the work by itself
EFFECTS = {"http@1": 360.0, "mail@1": 300.0}  # by kind; each a little longer than its own patience


@dataclass(slots=True)
class Busy:
    """Something in the middle since `begun_us`. `limit` in seconds, `heard` by the clock of awake time, `heard_us` the same instant on the
    wall's. `task` is there where it can be cut off from here."""

    name: str
    kind: StepKind
    limit: float
    heard: float
    heard_us: int
    begun_us: int
    task: asyncio.Task[Any] | None = None

    @property
    def in_host(self) -> bool:
        """Whether the run's own process is at it."""
        return self.kind in (StepKind.STEP, StepKind.TOOL)


@dataclass(slots=True)
class Hearing:
    """What one hold is in the middle of, by identity, and when it was heard of last."""

    awake: AwakeClock
    clock: Clock
    busy: dict[Identity, Busy] = field(default_factory=dict)
    stirred: bool = True  # a frame came or went since the last look
    told: dict[str, Any] | None = None  # what people were told and have not answered
    whole: Busy = field(init=False)  # the run itself, between what has a name

    def __post_init__(self) -> None:
        self.whole = self._new("", StepKind.STEP, USUAL)

    def _new(self, name: str, kind: StepKind, limit: float, *, cut: bool = False) -> Busy:
        now = self.clock.now_us()
        return Busy(name, kind, limit, self.awake.now(), now, now, asyncio.current_task() if cut else None)

    def begin(self, identity: Identity, name: str, kind: StepKind, limit: float, *, cut: bool = False) -> None:
        """This begins now. `cut`: it is this task's, which can be cancelled."""
        self.busy[identity] = self._new(name, kind, limit, cut=cut)

    @contextlib.contextmanager
    def during(
        self, identity: Identity, name: str, kind: StepKind, limit: float, *, cut: bool = False
    ) -> Iterator[None]:
        """This is in the middle in this block."""
        self.begin(identity, name, kind, limit, cut=cut)
        try:
            yield
        finally:
            self.end(identity)

    def heard(self, identity: Identity) -> None:
        """There is news of it, or a person waits for it a while longer."""
        busy = self.whole if identity == WHOLE else self.busy.get(identity)
        if busy is not None:
            busy.heard, busy.heard_us = self.awake.now(), self.clock.now_us()

    def end(self, identity: Identity) -> None:
        """It is in the middle no more."""
        self.busy.pop(identity, None)

    def lose(self, paths: Iterable[str]) -> None:
        """Branches have lost a race: nobody waits for what they are in the middle of."""
        for path in paths:
            for identity in [one for one in self.busy if one[0] == path or one[0].startswith(f"{path}/")]:
                self.end(identity)

    def silent(self, waiting: Iterable[Identity], *, at_work: bool) -> dict[Identity, Busy]:
        """What has been silent for its limit. `waiting` are identities that wait for a person or a timer; `at_work`: the run is in the
        middle of something, named or not."""
        for identity in waiting:
            self.heard(identity)
        if self.stirred or self.busy or not at_work:
            self.stirred = False
            self.heard(WHOLE)
        now = self.awake.now()
        every = {WHOLE: self.whole, **self.busy}
        return {identity: busy for identity, busy in every.items() if now - busy.heard >= busy.limit}

    def next_look(self) -> float:
        """Seconds until something may have been silent for its limit that nobody was told of."""
        known = {(step["path"], step["ordinal"]) for step in (self.told or {}).get("steps", ())}
        now = self.awake.now()
        left = [busy.heard + busy.limit - now for one, busy in self.busy.items() if one not in known]
        return max(min(left, default=USUAL), 1.0)

    def words(self, silent: dict[Identity, Busy]) -> list[dict[str, Any]]:
        """The silent ones for a notice: the longest silent first; `minutes` of silence up to an hour, beyond that None."""
        now = self.awake.now()
        return [
            {
                "path": identity[0],
                "ordinal": identity[1],
                "name": busy.name,
                "kind": str(busy.kind),
                "since": iso(busy.heard_us),
                "minutes": minutes if (minutes := int((now - busy.heard) // 60)) < 60 else None,
                "limit": busy.limit,
            }
            for identity, busy in sorted(silent.items(), key=lambda one: one[1].heard)
        ]


def of_effect(body: dict[str, Any]) -> float:
    """How many seconds an effect may be silent: longer than what ends it by itself."""
    seconds = body["args"].get("seconds") if body["kind"] == "command@1" else None
    return seconds + MARGIN if isinstance(seconds, int) else EFFECTS.get(body["kind"], USUAL)
