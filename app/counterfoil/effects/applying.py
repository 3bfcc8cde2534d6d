"""An apply set: all files of a gate change, or none does, whatever is killed in between.

The order is: judge every file; note what is to be done; then change file by file, with what is displaced put into the undo store; sync;
note that it is complete. A second call judges each file by its digest and carries on. A file that is neither before nor after stops it,
and then everything that this set did is put back. Other programs can see a set half-way; what stays at the end is whole.
"""

from __future__ import annotations

import contextlib
import errno
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from counterfoil.effects.arranging import Contents, arranged
from counterfoil.effects.beneath import Beneath, Blocked, same_folder
from counterfoil.effects.changes import Change, ContentLost, Raced, Site, Stand
from counterfoil.effects.fresh_names import FreshNames
from counterfoil.effects.sentences import other_folder
from counterfoil.effects.sentences import others as first_of
from counterfoil.effects.undo_store import Note, UndoStore
from counterfoil.engine import killpoints
from counterfoil.engine.ports import ROOT, Conflict, EffectTrouble, FileOp, OutcomeUnknown
from counterfoil.facts import FailureClass
from counterfoil.policy.boundaries import visible
from counterfoil.policy.names import twin_words
from counterfoil.store.originals import set_of

_PASSING = frozenset(
    {errno.ENOSPC, errno.EDQUOT, errno.EBUSY, errno.EINTR, errno.EAGAIN, errno.EMFILE, errno.ENFILE, errno.ESTALE}
)
_FAILURES = (Raced, Blocked, ContentLost, OSError)


def apply_files(
    ops: Sequence[FileOp], workspace: str, undo: str, *, root: str | None = None, contents: Contents | None = None
) -> dict[int, Any]:
    """Apply a whole set, or what is left of it after a crash; outcomes by item number.

    `undo` is the set's store in the home, `root` the identity that the workspace's folder must have, `contents` finds the bytes of a
    digest. Outcomes: `{"path", "sha256", "bytes"}` for write and append, `{"moved": [[from, to], ...]}`, `{"deleted": [path, ...]}`,
    `{"made": [path, ...]}`; folders that went with their files stand beside as `"folders"`.

    Raises:
        Conflict: a file is neither before nor after; everything of the set was put back.
        EffectTrouble: the disk is full, or the folder may not be written; everything of the set was put back.
        OutcomeUnknown: it failed, and not everything could be put back.
    """
    set_id = set_of([op.plain for op in ops])
    apply_changes(arranged(ops, set_id, contents), set_id, workspace, undo, root=root, arrives=_arrivals(ops))
    return outcomes(ops)


def apply_changes(
    changes: Sequence[Change],
    set_id: str,
    workspace: str,
    undo: str,
    *,
    root: str | None = None,
    others: Mapping[str, tuple[str, str]] | None = None,
    arrives: Collection[str] = (),
) -> None:
    """Carry changes, in this order, to their end or back to their beginning; `others` are stores by name: folder and set. `arrives` are
    paths at which something is afterwards; where their names are new, they are not made beside one that some system takes for the same.

    Raises:
        Conflict, EffectTrouble, OutcomeUnknown: as `apply_files`.
    """
    try:
        with contextlib.ExitStack() as stack:
            ground = stack.enter_context(Beneath(workspace))
            if root is not None and not same_folder(root, ground.identity):
                raise Conflict(f"{other_folder(workspace)}; nothing was written.", [ROOT])
            ground.lock()
            undo_store = stack.enter_context(UndoStore(undo, set_id, ground))
            stores = {
                name: stack.enter_context(UndoStore(folder, its_set, ground))
                for name, (folder, its_set) in (others or {}).items()
            }
            _ApplySet(changes, Site(ground, undo_store, others=stores), arrives).run()
    except Blocked as problem:
        raise EffectTrouble(str(problem), FailureClass.STRUCTURAL) from problem


def outcomes(ops: Sequence[FileOp]) -> dict[int, Any]:
    """What each item of a complete set came to."""
    found: dict[int, Any] = {}
    for op in ops:
        if op.op in _LISTED:
            what = found.setdefault(op.n, {})
            what.setdefault(_LISTED[op.op], []).append([op.path, op.target] if op.op == "move" else op.path)
        else:
            found[op.n] = {"path": op.path, "sha256": op.after, "bytes": op.size or len(op.content or b"")}
    return found


def _arrivals(ops: Sequence[FileOp]) -> list[str]:
    return [str(op.target if op.op == "move" else op.path) for op in ops if op.op not in ("delete", "rmdir")]


_LEAVES = frozenset({"move", "leave", "rmdir"})  # the changes after which the first of their paths is free
_LISTED = {"move": "moved", "delete": "deleted", "mkdir": "made", "rmdir": "folders"}


