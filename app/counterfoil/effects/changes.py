"""What a change of an apply set is: it goes forth and back, in acts that a crash can fall between.

Temporary names lie beside a file while it changes, all hidden, all made of the set's digest: `.part` is being written, `.new` is whole and
about to take the file's name (after an exchange it is what the file was), `.old` is a file about to be removed. `tidy` reads from them
what a crash left undone. Nothing is ever removed before its bytes were seen to be ours.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Protocol

from counterfoil.authoring.codec import digest
from counterfoil.effects.beneath import TEMPORARY, Beneath, Blocked, hash_of, open_file
from counterfoil.effects.undo_store import Note, UndoStore


class Stand(Enum):
    """Where a file stands in its change."""

    BEFORE = "before"
    AFTER = "after"
    FOREIGN = "foreign"
    PARTLY = "partly"  # foreign, and something of ours may be in place as well


class Raced(Exception):
    """A file turned into something else while it was being changed; it was left as somebody made it."""

    def __init__(self, path: str) -> None:
        super().__init__(path)
        self.path = path


class ContentLost(Exception):
    """The bytes that a file shall get are gone, or are not what was sealed; `path` is the file's."""

    def __init__(self, path: str) -> None:
        super().__init__(path)
        self.path = path


@dataclass(slots=True)
class Site:
    """What a change works with: the folder, the set's own store and its note, and by name the stores of sets that are undone."""

    ground: Beneath
    undo: UndoStore
    note: Note = field(default_factory=lambda: Note([], []))
    others: Mapping[str, UndoStore] = field(default_factory=dict)

    def store(self, name: str) -> UndoStore:
        """A store; "" is the set's own."""
        return self.others[name] if name else self.undo

    def temporary(self, path: str, ending: str) -> str:
        """The name beside a file that this set uses for it."""
        return f"{TEMPORARY}{digest(f'{self.undo.set_id}:{path}')[:20]}.{ending}"


class Change(Protocol):
    """A file or folder that goes from one state to another."""

    @property
    def does(self) -> str:
        """What it does, in the words of a note: move, leave, arrive, write, mkdir, rmdir."""

    @property
    def paths(self) -> list[str]:
        """The names it touches, the one that people know it by first."""

    @property
    def folders(self) -> list[str]:
        """The folders that must be there for it; missing ones are made."""

    def begin(self, site: Site) -> None:
        """Note what must be known of it before the first file of the set changes."""

    def tidy(self, site: Site) -> None:
        """Finish or clear what a crash left beside its files."""

    def stand(self, site: Site) -> Stand:
        """Where its files stand now. Raises Blocked or OSError where that cannot be told."""

    def odd(self, site: Site) -> tuple[str, str]:
        """Of a change that stands nowhere: the name that is not as it was approved, and what is wrong with it."""

    def do(self, site: Site) -> None:
        """Go from before to after. Raises Raced, Blocked, ContentLost or OSError, with this change not done."""

    def put_back(self, site: Site) -> None:
        """Go from after to before. Raises Raced, Blocked or OSError, with this change not put back."""


def what_is_odd(site: Site, path: str) -> tuple[str, str]:
    """What is wrong with a file that is not as it was approved."""
    try:
        seen = site.ground.look(path)
    except Blocked as problem:
        return problem.path, problem.reason
    except OSError as problem:
        return path, f"cannot be read ({(problem.strerror or str(problem)).lower()})"
    return path, "changed since it was approved" if seen else "is gone"


def sha_in(folder: int, name: str) -> str | None:
    """SHA-256 of a regular file in an open folder; None where there is none."""
    try:
        handle = open_file(folder, name, name)
    except (FileNotFoundError, Blocked):
        return None
    try:
        return hash_of(handle)[0]
    finally:
        os.close(handle)


def unlink(folder: int, name: str) -> None:
    """Remove a file of ours, if it is there."""
    with contextlib.suppress(FileNotFoundError):
        os.unlink(name, dir_fd=folder)


@contextlib.contextmanager
def new_file(folder: int, name: str) -> Iterator[int]:
    """A file that nobody else has (0600), open for writing; it is gone again where writing it fails."""
    handle = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600, dir_fd=folder)
    try:
        try:
            yield handle
        finally:
            os.close(handle)
    except BaseException:
        unlink(folder, name)
        raise
