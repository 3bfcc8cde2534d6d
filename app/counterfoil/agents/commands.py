"""Commands that agents run: in a sandbox of their own, on a private copy of the run's files, which is gone when they have ended.

A command that is killed in the middle, or whose runner is, has changed nothing.
"""

from __future__ import annotations

import shutil
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any

from counterfoil.authoring.agents.paging import Refused
from counterfoil.authoring.agents.skill_files import COPIED_TO, SkillFile, digest_of, files_of, put
from counterfoil.authoring.file_view import FileRefused
from counterfoil.engine.ports import EffectTrouble
from counterfoil.engine.stage_ports import TooMuchWritten
from counterfoil.facts import FailureClass
from counterfoil.places import Home
from counterfoil.sandbox.commands import BadCommand, Command, run_command
from counterfoil.sandbox.launching import Unfit
from counterfoil.sandbox.levels import Measured
from counterfoil.stage.private_copy import PrivateCopy, TooManyFiles, Written
from counterfoil.store import runs
from counterfoil.store.database import Database

MOST_SHOWN = 8_000  # characters of each output; the end counts most


def code_of(database: Database, home: Home) -> Callable[[str], Path | None]:
    """Gives the folder of the version that a run executes; it was unpacked when the run was claimed."""

    def find(run_id: str) -> Path:
        with database.connect() as conn:
            return home.versions / str(runs.get(conn, run_id)["version"])

    return find


class SandboxCommands:
    """Implements `engine.agent_ports.Commands`."""

    def __init__(self, home: Home, level: Callable[[], Measured], code: Callable[[str], Path | None]) -> None:
        """`code` gives the folder of the template's version that a run executes; None where it has none."""
        self._home = home
        self._level = level
        self._code = code

    def refusal(self) -> str | None:
        """Why no command is run on this computer; None where they are."""
        measured = self._level()
        if measured.level.commands:
            return None
        return f"Commands are not run where the level of isolation is “{measured.level.badge}”."

    def copy(self, run_id: str, tree: str, workspace: str, skill: dict[str, str] | None) -> PrivateCopy:
        """A private copy of a run's files, with those of a skill beside them. Blocking."""
        given = [] if skill is None else self._files(run_id, Path(workspace), skill)
        place = self._home.stages / run_id / f"command-{uuid.uuid4().hex}"
        try:
            copy = PrivateCopy.of(Path(tree), place, besides=COPIED_TO)
            if skill is not None:
                put(given, place / COPIED_TO / skill["name"])
            return copy
        except OSError as problem:
            shutil.rmtree(place, ignore_errors=True)
            why = (problem.strerror or str(problem)).lower()
            raise EffectTrouble(f"The files cannot be copied for a command: {why}.", FailureClass.UNKNOWN) from problem

    def _files(self, run_id: str, workspace: Path, skill: dict[str, str]) -> list[SkillFile]:
        """The files of a skill, if they are those that the agent was told of."""
        root = self._code(run_id) if skill["of"] == "template" else workspace
        try:
            files = files_of(root, skill["folder"]) if root is not None else []
        except (OSError, FileRefused, Refused):
            files = []
        if digest_of(files) != skill["sha256"]:
            why = f"The skill “{skill['name']}” is not as it was when it was offered, so nothing of it is run."
            raise EffectTrouble(why, FailureClass.STRUCTURAL)
        return files

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
