"""The kinds of effects on names: files that move or are deleted, folders that are made or go with what was in them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from counterfoil.effects import shapes
from counterfoil.effects.imagining import Scene, refusal
from counterfoil.effects.risks import of_names
from counterfoil.effects.sentences import counted, folder_of, size_words
from counterfoil.engine.ports import BadEffect, FileOp, PlanEntry
from counterfoil.facts import Risk
from counterfoil.policy.boundaries import trouble_with, visible

MOST = 50_000  # names in one effect, as many as a stage holds files
Moves = list[tuple[str, str]]


class MoveFiles:
    """`move_files@1`: `{"moves": [[from, to], ...]}`, all at once, to names that are free or become so by it.

    A folder moves with every file and folder in it, each of which stands in the seal.
    """

    phase = 1

    def check(self, args: object) -> None:
        """Raise BadEffect unless the arguments are of its shape."""
        sources: set[str] = set()
        targets: set[str] = set()
        for move in shapes.items(shapes.exactly(args, ("moves",))["moves"], "The moves", least=1, most=MOST):
            source, target = shapes.items(move, "A move", least=2, most=2)
            if shapes.path(source) in sources:
                raise BadEffect(f"The moves name “{visible(source)}” twice.")
            if shapes.path(target) in targets or source == target:
                raise BadEffect(f"The moves name “{visible(target)}” twice.")
            sources.add(source)
            targets.add(target)

    def imagine(self, args: dict[str, Any], scene: Scene, n: int) -> list[FileOp]:
        """Each file is gone from one name and there under the other."""
        files: Moves = []
        folders: Moves = []
        for source, target in args["moves"]:
            if scene.ground.is_folder(source):
                if target.startswith(f"{source}/"):
                    raise refusal(f"The folder “{visible(source)}” cannot be moved into itself.")
                if scene.ground.is_folder(target):
                    raise refusal(f"“{visible(target)}” exists already, and moving never overwrites.")
                _expand(scene, source, target, files, folders)
            else:
                files.append((source, target))
        if len(files) + len(folders) > MOST:
            raise refusal(f"These folders hold more than {MOST:,} files; move them in parts.")
        ops = [
            FileOp(n, "move", source, target, seen.sha, seen.sha, size=seen.size)
            for (source, target), seen in zip(files, scene.move(files, n), strict=True)
        ]
        for _, target in folders:
            scene.make_folder(target, n)
            ops.append(FileOp(n, "mkdir", target, None, None, None))
        for source, _ in reversed(folders):
            scene.remove_folder(source, n)
            ops.append(FileOp(n, "rmdir", source, None, None, None))
        return ops

    def entry(self, args: dict[str, Any], ops: list[FileOp], scene: Scene) -> PlanEntry:
        """`Move 12 files to archive/`; digests only where it is one file."""
        moved = [op for op in ops if op.op == "move"]
        targets = [str(target) for _, target in args["moves"]]
        folders = sorted({folder_of(target) for target in targets})
        one = moved[0] if len(args["moves"]) == len(moved) == len(ops) == 1 else None
        risk, reason = of_names([str(op.target) for op in moved])
        return PlanEntry(
            effect="move_files@1",
            summary=_move_words(args["moves"], moved, ops, folders),
            target=visible(targets[0]) if len(targets) == 1 else ", ".join(folders),
            risk=risk,
            before_digest=one.before if one else None,
            after_digest=one.after if one else None,
            bytes=sum(op.size or 0 for op in moved),
            risk_reason=reason,
        )


def _expand(scene: Scene, source: str, target: str, files: Moves, folders: Moves) -> None:
    """A folder as the moves of all that is in it, outermost first."""
    folders.append((source, target))
    for name in scene.names_in(source):
        inner = f"{source}/{name}"
        trouble = trouble_with(inner) or trouble_with(f"{target}/{name}")
        if trouble is not None:
            raise refusal(trouble)
        if scene.ground.is_folder(inner):
            _expand(scene, inner, f"{target}/{name}", files, folders)
        else:
            files.append((inner, f"{target}/{name}"))


def _move_words(moves: Sequence[Sequence[str]], moved: list[FileOp], ops: list[FileOp], folders: list[str]) -> str:
    if len(moves) == 1:
        (source, target), whole = moves[0], len(ops) > len(moved)
        inside = f", {counted(len(moved), 'file', 'files')}," if whole else ""
        return f"Move {'the folder ' if whole else ''}{visible(source)}{inside} to {visible(target)}"
    where = folders[0] if len(folders) == 1 else counted(len(folders), "folder", "folders")
    whole_folders = len([op for op in ops if op.op == "rmdir"])
    beside = f" in {counted(whole_folders, 'folder', 'folders')}" if whole_folders else ""
    return f"Move {counted(len(moved), 'file', 'files')}{beside} to {where}"


class DeleteFiles:
    """`delete_files@1`: `{"paths": [...]}`; a folder among them must be empty once the whole plan is done."""

    phase = 0

    def check(self, args: object) -> None:
        """Raise BadEffect unless the arguments are of its shape."""
        _check_paths(args)

    def imagine(self, args: dict[str, Any], scene: Scene, n: int) -> list[FileOp]:
        """The files are gone, then the folders, from the inside out."""
        folders = [path for path in args["paths"] if scene.ground.is_folder(path)]
        known = set(folders)
        ops = []
        for path in args["paths"]:
            if path not in known:
                seen = scene.delete(path, n)
                ops.append(FileOp(n, "delete", path, None, seen.sha, None, size=seen.size))
        for path in sorted(folders, key=lambda folder: -folder.count("/")):
            scene.remove_folder(path, n)
            ops.append(FileOp(n, "rmdir", path, None, None, None))
        return ops

    def entry(self, args: dict[str, Any], ops: list[FileOp], scene: Scene) -> PlanEntry:
        """`Delete 3 files and 1 folder`."""
        files = [op for op in ops if op.op == "delete"]
        folders = [op for op in ops if op.op == "rmdir"]
        one = ops[0] if len(ops) == 1 else None
        sizes = sum(op.size or 0 for op in files)
        words = [counted(len(files), "file", "files")] if files else []
        words += [counted(len(folders), "folder", "folders")] if folders else []
        what = " and ".join(words)
        if one is not None:
            what = f"{visible(one.path)} ({size_words(sizes)})" if files else f"the empty folder {visible(one.path)}"
        places = sorted({folder_of(op.path) for op in ops})
        return PlanEntry(
            effect="delete_files@1",
            summary=f"Delete {what}",
            target=visible(one.path) if one else ", ".join(places),
            risk=Risk.DESTROYS if files else Risk.NORMAL,
            before_digest=one.before if one else None,
            bytes=sizes,
        )


class MakeFolders:
    """`make_folders@1`: `{"paths": [...]}`, with those above them."""

    phase = 2

    def check(self, args: object) -> None:
        """Raise BadEffect unless the arguments are of its shape."""
        _check_paths(args)

    def imagine(self, args: dict[str, Any], scene: Scene, n: int) -> list[FileOp]:
        """The folders are there."""
        for path in args["paths"]:
            scene.make_folder(path, n)
        return [FileOp(n, "mkdir", path, None, None, None) for path in args["paths"]]

    def entry(self, args: dict[str, Any], ops: list[FileOp], scene: Scene) -> PlanEntry:
        """`Make the folder reports/2026`."""
        paths = args["paths"]
        one = visible(paths[0]) if len(paths) == 1 else None
        known = sum(scene.ground.is_folder(path) for path in paths)
        risk, reason = of_names(paths)
        there = f" ({'there already' if known == len(paths) else f'{known} there already'})" if known else ""
        return PlanEntry(
            effect="make_folders@1",
            summary=f"Make the folder {one}{there}" if one else f"Make {len(paths)} folders{there}",
            target=one or ", ".join(sorted({folder_of(path) for path in paths})),
            risk=risk,
            risk_reason=reason,
        )


def _check_paths(args: object) -> None:
    seen: set[str] = set()
    for path in shapes.items(shapes.exactly(args, ("paths",))["paths"], "The paths", least=1, most=MOST):
        if shapes.path(path) in seen:
            raise BadEffect(f"The paths name “{visible(path)}” twice.")
        seen.add(path)
