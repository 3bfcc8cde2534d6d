"""From the rows of a journal to changes in an order in which each finds its place free: what leaves goes first, what arrives comes last.

All that a set does happens at once for whoever looks before and after it. So two files may take each other's names, and a name may be left
and taken in one set: such a file goes through the undo store, out of the way of the other. Everything else is renamed in one act.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from counterfoil.effects.carrying import BringBack, Journey, Move, SetAside, Spot
from counterfoil.effects.changes import Change
from counterfoil.effects.folder_changes import MakeFolder, RemoveFolder
from counterfoil.effects.replacing import Write
from counterfoil.engine.ports import FileOp
from counterfoil.policy.boundaries import folded
from counterfoil.store.originals import slot_of

_WRITES = frozenset({"write", "append"})
_DOES = {"write": "fills", "append": "fills", "move": "leaves", "delete": "leaves"}
Contents = Callable[[str], Path]


def arranged(ops: Sequence[FileOp], set_id: str, contents: Contents | None) -> list[Change]:
    """The changes of a set; several ops on one file are one change from the first before to the last after.

    `contents` finds the bytes of a digest that an op does not bring itself.

    Raises:
        ValueError: two ops touch one file in ways that do not follow from each other.
    """
    net = _Net(_merged(ops))
    changes = [change for index, op in enumerate(net.ops) for change in _changes(op, net, str(index), set_id, contents)]
    return sorted(changes, key=_place)  # stable: within a phase in the order of the plan


def _place(change: Change) -> tuple[int, int]:
    depth = change.paths[0].count("/")
    match change:
        case SetAside():
            return 0, 0
        case Move():
            return 1, 0
        case RemoveFolder():
            return 2, -depth
        case MakeFolder():
            return 3, depth
        case BringBack():
            return 4, 0
        case _:
            return 5, 0


def _merged(ops: Sequence[FileOp]) -> list[FileOp]:
    """One op per written file."""
    merged: dict[tuple[str, str], FileOp] = {}
    for op in ops:
        key = (_DOES.get(op.op, op.op), op.path)
        first = merged.get(key)
        if first is not None and op.op not in _WRITES:
            raise ValueError(f"two ops of the set touch {op.path}")
        merged[key] = op if first is None else _on_top(first, op)
    return list(merged.values())


def _on_top(first: FileOp, last: FileOp) -> FileOp:
    executable = first.executable if last.executable is None else last.executable
    return FileOp(
        last.n, last.op, last.path, None, first.before, last.after, last.content, executable=executable, size=last.size
    )


class _Net:
    """What the ops of a set do together: which names are left, which folders go, which names a file gets."""

    def __init__(self, ops: Sequence[FileOp]) -> None:
        self.ops = ops
        left = [op.path for op in ops if op.op in ("move", "delete")]
        taken = list(_arrives(ops))
        self.leaving, self.arriving = frozenset(left), frozenset(taken)
        self.gone = frozenset(op.path for op in ops if op.op == "rmdir")
        self._left: dict[str, set[str]] = {}
        for path in self.leaving | self.gone:
            folder, _, name = path.rpartition("/")
            self._left.setdefault(folder, set()).add(name)
        written = {op.path for op in ops if op.op in _WRITES}
        if len(left) != len(self.leaving) or len(taken) != len(self.arriving) or not written.isdisjoint(self.leaving):
            raise ValueError("two ops of the set touch one file in ways that do not follow from each other")

    def vacated(self, path: str) -> bool:
        """Whether what lies at a path, or in its way, leaves in this set."""
        return path in self.leaving or path in self.gone or any(folder in self.leaving for folder in above(path))

    def leaving_of(self, folder: str) -> frozenset[str]:
        """The names directly in a folder that leave it."""
        return frozenset(self._left.get(folder, ()))


def _changes(op: FileOp, net: _Net, mark: str, set_id: str, contents: Contents | None) -> list[Change]:
    """One op as its changes."""
    match op.op:
        case "write" | "append":
            return [_write(op, net, contents)]
        case "move":
            return _move(op, net, mark, set_id)
        case "restore":
            return [_restore(op, net, mark)]
        case "delete":
            return [SetAside(_journey(op, None, net, mark, set_id))]
        case "mkdir":
            return [MakeFolder(op.path, net.vacated(op.path), op.mode)]
        case "rmdir":
            return [RemoveFolder(op.path, net.leaving_of(op.path), op.path in net.arriving)]
    raise ValueError(f"there is no op {op.op}")


def _write(op: FileOp, net: _Net, contents: Contents | None) -> Change:
    if op.after is None or (op.content is None and contents is None):
        raise ValueError(f"the content of {op.path} is not at hand")
    if op.content is not None:
        if hashlib.sha256(op.content).hexdigest() != op.after:
            raise ValueError(f"the content of {op.path} is not what was sealed")
        return Write(op.path, op.before, op.after, op.content, op.executable, net.vacated(op.path))
    source = contents(op.after) if contents is not None else Path()
    return Write(op.path, op.before, op.after, source, op.executable, net.vacated(op.path))


def _restore(op: FileOp, net: _Net, mark: str) -> Change:
    """What another set has displaced comes back: in the place of what stands there, or where nothing does."""
    store, _, slot = str(op.target).partition("/")
    if op.after is None or not slot:
        raise ValueError(f"there is nothing to put back at {op.path}")
    spot = Spot(slot, store)
    if op.before is not None:
        return Write(op.path, op.before, op.after, spot, op.executable, net.vacated(op.path))
    return BringBack(Journey(None, op.path, spot, op.after, mark), net.vacated(op.path))


def _move(op: FileOp, net: _Net, mark: str, set_id: str) -> list[Change]:
    if op.target is None or op.before is None:
        raise ValueError(f"the move of {op.path} goes nowhere")
    # A name in another case is the same name to some file systems.
    roundabout = net.vacated(op.target) or op.path in net.arriving or folded(op.path) == folded(op.target)
    if not roundabout:
        return [Move(op.path, op.target, op.before, mark)]
    journey = _journey(op, op.target, net, mark, set_id)
    return [SetAside(journey), BringBack(journey, net.vacated(op.target) or folded(op.path) == folded(op.target))]


def _journey(op: FileOp, target: str | None, net: _Net, mark: str, set_id: str) -> Journey:
    if op.before is None:
        raise ValueError(f"there is no file {op.path} to be taken away")
    slot = Spot(slot_of(set_id, op.path), "")
    return Journey(op.path, target, slot, op.before, mark, op.path in net.arriving)


def _arrives(ops: Sequence[FileOp]) -> Iterator[str]:
    for op in ops:
        if op.op in _WRITES or op.op == "restore":
            yield op.path
        elif op.op == "move":
            yield str(op.target)


def above(path: str) -> Iterator[str]:
    """The folders that a path lies in, innermost first."""
    while "/" in path:
        path = path.rpartition("/")[0]
        yield path
