"""Parameters of a workflow and fields of a question: annotated types, from which forms and checks are made.

The schema is a list of field objects (contract.md 4: name, type, label, choices, default, required), the same for parameters
and for questions, so one form and one check serve both.
"""

from __future__ import annotations

import dataclasses
import json
import types
import typing
from collections.abc import Mapping, Sequence
from datetime import date, datetime
from decimal import Decimal
from typing import Any, Literal

from counterfoil.authoring.codec import Unrecordable, decoder_for, encode, hints_of, to_plain
from counterfoil.authoring.periods import Period
from counterfoil.facts import Money

ParamsT = typing.TypeVar("ParamsT", bound="Params")


class Folder(str):
    """A folder, relative to the workspace."""

    __slots__ = ()


class File(str):
    """A file, relative to the workspace."""

    __slots__ = ()


_TYPE_NAMES: dict[Any, str] = {
    str: "text",
    int: "integer",
    bool: "boolean",
    Decimal: "decimal",
    date: "date",
    datetime: "instant",
    Money: "money",
    Folder: "folder",
    File: "file",
    Period: "period",
}
FIELD_TYPES = frozenset(_TYPE_NAMES.values()) | {"choice"} | {f"list[{name}]" for name in _TYPE_NAMES.values()}
FIELD_CHECKS = {"": None, "iban": "text", "not_past": "date"}  # check -> the only type it is made for


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """One thing a person fills in. `type` is one of FIELD_TYPES; `choices` with type "choice", or with a list, whose items
    must then be among them (numbers as texts).

    `remakes=True`: filling it in makes the plan out of date, so approving with it sends the gate back and a new round is asked.
    `check="iban"`: the text must be an IBAN with right check digits; `check="not_past"`: the date must be today or later when it is
    filled in. `required_when={"choice": ["pay"]}`: it must be filled in when
    another field has one of these values.
    """

    name: str
    type: str = "text"
    label: str = ""
    help: str = ""
    choices: Sequence[str] | None = None
    default: Any = None
    required: bool = False
    remember: bool = False
    remakes: bool = False
    check: str = ""
    required_when: Mapping[str, Sequence[str]] | None = None

    def __post_init__(self) -> None:
        if self.type not in FIELD_TYPES:
            raise Unrecordable(
                f"field '{self.name}' has the type '{self.type}'; use one of {', '.join(sorted(FIELD_TYPES))}"
            )
        if self.check not in FIELD_CHECKS or (self.check and self.type != FIELD_CHECKS[self.check]):
            may = 'a text may have check="iban", a date check="not_past"'
            raise Unrecordable(f"field '{self.name}' has the check '{self.check}'; {may}")

    def to_json(self) -> dict[str, Any]:
        """The field object of the contract, with `help`, `remember`, `remakes` and `check` beside."""
        return {
            "name": self.name,
            "type": self.type,
            "label": self.label or self.name.replace("_", " "),
            "help": self.help,
            "choices": list(self.choices) if self.choices is not None else None,
            "default": to_plain(self.default, {}),
            "required": self.required,
            "remember": self.remember,
            "remakes": self.remakes,
            "check": self.check or None,
            "required_when": {name: list(values) for name, values in (self.required_when or {}).items()} or None,
        }


def param(
    *,
    label: str = "",
    help: str = "",  # noqa: A002 - the word every form library uses
    remember: bool = False,
    default: Any = dataclasses.MISSING,
    choices: Sequence[str] | None = None,
    check: Literal["", "iban", "not_past"] = "",
) -> Any:
    """Describe a parameter: `debtor_iban: str = param(label="Pay from account", remember=True, check="iban")`."""
    metadata = {"label": label, "help": help, "remember": remember, "choices": choices, "check": check}
    if isinstance(default, (list, dict, set)):
        kept = default
        return dataclasses.field(metadata=metadata, default_factory=lambda: type(kept)(kept))
    return dataclasses.field(metadata=metadata, default=default)


@typing.dataclass_transform(frozen_default=True, kw_only_default=True, field_specifiers=(param, dataclasses.field))
class Params:
    """Base of a workflow's parameters: annotate the fields, nothing else is needed."""

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        dataclasses.dataclass(frozen=True, kw_only=True)(cls)


def schema_of(kind: type) -> list[dict[str, Any]]:
    """Field objects of a Params class, in the order written.

    Raises:
        Unrecordable: an annotation has no form field.
    """
    hints = typing.get_type_hints(kind)
    return [_field_of(field, hints[field.name]).to_json() for field in dataclasses.fields(kind)]


def _field_of(field: dataclasses.Field[Any], hint: Any) -> Field:
    optional, hint = _without_none(hint)
    name, choices = _type_of(field.name, hint)
    has_default = field.default is not dataclasses.MISSING or field.default_factory is not dataclasses.MISSING
    default = field.default if field.default is not dataclasses.MISSING else None
    if field.default_factory is not dataclasses.MISSING:
        default = field.default_factory()
    meta = field.metadata
    given = meta.get("choices")
    return Field(
        name=field.name,
        type="choice" if given else name,
        label=meta.get("label", ""),
        help=meta.get("help", ""),
        choices=given or choices,
        default=default,
        required=not has_default and not optional,
        remember=bool(meta.get("remember")),
        check=meta.get("check", ""),
    )


def _without_none(hint: Any) -> tuple[bool, Any]:
    if typing.get_origin(hint) in (typing.Union, types.UnionType):
        options = [option for option in typing.get_args(hint) if option is not type(None)]
        if len(options) == 1:
            return True, options[0]
    return False, hint


def _type_of(name: str, hint: Any) -> tuple[str, list[str] | None]:
    if typing.get_origin(hint) is typing.Literal and all(isinstance(option, str) for option in typing.get_args(hint)):
        return "choice", list(typing.get_args(hint))
    if typing.get_origin(hint) is list:
        item = _TYPE_NAMES.get(typing.get_args(hint)[0])
        if item:
            return f"list[{item}]", None
    if hint in _TYPE_NAMES:
        return _TYPE_NAMES[hint], None
    raise Unrecordable(
        f"parameter '{name}' is annotated {hint!r}; "
        "use str, int, bool, Decimal, date, datetime, Money, Folder, File, Period, a Literal of texts, or a list of one of them"
    )


def annotation_of(field_type: str) -> Any:
    """The Python type behind a field type, for decoding answers."""
    if field_type == "choice":
        return str
    names = {name: kind for kind, name in _TYPE_NAMES.items()}
    if field_type.startswith("list["):
        return types.GenericAlias(list, (names[field_type[5:-1]],))
    return names[field_type]


def encode_params(params: Any) -> str:
    """Parameters as canonical text: one object, without the class name."""
    return encode({field.name: getattr(params, field.name) for field in dataclasses.fields(params)})


def decode_params(kind: type[ParamsT], text: str) -> ParamsT:
    """The author's Params from canonical text, as `encode_params` wrote it; in a host only.

    Raises:
        Unrecordable: a name is unknown, or a value does not fit its annotation.
    """
    made: Any = kind  # neither a dataclass nor hashable in the eyes of mypy, though it is both
    hints = hints_of(made)
    plain = json.loads(text)
    unknown = sorted(set(plain) - {field.name for field in dataclasses.fields(made)})
    if unknown:
        raise Unrecordable(f"the parameters hold '{unknown[0]}', which {kind.__name__} does not have")
    return kind(**{name: decoder_for(hints[name])(value) for name, value in plain.items()})
