"""A runner that is started again when it crashes, after a pause that grows; for systems that restart nothing themselves."""

from __future__ import annotations

import contextlib
import logging
import signal
import subprocess
import threading
import time
from collections.abc import Sequence

FIRST, LONGEST = 1.0, 60.0  # seconds of pause before the first and before any later start
STEADY = 600.0  # seconds of life after which a crash counts as the first one again
_log = logging.getLogger(__name__)


class KeptUp:
    """One runner process at a time, until it ends by itself or this is told to stop."""

    def __init__(self, command: Sequence[str], *, first: float = FIRST) -> None:
        self._command = list(command)
        self._first = first
        self._process: subprocess.Popen[bytes] | None = None
        self._stop = threading.Event()
        self.pauses: list[float] = []  # seconds waited before each restart, the newest last

    def run(self) -> int:
        """Keep it up until it ends with 0, or `stop`; its last exit code. Blocking."""
        pause = self._first
        while True:
            began = time.monotonic()
            self._process = subprocess.Popen(self._command, stdin=subprocess.DEVNULL)
            code = self._process.wait()
            if code == 0 or self._stop.is_set():
                return max(code, 0)
            if time.monotonic() - began > STEADY:
                pause = self._first
            _log.warning("the runner ended with %s; it is started again in %s s", code, pause)
            self.pauses.append(pause)
            if self._stop.wait(pause):
                return 0
            pause = min(pause * 2, LONGEST)

    def stop(self) -> None:
        """End the runner in an orderly way, and start it no more."""
        self._stop.set()
        if self._process is not None:
            with contextlib.suppress(ProcessLookupError):
                self._process.send_signal(signal.SIGTERM)
