"""Wake-ups between processes: a datagram on loopback that carries nothing and may be lost; a sweep finds the work anyway."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import Callable

from counterfoil.places import Home

_PORT_FILE = "runner.port"


def hint(home: Home) -> None:
    """Tell a runner, if one lives, that there may be work."""
    with contextlib.suppress(OSError, ValueError):
        port = int((home.run / _PORT_FILE).read_text(encoding="ascii"))
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as out:
            out.setblocking(False)
            out.sendto(b"", ("127.0.0.1", port))


class _Listener(asyncio.DatagramProtocol):
    def __init__(self, woken: Callable[[], None]) -> None:
        self._woken = woken

    def datagram_received(self, data: bytes, addr: object) -> None:
        self._woken()


async def listen(home: Home, woken: Callable[[], None]) -> asyncio.DatagramTransport:
    """Call `woken` at every wake-up; close the transport to stop."""
    loop = asyncio.get_running_loop()
    transport, _ = await loop.create_datagram_endpoint(lambda: _Listener(woken), local_addr=("127.0.0.1", 0))
    port = transport.get_extra_info("sockname")[1]
    (home.run / _PORT_FILE).write_text(str(port), encoding="ascii")
    return transport
