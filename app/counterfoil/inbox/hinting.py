"""Telling the runner that there may be work: a datagram on loopback that carries nothing and may be lost, since a sweep finds the work
anyway."""

from __future__ import annotations

import contextlib
import socket

from counterfoil.places import Home

PORT_FILE = "runner.port"  # in the home's `run` folder: where the runner that lives, or lived last, listens


def hint(home: Home) -> None:
    """Tell a runner, if one lives, that there may be work."""
    with contextlib.suppress(OSError, ValueError):
        port = int((home.run / PORT_FILE).read_text(encoding="ascii"))
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as out:
            out.setblocking(False)
            out.sendto(b"", ("127.0.0.1", port))
