"""Hosts from the runner's side: started warm, judged, given one run, listened to and watched with limits, and ended for good.

A host inherits one socket and an empty environment. Before it is given anything it reports what it can do, and one that can do more than
its level allows is ended. What it writes to its standard output is kept in a log of the run, with a cap.
"""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import json
import logging
import socket
from importlib.util import cache_from_source
from pathlib import Path
from typing import Any

from counterfoil.authoring.file_door import FileRefused, Files
from counterfoil.engine.desk import Desk
from counterfoil.engine.frames import TAIL_LIMIT, BadFrame, Unpacker, pack
from counterfoil.engine.replaying import Opening
from counterfoil.places import Home
from counterfoil.policy.protection import NONE
from counterfoil.sandbox import bwrap
from counterfoil.sandbox.ending import Finish, end, reaped
from counterfoil.sandbox.launching import Cell, Given, Slot, canonical, judge, prepare, request
from counterfoil.sandbox.levels import Measured
from counterfoil.sandbox.watching import Watch

_AROUND = 200  # bytes that a record in a page takes besides its path, name and payload, at the most
OUTPUT_LIMIT = 1024 * 1024  # bytes that are kept
OUTPUT_END = 64 * 1024 * 1024  # bytes after which nobody is to write more
PATIENCE = 60.0  # seconds a host may take to report
LAST_WORDS = 2.0  # seconds that the output of an ended host may stay open
_log = logging.getLogger(__name__)


