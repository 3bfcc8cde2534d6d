"""The first process of a sandbox that is made for somebody else's program: a command, or a connector's server.

It leaves itself what it may have, reports what it then is, and becomes that program only when it is told to. It keeps nothing for it
but the standard streams and a fixed environment.
"""

from __future__ import annotations

import os
import socket
from typing import Any

from counterfoil.engine.frames import Unpacker, pack
from counterfoil.engine.performing import die_with_parent
from counterfoil.sandbox import bridging, confining, limits, selftest

LIMIT = 8 * 1024 * 1024  # bytes of a frame from the runner, which is trusted
NOT_FOUND = 127


class _Orders:
    """Frames from the runner, one after another."""

    def __init__(self, wire: socket.socket) -> None:
        self._wire = wire
        self._unpacker = Unpacker(LIMIT)
        self._held: list[dict[str, Any]] = []

    def next(self) -> dict[str, Any]:
        """Wait for the next one; where nobody sends any, this process ends."""
        while not self._held:
            data = self._wire.recv(65_536)
            if not data:
                os._exit(0)
            self._held += [header for header, _ in self._unpacker.feed(data)]
        return self._held.pop(0)


def main(handle: int, level: str) -> None:
    """Confine this process, report, and become the program that the runner names; `level` is the code of the level it was started at."""
    die_with_parent()
    wire = selftest.wire_of(handle)
    orders = _Orders(wire)
    order = orders.next()
    limits.lower(own_users=level in confining.WALLED, seconds=order["seconds"])
    limits.sacrifice()
    limits.stand_back()
    confining.confine(level, order, programs=True)
    wire.sendall(pack({"t": "facts", **selftest.facts(order["tried"], order["known"])}))
    orders.next()
    if order["bridged"]:
        bridging.start()
    try:
        os.chdir(order["folder"])
        os.execvpe(order["argv"][0], order["argv"], order["environment"])  # noqa: S606 - it is what this process is for
    except OSError as problem:
        wire.sendall(pack({"t": "failed", "why": os.strerror(problem.errno or 0)}))
    os._exit(NOT_FOUND)
