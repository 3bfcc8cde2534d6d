"""Checking what was filled in against the fields that ask for it: parameters of a run and answers of a gate alike.

The fields are the schema that a host made of the author's annotations; nothing of the author's is imported here. What comes out
is plain JSON with codec tags: what a run records and `authoring.decode_params` reads.
"""

from __future__ import annotations

import functools
import json
import shlex
import stat
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from counterfoil.authoring.codec import canonical, to_plain
from counterfoil.catalogue.field_values import Misfit, Passed, example_of, is_blank, meant_on, not_past, reader_of
from counterfoil.errors import WrongParameter, WrongUse, did_you_mean

if TYPE_CHECKING:
    from pydantic import BaseModel, ValidationInfo

FieldJson = Mapping[str, Any]


def parse_texts(
    fields: Sequence[FieldJson],
    given: Sequence[tuple[str, str]],
    *,
    what: str,
    wrong: type[WrongUse] = WrongParameter,
) -> dict[str, Any]:
    """Texts of `--set name=value` by the declared types: name -> plain JSON with codec tags.

    A list is given by repeating; one of whole numbers also with commas. An empty text takes a field back to its default.
    Nothing is filled in for what was not given. `what` is named in errors: "template ‘pay-invoices’", "gate g-81".

    Raises:
        WrongParameter: a name is unknown or given twice, or a text is not of its type; or the error that `wrong` names.
    """
    by_name = {field["name"]: field for field in fields}
    texts: dict[str, Any] = {}
    for name, text in given:
        if name not in by_name:
            raise wrong(f"{what} does not ask for ‘{name}’.", _instead_of(name, by_name))
        kind = by_name[name]["type"]
        if kind.startswith("list["):
            items = text.split(",") if kind == "list[integer]" else [text]
            texts.setdefault(name, []).extend(item for item in items if item.strip())
        elif name in texts:
            raise wrong(f"‘{name}’ is given twice.", "Give it once.")
        else:
            texts[name] = text if text.strip() or _is_free_text(by_name[name]) else None
    return {name: _read_one(by_name[name], value, wrong) for name, value in texts.items()}


def check_values(
    fields: Sequence[FieldJson],
    values: Mapping[str, Any],
    *,
    workspace: Path | None = None,
    what: str = "this template",
    wrong: type[WrongUse] = WrongParameter,
    today: date | None = None,
) -> dict[str, Any]:
    """All values of a form, in the fields' order: defaults filled in, the rest coerced, as plain JSON with codec tags.

    Takes texts, the contract's JSON forms, and what it returned before. With a workspace, folders and files must exist in it.
    `today` is what a date with check "not_past" is held against, and from where a period in words is seen; without it, the day in this
    computer's zone.

    Raises:
        WrongParameter: a name is unknown, a required one is missing, or a value does not fit; or the error that `wrong` names.
    """
    read, problems = _check(fields, values, workspace, today)
    by_name = {field["name"]: field for field in fields}
    for name in problems:
        if name not in by_name:
            raise wrong(f"{what} does not ask for ‘{name}’.", _instead_of(name, by_name))
    for name, problem in problems.items():
        if problem is not None:
            raise wrong(f"{called(by_name[name])}: {problem.sentence}", problem.advice)
    if problems:
        raise _missing([by_name[name] for name in problems], wrong)
    return read


def problems_with(
    fields: Sequence[FieldJson],
    values: Mapping[str, Any],
    *,
    workspace: Path | None = None,
    today: date | None = None,
) -> dict[str, str]:
    """What is wrong with a form as it stands: field name -> sentences to show beside it."""
    known = {field["name"] for field in fields}
    given = {name: value for name, value in values.items() if name in known}
    _, problems = _check(fields, given, workspace, today)
    return {name: str(problem) if problem is not None else "This is needed." for name, problem in problems.items()}