class Host(asyncio.Protocol):
    """One host process. `gone` is set when its socket has closed."""

    def __init__(self, cell: Cell) -> None:
        self.gone = asyncio.Event()
        self.pid = 0
        self.cell = cell
        self._unpacker = Unpacker()
        self._desk: Desk | None = None
        self._transport: asyncio.Transport | None = None
        self._process: asyncio.subprocess.Process | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._answer_to_us: asyncio.Future[dict[str, Any]] | None = None
        self._listening: asyncio.Task[None] | None = None
        self._output: Path | None = None
        self._pending_output = b""
        self._is_kept = False
        self._finish: Finish | None = None
        self._written: Path | None = None

    @classmethod
    async def start(
        cls,
        home: Home,
        measured: Measured,
        brought: Path | None = None,
        *,
        compiles: bool = False,
    ) -> Host:
        """A warm host: imported, confined as far as can be without its run, waiting for it; `brought` are its template's packages. One that
        `compiles` is there for a template and serves no run.

        Raises:
            Unfit: it is not confined as it must be.
            ConnectionError: it ended, or did not report in time.
        """
        packages = canonical(brought) if brought else None
        cell = Cell(measured, Slot(home), home, not compiles, packages, compiles=compiles)
        host = cls(cell)
        try:
            await host._launch()
            if measured.is_isolated or measured.level is NONE:
                await host._confine(Given())
        except BaseException:
            host.kill()
            await host.ended()
            raise
        return host

    async def _launch(self) -> None:
        ours, theirs = socket.socketpair()
        with theirs:
            try:
                launch = prepare(self.cell, theirs.fileno())
            except BaseException:
                ours.close()
                raise
            try:
                self._process = await asyncio.create_subprocess_exec(
                    *launch.command,
                    stdin=asyncio.subprocess.DEVNULL,
                    stdout=asyncio.subprocess.PIPE,
                    stderr=asyncio.subprocess.STDOUT,
                    pass_fds=(theirs.fileno(), *launch.handles),
                    env=launch.environment,
                    start_new_session=True,
                )
            except BaseException:
                ours.close()
                raise
            finally:
                launch.close()
        self.pid, self._is_kept = self._process.pid, launch.is_kept
        ours.setblocking(False)
        await asyncio.get_running_loop().create_unix_connection(lambda: self, sock=ours)
        self._listening = asyncio.get_running_loop().create_task(self._keep_output())

    async def _confine(self, given: Given) -> None:
        """Let the process confine itself, and judge what it then is; once in its life.

        Raises:
            Unfit: it is not confined as it must be.
            ConnectionError: it ended, or did not report in time.
        """
        try:
            async with asyncio.timeout(PATIENCE):
                found = await self._asked(request(self.cell, given))
        except TimeoutError as problem:
            raise ConnectionError("the host did not report") from problem
        except ConnectionError as problem:
            said = self._pending_output.decode("utf-8", "replace").strip().splitlines()
            raise ConnectionError(
                f"the host ended before it reported: {said[-1] if said else 'it said nothing'}"
            ) from problem
        judge(self.cell, given, found, self.pid)
        self._finish = Finish(self.pid)

    async def _asked(self, frame: dict[str, Any]) -> dict[str, Any]:
        """Send a frame that has one answer, and wait for it."""
        self._answer_to_us = asyncio.get_running_loop().create_future()
        if self.gone.is_set():
            raise ConnectionError("the host has ended")
        self._write(frame)
        return await self._answer_to_us

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = transport  # type: ignore[assignment]  # a stream socket's transport

    def connection_lost(self, exc: Exception | None) -> None:
        self.gone.set()
        if self._answer_to_us is not None and not self._answer_to_us.done():
            self._answer_to_us.set_exception(ConnectionError("the host ended before it answered"))

    def data_received(self, data: bytes) -> None:
        try:
            for header, tail in self._unpacker.feed(data):
                self._take(header, tail)
        except BadFrame as problem:
            self._break(str(problem))

    def _take(self, header: dict[str, Any], tail: bytes) -> None:
        if self._desk is not None:
            self._spawn(self._answer(self._desk, header, tail))
        elif self._answer_to_us is not None and not self._answer_to_us.done():
            self._answer_to_us.set_result(header)

    async def _answer(self, desk: Desk, header: dict[str, Any], tail: bytes) -> None:
        number = header.pop("i", None)
        reply = await desk.handle(header, tail)
        if reply is not None and self._transport is not None and not self._transport.is_closing():
            self._transport.write(pack({"i": number, **reply[0]}, reply[1]))

    def _break(self, what: str) -> None:
        if self._desk is not None:
            self._desk.refuse(what)
        self.kill()

    def _spawn(self, work: Any) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _keep_output(self) -> None:
        """Keep what the author prints, up to a cap, for the run's log."""
        stream = self._process.stdout if self._process is not None else None
        kept = 0
        while stream is not None and (data := await stream.read(65_536)):
            kept += len(data)
            if kept > OUTPUT_END:
                self._break(f"it wrote more than {OUTPUT_END // 1024**2} MB of output and was ended")
            if kept > OUTPUT_LIMIT:
                continue
            if self._output is None:
                self._pending_output += data
            else:
                self._write_output(data)

    def _write_output(self, data: bytes) -> None:
        if self._output is not None and data:
            with contextlib.suppress(OSError), self._output.open("ab") as out:
                out.write(data)

    async def open(self, desk: Desk, opening: Opening, folder: Path, name: str, output: Path) -> None:
        """Give the host its run: where the template is, what it starts from, and every record in pages. The run's files lie where the
        opening says; for an isolated host that is in its slot, and it is told how it sees them.

        Raises:
            Unfit: it is not confined as it must be; it has been given nothing.
            ConnectionError: it has ended.
        """
        self._written = Path(opening.overlays)
        if self.cell.measured.is_isolated:
            folder = self.cell.inside(await asyncio.to_thread(self.cell.slot.fill, folder))
            run = dataclasses.replace(opening.run, workspace=str(bwrap.JOB))
            opening = dataclasses.replace(opening, run=run, overlays=str(bwrap.WORK))
        elif self.cell.measured.level is not NONE:
            await self._confine(Given(folder, Path(opening.run.workspace), Path(opening.overlays)))
        self._desk = desk
        self._output = output
        self._write_output(self._pending_output)
        facts = opening.run
        self._write(
            {
                "t": "start",
                "folder": str(folder),
                "brought": self._brought,
                "name": name,
                "seed": opening.seed,
                "parameters": opening.parameters,
                "run": {field: getattr(facts, field) for field in facts.__slots__},
                "held": sorted(opening.held),
                "kept": sorted(opening.kept),
                "overlays": opening.overlays,
                "foreign": list(opening.foreign),
            }
        )
        self._send_records(opening)
        self._spawn(self._keep_watch(desk))

    def _send_records(self, opening: Opening) -> None:
        """Records in pages; each is encoded as a whole, so its size is bounded beforehand: six bytes for a character are the most."""
        page: list[list[Any]] = []
        size = 0
        for (path, ordinal), record in opening.records.items():
            bound = 6 * (len(path) + len(record.name) + len(record.payload or "")) + _AROUND
            if size + bound > TAIL_LIMIT:
                self._write({"t": "records", "last": False}, _encoded(page))
                page, size = [], 0
            page.append(
                [
                    path,
                    ordinal,
                    record.kind,
                    record.name,
                    record.args_digest,
                    record.outcome,
                    record.payload,
                    record.at_us,
                ]
            )
            size += bound
        self._write({"t": "records", "last": True}, _encoded(page))

    def _write(self, header: dict[str, Any], tail: bytes = b"") -> None:
        if self._transport is not None and not self._transport.is_closing():
            self._transport.write(pack(header, tail))

    async def describe(self, version: Path, name: str) -> tuple[dict[str, Any], dict[str, bytes]]:
        """Compile a version's code, then load it and say what it is; also the compiled modules, by path beneath the version.

        They are read before any of the code has run, so they are what the source says.

        Raises:
            ConnectionError: the template ended the process.
        """
        if not (self.cell.measured.is_isolated or self.cell.measured.level is NONE):
            await self._confine(Given())
        copied = await asyncio.to_thread(self.cell.slot.fill, version)
        inside = str(self.cell.inside(copied))
        await self._asked({"t": "compile", "folder": inside})
        compiled = await asyncio.to_thread(_compiled, copied)
        asked = {"t": "describe", "folder": inside, "brought": self._brought, "name": name}
        return await self._asked(asked), compiled

    @property
    def _brought(self) -> str | None:
        return str(self.cell.brought) if self.cell.brought else None

    async def _keep_watch(self, desk: Desk) -> None:
        """End the host when its processes together break a limit that the system does not keep."""
        broken = await Watch(self._written).until_broken(self.pid, self.gone)
        if broken is not None:
            desk.refuse(f"{broken} and was ended")
            self.kill()

    def kill(self) -> None:
        """End the process now, and whatever it has forked into its session."""
        if self._transport is not None:
            self._transport.close()
        if self._process is not None and self._process.returncode is None:
            end(self.pid, kept=self._is_kept)

    async def died(self) -> int:
        """Wait until the process is reaped and nothing of it lives; its exit status."""
        status = await reaped(self._process) if self._process is not None else 0
        if self._finish is not None:
            await self._finish.wait()
        return status

    async def ended(self) -> int:
        """Wait until nothing of it lives, and clear up its folders; its exit status."""
        status = await self.died()
        if self._listening is not None:  # what it has forked may take a moment longer, and holds its output open
            await asyncio.wait([self._listening], timeout=LAST_WORDS)
        await asyncio.to_thread(self.cell.slot.remove)
        if status not in (0, -9):
            _log.info("host %d ended with %d", self.pid, status)
        return status


def _encoded(page: list[list[Any]]) -> bytes:
    return json.dumps(page, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")


def _compiled(version: Path) -> dict[str, bytes]:
    """The compiled modules beneath a folder of a slot, read without following links."""
    door, found = Files(version), {}
    for source in version.rglob("*.py"):
        path = Path(cache_from_source(str(source))).relative_to(version).as_posix()
        with contextlib.suppress(FileRefused):
            found[path] = door.read(path)
    return found