class _ApplySet:
    """One call on one set."""

    def __init__(self, changes: Sequence[Change], site: Site, arrives: Collection[str]) -> None:
        self._changes = changes
        self._site = site
        self._arrives = arrives
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
            new = self._names().new_in(self._arrives)
            self._refuse_twins(new, resumed=known is not None)
            if known is None:
                self._begin(todo)
            killpoints.reach("after_journal")
            for index in todo:
                self._do(self._changes[index])
                killpoints.reach("after_each_file")
            self._refuse_twins(new, resumed=True)  # made while the set was
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
            raise _Foreign([change.odd(self._site) for change in foreign], resumed=resumed)
        return todo

    def _names(self) -> FreshNames:
        leaving = {path for change in self._changes if change.does in _LEAVES for path in change.paths[:1]}
        return FreshNames(self._site.ground, leaving)

    def _refuse_twins(self, new: Sequence[str], *, resumed: bool) -> None:
        names = self._names()
        odd = [(path, twin_words(other)) for path in new if (other := names.twin(path)) is not None]
        if odd:
            raise _Foreign(odd, resumed=resumed)

    def _stand(self, change: Change, *, resumed: bool) -> Stand:
        try:
            if resumed:
                change.tidy(self._site)
            return change.stand(self._site)
        except _FAILURES:
            return Stand.FOREIGN

    def _begin(self, todo: list[int]) -> None:
        site = self._site
        made: dict[str, None] = {}
        for folder in dict.fromkeys(folder for index in todo for folder in self._changes[index].folders):
            made.update(dict.fromkeys(site.ground.missing_folders(folder)))
        site.note = Note(todo, sorted(made))
        begun = frozenset(todo)
        site.note.left_alone = [
            [change.does, change.paths[0]] for index, change in enumerate(self._changes) if index not in begun
        ]
        for index in todo:
            try:
                self._changes[index].begin(site)
            except FileNotFoundError as problem:
                raise Raced(self._changes[index].paths[0]) from problem
        site.undo.keep_note(site.note)

    def _do(self, change: Change) -> None:
        try:
            change.do(self._site)
        except FileNotFoundError as problem:
            raise Raced(change.paths[0]) from problem
        self._done.append(change)

    def _sync(self) -> None:
        """Make every name that changed durable, in the folder and in the store."""
        site = self._site
        for folder in {path.rpartition("/")[0] for change in self._changes for path in change.paths}:
            site.ground.sync(folder)
        site.undo.ground.sync("")

    def _put_back(self, cause: Exception) -> Exception:
        """Undo what this set did, newest first; the exception that tells how it ended."""
        left: list[str] = []
        stuck: list[str] = []
        made = frozenset(self._site.note.made)
        for change in reversed(self._done):
            if not made.isdisjoint(change.paths):
                self._remove_made()  # a folder that the set has made is in the place of a file that goes back
            try:
                change.put_back(self._site)
            except (Raced, Blocked, FileNotFoundError):
                left.extend(change.paths)
            except (OSError, ContentLost):
                stuck.extend(change.paths)
        self._remove_made()
        with contextlib.suppress(OSError, Blocked):
            self._sync()
        if stuck:
            return OutcomeUnknown(
                f"{_why(cause)}, and {first_of(stuck)} could not be put back; compare the folder with the plan before going on."
            )
        if self._site.undo.note() is not None:
            self._site.undo.forget()
        return _ending(cause, left)

    def _remove_made(self) -> None:
        """Folders that the set has made, where they are empty."""
        for folder in reversed(self._site.note.made):
            with contextlib.suppress(OSError, Blocked):
                self._site.ground.remove_folder(folder)


class _Foreign(Raced):
    """Files that are neither before nor after: name and clause of each; `resumed` when an earlier call may have changed some."""

    def __init__(self, odd: list[tuple[str, str]], *, resumed: bool) -> None:
        super().__init__(odd[0][0])
        self.odd = odd
        self.resumed = resumed


def _ending(cause: Exception, left: list[str]) -> Exception:
    odd = [path for path, _ in cause.odd] if isinstance(cause, _Foreign) else [str(getattr(cause, "path", ""))]
    if isinstance(cause, _Foreign) and cause.resumed:
        left = list(dict.fromkeys([*odd, *left]))
    tail = "nothing was written"
    if left:
        tail = f"everything else was put back, and {first_of(left)} stayed as somebody left it"
    message = f"{_why(cause)}; {tail}."
    if isinstance(cause, OSError):
        return EffectTrouble(message, FailureClass.TRANSIENT if cause.errno in _PASSING else FailureClass.STRUCTURAL)
    if isinstance(cause, ContentLost):
        return EffectTrouble(message, FailureClass.STRUCTURAL)
    return Conflict(message, list(dict.fromkeys([*odd, *left])))


def _why(cause: Exception) -> str:
    match cause:
        case _Foreign(odd=[(path, clause)]):
            return f"{visible(path)} {clause}"
        case _Foreign(odd=odd):
            return f"{first_of([path for path, _ in odd])} changed since they were approved"
        case Raced(path=path):
            return f"{visible(path)} changed while it was being written"
        case ContentLost(path=path):
            return f"What {visible(path)} shall hold is not kept any more, or was changed in the data folder"
        case OSError():
            return f"The folder cannot be written ({(cause.strerror or str(cause)).lower()})"
        case _:
            return str(cause).rstrip(".")
