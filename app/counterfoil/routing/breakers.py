"""Which llms are left alone for a while. This is memory of the process and no record: a replay never looks at it."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

STRIKES = 3
WITHIN = 60.0  # seconds in which so many strikes open it
REST = 30.0  # seconds until one request may try again


class Rest(NamedTuple):
    """For how many seconds an llm is left alone, why, and whether that passes by itself: an empty purse does not."""

    seconds: float
    why: str
    passes: bool = True


@dataclass(slots=True)
class _State:
    strikes: list[float] = field(default_factory=list)
    until: float = 0.0
    why: str = ""
    probing: bool = False
    passes: bool = True


class Breakers:
    """One breaker per llm and key. `now` are monotonic seconds."""

    def __init__(self, now: Callable[[], float]) -> None:
        self._now = now
        self._states: dict[object, _State] = {}
        self._lock = threading.Lock()

    def closed_until(self, of: object) -> Rest | None:
        """Its rest; None where it may be asked. After its rest one request may try."""
        with self._lock:
            state = self._states.get(of)
            if state is None or not state.until:
                return None
            now = self._now()
            if state.until > now:
                return Rest(max(state.until - now, 1.0), state.why, state.passes)
            # however the try ends, or if it never does, another may follow after one more rest
            state.until, state.probing = now + REST, True
            return None

    def strike(self, of: object, why: str) -> None:
        """It failed in a way that may be its own fault."""
        with self._lock:
            state, now = self._states.setdefault(of, _State()), self._now()
            state.strikes = [at for at in state.strikes if now - at < WITHIN] + [now]
            if state.probing or len(state.strikes) >= STRIKES:
                state.until, state.why, state.probing, state.passes = now + REST, why, False, True

    def rest(self, of: object, seconds: float, why: str, *, passes: bool = True) -> None:
        """It is left alone for so long, or until a person has seen to it."""
        with self._lock:
            state = self._states.setdefault(of, _State())
            state.until, state.why, state.probing = max(state.until, self._now() + seconds), why, False
            state.passes = passes

    def well(self, of: object) -> None:
        """It answered."""
        with self._lock:
            self._states.pop(of, None)
