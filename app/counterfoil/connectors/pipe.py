"""A server in its sandbox as the protocol's library wants to speak to one: two streams of messages."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from counterfoil.connectors.sieve import Streams
from counterfoil.sandbox.servers import Server, ServerStopped

_FOR_EVER = 10.0**9  # seconds: a server may be silent as long as nobody asks it anything


@asynccontextmanager
async def over(server: Server) -> AsyncIterator[Streams]:
    """The streams of a server that runs; it is stopped in the end."""
    import anyio  # lazy: only a runner that has connectors pays for it

    heard_in, heard_out = anyio.create_memory_object_stream[Any](0)
    told_in, told_out = anyio.create_memory_object_stream[Any](0)
    async with anyio.create_task_group() as group:
        group.start_soon(_hear, server, heard_in)
        group.start_soon(_tell, server, told_out, heard_in)
        try:
            yield heard_out, told_in
        finally:
            with anyio.CancelScope(shield=True):
                await server.stop()
            for stream in (heard_in, heard_out, told_in, told_out):
                stream.close()
            group.cancel_scope.cancel()


async def _hear(server: Server, into: Any) -> None:
    import anyio  # lazy, as above
    from mcp.shared.message import SessionMessage
    from mcp_types import jsonrpc_message_adapter

    with contextlib.suppress(ServerStopped, anyio.BrokenResourceError, anyio.ClosedResourceError):
        while True:
            plain = await server.receive(_FOR_EVER)
            try:
                message = jsonrpc_message_adapter.validate_python(plain, by_name=False)
            except ValueError:
                server.noise += 1  # a JSON object that is no message: as good as a line of text
                continue
            await into.send(SessionMessage(message))
    into.close()  # the library sees that the connection has ended


async def _tell(server: Server, out: Any, heard: Any) -> None:
    import anyio  # lazy, as above

    with contextlib.suppress(anyio.ClosedResourceError):
        async for item in out:
            try:
                await server.send(item.message.model_dump(by_alias=True, mode="json", exclude_unset=True))
            except ServerStopped:
                heard.close()
                return
