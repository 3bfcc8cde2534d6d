"""What a server asks of a person in the middle of a call, as the fields of a gate, and a person's answers as the server wants them.

A server's words are quoted, never said in the program's own voice: they stand in the evidence, with whose they are.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Any

from counterfoil.authoring.codec import canonical, digest
from counterfoil.authoring.evidence import text
from counterfoil.authoring.parameters import Field
from counterfoil.effects.answers import wire_json
from counterfoil.policy.boundaries import visible

MOST_FIELDS = 50
_LONGEST = 2000
_TYPES = {"integer": "integer", "number": "decimal", "boolean": "boolean", "string": "text"}
Asked = Mapping[str, Any]  # parameters of one question as the wire spells them


def key_of(asked: Asked) -> str:
    """By which a question is known again: what it says and what it wants, without what changes from one time to the next."""
    return digest(canonical([asked.get("message"), asked.get("requestedSchema"), asked.get("url")]))


def fields_of(questions: Mapping[str, Asked]) -> list[dict[str, Any]]:
    """The fields of a gate for the questions of one call."""
    made = [field for key, asked in questions.items() for field in _fields(_prefix(questions, key), asked)]
    return [field.to_json() for field in made[:MOST_FIELDS]]


def quoted(who: str, questions: Mapping[str, Asked]) -> list[dict[str, Any]]:
    """The server's own words, as evidence."""
    return [text(_words(asked), title=f"{who} asks", source=who).to_json({}) for asked in questions.values()]


def _words(asked: Asked) -> str:
    url = f"\n\n{visible(str(asked['url']))}" if asked.get("mode") == "url" else ""
    return str(asked.get("message") or "")[: 4 * _LONGEST] + url[:_LONGEST]


def _prefix(questions: Mapping[str, Asked], key: str) -> str:
    return "" if len(questions) == 1 else f"{list(questions).index(key) + 1}. "


def _properties(asked: Asked) -> dict[str, dict[str, Any]]:
    schema = asked.get("requestedSchema")
    found = schema.get("properties") if isinstance(schema, Mapping) else None
    if not isinstance(found, Mapping):
        return {}
    return {str(name): dict(one) for name, one in found.items() if isinstance(one, Mapping)}


def _fields(prefix: str, asked: Asked) -> Iterator[Field]:
    if asked.get("mode") == "url":
        yield Field(
            name=f"{prefix}done", type="boolean", label="I have opened the page and am done there", default=True
        )
        return
    schema = asked.get("requestedSchema") or {}
    required = schema.get("required") if isinstance(schema, Mapping) else None
    needed = {str(name) for name in required} if isinstance(required, list) else set()
    for name, one in _properties(asked).items():
        yield _field(f"{prefix}{visible(name)[:100]}", name, one, required=name in needed)


def _field(shown: str, name: str, one: Mapping[str, Any], *, required: bool) -> Field:
    kind, choices = _kind(one)
    label = visible(str(one.get("title") or name))[:200]
    help_text = visible(str(one.get("description") or ""))[:_LONGEST]
    default = _default(kind, choices, one.get("default"))
    return Field(
        name=shown, type=kind, label=label, help=help_text, choices=choices, default=default, required=required
    )


def _kind(one: Mapping[str, Any]) -> tuple[str, list[str] | None]:
    """The type of a field and its choices."""
    choices = _choices(one)
    if choices:
        return "choice", choices
    if one.get("type") == "array":
        items = one.get("items")
        return "list[text]", _choices(items) if isinstance(items, Mapping) else None
    if one.get("type") == "string" and one.get("format") == "date":
        return "date", None
    return _TYPES.get(str(one.get("type")), "text"), None


def _choices(one: Mapping[str, Any]) -> list[str] | None:
    """The values that may be chosen: an `enum`, or constants with titles."""
    for key in ("enum", "oneOf", "anyOf"):
        found = one.get(key)
        if isinstance(found, list) and found:
            values = [item.get("const") if isinstance(item, Mapping) else item for item in found]
            return list(dict.fromkeys(str(value) for value in values))
    return None


def _default(kind: str, choices: list[str] | None, given: Any) -> Any:
    """A server's default where it is of the field's type; else none."""
    match kind:
        case "boolean":
            return given if isinstance(given, bool) else None
        case "integer":
            return given if type(given) is int else None
        case "decimal":
            return Decimal(str(given)) if isinstance(given, int | float) and not isinstance(given, bool) else None
        case "choice":
            return given if given in (choices or ()) else None
        case "list[text]":
            return [str(item) for item in given] if isinstance(given, list) else None
        case "text":
            return given if isinstance(given, str) else None
    return None


def answers_to(
    questions: Mapping[str, Asked], given: Mapping[str, Any], *, declined: bool
) -> dict[str, dict[str, Any]]:
    """The results of the questions by their keys, from what a person filled in (plain, by field name)."""
    if declined:
        return {key: {"action": "decline"} for key in questions}
    return {key: _answer(_prefix(questions, key), asked, given) for key, asked in questions.items()}


def _answer(prefix: str, asked: Asked, given: Mapping[str, Any]) -> dict[str, Any]:
    if asked.get("mode") == "url":
        return {"action": "accept" if given.get(f"{prefix}done") is not False else "cancel"}
    content: dict[str, Any] = {}
    for name, one in _properties(asked).items():
        value = given.get(f"{prefix}{visible(name)[:100]}")
        if value is not None:
            content[name] = _wire(one, value)
    return {"action": "accept", "content": content}


def _wire(one: Mapping[str, Any], value: Any) -> Any:
    plain = wire_json(value)
    if one.get("type") == "number" and isinstance(plain, str):
        number = float(plain)
        return int(number) if number.is_integer() and "." not in plain else number
    return plain


def defaults_of(asked: Asked) -> dict[str, Any]:
    """The answer of somebody who leaves everything as it is proposed."""
    proposed = {name: one["default"] for name, one in _properties(asked).items() if "default" in one}
    return {"action": "accept", "content": proposed}


def texts_of(asked: Asked) -> list[tuple[str, str]]:
    """The conversation that a server wants an llm to go on with, as (role, text).

    Raises:
        ValueError: it holds something else than text.
    """
    said: list[tuple[str, str]] = []
    for message in asked.get("messages") or []:
        content = message.get("content")
        blocks = content if isinstance(content, list) else [content]
        if not all(isinstance(block, Mapping) and isinstance(block.get("text"), str) for block in blocks):
            raise ValueError("it holds something else than text")
        said.append((str(message.get("role")), "\n".join(block["text"] for block in blocks)))
    if not said:
        raise ValueError("it says nothing")
    return said
