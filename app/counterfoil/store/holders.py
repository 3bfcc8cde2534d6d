"""Whether the process that holds something is there. Apart from the tables, because the window asks before it has loaded any."""

from __future__ import annotations

import os
import sys


def process_lives(pid: int) -> bool:
    """Whether there is a process of this number, as far as the system tells."""
    if sys.platform == "win32":
        return True  # there, asking by a signal would end it
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True  # it is somebody else's, or this system does not tell
    return True
