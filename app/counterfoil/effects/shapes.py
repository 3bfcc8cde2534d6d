"""Arguments of effects come from a host that may be hostile, so nothing about them is believed: each handler says its shape here.

Everything raises BadEffect and nothing else; sizes are bounded before anything is decoded.
"""

from __future__ import annotations

import base64
import binascii
import math
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from counterfoil.engine.ports import BadEffect
from counterfoil.facts import INLINE_LIMIT
from counterfoil.policy.boundaries import trouble_with, visible
from counterfoil.store.blobs import Blobs

LARGEST_CONTENT = 256 * 1024 * 1024  # bytes of one written file
_SHA = re.compile(r"[0-9a-f]{64}")
_DEEPEST = 64


def exactly(args: object, names: Iterable[str], *, may: Iterable[str] = ()) -> dict[str, Any]:
    """The arguments, once they are an object with these names, perhaps those that it may have, and no others."""
    wanted = set(names)
    if not isinstance(args, dict) or not wanted <= set(args) <= wanted | set(may):
        raise BadEffect(f"The arguments are not an object with exactly: {', '.join(sorted(wanted))}.")
    return args


def text(value: object, what: str, *, longest: int, lines: bool = False, empty: bool = True) -> str:
    """A text of at most `longest` characters that UTF-8 can write; without `lines` it holds no control characters."""
    if not isinstance(value, str):
        raise BadEffect(f"{what} is no text.")
    if len(value) > longest:
        raise BadEffect(f"{what} is longer than {longest} characters.")
    if not value and not empty:
        raise BadEffect(f"{what} is empty.")
    if "\x00" in value or (not lines and any(ord(sign) < 32 or ord(sign) == 127 for sign in value)):
        raise BadEffect(f"{what} holds control characters.")
    try:
        value.encode("utf-8")
    except UnicodeEncodeError:
        raise BadEffect(f"{what} cannot be written as UTF-8.") from None
    return value


def items(value: object, what: str, *, least: int, most: int) -> list[Any]:
    """A list of so many items."""
    if not isinstance(value, list) or not least <= len(value) <= most:
        raise BadEffect(f"{what} is no list of {least} to {most} items.")
    return value


def path(value: object) -> str:
    """A path that an effect may touch."""
    trouble = trouble_with(value)
    if trouble is not None or not isinstance(value, str):
        raise BadEffect(str(trouble))
    return value


def json_value(value: object, what: str) -> None:
    """A plain JSON value of bounded depth in which no secret hides."""
    level: list[object] = [value]
    for _ in range(_DEEPEST):
        inner: list[object] = []
        for item in level:
            if isinstance(item, dict):
                _check_names(item, what)
                inner.extend(item.values())
            elif isinstance(item, list):
                inner.extend(item)
            elif not isinstance(item, str | int | float | bool | None):
                raise BadEffect(f"{what} holds something that JSON cannot write.")
            elif isinstance(item, float) and not math.isfinite(item):
                raise BadEffect(f"{what} holds a number without an end.")
        if not inner:
            return
        level = inner
    raise BadEffect(f"{what} is nested deeper than {_DEEPEST} levels.")


def _check_names(item: Mapping[object, object], what: str) -> None:
    if not all(isinstance(name, str) for name in item):
        raise BadEffect(f"{what} holds a name that is no text.")
    for tag in ("$secret", "$blob"):
        if tag in item:
            raise BadEffect(f"{what} cannot hold a {tag}.")


def content_size(value: object, what: str, blobs: Blobs) -> int:
    """Length of bytes given as `{"$bytes": base64}` or `{"$blob": sha, "size": n}`, once they are at hand."""
    if isinstance(value, dict):
        for names, measure in _CONTENTS:
            if set(value) == names:
                return measure(value, what, blobs)
    raise BadEffect(f"{what} is no bytes.")


def _inline_size(value: dict[str, Any], what: str, _: Blobs) -> int:
    coded = value["$bytes"]
    if not isinstance(coded, str) or len(coded) > 2 * INLINE_LIMIT:
        raise BadEffect(f"{what} is no bytes of at most {INLINE_LIMIT}.")
    try:
        return len(base64.b64decode(coded, validate=True))
    except (binascii.Error, ValueError):
        raise BadEffect(f"{what} is no base64.") from None


def _blob_size(value: dict[str, Any], what: str, blobs: Blobs) -> int:
    sha, size = value["$blob"], value["size"]
    if not isinstance(sha, str) or not _SHA.fullmatch(sha) or type(size) is not int or not 0 <= size <= LARGEST_CONTENT:
        raise BadEffect(f"{what} names no bytes of at most {LARGEST_CONTENT // 2**20} MB.")
    try:
        held = blobs.path(sha).stat().st_size
    except OSError:
        raise BadEffect(f"{what} names bytes that were never handed over: {sha[:12]}.") from None
    if held != size:
        raise BadEffect(f"{what} names {size} bytes, and {held} were handed over.")
    return size


_CONTENTS: tuple[tuple[set[str], Callable[[dict[str, Any], str, Blobs], int]], ...] = (
    ({"$bytes"}, _inline_size),
    ({"$blob", "size"}, _blob_size),
)


def size_of(value: Mapping[str, Any]) -> int:
    """Length of the bytes of a value that was checked; reads nothing."""
    return len(base64.b64decode(value["$bytes"])) if "$bytes" in value else int(value["size"])


def content(value: Mapping[str, Any], blobs: Blobs) -> bytes:
    """The bytes themselves, of a value that was checked.

    Raises:
        Damaged: the kept bytes are gone or were changed.
    """
    return base64.b64decode(value["$bytes"]) if "$bytes" in value else blobs.get(value["$blob"])


def name_of(value: object, what: str) -> str:
    """A file name without folders, for an attachment."""
    name = text(value, what, longest=200, empty=False)
    if "/" in name or "\\" in name or name in (".", ".."):
        raise BadEffect(f"{what} “{visible(name)}” is no plain file name.")
    return name
