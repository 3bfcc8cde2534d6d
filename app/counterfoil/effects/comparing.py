"""A set of approved effects held against the folder as it is: what is not as it was approved, and what each answer would do about it.

For every file an answer is tried out before it is offered: its effects are imagined on the folder as it is, so what a person is shown is
what would be done, and what cannot be done is not offered.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Any

from counterfoil.effects.arranging import above
from counterfoil.effects.beneath import Beneath, Seen, same_folder
from counterfoil.effects.fresh_names import FreshNames
from counterfoil.effects.handlers import FileKind
from counterfoil.effects.imagining import FOLDER, Scene
from counterfoil.effects.sentences import counted
from counterfoil.engine.conflicts import BOTH, KEEP, USE, belongs, names_of, parts_of
from counterfoil.engine.ports import ROOT, ChangedFile, Comparison, EffectTrouble, FileOp, Remade
from counterfoil.policy.boundaries import visible
from counterfoil.policy.names import twin_words
from counterfoil.store.blobs import Blobs

Body = dict[str, Any]
Base = dict[str, str | None]
Item = tuple[int, Body, Base]
Part = tuple[int, Body]
_TRIES = 50  # names that are tried for a file that is put beside another
_ODD = "something else"  # a state that is no file, no folder and not nothing


@dataclass(slots=True)
class _Unit:
    """Parts of effects that can only be answered together: those of one file, or of names that move in a circle."""

    parts: list[Part]
    base: Base = field(default_factory=dict)

    @property
    def path(self) -> str:
        """What people know it by."""
        return names_of(self.parts[0][1])[0]


class Comparing:
    """One comparison. `mark` goes into the names of files that are put beside others: `ledger (run 12).csv`."""

    def __init__(self, kinds: Mapping[str, FileKind], blobs: Blobs, ground: Beneath, mark: str) -> None:
        self._kinds = kinds
        self._blobs = blobs
        self._ground = ground
        self._mark = mark
        self._look = Scene(ground, blobs)

    def compare(self, items: Sequence[Item]) -> Comparison:
        """What is not as its seal names it."""
        leaving = {name for _, body, _ in items for name in _leaves(body)}
        taken = {name for _, body, _ in items for name in names_of(body)}
        files = []
        for unit in _units(items):
            why = self._why(unit, leaving)
            if why:
                files.append(self._changed(unit, why, taken, leaving))
        root = self._ground.identity
        was = next((base[ROOT] for _, _, base in items if ROOT in base), None)
        return Comparison(root, not same_folder(was, root), tuple(files))

    # --------------------------------------------------------------------------------------------------- what is different

    def _why(self, unit: _Unit, leaving: set[str]) -> str:
        """What is wrong with a unit, as a clause about its path; "" where it is as it was approved."""
        for path, was in unit.base.items():
            if was is None and any(folder in leaving for folder in above(path)):
                continue  # something that the set itself clears away is in its place
            if self._state(path) != was:
                return self._clause(unit, path, was)
        for _, part in unit.parts:
            odd = self._added(part, unit.base, leaving) or self._second_names(part)
            if odd:
                return odd
        return self._twin(unit, leaving)

    def _twin(self, unit: _Unit, leaving: Container[str]) -> str:
        """What has come beside a name that the unit would make, and is the same name to some system."""
        names = FreshNames(self._ground, leaving)
        arrives = [name for _, part in unit.parts for name in _arrives(part) if unit.base.get(name) is None]
        for path in names.new_in(arrives):
            other = names.twin(path)
            if other is not None:
                of_it = "" if path == unit.path else f"is not as it was approved: {visible(path)} "
                return f"{of_it}{twin_words(other)}, which is there by now"
        return ""

    def _clause(self, unit: _Unit, path: str, was: str | None) -> str:
        now = self._state(path)
        of_it = "" if path == unit.path else f": {visible(path)} "
        if now is None:
            clause = "is gone"
        elif was is None:
            clause = "exists by now" if now != _ODD else "cannot be made"
        elif {now, was} & {FOLDER, _ODD}:
            clause = "is something else by now"
        else:
            clause = "changed since it was approved"
        return f"is not as it was approved{of_it}{clause}" if of_it else clause

    def _state(self, path: str) -> str | None:
        try:
            return self._look.state(path)
        except EffectTrouble:
            return _ODD

    def _added(self, part: Body, base: Base, leaving: set[str]) -> str:
        """What has come into a folder that moves or is deleted."""
        for folder in (path for path, was in base.items() if was == FOLDER and belongs(path, part)):
            if self._ground.is_folder(folder):
                new = [name for name in self._look.names_in(folder) if f"{folder}/{name}" not in base.keys() | leaving]
                if new:
                    return f"holds {visible(new[0])} by now"
        return ""

    def _second_names(self, part: Body) -> str:
        """A file with hard links is not replaced, so that its other names keep what they have."""
        if "path" not in part["args"]:
            return ""
        seen = self._seen(part["args"]["path"])
        return "has more than one name (hard links) by now" if seen is not None and seen.names > 1 else ""

    def _seen(self, path: str) -> Seen | None:
        try:
            return self._look.before(path)
        except EffectTrouble:
            return None

    # ---------------------------------------------------------------------------------------------------------- the answers

    def _changed(self, unit: _Unit, why: str, taken: set[str], leaving: set[str]) -> ChangedFile:
        tried = {USE: self._use(unit), BOTH: self._both(unit, taken, leaving)}
        made = {choice: remade for choice, remade in tried.items() if remade is not None}
        now = self._seen(unit.path)
        return ChangedFile(
            path=unit.path,
            why=why,
            before=unit.base.get(unit.path),
            now=None if now is None else {"sha256": now.sha, "size": now.size, "changed_at": now.changed_us},
            does=_does(unit.parts),
            parts=tuple(unit.parts),
            choices=(KEEP, *made),
            made=made,
        )

    def _use(self, unit: _Unit) -> Remade | None:
        """The same effects on what is there now; what stands at the new name of a moved file makes room for it, into the undo store."""
        clear = [
            (n, {"kind": "delete_files@1", "args": {"paths": [target]}})
            for n, part in unit.parts
            if part["kind"] == "move_files@1"
            for _, target in part["args"]["moves"]
            if unit.base.get(target, "") is None and self._seen(target) is not None
        ]
        return self._tried([*clear, *unit.parts])

    def _both(self, unit: _Unit, taken: set[str], leaving: set[str]) -> Remade | None:
        """The run's go to a free name beside what is there."""
        kinds = {part["kind"] for _, part in unit.parts}
        moves = [move for _, part in unit.parts if part["kind"] == "move_files@1" for move in part["args"]["moves"]]
        if kinds == {"move_files@1"}:
            # What is at the old name is the only one there is, so it can only be spared where the new name is taken.
            (source, path), *more = moves
            if more or not self._is_taken(unit, path, leaving) or self._state(source) != unit.base.get(source):
                return None
        elif kinds <= {"write_file@1", "append_rows@1"} and self._is_taken(unit, unit.path, leaving):
            path = unit.path
        else:
            return None
        free = self._free_name(path, taken)
        return None if free is None else self._tried([(n, _renamed(part, path, free)) for n, part in unit.parts])

    def _is_taken(self, unit: _Unit, path: str, leaving: Container[str]) -> bool:
        """Whether something has a name, or one that is the same to some system."""
        return self._state(path) is not None or bool(self._twin(unit, leaving))

    def _free_name(self, path: str, taken: set[str]) -> str | None:
        place = PurePosixPath(path)
        for number in range(1, _TRIES):
            mark = self._mark if number == 1 else f"{self._mark}, {number}"
            name = str(place.with_name(f"{place.stem} ({mark}){place.suffix}"))
            if name not in taken and self._state(name) is None:
                return name
        return None

    def _tried(self, parts: Sequence[Part]) -> Remade | None:
        """What effects come to on the folder as it is; None where they cannot be done."""
        scene = Scene(self._ground, self._blobs)
        ops: list[FileOp] = []
        base: Base = {}
        try:
            for n, part in sorted(parts, key=lambda one: self._kinds[one[1]["kind"]].phase):
                its = self._kinds[part["kind"]].imagine(part["args"], scene, n)
                base.update(scene.base(its))
                ops += its
            scene.settle()
            scene.refuse_names()
        except EffectTrouble:
            return None
        return Remade(tuple(parts), base, _file_of(ops))


