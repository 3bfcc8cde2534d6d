"""Spreadsheets and PDFs are read in a process of its own: nobody vouches for them, so it may open nothing, start nothing and reach nobody,
has little memory and little time, and what it says is taken as JSON of our shape or not at all.

`python -m counterfoil.previews.reader KIND` reads two lengths (unsigned, 8 bytes, all ones for no file) and the bytes of both files on
stdin, and writes one JSON object: what its kind says, or `{"problem": sentence}`.
"""

from __future__ import annotations

import codecs
import importlib
import json
import struct
import sys

from counterfoil.previews.preview import Refused
from counterfoil.previews.walls import confine

_ENCODINGS = (
    "cp437",
    "latin-1",
    "utf-8-sig",
    "utf-16",
    "utf-16-le",
    "cp1252",
)  # which Python loads from files when it needs them
_ROOMS = {"workbook": "counterfoil.previews.workbooks", "pages": "counterfoil.previews.pages"}


def main(arguments: list[str]) -> int:
    """Read what is on stdin; 0 also where nothing could be made of it, since the answer says why."""
    work = importlib.import_module(_ROOMS[arguments[0]]).work  # with its libraries: no file can be opened later
    for name in _ENCODINGS:
        codecs.lookup(name)
    before, after = _two(sys.stdin.buffer.read())
    confine()
    try:
        said = work(before, after or b"")
    except Refused as problem:
        said = {"problem": str(problem)}
    except MemoryError:
        said = {"problem": "It needs more memory than a preview is given."}
    except BaseException as problem:  # noqa: BLE001 - whatever a reader makes of hostile bytes is its answer
        said = {"problem": f"It could not be read ({type(problem).__name__})."}
    sys.stdout.write(json.dumps(said, ensure_ascii=True))
    return 0


def _two(data: bytes) -> tuple[bytes | None, bytes | None]:
    lengths = struct.unpack("<QQ", data[:16])
    start, parts = 16, []
    for length in lengths:
        there = length != 2**64 - 1
        parts.append(data[start : start + length] if there else None)
        start += length if there else 0
    return parts[0], parts[1]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
