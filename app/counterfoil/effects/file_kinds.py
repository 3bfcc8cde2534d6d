"""The kinds of effects that give a file new bytes: what their arguments are, and what they would do to a scene."""

from __future__ import annotations

import hashlib
from typing import Any

from counterfoil.effects import shapes
from counterfoil.effects.beneath import Seen
from counterfoil.effects.imagining import Scene, refusal
from counterfoil.effects.risks import of_new_bytes
from counterfoil.effects.sentences import counted, size_words
from counterfoil.engine.ports import BadEffect, FileOp, PlanEntry
from counterfoil.policy.boundaries import visible
from counterfoil.previews.csv_rows import Unfit, appended
from counterfoil.store.blobs import Blobs


class WriteFile:
    """`write_file@1`: `{"path", "data"}`, one whole file; with `executable` true or false it becomes a program, or is none any more."""

    phase = 3

    def __init__(self, blobs: Blobs) -> None:
        self._blobs = blobs

    def check(self, args: object) -> None:
        """Raise BadEffect unless the arguments are of its shape."""
        given = shapes.exactly(args, ("path", "data"), may=("executable",))
        shapes.path(given["path"])
        if "executable" in given and type(given["executable"]) is not bool:
            raise BadEffect("Whether the file is a program is neither true nor false.")
        shapes.content_size(given["data"], "The content", self._blobs)

    def imagine(self, args: dict[str, Any], scene: Scene, n: int) -> list[FileOp]:
        """The file is there with its new content."""
        path, given = args["path"], args["data"]
        data = None if "$blob" in given else shapes.content(given, scene.blobs)
        sha = str(given["$blob"]) if data is None else _sha(data)
        seen = scene.write(path, sha, data, n)
        return [
            FileOp(
                n,
                "write",
                path,
                None,
                seen.sha if seen else None,
                sha,
                data,
                executable=args.get("executable"),
                size=shapes.size_of(given),
            )
        ]

    def entry(self, args: dict[str, Any], ops: list[FileOp], scene: Scene) -> PlanEntry:
        """`Write payments/r-12.xml (3.4 kB, new)`."""
        op, seen = ops[0], scene.before(args["path"])
        size = op.size or 0
        how = "new" if seen is None else f"replaces {size_words(seen.size)}"
        becomes = _becomes(op.executable, seen)
        if op.before == op.after and not becomes:
            how = "already as it shall be"
        risk, reason = of_new_bytes(op, scene, becomes_program=bool(becomes and op.executable))
        return PlanEntry(
            effect="write_file@1",
            summary=f"Write {visible(op.path)} ({size_words(size)}, {how}{becomes})",
            target=visible(op.path),
            risk=risk,
            before_digest=op.before,
            after_digest=op.after,
            bytes=size,
            risk_reason=reason,
        )


class AppendRows:
    """`append_rows@1`: `{"path", "columns", "rows"}`, rows of text cells at the end of a CSV file."""

    phase = 3

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

    def imagine(self, args: dict[str, Any], scene: Scene, n: int) -> list[FileOp]:
        """The file is there, longer by the rows."""
        path = args["path"]
        existing = scene.content(path)
        try:
            data = appended(existing, args["columns"], args["rows"])
        except Unfit as problem:
            raise refusal(f"Rows cannot be appended: “{visible(path)}” {visible(str(problem))}.") from problem
        before, after = None if existing is None else _sha(existing), _sha(data)
        scene.append(path, after, data, n)
        return [FileOp(n, "append", path, None, before, after, data, size=len(data))]

    def entry(self, args: dict[str, Any], ops: list[FileOp], scene: Scene) -> PlanEntry:
        """`Append 12 rows to ledger.csv`."""
        op = ops[0]
        new = " (new file)" if op.before is None else ""
        risk, reason = of_new_bytes(op, scene)
        return PlanEntry(
            effect="append_rows@1",
            summary=f"Append {counted(len(args['rows']), 'row', 'rows')} to {visible(op.path)}{new}",
            target=visible(op.path),
            risk=risk,
            before_digest=op.before,
            after_digest=op.after,
            bytes=op.size,
            risk_reason=reason,
        )


def _becomes(executable: bool | None, seen: Seen | None) -> str:
    """What of being a program changes, as a clause of the summary."""
    was = seen is not None and bool(seen.mode & 0o100)
    if executable is None or executable == was:
        return ""
    return ", becomes a program" if executable else ", a program no more"


def _sha(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
