"""An apply set: all files of a gate change, or none does, whatever is killed in between.

The order is: judge every file; keep the originals; note what is to be done; then change file by file; sync; note that it is complete.
A second call judges each file by its digest and carries on. A file that is neither before nor after stops it, and then everything that
this set did is put back. Other programs can see a set half-way; what stays at the end is whole.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
from collections.abc import Callable, Sequence
from typing import Any

from counterfoil.effects.beneath import Beneath, Blocked
from counterfoil.effects.changes import Change, Move, Raced, Site, Stand, Write
from counterfoil.effects.sentences import others
from counterfoil.effects.undo_store import Note, OriginalMissing, UndoStore
from counterfoil.engine import killpoints
from counterfoil.engine.ports import Conflict, EffectTrouble, FileOp, OutcomeUnknown
from counterfoil.facts import FailureClass
from counterfoil.policy.boundaries import visible

_PASSING = frozenset(
    {errno.ENOSPC, errno.EDQUOT, errno.EBUSY, errno.EINTR, errno.EAGAIN, errno.EMFILE, errno.ENFILE, errno.ESTALE}
)
_FAILURES = (Raced, Blocked, OSError)


def apply_files(ops: Sequence[FileOp], workspace: str, undo: str) -> dict[int, Any]:
    """Apply a whole set, or what is left of it after a crash; outcomes by item number.

    Outcomes: `{"path", "sha256", "bytes"}` for write and append, `{"moved": [[from, to], ...]}` for moves.

    Raises:
        Conflict: a file is neither before nor after; everything of the set was put back.
        EffectTrouble: the disk is full, or the folder may not be written; everything of the set was put back.
        OutcomeUnknown: it failed, and not everything could be put back.
    """
    changes = _changes(ops)
    try:
        with Beneath(workspace) as ground:
            ground.lock()
            _ApplySet(changes, Site(ground, UndoStore(undo, ops))).run()
    except Blocked as problem:
        raise EffectTrouble(str(problem), FailureClass.STRUCTURAL) from problem
    return outcomes(ops)


def outcomes(ops: Sequence[FileOp]) -> dict[int, Any]:
    """What each item of a complete set came to."""
    found: dict[int, Any] = {}
    for op in ops:
        if op.op == "move":
            found.setdefault(op.n, {"moved": []})["moved"].append([op.path, op.target])
        else:
            found[op.n] = {"path": op.path, "sha256": op.after, "bytes": len(op.content or b"")}
    return found


def _changes(ops: Sequence[FileOp]) -> list[Change]:
    """The ops as changes of disjoint files: several ops on one file are one change from the first before to the last after."""
    last = {op.path: op for op in ops if op.op != "move"}
    first: dict[str, FileOp] = {}
    for op in ops:
        first.setdefault(op.path, op)
    changes = [_MAKERS[op.op](op, last.get(op.path, op), index) for index, op in enumerate(first.values())]
    touched = [path for change in changes for path in change.paths]
    if len(set(touched)) != len(touched) or sum(op.op == "move" for op in ops) != sum(
        isinstance(c, Move) for c in changes
    ):
        raise ValueError("two ops of the set touch one file in ways that do not follow from each other")
    return changes


def _write(first: FileOp, last: FileOp, _: int) -> Change:
    if last.content is None or last.after is None or hashlib.sha256(last.content).hexdigest() != last.after:
        raise ValueError(f"the content of {last.path} is not what was sealed")
    return Write(first.path, first.before, last.after, last.content)


def _move(op: FileOp, _: FileOp, index: int) -> Change:
    if op.target is None or op.before is None:
        raise ValueError(f"the move of {op.path} goes nowhere")
    return Move(op.path, op.target, op.before, index)


_MAKERS: dict[str, Callable[[FileOp, FileOp, int], Change]] = {"write": _write, "append": _write, "move": _move}


class _ApplySet:
    """One call on one set."""

    def __init__(self, changes: list[Change], site: Site) -> None:
        self._changes = changes
        self._site = site
        self._done: list[Change] = []

    def run(self) -> None:
        """Carry the set to its end, or back to its beginning."""
        known = self._site.undo.note()
        if known is not None and known.complete:
            return  # files that somebody changed since then are not our business any more
        if known is not None:
            self._site.note = known
        try:
            todo = self._judge(resumed=known is not None)
            if known is None:
                self._begin(todo)
            killpoints.reach("after_journal")
            for index in todo:
                self._do(self._changes[index])
                killpoints.reach("after_each_file")
            self._sync()
            self._site.note.complete = True
            self._site.undo.keep_note(self._site.note)
        except _FAILURES as problem:
            raise self._put_back(problem) from problem

    def _judge(self, *, resumed: bool) -> list[int]:
        """Indices of what is still to be done; every change is judged before Foreign is raised."""
        todo: list[int] = []
        foreign: list[Change] = []
        for index, change in enumerate(self._changes):
            stand = self._stand(change, resumed=resumed)
            if stand is Stand.BEFORE:
                todo.append(index)
            elif stand is not Stand.AFTER:
                foreign.append(change)
            if stand in (Stand.AFTER, Stand.PARTLY) and index in self._site.note.todo:
                self._done.append(change)
        if foreign:
            raise _Foreign([_odd_one(change, self._site) for change in foreign], resumed=resumed)
        return todo

    def _stand(self, change: Change, *, resumed: bool) -> Stand:
        try:
            if resumed:
                change.tidy(self._site)
            return change.stand(self._site)
        except _FAILURES:
            return Stand.FOREIGN

    def _begin(self, todo: list[int]) -> None:
        made: set[str] = set()
        for index in todo:
            for path in self._changes[index].paths:
                made.update(self._site.ground.missing_folders(path))
        for index in todo:
            self._site.undo.keep(self._changes[index].originals(self._site))
        self._site.note = Note(todo, sorted(made))
        self._site.undo.keep_note(self._site.note)

    def _do(self, change: Change) -> None:
        try:
            change.do(self._site)
        except FileNotFoundError as problem:
            raise Raced(change.paths[0]) from problem
        self._done.append(change)

    def _sync(self) -> None:
        paths = [path for change in self._changes for path in change.paths]
        for path in {path.rpartition("/")[0]: path for path in paths}.values():
            self._site.ground.sync(path)

    def _put_back(self, cause: Exception) -> Exception:
        """Undo what this set did, newest first; the exception that tells how it ended."""
        left: list[str] = []
        stuck: list[str] = []
        for change in reversed(self._done):
            try:
                change.put_back(self._site)
            except (Raced, Blocked, FileNotFoundError):
                left.extend(change.paths)
            except (OSError, OriginalMissing):
                stuck.extend(change.paths)
        for folder in reversed(self._site.note.made):
            self._site.ground.remove_folder(folder)
        with contextlib.suppress(OSError, Blocked):
            self._sync()
        if stuck:
            return OutcomeUnknown(
                f"{_why(cause)}, and {others(stuck)} could not be put back; compare the folder with the plan before going on."
            )
        if self._site.undo.note() is not None:
            self._site.undo.forget()
        return _ending(cause, left)


class _Foreign(Raced):
    """Files that are neither before nor after: name and clause of each; `resumed` when an earlier call may have changed some."""

    def __init__(self, odd: list[tuple[str, str]], *, resumed: bool) -> None:
        super().__init__(odd[0][0])
        self.odd = odd
        self.resumed = resumed


def _odd_one(change: Change, site: Site) -> tuple[str, str]:
    """The name that is not as it was approved, and what is wrong with it."""
    path = change.paths[0]
    try:
        seen = site.ground.look(path)
        if isinstance(change, Move):
            arrived = site.ground.look(change.target)
            if seen is not None and seen.sha == change.sha:
                return change.target, "exists already, and moving never overwrites"
            if seen is None and arrived is not None:
                return change.target, "changed since it was approved"
        return path, "changed since it was approved" if seen else "is gone"
    except Blocked as problem:
        return problem.path, problem.reason
    except OSError as problem:
        return path, f"cannot be read ({(problem.strerror or str(problem)).lower()})"


def _ending(cause: Exception, left: list[str]) -> Exception:
    odd = [path for path, _ in cause.odd] if isinstance(cause, _Foreign) else [str(getattr(cause, "path", ""))]
    if isinstance(cause, _Foreign) and cause.resumed:
        left = list(dict.fromkeys([*odd, *left]))
    tail = "nothing was written"
    if left:
        tail = f"everything else was put back, and {others(left)} stayed as somebody left it"
    message = f"{_why(cause)}; {tail}."
    if isinstance(cause, OSError):
        return EffectTrouble(message, FailureClass.TRANSIENT if cause.errno in _PASSING else FailureClass.STRUCTURAL)
    return Conflict(message, list(dict.fromkeys([*odd, *left])))


def _why(cause: Exception) -> str:
    match cause:
        case _Foreign(odd=[(path, clause)]):
            return f"{visible(path)} {clause}"
        case _Foreign(odd=odd):
            return f"{others([path for path, _ in odd])} changed since they were approved"
        case Raced(path=path):
            return f"{visible(path)} changed while it was being written"
        case OSError():
            return f"The folder cannot be written ({(cause.strerror or str(cause)).lower()})"
        case _:
            return str(cause).rstrip(".")
