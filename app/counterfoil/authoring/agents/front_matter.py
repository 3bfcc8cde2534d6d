"""The head of a Markdown file between two lines of dashes: names and values, as skills and agents have them.

A small part of YAML, read as text and nothing else: plain and quoted values, folded and literal blocks, lists, one level of names beneath
a name. What is not of these is refused with its line, because a head that is guessed at would say something else than its author.
"""

from __future__ import annotations

import re
from typing import Any

_NAME = re.compile(r"([A-Za-z][A-Za-z0-9_-]*)\s*:(?:\s+(.*))?$")
_SCARCE = "&*!|>%@`{"  # a plain value does not begin so


class BadHead(ValueError):
    """The head cannot be read; the message names the line."""


def parted(text: str) -> tuple[dict[str, Any], str]:
    """The names and values of the head, and the text after it; no head is no names.

    Raises:
        BadHead: there is one and it cannot be read.
    """
    lines = text.removeprefix("\ufeff").splitlines()
    if not lines or lines[0].rstrip() != "---":
        return {}, text
    try:
        end = next(n for n, line in enumerate(lines[1:], 1) if line.rstrip() in ("---", "..."))
    except StopIteration:
        raise BadHead("the head that begins in line 1 has no end; write --- in a line of its own after it") from None
    return _Head(lines[1:end]).names(0), "\n".join(lines[end + 1 :]).strip("\n")


class _Head:
    """The lines of a head, read one after the other."""

    def __init__(self, lines: list[str]) -> None:
        self._lines = lines
        self._at = 0

    def names(self, depth: int) -> dict[str, Any]:
        """Names and values that stand `depth` or more spaces in."""
        found: dict[str, Any] = {}
        while (line := self._next(depth)) is not None:
            match = _NAME.match(line.strip())
            if match is None:
                raise self._bad("is not `name: value`")
            name, value = match[1], (match[2] or "").strip()
            if name in found:
                raise self._bad(f"gives ‘{name}’ a second time")
            self._at += 1
            found[name] = self._value(value, _indent(line))
        return found

    def _next(self, depth: int) -> str | None:
        while self._at < len(self._lines):
            line = self._lines[self._at]
            if line.strip() and not line.lstrip().startswith("#"):
                return line if _indent(line) >= depth else None
            self._at += 1
        return None

    def _value(self, value: str, depth: int) -> Any:
        if value[:1] in (">", "|") and value.rstrip("+-") in (">", "|"):
            return self._block(depth, "\n" if value[0] == "|" else " ")
        if value:
            return self._scalar(value) if not value.startswith("[") else self._flow(value)
        following = self._next(depth)
        if following is not None and following.lstrip().startswith("- "):
            return self._list(_indent(following))
        return self.names(depth + 1) if following is not None and _indent(following) > depth else ""

    def _block(self, depth: int, joint: str) -> str:
        parts = list[str]()
        while self._at < len(self._lines):
            line = self._lines[self._at]
            if line.strip() and _indent(line) <= depth:
                break
            parts.append(line.strip())
            self._at += 1
        return joint.join(parts).strip()

    def _list(self, depth: int) -> list[str]:
        found = list[str]()
        while (line := self._next(depth)) is not None and line.lstrip().startswith("- "):
            self._at += 1
            found.append(self._scalar(line.lstrip()[2:].strip()))
        return found

    def _flow(self, value: str) -> list[str]:
        if not value.endswith("]"):
            raise self._bad("begins a list that does not end in the same line", back=1)
        return [self._scalar(part.strip()) for part in value[1:-1].split(",") if part.strip()]

    def _scalar(self, value: str) -> str:
        if value[:1] in ("'", '"'):
            if len(value) < 2 or value[-1] != value[0]:
                raise self._bad("begins a quoted value that does not end in the same line", back=1)
            inside = value[1:-1]
            return inside.replace("''", "'") if value[0] == "'" else inside.replace('\\"', '"').replace("\\\\", "\\")
        if value[:1] in _SCARCE:
            raise self._bad("holds a value of a form that is not read here; put it between quotes", back=1)
        return value.split(" #", maxsplit=1)[0].rstrip()

    def _bad(self, what: str, back: int = 0) -> BadHead:
        return BadHead(f"line {self._at + 2 - back} {what}")


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" "))
