"""From canonical text to values, in the direction of the annotation (the forms are told in `codec`)."""

from __future__ import annotations

import base64
import collections.abc
import dataclasses
import enum
import functools
import json
import types
import typing
from collections.abc import Callable
from datetime import date, datetime, timedelta
from decimal import Decimal
from pathlib import PurePath, PurePosixPath
from typing import Any

from counterfoil.authoring.encoding import Secret, Unrecordable, blob_shas, canonical, to_plain
from counterfoil.facts import Money

Decoder = Callable[[Any], Any]
_read = json.JSONDecoder().raw_decode


class BlobsMissing(LookupError):
    """Bytes named by a blob tag are not at hand yet; `shas` lists them."""

    def __init__(self, shas: list[str]) -> None:
        super().__init__(", ".join(shas))
        self.shas = shas


def decode(text: str, annotation: object = Any, blobs: dict[str, bytes] | None = None) -> Any:
    """A recorded text as a value of the annotated type.

    Raises:
        Unrecordable: the text does not fit the annotation.
        BlobsMissing: bytes it names are not in `blobs`.
    """
    plain = read_json(text)
    held = blobs or {}
    if '"$blob"' in text:
        missing = [sha for sha in blob_shas(plain) if sha not in held]
        if missing:
            raise BlobsMissing(missing)
        plain = _with_blobs(plain, held)
    return decode_plain(plain, annotation)


def read_json(text: str) -> Any:
    """What `json.loads` gives: canonical text has no blanks around it, and looking for them takes longer than reading a small value."""
    try:
        plain, end = _read(text)
    except ValueError:  # blanks before it, or no JSON: the other one tells which
        return json.loads(text)
    return plain if end == len(text) else json.loads(text)


def decode_plain(plain: Any, annotation: object = Any) -> Any:
    """A plain value with tags as a value of the annotated type.

    Raises:
        Unrecordable: it does not fit the annotation.
    """
    rule = decoder_for(annotation)
    try:
        return rule(plain)
    except Unrecordable:
        raise
    except (ValueError, KeyError, TypeError, AttributeError, ArithmeticError) as problem:
        raise Unrecordable(f"the record holds {_start(plain)}, which does not fit: {problem}") from problem


def _start(plain: Any) -> str:
    """The first characters of a plain value's text, for a message."""
    return json.dumps(plain, ensure_ascii=True, default=repr)[:80]


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
    if hasattr(typing, "TypeAliasType") and isinstance(annotation, typing.TypeAliasType):
        annotation = annotation.__value__
    if isinstance(annotation, typing.NewType):
        annotation = annotation.__supertype__
    origin = typing.get_origin(annotation)
    if origin is typing.Annotated:
        return _make_decoder(typing.get_args(annotation)[0])
    if origin is typing.Literal:
        return _literal(typing.get_args(annotation))
    if annotation in (Any, object):
        return _untyped
    if annotation in (None, type(None)):
        return lambda plain: None if plain is None else _expect(type(None), plain)
    if origin in (typing.Union, types.UnionType):
        return _union(typing.get_args(annotation))
    if origin is not None:
        return _generic(origin, typing.get_args(annotation))
    if isinstance(annotation, type):
        return _plain_type(annotation)
    raise Unrecordable(f"the annotation {annotation!r} has no recorded form")


def _literal(options: tuple[Any, ...]) -> Decoder:
    """Enum members are recorded as their values, so they are found by them."""
    values = {canonical(to_plain(option, {})): option for option in options}

    def choose(plain: Any) -> Any:
        text = canonical(plain)
        if text not in values:
            raise Unrecordable(f"the record holds {text[:80]}, which is none of {', '.join(values)}")
        return values[text]

    return choose


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
    "$bytes": lambda plain: base64.b64decode(plain["$bytes"], validate=True),
    "$secret": lambda plain: Secret(plain["$secret"]),
    "$map": lambda plain: {_untyped(key): _untyped(item) for key, item in plain["$map"]},
}


def _expect(kind: type, plain: Any) -> Any:
    raise Unrecordable(f"the record holds {_start(plain)}, the annotation says {kind.__name__}")


def _generic(origin: Any, arguments: tuple[Any, ...]) -> Decoder:
    if origin is tuple and not (len(arguments) == 2 and arguments[1] is Ellipsis):
        return _fixed_tuple([decoder_for(argument) for argument in arguments])
    if origin in (dict, collections.abc.Mapping, collections.abc.MutableMapping):
        return _mapping(decoder_for(arguments[0]), decoder_for(arguments[1]))
    build = _SEQUENCES.get(origin)
    if build is None:
        raise Unrecordable(f"{origin!r} of something has no recorded form; use list, dict, set or tuple")
    item = decoder_for(arguments[0])
    return lambda plain: build(item(part) for part in _listed(plain, build))


