"""The gate “Files changed”: what is not as it was approved, and a new approval of what shall become of each.

Nothing is decided by a word that stands for bytes nobody has seen: for every file the gate holds what each answer would do, on the file
as it is now. An answer takes these; the seals it makes are on them, and on what of the approval is as it was.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from counterfoil.authoring.codec import canonical, digest
from counterfoil.authoring.parameters import Field
from counterfoil.engine.ports import ROOT, ChangedFile, Comparison
from counterfoil.errors import WrongAnswer
from counterfoil.facts import storable

KEEP, USE, BOTH = "keep", "use", "both"
EVERY = "choice"  # the answer for every file that has none of its own
Spec = dict[str, Any]
Body = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Performed:
    """An item of a set as it is performed: the effects that an approval, or answers since then, have put in its place, and what of the
    folder they are bound to. `kept` names what of it is left out, `beside` what goes to another name."""

    n: int
    bodies: tuple[Body, ...]
    base: dict[str, str | None]
    kept: tuple[str, ...] = ()
    beside: Mapping[str, str] = field(default_factory=dict)

    @property
    def text(self) -> str:
        """As a seal keeps it."""
        return canonical({"bodies": list(self.bodies), "kept": list(self.kept), "beside": dict(self.beside)})

    @property
    def digest(self) -> str:
        """What names it."""
        return digest(self.text)

    @property
    def notes(self) -> dict[str, Any]:
        """What its outcome says beside what was done."""
        told: dict[str, Any] = {"kept": list(self.kept)} if self.kept else {}
        return {**told, "beside": dict(self.beside)} if self.beside else told


def performed(n: int, body: str, base: str, instead: str | None) -> Performed:
    """An item from its seal: its body as it was approved, or what answers have put in its place."""
    if instead is None:
        return Performed(n, (json.loads(body),), json.loads(base))
    told = json.loads(instead)
    return Performed(n, tuple(told["bodies"]), json.loads(base), tuple(told["kept"]), told["beside"])


def about_of(found: Comparison, items: Sequence[Performed], anchor_id: str) -> dict[str, Any]:
    """What a gate's spec holds of a comparison: everything that an answer is made of."""
    return {
        "why": "conflict",
        "anchor": anchor_id,
        "root": found.root,
        "is_another": found.is_another,
        "paths": [storable(file.path) for file in found.files],
        "files": [_file_json(file, name) for file, name in zip(found.files, _names(found.files), strict=True)],
        "items": [
            {
                "n": item.n,
                "bodies": list(item.bodies),
                "base": item.base,
                "kept": list(item.kept),
                "beside": dict(item.beside),
            }
            for item in items
        ],
    }


def _names(files: Sequence[ChangedFile]) -> list[str]:
    """The field of each file: `choice.ledger.csv`; one with an odd name goes by its number."""
    return [f"{EVERY}.{file.path if _is_plain(file.path) else number}" for number, file in enumerate(files, start=1)]


def _is_plain(path: str) -> bool:
    return path.isprintable() and "=" not in path and storable(path) == path and not path.isdigit()


def _file_json(file: ChangedFile, field: str) -> dict[str, Any]:
    return {
        "path": file.path,
        "field": field,
        "why": file.why,
        "before": file.before,
        "now": file.now,
        "does": file.does,
        "choices": list(file.choices),
        "parts": [[n, body] for n, body in file.parts],
        "made": {
            choice: {"bodies": [[n, body] for n, body in made.bodies], "base": made.base, "file": made.file}
            for choice, made in file.made.items()
        },
    }


