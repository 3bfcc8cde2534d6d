"""A command on the stage: one program in a sandbox of its own, with its output caught and an end to everything.

The runner says what is run, where and with which environment; a command that asks for more does not get it. Its level is the
run's: where nothing confines programs (L1, L0) none is started.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from dataclasses import dataclass
from pathlib import Path

from counterfoil.places import Home
from counterfoil.policy.boundaries import trouble_with
from counterfoil.sandbox.enclosing import Cage, Enclosed, Errand, words_of
from counterfoil.sandbox.launching import Unfit, canonical
from counterfoil.sandbox.levels import Measured
from counterfoil.sandbox.outputs import END, Ring
from counterfoil.sandbox.watching import Watch

WALL = 600.0  # seconds a command may take, unless it is given more or less
_PIECE = 65_536
_LAST_WORDS = 2.0  # seconds in which what was written before the end is read


class BadCommand(Exception):
    """A command cannot be run as it was asked for; the message says why."""


@dataclass(frozen=True, slots=True)
class Command:
    """`argv` as words, never a line for a shell; `folder` beneath the stage; `given` its standard input; `seconds` until it is ended."""

    argv: tuple[str, ...]
    folder: str = "."
    given: bytes = b""
    seconds: float = WALL


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a command ended: its exit status, or why it was ended before; what it wrote, as text for people; at which level (a mark)."""

    status: int
    why: str
    out: str
    err: str
    seconds: float
    isolation: str


async def run_command(home: Home, measured: Measured, stage: Path, command: Command) -> Outcome:
    """Run a command on a stage, which it may write, and wait for its end. Nothing of it lives when this returns.

    Raises:
        BadCommand: no such program, no such folder, or words that no kernel takes.
        Unfit: this computer's level allows no commands, or its sandbox is not as it must be; nothing was run.
    """
    if not measured.level.commands:
        raise Unfit(f"commands are not run where the level is “{measured.level.badge}” ({measured.code})")
    folder = _folder(canonical(stage), command.folder)
    cage = Cage(measured, home, stage=canonical(stage), stage_writable=True)
    try:
        errand = Errand(words_of(command.argv), (cage.folder or stage) / folder, seconds=2 * command.seconds)
        enclosed = await Enclosed.start(cage, errand)
    except (FileNotFoundError, ValueError) as problem:
        raise BadCommand(str(problem)) from problem
    return await _Run(enclosed, command, Watch(cage.stage)).outcome()


def _folder(stage: Path, folder: str) -> str:
    """The folder beneath the stage.

    Raises:
        BadCommand: it is none, or leads out.
    """
    if folder != "." and (trouble := trouble_with(folder)):
        raise BadCommand(trouble)
    if not canonical(stage / folder).is_relative_to(stage) or not (stage / folder).is_dir():
        raise BadCommand(f"The folder “{folder}” is not there.")
    return folder


class _Run:
    """A command that runs."""

    def __init__(self, enclosed: Enclosed, command: Command, watch: Watch) -> None:
        self._enclosed, self._command, self._watch = enclosed, command, watch
        self._began = time.monotonic()
        self._rings = (Ring(), Ring())
        self._flood = asyncio.Event()

    async def outcome(self) -> Outcome:
        """Wait for its end, whichever comes first, and clear up."""
        into, *outs = self._enclosed.streams
        feeding = asyncio.ensure_future(self._feed(into))
        reading = [asyncio.ensure_future(self._read(*pair)) for pair in zip(outs, self._rings, strict=True)]
        try:
            why = await self._why_ended()
        finally:
            status = await self._enclosed.end()
            feeding.cancel()
            await asyncio.wait([feeding, *reading], timeout=_LAST_WORDS)
            for task in reading:
                task.cancel()
        out, err = (ring.text() for ring in self._rings)
        took = time.monotonic() - self._began
        return Outcome(status, why, out, err, took, self._enclosed.cage.measured.mark)

    async def _why_ended(self) -> str:
        """Why it has to be ended; empty when it has ended by itself."""
        over, seconds = asyncio.Event(), self._command.seconds
        ended = asyncio.ensure_future(self._enclosed.wait())
        flood = asyncio.ensure_future(self._flood.wait())
        watching = asyncio.ensure_future(self._watch.until_broken(self._enclosed.pid, over))
        try:
            await asyncio.wait([ended, flood, watching], timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
        finally:
            over.set()
            broken = await watching
            by_itself, flooded = ended.done(), flood.done()
            for task in (ended, flood):
                task.cancel()
        if flooded:
            return f"it wrote more than {END // 1024**2} MB of output"
        if broken is not None:
            return broken
        return "" if by_itself else f"it took longer than {seconds:g} seconds"

    async def _feed(self, into: asyncio.StreamWriter) -> None:
        with contextlib.suppress(ConnectionError):
            into.write(self._command.given)
            await into.drain()
        into.close()

    async def _read(self, stream: asyncio.StreamReader, ring: Ring) -> None:
        while data := await stream.read(
            _PIECE
        ):  # to its end in any case: a pipe that is full holds the program's end up
            if ring.feed(data):
                self._flood.set()