def with_remembered(
    fields: Sequence[FieldJson],
    given: Mapping[str, Any],
    remembered: Mapping[str, Any],
    *,
    today: date | None = None,
) -> dict[str, Any]:
    """Given values, and beside them what the workspace remembers for fields that are remembered; given ones win.

    A remembered day that has passed meanwhile counts as not remembered, where the field asks for one that has not.
    """
    kept = {field["name"]: remembered[field["name"]] for field in _remembering(fields, remembered)}
    _, problems = _check(fields, kept, None, today)
    passed = {
        field["name"]
        for field in fields
        if field.get("check") == "not_past" and isinstance(problems.get(field["name"]), Passed)
    }
    return {name: value for name, value in kept.items() if name not in passed} | dict(given)


def to_remember(fields: Sequence[FieldJson], values: Mapping[str, Any]) -> dict[str, Any]:
    """The part of a run's parameters that its workspace remembers."""
    return {field["name"]: values[field["name"]] for field in _remembering(fields, values)}


def folder_or_file(value: str, workspace: Path, *, kind: str = "") -> str:
    """A place in the workspace as its relative path with slashes; "." is the workspace itself.

    An absolute path is accepted inside the workspace only. `kind` "folder" or "file" says what it must be.

    Raises:
        Misfit: it lies outside, is not there, leads through a link, or is not of its kind.
    """
    given = Path(value)
    inside = _beneath(given, workspace) if given.is_absolute() else given
    if inside is None:
        raise Misfit(f"‘{value}’ lies outside the workspace.", f"Choose a place in {workspace}.")
    if ".." in inside.parts:
        raise Misfit(f"‘{value}’ leads out with ‘..’.", "Write it from the workspace downward, without ‘..’.")
    _must_be(workspace, inside, kind)
    return inside.as_posix()


def called(field: FieldJson) -> str:
    """A field in a sentence: its label with its name, or the name alone where they say the same."""
    name, label = str(field["name"]), str(field.get("label") or "")
    return name if label in ("", name, name.replace("_", " ")) else f"{label} ({name})"


def _remembering(fields: Sequence[FieldJson], values: Mapping[str, Any]) -> list[FieldJson]:
    return [field for field in fields if field.get("remember") and not is_blank(values.get(field["name"]))]


def _instead_of(name: str, known: Mapping[str, Any]) -> str:
    return did_you_mean(name, known) or (f"It asks for: {', '.join(known)}." if known else "It asks for nothing.")


def _missing(fields: list[FieldJson], wrong: type[WrongUse]) -> WrongUse:
    names = ", ".join(called(field) for field in fields)
    example = f"--set {fields[0]['name']}={shlex.quote(example_of(fields[0]))}"
    if len(fields) == 1:
        return wrong(f"{names} is missing.", f"Give it, for example {example}.")
    return wrong(f"{len(fields)} values are missing: {names}.", f"Give each, for example {example}.")


def _read_one(field: FieldJson, value: Any, wrong: type[WrongUse]) -> Any:
    try:
        return None if value is None else to_plain(reader_of(field)(value), {})
    except Misfit as problem:
        raise wrong(f"{called(field)}: {problem.sentence}", problem.advice) from problem


def _check(
    fields: Sequence[FieldJson], values: Mapping[str, Any], workspace: Path | None, today: date | None
) -> tuple[dict[str, Any], dict[str, Misfit | None]]:
    """What could be read, and problems by name: unknown names first, None where a required value is missing."""
    from pydantic import ValidationError

    filled = {name: value for name, value in values.items() if not is_blank(value) or _says_empty(fields, name, value)}
    missing: dict[str, Misfit | None] = dict.fromkeys(_wanted_by_others(fields, filled))
    try:
        form = _form_of(canonical([dict(field) for field in fields])).model_validate(
            filled, context=(workspace, today or _today_here())
        )
    except ValidationError as found:
        return {}, missing | {str(error["loc"][0]): _misfit_of(error) for error in found.errors(include_url=False)}
    return {field["name"]: to_plain(getattr(form, f"f{n}"), {}) for n, field in enumerate(fields)}, missing


