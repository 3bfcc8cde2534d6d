"""The three kinds of effects on files: what their arguments are, and what they would do to a scene."""

from __future__ import annotations

import hashlib
from typing import Any

from counterfoil.effects import shapes
from counterfoil.effects.csv_rows import Unfit, appended
from counterfoil.effects.imagining import Scene, refusal
from counterfoil.effects.sentences import counted, folder_of, size_words
from counterfoil.engine.ports import BadEffect, FileOp, PlanEntry
from counterfoil.facts import Risk
from counterfoil.policy.boundaries import visible
from counterfoil.policy.file_classes import HEAD, runs_later
from counterfoil.store.blobs import Blobs

_NAMED = 5  # files of one item whose reasons are told one by one


class WriteFile:
    """`write_file@1`: `{"path", "data"}`, one whole file."""

    def __init__(self, blobs: Blobs) -> None:
        self._blobs = blobs

    def check(self, args: object) -> None:
        """Raise BadEffect unless the arguments are of its shape."""
        given = shapes.exactly(args, ("path", "data"))
        shapes.path(given["path"])
        shapes.content_size(given["data"], "The content", self._blobs)

    def paths(self, args: dict[str, Any]) -> list[str]:
        """The file."""
        return [args["path"]]

    def imagine(self, args: dict[str, Any], scene: Scene, n: int) -> list[FileOp]:
        """The file is there with its new content."""
        path, data = args["path"], shapes.content(args["data"], scene.blobs)
        scene.write(path, data, n)
        seen = scene.real(path)
        return [FileOp(n, "write", path, None, seen.sha if seen else None, _sha(data), data)]

    def entry(self, args: dict[str, Any], ops: list[FileOp], scene: Scene) -> PlanEntry:
        """`Write payments/r-12.xml (3.4 KB, new)`."""
        op, seen = ops[0], scene.real(args["path"])
        size = len(op.content or b"")
        how = "new" if seen is None else f"replaces {size_words(seen.size)}"
        if op.before == op.after:
            how = "already as it shall be"
        risk, reason = _risk_of(op, scene)
        return PlanEntry(
            effect="write_file@1",
            summary=f"Write {visible(op.path)} ({size_words(size)}, {how})",
            target=visible(op.path),
            risk=risk,
            before_digest=op.before,
            after_digest=op.after,
            bytes=size,
            risk_reason=reason,
        )


class AppendRows:
    """`append_rows@1`: `{"path", "columns", "rows"}`, rows of text cells at the end of a CSV file."""

    def check(self, args: object) -> None:
        """Raise BadEffect unless the arguments are of its shape."""
        given = shapes.exactly(args, ("path", "columns", "rows"))
        shapes.path(given["path"])
        columns = shapes.items(given["columns"], "The columns", least=1, most=500)
        for name in columns:
            shapes.text(name, "A column's name", longest=200, lines=True, empty=False)
        if len(set(columns)) != len(columns):
            raise BadEffect("A column is named twice.")
        for row in shapes.items(given["rows"], "The rows", least=0, most=100_000):
            for cell in shapes.items(row, "A row", least=len(columns), most=len(columns)):
                shapes.text(cell, "A cell", longest=32_000, lines=True)

    def paths(self, args: dict[str, Any]) -> list[str]:
        """The file."""
        return [args["path"]]

    def imagine(self, args: dict[str, Any], scene: Scene, n: int) -> list[FileOp]:
        """The file is there, longer by the rows."""
        path = args["path"]
        existing = scene.content(path)
        try:
            data = appended(existing, args["columns"], args["rows"])
        except Unfit as problem:
            raise refusal(f"Rows cannot be appended: “{visible(path)}” {visible(str(problem))}.") from problem
        scene.append(path, data, n)
        return [FileOp(n, "append", path, None, None if existing is None else _sha(existing), _sha(data), data)]

    def entry(self, args: dict[str, Any], ops: list[FileOp], scene: Scene) -> PlanEntry:
        """`Append 12 rows to ledger.csv`."""
        op = ops[0]
        new = " (new file)" if op.before is None else ""
        risk, reason = _risk_of(op, scene)
        return PlanEntry(
            effect="append_rows@1",
            summary=f"Append {counted(len(args['rows']), 'row', 'rows')} to {visible(op.path)}{new}",
            target=visible(op.path),
            risk=risk,
            before_digest=op.before,
            after_digest=op.after,
            bytes=len(op.content or b""),
            risk_reason=reason,
        )


class MoveFiles:
    """`move_files@1`: `{"moves": [[from, to], ...]}`, to names that are free."""

    def check(self, args: object) -> None:
        """Raise BadEffect unless the arguments are of its shape."""
        touched: set[str] = set()
        for move in shapes.items(shapes.exactly(args, ("moves",))["moves"], "The moves", least=1, most=10_000):
            for path in shapes.items(move, "A move", least=2, most=2):
                if shapes.path(path) in touched:
                    raise BadEffect(f"The moves name “{visible(path)}” twice.")
                touched.add(path)

    def paths(self, args: dict[str, Any]) -> list[str]:
        """Where files come from and go to."""
        return [path for move in args["moves"] for path in move]

    def imagine(self, args: dict[str, Any], scene: Scene, n: int) -> list[FileOp]:
        """Each file is gone from one name and there under the other."""
        ops = []
        for source, target in args["moves"]:
            seen = scene.move(source, target, n)
            ops.append(FileOp(n, "move", source, target, seen.sha, seen.sha))
        return ops

    def entry(self, args: dict[str, Any], ops: list[FileOp], scene: Scene) -> PlanEntry:
        """`Move 12 files to archive/`; digests only where it is one file."""
        sizes = [seen.size for op in ops if (seen := scene.real(op.path)) is not None]
        targets = [str(op.target) for op in ops]
        folders = sorted({folder_of(target) for target in targets})
        one = ops[0] if len(ops) == 1 else None
        where = folders[0] if len(folders) == 1 else counted(len(folders), "folder", "folders")
        risk, reason = _risk([(target, why) for target in targets if (why := runs_later(target))])
        return PlanEntry(
            effect="move_files@1",
            summary=f"Move {visible(one.path)} to {visible(targets[0])}"
            if one
            else f"Move {len(ops)} files to {where}",
            target=visible(targets[0]) if one else ", ".join(folders),
            risk=risk,
            before_digest=one.before if one else None,
            after_digest=one.after if one else None,
            bytes=sum(sizes),
            risk_reason=reason,
        )


def _risk_of(op: FileOp, scene: Scene) -> tuple[Risk, str | None]:
    """The risk of new bytes in a file, and why."""
    if op.before == op.after:
        return Risk.NORMAL, None
    why = runs_later(op.path, scene.head(op.path), (op.content or b"")[:HEAD])
    return _risk([(op.path, why)] if why else [])


def _risk(found: list[tuple[str, str]]) -> tuple[Risk, str | None]:
    """The risk of files that run later: path and clause of each."""
    if not found:
        return Risk.NORMAL, None
    said = [f"“{visible(path)}” runs later: {why}." for path, why in found[:_NAMED]]
    if len(found) > _NAMED:
        said.append(f"So do {len(found) - _NAMED} more of these files.")
    return Risk.RUNS_LATER, " ".join(said)


def _sha(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
