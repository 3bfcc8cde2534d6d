"""Handing a home over from one runner to the next, as on an upgrade: the newcomer asks, the old one drains and lets go.

The wish is a file, not a row: the newcomer may need another data version, and opens no database before the old one has left.
"""

from __future__ import annotations

import os
import time
from pathlib import Path

from counterfoil.errors import RunnerTrouble
from counterfoil.inbox.hinting import hint
from counterfoil.places import Home
from counterfoil.runner.lease import lock_file, unlock

PATIENCE = 60.0  # seconds; effects in progress get ten, and a database that is brought up to date some more
_EVERY = 0.2


def _wish(home: Home) -> Path:
    return home.run / "hand-over"


def is_wished(home: Home) -> bool:
    """Whether another runner waits for this one to leave."""
    return _wish(home).exists()


def forget(home: Home) -> None:
    """Nobody waits any more."""
    _wish(home).unlink(missing_ok=True)


def ask(home: Home, patience: float = PATIENCE) -> bool:
    """Let a living runner drain and leave; whether there was one. Blocking.

    Raises:
        RunnerTrouble: it has not left in time.
    """
    home.create()
    was_there = False
    until = time.monotonic() + patience
    try:
        while (handle := lock_file(home)) is None:
            was_there = True
            if time.monotonic() > until:
                raise RunnerTrouble(
                    f"The runner that works already has not let go within {patience:.0f} s.",
                    "End it, then start this one again; nothing is lost by that.",
                )
            _wish(home).write_text(str(os.getpid()), encoding="ascii")
            hint(home)
            time.sleep(_EVERY)
        unlock(handle)
    finally:
        forget(home)
    return was_there
