"""How values become recorded text and back: canonical JSON with tags, decoded in the direction of the annotation.

Pickle was rejected: a record must be readable by a person, by another language and by the next version, and decoding hostile
bytes must not run code. The live call returns the decoded copy too, so live and replayed values are the same.

Tags: `$dec` decimal, `$date`, `$at` aware instant, `$span` timedelta (microseconds), `$path`, `$bytes` (base64, up to 64 KiB),
`$blob` + `size` (sha-256 of longer bytes, kept outside), `$type` dataclass or Money, `$secret` a handle, `$map` a dict whose keys
are not plain text.
"""

from __future__ import annotations

import base64
import dataclasses
import enum
import functools
import hashlib
import json
import math
import types
import typing
from collections.abc import Callable
from datetime import date, datetime, timedelta
from decimal import Decimal
from pathlib import PurePath, PurePosixPath
from typing import Any

from counterfoil.facts import INLINE_LIMIT, Money

Decoder = Callable[[Any], Any]
_ENCODER = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


@dataclasses.dataclass(frozen=True, slots=True)
class Secret:
    """A handle to a secret in the keyring; the value never enters a record."""

    name: str


class Unrecordable(TypeError):
    """A value that no record can hold; the message says which and what to use instead."""


class BlobsMissing(LookupError):
    """Bytes named by a blob tag are not at hand yet; `shas` lists them."""

    def __init__(self, shas: list[str]) -> None:
        super().__init__(", ".join(shas))
        self.shas = shas


