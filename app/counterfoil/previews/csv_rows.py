"""Rows at the end of a CSV file, in that file's own dialect, with every byte that was there kept.

The dialect is never guessed: the delimiter is the one under which the first line reads as exactly the declared columns. What would be
written is read back before it is shown, so a file that ends within quotes cannot swallow the new rows.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Sequence

_BOM = b"\xef\xbb\xbf"
_DELIMITERS = (",", ";", "\t", "|")
_ENDING = re.compile(r"\r\n|\n|\r")


class Unfit(ValueError):
    """Rows cannot be appended to this content; the message ends a sentence that begins with the file's name."""


def appended(existing: bytes | None, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> bytes:
    """The whole new content; a missing or empty file gets the header first, with commas and bare newlines.

    Raises:
        Unfit: the header is another one, the text is in another encoding, or the file's end is broken.
    """
    mark = _BOM if (existing or b"").startswith(_BOM) else b""
    body = (existing or b"")[len(mark) :]
    if not body:
        return mark + "".join(_line(row, ",", "\n") for row in (columns, *rows)).encode("utf-8")
    text, encoding = _text_of(body, rows)
    delimiter = _delimiter(text, columns)
    ending = _line_ending(text)
    lines = "".join(_line(row, delimiter, ending) for row in rows)
    if lines and not text.endswith(("\n", "\r")):
        lines = ending + lines
    _read_back(text, lines, delimiter, rows)
    return mark + body + lines.encode(encoding)


def _text_of(body: bytes, rows: Sequence[Sequence[str]]) -> tuple[str, str]:
    """The text, and the encoding that new rows can be written in beside it."""
    try:
        return body.decode("utf-8"), "utf-8"
    except UnicodeDecodeError:
        if not all(cell.isascii() for row in rows for cell in row) or b"\x00" in body[:1000]:
            raise Unfit("is not written in UTF-8; save it as “CSV UTF-8” once") from None
        return body.decode("latin-1"), "ascii"  # rows of plain ASCII fit into every encoding that has no NULs


def _delimiter(text: str, columns: Sequence[str]) -> str:
    for delimiter in _DELIMITERS:
        if _first_record(text, delimiter) == list(columns):
            return delimiter
    found = re.split(_ENDING, text, maxsplit=1)[0]
    raise Unfit(f"begins with “{found[:120]}”, not with the columns {', '.join(columns)}")


def _first_record(text: str, delimiter: str) -> list[str] | None:
    try:
        return next(_reader(text, delimiter), None)
    except csv.Error:
        return None


def _reader(text: str, delimiter: str) -> Iterator[list[str]]:
    return csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)


def _line_ending(text: str) -> str:
    """The ending of the first record; a line break within a quoted name is not one."""
    quoted = False
    for found in re.finditer(r'"|\r\n|\n|\r', text):
        if found.group() == '"':
            quoted = not quoted
        elif not quoted:
            return found.group()
    return "\n"


def _line(cells: Sequence[str], delimiter: str, ending: str) -> str:
    return delimiter.join(_cell(cell, delimiter, alone=len(cells) == 1) for cell in cells) + ending


def _cell(cell: str, delimiter: str, *, alone: bool) -> str:
    """A cell, quoted where a reader needs it; an empty one that is alone would read as no row."""
    if (alone and not cell) or any(sign in cell for sign in (delimiter, '"', "\r", "\n")) or cell != cell.strip():
        return '"' + cell.replace('"', '""') + '"'
    return cell


def _read_back(text: str, lines: str, delimiter: str, rows: Sequence[Sequence[str]]) -> None:
    try:
        before = list(_reader(text, delimiter))
        after = list(_reader(text + lines, delimiter))
    except csv.Error as problem:
        raise Unfit(f"cannot be read as CSV: {problem}") from problem
    if after != before + [list(row) for row in rows]:
        raise Unfit("ends within a quoted cell, so new rows would become part of it")
