"""The way out of one connector's server: a proxy of the runner's, heard at a socket that only that server's sandbox sees.

The server has no network. What it asks for is a tunnel to a host by its name, and it gets one only to the hosts that were declared,
letter for letter. Names are resolved here, and an address that is not one of the public internet is refused after that, whatever its
name. A changed setting can take hosts away from a server that runs, never give it more.
"""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import os
import re
import socket
from collections.abc import Awaitable, Callable, Iterable
from pathlib import Path
from typing import Self

HEAD_LIMIT = 8 * 1024  # bytes of a request
BYTES = 1024**3  # bytes that one tunnel may carry, both ways together
TUNNELS = 32  # at once
_PATIENCE = 30.0  # seconds to ask, to resolve and to connect
_SILENCE = 300.0  # seconds in which neither side says anything
_PIECE = 65_536
_HTTPS = 443
# One spelling of a name: lower case, no dot at its end, and a last part that is no number.
_NAME = re.compile(r"(?=.{1,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?")
_ASKED = re.compile(rb"CONNECT ([!-~]{1,300}) HTTP/1\.[01]\r\n(?:[ -~\t]*\r\n)*\r\n")

Address = tuple[str, int]
Resolver = Callable[[str, int], Awaitable[list[str]]]


class WayOut:
    """A proxy at a socket in a folder of the runner's own. Nothing is reached until `open` was called.

    Args:
        hosts: `name` (for port 443) or `name:port`; none of them means that every request is refused.
    """

    def __init__(
        self, folder: Path, hosts: Iterable[str], *, resolve: Resolver | None = None, bytes_per_tunnel: int = BYTES
    ) -> None:
        self.socket = folder / "network"
        self.refused: list[str] = []  # what was asked for and not given, newest last, as sentences
        self._hosts = frozenset(map(host_of, hosts))
        self._resolve = resolve or _resolved
        self._bytes = bytes_per_tunnel
        self._server: asyncio.Server | None = None
        self._tunnels: set[asyncio.Task[None]] = set()

    def narrow(self, hosts: Iterable[str]) -> None:
        """Heed a changed list from the next request on: what it does not hold is taken away, what is new in it is not given."""
        self._hosts &= frozenset(map(host_of, hosts))

    async def open(self) -> Self:
        """Listen.

        Raises:
            OSError: there can be no socket there.
        """
        listener = socket.socket(socket.AF_UNIX)
        folder = os.open(self.socket.parent, os.O_PATH | os.O_DIRECTORY)
        try:
            listener.bind(f"/proc/self/fd/{folder}/{self.socket.name}")  # a path of a socket has 107 bytes at most
        except OSError:
            listener.close()
            raise
        finally:
            os.close(folder)
        self.socket.chmod(0o600)
        self._server = await asyncio.start_unix_server(self._connected, sock=listener, limit=HEAD_LIMIT)
        return self

    async def close(self) -> None:
        """Take no more requests, and end the tunnels that there are."""
        if self._server is not None:
            self._server.close()
            self.socket.unlink(missing_ok=True)
        for task in self._tunnels:
            task.cancel()
        await asyncio.gather(*self._tunnels)

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.ensure_future(self._answered(reader, writer))
        self._tunnels.add(task)
        task.add_done_callback(self._tunnels.discard)

    async def _answered(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await self._serve(reader, writer)
        except (OSError, TimeoutError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            await _answer(writer, b"400 Bad Request")
        except asyncio.CancelledError:
            pass  # the server is gone, and nobody waits for this
        finally:
            writer.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        async with asyncio.timeout(_PATIENCE):
            head = await reader.readuntil(b"\r\n\r\n")
        asked = _ASKED.fullmatch(head)
        if asked is None:
            self._refuse("it asked for something else than a tunnel to a host")
            await _answer(writer, b"405 Method Not Allowed")
            return
        target = asked[1].decode("ascii")
        try:
            async with asyncio.timeout(_PATIENCE):
                there, back = await self._reached(target)
        except _Refused as problem:
            self._refuse(str(problem))
            await _answer(writer, b"403 Forbidden")
            return
        except (OSError, TimeoutError):
            await _answer(writer, b"502 Bad Gateway")
            return
        try:
            await _answer(writer, b"200 Connection Established")
            await self._tunnel((reader, writer), (there, back))
        finally:
            back.close()

    async def _reached(self, target: str) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """A connection to what was asked for, at an address that was looked at.

        Raises:
            _Refused: it is none of the hosts, or lies somewhere else than on the public internet.
            OSError: it is not reached.
        """
        if len(self._tunnels) > TUNNELS:
            raise _Refused("it asked for more tunnels at once than there are")
        try:
            name, port = host_of(target)
        except ValueError as problem:
            raise _Refused(str(problem)) from problem
        if (name, port) not in self._hosts:
            raise _Refused(f"{name}:{port} is none of its hosts")
        addresses = await self._resolve(name, port)
        private = [address for address in addresses if not is_public(address)]
        if private or not addresses:
            raise _Refused(
                f"{name} leads to {private[0] if private else 'nowhere'}, which is not on the public internet"
            )
        return await asyncio.open_connection(addresses[0], port)

    async def _tunnel(
        self,
        ours: tuple[asyncio.StreamReader, asyncio.StreamWriter],
        theirs: tuple[asyncio.StreamReader, asyncio.StreamWriter],
    ) -> None:
        left = _Budget(self._bytes)
        await asyncio.gather(_pass(ours[0], theirs[1], left), _pass(theirs[0], ours[1], left))

    def _refuse(self, why: str) -> None:
        self.refused = [*self.refused[-99:], why]


class _Refused(Exception):
    """A request is not granted; the message says why."""


class _Budget:
    """Bytes that are left to a tunnel."""

    def __init__(self, left: int) -> None:
        self.left = left


async def _pass(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, budget: _Budget) -> None:
    """Hand on until one side has said all, both are silent, or the budget is used up."""
    with contextlib.suppress(OSError, TimeoutError):
        while budget.left > 0:
            async with asyncio.timeout(_SILENCE):
                data = await reader.read(min(_PIECE, budget.left))
            if not data:
                break
            budget.left -= len(data)
            writer.write(data)
            await writer.drain()
        if budget.left > 0:
            writer.write_eof()
        else:
            writer.close()


async def _answer(writer: asyncio.StreamWriter, status: bytes) -> None:
    with contextlib.suppress(OSError):
        writer.write(b"HTTP/1.1 " + status + b"\r\n\r\n")
        await writer.drain()


def host_of(text: str) -> tuple[str, int]:
    """A declared or asked-for host as a name and a port.

    Raises:
        ValueError: it is not the one spelling of a name: capitals, a dot at its end, a user, a number, or signs that are no ASCII.
    """
    name, colon, port = text.partition(":")
    if not _NAME.fullmatch(name) or (colon and not re.fullmatch(r"[1-9][0-9]{0,4}", port)):
        raise ValueError(f"{text[:80]!a} is no host in its one spelling")
    return name, int(port) if colon else _HTTPS


async def _resolved(name: str, port: int) -> list[str]:
    found = await asyncio.get_running_loop().getaddrinfo(name, port, type=socket.SOCK_STREAM)
    return [str(entry[4][0]) for entry in found]


def is_public(address: str) -> bool:
    """Whether an address belongs to the public internet; one that wraps another is judged by both."""
    try:
        found = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return False
    if isinstance(found, ipaddress.IPv6Address):
        if found in _TRANSLATED:
            return is_public(str(ipaddress.IPv4Address(int(found) & 0xFFFFFFFF)))
        wrapped = [found.ipv4_mapped, found.sixtofour, *(found.teredo or ())]
        return found.is_global and not found.is_multicast and not any(inner for inner in wrapped)
    return found.is_global and not found.is_multicast


_TRANSLATED = ipaddress.ip_network("64:ff9b::/96")  # IPv4 behind a translator
