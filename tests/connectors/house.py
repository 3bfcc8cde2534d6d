"""A connector at an address, with a door: a server of the protocol over HTTP that lets in whoever brings a token, and grants them.

`valid` are the tokens that open; taking one away ends what was granted. `performed` counts the calls, which are answered while `answers` is
set.
"""

from __future__ import annotations

import contextlib
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

TOOL = {
    "name": "send",
    "description": "Send it.",
    "inputSchema": {"type": "object", "properties": {"to": {"type": "string"}}},
}


class House:
    """The server, on a thread of its own."""

    def __init__(self, *, locked: bool = True) -> None:
        self.locked = locked
        self.valid: set[str] = set()
        self.performed: list[str] = []
        self.refreshed = 0
        self.issued = 0
        self.huge = False
        self.answers = threading.Event()
        self.answers.set()
        house = self

        class Door(BaseHTTPRequestHandler):
            """One request."""

            def do_GET(self) -> None:
                house.get(self)

            def do_POST(self) -> None:
                house.post(self)

            def do_DELETE(self) -> None:
                _say(self, 200, {})

            def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - its name above
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Door)
        self.at = f"http://127.0.0.1:{self._server.server_port}"
        self.url = f"{self.at}/mcp"
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02})
        self._thread.start()

    def close(self) -> None:
        """Nobody is there any more."""
        self.answers.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def get(self, door: BaseHTTPRequestHandler) -> None:
        """What is said of the door, and the page that grants."""
        path, _, query = door.path.partition("?")
        if path.startswith("/.well-known/oauth-protected-resource"):
            _say(door, 200, {"resource": self.url, "authorization_servers": [self.at]})
        elif path.startswith("/.well-known/"):
            _say(
                door,
                200,
                {
                    "issuer": self.at,
                    "authorization_endpoint": f"{self.at}/authorize",
                    "token_endpoint": f"{self.at}/token",
                    "registration_endpoint": f"{self.at}/register",
                    "response_types_supported": ["code"],
                    "code_challenge_methods_supported": ["S256"],
                    "token_endpoint_auth_methods_supported": ["none"],
                },
            )
        elif path == "/authorize":
            asked = {key: values[0] for key, values in parse_qs(query).items()}
            back = urlencode({"code": "a-code", "state": asked["state"], "iss": self.at})
            _say(door, 302, {}, Location=f"{asked['redirect_uri']}?{back}")
        else:
            _say(door, 405, {})

    def post(self, door: BaseHTTPRequestHandler) -> None:
        """Messages, and what grants."""
        body = door.rfile.read(int(door.headers.get("Content-Length", 0)))
        path = urlsplit(door.path).path
        if path == "/register":
            _say(door, 201, {**json.loads(body), "client_id": "a-client", "token_endpoint_auth_method": "none"})
        elif path == "/token":
            self._grant(door, parse_qs(body.decode()))
        elif self.locked and door.headers.get("Authorization", "").removeprefix("Bearer ") not in self.valid:
            where = f'Bearer resource_metadata="{self.at}/.well-known/oauth-protected-resource"'
            _say(door, 401, {}, **{"WWW-Authenticate": where})
        else:
            self._answer(door, json.loads(body))

    def _grant(self, door: BaseHTTPRequestHandler, asked: dict[str, list[str]]) -> None:
        if asked["grant_type"] == ["refresh_token"]:
            if asked["refresh_token"] != ["renews"]:
                _say(door, 400, {"error": "invalid_grant"})
                return
            self.refreshed += 1
        self.issued += 1
        token = f"token-{self.issued}-" + "x" * 3000  # longer than one entry of a keyring
        self.valid = {token}
        _say(door, 200, {"access_token": token, "token_type": "Bearer", "expires_in": 3600, "refresh_token": "renews"})

    def _answer(self, door: BaseHTTPRequestHandler, message: dict[str, Any]) -> None:
        method = message.get("method")
        if "id" not in message:
            _say(door, 202, {})
            return
        results: dict[str, Any] = {
            "initialize": {
                "protocolVersion": "2025-11-25",
                "capabilities": {"tools": {}},
                "serverInfo": {"name": "House", "version": "1"},
            },
            "tools/list": {"tools": [TOOL]},
        }
        if method == "tools/call":
            to = message["params"]["arguments"]["to"]
            self.performed.append(to)
            self.answers.wait()
            words = "x" * 20_000_000 if self.huge else f"sent to {to}"
            results["tools/call"] = {"content": [{"type": "text", "text": words}]}
        if method in results:
            _say(door, 200, {"jsonrpc": "2.0", "id": message["id"], "result": results[str(method)]})
        else:
            error = {"code": -32601, "message": "Method not found"}
            _say(door, 200, {"jsonrpc": "2.0", "id": message["id"], "error": error})


def _say(door: BaseHTTPRequestHandler, status: int, plain: Any, **headers: str) -> None:
    body = json.dumps(plain).encode()
    door.send_response(status)
    for name, value in {"Content-Type": "application/json", "Content-Length": str(len(body)), **headers}.items():
        door.send_header(name, value)
    door.end_headers()
    with contextlib.suppress(OSError):  # whoever asked has gone
        door.wfile.write(body)
