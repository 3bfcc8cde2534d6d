"""The files of a gate as they would be: effects of one plan are imagined together before any of them is shown or done.

All that one set does happens at once for whoever looks before and after it, so within one effect files may take each other's names, and
what one item clears away another may take. Two items may build on each other only where the end is plain: rows appended to what an earlier
item writes or appends. Everything else on one file is refused with a sentence, because what a person approves line by line must not depend
on an order that the lines do not show.
"""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Sequence

from counterfoil.effects.arranging import above
from counterfoil.effects.beneath import Beneath, Blocked, Seen
from counterfoil.engine.ports import ROOT, EffectTrouble, FileOp
from counterfoil.facts import FailureClass
from counterfoil.policy.boundaries import visible
from counterfoil.policy.file_classes import HEAD, never_changed
from counterfoil.policy.names import trouble_with_name, twin_words, twins
from counterfoil.store.blobs import Blobs

READ_LIMIT = 64 * 1024 * 1024  # bytes of a file that rows are appended to
FOLDER = "folder"  # what a seal names of a path where a folder is


class Scene:
    """The real folder, with what the items so far would do to it laid over."""

    def __init__(self, ground: Beneath, blobs: Blobs) -> None:
        self.blobs = blobs
        self.ground = ground
        self._seen: dict[str, Seen | None] = {}
        self._written: dict[
            str, tuple[int, str, bytes | None]
        ] = {}  # item, digest, and the bytes where no blob holds them
        self._left: dict[str, tuple[int, str]] = {}  # item, and whether it moves or deletes it
        self._arrived: dict[str, int] = {}
        self._kept: set[str] = set()  # of these, what only goes to another folder: its name is not new
        self._needed: set[str] = set()  # folders that something arrives in
        self._gone: dict[str, int] = {}  # folders
        self._made: dict[str, int] = {}

    def real(self, path: str) -> Seen | None:
        """The file as it is on disk, looked at once.

        Raises:
            EffectTrouble: something else is there, it may not be read, or no effect may touch it.
        """
        if path not in self._seen:
            self._refuse_never(path)
            try:
                self._seen[path] = self.ground.look(path)
            except Blocked as problem:
                raise refusal(str(problem)) from problem
        return self._seen[path]

    def before(self, path: str) -> Seen | None:
        """The file at a path, which may lie where the items so far clear something away.

        Raises:
            EffectTrouble: as `real`.
        """
        if path in self._gone or any(folder in self._left for folder in above(path)):
            self._refuse_never(path)
            return None
        return self.real(path)

    @staticmethod
    def _refuse_never(path: str) -> None:
        never = never_changed(path)
        if never is not None:
            raise refusal(never)

    def state(self, path: str) -> str | None:
        """What a seal names of a path: the SHA-256 of the file there, FOLDER, None for nothing; of ROOT which folder that is.

        Raises:
            EffectTrouble: something else is there, or it may not be read.
        """
        if path == ROOT:
            return self.ground.identity
        if self.ground.is_folder(path):
            return FOLDER
        seen = self.real(path)
        return seen.sha if seen else None

    def base(self, ops: Sequence[FileOp]) -> dict[str, str | None]:
        """What of the folder an approval of these ops is bound to. A folder that shall be there may be made by anybody meanwhile."""
        found: dict[str, str | None] = {ROOT: self.ground.identity}
        for op in ops:
            if op.op == "rmdir":
                found[op.path] = FOLDER
            elif op.op != "mkdir":
                found[op.path] = _sha(self.before(op.path))
            if op.target is not None:
                found[op.target] = _sha(self.before(op.target))
        return found

    def content(self, path: str) -> bytes | None:
        """The bytes that a file holds after the items so far; None where there is none.

        Raises:
            EffectTrouble: as `real`; or it is too long, or changes just now.
        """
        if path in self._written:
            _, sha, data = self._written[path]
            return self.blobs.get(sha) if data is None else data
        seen = self.before(path)
        if seen is None:
            return None
        try:
            data = self.ground.read(path, READ_LIMIT)
        except Blocked as problem:
            raise refusal(str(problem)) from problem
        if data is None or hashlib.sha256(data).hexdigest() != seen.sha:
            raise EffectTrouble(f"“{visible(path)}” is being changed just now.", FailureClass.TRANSIENT)
        return data

    def head_before(self, path: str) -> bytes | None:
        """The first bytes of the file as it is on disk; None where there is none."""
        try:
            return None if self.before(path) is None else self.ground.head(path, HEAD)
        except Blocked as problem:
            raise refusal(str(problem)) from problem

    def head_after(self, op: FileOp) -> bytes:
        """The first bytes that a written file gets."""
        return self.blobs.head(str(op.after), HEAD) if op.content is None else op.content[:HEAD]

    # ------------------------------------------------------------------------------------------------------- new bytes

    def write(self, path: str, sha: str, data: bytes | None, n: int) -> Seen | None:
        """Item n replaces a whole file, which no item before it may have touched; the file as it was."""
        if path in self._written:
            earlier = self._written[path][0]
            raise refusal(
                f"Item {n} would overwrite what item {earlier} writes to “{visible(path)}”; let one item write it."
            )
        return self._replace(path, sha, data, n)

    def append(self, path: str, sha: str, data: bytes, n: int) -> None:
        """Item n makes a file longer, on top of items before it; `data` is the whole new content."""
        self._replace(path, sha, data, n)

    def _replace(self, path: str, sha: str, data: bytes | None, n: int) -> Seen | None:
        self._refuse_in_gone(path, n)
        self._refuse_touched(path, n, "writes")
        seen = self.before(path)
        if seen is not None and seen.names > 1:
            raise refusal(
                f"“{visible(path)}” has more than one name (hard links), so it cannot be replaced without parting them."
            )
        self._arrive(path, n)
        self._written[path] = (n, sha, data)
        return seen

    # ----------------------------------------------------------------------------------------------------------- names

    def move(self, moves: Sequence[tuple[str, str]], n: int) -> list[Seen]:
        """Item n moves files, all at once, to names that are free or become so by it; the files.

        Raises:
            EffectTrouble: there is no such file, a name is taken, or another item touches one of them.
        """
        found = [self._source(source, n) for source, _ in moves]
        leaving = {source for source, _ in moves}
        for source, target in moves:
            self._refuse_in_gone(target, n)
            cleared = target in self._left and self._left[target][1] == "deletes"
            if not cleared:
                self._refuse_touched(target, n, "moves")
            if not cleared and target not in leaving and not self._is_free(source, target, leaving):
                raise refusal(f"“{visible(target)}” exists already, and moving never overwrites.")
        for source, _ in moves:
            self._left[source] = (n, "moves")
        for source, target in moves:
            self._arrive(target, n)
            if source.rpartition("/")[2] == target.rpartition("/")[2]:
                self._kept.add(target)
        return found

    def _source(self, source: str, n: int) -> Seen:
        self._refuse_touched(source, n, "moves")
        seen = self.real(source)
        if seen is None:
            raise refusal(f"There is no file “{visible(source)}” to move.")
        return seen

    def _is_free(self, source: str, target: str, leaving: set[str]) -> bool:
        """Whether nothing has the name. A name in another case is the file itself to some file systems."""
        if any(folder in leaving for folder in above(target)):
            return True
        there = self.before(target)
        if there is None:
            return True
        mine = self.real(source)
        return mine is not None and mine.names == 1 and (mine.device, mine.inode) == (there.device, there.inode)

    def delete(self, path: str, n: int) -> Seen:
        """Item n deletes a file; the file.

        Raises:
            EffectTrouble: there is no such file, or another item touches it.
        """
        self._refuse_touched(path, n, "deletes")
        seen = self.real(path)
        if seen is None:
            raise refusal(f"There is no file “{visible(path)}” to delete.")
        self._left[path] = (n, "deletes")
        return seen

    # --------------------------------------------------------------------------------------------------------- folders

    def make_folder(self, path: str, n: int) -> None:
        """Item n makes a folder, unless it is there.

        Raises:
            EffectTrouble: a file has the name, or another item touches it.
        """
        self._refuse_in_gone(path, n)
        self._refuse_never(path)
        for touched in (self._arrived, self._gone, self._made):
            if path in touched:
                raise refusal(f"Item {n} makes the folder “{visible(path)}”, which item {touched[path]} touches.")
        if path not in self._left and not self.ground.is_folder(path) and self.before(path) is not None:
            raise refusal(f"“{visible(path)}” is a file, no folder.")
        self._made[path] = n
        self._needed.update(above(path))

    def remove_folder(self, path: str, n: int) -> None:
        """Item n removes a folder that is empty once the whole plan is done.

        Raises:
            EffectTrouble: there is no such folder, or another item removes it, too.
        """
        self._refuse_never(path)
        if not self.ground.is_folder(path):
            raise refusal(f"There is no folder “{visible(path)}” to remove.")
        if path in self._gone:
            raise refusal(f"Item {n} removes the folder “{visible(path)}”, which item {self._gone[path]} removes, too.")
        self._gone[path] = n

    def settle(self) -> None:
        """Every item was imagined: what is removed is empty then.

        Raises:
            EffectTrouble: something stays in a folder that is removed, or is put into it.
        """
        for path, n in self._gone.items():
            if path in self._made or path in self._needed:
                raise refusal(
                    f"Item {n} removes the folder “{visible(path)}”, and another item puts something into it."
                )
            inside = [(name, f"{path}/{name}") for name in self.names_in(path)]
            stays = [name for name, place in inside if place not in self._left and place not in self._gone]
            if stays:
                more = f" and {len(stays) - 1} more" if len(stays) > 1 else ""
                raise refusal(f"The folder “{visible(path)}” still holds “{visible(stays[0])}”{more}; name that, too.")

    def refuse_names(self) -> None:
        """Every item was imagined: no new name is one that some system cannot have, or takes for another.

        Raises:
            EffectTrouble: one is.
        """
        for path, why in self.odd_names().items():
            raise refusal(f"“{visible(path)}” {why}; give it another name.")

    def odd_names(self) -> dict[str, str]:
        """New names that some system cannot have, or takes for another, each with why."""
        found: dict[str, str] = {}
        made: dict[str, set[str]] = {}
        for path in {*self._arrived, *self._made, *self._needed}:
            folder, _, name = path.rpartition("/")
            made.setdefault(folder, set()).add(name)
        for folder, names in sorted(made.items()):
            there = self._listed(folder)
            new, under = names - there, f"{folder}/" if folder else ""
            stays = {name for name in there if under + name not in self._left and under + name not in self._gone}
            named = sorted(name for name in new if under + name not in self._kept)
            odd = {name: why for name in named if (why := trouble_with_name(name))}
            odd |= {name: twin_words(other) for name, other in twins(new, stays | (names & there)).items()}
            found |= {under + name: why for name, why in odd.items()}
        return found

    def _listed(self, folder: str) -> set[str]:
        """What lies directly in a folder; nothing where it is still to be made."""
        with contextlib.suppress(Blocked, FileNotFoundError):
            return set(self.ground.names_in(folder))
        return set()

    def names_in(self, path: str) -> list[str]:
        """What lies directly in a folder.

        Raises:
            EffectTrouble: it may not be read.
        """
        try:
            return self.ground.names_in(path)
        except (Blocked, FileNotFoundError) as problem:
            raise refusal(f"The folder “{visible(path)}” cannot be read.") from problem

    # ------------------------------------------------------------------------------------------------ what goes together

    def _arrive(self, path: str, n: int) -> None:
        """A file gets this name, so nothing else does, and nothing above it is a file."""
        clash = next((folder for folder in above(path) if folder in self._arrived), None)
        if clash is None and (path in self._needed or path in self._made):
            clash = path
        if clash is not None:
            raise refusal(f"“{visible(clash)}” cannot be a file and the folder that holds “{visible(path)}”.")
        self._arrived[path] = n
        self._needed.update(above(path))

    def _refuse_touched(self, path: str, n: int, does: str) -> None:
        """Two items never do different things with one file."""
        if path in self._left:
            other, did = self._left[path]
        elif path in self._arrived and path not in self._written:
            other, did = self._arrived[path], "moves"
        else:
            return
        advice = "write it where it shall end" if (does, did) == ("writes", "moves") else "do that under another gate"
        raise refusal(f"Item {n} {does} “{visible(path)}”, which item {other} {did}; {advice}.")

    def _refuse_in_gone(self, path: str, n: int) -> None:
        """Nothing is put into a folder that is removed."""
        gone = next((folder for folder in above(path) if folder in self._gone), None)
        if gone is not None and self._gone[gone] != n:
            raise refusal(f"Item {n} touches “{visible(path)}”, but item {self._gone[gone]} removes “{visible(gone)}”.")


def _sha(seen: Seen | None) -> str | None:
    return seen.sha if seen else None


def refusal(message: str) -> EffectTrouble:
    """A trouble that trying again does not mend."""
    return EffectTrouble(message, FailureClass.STRUCTURAL)
