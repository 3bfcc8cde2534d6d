"""Tables in text files: what rows at the end make of a file, proved by its seal, and how two versions of one differ cell by cell."""

from __future__ import annotations

import csv
import hashlib
import io
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

_BOM = b"\xef\xbb\xbf"
_DELIMITERS = (",", ";", "\t", "|")
_ENDINGS = ("\n", "\r\n", "\r")
_MOST = 5_000  # rows that are compared

Rows = Sequence[Sequence[str]]


@dataclass(frozen=True, slots=True)
class Difference:
    """Rows that came at the end, and cells that changed: (where, before, after)."""

    columns: tuple[str, ...]
    added: tuple[tuple[str, ...], ...]
    changed: tuple[tuple[str, str, str], ...]


def appended(before: bytes | None, columns: Sequence[str], rows: Rows, sha: str) -> bytes | None:
    """The content that rows at the end of a file make, if it is the one with this SHA-256; None where it is not found."""
    for data in _candidates(before or b"", columns, rows):
        if hashlib.sha256(data).hexdigest() == sha:
            return data
    return None


def compare(before: str, after: str) -> Difference | None:
    """How a table changed; None where it has other columns, was reordered, or is too long for a person anyway."""
    for delimiter in _DELIMITERS:
        old, new = _read(before, delimiter), _read(after, delimiter)
        if old and new and old[0] == new[0] and len(old[0]) > 1:
            return _compared(old, new) if len(old) <= len(new) <= _MOST else None
    return None


def _compared(old: list[list[str]], new: list[list[str]]) -> Difference | None:
    columns = old[0]
    changed = []
    for number, (was, now) in enumerate(zip(old[1:], new[1:], strict=False), start=2):
        if len(was) != len(columns) or len(now) != len(columns):
            return None
        cells = zip(columns, was, now, strict=True)
        changed += [(f"Row {number}, {name}", one, other) for name, one, other in cells if one != other]
    if len(changed) > 3 * len(new):  # most of it is another table: reading cell by cell would hide that
        return None
    added = tuple(tuple(row) for row in new[len(old) :])
    return Difference(tuple(columns), added, tuple(changed))


def _read(text: str, delimiter: str) -> list[list[str]]:
    try:
        return list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter))
    except csv.Error:
        return []


def _candidates(existing: bytes, columns: Sequence[str], rows: Rows) -> Iterator[bytes]:
    """Contents by dialect, the likely ones first; the seal says which was meant."""
    mark = _BOM if existing.startswith(_BOM) else b""
    body = existing[len(mark) :]
    if not body:
        yield mark + _lines([columns, *rows], ",", "\n").encode()
        return
    used = [ending for ending in _ENDINGS if ending.encode() in body] or ["\n"]
    for delimiter in _DELIMITERS:
        for ending in used:
            gap = "" if body.endswith((b"\n", b"\r")) else ending
            yield existing + f"{gap}{_lines(rows, delimiter, ending)}".encode("utf-8", "surrogatepass")


def _lines(rows: Rows, delimiter: str, ending: str) -> str:
    return "".join(delimiter.join(_cell(cell, delimiter, len(row)) for cell in row) + ending for row in rows)


def _cell(cell: str, delimiter: str, cells: int) -> str:
    """A cell, quoted where a reader needs it."""
    if (cells == 1 and not cell) or re.search(r'["\r\n]', cell) or delimiter in cell or cell != cell.strip():
        return '"' + cell.replace('"', '""') + '"'
    return cell