def digest(text: str) -> str:
    """Digest of a canonical text: 64 lower-case hex digits of SHA-256 over its UTF-8 bytes."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def canonical(plain: object) -> str:
    """The one text of a plain JSON value: sorted keys, no blanks."""
    return _ENCODER.encode(plain)


def encode(value: object, blobs: dict[str, bytes] | None = None) -> str:
    """A value as canonical text; bytes over 64 KiB are put into `blobs` under their SHA-256.

    Raises:
        Unrecordable: the value, or a part of it, has no recorded form.
    """
    return _ENCODER.encode(to_plain(value, {} if blobs is None else blobs))


def to_plain(value: object, blobs: dict[str, bytes]) -> Any:
    """A value as plain JSON with tags."""
    kind = type(value)
    if kind is str or kind is int or kind is bool or value is None:
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
    if all(isinstance(key, str) and not key.startswith("$") for key in value):
        return {str(key): to_plain(item, blobs) for key, item in value.items()}
    return {"$map": [[to_plain(key, blobs), to_plain(item, blobs)] for key, item in value.items()]}


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
    (str, lambda value, _: str(value)),
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


def decode(text: str, annotation: object = Any, blobs: dict[str, bytes] | None = None) -> Any:
    """A recorded text as a value of the annotated type.

    Raises:
        Unrecordable: the text does not fit the annotation.
        BlobsMissing: bytes it names are not in `blobs`.
    """
    plain = json.loads(text)
    held = blobs or {}
    if "$blob" in text:
        missing = [sha for sha in blob_shas(plain) if sha not in held]
        if missing:
            raise BlobsMissing(missing)
        plain = _with_blobs(plain, held)
    return decoder_for(annotation)(plain)


def _with_blobs(plain: Any, blobs: dict[str, bytes]) -> Any:
    if isinstance(plain, dict):
        if "$blob" in plain:
            return blobs[plain["$blob"]]
        return {key: _with_blobs(item, blobs) for key, item in plain.items()}
    if isinstance(plain, list):
        return [_with_blobs(item, blobs) for item in plain]
    return plain


def decoder_for(annotation: object) -> Decoder:
    """The function that turns plain JSON into a value of this annotation; cached.

    Raises:
        Unrecordable: the annotation has no recorded form.
    """
    try:
        return _cached_decoder(annotation)
    except TypeError as problem:
        if isinstance(problem, Unrecordable):
            raise
        return _make_decoder(annotation)  # an unhashable annotation


@functools.lru_cache(maxsize=1024)
def _cached_decoder(annotation: object) -> Decoder:
    return _make_decoder(annotation)


def _make_decoder(annotation: Any) -> Decoder:
    if isinstance(annotation, typing.TypeAliasType if hasattr(typing, "TypeAliasType") else ()):
        annotation = annotation.__value__
    origin = typing.get_origin(annotation)
    if origin is typing.Annotated:
        return _make_decoder(typing.get_args(annotation)[0])
    if origin is typing.Literal or annotation in (Any, object, None, type(None)):
        return _untyped
    if origin in (typing.Union, types.UnionType):
        return _union(typing.get_args(annotation))
    if origin is not None:
        return _generic(origin, typing.get_args(annotation))
    if isinstance(annotation, type):
        return _plain_type(annotation)
    raise Unrecordable(f"the annotation {annotation!r} has no recorded form")


def _untyped(plain: Any) -> Any:
    if isinstance(plain, list):
        return [_untyped(item) for item in plain]
    if isinstance(plain, dict):
        for tag, rule in _TAGS.items():
            if tag in plain:
                return rule(plain)
        if plain.get("$type") == "Money":
            return Money(_untyped(plain["amount"]), plain["currency"])
        if "$type" in plain:
            raise Unrecordable(
                f"the record holds a {plain['$type']}, but the annotation does not say so; annotate the step's return"
            )
        return {key: _untyped(item) for key, item in plain.items()}
    return plain


_TAGS: dict[str, Callable[[Any], Any]] = {
    "$dec": lambda plain: Decimal(plain["$dec"]),
    "$date": lambda plain: date.fromisoformat(plain["$date"]),
    "$at": lambda plain: datetime.fromisoformat(plain["$at"]),
    "$span": lambda plain: timedelta(microseconds=plain["$span"]),
    "$path": lambda plain: PurePosixPath(plain["$path"]),
    "$bytes": lambda plain: base64.b64decode(plain["$bytes"]),
    "$secret": lambda plain: Secret(plain["$secret"]),
    "$map": lambda plain: {_untyped(key): _untyped(item) for key, item in plain["$map"]},
}


def _expect(kind: type, plain: Any) -> Any:
    raise Unrecordable(f"the record holds {json.dumps(plain)[:80]}, the annotation says {kind.__name__}")


def _generic(origin: Any, arguments: tuple[Any, ...]) -> Decoder:
    if origin is tuple and not (len(arguments) == 2 and arguments[1] is Ellipsis):
        parts = [decoder_for(argument) for argument in arguments]
        return lambda plain: tuple(part(item) for part, item in zip(parts, plain, strict=True))
    if isinstance(origin, type) and issubclass(origin, dict) or origin.__name__ in ("Mapping", "MutableMapping"):
        key, value = decoder_for(arguments[0]), decoder_for(arguments[1])
        return lambda plain: {key(k): value(v) for k, v in (plain["$map"] if "$map" in plain else plain.items())}
    item = decoder_for(arguments[0])
    build = origin if origin in (list, set, frozenset, tuple) else list
    return lambda plain: build(item(part) for part in plain)


def _union(options: tuple[Any, ...]) -> Decoder:
    by_name = {
        str(option.__name__): decoder_for(option)
        for option in options
        if dataclasses.is_dataclass(option) and isinstance(option, type)
    }
    others = [option for option in options if option is not type(None) and not dataclasses.is_dataclass(option)]
    rules = [decoder_for(option) for option in others]

    def choose(plain: Any) -> Any:
        if plain is None:
            return None
        if isinstance(plain, dict) and "$type" in plain:
            if plain["$type"] not in by_name:
                raise Unrecordable(f"the record holds a {plain['$type']}, which the annotation does not name")
            return by_name[plain["$type"]](plain)
        for rule in rules:
            try:
                return rule(plain)
            except (Unrecordable, KeyError, ValueError, AttributeError):
                continue
        raise Unrecordable(f"the record holds {json.dumps(plain)[:80]}, which fits none of the annotation's types")

    return choose


def _plain_type(kind: type) -> Decoder:
    if dataclasses.is_dataclass(kind):
        return _dataclass_decoder(kind)
    if issubclass(kind, enum.Enum):
        return kind
    if kind in (list, dict, set, tuple, frozenset):
        build: Any = kind
        return lambda plain: build(_untyped(plain))
    tag = _TAG_OF.get(kind)
    if tag is not None:
        rule = _TAGS[tag]
        # bytes that came from a blob are bytes already
        return lambda plain: (
            plain if type(plain) is kind else rule(plain) if isinstance(plain, dict) else _expect(kind, plain)
        )
    if issubclass(kind, PurePath):
        return lambda plain: kind(plain["$path"])
    if kind is float:
        return lambda plain: float(plain) if isinstance(plain, (int, float)) else _expect(kind, plain)
    if kind in (str, int, bool):
        return lambda plain: plain if type(plain) is kind else _expect(kind, plain)
    if issubclass(kind, (str, int)):
        make: Any = kind
        return lambda plain: make(plain) if isinstance(plain, (str, int)) else _expect(kind, plain)
    raise Unrecordable(
        f"{kind.__name__} has no recorded form; use text, numbers, dates, lists, dicts or a dataclass of them"
    )


_TAG_OF: dict[type, str] = {
    Decimal: "$dec",
    date: "$date",
    datetime: "$at",
    timedelta: "$span",
    bytes: "$bytes",
    Secret: "$secret",
}


@functools.cache
def hints_of(kind: type) -> dict[str, Any]:
    """Resolved annotations of a class, kept: the loader resolves them while the module they stand in is importable.

    Raises:
        NameError: an annotation names something that the module does not have.
    """
    return typing.get_type_hints(kind)


def _dataclass_decoder(kind: type) -> Decoder:
    fields: dict[str, Decoder] = {}

    def resolve() -> dict[str, Decoder]:
        hints = hints_of(kind)
        return {field.name: decoder_for(hints[field.name]) for field in dataclasses.fields(kind)}

    def build(plain: Any) -> Any:
        if not isinstance(plain, dict) or plain.get("$type") != kind.__name__:
            return _expect(kind, plain)
        if not fields:
            fields.update(resolve())
        return kind(**{name: rule(plain[name]) for name, rule in fields.items() if name in plain})

    return build
