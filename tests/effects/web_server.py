"""A real HTTP server on loopback, in threads, whose answers are told it per path."""

import socket
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass(frozen=True)
class Said:
    """An answer: status, header fields, body; `cut` breaks off in the middle of the body."""

    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""
    cut: bool = False


HANG_UP = Said(0)
SILENCE = Said(-1)


@dataclass(frozen=True)
class Heard:
    """A request that came in."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes


class WebServer:
    """`says` holds the answer to each path; a path that it does not hold is answered with 404."""

    def __init__(self) -> None:
        self.says: dict[str, Said] = {}
        self.heard: list[Heard] = []
        self.enough = threading.Event()
        owner = self

        class Handler(_Handler):
            web = owner

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Serve nobody any more."""
        self.enough.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(5)


class _Handler(BaseHTTPRequestHandler):
    web: WebServer

    def _answer(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        path = self.path.partition("?")[0]
        self.web.heard.append(Heard(self.command, self.path, {k.lower(): v for k, v in self.headers.items()}, body))
        said = self.web.says.get(path, Said(404))
        if said is SILENCE:
            self.web.enough.wait(60)
        if said.status <= 0:
            self.connection.shutdown(socket.SHUT_RDWR)
            self.close_connection = True
            return
        self.send_response(said.status)
        for name, value in said.headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(said.body) + 100 * said.cut))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(said.body)
        self.close_connection = True

    do_GET = do_HEAD = do_POST = do_PUT = do_PATCH = do_DELETE = do_OPTIONS = _answer  # noqa: N815 - http.server names them

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - http.server names it
        """Say nothing."""
