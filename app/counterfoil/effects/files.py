"""Effects on files, from what a person is shown to what is done: prepared, sealed to the files as they were, applied as one set."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from counterfoil.effects import applying
from counterfoil.effects.beneath import Beneath, Blocked
from counterfoil.effects.file_kinds import AppendRows, MoveFiles, WriteFile
from counterfoil.effects.handlers import FileKind
from counterfoil.effects.imagining import Scene, refusal
from counterfoil.effects.sentences import others
from counterfoil.engine.ports import Conflict, EffectTrouble, FileOp, PlanEntry
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
        }

    def prepare(self, items: Sequence[tuple[int, Body]], workspace: str) -> dict[int, PlanEntry]:
        """What the file effects of a plan would do, each on top of those before it; entries by item number.

        Raises:
            EffectTrouble: an item cannot be done, or not after an earlier one.
        """
        entries: dict[int, PlanEntry] = {}
        if not items:
            return entries
        try:
            with Beneath(workspace) as ground:
                scene = Scene(ground, self._blobs)
                for n, body in items:
                    kind, args = self.kinds[body["kind"]], body["args"]
                    ops = kind.imagine(args, scene, n)
                    base = {path: _sha(scene, path) for path in kind.paths(args)}
                    entry = kind.entry(args, ops, scene)
                    entry.base.update(base)
                    entries[n] = entry
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
                scene = Scene(ground, self._blobs)
                self._refuse_changed(items, scene)
                return [op for n, body, _ in items for op in self.kinds[body["kind"]].imagine(body["args"], scene, n)]
        except Blocked as problem:
            raise Conflict(str(problem), [problem.path]) from problem
        except EffectTrouble as problem:
            paths = [path for _, body, _ in items for path in self.kinds[body["kind"]].paths(body["args"])]
            raise Conflict(f"{str(problem).rstrip('.')}; nothing was written.", paths) from problem

    def _refuse_changed(self, items: Sequence[Sealed], scene: Scene) -> None:
        changed: dict[str, None] = {}
        for _, body, base in items:
            for path in self.kinds[body["kind"]].paths(body["args"]):
                if path not in base or base[path] != _sha(scene, path):
                    changed[path] = None
        if changed:
            its = "it was" if len(changed) == 1 else "they were"
            raise Conflict(f"{others(list(changed))} changed since {its} approved; nothing was written.", list(changed))

    def outcomes(self, ops: Sequence[FileOp]) -> dict[int, Any]:
        """The outcomes of a set that was applied before: see `applying.outcomes`."""
        return applying.outcomes(ops)

    def apply(self, ops: Sequence[FileOp], workspace: str, undo: str | Path) -> dict[int, Any]:
        """Apply a whole set, or what is left of it after a crash: see `applying.apply_files`."""
        return applying.apply_files(ops, workspace, str(undo))


def _sha(scene: Scene, path: str) -> str | None:
    seen = scene.real(path)
    return seen.sha if seen else None
