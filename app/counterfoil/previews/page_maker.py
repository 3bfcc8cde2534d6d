"""A page of a PDF as a picture, made in a process of its own: nobody vouches for the document, so the process may open nothing, has little
memory and little time, and what it says is taken as a picture or not at all.

`python -m counterfoil.previews.page_maker PAGE` reads a PDF on stdin and writes one line of JSON, then a PNG: `{"width", "height", "page",
"pages"}` in points, or `{"problem": sentence}` alone.
"""

from __future__ import annotations

import contextlib
import json
import struct
import sys
import zlib
from pathlib import Path
from typing import Any

from counterfoil.previews.opening import opened
from counterfoil.previews.preview import Refused
from counterfoil.previews.walls import confine

MEMORY = 1_500_000_000  # bytes; a large page is drawn in full before it is made small
_FONTS = (Path("/usr/share/fonts"), Path("/usr/local/share/fonts"))  # for what a document names and does not bring
_SIDE = 1_800  # pixels of the longer side
_LARGEST = 20_000.0  # points; a page that claims to be larger is no page
_PNG = b"\x89PNG\r\n\x1a\n"


def main(arguments: list[str]) -> int:
    """Make the picture; 0 also where there is none, since the line says why."""
    page = int(arguments[0])
    data = sys.stdin.buffer.read()
    confine([folder for folder in _FONTS if folder.is_dir()], MEMORY)
    try:
        head, picture = render(data, page)
    except Refused as problem:
        head, picture = {"problem": str(problem)}, b""
    sys.stdout.buffer.write(json.dumps(head).encode() + b"\n" + picture)
    return 0


def render(data: bytes, page: int) -> tuple[dict[str, Any], bytes]:
    """Facts of a page (from 1) and its PNG.

    Raises:
        Refused: it is no PDF, is locked, or has no such page.
    """
    with contextlib.closing(opened(data)) as document:
        pages = len(document)
        if not 1 <= page <= pages:
            raise Refused(f"It has {pages} page{'' if pages == 1 else 's'}, so there is no page {page}.")
        sheet = document[page - 1]
        width, height = (float(side) for side in sheet.get_size())
        if not (0 < width <= _LARGEST and 0 < height <= _LARGEST):
            raise Refused("Its page has no size that could be shown.")
        bitmap = sheet.render(scale=_SIDE / max(width, height), rev_byteorder=True, draw_annots=True)
        picture = _png(bytes(bitmap.buffer), bitmap.width, bitmap.height, bitmap.stride, bitmap.n_channels)
    return {"width": width, "height": height, "page": page, "pages": pages}, picture


def _png(pixels: bytes, width: int, height: int, stride: int, channels: int) -> bytes:
    """A PNG of 8-bit pixels (RFC 2083): no filter, quick compression."""
    kind = {1: 0, 3: 2, 4: 6}[channels]
    rows = b"".join(b"\x00" + pixels[at * stride : at * stride + width * channels] for at in range(height))
    head = struct.pack(">IIBBBBB", width, height, 8, kind, 0, 0, 0)
    return _PNG + _chunk(b"IHDR", head) + _chunk(b"IDAT", zlib.compress(rows, 1)) + _chunk(b"IEND", b"")


def _chunk(name: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