_SEQUENCES: dict[Any, Any] = {
    list: list,
    set: set,
    frozenset: frozenset,
    tuple: tuple,
    collections.abc.Sequence: list,
    collections.abc.MutableSequence: list,
    collections.abc.Collection: list,
    collections.abc.Iterable: list,
    collections.abc.Set: frozenset,
    collections.abc.MutableSet: set,
}


def _listed(plain: Any, kind: Any) -> list[Any]:
    return plain if isinstance(plain, list) else _expect(kind, plain)


def _fixed_tuple(parts: list[Decoder]) -> Decoder:
    return lambda plain: tuple(part(item) for part, item in zip(parts, _listed(plain, tuple), strict=True))


def _mapping(key: Decoder, value: Decoder) -> Decoder:
    def build(plain: Any) -> dict[Any, Any]:
        if not isinstance(plain, dict) or "$type" in plain:
            return dict(_expect(dict, plain))
        return {key(k): value(v) for k, v in (plain["$map"] if "$map" in plain else plain.items())}

    return build


def _union(options: tuple[Any, ...]) -> Decoder:
    by_name = {str(option.__name__): decoder_for(option) for option in options if _has_fields(option)}
    others = [option for option in options if option is not type(None) and not _has_fields(option)]
    # a float takes whole numbers too, and equal unions share a decoder whatever their order, so it comes last
    rules = [decoder_for(option) for option in sorted(others, key=lambda option: option in (float, Any, object))]

    def choose(plain: Any) -> Any:
        if plain is None and type(None) in options:
            return None
        if isinstance(plain, dict) and plain.get("$type") in by_name:
            return by_name[plain["$type"]](plain)
        for rule in rules:
            try:
                return rule(plain)
            except (ValueError, KeyError, TypeError, AttributeError, ArithmeticError):
                continue
        raise Unrecordable(f"the record holds {_start(plain)}, which fits none of the annotation's types")

    return choose


def _plain_type(kind: type) -> Decoder:
    if _has_fields(kind):
        return _dataclass_decoder(kind)
    if issubclass(kind, enum.Enum):
        return _enum_decoder(kind)
    if kind in _SEQUENCES:
        build = _SEQUENCES[kind]
        return lambda plain: build(_untyped(part) for part in _listed(plain, build))
    if kind is dict:
        return _mapping(_untyped, _untyped)
    tag = _TAG_OF.get(kind)
    if tag is not None:
        rule = _TAGS[tag]
        # bytes that came from a blob are bytes already
        return lambda plain: (
            plain if type(plain) is kind else rule(plain) if isinstance(plain, dict) else _expect(kind, plain)
        )
    if issubclass(kind, PurePath):
        return lambda plain: kind(plain["$path"])
    return _number_or_text(kind)


def _has_fields(kind: Any) -> bool:
    """Whether a type is recorded field by field; a Secret is a dataclass with a tag of its own."""
    return isinstance(kind, type) and dataclasses.is_dataclass(kind) and kind not in _TAG_OF


def _number_or_text(kind: type) -> Decoder:
    if kind is float:
        return lambda plain: float(plain) if type(plain) in (int, float) else _expect(kind, plain)
    if kind in (str, int, bool):
        return lambda plain: plain if type(plain) is kind else _expect(kind, plain)
    if issubclass(kind, (str, int)):
        make: Any = kind
        bare = str if issubclass(kind, str) else int
        return lambda plain: make(plain) if type(plain) is bare else _expect(kind, plain)
    raise Unrecordable(
        f"{kind.__name__} has no recorded form; use text, numbers, dates, lists, dicts or a dataclass of them"
    )


def _enum_decoder(kind: type[enum.Enum]) -> Decoder:
    by_text = {canonical(to_plain(member.value, {})): member for member in kind}

    def choose(plain: Any) -> Any:
        member = by_text.get(canonical(plain))
        return member if member is not None else kind(plain)  # a combination of flags is no member by name

    return choose


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
        return {field.name: decoder_for(hints[field.name]) for field in dataclasses.fields(kind) if field.init}

    def build(plain: Any) -> Any:
        if not isinstance(plain, dict) or plain.get("$type") != kind.__name__:
            return _expect(kind, plain)
        if not fields:
            fields.update(resolve())
        return kind(**{name: rule(plain[name]) for name, rule in fields.items() if name in plain})

    return build
