"""How a connector is reached: a program in a sandbox of its own, or an address over streamable HTTP.

Secrets are put in here, last of all.
"""

from __future__ import annotations

import asyncio
import contextlib
import tempfile
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from counterfoil.connectors.declared import Declared, Given
from counterfoil.connectors.line import NotReached
from counterfoil.connectors.pipe import over
from counterfoil.connectors.sieve import Streams
from counterfoil.connectors.turns import note_unsent
from counterfoil.connectors.way_out import WayOut
from counterfoil.effects.secrets import Keyring
from counterfoil.errors import SecretMissing
from counterfoil.places import Home
from counterfoil.sandbox import bwrap
from counterfoil.sandbox.launching import Unfit
from counterfoil.sandbox.levels import Measured
from counterfoil.sandbox.servers import Server, ServerFacts, ServerStopped

LARGEST_ANSWER = 16 * 1024 * 1024  # bytes of one answer over HTTP
_CONNECT = 30.0  # seconds
_TOLD = 2000  # characters of a program's last words


@dataclass(slots=True)
class Reach:
    """Reaches one connector. `stage` is the folder of a run's files where it is given one; `server` its program, once it was started."""

    declared: Declared
    home: Home
    measured: Measured
    keyring: Keyring
    stage: Path | None = None
    auth: Any = None
    server: Server | None = None

    async def _value(self, given: Given) -> str:
        if not isinstance(given, Mapping):
            return str(given)
        try:
            return await asyncio.to_thread(self.keyring.get, given["$secret"])
        except SecretMissing as problem:
            raise NotReached(str(problem).rstrip(".")) from problem

    async def _filled(self, values: Mapping[str, Given]) -> dict[str, str]:
        return {name: await self._value(value) for name, value in values.items()}

    @property
    def noise(self) -> int:
        """How much its program has said that is no message."""
        return self.server.noise if self.server is not None else 0

    @property
    def last_words(self) -> str:
        """The end of what its program wrote for people."""
        return self.server.errors[-_TOLD:] if self.server is not None else ""

    def roots(self) -> list[str]:
        """The folders that it is told of: the run's files, as it sees them, and nothing else."""
        if self.stage is None:
            return []
        return [str(bwrap.JOB if self.measured.is_isolated else self.stage)]

    def _folder(self, stack: AsyncExitStack) -> Path | None:
        """The run's files where it is declared to see them; an empty folder where nothing runs that has any."""
        if not self.declared.stage:
            return None
        if self.stage is None:
            found = stack.enter_context(tempfile.TemporaryDirectory(dir=self.home.run, prefix="empty-"))
            self.stage = Path(found).resolve()
        return self.stage

    @asynccontextmanager
    async def streams(self) -> AsyncIterator[Streams]:
        """The way there, open.

        Raises:
            NotReached: there is none.
        """
        async with self._program() if self.declared.argv else self._address() as streams:
            yield streams

    @asynccontextmanager
    async def _program(self) -> AsyncIterator[Streams]:
        declared = self.declared
        async with AsyncExitStack() as stack:
            network = None
            if declared.hosts:
                folder = Path(stack.enter_context(tempfile.TemporaryDirectory(dir=self.home.run, prefix="way-")))
                way = await WayOut(folder, declared.hosts).open()
                stack.push_async_callback(way.close)
                network = way.socket
            facts = ServerFacts(
                declared.title or declared.name,
                declared.argv,
                tuple(map(Path, declared.code)),
                await self._filled(declared.settings),
                stage=self._folder(stack),
                network=network,
                by_hand=declared.by_hand,
            )
            try:
                self.server = await Server.start(self.home, self.measured, facts)
            except (Unfit, ServerStopped, ValueError, OSError) as problem:
                raise NotReached(str(problem).rstrip(".")) from problem
            yield await stack.enter_async_context(over(self.server))

    @asynccontextmanager
    async def _address(self) -> AsyncIterator[Streams]:
        import httpx2  # lazy: only connectors that are elsewhere pay for it
        from mcp.client.streamable_http import streamable_http_client

        declared = self.declared
        headers = await self._filled(declared.headers)
        limits = httpx2.Timeout(declared.seconds + 5, connect=_CONNECT)
        transport = _bounded(httpx2.AsyncHTTPTransport())
        async with (
            httpx2.AsyncClient(headers=headers, timeout=limits, auth=self.auth, transport=transport) as client,
            streamable_http_client(declared.url, http_client=client) as streams,
        ):
            yield streams


def _bounded(transport: Any) -> Any:
    """The transport with an end to every answer; a stream of events has one for each event."""
    import httpx2  # lazy, as above

    class Bounded(httpx2.AsyncByteStream):
        def __init__(self, inner: Any) -> None:
            self._inner = inner

        async def __aiter__(self) -> AsyncIterator[bytes]:
            size = 0
            async for piece in self._inner:
                size += len(piece)
                if size > LARGEST_ANSWER:
                    raise httpx2.StreamError(f"it answered with more than {LARGEST_ANSWER // 1024**2} MB")
                yield piece

        async def aclose(self) -> None:
            with contextlib.suppress(Exception):  # nothing more is read of it, however a stranger's answer ends
                await self._inner.aclose()

    handle = transport.handle_async_request

    async def handled(request: Any) -> Any:
        try:
            response = await handle(request)
        except (httpx2.ConnectError, httpx2.ConnectTimeout):
            if request.method == "POST":
                note_unsent()
            raise
        if not response.headers.get("content-type", "").lower().startswith("text/event-stream"):
            response.stream = Bounded(response.stream)
        return response

    transport.handle_async_request = handled
    return transport
