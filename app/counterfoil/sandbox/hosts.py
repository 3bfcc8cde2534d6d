"""Hosts from the runner's side: started warm, given one run, listened to with limits, and ended for good.

A host inherits one socket and an empty environment. What it writes to its standard output is kept in a log of the run, with a cap.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import os
import socket
import sys
from pathlib import Path
from typing import Any

from counterfoil.engine.desk import Desk
from counterfoil.engine.frames import TAIL_LIMIT, BadFrame, Unpacker, pack
from counterfoil.engine.session import Opening

_PACKAGE_ROOT = str(Path(__file__).resolve().parents[2])
_STUB = (
    "import sys; sys.path.insert(0, sys.argv[1]); from counterfoil.sandbox.inside import main; main(int(sys.argv[2]))"
)
_AROUND = 200  # bytes that a record in a page takes besides its path, name and payload, at the most
OUTPUT_LIMIT = 1024 * 1024
FILL_AFTER = 0.2  # seconds from taking a warm host to starting the next
_log = logging.getLogger(__name__)


class Host(asyncio.Protocol):
    """One host process. `gone` is set when its socket has closed."""

    def __init__(self) -> None:
        self.gone = asyncio.Event()
        self.pid = 0
        self._unpacker = Unpacker()
        self._desk: Desk | None = None
        self._transport: asyncio.Transport | None = None
        self._process: asyncio.subprocess.Process | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._described: asyncio.Future[dict[str, Any]] | None = None
        self._output: Path | None = None
        self._pending_output = b""

    @classmethod
    async def start(cls) -> Host:
        """A warm host: imported, waiting for its run."""
        host = cls()
        ours, theirs = socket.socketpair()
        try:
            host._process = await asyncio.create_subprocess_exec(
                sys.executable, "-I", "-c", _STUB, _PACKAGE_ROOT, str(theirs.fileno()),
                stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.STDOUT,
                pass_fds=(theirs.fileno(),),
                env=_environment(),
                start_new_session=True,
            )  # fmt: skip
        finally:
            theirs.close()
        host.pid = host._process.pid
        ours.setblocking(False)
        await asyncio.get_running_loop().create_unix_connection(lambda: host, sock=ours)
        host._spawn(host._keep_output())
        return host

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = transport  # type: ignore[assignment]  # a stream socket's transport

    def connection_lost(self, exc: Exception | None) -> None:
        self.gone.set()
        if self._described is not None and not self._described.done():
            self._described.set_exception(ConnectionError("the host ended before it answered"))

    def data_received(self, data: bytes) -> None:
        try:
            for header, tail in self._unpacker.feed(data):
                self._take(header, tail)
        except BadFrame as problem:
            self._break(str(problem))

    def _take(self, header: dict[str, Any], tail: bytes) -> None:
        if self._desk is not None:
            self._spawn(self._answer(self._desk, header, tail))
        elif self._described is not None and not self._described.done():
            self._described.set_result(header)

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

    def open(self, desk: Desk, opening: Opening, folder: Path, name: str, output: Path) -> None:
        """Give the host its run: where the template is, what it starts from, and every record in pages."""
        self._desk = desk
        self._output = output
        self._write_output(self._pending_output)
        facts = opening.run
        self._write(
            {
                "t": "start",
                "folder": str(folder),
                "name": name,
                "seed": opening.seed,
                "parameters": opening.parameters,
                "run": {field: getattr(facts, field) for field in facts.__slots__},
                "held": sorted(opening.held),
                "kept": sorted(opening.kept),
            }
        )
        self._send_records(opening)

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

    async def describe(self, folder: Path, name: str) -> dict[str, Any]:
        """Load a template inside and say what it is: parameters and steps.

        Raises:
            ConnectionError: the template ended the process.
        """
        self._described = asyncio.get_running_loop().create_future()
        self._write({"t": "describe", "folder": str(folder), "name": name})
        return await self._described

    def kill(self) -> None:
        """End the process now, and whatever it has forked into its session."""
        if self._transport is not None:
            self._transport.close()
        if self._process is not None and self._process.returncode is None:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self.pid, 9)

    async def ended(self) -> int:
        """Wait until the process is reaped; its exit status."""
        if self._process is None:
            return 0
        status = await self._process.wait()
        if status not in (0, -9):
            _log.info("host %d ended with %d", self.pid, status)
        return status


def _encoded(page: list[list[Any]]) -> bytes:
    return json.dumps(page, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")


def _environment() -> dict[str, str]:
    """What a host sees of the environment: nothing of the person's, a neutral language, and the zone of the computer."""
    kept = {
        "PATH": "/usr/local/bin:/usr/bin:/bin",
        "LANG": "C.UTF-8",
        "PYTHONDONTWRITEBYTECODE": "",
        "PYTHONHASHSEED": "0",
    }
    if sys.platform == "win32":
        kept["SYSTEMROOT"] = os.environ.get("SYSTEMROOT", "")
    return kept


class HostPool:
    """Warm hosts, so that a click does not wait for imports. A host serves one run and is never used again."""

    def __init__(self, warm: int) -> None:
        self._warm = warm
        self._ready: list[Host] = []
        self._filling: asyncio.Task[None] | None = None
        self._soon: asyncio.TimerHandle | None = None
        self._closed = False

    async def take(self) -> Host:
        """A warm host if there is one, else a fresh one; the pool is filled again in the background."""
        while self._ready:
            host = self._ready.pop(0)
            if not host.gone.is_set():
                self._fill_soon()
                return host
        self._fill_soon()
        return await Host.start()

    def _fill_soon(self) -> None:
        """The run that took a host goes first: starting the next one costs it several milliseconds."""
        if self._soon is None and not self._closed:
            self._soon = asyncio.get_running_loop().call_later(FILL_AFTER, self.fill)

    def fill(self) -> None:
        """Start what is missing, in the background."""
        self._soon = None
        if not self._closed and (self._filling is None or self._filling.done()):
            self._filling = asyncio.get_running_loop().create_task(self._fill())

    async def _fill(self) -> None:
        while len(self._ready) < self._warm and not self._closed:
            self._keep(await Host.start())

    def _keep(self, host: Host) -> None:
        if self._closed:
            host.kill()
        else:
            self._ready.append(host)

    async def close(self) -> None:
        """End the warm hosts."""
        self._closed = True
        if self._soon is not None:
            self._soon.cancel()
        if self._filling is not None:
            await self._filling
        for host in self._ready:
            host.kill()
        for host in self._ready:
            await host.ended()
        self._ready.clear()
