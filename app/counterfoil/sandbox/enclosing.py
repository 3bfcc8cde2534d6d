"""Programs of others from the runner's side: started within walls, judged before they are anything, watched, and ended for good.

A command (`commands`) and a connector's server (`servers`) are started by this module alone.
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from counterfoil.engine.frames import BadFrame, Unpacker, pack
from counterfoil.places import Home
from counterfoil.sandbox import bridging, bwrap, landlock, scopes, selftest
from counterfoil.sandbox.ending import Finish, end, reaped
from counterfoil.sandbox.launching import (
    Launch,
    Slot,
    Unfit,
    asking,
    canonical,
    first_words,
    identity,
    kept,
    reading_a_report,
    runtime,
    walled,
)
from counterfoil.sandbox.levels import Measured

PATIENCE = 60.0  # seconds a sandbox may take to report
_DEVICES = (Path("/dev/null"), Path("/dev/zero"))
_ASKED_FOR = (Path("/etc/ssl/openssl.cnf"),)  # some programs end when they may not read what is there


@dataclass(frozen=True, slots=True)
class Cage:
    """What a program of others is to be confined to: `code` it may read at its own path, the stage if it is given one, and the socket
    that is its way out if it has any."""

    measured: Measured
    home: Home
    code: tuple[Path, ...] = ()
    stage: Path | None = None
    stage_writable: bool = False
    network: Path | None = None

    @property
    def folder(self) -> Path | None:
        """Where it sees the stage."""
        return bwrap.JOB if self.stage and self.measured.is_isolated else self.stage


@dataclass(frozen=True, slots=True)
class Errand:
    """What the program is and how it is called. `folder` is a path as the program sees it; `seconds` of processor time, 0 for no end."""

    argv: tuple[str, ...]
    folder: Path | None = None
    environment: Mapping[str, str] | None = None
    seconds: float = 0.0


class Enclosed:
    """One program in its sandbox. `gone` is set when all of it has ended."""

    def __init__(self, cage: Cage) -> None:
        self.cage = cage
        self.gone = asyncio.Event()
        self.pid = 0
        self.slot = Slot(cage.home)
        self._process: asyncio.subprocess.Process | None = None
        self._is_kept = False
        self._finish: Finish | None = None

    @classmethod
    async def start(cls, cage: Cage, errand: Errand) -> Enclosed:
        """Start a program.

        Raises:
            Unfit: its sandbox is not as it must be; nothing was run.
            FileNotFoundError: there is no such program inside.
        """
        found = cls(cage)
        try:
            async with asyncio.timeout(PATIENCE):
                await found._start(errand)
        except TimeoutError as problem:
            await found.end()
            raise Unfit("it did not report in time") from problem
        except BaseException:
            await found.end()
            raise
        return found

    async def _start(self, errand: Errand) -> None:
        ours, theirs = socket.socketpair()
        with ours:
            ours.setblocking(False)
            with theirs:
                await self._launch(theirs.fileno())
            wire = _Wire(ours)
            await wire.send(self._request(errand))
            self._judge(await wire.next())
            self._finish = Finish(self.pid)
            await wire.send({"t": "go"})
            answer = await wire.next(may_end=True)  # becoming the program closes the socket
            if answer:
                raise FileNotFoundError(f"{errand.argv[0]}: {answer.get('why')}")

    async def _launch(self, wire: int) -> None:
        launch = self._prepared(wire)
        try:
            self._process = await asyncio.create_subprocess_exec(
                *launch.command,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
                pass_fds=(wire, *launch.handles),
                env=launch.environment,
                start_new_session=True,
            )
        finally:
            launch.close()
        self.pid, self._is_kept = self._process.pid, launch.is_kept

    def _prepared(self, wire: int) -> Launch:
        cage = self.cage
        program = first_words("entering", wire, cage.measured, self.slot)
        if not cage.measured.is_isolated:
            if cage.network is not None:
                raise Unfit("without walls there is no way out that could be watched")
            return kept(program, self.slot)
        return walled(self._mounts(), program, cage.measured)

    def _mounts(self) -> bwrap.Mounts:
        cage = self.cage
        return bwrap.Mounts(
            (*runtime(), *map(canonical, cage.code)),
            stage=cage.stage,
            stage_writable=cage.stage_writable,
            network=cage.network,
        )

    def _request(self, errand: Errand) -> dict[str, Any]:
        cage = self.cage
        written = [self.slot.scratch, *_DEVICES, *([cage.stage] if cage.stage and cage.stage_writable else [])]
        read = (*runtime(), *_ASKED_FOR, *cage.code, *([cage.stage] if cage.stage else []))
        more = {"argv": list(errand.argv), "seconds": errand.seconds, "bridged": cage.network is not None}
        folder = errand.folder or cage.folder or Path(self._environment(errand)["TMPDIR"])
        known = [str(cage.folder)] if cage.folder else []
        return {
            **asking(read, written, self._tried(), known),
            **more,
            "folder": str(folder),
            "environment": self._environment(errand),
        }

    def _environment(self, errand: Errand) -> dict[str, str]:
        """A fixed list, what is given with the errand, and nothing of the person's."""
        fixed = {**bwrap.ENVIRONMENT, **(errand.environment or {})}
        if not self.cage.measured.is_isolated:
            fixed |= {"HOME": str(self.slot.scratch), "TMPDIR": str(self.slot.scratch)}
        if self.cage.network is not None:
            fixed |= dict.fromkeys(("HTTPS_PROXY", "https_proxy"), bridging.ADDRESS)
        return fixed

    def _tried(self) -> list[str]:
        cage = self.cage
        readonly = [str(cage.folder)] if cage.folder and not cage.stage_writable else []
        return ["/", "/usr", "/dev", *readonly] if cage.measured.is_isolated else ["/", str(cage.home.root), *readonly]

    def _judge(self, found: dict[str, Any]) -> None:
        cage = self.cage
        with reading_a_report():
            if cage.measured.is_isolated:
                known = {str(cage.folder): identity(cage.stage)} if cage.stage else {}
                root = bwrap.top_level(self._mounts())
                tells = not landlock.can_hide()
                wrong = selftest.isolated(
                    found, root=root, unwritable=self._tried(), known=known, programs=True, tells=tells
                )
                wrong += scopes.wrong_with(self.pid) if cage.measured.is_capped else []
            else:
                wrong = selftest.restricted(found, hidden=self._tried(), programs=True)
        if wrong:
            raise Unfit("; ".join(wrong))

    @property
    def streams(self) -> tuple[asyncio.StreamWriter, asyncio.StreamReader, asyncio.StreamReader]:
        """Its standard input, output and error."""
        process = self._process
        if process is None or process.stdin is None or process.stdout is None or process.stderr is None:
            raise Unfit("it was not started")
        return process.stdin, process.stdout, process.stderr

    async def wait(self) -> int:
        """Wait until its first process has ended by itself; its status."""
        return await self._process.wait() if self._process is not None else 0

    async def end(self) -> int:
        """End it, with all that it has started; its status. Nothing of it holds any file when this returns."""
        status = 0
        if self._process is not None:
            end(self.pid, kept=self._is_kept)
            status = await reaped(self._process)
            if (stdin := self._process.stdin) is not None:
                stdin.close()
                with contextlib.suppress(OSError, TimeoutError):  # what it did not read any more is nobody's trouble
                    async with asyncio.timeout(2):
                        await stdin.wait_closed()
        if self._finish is not None:
            await self._finish.wait()
        self.gone.set()
        await asyncio.to_thread(self.slot.remove)
        return status