def _wanted_by_others(fields: Sequence[FieldJson], filled: Mapping[str, Any]) -> Iterator[str]:
    """Fields left empty that the value of another one asks for, like the reason for a payment that was flagged."""
    defaults = {field["name"]: field["default"] for field in fields}
    for field in fields:
        wanted = field.get("required_when") or {}
        if is_blank(filled.get(field["name"])) and any(
            filled.get(other, defaults.get(other)) in values for other, values in wanted.items()
        ):
            yield field["name"]


def _misfit_of(error: Mapping[str, Any]) -> Misfit | None:
    reason = error.get("ctx", {}).get("error")
    return reason if isinstance(reason, Misfit) else None


def _says_empty(fields: Sequence[FieldJson], name: str, value: object) -> bool:
    """Whether an empty value is an answer: under an unknown name, or an empty text or list instead of a default."""
    field = next((field for field in fields if field["name"] == name), None)
    if field is None:
        return True
    return value is not None and not field["required"] and (_is_free_text(field) or isinstance(value, list))


def _is_free_text(field: FieldJson) -> bool:
    return field["type"] == "text" and not field.get("check")


@functools.lru_cache(maxsize=256)
def _form_of(schema: str) -> type[BaseModel]:
    """The pydantic class of a field list; members are numbered, since names may be anything (`choice.3`, `json`)."""
    from pydantic import ConfigDict, Field, PlainValidator, create_model

    members: dict[str, Any] = {}
    for n, field in enumerate(json.loads(schema)):
        kind = Annotated[Any, PlainValidator(_validator_of(field))]
        if field["required"]:
            members[f"f{n}"] = (kind, Field(alias=field["name"]))
        else:
            default = field["default"]
            members[f"f{n}"] = (kind, Field(default, alias=field["name"], validate_default=default is not None))
    return create_model("Form", __config__=ConfigDict(extra="forbid"), **members)


def _validator_of(field: FieldJson) -> Callable[[Any, ValidationInfo], Any]:
    """A field's reader; periods mean days from today on, and where the validation has a workspace, places are looked for in it."""
    read = reader_of(field)
    kind = str(field["type"]).removeprefix("list[").removesuffix("]")

    def validate(value: Any, info: ValidationInfo) -> Any:
        found = read(value)
        workspace, today = info.context  # type: ignore[misc]  # always given by _check
        if field.get("check") == "not_past":
            return not_past(found, today)
        if kind == "period":
            return [meant_on(one, today) for one in found] if isinstance(found, list) else meant_on(found, today)
        if kind not in ("folder", "file") or workspace is None:
            return found
        if isinstance(found, list):
            return [folder_or_file(place, workspace, kind=kind) for place in found]
        return folder_or_file(found, workspace, kind=kind)

    return validate


def _today_here() -> date:
    """The day in this computer's zone, which is the one that people mean."""
    return datetime.now().astimezone().date()


def _beneath(given: Path, workspace: Path) -> Path | None:
    """An absolute path from the workspace downward, also where one of both was written through a link."""
    for root in (workspace, workspace.resolve()):
        if given.is_relative_to(root):
            return given.relative_to(root)
    target = given.parent.resolve() / given.name
    return target.relative_to(workspace.resolve()) if target.is_relative_to(workspace.resolve()) else None


def _must_be(workspace: Path, inside: Path, kind: str) -> None:
    """Look at every component without following links, as the file door will."""
    place = workspace
    status = None
    for part in inside.parts:
        place /= part
        try:
            status = place.lstat()
        except OSError as problem:
            what = "this account may not look at it" if isinstance(problem, PermissionError) else "it is not there"
            raise Misfit(f"‘{inside}’ cannot be used: {what}.", f"Choose a place in {workspace}.") from problem
        if stat.S_ISLNK(status.st_mode):
            raise Misfit(f"‘{inside}’ leads through a link.", "Name the place itself; links are not followed.")
    is_folder = status is None or stat.S_ISDIR(status.st_mode)
    if kind == "folder" and not is_folder:
        raise Misfit(f"‘{inside}’ is a file.", "Choose the folder it lies in.")
    if kind == "file" and is_folder:
        raise Misfit(f"‘{inside}’ is a folder.", "Choose a file in it.")