def _units(items: Sequence[Item]) -> Iterator[_Unit]:
    """The parts of a set in groups, each with what its seal names of it."""
    groups: list[_Unit] = []
    by_name: dict[str, _Unit] = {}
    for n, body, base in items:
        for part in parts_of(body):
            names = names_of(part)
            joined = list({id(by_name[name]): by_name[name] for name in names if name in by_name}.values())
            unit = joined[0] if joined else _Unit([])
            if not joined:
                groups.append(unit)
            for other in joined[1:]:
                unit.parts += other.parts
                unit.base |= other.base
                groups.remove(other)
            unit.parts.append((n, part))
            unit.base |= {path: was for path, was in base.items() if path != ROOT and belongs(path, part)}
            for name in {name for _, one in unit.parts for name in names_of(one)}:
                by_name[name] = unit
    for unit in groups:
        unit.parts = _at_once(unit.parts)
        yield unit


def _at_once(parts: list[Part]) -> list[Part]:
    """Moves of one item that depend on each other happen at once."""
    moves: dict[int, list[Any]] = {}
    for n, part in parts:
        if part["kind"] == "move_files@1":
            moves.setdefault(n, []).extend(part["args"]["moves"])
    rest = [(n, part) for n, part in parts if part["kind"] != "move_files@1"]
    return [(n, {"kind": "move_files@1", "args": {"moves": those}}) for n, those in moves.items()] + rest


