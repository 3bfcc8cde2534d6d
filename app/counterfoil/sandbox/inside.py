"""The inside of a host: one process, one run. It loads the template, replays the workflow, and speaks to the desk by one socket.

It is started before it is needed (warm), with an empty environment and nothing inherited but the socket. The first frame tells it what
to leave itself; it answers with what it then is, and is given a run only if that is as it must be. When the socket closes, it ends;
when its runner dies, it dies.
"""

from __future__ import annotations

import asyncio
import compileall
import json
import os
import py_compile
import socket
import sys
from pathlib import Path
from typing import Any

import counterfoil
from counterfoil.authoring.foreign import notice_opens
from counterfoil.authoring.machine import RunFacts
from counterfoil.authoring.parameters import decode_params
from counterfoil.catalogue.loading import describe, load_workflow
from counterfoil.engine import garbage
from counterfoil.engine.describing import describe as describe_problem
from counterfoil.engine.frames import Unpacker, pack
from counterfoil.engine.loops import WorkflowLoop
from counterfoil.engine.performing import die_with_parent
from counterfoil.engine.replaying import Opening, Recorded
from counterfoil.engine.session import Session
from counterfoil.errors import Closed, CounterfoilError
from counterfoil.sandbox import confining, limits, selftest

PAGE_LIMIT = 8 * 1024 * 1024  # what the runner sends is trusted; a header still has an end


class SocketPort(asyncio.Protocol):
    """Frames over the socket: a number per call, answered in any order."""

    def __init__(self, loop: WorkflowLoop) -> None:
        self._loop = loop
        self._unpacker = Unpacker(PAGE_LIMIT)
        self._calls: dict[int, asyncio.Future[tuple[dict[str, Any], bytes]]] = {}
        self._number = 0
        self._transport: asyncio.WriteTransport | None = None
        self._opening: asyncio.Queue[tuple[dict[str, Any], bytes]] = asyncio.Queue()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = transport  # type: ignore[assignment]  # a stream socket's transport writes

    def data_received(self, data: bytes) -> None:
        for header, tail in self._unpacker.feed(data):
            number = header.pop("i", None)
            if number is None:
                self._opening.put_nowait((header, tail))
                continue
            future = self._calls.pop(number, None)
            if future is not None and not future.done():
                future.set_result((header, tail))

    def connection_lost(self, exc: Exception | None) -> None:
        os._exit(0)  # nobody is there to record anything

    async def opening(self) -> tuple[dict[str, Any], bytes]:
        """The next frame that is no reply."""
        return await self._opening.get()

    def _send(self, header: dict[str, Any], tail: bytes) -> None:
        if self._transport is not None:
            self._transport.write(pack(header, tail))

    def call(self, header: dict[str, Any], tail: bytes = b"") -> asyncio.Future[tuple[dict[str, Any], bytes]]:
        """One frame, written now (an idle frame sent after it must not overtake it), and its reply."""
        self._number += 1
        future: asyncio.Future[tuple[dict[str, Any], bytes]] = self._loop.create_future()
        self._calls[self._number] = future
        self._send({"i": self._number, **header}, tail)
        return future

    def tell(self, header: dict[str, Any]) -> None:
        """One frame without a reply."""
        self._send(header, b"")


async def _serve(loop: WorkflowLoop, wire: socket.socket) -> None:
    port = SocketPort(loop)
    await loop.create_unix_connection(lambda: port, sock=wire)
    header, _ = await port.opening()
    if header["t"] == "compile":
        _compile(header["folder"])
        port.tell({"t": "compiled"})
        header, _ = await port.opening()
    if header["t"] == "describe":
        await _describe(port, header)
    else:
        await _play(loop, port, header)


def _compile(folder: str) -> None:
    """Compile a version without running any of it; what does not compile is told when it is loaded."""
    checked = py_compile.PycInvalidationMode.CHECKED_HASH
    compileall.compile_dir(folder, quiet=2, force=True, invalidation_mode=checked)


async def _describe(port: SocketPort, header: dict[str, Any]) -> None:
    try:
        found = describe(Path(header["folder"]), header["name"], header["brought"])
        await port.call({"t": "described", "found": found})
    except CounterfoilError as problem:
        await port.call({"t": "described", "problem": [problem.message, problem.next_step]})


async def _play(loop: WorkflowLoop, port: SocketPort, header: dict[str, Any]) -> None:
    os.chdir(header["run"]["workspace"])
    notice_opens(header["run"]["workspace"])
    try:  # the records come in meanwhile
        workflow = load_workflow(Path(header["folder"]), header["name"], header["brought"])
        params = decode_params(workflow.params, header["parameters"])
    except Exception as problem:  # noqa: BLE001 - whatever the template does when loaded is put before a person
        await port.call({"t": "fail", "kind": "error", "p": "", "o": -1, "error": describe_problem(problem)})
        return
    opening = Opening(
        run=RunFacts(**header["run"]),
        seed=header["seed"],
        parameters=header["parameters"],
        records=await _records(port),
        held=frozenset((path, ordinal) for path, ordinal in header["held"]),
        kept=frozenset((path, ordinal) for path, ordinal in header["kept"]),
        overlays=header["overlays"],
        foreign=tuple(header["foreign"]),
    )
    await Session(port, opening, loop).play(workflow, params)


async def _records(port: SocketPort) -> dict[tuple[str, int], Recorded]:
    found: dict[tuple[str, int], Recorded] = {}
    while True:
        header, tail = await port.opening()
        for path, ordinal, *rest in json.loads(tail):
            found[(path, ordinal)] = Recorded(*rest)
        if header["last"]:
            return found


def _confined(wire: socket.socket, level: str) -> None:
    """Wait for the frame that says what this process is to leave itself, do so, and report; end when nobody asks."""
    unpacker = Unpacker(PAGE_LIMIT)
    while data := wire.recv(65_536):
        for header, _ in unpacker.feed(data):
            confining.confine(level, header)
            wire.sendall(pack({"t": "facts", **selftest.facts(header["tried"], header["known"])}))
            return
    os._exit(0)


def _open_the_door() -> None:
    """Import whatever a template may name, while nobody waits."""
    for name in counterfoil.__all__:
        getattr(counterfoil, name)


def main(handle: int, level: str) -> None:
    """Serve the socket with this descriptor to its end; `level` is the code of the level at which this process was started."""
    die_with_parent()
    limits.lower(own_users=level in confining.WALLED)
    limits.sacrifice()
    _open_the_door()
    garbage.settle()
    wire = selftest.wire_of(handle)
    _confined(wire, level)
    loop = WorkflowLoop()
    asyncio.set_event_loop(loop)
    status = 0
    try:
        loop.run_until_complete(_serve(loop, wire))
    except Closed:
        pass
    except BaseException as problem:  # noqa: BLE001 - the last word of a process that is about to end
        print(f"{type(problem).__name__}: {problem}", file=sys.stderr, flush=True)  # noqa: T201 - the runner keeps this
        status = 70
    sys.stdout.flush()
    os._exit(status)