class _Wire:
    """Frames over the socket to a sandbox that is being made."""

    def __init__(self, ours: socket.socket) -> None:
        self._ours = ours
        self._unpacker = Unpacker()
        self._held: list[dict[str, Any]] = []

    async def send(self, frame: dict[str, Any]) -> None:
        """One frame."""
        with contextlib.suppress(ConnectionError):  # that it is gone is told by what comes next
            await asyncio.get_running_loop().sock_sendall(self._ours, pack(frame))

    async def next(self, *, may_end: bool = False) -> dict[str, Any]:
        """The next frame; with `may_end` an empty one where the socket was closed.

        Raises:
            Unfit: it is none, or none comes.
        """
        while not self._held:
            try:
                data = await asyncio.get_running_loop().sock_recv(self._ours, 65_536)
                self._held += [header for header, _ in self._unpacker.feed(data)]
            except (BadFrame, ConnectionError) as problem:
                raise Unfit(f"its report cannot be read ({problem})") from problem
            if not data:
                if may_end:
                    return {}
                raise Unfit("it ended before it reported")
        return self._held.pop(0)


def words_of(argv: Sequence[str]) -> tuple[str, ...]:
    """A command's words as they may be handed on.

    Raises:
        ValueError: there are none, one holds a NUL, or they are longer than a kernel takes.
    """
    words = tuple(argv)
    if not words or not words[0]:
        raise ValueError("a command has no words")
    if any("\0" in word for word in words):
        raise ValueError("a command's word holds a NUL")
    if sum(len(word.encode("utf-8", "surrogateescape")) + 1 for word in words) > 128 * 1024:
        raise ValueError("a command's words are longer than 128 KiB")
    return words
