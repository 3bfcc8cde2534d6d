"""What people set for the window, in `settings.toml` of the data folder: `undo_seconds = 5` below `[window]` is how long a decision can
be taken back."""

from __future__ import annotations

import tomllib
from pathlib import Path

from counterfoil.errors import WrongUse

FILE = "settings.toml"
UNDO, LONGEST_UNDO = 5, 60  # seconds


def undo_seconds(root: Path) -> int:
    """How long a decision of the window can be taken back; `root` is the data folder.

    Raises:
        WrongUse: the file cannot be read, or holds something else there.
    """
    path = root / FILE
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return UNDO
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as problem:
        raise WrongUse(f"{path} cannot be read: {problem}.", "Mend the file, or move it aside.") from problem
    window = table.get("window", {})
    seconds = window.get("undo_seconds", UNDO) if isinstance(window, dict) else None
    if not isinstance(seconds, int) or isinstance(seconds, bool) or not 0 <= seconds <= LONGEST_UNDO:
        raise WrongUse(
            f"{path}: undo_seconds must be a number from 0 to {LONGEST_UNDO}.", "Write [window] and undo_seconds = 5."
        )
    return seconds
