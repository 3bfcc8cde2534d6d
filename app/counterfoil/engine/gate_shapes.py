"""What a gate may look like when a session asks for it, part by part.

The inbox, the command line and the window read gates of every run in one list, so nothing may get in that would trip them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from counterfoil.authoring.codec import Unrecordable, check_plain, decode_plain
from counterfoil.authoring.parameters import FIELD_CHECKS, FIELD_TYPES, annotation_of
from counterfoil.engine.holding import Breach
from counterfoil.engine.shapes import clean, line, truth, whole
from counterfoil.facts import GateKind

KINDS = {"approve": GateKind.APPROVAL, "ask": GateKind.QUESTION}
MOST = 10_000  # parts of one kind: plan items, fields, flags, claims
TITLE_LIMIT = 500
TEXT_LIMIT = 2000
LONGEST_WAIT_US = 100 * 366 * 86_400 * 1_000_000
_KEYS = frozenset(
    {"kind", "title", "plan", "evidence", "flags", "fields", "figures", "claims", "partial", "round", "expires_for"}
)
_FIELD_KEYS = frozenset(
    {"name", "type", "label", "help", "choices", "default", "required", "remember", "remakes", "check", "required_when"}
)
_EVIDENCE_KEYS = frozenset({"kind", "title", "data", "source"})


def checked_spec(spec: Any, name: str) -> dict[str, Any]:
    """The spec of approve() or ask() with its texts cleaned; the bodies of its plan are the catalogue's to judge.

    Raises:
        Breach: it is of a shape that no door of ours makes.
    """
    if not isinstance(spec, dict) or spec.keys() != _KEYS or KINDS.get(name) != spec["kind"]:
        raise Breach(f"a gate of a shape that {name} does not make")
    plan = _list(spec["plan"])
    try:
        check_plain([spec["evidence"], spec["figures"], spec["fields"], [item["body"] for item in plan]])
    except Unrecordable as problem:
        raise Breach(f"a gate with a value of no value's shape: {problem}") from problem
    expires = spec["expires_for"]
    return {
        "kind": spec["kind"],
        "title": _named(spec["title"], TITLE_LIMIT),
        "plan": [_item(item, len(plan)) for item in plan],
        "evidence": _each(spec["evidence"], _evidence),
        "flags": _each(spec["flags"], lambda flag: _line(flag, TEXT_LIMIT)),
        "fields": _fields(spec["fields"]),
        "figures": _each(spec["figures"], _figure),
        "claims": _each(spec["claims"], lambda key: _line(key, TITLE_LIMIT)),
        "partial": truth(spec["partial"], "a partial"),
        "round": whole(spec["round"], "a round", low=1, high=10**6),
        "expires_for": None if expires is None else whole(expires, "an expiry", low=1, high=LONGEST_WAIT_US),
    }


def _list(value: Any) -> list[Any]:
    if not isinstance(value, list) or len(value) > MOST:
        raise Breach("a gate with a list that is none, or too long")
    return value


def _each(value: Any, rule: Callable[[Any], Any]) -> list[Any]:
    return [rule(item) for item in _list(value)]


def _line(value: Any, limit: int) -> str:
    if not isinstance(value, str):
        raise Breach("a gate with a text that is none")
    return line(value, limit)


def _named(value: Any, limit: int) -> str:
    return _line(value, limit) or "(no title)"


def _item(item: Any, count: int) -> dict[str, Any]:
    if not isinstance(item, dict) or item.keys() != {"body", "needs", "editable"}:
        raise Breach("a plan item of no item's shape")
    needs = _each(item["needs"], lambda number: whole(number, "a need", low=1, high=count))
    return {"body": item["body"], "needs": needs, "editable": _each(item["editable"], lambda name: _line(name, 200))}


def _figure(figure: Any) -> list[Any]:
    if not isinstance(figure, list) or len(figure) != 2:
        raise Breach("a figure of no figure's shape")
    return [_line(figure[0], 200), figure[1]]


def _fields(fields: Any) -> list[dict[str, Any]]:
    made = _each(fields, _field)
    if len({field["name"] for field in made}) != len(made):
        raise Breach("two fields of one name")
    return made


def _field(field: Any) -> dict[str, Any]:
    if not isinstance(field, dict) or field.keys() != _FIELD_KEYS or field["type"] not in FIELD_TYPES:
        raise Breach("a field of no field's shape")
    choices, when, check = field["choices"], field["required_when"], field["check"]
    if check is not None and check not in FIELD_CHECKS:
        raise Breach("a field with a check that nobody makes")
    if (field["type"] == "choice") != (choices is not None) and not field["type"].startswith("list["):
        raise Breach("a field whose choices do not go with its type")
    if when is not None and not isinstance(when, dict):
        raise Breach("a field that is needed for no reason")
    default = field["default"]
    try:
        if default is not None:
            decode_plain(default, annotation_of(field["type"]))
    except Unrecordable as problem:
        raise Breach("a field whose default is not of its type") from problem
    return {
        "name": _named(field["name"], 200),
        "type": field["type"],
        "label": _line(field["label"], TITLE_LIMIT),
        "help": _line(field["help"], TEXT_LIMIT),
        "choices": None if choices is None else _each(choices, lambda choice: _line(choice, 200)),
        "default": default,
        **{key: truth(field[key], f"a {key}") for key in ("required", "remember", "remakes")},
        "check": check,
        "required_when": None
        if when is None
        else {_line(name, 200): _each(values, lambda value: _line(value, 200)) for name, values in when.items()},
    }


def _evidence(piece: Any) -> dict[str, Any]:
    if not isinstance(piece, dict) or piece.keys() != _EVIDENCE_KEYS:
        raise Breach("evidence of no evidence's shape")
    rule = _EVIDENCE.get(piece["kind"]) if isinstance(piece["kind"], str) else None
    if rule is None or not rule(piece["data"]):
        raise Breach("evidence of a kind or with data that nobody can show")
    source = piece["source"]
    data = clean(piece["data"], len(piece["data"])) if isinstance(piece["data"], str) else piece["data"]
    return {
        "kind": piece["kind"],
        "title": _line(piece["title"], TITLE_LIMIT),
        "data": data,
        "source": None if source is None else _line(source, TITLE_LIMIT),
    }


def _is_table(data: Any) -> bool:
    if not isinstance(data, dict) or data.keys() != {"columns", "rows", "total", "flagged"}:
        return False
    columns, rows, total, flagged = data["columns"], data["rows"], data["total"], data["flagged"]
    if not all(isinstance(part, list) for part in (columns, rows, flagged)):
        return False
    lines = rows if total is None else [*rows, total]
    return (
        all(isinstance(name, str) for name in columns)
        and all(isinstance(row, list) and len(row) == len(columns) for row in lines)
        and all(type(index) is int and 0 <= index < len(rows) for index in flagged)
    )


def _is_fields(data: Any) -> bool:
    return isinstance(data, list) and all(
        isinstance(pair, list) and len(pair) == 2 and isinstance(pair[0], str) for pair in data
    )


def _is_file(data: Any) -> bool:
    return (
        isinstance(data, dict)
        and data.keys() == {"path", "page", "boxes"}
        and isinstance(data["path"], str)
        and (data["page"] is None or type(data["page"]) is int)
        and isinstance(data["boxes"], list)
        and all(_is_box(box) for box in data["boxes"])
    )


def _is_box(box: Any) -> bool:
    return isinstance(box, list) and len(box) == 4 and all(type(number) in (int, float) for number in box)


_EVIDENCE: dict[str, Callable[[Any], bool]] = {
    "table@1": _is_table,
    "fields@1": _is_fields,
    "text@1": lambda data: isinstance(data, str),
    "file@1": _is_file,
}
