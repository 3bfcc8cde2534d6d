"""What a run has made of its copy of the workspace: one Change per path, and the effects that would make the workspace the same."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from counterfoil.policy.boundaries import visible

What = Literal["new", "changed", "removed", "moved", "type", "mode"]
Kind = Literal["file", "folder", "link", "special"]
Body = dict[str, Any]
_MOST_PATHS = 5_000  # in one effect


@dataclass(frozen=True, slots=True)
class Side:
    """What stands at a path: of a file its SHA-256, size and whether it is a program, of a link where it leads."""

    kind: Kind
    sha256: str | None = None
    size: int = 0
    executable: bool = False
    target: str | None = None


@dataclass(frozen=True, slots=True)
class Change:
    """One path that is not as it was.

    `source` is where a moved file was. `blocked` is why this change is not carried out, as a sentence; "" where it is.
    """

    path: str
    what: What
    before: Side | None = None
    after: Side | None = None
    source: str = ""
    blocked: str = ""


def blocked_because(path: str, reason: str) -> str:
    """The sentence for a reason that ends it."""
    return f"“{visible(path)}” {reason}."


@dataclass(frozen=True, slots=True)
class Diff:
    """All changes by path, what is blocked included."""

    changes: tuple[Change, ...] = ()

    @property
    def blocked(self) -> tuple[Change, ...]:
        """What is not carried out."""
        return tuple(change for change in self.changes if change.blocked)

    def effects(self) -> list[Body]:
        """Bodies of effects that carry out everything else: moves, whole files, folders, deletions."""
        done = [change for change in self.changes if not change.blocked]
        moves = [[change.source, change.path] for change in done if change.what == "moved"]
        writes = [_write(change) for change in done if _is_write(change)]
        folders = _empty(done)
        gone = [change.path for change in done if change.what == "removed" or _is_replaced(change)]
        return [
            *({"kind": "move_files@1", "args": {"moves": part}} for part in _parts(moves)),
            *writes,
            *({"kind": "make_folders@1", "args": {"paths": part}} for part in _parts(folders)),
            *({"kind": "delete_files@1", "args": {"paths": part}} for part in _parts(gone)),
        ]


def _is_write(change: Change) -> bool:
    return change.what != "moved" and change.after is not None and change.after.kind == "file"


def _is_replaced(change: Change) -> bool:
    """Whether what stood here has to go before something of another kind can stand here."""
    return change.what == "type"


def _write(change: Change) -> Body:
    after, before = change.after, change.before
    if after is None or after.sha256 is None:
        raise ValueError(f"there are no bytes for {change.path}")
    args: Body = {"path": change.path, "data": {"$blob": after.sha256, "size": after.size}}
    if after.executable != (before is not None and before.executable):
        args["executable"] = after.executable
    return {"kind": "write_file@1", "args": args}


def _empty(done: Sequence[Change]) -> list[str]:
    """New folders that no file brings along."""
    folders = [change.path for change in done if change.after is not None and change.after.kind == "folder"]
    brought: set[str] = set()
    for change in done:
        path = change.path if change.after is not None else ""
        while "/" in path:
            path = path.rpartition("/")[0]
            brought.add(path)
    return [folder for folder in folders if folder not in brought]


def _parts(items: Sequence[Any]) -> Iterable[list[Any]]:
    for start in range(0, len(items), _MOST_PATHS):
        yield list(items[start : start + _MOST_PATHS])
