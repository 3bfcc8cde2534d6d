"""What one try of a step has written and removed, kept beside the files it reads until the try is recorded.

The folder of an overlay holds the new bytes in files named by numbers, and at the end `changes.json`, which says where they belong. A
try that fails leaves nothing but its own folder. Standard library only.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import threading
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path

from counterfoil.authoring.patterns import is_among

CHANGES = "changes.json"
NOT_COPIED = "not-copied.json"  # beside the overlays: what of the workspace is not among the files, [path, why] each
NEW_FILE = 0o644
MOST_HEARD = 100  # sources that are told of one step
MOST_OPENED = 50  # files that are told of one try; of more the last ones
LONGEST_TOLD = 500  # characters of such a path; a longer one is not told


class Standing(Enum):
    """What an overlay says of a path."""

    UNTOUCHED = "untouched"
    FILE = "file"
    FOLDER = "folder"
    GONE = "gone"


@dataclass(frozen=True, slots=True)
class Made:
    """A file of the overlay: the number of its bytes, and its permission bits."""

    number: int
    mode: int


@dataclass(slots=True)
class Overlay:
    """The changes of one try. Paths are plain: relative, `/` between names, no dots. `folder` is made by the first change."""

    folder: Path
    gone: set[str] = field(default_factory=set)
    files: dict[str, Made] = field(default_factory=dict)
    folders: set[str] = field(default_factory=set)
    foreign: tuple[str, ...] = ()  # patterns of files that hold words of others
    heard: dict[str, None] = field(default_factory=dict)  # sources of such words that the step has read
    opened: dict[str, None] = field(default_factory=dict)  # files that it has read and not written, the last one last
    elsewhere: bool = False  # a forked child has it, so what it has begun is not known here
    _above: dict[str, set[str]] = field(default_factory=dict)  # by folder, the names that the overlay has in it
    _lock: threading.RLock = field(default_factory=threading.RLock)
    _number: int = 0
    _begun: bool = False

    @classmethod
    def beneath(cls, overlays: Path, foreign: tuple[str, ...] = ()) -> Overlay:
        """A fresh one with a name of its own."""
        return cls(overlays / os.urandom(16).hex(), foreign=foreign)

    def note_read(self, path: str) -> None:
        """A file is read, or would be if it were there: remembered, as a source where it holds words of others."""
        if len(path) <= LONGEST_TOLD and self.standing(path) is Standing.UNTOUCHED:
            self.note_opened([path])
        if len(self.heard) < MOST_HEARD and is_among(path, self.foreign):
            self.heard[f"file {path}"] = None

    def note_opened(self, paths: Iterable[str]) -> None:
        """These files were read."""
        for path in paths:
            self.opened.pop(path, None)
            self.opened[path] = None
            if len(self.opened) > MOST_OPENED:
                del self.opened[next(iter(self.opened))]

    def note_said(self, source: str) -> None:
        """A step says whose words it has read."""
        if len(self.heard) < MOST_HEARD:
            self.heard[source] = None

    @property
    def token(self) -> str | None:
        """Its name, or None where nothing was changed."""
        return self.folder.name if self._begun or (self.elsewhere and self.folder.exists()) else None

    @contextlib.contextmanager
    def changing(self) -> Iterator[None]:
        """One change at a time: threads of a step may write side by side."""
        with self._lock:
            if not self._begun:
                self.folder.mkdir(mode=0o700, exist_ok=True)
                self._begun = True
            yield

    # ---------------------------------------------------------------------------------------------------------- looking

    def standing(self, path: str) -> Standing:
        """What has become of a path."""
        if path in self.files:
            return Standing.FILE
        if path in self.folders or path in self._above:
            return Standing.FOLDER
        while path:
            if path in self.gone or path in self.files:
                return Standing.GONE
            path = path.rpartition("/")[0]
        return Standing.UNTOUCHED

    def is_covered(self, folder: str) -> bool:
        """Whether nothing of what lay at a folder before is seen any more."""
        while folder:
            if folder in self.gone or folder in self.files:
                return True
            folder = folder.rpartition("/")[0]
        return False

    def names_in(self, folder: str) -> set[str]:
        """The names that the overlay has in a folder."""
        return self._above.get(folder, set())

    def place(self, path: str) -> Path:
        """Where the bytes of a file of the overlay lie."""
        return self.folder / str(self.files[path].number)

    # ---------------------------------------------------------------------------------------------------------- changing

    def next_place(self) -> tuple[int, Path]:
        """A number for new bytes and where to put them."""
        self._number += 1
        return self._number, self.folder / str(self._number)

    def write(self, path: str, data: bytes, mode: int) -> None:
        """New bytes at a path."""
        number, place = self.next_place()
        with place.open("xb") as out:
            out.write(data)
        self.put(path, Made(number, mode))

    def put(self, path: str, made: Made) -> None:
        """Let a path be bytes that lie here already."""
        before = self.files.get(path)
        self.files[path] = made
        if before is not None and before.number != made.number:
            (self.folder / str(before.number)).unlink()
        self._name(path)

    def make_folder(self, path: str) -> None:
        """A folder that may be empty."""
        self.folders.add(path)
        self._name(path)

    def remove(self, path: str, *, was_there: bool) -> None:
        """Take a path away, a folder with all in it. `was_there`: there was something before the overlay, which goes as well."""
        for inside in [path, *self._beneath(path)]:
            made = self.files.pop(inside, None)
            if made is not None:
                (self.folder / str(made.number)).unlink()
            self.folders.discard(inside)
            self._above.pop(inside, None)
            self.gone.discard(inside)
        if was_there:
            self.gone.add(path)
        self._unname(path)

    def release(self, path: str) -> Made:
        """Let go of a file of the overlay that is about to get another path; its bytes stay."""
        made = self.files.pop(path)
        self._unname(path)
        return made

    def _beneath(self, path: str) -> list[str]:
        prefix = f"{path}/"
        return [one for one in (*self.files, *self.folders, *self._above, *self.gone) if one.startswith(prefix)]

    def _name(self, path: str) -> None:
        while path:
            path, _, name = path.rpartition("/")
            self._above.setdefault(path, set()).add(name)

    def _unname(self, path: str) -> None:
        """Forget a name; the folder that it was in stays, as folders do."""
        above, _, name = path.rpartition("/")
        self._above.get(above, set()).discard(name)

    # ------------------------------------------------------------------------------------------------------------ the end

    def close(self) -> None:
        """Write down what was changed; nothing to do where nothing was."""
        if not self._begun:
            return
        emptied = {folder for folder, names in self._above.items() if folder and not names}
        plain = {
            "gone": sorted(self.gone),
            "folders": sorted(self.folders | emptied),
            "files": [[path, made.number, made.mode] for path, made in sorted(self.files.items())],
        }
        (self.folder / CHANGES).write_text(json.dumps(plain), encoding="ascii")

    def discard(self) -> None:
        """The try has failed: nothing of it is kept."""
        shutil.rmtree(self.folder, ignore_errors=True)


def names_too_long(path: str) -> bool:
    """Whether no file system takes this path."""
    return len(os.fsencode(path)) > 4096 or any(len(os.fsencode(name)) > 255 for name in path.split("/"))
