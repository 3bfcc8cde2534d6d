"""What people set for the window, in `settings.toml` of the data folder: `undo_seconds = 5` below `[window]` is how long a decision can
be taken back."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from counterfoil.errors import WrongUse
from counterfoil.settings.home_file import FILE, table

TABLE = "window"
UNDO, LONGEST_UNDO = 5, 60  # seconds


def undo_seconds(root: Path) -> int:
    """How long a decision of the window can be taken back; `root` is the data folder.

    Raises:
        WrongUse: the file cannot be read, or holds something else there.
    """
    return undo_in(table(root, TABLE), root / FILE)


def undo_in(window: dict[str, Any], path: Path) -> int:
    """The same of a table [window].

    Raises:
        WrongUse: it holds something else there.
    """
    seconds = window.get("undo_seconds", UNDO)
    if not isinstance(seconds, int) or isinstance(seconds, bool) or not 0 <= seconds <= LONGEST_UNDO:
        raise WrongUse(
            f"{path}: undo_seconds must be a number from 0 to {LONGEST_UNDO}.", "Write [window] and undo_seconds = 5."
        )
    return seconds
