"""One call of the program: where its home is, whether it speaks JSON, and its two streams.

Data goes to stdout, everything said to people to stderr with the program's name before it. What comes from outside is made harmless
first: control and direction characters are shown as escapes, so that a file name cannot rewrite the screen.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import sys
from dataclasses import dataclass
from typing import Any, TextIO

from counterfoil.errors import CounterfoilError
from counterfoil.places import Home

# Directional formatting characters can make one name look like another.
_TURNERS = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
_UNBOUNDED = 10_000
_COMMAND = re.compile(r"(?<![\w./:-])counterfoil (?=[a-z-]+)")
INTERRUPTED = 130


class Interrupted(CounterfoilError):
    """Ctrl+C; the message says what is kept."""

    code = "interrupted"
    exit_code = INTERRUPTED


def harmless(text: str) -> str:
    """Text with every character that moves, hides or reorders shown as its escape; line ends and tabs become blanks."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(_harmless(character) for character in text)


def _harmless(character: str) -> str:
    if character in "\n\r\t":
        return " "
    if character in _TURNERS or not (character.isprintable() or character == "\u00a0"):
        return character.encode("unicode_escape").decode("ascii")
    return character


def as_called(text: str) -> str:
    """Printed commands under the name the program was started with, so that they can be typed again as they stand."""
    name = os.environ.get("COUNTERFOIL_CALLED_AS")
    return _COMMAND.sub(f"{name} ", text) if name else text


@dataclass(slots=True)
class Call:
    """One call; handed to every command as its context object."""

    home: Home
    json: bool = False

    def line(self, text: str = "") -> None:
        """One line of data for people; in a call with --json nothing, since stdout is the document's."""
        if not self.json:
            _write(sys.stdout, as_called(harmless(text)) + "\n")

    def lines(self, lines: list[str]) -> None:
        """Several lines of data for people."""
        for text in lines:
            self.line(text)

    def document(self, value: Any) -> None:
        """The one document of a call with --json; without it nothing."""
        if self.json:
            indent = 2 if sys.stdout.isatty() else None  # indenting is ten times slower, and programs do not look
            _write(sys.stdout, json.dumps(value, ensure_ascii=not _speaks_utf8(sys.stdout), indent=indent) + "\n")

    def say(self, text: str) -> None:
        """One sentence to people on stderr."""
        _write(sys.stderr, f"counterfoil: {as_called(harmless(text))}\n")

    def fail(self, problem: CounterfoilError) -> None:
        """Say what is wrong: the sentence on stderr and, with --json, the error document on stdout."""
        self.say(str(problem))
        message, advice = problem.message, problem.next_step
        self.document({"error": {"code": problem.code, "message": message, "next": advice or None}})

    @property
    def width(self) -> int:
        """Columns of the terminal; where stdout is none, as wide as it takes."""
        if not sys.stdout.isatty():
            return _UNBOUNDED
        return max(shutil.get_terminal_size((100, 24)).columns, 40)

    @property
    def can_ask(self) -> bool:
        """Whether a person can be asked: both ends are a terminal."""
        return not self.json and sys.stdin is not None and sys.stdin.isatty() and sys.stdout.isatty()


def _speaks_utf8(stream: TextIO) -> bool:
    return (stream.encoding or "").lower().replace("-", "") == "utf8"


def _write(stream: TextIO, text: str) -> None:
    """Write and flush; a reader who went away (`| head`) is no trouble of ours, and lone surrogates become escapes."""
    encoding = stream.encoding or "utf-8"
    text = text.encode(encoding, "backslashreplace").decode(encoding)
    try:
        stream.write(text)
        stream.flush()
    except BrokenPipeError:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        with contextlib.suppress(OSError, ValueError):
            os.dup2(nowhere, stream.fileno())
        os.close(nowhere)
