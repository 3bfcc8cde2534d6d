"""The only Qt: the window people decide in. It reads the database and writes decisions and requests, and runs no workflow code.

`main` is all that the rest of the program needs of it. Qt is imported in there, so that a missing system library is a sentence on
the terminal and not a traceback.
"""

from __future__ import annotations

import importlib
import os
import sys

from counterfoil.desktop import interpreter
from counterfoil.places import Home

_LIBRARIES = "libgl1 libegl1 libdbus-1-3 libxkbcommon0 libfontconfig1 libglib2.0-0 libxcb-cursor0 libxkbcommon-x11-0"


def main(home: Home) -> int:
    """Show the window until it is closed; the exit code. Without a display or Qt's libraries it says so and how to go on."""
    if not _has_display():
        sys.stderr.write(no_display())
        return 1
    with interpreter.tuned():
        try:
            importlib.import_module("PySide6.QtCore")
            interpreter.import_plainly()
            application = importlib.import_module("counterfoil.desktop.app")
        except ImportError as problem:
            sys.stderr.write(
                f"counterfoil: the window needs a system library that is not here ({problem}). "
                f"On Debian and Ubuntu: sudo apt install {_LIBRARIES}\n"
            )
            return 1
        code: int = application.run(home)
    return code


def no_display(reason: str = "") -> str:
    """What is said where nothing can be drawn; `reason` is Qt's own."""
    why = f" ({reason})" if reason else ""
    return f"counterfoil: there is no display to show the window on{why}. Work in the terminal: counterfoil inbox\n"


def _has_display() -> bool:
    """Whether Qt finds something to draw on; asked before, because Qt aborts the process when it finds nothing."""
    if sys.platform in ("win32", "darwin") or os.environ.get("QT_QPA_PLATFORM"):
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
