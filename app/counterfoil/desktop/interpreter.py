"""What the window asks of Python itself, since no frame may take 50 ms: short turns between threads, imports without a detour, and
rubbish that is collected between frames, on the window's own thread."""

from __future__ import annotations

import builtins
import contextlib
import gc
import sys
from collections.abc import Iterator

# A worker that computes keeps the window waiting for a turn at each of the many calls a frame makes: with the usual 5 ms that adds
# up to 100 ms a frame, with this to 10.
TURN = 0.0005  # seconds
_SETTLED = 8  # looks until the program counts as loaded
_MANY = 10_000  # new objects that are worth a collection
_FULL = 40  # partial collections before a full one


@contextlib.contextmanager
def tuned() -> Iterator[None]:
    """For as long as there is a window; nothing is collected but by a `Collector`."""
    turn = sys.getswitchinterval()
    sys.setswitchinterval(TURN)
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()  # or leaving would begin with looking through everything that is left behind
        gc.enable()
        sys.setswitchinterval(turn)


@contextlib.contextmanager
def uncollected() -> Iterator[None]:
    """For calls in which Qt walks over all widgets and tells each: a collection on the way would free some that are still on its list."""
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()


def import_plainly() -> None:
    """Qt's binding has every import pass through it and reads the source of each module for a feature that nobody here uses."""
    builtins.__import__ = getattr(builtins, "__orig_import__", builtins.__import__)


class Collector:
    """Collects rubbish when it is told that there is time, a little at a time; what was loaded at the start is never looked through.

    A collection in the middle of anything would stop a frame, and one on a worker's thread would take widgets apart there.
    """

    def __init__(self) -> None:
        self._looks = 0

    def look(self) -> None:
        """There is time now; called a few times a second."""
        self._looks += 1
        if self._looks == _SETTLED:
            gc.freeze()
        young, _, older = gc.get_count()
        if self._looks > _SETTLED and young >= _MANY:
            gc.collect(2 if older >= _FULL else 1)
