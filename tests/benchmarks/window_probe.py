"""The real window with somebody beside it who has a watch: `python window_probe.py APP TESTS HOME BEGUN`.

It is opened as `counterfoil` opens it; the observer (`window_observer`) comes in where the window is about to begin. BEGUN is the instant
before the process was started, in nanoseconds of the clock that all processes share.
"""

from __future__ import annotations

import importlib
import sys
from types import ModuleType


def main() -> None:
    """Open the window and have it watched."""
    app, tests, home, begun = sys.argv[1:5]
    sys.path[:0] = [app, tests]
    ordinary, program = importlib.import_module, "counterfoil.desktop.app"

    def importing(name: str, package: str | None = None) -> ModuleType:
        loaded = name in sys.modules
        module = ordinary(name, package)
        if name == program and not loaded:
            ordinary("benchmarks.window_observer").observe(module, int(begun))
        return module

    importlib.import_module = importing
    sys.argv = ["counterfoil", "--home", home]
    sys.exit(ordinary("counterfoil.cli").main())


if __name__ == "__main__":
    main()
