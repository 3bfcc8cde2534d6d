"""Fonts whose table of what they say (ToUnicode) gives another figure than their encoding draws: no figure of such a page is read.

Only encodings that name their characters can be held against the table. A composite font names none, and the shapes in a font may lie
themselves: those are believed here, and people see them on the page.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import Any

_DIGITS = frozenset("0123456789")
_NAMES = dict(zip("zero one two three four five six seven eight nine".split(), "0123456789", strict=True))
_NAMED = frozenset({"/WinAnsiEncoding", "/MacRomanEncoding", "/StandardEncoding"})
_SYMBOLIC = 4  # a flag of ISO 32000-1, table 123: the encoding does not count
_CHAR = re.compile(rb"<([0-9A-Fa-f]+)>\s*<([0-9A-Fa-f]+)>")
_RANGE = re.compile(rb"<([0-9A-Fa-f]+)>\s*<([0-9A-Fa-f]+)>\s*(?:<([0-9A-Fa-f]+)>|\[([^\]]*)\])")
_SECTION = re.compile(rb"beginbf(char|range)(.*?)endbf", re.DOTALL)
_MOST = 65536  # codes of one font
_DEEPEST = 5  # forms inside forms


def misread_pages(reader: Any, pages: int) -> frozenset[int]:
    """The numbers from 1 of those of the first pages on which a font draws another figure than it says.

    Raises:
        Exception: nearly any, when the file is damaged.
    """
    known: dict[int, bool] = {}
    found = set()
    for number in range(min(pages, len(reader.pages))):
        for font in _fonts(reader.pages[number].get("/Resources"), 0):
            if id(font) not in known:
                known[id(font)] = _lies(font)
            if known[id(font)]:
                found.add(number + 1)
    return frozenset(found)


def _fonts(resources: Any, depth: int) -> Iterator[Any]:
    held = _got(resources) or {}
    yield from (_got(font) for font in (_got(held.get("/Font")) or {}).values())
    if depth < _DEEPEST:
        for shape in (_got(held.get("/XObject")) or {}).values():
            if "/Resources" in (_got(shape) or {}):
                yield from _fonts(_got(shape)["/Resources"], depth + 1)


def _lies(font: Any) -> bool:
    table = _got(font.get("/ToUnicode"))
    if not hasattr(table, "get_data"):
        return False
    said = dict(islice(_said(table.get_data()), _MOST))
    drawn = _drawn(font)
    return any(
        code in drawn and char != drawn[code] and not _DIGITS.isdisjoint((char, drawn[code]))
        for code, char in said.items()
    )


def _said(table: bytes) -> Iterator[tuple[int, str]]:
    """Code and character of a ToUnicode table, where it is a single one."""
    for kind, body in _SECTION.findall(table):
        if kind == b"char":
            yield from ((int(code, 16), _text(to)) for code, to in _CHAR.findall(body))
            continue
        for first, last, to, each in _RANGE.findall(body):
            start = int(first, 16)
            targets = re.findall(rb"<([0-9A-Fa-f]+)>", each)
            for offset in range(min(int(last, 16) - start + 1, _MOST)):
                if to:
                    yield start + offset, chr((int(to, 16) + offset) % 0x110000) if len(to) <= 4 else ""
                elif offset < len(targets):
                    yield start + offset, _text(targets[offset])


def _text(code: bytes) -> str:
    return chr(int(code, 16)) if len(code) <= 4 else ""


def _drawn(font: Any) -> dict[int, str]:
    """What the codes of a simple font draw by its encoding; only what is known for certain."""
    encoding, descriptor = _got(font.get("/Encoding")), _got(font.get("/FontDescriptor")) or {}
    symbolic = int(descriptor.get("/Flags", 0)) & _SYMBOLIC and "/FontFile2" in descriptor
    if symbolic or font.get("/Subtype") not in ("/Type1", "/TrueType"):
        return {}
    named = encoding if isinstance(encoding, str) else (encoding or {}).get("/BaseEncoding")
    embedded = any(name in descriptor for name in ("/FontFile", "/FontFile2", "/FontFile3"))
    dingbats = any(name in str(font.get("/BaseFont")) for name in ("Symbol", "Dingbats"))
    plain = named in _NAMED or (not embedded and named is None and not dingbats)
    # Figures and letters stand at their places of ASCII in all three.
    drawn = {code: chr(code) for code in range(0x30, 0x7B)} if plain else {}
    code = 0
    for entry in () if isinstance(encoding, str) else (encoding or {}).get("/Differences", ()):
        if isinstance(entry, int):
            code = entry
            continue
        name = str(entry)[1:].partition(".")[0]
        letter = _NAMES.get(name, name if len(name) == 1 else "")
        drawn.pop(code, None)
        if letter:
            drawn[code] = letter
        code += 1
    return drawn


def _got(value: Any) -> Any:
    return value.get_object() if hasattr(value, "get_object") else value
