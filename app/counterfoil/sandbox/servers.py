"""A connector's server: a program of others in a sandbox of its own, spoken to by lines of JSON over its standard streams.

It sees its own code to read, memory of its own to write, and the stage only where that is declared. Nothing that it says is believed
to be more than a JSON object of a bounded size; a server that says anything else for long, or nothing at all, is stopped.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from counterfoil.engine.frames import too_deep
from counterfoil.places import Home
from counterfoil.sandbox.enclosing import Cage, Enclosed, Errand, words_of
from counterfoil.sandbox.launching import Unfit, canonical
from counterfoil.sandbox.levels import Measured
from counterfoil.sandbox.outputs import Ring
from counterfoil.sandbox.watching import Watch

LONGEST_LINE = 16 * 1024 * 1024  # bytes
NOISE = 100  # lines that are no message, which a server may write by mistake
PATIENCE = 60.0  # seconds for an answer
_PIECE = 65_536
_WAITING, _UNHEARD = 1_000, 64 * 1024 * 1024  # messages that nobody has asked for yet, and their bytes
_NAME = re.compile(r"[A-Z][A-Z0-9_]{0,63}")
# What changes how programs start or what they load is the runner's to say.
_OURS = re.compile(
    r"PATH|HOME|TMPDIR|IFS|ENV|BASH_ENV|SHELL|(LD|PYTHON|GIT|DYLD|MALLOC|GLIBC|PERL|RUBY|JAVA|BASH|NPM|NODE)_?.*|.*_PROXY"
)


class ServerStopped(Exception):
    """A server is not there any more; the message says why."""


@dataclass(frozen=True, slots=True)
class ServerFacts:
    """A server as it is declared: its name for people, its words, its own code, what it is told, and what it is given.

    `by_hand`: a person has switched it on although this level leaves servers of others off. `network` is the socket of its way out.
    """

    name: str
    argv: tuple[str, ...]
    code: tuple[Path, ...] = ()
    settings: Mapping[str, str] = field(default_factory=dict)
    stage: Path | None = None
    stage_writable: bool = False
    network: Path | None = None
    by_hand: bool = False


class Server:
    """A server that runs. `noise` counts lines that were no message."""

    def __init__(self, facts: ServerFacts, enclosed: Enclosed) -> None:
        self.facts = facts
        self.noise = 0
        self._enclosed = enclosed
        self._said: asyncio.Queue[tuple[dict[str, Any], int]] = asyncio.Queue(_WAITING)
        self._unheard = 0
        self._stopped: str | None = None
        self._ending: asyncio.Task[None] | None = None
        self._over = asyncio.Event()
        self._errors = Ring()
        self._tasks: list[asyncio.Task[Any]] = []

    @classmethod
    async def start(cls, home: Home, measured: Measured, facts: ServerFacts) -> Server:
        """Start a server.

        Raises:
            Unfit: this computer's level allows none, or its sandbox is not as it must be; nothing was run.
            ServerStopped: there is no such program.
            ValueError: it is declared with words or settings that it cannot have.
        """
        if not measured.level.servers and not (facts.by_hand and measured.level.commands):
            raise Unfit(f"connectors of others are off where the level is “{measured.level.badge}” ({measured.code})")
        for name in facts.settings:
            if not _NAME.fullmatch(name) or _OURS.fullmatch(name):
                raise ValueError(f"a server cannot be given the setting {name!r}")
        stage = canonical(facts.stage) if facts.stage else None
        cage = Cage(measured, home, tuple(map(canonical, facts.code)), stage, facts.stage_writable, facts.network)
        try:
            enclosed = await Enclosed.start(cage, Errand(words_of(facts.argv), environment=facts.settings))
        except FileNotFoundError as problem:
            raise ServerStopped(f"there is no such program here: {problem}.") from problem
        server = cls(facts, enclosed)
        server._listen()
        return server

    def _listen(self) -> None:
        _, out, err = self._enclosed.streams
        stage = self.facts.stage if self.facts.stage_writable else None
        works = (self._hear(out), self._overhear(err), self._watch(Watch(stage)))
        self._tasks = [asyncio.ensure_future(work) for work in works]

    async def send(self, message: Mapping[str, Any]) -> None:
        """One message, as a line.

        Raises:
            ServerStopped: it is not there any more.
        """
        self._check()
        into = self._enclosed.streams[0]
        try:
            into.write(json.dumps(message, separators=(",", ":"), ensure_ascii=True).encode() + b"\n")
            async with asyncio.timeout(PATIENCE):
                await into.drain()
        except (ConnectionError, TimeoutError) as problem:
            await self._stop("it does not listen")
            raise ServerStopped(self.why) from problem

    async def receive(self, patience: float = PATIENCE) -> dict[str, Any]:
        """The next message that it says.

        Raises:
            ServerStopped: it said none in time, or is not there any more; it is stopped.
        """
        if not self._said.empty():
            return self._heard(*self._said.get_nowait())
        self._check()
        hearing, ending = asyncio.ensure_future(self._said.get()), asyncio.ensure_future(self._over.wait())
        try:
            await asyncio.wait([hearing, ending], timeout=patience, return_when=asyncio.FIRST_COMPLETED)
            if hearing.done():
                return self._heard(*hearing.result())
        finally:
            for task in (hearing, ending):
                task.cancel()
        await self._stop(f"it did not answer within {patience:g} seconds")
        raise ServerStopped(self.why)

    def _heard(self, message: dict[str, Any], size: int) -> dict[str, Any]:
        self._unheard -= size
        return message

    async def stop(self) -> None:
        """End it, with all that it has started."""
        await self._stop("it was stopped")

    @property
    def why(self) -> str:
        """Why it is not there any more, as a sentence; empty while it is."""
        return f"{self.facts.name} was stopped: {self._stopped}." if self._stopped else ""

    @property
    def errors(self) -> str:
        """The end of what it wrote to its standard error, for people."""
        return self._errors.text()

    def _check(self) -> None:
        if self._stopped is not None:
            raise ServerStopped(self.why)

    async def _stop(self, why: str) -> None:
        """End it, and wait until it has ended; the first reason stands."""
        self._ended(why)
        if self._ending is not None:
            await asyncio.shield(self._ending)

    def _ended(self, why: str) -> None:
        """Let it end."""
        if self._ending is None:
            self._stopped = why
            self._over.set()
            self._ending = asyncio.ensure_future(self._end())

    async def _end(self) -> None:
        await self._enclosed.end()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _hear(self, out: asyncio.StreamReader) -> None:
        """Take lines as messages until it breaks a rule or ends."""
        held = bytearray()
        while data := await out.read(_PIECE):
            if self._stopped is not None:
                continue  # read to the end: a pipe that is full holds the end up
            held += data
            lines: list[bytearray] = []
            if b"\n" in data:
                *lines, held = held.split(b"\n")
            why = self._trouble_with(lines, len(held))
            if why is not None:
                held.clear()
                self._ended(why)
        self._ended("it ended by itself")

    def _trouble_with(self, lines: list[bytearray], open_bytes: int) -> str | None:
        for line in lines:
            message = _message(bytes(line)) if len(line) <= LONGEST_LINE else None
            if message is None:
                self.noise += bool(line.strip())
            elif self._said.full() or self._unheard + len(line) > _UNHEARD:
                return "it said more than anybody asked for"
            else:
                self._unheard += len(line)
                self._said.put_nowait((message, len(line)))
        if open_bytes > LONGEST_LINE or any(len(line) > LONGEST_LINE for line in lines):
            return f"it wrote a line longer than {LONGEST_LINE // 1024**2} MB"
        if self.noise > NOISE:
            return "it writes other things than messages"
        return None

    async def _overhear(self, err: asyncio.StreamReader) -> None:
        while data := await err.read(_PIECE):
            if self._errors.feed(data):
                self._ended("it wrote more than 64 MB of errors")

    async def _watch(self, watch: Watch) -> None:
        broken = await watch.until_broken(self._enclosed.pid, self._over)
        if broken is not None:
            self._ended(broken)


def _message(line: bytes) -> dict[str, Any] | None:
    """The JSON object that a line is, or None."""
    with contextlib.suppress(ValueError, RecursionError):
        found = json.loads(line, parse_constant=_refuse)
        if isinstance(found, dict) and not too_deep(found):
            return found
    return None


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is no number of JSON")
