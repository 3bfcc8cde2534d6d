"""Where things are on disk: the home with the database, what is bundled with the program, and being alone in a place."""

from __future__ import annotations

import contextlib
import functools
import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from counterfoil.errors import WrongUse

_PACKAGE = Path(__file__).resolve().parent


@dataclass(frozen=True, slots=True)
class Home:
    """The data folder: `counterfoil.db`, `blobs/`, `stages/`, `undo/`, `logs/`, `run/`, `packages/`."""

    root: Path

    @property
    def real(self) -> Path:
        """The root, free of links; looked up once in a process, which keeps its database open there."""
        return _real(self.root)

    @property
    def database(self) -> Path:
        """The one SQLite file that holds every checkpoint."""
        return self.root / "counterfoil.db"

    @property
    def blobs(self) -> Path:
        """Content-addressed payloads over 64 KiB."""
        return self.root / "blobs"

    @property
    def stages(self) -> Path:
        """The runs' private copies of their workspaces' files, one folder each."""
        return self.root / "stages"

    @property
    def undo(self) -> Path:
        """Originals that approved effects displaced."""
        return self.root / "undo"

    @property
    def logs(self) -> Path:
        """Log files of the runner."""
        return self.root / "logs"

    @property
    def run(self) -> Path:
        """Sockets and lock files of live processes."""
        return self.root / "run"

    @property
    def templates(self) -> Path:
        """Templates of this person, looked up after the workspace's."""
        return self.root / "templates"

    @property
    def packages(self) -> Path:
        """What templates import that Counterfoil does not bring: one folder for each lock and kind of Python."""
        return self.root / "packages"

    @property
    def versions(self) -> Path:
        """Unpacked template versions, named by digest; made anew from the database when missing."""
        return self.root / "run" / "versions"

    def create(self) -> Home:
        """Make the folders, private to this account; safe to repeat."""
        for folder in (self.root, self.blobs, self.stages, self.undo, self.logs, self.run):
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        return self


def followed(path: Path) -> Path:
    """A place that somebody named, whole: without “~” and links.

    Raises:
        WrongUse: its links lead in a circle, or nothing can be called that.
    """
    try:
        return path.expanduser().resolve()
    except (OSError, RuntimeError, ValueError) as problem:  # the latter two: a circle or an account nobody has, a NUL
        why = getattr(problem, "strerror", None) or "its links lead in a circle, or nothing can be called that"
        raise WrongUse(f"The place {str(path)!r} cannot be used: {why}.", "Name another.") from problem


@functools.lru_cache(maxsize=64)
def _real(root: Path) -> Path:
    return root.resolve()


def find_home(chosen: str | os.PathLike[str] | None = None) -> Home:
    """The home: the one chosen, else COUNTERFOIL_HOME, else the platform's user data folder.

    Raises:
        WrongUse: the one chosen is no place.
    """
    given = chosen or os.environ.get("COUNTERFOIL_HOME")
    if given:
        return Home(followed(Path(given)))
    import platformdirs  # third party, lazy: only needed when nothing was chosen

    return Home(Path(platformdirs.user_data_dir("counterfoil", appauthor=False)))


def bundled(kind: str) -> Path:
    """The folder of bundled `workflows` or `resources`, in a checkout and in an installed wheel alike."""
    checkout = _PACKAGE.parent.parent / kind
    return checkout if checkout.is_dir() else _PACKAGE / "_bundled" / kind


@contextlib.contextmanager
def alone(lock: Path) -> Iterator[None]:
    """Wait for other processes and threads that read and write what `lock` stands for; who dies lets go of it."""
    handle = os.open(lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        if sys.platform == "win32":
            import msvcrt

            msvcrt.locking(handle, msvcrt.LK_LOCK, 1)
        else:
            import fcntl

            fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)