def fields_of(about: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The answer form: one choice for every file, and one for each that is answered otherwise."""
    offered = [choice for choice in (KEEP, USE, BOTH) if _is_offered(about, choice)]
    every = Field(name=EVERY, type="choice", label="Every file that is not answered by itself", choices=offered)
    own = [
        Field(
            name=file["field"],
            type="choice",
            label=storable(file["path"]),
            choices=file["choices"],
            default=KEEP if file["choices"] == [KEEP] else None,
        )
        for file in about["files"]
    ]
    return [field.to_json() for field in (every, *own)]


def _is_offered(about: Mapping[str, Any], choice: str) -> bool:
    if not about["files"]:
        return choice != BOTH
    return any(choice in file["choices"] for file in about["files"])


def picked(spec: Spec, answers: Mapping[str, Any]) -> dict[str, str]:
    """The answer for each file, by its field.

    Raises:
        WrongAnswer: a file has none, or one that is not possible for it.
    """
    about = spec["about"]
    every = answers.get(EVERY)
    if not about["files"] and every is None:
        raise WrongAnswer("It has to be said what shall become of it.", "Use: --set choice=keep or choice=use")
    chosen: dict[str, str] = {}
    for file in about["files"]:
        choice = answers.get(file["field"]) or every
        possible = " or ".join(f"{file['field']}={one}" for one in file["choices"])
        if choice is None:
            raise WrongAnswer(f"{storable(file['path'])} has no answer.", f"Use: --set {possible}")
        if choice not in file["choices"]:
            raise WrongAnswer(
                f"‘{choice}’ is not possible for {storable(file['path'])}, which {file['why']}.",
                f"Answer it by itself: --set {possible}",
            )
        chosen[file["field"]] = choice
    return chosen


def resolved(spec: Spec, answers: Mapping[str, Any]) -> list[Performed]:
    """Every item of the set as it is approved anew.

    Raises:
        WrongAnswer: an answer is missing or not possible, or leaves out what another item needs.
    """
    about, chosen = spec["about"], picked(spec, answers)
    nothing = not about["files"] and answers.get(EVERY) == KEEP
    made = [_resolve(item, about, chosen, nothing=nothing) for item in about["items"]]
    _refuse_needed({one.n for one in made if not one.bodies}, spec["plan"])
    return made


def _resolve(
    item: Mapping[str, Any], about: Mapping[str, Any], chosen: Mapping[str, str], *, nothing: bool
) -> Performed:
    n, rest = item["n"], list(item["bodies"])
    base = {**item["base"], ROOT: about["root"]}
    bodies: list[Body] = []
    kept, beside = list(item["kept"]), dict(item["beside"])
    for file in about["files"]:
        parts = [part for number, part in file["parts"] if number == n]
        if not parts:
            continue
        for part in parts:
            rest = [left for body in rest if (left := without(body, part)) is not None]
            base = {path: was for path, was in base.items() if path == ROOT or not belongs(path, part)}
        choice = chosen[file["field"]]
        if choice == KEEP:
            kept.append(file["path"])
            continue
        made = file["made"][choice]
        bodies += [body for number, body in made["bodies"] if number == n]
        base.update(made["base"])
        if choice == BOTH and made["file"] is not None:
            beside[file["path"]] = made["file"]["path"]
    stay = [
        name
        for file in about["files"]
        if chosen[file["field"]] == KEEP
        for _, part in file["parts"]
        for name in names_of(part)
    ]
    rest = [] if nothing else [left for body in rest if (left := _without_folders_of(body, stay)) is not None]
    whole = (*rest, *bodies)
    return Performed(n, whole, base if whole else {ROOT: about["root"]}, tuple(kept), beside)


def _refuse_needed(left_out: set[int], plan: Sequence[Mapping[str, Any]]) -> None:
    for item in plan:
        missing = [needed for needed in item["needs"] if needed in left_out]
        if missing and item["n"] not in left_out:
            raise WrongAnswer(
                f"Item {item['n']} needs item {missing[0]}, which would be left out.",
                "Keep the folder's for both, or use the run's for both.",
            )


# ------------------------------------------------------------------------------------------------------ parts of effects

_LISTS = {"move_files@1": "moves", "delete_files@1": "paths", "make_folders@1": "paths"}


def parts_of(body: Body) -> list[Body]:
    """An effect on files as effects that each do one thing of it."""
    listed = _LISTS.get(body["kind"])
    if listed is None:
        return [body]
    return [{"kind": body["kind"], "args": {listed: [one]}} for one in body["args"][listed]]


def without(body: Body, part: Body) -> Body | None:
    """An effect without a part of it; None where nothing is left."""
    if body["kind"] != part["kind"]:
        return body
    listed = _LISTS.get(body["kind"])
    if listed is None:
        return None if body["args"]["path"] == part["args"]["path"] else body
    gone = part["args"][listed]
    left = [one for one in body["args"][listed] if one not in gone]
    return {"kind": body["kind"], "args": {listed: left}} if left else None


def names_of(part: Body) -> list[str]:
    """The names that a part of an effect touches."""
    args = part["args"]
    if "path" in args:
        return [str(args["path"])]
    if "paths" in args:
        return [str(path) for path in args["paths"]]
    return [str(path) for move in args["moves"] for path in move]


def belongs(path: str, part: Body) -> bool:
    """Whether a part of an effect touches a path: by name, or because it moves a folder that holds it."""
    names = names_of(part)
    return path in names or (part["kind"] == "move_files@1" and any(path.startswith(f"{name}/") for name in names))


def _without_folders_of(body: Body, kept: Sequence[str]) -> Body | None:
    """A folder in which something is kept is not deleted."""
    if body["kind"] != "delete_files@1":
        return body
    left = [path for path in body["args"]["paths"] if not any(one.startswith(f"{path}/") for one in kept)]
    return {"kind": body["kind"], "args": {"paths": left}} if left else None
