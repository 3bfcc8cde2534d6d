"""What an llm is asked to answer in, and reading it: an annotation as a JSON schema, plain JSON as a value of the annotation.

Records have tags (`codec`); an llm is asked for JSON as anybody writes it: a date is "2026-11-30", an amount "12.50", a dataclass an object
of its fields. Every reading error names the place in the answer, because it is told to the llm.
"""

from __future__ import annotations

import dataclasses
import enum
import types
import typing
from collections.abc import Callable
from datetime import date, datetime
from decimal import Decimal, InvalidOperation
from typing import Any

from counterfoil.authoring.codec import Unrecordable, hints_of
from counterfoil.facts import Money

Schema = dict[str, Any]
WRAP = "result"  # the one field of an answer that is no object by itself


class Misfit(ValueError):
    """An answer does not fit; the message says where and why."""


def schema_of(annotation: Any) -> Schema:
    """The JSON schema of an answer: always an object, because most llms answer in nothing else.

    Raises:
        Unrecordable: the annotation has no such form.
    """
    schema = _schema(annotation)
    if schema.get("type") == "object" and _is_record(annotation):
        return schema
    return _object({WRAP: schema}, [WRAP])


def read_answer(plain: Any, annotation: Any) -> Any:
    """A value of the annotation out of the plain JSON that was asked for with `schema_of`.

    Raises:
        Misfit: it does not fit.
    """
    if _is_record(annotation):
        return _read(plain, annotation, "the answer")
    if not isinstance(plain, dict) or WRAP not in plain:
        raise Misfit(f"the answer must be an object with the field ‘{WRAP}’")
    return _read(plain[WRAP], annotation, WRAP)


def _is_record(annotation: Any) -> bool:
    return isinstance(annotation, type) and dataclasses.is_dataclass(annotation)


def _object(properties: dict[str, Schema], required: list[str]) -> Schema:
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


# ------------------------------------------------------------------------------------------------------------- schemas


def _schema(annotation: Any) -> Schema:
    plain = _PLAIN.get(annotation) if isinstance(annotation, type) else None
    if plain is not None:
        return dict(plain[0])
    origin, arguments = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is typing.Annotated:
        return _schema(arguments[0])
    if origin is typing.Literal:
        return {"enum": list(arguments)}
    if origin in (typing.Union, types.UnionType):
        return {"anyOf": [_schema(option) for option in arguments]}
    if origin in (list, tuple) and (origin is list or arguments[-1] is Ellipsis):
        return {"type": "array", "items": _schema(arguments[0])}
    if origin is dict and arguments[0] is str:
        return {"type": "object", "additionalProperties": _schema(arguments[1])}
    if isinstance(annotation, type) and issubclass(annotation, enum.Enum):
        return {"enum": [member.value for member in annotation]}
    if _is_record(annotation):
        hints = hints_of(annotation)
        fields = [field for field in dataclasses.fields(annotation) if field.init]
        return _object(
            {field.name: _schema(hints[field.name]) for field in fields}, [f.name for f in fields if _needed(f)]
        )
    raise Unrecordable(
        f"an llm cannot be asked for {annotation!r}; use text, numbers, dates, Literal, lists, dicts with text keys or a dataclass of them"
    )


def _needed(field: dataclasses.Field[Any]) -> bool:
    return field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING


# ------------------------------------------------------------------------------------------------------------- reading


def _read(plain: Any, annotation: Any, place: str) -> Any:
    known = _PLAIN.get(annotation) if isinstance(annotation, type) else None
    if known is not None:
        return known[1](plain, place)
    origin, arguments = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is typing.Annotated:
        return _read(plain, arguments[0], place)
    if origin is typing.Literal:
        return _choice(plain, {value: value for value in arguments}, place)
    if origin in (typing.Union, types.UnionType):
        return _either(plain, arguments, place)
    if origin in (list, tuple):
        if not isinstance(plain, list):
            raise Misfit(f"{place} must be a list")
        return origin(_read(item, arguments[0], f"{place}[{n}]") for n, item in enumerate(plain))
    if origin is dict:
        if not isinstance(plain, dict):
            raise Misfit(f"{place} must be an object")
        return {key: _read(item, arguments[1], f"{place}.{key}") for key, item in plain.items()}
    if issubclass(annotation, enum.Enum):
        return _choice(plain, {member.value: member for member in annotation}, place)
    return _record(plain, annotation, place)


