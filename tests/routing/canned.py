"""A server of canned answers, for what llmock does not play: each request gets the next of them, word for word."""

import threading
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

STREAM = "text/event-stream"


@dataclass(frozen=True, slots=True)
class Canned:
    """One answer; headers beside its kind."""

    body: str
    status: int = 200
    kind: str = STREAM
    headers: dict[str, str] = field(default_factory=dict)


class CannedServer(ThreadingHTTPServer):
    """Answers in their order, the last one for ever; `asked` holds the bodies of the requests."""

    def __init__(self, answers: Sequence[Canned]) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.answers = list(answers)
        self.asked: list[str] = []

    @property
    def address(self) -> str:
        """Where it is, without a path."""
        return f"http://127.0.0.1:{self.server_address[1]}"


class _Handler(BaseHTTPRequestHandler):
    server: CannedServer

    def do_POST(self) -> None:
        length = int(self.headers.get("Content-Length", 0))
        self.server.asked.append(self.rfile.read(length).decode())
        answers = self.server.answers
        answer = answers.pop(0) if len(answers) > 1 else answers[0]
        body = answer.body.encode()
        self.send_response(answer.status)
        self.send_header("Content-Type", answer.kind)
        self.send_header("Content-Length", str(len(body)))
        for name, value in answer.headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name of its parent's
        """Nobody reads it."""


@contextmanager
def serving(*answers: Canned) -> Generator[CannedServer]:
    """A server for a while."""
    server = CannedServer(answers)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
