"""From values to canonical text (the forms are told in `codec`)."""

from __future__ import annotations

import base64
import dataclasses
import enum
import functools
import hashlib
import json
import math
import re
from collections.abc import Callable
from datetime import date, datetime, timedelta
from decimal import Decimal
from pathlib import PurePath
from typing import Any

from counterfoil.facts import INLINE_LIMIT

_HALF = re.compile("[\ud800-\udfff]")
_AS_IT_IS = frozenset((str, int, bool, type(None)))


@dataclasses.dataclass(frozen=True, slots=True)
class Secret:
    """A handle to a secret in the keyring; the value never enters a record."""

    name: str


class Unrecordable(TypeError):
    """A value that no record can hold; the message says which and what to use instead."""


def json_writer(*, sort_keys: bool = False, allow_nan: bool = True) -> Callable[[object], str]:
    """What writes JSON without blanks and with its characters as they are.

    Where CPython's encoder can be had, it is set up once: `JSONEncoder.encode` sets it up for each value, which takes longer than a small
    value itself.
    """
    plain = json.JSONEncoder(sort_keys=sort_keys, separators=(",", ":"), ensure_ascii=False, allow_nan=allow_nan)
    make: Any = getattr(json.encoder, "c_make_encoder", None)
    if make is None:
        return plain.encode
    quoted = json.encoder.encode_basestring
    parts = make(None, plain.default, quoted, None, ":", ",", sort_keys, False, allow_nan)
    return lambda value: "".join(parts(value, 0))


_write = json_writer(sort_keys=True, allow_nan=False)


def digest(text: str) -> str:
    """Digest of a canonical text: 64 lower-case hex digits of SHA-256 over its UTF-8 bytes."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def canonical(plain: object) -> str:
    """The one text of a plain JSON value: sorted keys, no blanks, never a half surrogate pair.

    Raises:
        ValueError: it holds NaN or infinity.
    """
    text = _write(plain)
    return text if text.isascii() or not _HALF.search(text) else _without_halves(text)


def _without_halves(text: str) -> str:
    """Two halves side by side are one character, so that reading the text gives the same text again; a lone one is escaped."""
    whole = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
    return _HALF.sub(lambda half: f"\\u{ord(half[0]):04x}", whole)


def encode(value: object, blobs: dict[str, bytes] | None = None) -> str:
    """A value as canonical text; bytes over 64 KiB are put into `blobs` under their SHA-256.

    Raises:
        Unrecordable: the value, or a part of it, has no recorded form.
    """
    return canonical(to_plain(value, {} if blobs is None else blobs))


def to_plain(value: object, blobs: dict[str, bytes]) -> Any:
    """A value as plain JSON with tags."""
    kind = type(value)
    if kind in _AS_IT_IS:
        return value
    rule = _RULES.get(kind) or _rule_for(kind)
    return rule(value, blobs)


def _rule_for(kind: type) -> Callable[[Any, dict[str, bytes]], Any]:
    for base, rule in _BY_BASE:
        if issubclass(kind, base):
            return rule
    if dataclasses.is_dataclass(kind):
        return _dataclass
    raise Unrecordable(
        f"a value of type {kind.__name__} cannot be recorded; return text, numbers, dates, lists, dicts or a dataclass of them"
    )


def _float(value: float, _: dict[str, bytes]) -> float:
    if not math.isfinite(value):
        raise Unrecordable("NaN and infinity cannot be recorded; use None or a Decimal")
    return value


def _instant(value: datetime, _: dict[str, bytes]) -> dict[str, str]:
    if value.tzinfo is None:
        raise Unrecordable("an instant without a zone cannot be recorded; use now(), or give it a tzinfo")
    return {"$at": value.isoformat()}


def _bytes(value: bytes, blobs: dict[str, bytes]) -> dict[str, object]:
    if len(value) <= INLINE_LIMIT:
        return {"$bytes": base64.b64encode(value).decode("ascii")}
    sha = hashlib.sha256(value).hexdigest()
    blobs[sha] = value
    return {"$blob": sha, "size": len(value)}


def _list(value: list[object], blobs: dict[str, bytes]) -> list[object]:
    return [to_plain(item, blobs) for item in value]


def _dict(value: dict[object, object], blobs: dict[str, bytes]) -> dict[str, object]:
    plain: dict[str, object] = {}
    for key, item in value.items():
        if type(key) is not str or key.startswith("$"):
            break
        plain[key] = item if type(item) in _AS_IT_IS else to_plain(item, blobs)
    else:
        return plain
    pairs = [[to_plain(key, blobs), to_plain(item, blobs)] for key, item in value.items()]
    return {"$map": sorted(pairs, key=lambda pair: canonical(pair[0]))}


def _set(value: set[object] | frozenset[object], blobs: dict[str, bytes]) -> list[object]:
    return sorted((to_plain(item, blobs) for item in value), key=canonical)


def _dataclass(value: Any, blobs: dict[str, bytes]) -> dict[str, object]:
    kind: Any = type(value)
    plain: dict[str, object] = {"$type": kind.__name__}
    for name in _field_names(kind):
        plain[name] = to_plain(getattr(value, name), blobs)
    return plain


@functools.lru_cache(maxsize=1024)
def _field_names(kind: Any) -> tuple[str, ...]:
    return tuple(field.name for field in dataclasses.fields(kind))


_RULES: dict[type, Callable[[Any, dict[str, bytes]], Any]] = {
    float: _float,
    list: _list,
    tuple: _list,
    dict: _dict,
    set: _set,
    frozenset: _set,
    Decimal: lambda value, _: {"$dec": str(value)},
    datetime: _instant,
    date: lambda value, _: {"$date": value.isoformat()},
    timedelta: lambda value, _: {"$span": value // timedelta(microseconds=1)},
    bytes: _bytes,
    bytearray: lambda value, blobs: _bytes(bytes(value), blobs),
    Secret: lambda value, _: {"$secret": value.name},
}
_BY_BASE: tuple[tuple[type, Callable[[Any, dict[str, bytes]], Any]], ...] = (
    (enum.Enum, lambda value, blobs: to_plain(value.value, blobs)),
    (str, lambda value, _: str.__str__(value)),
    (int, lambda value, _: int(value)),
    (Decimal, lambda value, _: {"$dec": str(value)}),
    (PurePath, lambda value, _: {"$path": value.as_posix()}),
    (dict, _dict),
    (list, _list),
    (tuple, _list),
)


def blob_shas(plain: object) -> list[str]:
    """Every blob that a plain value names, in order of appearance."""
    found: list[str] = []
    stack = [plain]
    while stack:
        item = stack.pop()
        if isinstance(item, dict):
            if "$blob" in item:
                found.append(str(item["$blob"]))
            stack.extend(item.values())
        elif isinstance(item, list):
            stack.extend(item)
    return found
