"""Effects on files, from what a person is shown to what is done: prepared, sealed to the files as they were, applied as one set."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from counterfoil.effects import applying
from counterfoil.effects.beneath import Beneath, Blocked, same_folder
from counterfoil.effects.comparing import Comparing
from counterfoil.effects.file_kinds import AppendRows, WriteFile
from counterfoil.effects.handlers import FileKind
from counterfoil.effects.imagining import Scene, refusal
from counterfoil.effects.name_kinds import DeleteFiles, MakeFolders, MoveFiles
from counterfoil.effects.sentences import other_folder, others
from counterfoil.engine.ports import ROOT, Comparison, Conflict, EffectTrouble, FileOp, PlanEntry
from counterfoil.policy.boundaries import visible
from counterfoil.store.blobs import Blobs

Body = dict[str, Any]
Sealed = tuple[int, Body, dict[str, str | None]]


class FileEffects:
    """The kinds of effects on files, and what they do together."""

    def __init__(self, blobs: Blobs) -> None:
        self._blobs = blobs
        self.kinds: Mapping[str, FileKind] = {
            "write_file@1": WriteFile(blobs),
            "append_rows@1": AppendRows(),
            "move_files@1": MoveFiles(),
            "delete_files@1": DeleteFiles(),
            "make_folders@1": MakeFolders(),
        }

    def prepare(self, items: Sequence[tuple[int, Body]], workspace: str) -> dict[int, PlanEntry]:
        """What the file effects of a plan would do together; entries by item number.

        Raises:
            EffectTrouble: an item cannot be done, or not together with another.
        """
        entries: dict[int, PlanEntry] = {}
        if not items:
            return entries
        try:
            with Beneath(workspace) as ground:
                scene = Scene(ground, self._blobs)
                for n, body in sorted(items, key=self._phase):
                    kind, args = self.kinds[body["kind"]], body["args"]
                    ops = kind.imagine(args, scene, n)
                    entry = kind.entry(args, ops, scene)
                    entry.base.update(scene.base(ops))
                    entries[n] = entry
                scene.settle()
                scene.refuse_names()
        except Blocked as problem:
            raise refusal(str(problem)) from problem
        return entries

    def file_ops(self, items: Sequence[Sealed], workspace: str) -> list[FileOp]:
        """The journal of an apply set.

        Raises:
            Conflict: a file is not as the approval was sealed to it, or the items do not go together.
        """
        try:
            with Beneath(workspace) as ground:
                return self._sealed_ops(items, Scene(ground, self._blobs), workspace)
        except Blocked as problem:
            raise Conflict(str(problem), [problem.path]) from problem

    def _sealed_ops(self, items: Sequence[Sealed], scene: Scene, workspace: str) -> list[FileOp]:
        ops: list[FileOp] = []
        changed: dict[str, None] = {}
        trouble: EffectTrouble | None = None
        for n, body, base in sorted(items, key=self._phase):
            fresh: dict[str, str | None] = {}
            if trouble is None:
                try:
                    its = self.kinds[body["kind"]].imagine(body["args"], scene, n)
                    fresh = scene.base(its)
                    ops += its
                except EffectTrouble as problem:
                    trouble = problem
            changed |= dict.fromkeys(_differing(base, fresh, scene))
        if trouble is None:
            try:
                scene.settle()
            except EffectTrouble as problem:
                trouble = problem
        if ROOT in changed:
            raise Conflict(f"{other_folder(workspace)}; nothing was written.", [ROOT])
        if changed:
            they = "it was" if len(changed) == 1 else "they were"
            raise Conflict(
                f"{others(list(changed))} changed since {they} approved; nothing was written.", list(changed)
            )
        if trouble is not None:
            paths = [path for _, _, base in items for path in base if path != ROOT]
            raise Conflict(f"{str(trouble).rstrip('.')}; nothing was written.", list(dict.fromkeys(paths))) from trouble
        odd = scene.odd_names()
        if odd:
            path, why = next(iter(odd.items()))
            raise Conflict(f"“{visible(path)}” {why}; nothing was written.", list(odd))
        return sorted(ops, key=lambda op: op.n)

    def _phase(self, item: tuple[Any, ...]) -> int:
        """Where an item stands in the order in which a plan is imagined."""
        return self.kinds[item[1]["kind"]].phase

    def compare(self, items: Sequence[Sealed], workspace: str, mark: str) -> Comparison:
        """What of an apply set is not as its approval was sealed to; `mark` goes into the name of a file that is put beside another.

        Raises:
            EffectTrouble: the folder itself cannot be read.
        """
        try:
            with Beneath(workspace) as ground:
                return Comparing(self.kinds, self._blobs, ground, mark).compare(items)
        except Blocked as problem:
            raise refusal(str(problem)) from problem

    def outcomes(self, ops: Sequence[FileOp]) -> dict[int, Any]:
        """The outcomes of a set that was applied before: see `applying.outcomes`."""
        return applying.outcomes(ops)

    def apply(self, ops: Sequence[FileOp], workspace: str, undo: str | Path, root: str | None = None) -> dict[int, Any]:
        """Apply a whole set, or what is left of it after a crash: see `applying.apply_files`."""
        return applying.apply_files(ops, workspace, str(undo), root=root, contents=self._blobs.path)


def _differing(base: Mapping[str, str | None], fresh: Mapping[str, str | None], scene: Scene) -> list[str]:
    """The paths that are not as a seal names them; what is imagined but not sealed is among them."""
    found = [path for path in fresh if path not in base]
    for path, was in base.items():
        if path == ROOT:
            same = same_folder(was, scene.ground.identity)
        elif path in fresh:
            same = fresh[path] == was
        else:
            same = _now(scene, path) == was
        if not same:
            found.append(path)
    return found


def _now(scene: Scene, path: str) -> str | None:
    """What a seal would name of a path; what cannot be told differs from everything."""
    try:
        return scene.state(path)
    except EffectTrouble:
        return "something else"
