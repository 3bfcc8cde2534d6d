"""Putting back what a run did to files: an apply set like any other, whose contents are the originals that earlier sets displaced.

So it is whole or not at all, and carried on after a crash. Its ops are written down before the first file changes: what lies in the stores
is different once it has begun.
"""

from __future__ import annotations

import contextlib
import dataclasses
import json
from collections.abc import Iterable, Sequence
from typing import Any

from counterfoil.authoring.codec import canonical
from counterfoil.effects.applying import apply_changes
from counterfoil.effects.arranging import above, arranged
from counterfoil.effects.beneath import Beneath, Blocked
from counterfoil.engine.ports import FileOp
from counterfoil.places import Home
from counterfoil.store.originals import set_of, store_places
from counterfoil.views.undo_plan import Piece, UndoPlan, Unit


def written_plan(plan: UndoPlan, paths: Sequence[str], home: Home, workspace: str) -> str:
    """What will be done for these files, as text that a crash is carried on from."""
    wanted = set(paths)
    units = [unit for unit in plan.units if wanted.intersection(unit.paths)]
    whole = len(units) == len(plan.units)
    pieces = [piece for unit in units for piece in unit.pieces]
    landing = [piece.back for piece in pieces if piece.back is not None]
    ops = [_op(piece, home, workspace) for piece in pieces]
    ops += [_folder("mkdir", path, mode) for path, mode in plan.removed if whole or _holds(path, landing)]
    ops += [_folder("rmdir", path) for path in plan.made if any(_is_at(path, back) for back in landing)]
    with Beneath(workspace) as ground:
        root = ground.identity
    told = {
        "ops": [dataclasses.asdict(op) for op in ops],
        "stores": {piece.kept.gate_id: piece.kept.set_id for piece in pieces if piece.kept is not None},
        "made": list(plan.made),
        "root": root,
        "names": sorted({name for unit in units for name in _names(unit)}),
        "whole": whole,
    }
    return canonical(told)


def _op(piece: Piece, home: Home, workspace: str) -> FileOp:
    if piece.kept is None:
        if piece.now is None or piece.back is None:
            return FileOp(1, "delete", str(piece.now), None, piece.sha, None)
        return FileOp(1, "move", piece.now, piece.back, piece.sha, piece.sha)
    target = f"{piece.kept.gate_id}/{piece.kept.slot}"
    runs = _runs(home, workspace, piece) if piece.now is not None else None
    return FileOp(1, "restore", str(piece.back), target, piece.sha, piece.kept.sha, executable=runs)


def _runs(home: Home, workspace: str, piece: Piece) -> bool | None:
    """Whether an original was a program."""
    if piece.kept is None:
        return None
    for folder in store_places(home, workspace, piece.kept.gate_id):
        with contextlib.suppress(OSError):
            return bool((folder / piece.kept.slot).stat(follow_symlinks=False).st_mode & 0o100)
    return None


def _folder(op: str, path: str, mode: int | None = None) -> FileOp:
    return FileOp(1, op, path, None, None, None, mode=mode)


def _holds(folder: str, paths: Iterable[str]) -> bool:
    return any(path.startswith(f"{folder}/") for path in paths)


def _is_at(folder: str, path: str) -> bool:
    """Whether a folder has to go before a file can have the path."""
    return folder == path or path in above(folder)


def _names(unit: Unit) -> list[str]:
    return [name for piece in unit.pieces for name in piece.names]


def put_back(text: str, home: Home, workspace: str, undo_id: str) -> None:
    """Do what was written down, or what is left of it after a crash. Blocking.

    Raises:
        Conflict: a file is not what the run left there, or a name is taken; nothing was put back.
        EffectTrouble: the folder cannot be written; nothing was put back.
        OutcomeUnknown: it failed, and not everything could be made as it was.
    """
    told: dict[str, Any] = json.loads(text)
    ops = [FileOp(**op) for op in told["ops"]]
    set_id = set_of([op.plain for op in ops])
    stores = {gate: (str(home.undo / gate), its_set) for gate, its_set in told["stores"].items()}
    store = str(home.undo / undo_id)
    apply_changes(arranged(ops, set_id, None), set_id, workspace, store, root=told["root"], others=stores)
    _remove_empty(workspace, told["made"])


def _remove_empty(workspace: str, made: Sequence[str]) -> None:
    """Folders that the run made go with what was in them; one that holds anything else stays."""
    with contextlib.suppress(Blocked), Beneath(workspace) as ground:
        for folder in sorted(made, key=lambda path: -path.count("/")):
            with contextlib.suppress(OSError, Blocked):
                ground.remove_folder(folder)
