"""Commands and servers of tests: started for real at a room's level, with Python inside that tries what a test wants tried."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Coroutine
from pathlib import Path
from typing import Any, TypeVar

import pytest

from counterfoil.sandbox import landlock
from counterfoil.sandbox.commands import Command, Outcome, run_command
from counterfoil.sandbox.launching import interpreter
from sandbox.rooms import TRYING, Room

T = TypeVar("T")
PYTHON = str(interpreter())
# Everything that /proc shows by reading and by its links, joined; /proc/sys alone is left out, which is the kernel's own.
ALL_OF_PROC = """
import contextlib
def told(path):
    with contextlib.suppress(OSError):
        if os.path.islink(path):
            return os.readlink(path)
        handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
        try:
            return os.read(handle, 65_536).decode("utf-8", "replace")
        finally:
            os.close(handle)
    return ""
def everything():
    said = []
    for base, folders, names in os.walk("/proc"):
        folders[:] = [name for name in folders if os.path.join(base, name) != "/proc/sys"]
        said += [told(os.path.join(base, name)) for name in (*folders, *names) if name != "kmsg"]
    return "\\n".join(said)
"""


def run(work: Coroutine[Any, Any, T]) -> T:
    """Do something that waits."""
    return asyncio.run(work)


def stage_in(folder: Path) -> Path:
    """A stage with a file in it."""
    stage = folder.resolve() / "stage"
    stage.mkdir()
    (stage / "note.txt").write_text("here")
    return stage


def command(room: Room, stage: Path, *argv: str, **more: Any) -> Outcome:
    """Run a command on a stage, at the room's level."""
    return run(run_command(room.home, room.measured, stage, Command(argv, **more)))


def shell(room: Room, stage: Path, line: str, **more: Any) -> Outcome:
    """Let a shell run a line."""
    return command(room, stage, "/bin/sh", "-c", line, **more)


def python(room: Room, stage: Path, code: str, **more: Any) -> Any:
    """What code leaves in `found` when a command runs it."""
    ending = "\nimport json\nprint('\\x1e' + json.dumps(found, default=repr))\n"
    outcome = command(room, stage, PYTHON, "-I", "-c", TRYING + code + ending, **more)
    assert outcome.status == 0, outcome
    return json.loads(outcome.out.rpartition("\\u001e")[2])


def needs_hidden_mounts() -> None:
    """Skip where the kernel shows mounts to whoever asks."""
    if not landlock.can_hide():
        pytest.skip(f"level L3: this kernel's Landlock ({landlock.abi()}) cannot hide what /proc tells of mounts")
