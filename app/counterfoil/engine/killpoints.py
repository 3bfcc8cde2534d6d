"""Named points right after a commit or an act at which a test, or the drill, may end the process the hard way.

Outside a test harness the environment is not read at all; the names are the contract's and a test pins them.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable

NAMES = frozenset(
    {
        "after_claim",
        "after_blob",
        "after_intent",
        "after_perform",
        "after_outcome",
        "after_record",
        "after_gate",
        "after_decision",
        "after_journal",
        "after_each_file",
    }
)
_visits: dict[str, int] = {}
_wanted: dict[str, int] = {}
if os.environ.get("COUNTERFOIL_UNDER_TEST") == "1" and os.environ.get("COUNTERFOIL_KILL"):
    _name, _, _n = os.environ["COUNTERFOIL_KILL"].partition(":")
    _wanted[_name] = int(_n or 1)


_action: list[Callable[[str], None]] = []


def arm(name: str, visit: int, action: Callable[[str], None]) -> None:
    """Call `action` at the n-th visit of a point from now on; for a harness in this process.

    Raises:
        ValueError: there is no such point.
    """
    if name not in NAMES:
        raise ValueError(f"there is no kill point ‘{name}’; there are: {', '.join(sorted(NAMES))}")
    _visits.clear()
    _wanted[name] = visit
    _action.append(action)


def disarm() -> None:
    """Call nothing any more."""
    _wanted.clear()
    _action.clear()


def reach(name: str) -> None:
    """Pass a kill point; the process is gone if a test asked for this visit of it."""
    if not _wanted:
        return
    _visits[name] = _visits.get(name, 0) + 1
    if _wanted.get(name) == _visits[name]:
        for action in _action:
            action(name)
        os.kill(os.getpid(), signal.SIGKILL)
