"""A real window in a process of its own, driven by lines and heard by lines; see `window_probe` and `window_observer`."""

from __future__ import annotations

import contextlib
import json
import queue
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from benchmarks.processes import APP, PATIENCE, environment
from counterfoil.places import Home

_PROBE = Path(__file__).with_name("window_probe.py")
# The least a window made with Python and Qt can cost: both imported, one widget shown, one turn of the event loop.
_BARE = """
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication, QWidget
application = QApplication([])
widget = QWidget()
widget.show()
QTimer.singleShot(0, application.quit)
application.exec()
"""


def program_environment(kept: Path) -> dict[str, str]:
    """As it is where the program is installed: its modules are compiled already, and kept in this folder."""
    here = {**environment(), "PYTHONPYCACHEPREFIX": str(kept)}
    here.pop("PYTHONDONTWRITEBYTECODE", None)
    here.setdefault("QT_QPA_PLATFORM", "offscreen")
    return here


def bare_window(kept: Path) -> float:
    """Milliseconds that a process takes which shows an empty window and ends."""
    began = time.perf_counter()
    subprocess.run([sys.executable, "-P", "-c", _BARE], env=program_environment(kept), check=True, capture_output=True)
    return (time.perf_counter() - began) * 1000


class WindowProcess:
    """One window on a home."""

    def __init__(self, home: Home, kept: Path) -> None:
        self._process = subprocess.Popen(
            [
                sys.executable,
                "-P",
                str(_PROBE),
                str(APP),
                str(_PROBE.parents[1]),
                str(home.root),
                str(time.monotonic_ns()),
            ],
            env=program_environment(kept),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.pid = self._process.pid
        self._told: queue.SimpleQueue[dict[str, Any]] = queue.SimpleQueue()
        self.marks: dict[str, float] = {}
        self.cpu: dict[str, float] = {}
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        for line in self._process.stdout or ():
            self._told.put(json.loads(line))
        self._told.put({"ended": True})

    def do(self, line: str) -> None:
        """Have the person in front of it do something."""
        if self._process.stdin is None:
            raise BrokenPipeError
        self._process.stdin.write(f"{line}\n")
        self._process.stdin.flush()

    def hear(self, wanted: Callable[[dict[str, Any]], bool], what: str) -> dict[str, Any]:
        """The first thing it says that is wanted; marks are kept on the way.

        Raises:
            TimeoutError: it did not say it.
        """
        deadline = time.monotonic() + PATIENCE
        while True:
            try:
                told = self._told.get(timeout=max(deadline - time.monotonic(), 0.001))
            except queue.Empty:
                raise TimeoutError(
                    f"the window did not say within {PATIENCE:g} s: {what}; so far {self.marks}"
                ) from None
            if "mark" in told:
                self.marks[told["mark"]], self.cpu[told["mark"]] = told["ms"], told["cpu"]
            if wanted(told):
                return told
            if "ended" in told:
                raise TimeoutError(f"the window ended without saying: {what}")

    def until(self, mark: str) -> float:
        """Milliseconds from its start to a mark."""
        if mark not in self.marks:
            self.hear(lambda told: told.get("mark") == mark, mark)
        return self.marks[mark]

    def go_to(self, page: int) -> float:
        """Press Ctrl and the number of a page; milliseconds until it is painted."""
        self.do(f"page {page}")
        return float(self.hear(lambda told: "went" in told, f"page {page}")["ms"])

    def frames(self) -> dict[str, Any]:
        """How long the window's thread was away from its watch since the last time: worst (wall, CPU) in ms, and how often too long."""
        self.do("frames")
        return self.hear(lambda told: "frames" in told, "frames")

    def close(self) -> None:
        """Close the window and wait for its end."""
        with contextlib.suppress(BrokenPipeError):
            self.do("close")
        try:
            self._process.communicate(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.communicate()
            raise


@contextlib.contextmanager
def window_process(home: Home, kept: Path) -> Iterator[WindowProcess]:
    """A window that is just being opened."""
    window = WindowProcess(home, kept)
    try:
        yield window
    finally:
        window.close()
