"""A copy of a run's files for one command, and what the command has made of it, as the overlay of a step.

A copy is looked through with our own code alone and without following anything; what nobody has touched is known by inode and time of
change, which no program can forge. What the command has left is then read as that of any step, as the work of a stranger.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from counterfoil.authoring.overlay import Made, Overlay
from counterfoil.stage.copying import clone
from counterfoil.stage.survey import MOST_FILES

_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_WRITE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


@dataclass(frozen=True, slots=True)
class Written:
    """What a command has changed: the name of the overlay (None: nothing), the paths, and what is not taken over (links, pipes)."""

    token: str | None
    paths: list[str] = field(default_factory=list)
    left: list[str] = field(default_factory=list)


class TooManyFiles(Exception):
    """A command has made more entries than a stage may hold."""


@dataclass(frozen=True, slots=True)
class PrivateCopy:
    """The copy: where it lies, and inode and time of change of each of its entries just after it was made. `besides` is the name of a
    folder in it that was laid there for the command and is not of the run."""

    folder: Path
    made: dict[str, tuple[int, int]]
    besides: str = ""

    @classmethod
    def of(cls, tree: Path, folder: Path, besides: str = "") -> PrivateCopy:
        """Copy a tree, but for what has the name `besides` in it; `folder` is made. Blocking.

        Raises:
            OSError: there is no room, or the tree cannot be read.
        """
        folder.mkdir(mode=0o700, parents=True)
        made: dict[str, tuple[int, int]] = {}
        for path, status in list(_entries(tree)):
            target = folder / path
            if besides and path.partition("/")[0] == besides:
                continue  # the folder of that name is ours alone: nothing laid there may follow a link of the run's
            if stat.S_ISDIR(status.st_mode):
                target.mkdir(mode=0o700)
            elif stat.S_ISLNK(status.st_mode):
                target.symlink_to((tree / path).readlink())
            elif stat.S_ISREG(status.st_mode):
                _copy(tree / path, target, status)
        for path, status in _entries(folder):
            made[path] = (status.st_ino, 0 if stat.S_ISDIR(status.st_mode) else status.st_ctime_ns)
        return cls(folder, made, besides)

    def written(self, overlays: Path) -> Written:
        """What is otherwise now, as an overlay beneath `overlays`. Blocking; nothing of the command may be alive.

        Raises:
            TooManyFiles: it has made more than a stage may hold.
            OSError: there is no room.
        """
        overlay = Overlay.beneath(overlays)
        paths, left, seen = list[str](), list[str](), set[str]()
        with overlay.changing():
            for path, status in _entries(self.folder):
                if self.besides and path.partition("/")[0] == self.besides:
                    continue
                seen.add(path)
                if len(seen) > MOST_FILES + len(self.made):
                    raise TooManyFiles
                if self._is_untouched(path, status):
                    continue
                if stat.S_ISDIR(status.st_mode):
                    if path not in self.made:
                        overlay.make_folder(path)
                elif stat.S_ISREG(status.st_mode):
                    self._take(overlay, path, status)
                    paths.append(path)
                else:
                    left.append(path)
            gone = sorted(set(self.made) - seen)
            for path in gone:
                if path.rpartition("/")[0] not in gone:
                    overlay.remove(path, was_there=True)
                    paths.append(path)
            if not (paths or overlay.folders):
                overlay.discard()
                return Written(None, [], left)
            overlay.close()
        return Written(overlay.token, sorted(paths), left)

    def _is_untouched(self, path: str, status: os.stat_result) -> bool:
        before = self.made.get(path)
        return before is not None and before == (
            status.st_ino,
            0 if stat.S_ISDIR(status.st_mode) else status.st_ctime_ns,
        )

    def _take(self, overlay: Overlay, path: str, status: os.stat_result) -> None:
        number, place = overlay.next_place()
        with os.fdopen(os.open(self.folder / path, _READ), "rb") as source, place.open("xb") as out:
            shutil.copyfileobj(source, out)
        overlay.put(path, Made(number, stat.S_IMODE(status.st_mode) & 0o777))

    def drop(self) -> None:
        """Let go of it, also where a command has taken the right to its own folders away."""
        for folder, below, _ in os.walk(self.folder):
            for name in below:
                place = Path(folder) / name
                with contextlib.suppress(OSError):
                    if not place.is_symlink():
                        place.chmod(0o700)
        shutil.rmtree(self.folder, ignore_errors=True)


def _entries(root: Path) -> Iterator[tuple[str, os.stat_result]]:
    """Everything beneath a folder, folders before what is in them, links not followed; paths are relative to it."""
    todo = [""]
    while todo:
        here = todo.pop()
        if here and not os.access(
            root / here, os.R_OK | os.X_OK
        ):  # a command has taken the right to its own folder away
            (root / here).chmod(0o700)  # a folder, not a link: it was looked at, and nothing of the command lives
        with os.scandir(root / here) as listing:
            for item in listing:
                path = f"{here}/{item.name}" if here else item.name
                status = item.stat(follow_symlinks=False)
                if stat.S_ISDIR(status.st_mode):
                    todo.append(path)
                yield path, status


def _copy(source: Path, target: Path, status: os.stat_result) -> None:
    with os.fdopen(os.open(source, _READ), "rb") as reading, os.fdopen(os.open(target, _WRITE, 0o600), "wb") as writing:
        try:
            clone(reading.fileno(), writing.fileno())
        except OSError:
            shutil.copyfileobj(reading, writing)
        os.fchmod(writing.fileno(), stat.S_IMODE(status.st_mode) & 0o777 | 0o600)
        os.utime(writing.fileno(), ns=(status.st_atime_ns, status.st_mtime_ns))
