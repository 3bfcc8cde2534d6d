"""What a change of files is beyond its bytes: run or obeyed by other programs later on; told with the reason."""

from __future__ import annotations

from collections.abc import Sequence

from counterfoil.effects.imagining import Scene
from counterfoil.engine.ports import FileOp
from counterfoil.facts import Risk
from counterfoil.policy.boundaries import visible
from counterfoil.policy.file_classes import runs_later

_NAMED = 5  # files of one item whose reasons are told one by one
_PROGRAM = "it becomes a program that can be started"


def of_new_bytes(op: FileOp, scene: Scene, *, becomes_program: bool = False) -> tuple[Risk, str | None]:
    """The risk of new bytes in a file, or of new permission to run it, and why."""
    if becomes_program:
        return _risk([(op.path, _PROGRAM)])
    if op.before == op.after:
        return Risk.NORMAL, None
    why = runs_later(op.path, scene.head_before(op.path), scene.head_after(op))
    return _risk([(op.path, why)] if why else [])


def of_names(paths: Sequence[str]) -> tuple[Risk, str | None]:
    """The risk of files or folders that get these names, and why."""
    return _risk([(path, why) for path in paths if (why := runs_later(path))])


def _risk(found: list[tuple[str, str]]) -> tuple[Risk, str | None]:
    """The risk of files that run later: path and clause of each."""
    if not found:
        return Risk.NORMAL, None
    said = [f"“{visible(path)}” runs later: {why}." for path, why in found[:_NAMED]]
    if len(found) > _NAMED:
        said.append(f"So do {len(found) - _NAMED} more of these files.")
    return Risk.RUNS_LATER, " ".join(said)
