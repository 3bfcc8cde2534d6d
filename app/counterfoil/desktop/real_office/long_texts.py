"""Very long texts of a gate, cut before they are parsed: a window shows their beginning and says how long they are.

Parsing a text of 50 MB holds the interpreter for as long as it takes, and with it the window's own thread. What a decision is bound to
is the whole, by its seal.
"""

from __future__ import annotations

import json
import re
from typing import Any

from counterfoil.desktop.words.numbers import number
from counterfoil.errors import Damaged

MOST = 200_000  # signs of one text
_LARGE = 4 * MOST  # a document below this is not looked through
_FIRST_HALF = re.compile(r"\\u[dD][89abAB][0-9a-fA-F]{2}")
_MARK = "\ue0f0"  # stands before the number of signs that a text had; a private sign that no document has at this place


def load(text: str) -> Any:
    """A canonical JSON document with its long texts cut to `MOST` signs, each with a last line that says so.

    Raises:
        Damaged: it is none.
    """
    try:
        return json.loads(text) if len(text) < _LARGE else _told(json.loads(shortened(text, MOST)))
    except ValueError as problem:
        raise Damaged(
            "This cannot be read: it is not what was kept.", "Restore a backup of the data folder."
        ) from problem


def shortened(text: str, most: int) -> str:
    """JSON whose string literals longer than `most` are cut, with a mark and how many signs they had."""
    parts: list[str] = []
    kept = at = 0
    while (begin := text.find('"', at)) >= 0:
        end = _end(text, begin + 1)
        at = end + 1
        if end - begin - 1 > most:
            stop = _whole(text, begin + 1, begin + 1 + most)
            parts += [text[kept:stop], f"{_MARK}{end - begin - 1}"]
            kept = end
    return "".join([*parts, text[kept:]]) if parts else text


def _end(text: str, at: int) -> int:
    """Where a string literal that begins before `at` ends: at the next quote that is not escaped."""
    while True:
        at = text.find('"', at)
        if at < 0:
            return len(text)
        slashes = at
        while text[slashes - 1] == "\\":
            slashes -= 1
        if (at - slashes) % 2 == 0:
            return at
        at += 1


def _whole(text: str, begin: int, stop: int) -> int:
    """A place at or before `stop` that lies in no escape and parts no pair of them."""
    at = stop
    for back in range(1, 6):  # an escape is \\uXXXX at most
        if text[stop - back] == "\\":
            at = stop - back
    at = _before_slashes(text, begin, at)
    if _FIRST_HALF.fullmatch(text, at - 6, at):
        at = _before_slashes(text, begin, at - 6)
    return max(at, begin)


def _before_slashes(text: str, begin: int, at: int) -> int:
    while at > begin and text[at - 1] == "\\":
        at -= 1
    return at


def _told(value: Any) -> Any:
    """The cut texts with what is said of them in place of the mark."""
    if isinstance(value, str):
        text, mark, signs = value.rpartition(_MARK)
        if mark and signs.isdigit():
            return f"{text}\n[The first {number(len(text))} of about {number(int(signs))} signs. The seal covers all of them.]"
        return value
    if isinstance(value, list):
        return [_told(item) for item in value]
    if isinstance(value, dict):
        return {key: _told(item) for key, item in value.items()}
    return value
