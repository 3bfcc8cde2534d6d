"""What lies outside: a ledger over HTTP and a mailbox over SMTP, on loopback, that keep what has really arrived.

Doubts are answered from here, so nothing may still be on its way when a test looks: `settle` waits until everything that had reached
these servers before it was called is entered or dropped.
"""

import random
import re
import socket
import socketserver
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler
from typing import Any

PATIENCE = 120.0  # seconds before a test gives up on its own servers
_MESSAGE_ID = re.compile(rb"(?mi)^Message-ID: *<([^@>]+)@")


@dataclass(frozen=True)
class Entry:
    """One thing that has happened: the idempotency key it came with, where it went, and what it said."""

    key: str
    place: str
    said: str


class Outside:
    """The ledger and the mailbox; up to `delay` seconds pass before and after each entry."""

    def __init__(self, seed: int, delay: float = 0.03) -> None:
        self._random = random.Random(seed)
        self._delay = delay
        self._changed = threading.Condition()
        self._entries: list[Entry] = []
        self._open: dict[int, int] = {}
        self._door = threading.Event()
        self._door.set()
        self.problems: list[str] = []
        self._web = _Server(self, _Web)
        self._mail = _Server(self, _Mail)

    @property
    def url(self) -> str:
        """Where the ledger is."""
        return f"http://127.0.0.1:{self._web.port}"

    @property
    def mail_port(self) -> int:
        """Where the mailbox is."""
        return self._mail.port

    def close(self) -> None:
        """End both servers."""
        self._web.end()
        self._mail.end()

    def entries(self, keys: set[str]) -> list[Entry]:
        """Everything that came with one of these keys, oldest first."""
        with self._changed:
            return [entry for entry in self._entries if entry.key in keys]

    def settle(self) -> None:
        """Wait until whatever had reached the servers before now is entered or dropped.

        A connection of our own stands behind all others in the queue of a listening socket.
        """
        before: set[int] = set()
        for port in (self._web.port, self._mail.port):
            with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) as last:
                before |= self._opened_before(last.getsockname()[1])
        with self._changed:
            if not self._changed.wait_for(lambda: not before & set(self._open), PATIENCE):
                raise TimeoutError("something is still on its way to the outside")

    def _opened_before(self, peer: int) -> set[int]:
        with self._changed:
            if not self._changed.wait_for(lambda: peer in self._open.values(), PATIENCE):
                raise TimeoutError("the outside takes no connections any more")
            return {number for number, known in self._open.items() if known != peer}

    @contextmanager
    def shut(self) -> Iterator[None]:
        """Enter nothing while this lasts: whatever arrives waits without an answer."""
        self._door.clear()
        try:
            yield
        finally:
            self._door.set()

    def callers(self) -> int:
        """How many connections are open."""
        with self._changed:
            return len(self._open)

    # ------------------------------------------------------------------------------------------ told by the servers

    def opened(self, number: int, peer: int) -> None:
        """A connection was taken up."""
        with self._changed:
            self._open[number] = peer
            self._changed.notify_all()

    def closed(self, number: int) -> None:
        """A connection is over."""
        with self._changed:
            self._open.pop(number, None)
            self._changed.notify_all()

    def enter(self, entry: Entry, *, once: bool) -> None:
        """Enter what has arrived; `once` honours the key, as a server that knows idempotency keys does."""
        self._door.wait(PATIENCE)
        self._dawdle()
        with self._changed:
            if not (once and any(known.key == entry.key for known in self._entries)):
                self._entries.append(entry)
        self._dawdle()

    def _dawdle(self) -> None:
        """A server takes its time, so that a kill can fall before and after what it does."""
        with self._changed:
            wait = self._random.uniform(0, self._delay)
        time.sleep(wait)


class _Server(socketserver.ThreadingTCPServer):
    allow_reuse_address = True
    request_queue_size = 64

    def __init__(self, outside: Outside, handler: Any) -> None:
        super().__init__(("127.0.0.1", 0), handler)
        self.outside = outside
        self.port: int = self.server_address[1]
        self._thread = threading.Thread(target=self.serve_forever, args=(0.05,), name="outside")
        self._thread.start()

    def process_request(self, request: Any, client_address: Any) -> None:
        self.outside.opened(id(request), client_address[1])
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        super().shutdown_request(request)
        self.outside.closed(id(request))

    def handle_error(self, request: Any, client_address: Any) -> None:
        problem = sys.exc_info()[1]
        if not isinstance(problem, (ConnectionError, TimeoutError)):  # a client that was killed is our daily bread
            self.outside.problems.append(repr(problem))

    def end(self) -> None:
        self.shutdown()
        self._thread.join()
        self.server_close()


class _Web(BaseHTTPRequestHandler):
    """POST /plain, /asked and /keyed enter; GET /entries/KEY tells. One request per connection."""

    server: _Server
    timeout = PATIENCE

    def do_POST(self) -> None:
        size = int(self.headers["Content-Length"])
        body = self.rfile.read(size)
        if len(body) < size:
            return  # the sender has died on the way
        entry = Entry(self.headers["Idempotency-Key"], self.path, body.decode())
        self.server.outside.enter(entry, once=self.path == "/keyed")
        self._answer(201, b'{"entered":true}')

    def do_GET(self) -> None:
        key = self.path.rpartition("/")[2]
        known = bool(self.server.outside.entries({key}))
        self._answer(200 if known else 404, b'{"entered":true}' if known else b"{}")

    def _answer(self, status: int, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the name is http.server's
        """Say nothing."""


class _Mail(socketserver.StreamRequestHandler):
    """As much of SMTP as one mail needs; it is entered when its last line has come."""

    server: _Server
    timeout = PATIENCE

    def handle(self) -> None:
        self._say("220 outside")
        while line := self.rfile.readline(2000):
            verb = line[:4].upper().strip()
            if verb == b"DATA":
                self._say("354 go on")
                if not self._take():
                    return
            elif verb == b"QUIT":
                self._say("221 bye")
                return
            self._say("250 ok")

    def _take(self) -> bool:
        lines: list[bytes] = []
        while line := self.rfile.readline(100_000):
            if line == b".\r\n":
                text = b"".join(lines)
                found = _MESSAGE_ID.search(text)
                said = text.partition(b"\r\n\r\n")[2].decode().strip()
                self.server.outside.enter(Entry(found[1].decode() if found else "", "mail", said), once=False)
                return True
            lines.append(line)
        return False

    def _say(self, line: str) -> None:
        self.wfile.write(f"{line}\r\n".encode())
