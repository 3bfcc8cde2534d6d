"""Counting what kills have hit, for the one line at the end."""

import os
import random
import threading
from collections import Counter

# Kills in the middle of a step, an effect and a gate, each; never fewer than forty, and more for a long night.
WANTED = max(40, int(os.environ.get("COUNTERFOIL_KILLS") or 40))
KINDS = ("step", "effect", "gate")


class Tally:
    """How many kills landed in the middle of what. The seed makes the moments; what they hit depends on the computer as well."""

    def __init__(self) -> None:
        given = os.environ.get("COUNTERFOIL_KILL_SEED")
        self.seed = int(given) if given else random.SystemRandom().randrange(2**32)
        self._lock = threading.Lock()
        self._hits: Counter[str] = Counter()

    def add(self, kind: str) -> None:
        """One kill, by what was in the middle ("" for nothing of the three)."""
        with self._lock:
            self._hits[kind] += 1

    def missing(self) -> list[str]:
        """The kinds that were not hit often enough yet."""
        with self._lock:
            return [kind for kind in KINDS if self._hits[kind] < WANTED]

    def short_of(self) -> int:
        """How many kills are missing, of all kinds together."""
        with self._lock:
            return sum(max(0, WANTED - self._hits[kind]) for kind in KINDS)

    def line(self) -> str:
        """The seed and the counts."""
        with self._lock:
            counts = ", ".join(f"{self._hits[kind]} in {kind}s" for kind in KINDS)
            return f"kill tests: seed {self.seed}; kills that landed: {counts}, {self._hits['']} elsewhere"
