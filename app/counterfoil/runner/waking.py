"""Listening for wake-ups (`inbox.hinting`): datagrams on loopback that carry nothing and may be lost; a sweep finds the work anyway."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from counterfoil.inbox.hinting import PORT_FILE
from counterfoil.places import Home


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
    (home.run / PORT_FILE).write_text(str(port), encoding="ascii")
    return transport
