"""The inside end of a connector's way out: a proxy on its loopback, since most programs can be told of one by an address only.

What it hears it passes to the socket at `bwrap.NETWORK` and back. It decides nothing: it belongs to the sandbox, and who decides is on
the other side of that socket.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import socket

from counterfoil.sandbox.bwrap import NETWORK
from counterfoil.sandbox.selftest import WIRE

PORT = 8118
ADDRESS = f"http://127.0.0.1:{PORT}"
_PIECE = 65_536


def start() -> None:
    """Listen, then serve in a forked process that ends with the sandbox.

    Raises:
        OSError: there is no loopback to listen on.
    """
    listener = socket.create_server(("127.0.0.1", PORT))
    if os.fork():
        listener.close()
        return
    try:
        nothing = os.open(os.devnull, os.O_RDWR)
        for handle in (*range(3), WIRE):  # the streams and the socket are the program's; their end must be seen
            os.dup2(nothing, handle)
        asyncio.run(_serve(listener))
    finally:
        os._exit(0)


async def _serve(listener: socket.socket) -> None:
    server = await asyncio.start_server(_connected, sock=listener)
    await server.serve_forever()


async def _connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with contextlib.suppress(OSError):
        there, back = await asyncio.open_unix_connection(str(NETWORK))
        try:
            await asyncio.gather(_pass(reader, back), _pass(there, writer))
        finally:
            back.close()
    writer.close()


async def _pass(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Hand on until one side has said all; then say so to the other."""
    with contextlib.suppress(OSError):
        while data := await reader.read(_PIECE):
            writer.write(data)
            await writer.drain()
        writer.write_eof()
