"""Having hostile bytes read by a child process that may do nothing else; whatever becomes of the child, the caller gets an answer."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

PATIENCE = 30.0  # seconds
LARGEST_ANSWER = 40_000_000  # bytes
_PACKAGE = Path(__file__).resolve().parents[2]


class NoAnswer(Exception):
    """The child gave none that can be used; the message is a clause: what happened to it."""


def answer_of(module: str, arguments: list[str], data: bytes) -> bytes:
    """What a child that runs one of our modules says on stdout when it reads these bytes on stdin.

    Raises:
        NoAnswer: it took too long, was ended by its bounds, or said too much.
    """
    command = [sys.executable, "-P", "-m", module, *arguments]
    try:
        done = subprocess.run(
            command, input=data, capture_output=True, timeout=PATIENCE, check=False, env=_environment(), cwd="/"
        )
    except subprocess.TimeoutExpired as problem:
        raise NoAnswer(f"it took longer than {PATIENCE:.0f} s") from problem
    except OSError as problem:
        raise NoAnswer("there is no room for another process") from problem
    if done.returncode != 0:
        raise NoAnswer("it needs more memory or time than a preview is given")
    if not done.stdout or len(done.stdout) > LARGEST_ANSWER:
        raise NoAnswer("there is more to show than a preview holds")
    return done.stdout


def _environment() -> dict[str, str]:
    """Where the program is, and nothing of the person's."""
    kept = {name: os.environ[name] for name in ("PATH", "SYSTEMROOT") if name in os.environ}
    paths = [str(_PACKAGE), *filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))]
    return {**kept, "PYTHONPATH": os.pathsep.join(dict.fromkeys(paths)), "PYTHONUTF8": "1"}