def _record(plain: Any, kind: Any, place: str) -> Any:
    if not isinstance(plain, dict):
        raise Misfit(f"{place} must be an object")
    hints = hints_of(kind)
    fields = {field.name: field for field in dataclasses.fields(kind) if field.init}
    strange = sorted(set(plain) - set(fields))
    if strange:
        raise Misfit(f"{place} has a field ‘{strange[0]}’ that was not asked for")
    missing = [name for name, field in fields.items() if name not in plain and _needed(field)]
    if missing:
        raise Misfit(f"{place} lacks the field ‘{missing[0]}’")
    values = {name: _read(item, hints[name], f"{place}.{name}") for name, item in plain.items()}
    try:
        return kind(**values)
    except (ValueError, TypeError) as problem:
        raise Misfit(f"{place}: {problem}") from problem


def _either(plain: Any, options: tuple[Any, ...], place: str) -> Any:
    problems = []
    for option in options:
        try:
            return _read(plain, option, place)
        except Misfit as problem:
            problems.append(str(problem))
    raise Misfit("; or ".join(problems))


def _choice(plain: Any, values: dict[Any, Any], place: str) -> Any:
    found = [value for key, value in values.items() if type(key) is type(plain) and key == plain]
    if not found:
        raise Misfit(f"{place} must be one of {', '.join(repr(key) for key in values)}")
    return found[0]


def _of(kinds: tuple[type, ...], words: str, make: Callable[[Any], Any]) -> Callable[[Any, str], Any]:
    def read(plain: Any, place: str) -> Any:
        if type(plain) not in kinds:
            raise Misfit(f"{place} must be {words}")
        try:
            return make(plain)
        except (ValueError, InvalidOperation, OverflowError) as problem:
            raise Misfit(f"{place} must be {words}") from problem

    return read


def _decimal(plain: Any) -> Decimal:
    made = Decimal(str(plain))
    if not made.is_finite():
        raise ValueError("no number")
    return made


def _instant(plain: str) -> datetime:
    made = datetime.fromisoformat(plain)
    if made.tzinfo is None:
        raise ValueError("no zone")
    return made


def _money(plain: dict[str, Any]) -> Money:
    return Money(_decimal(plain.get("amount")), str(plain.get("currency", "")))


_TEXT: Schema = {"type": "string"}
_PLAIN: dict[type, tuple[Schema, Callable[[Any, str], Any]]] = {
    str: (_TEXT, _of((str,), "text", str)),
    bool: ({"type": "boolean"}, _of((bool,), "true or false", bool)),
    int: ({"type": "integer"}, _of((int,), "a whole number", int)),
    float: ({"type": "number"}, _of((int, float, Decimal), "a number", float)),
    Decimal: (
        {"type": "string", "description": "a decimal number such as 12.50"},
        _of((str, int, float, Decimal), "a decimal number such as 12.50", _decimal),
    ),
    date: (
        {"type": "string", "description": "a date as YYYY-MM-DD"},
        _of((str,), "a date as YYYY-MM-DD", date.fromisoformat),
    ),
    datetime: (
        {"type": "string", "description": "an instant as ISO 8601 with a zone"},
        _of((str,), "an instant as ISO 8601 with a zone", _instant),
    ),
    Money: (
        _object({"amount": {**_TEXT, "description": "a decimal number"}, "currency": _TEXT}, ["amount", "currency"]),
        _of((dict,), "an object of amount and currency", _money),
    ),
    type(None): ({"type": "null"}, _of((type(None),), "null", lambda _: None)),
}
