"""Commands that agents run: in a sandbox of their own, on a private copy of the run's files, which is gone when they have ended.

A command that is killed in the middle, or whose runner is, has changed nothing.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any

from counterfoil.engine.ports import EffectTrouble, TooMuchWritten
from counterfoil.facts import FailureClass
from counterfoil.places import Home
from counterfoil.sandbox.commands import BadCommand, Command, run_command
from counterfoil.sandbox.launching import Unfit
from counterfoil.sandbox.levels import Measured
from counterfoil.stage.private_copy import PrivateCopy, TooManyFiles, Written

MOST_SHOWN = 8_000  # characters of each output; the end counts most


class SandboxCommands:
    """Implements `engine.agent_ports.Commands`."""

    def __init__(self, home: Home, level: Callable[[], Measured]) -> None:
        self._home = home
        self._level = level

    def refusal(self) -> str | None:
        """Why no command is run on this computer; None where they are."""
        measured = self._level()
        if measured.level.commands:
            return None
        return f"Commands are not run where the level of isolation is “{measured.level.badge}”."

    def copy(self, run_id: str, tree: str) -> PrivateCopy:
        """A private copy of a run's files. Blocking."""
        try:
            return PrivateCopy.of(Path(tree), self._home.stages / run_id / f"command-{uuid.uuid4().hex}")
        except OSError as problem:
            why = (problem.strerror or str(problem)).lower()
            raise EffectTrouble(f"The files cannot be copied for a command: {why}.", FailureClass.UNKNOWN) from problem

    async def run(self, copy: PrivateCopy, args: dict[str, Any]) -> dict[str, Any]:
        """Run it on the copy and wait for its end."""
        command = Command(tuple(args["argv"]), args["folder"], args["given"].encode("utf-8"), float(args["seconds"]))
        try:
            outcome = await run_command(self._home, self._level(), copy.folder, command)
        except BadCommand as problem:
            return _plain(-1, str(problem), "", "", 0.0)
        except Unfit as problem:
            raise EffectTrouble(f"The command was not run: {problem}.", FailureClass.STRUCTURAL) from problem
        return _plain(outcome.status, outcome.why, outcome.out, outcome.err, outcome.seconds)

    def written(self, copy: PrivateCopy, overlays: str) -> Written:
        """What the command has changed, as the overlay of a step. Blocking."""
        try:
            return copy.written(Path(overlays))
        except TooManyFiles as problem:
            raise TooMuchWritten("The command has made more files than a run may have.") from problem
        except OSError as problem:
            why = (problem.strerror or str(problem)).lower()
            raise TooMuchWritten(f"What the command has left cannot be read: {why}.") from problem

    def drop(self, copy: PrivateCopy) -> None:
        """Let go of the copy. Blocking."""
        copy.drop()


def _plain(status: int, why: str, out: str, err: str, seconds: float) -> dict[str, Any]:
    return {
        "status": status,
        "ended": why,
        "out": _end_of(out),
        "err": _end_of(err),
        "seconds": round(seconds, 1),
        "failed": bool(status or why),
    }


def _end_of(text: str) -> str:
    left = len(text) - MOST_SHOWN
    return text if left <= 0 else f"[{left:,} characters before this are left out]\n{text[-MOST_SHOWN:]}"