def _leaves(body: Body) -> list[str]:
    """The names that an effect makes free."""
    if body["kind"] == "delete_files@1":
        return [str(path) for path in body["args"]["paths"]]
    if body["kind"] == "move_files@1":
        return [str(source) for source, _ in body["args"]["moves"]]
    return []


def _arrives(body: Body) -> list[str]:
    """The names that are there after an effect."""
    args = body["args"]
    match body["kind"]:
        case "move_files@1":
            return [str(target) for _, target in args["moves"]]
        case "make_folders@1":
            return [str(path) for path in args["paths"]]
        case "delete_files@1":
            return []
        case _:
            return [str(args["path"])]


def _renamed(part: Body, path: str, new: str) -> Body:
    """A part that puts its file under another name."""
    args = part["args"]
    if "path" in args:
        return {"kind": part["kind"], "args": {**args, "path": new}}
    return {
        "kind": part["kind"],
        "args": {"moves": [[source, new if target == path else target] for source, target in args["moves"]]},
    }


def _file_of(ops: Sequence[FileOp]) -> dict[str, Any] | None:
    """The one file that comes out of some ops."""
    arrived = {op.target or op.path: op for op in ops if op.op in ("write", "append", "move")}
    if len(arrived) != 1:
        return None
    path, op = next(iter(arrived.items()))
    return {"path": path, "sha256": op.after, "size": op.size}


def _does(parts: Sequence[Part]) -> str:
    """What the run would do, in words."""
    said: dict[str, None] = {}
    for _, part in parts:
        args = part["args"]
        match part["kind"]:
            case "write_file@1":
                said["write the whole file"] = None
            case "append_rows@1":
                said[f"add {counted(len(args['rows']), 'row', 'rows')}"] = None
            case "delete_files@1":
                said["delete it"] = None
            case "make_folders@1":
                said["make it a folder"] = None
            case _:
                said |= {f"move it to {visible(target)}": None for _, target in args["moves"]}
    words = ", then ".join(said)
    return f"{words[:1].upper()}{words[1:]}"
