"""A real runner as a process of a test's own, and waiting for what it does."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from house.repository import ROOT

PATIENCE = 90.0  # seconds; only a loaded machine needs more than a few


def command(home: Path, *words: str) -> list[str]:
    """How the program is called on a home."""
    return [sys.executable, "-P", "-m", "counterfoil", "--home", str(home), *words]


def environment() -> dict[str, str]:
    """The environment in which this checkout finds itself."""
    return {**os.environ, "PYTHONPATH": str(ROOT / "app")}


def start(home: Path, *words: str) -> subprocess.Popen[bytes]:
    """The program as a process."""
    return subprocess.Popen(
        command(home, *words), env=environment(), stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL
    )


@contextmanager
def running(home: Path, *words: str) -> Iterator[subprocess.Popen[bytes]]:
    """A runner that is ended afterwards."""
    process = start(home, "runner", *words)
    try:
        yield process
    finally:
        process.send_signal(signal.SIGCONT)
        process.terminate()
        process.wait(timeout=PATIENCE)


def until(true: Callable[[], bool], what: str) -> None:
    """Wait until something holds.

    Raises:
        AssertionError: it does not come to hold.
    """
    end = time.monotonic() + PATIENCE
    while not true():
        assert time.monotonic() < end, what
        time.sleep(0.1)
