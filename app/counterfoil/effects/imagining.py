"""The files of a gate as they would be: effects of one plan are imagined one after the other before any of them is shown or done.

Two effects may build on each other only where the end is plain: rows appended to what an earlier item writes or appends. Everything
else on one file (writing twice, moving what was written, writing where something was moved) is refused with a sentence, because what
a person approves line by line must not depend on an order that the lines do not show.
"""

from __future__ import annotations

import hashlib

from counterfoil.effects.beneath import Beneath, Blocked, Seen
from counterfoil.effects.shapes import LARGEST_CONTENT
from counterfoil.engine.ports import EffectTrouble
from counterfoil.facts import FailureClass
from counterfoil.policy.boundaries import visible
from counterfoil.policy.file_classes import HEAD, never_changed
from counterfoil.store.blobs import Blobs

READ_LIMIT = 64 * 1024 * 1024  # bytes of a file that rows are appended to


class Scene:
    """The real folder, with what the items so far would do to it laid over."""

    def __init__(self, ground: Beneath, blobs: Blobs) -> None:
        self.blobs = blobs
        self._ground = ground
        self._seen: dict[str, Seen | None] = {}
        self._written: dict[str, tuple[int, bytes]] = {}
        self._moved: dict[str, int] = {}

    def real(self, path: str) -> Seen | None:
        """The file as it is on disk, looked at once.

        Raises:
            EffectTrouble: something else is there, it may not be read, or no effect may touch it.
        """
        if path not in self._seen:
            never = never_changed(path)
            if never is not None:
                raise refusal(never)
            try:
                self._seen[path] = self._ground.look(path)
            except Blocked as problem:
                raise refusal(str(problem)) from problem
        return self._seen[path]

    def content(self, path: str) -> bytes | None:
        """The bytes that a file holds after the items so far; None where there is none.

        Raises:
            EffectTrouble: as `real`; or it is too long, or changes just now.
        """
        if path in self._written:
            return self._written[path][1]
        seen = self.real(path)
        try:
            data = self._ground.read(path, READ_LIMIT)
        except Blocked as problem:
            raise refusal(str(problem)) from problem
        if (None if data is None else hashlib.sha256(data).hexdigest()) != (seen.sha if seen else None):
            raise EffectTrouble(f"“{visible(path)}” is being changed just now.", FailureClass.TRANSIENT)
        return data

    def head(self, path: str) -> bytes | None:
        """The first bytes of the file as it is on disk; None where there is none."""
        seen = self.real(path)
        try:
            return None if seen is None else self._ground.head(path, HEAD)
        except Blocked as problem:
            raise refusal(str(problem)) from problem

    def write(self, path: str, data: bytes, n: int) -> None:
        """Item n replaces a whole file; no item before it may have touched it."""
        if path in self._written:
            earlier = self._written[path][0]
            raise refusal(
                f"Item {n} would overwrite what item {earlier} writes to “{visible(path)}”; let one item write it."
            )
        self._replace(path, data, n)

    def append(self, path: str, data: bytes, n: int) -> None:
        """Item n makes a file longer, on top of items before it; `data` is the whole new content."""
        self._replace(path, data, n)

    def _replace(self, path: str, data: bytes, n: int) -> None:
        self._refuse_if_moved(path, n)
        seen = self.real(path)
        if seen is not None and seen.names > 1:
            raise refusal(
                f"“{visible(path)}” has more than one name (hard links), so it cannot be replaced without parting them."
            )
        if seen is not None and seen.size > LARGEST_CONTENT:
            raise refusal(f"“{visible(path)}” is too large to be kept for undoing, so it is not replaced.")
        self._written[path] = (n, data)

    def move(self, source: str, target: str, n: int) -> Seen:
        """Item n moves a file to a free name; the file.

        Raises:
            EffectTrouble: there is no such file, the name is taken, or another item touches one of them.
        """
        for path in (source, target):
            self._refuse_if_moved(path, n)
            if path in self._written:
                earlier = self._written[path][0]
                raise refusal(
                    f"Item {n} moves “{visible(path)}”, which item {earlier} writes; write it where it shall end."
                )
        seen = self.real(source)
        if seen is None:
            raise refusal(f"There is no file “{visible(source)}” to move.")
        if self.real(target) is not None:
            raise refusal(f"“{visible(target)}” exists already, and moving never overwrites.")
        self._moved[source] = self._moved[target] = n
        return seen

    def _refuse_if_moved(self, path: str, n: int) -> None:
        if path in self._moved:
            raise refusal(
                f"Item {n} touches “{visible(path)}”, which item {self._moved[path]} moves; do that under another gate."
            )


def refusal(message: str) -> EffectTrouble:
    """A trouble that trying again does not mend."""
    return EffectTrouble(message, FailureClass.STRUCTURAL)
