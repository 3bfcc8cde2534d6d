"""What an apply set keeps beside itself: the originals it displaces, and a note of how far it has come.

The note lets a second call after a crash tell its own work from a stranger's: what was to be done, which folders were made, which
copies between devices are ours, and whether the whole set was once complete. Both are durable before the first file changes.
"""

from __future__ import annotations

import contextlib
import dataclasses
import hashlib
import json
import os
from collections.abc import Iterable, Sequence
from pathlib import Path

from counterfoil.authoring.codec import canonical, digest
from counterfoil.engine.ports import FileOp
from counterfoil.store.blobs import sync_folder


@dataclasses.dataclass(slots=True)
class Note:
    """`todo`: indices of changes that were not done at the start. `made`: folders that were missing then, outermost first.

    `copies`: a move's index to device and inode of the copy that is about to take its target's name.
    """

    todo: list[int]
    made: list[str]
    copies: dict[str, list[int]] = dataclasses.field(default_factory=dict)
    complete: bool = False


class OriginalMissing(LookupError):
    """An original that has to be put back is not in the undo folder."""


class UndoStore:
    """The undo folder of one apply set; several sets may share it."""

    def __init__(self, folder: str, ops: Sequence[FileOp]) -> None:
        self._folder = Path(folder)
        plain = [[op.n, op.op, op.path, op.target, op.before, op.after] for op in ops]
        self.set_id = digest(canonical(plain))
        self._file = self._folder / f"set-{self.set_id[:32]}.json"

    def note(self) -> Note | None:
        """What an earlier call noted; None if this set has not begun."""
        try:
            return Note(**json.loads(self._file.read_bytes()))
        except FileNotFoundError:
            return None

    def keep_note(self, note: Note) -> None:
        """Write the note, durable when this returns."""
        self._put(self._file, json.dumps(dataclasses.asdict(note)).encode())

    def forget(self) -> None:
        """Remove the note: everything was put back, so the set has not begun."""
        self._file.unlink(missing_ok=True)
        sync_folder(self._folder)

    def keep(self, originals: Iterable[tuple[str, bytes]]) -> None:
        """Keep originals under their SHA-256, durable when this returns."""
        for sha, data in originals:
            if not (self._folder / sha).exists():
                self._put(self._folder / sha, data)

    def original(self, sha: str) -> bytes:
        """The bytes of an original.

        Raises:
            OriginalMissing: they are gone, or are not what they were.
        """
        try:
            data = (self._folder / sha).read_bytes()
        except OSError as problem:
            raise OriginalMissing(sha) from problem
        if hashlib.sha256(data).hexdigest() != sha:
            raise OriginalMissing(sha)
        return data

    def _put(self, target: Path, data: bytes) -> None:
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        staged = target.with_name(f"{target.name}.part")
        with contextlib.suppress(FileNotFoundError):
            staged.unlink()
        handle = os.open(staged, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        with os.fdopen(handle, "wb") as out:
            out.write(data)
            out.flush()
            os.fsync(out.fileno())
        staged.replace(target)
        sync_folder(self._folder)
