"""A real SMTP server on loopback, in a thread, that can be told to fail at any point of the conversation."""

import contextlib
import socket
import ssl
import threading
from dataclasses import dataclass, field
from typing import BinaryIO

HANG_UP = "hang up"
SILENCE = "silence"


@dataclass
class PostOffice:
    """`says` overrules an answer: the key is a verb, or a verb with its argument's beginning, `CONNECT` or `END` (after the dot)."""

    says: dict[str, str] = field(default_factory=dict)
    starttls: ssl.SSLContext | None = None
    tls: ssl.SSLContext | None = None
    mails: list[tuple[str, list[str], bytes]] = field(default_factory=list)
    heard: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.port = self._listening.getsockname()[1]
        self._enough = threading.Event()
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Serve nobody any more."""
        self._enough.set()
        with contextlib.suppress(OSError):
            self._listening.shutdown(socket.SHUT_RDWR)
        self._listening.close()
        self._thread.join(5)

    def _serve(self) -> None:
        while not self._enough.is_set():
            try:
                line, _ = self._listening.accept()
            except OSError:
                return
            with contextlib.suppress(OSError), line:
                line.settimeout(60)
                if self.tls is not None:
                    line = self.tls.wrap_socket(line, server_side=True)
                _Conversation(self, line).run()
                line.close()

    def answer(self, verb: str, argument: str, usual: str) -> str:
        """What is said to a command."""
        for key, said in self.says.items():
            if f"{verb} {argument}".upper().startswith(key.upper()):
                return said
        return usual

    def wait(self) -> None:
        """Say nothing until the other side has gone."""
        self._enough.wait(60)


class _Gone(Exception):
    """The server has hung up."""


class _Conversation:
    """One client."""

    def __init__(self, office: PostOffice, line: socket.socket) -> None:
        self._office = office
        self._line = line
        self._in: BinaryIO = line.makefile("rb")
        self._sender, self._people = "", list[str]()

    def run(self) -> None:
        """Until QUIT, or a fault that was ordered."""
        with contextlib.suppress(_Gone, OSError):
            self._say("CONNECT", "", "220 post.example ready")
            while line := self._in.readline():
                verb, _, argument = line.decode("utf-8", "replace").strip().partition(" ")
                self._office.heard.append(f"{verb} {argument}".strip())
                getattr(self, f"_{verb.lower()}", self._unknown)(verb, argument)
        with contextlib.suppress(OSError):
            self._line.shutdown(socket.SHUT_RDWR)
        self._in.close()
        self._line.close()

    def _say(self, verb: str, argument: str, usual: str) -> None:
        said = self._office.answer(verb, argument, usual)
        if said == HANG_UP:
            raise _Gone
        if said == SILENCE:
            self._office.wait()
            raise _Gone
        self._line.sendall(said.replace("\n", "\r\n").encode() + b"\r\n")

    def _unknown(self, verb: str, argument: str) -> None:
        self._say(verb, argument, "500 what?")

    def _ehlo(self, verb: str, argument: str) -> None:
        offers = "250-post.example\n" + ("250-STARTTLS\n" if self._office.starttls else "") + "250 AUTH PLAIN"
        self._say(verb, argument, offers)

    def _starttls(self, verb: str, argument: str) -> None:
        self._say(verb, argument, "220 go ahead")
        if self._office.starttls is not None:
            self._line = self._office.starttls.wrap_socket(self._line, server_side=True)
            self._in = self._line.makefile("rb")

    def _auth(self, verb: str, argument: str) -> None:
        self._say(verb, argument, "235 welcome")

    def _mail(self, verb: str, argument: str) -> None:
        self._sender, self._people = argument, []
        self._say(verb, argument, "250 ok")

    def _rcpt(self, verb: str, argument: str) -> None:
        self._people.append(argument)
        self._say(verb, argument, "250 ok")

    def _data(self, verb: str, argument: str) -> None:
        self._say(verb, argument, "354 go on")
        lines = []
        while (line := self._in.readline()) not in (b".\r\n", b""):
            lines.append(line[1:] if line.startswith(b".") else line)
        self._office.mails.append((self._sender, self._people, b"".join(lines)))
        self._say("END", "", "250 queued as 42")

    def _quit(self, verb: str, argument: str) -> None:
        self._say(verb, argument, "221 bye")
        raise _Gone
