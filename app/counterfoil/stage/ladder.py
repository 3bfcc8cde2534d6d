"""Folders opened name by name beneath a root, so that no link on the way is followed and no path is ever too long.

Walking a tree folder after folder opens one name per folder; only the last few handles are kept, however deep the tree is.
"""

from __future__ import annotations

import contextlib
import os
from typing import Self

FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_KEPT = 48  # handles at a time


class Ladder:
    """A way down from a root to one folder after another; close it, or use it in `with`.

    With `make`, folders that are missing are made (0700).

    Raises:
        OSError: the root cannot be opened as a folder; `follow` says whether the root itself may be a link.
    """

    def __init__(self, root: str | os.PathLike[str], *, make: bool = False, follow: bool = False) -> None:
        self._root = os.open(root, FOLDER & ~os.O_NOFOLLOW if follow else FOLDER)
        self._make = make
        self._last: str | None = None
        self._names: list[str] = []
        self._handles: list[int] = []  # of the last names

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of every folder."""
        self._drop(0)
        os.close(self._root)

    def at(self, folder: str) -> int:
        """The open folder at a path ("" is the root). The handle is the ladder's own, and good until the next call.

        Raises:
            FileNotFoundError: it is not there.
            OSError: ENOTDIR or ELOOP where something on the way is a link or no folder.
        """
        if folder == self._last:
            return self._handles[-1] if self._handles else self._root
        return self._at(folder, make=self._make)

    def find(self, folder: str) -> int:
        """As `at`, and nothing is made."""
        return self._at(folder, make=False)

    def forget(self) -> None:
        """Folders may have been removed behind the ladder's back: open them anew."""
        self._last = None
        self._drop(0)

    def _at(self, folder: str, *, make: bool) -> int:
        self._last = None
        wanted = folder.split("/") if folder else []
        shared = 0
        for one, other in zip(self._names, wanted, strict=False):
            if one != other:
                break
            shared += 1
        if shared <= len(self._names) - len(self._handles):  # that far up nothing is open any more
            shared = 0
        self._drop(shared)
        for name in wanted[len(self._names) :]:
            self._step(name, make=make)
        self._last = folder
        return self._handles[-1] if self._handles else self._root

    def _step(self, name: str, *, make: bool) -> None:
        above = self._handles[-1] if self._handles else self._root
        if make:
            with contextlib.suppress(FileExistsError):
                os.mkdir(name, 0o700, dir_fd=above)
        self._handles.append(os.open(name, FOLDER, dir_fd=above))
        self._names.append(name)
        if len(self._handles) > _KEPT:
            os.close(self._handles.pop(0))

    def _drop(self, length: int) -> None:
        """Shorten the way to so many names."""
        while len(self._names) > length:
            self._names.pop()
            if self._handles:
                os.close(self._handles.pop())
