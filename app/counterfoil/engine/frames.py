"""Frames between a session and its desk: a JSON header and a raw tail, both with their length in front.

Layout: header length (u32, little endian), tail length (u32), header (UTF-8 JSON object), tail (bytes). A value over 64 KiB
travels ahead as tails of at most 1 MiB. Whatever breaks a limit ends the connection: the peer is hostile by assumption.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Iterator
from typing import Any

from counterfoil.authoring.encoding import json_writer

HEAD = struct.Struct("<II")
HEADER_LIMIT = 256 * 1024
TAIL_LIMIT = 1024 * 1024
DEPTH_LIMIT = 64
_write = json_writer()


class BadFrame(Exception):
    """Bytes that are no frame of ours."""


def pack(header: dict[str, Any], tail: bytes = b"") -> bytes:
    """One frame as bytes."""
    text = _write(header).encode("utf-8", "surrogatepass")
    return HEAD.pack(len(text), len(tail)) + text + tail


class Unpacker:
    """Collects bytes and yields whole frames."""

    def __init__(self, header_limit: int = HEADER_LIMIT) -> None:
        self._held = bytearray()
        self._header_limit = header_limit

    def feed(self, data: bytes) -> Iterator[tuple[dict[str, Any], bytes]]:
        """Add bytes; every frame that is complete now.

        Raises:
            BadFrame: a limit is broken, or the header is no JSON object.
        """
        self._held += data
        while len(self._held) >= HEAD.size:
            header_size, tail_size = HEAD.unpack_from(self._held)
            if header_size > self._header_limit or tail_size > TAIL_LIMIT:
                raise BadFrame(f"a frame of {header_size} + {tail_size} bytes is over the limit")
            end = HEAD.size + header_size + tail_size
            if len(self._held) < end:
                return
            header = parse(bytes(self._held[HEAD.size : HEAD.size + header_size]))
            tail = bytes(self._held[HEAD.size + header_size : end])
            del self._held[:end]
            yield header, tail


def parse(raw: bytes) -> dict[str, Any]:
    """A header's JSON object, refused when it is nested over 64 deep.

    Raises:
        BadFrame: it is no JSON object, or nested too deep.
    """
    try:
        value = json.loads(raw)
    except (ValueError, RecursionError) as problem:
        raise BadFrame("a header is no JSON") from problem
    if not isinstance(value, dict):
        raise BadFrame("a header is no JSON object")
    if raw.count(b"[") + raw.count(b"{") > DEPTH_LIMIT and too_deep(value):
        raise BadFrame(f"a header is nested over {DEPTH_LIMIT} deep")
    return value


def too_deep(value: Any, limit: int = DEPTH_LIMIT) -> bool:
    """Whether a JSON value is nested deeper than the limit; walks in layers, so that depth costs no stack."""
    layer = [value]
    for _ in range(limit):
        layer = [
            child
            for item in layer
            for child in (item.values() if isinstance(item, dict) else item)
            if isinstance(child, (dict, list))
        ]
        if not layer:
            return False
    return True
