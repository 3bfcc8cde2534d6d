"""How a host's process is started at each level: the command, the descriptors it gets, the folders made for it, and what it is asked
to do to itself before it is given anything.

Whatever starts one, the runner for a run or the probe at start-up, starts it by this module, so that what was probed is what runs.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
import sysconfig
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from counterfoil.places import Home
from counterfoil.policy.protection import NONE
from counterfoil.sandbox import bwrap, keeping, landlock, limits, scopes, seccomp, selftest
from counterfoil.sandbox.ending import end_orphans, is_owned
from counterfoil.sandbox.levels import Measured

_PACKAGE_ROOT = Path(__file__).resolve().parents[2]
_STUB = (
    "import sys; sys.path[:0] = sys.argv[4:5]; sys.path += sys.argv[5:]; "
    "from counterfoil.sandbox.{} import main; main(int(sys.argv[1]), sys.argv[2])"
)
_SYSTEM = (
    "/usr /bin /sbin /lib /lib32 /lib64 /etc/ld.so.cache /etc/localtime /dev/null /dev/zero /dev/urandom /proc/self"
)


class Unfit(Exception):
    """A host is not confined as it must be; the message says in what. No code of an author has run in it."""


class Slot:
    """A host's own folders beneath the data folder: where its code is put, where its run's files come, where its steps write, and a scratch
    folder where it has no other."""

    def __init__(self, home: Home) -> None:
        slots = home.run / "slots"
        slots.mkdir(mode=0o700, parents=True, exist_ok=True)
        self.root = Path(tempfile.mkdtemp(prefix=f"{os.getpid()}-", dir=slots.resolve()))
        self.code = self.root / "code"
        self.scratch = self.root / "tmp"
        self.files = self.root / "files"
        self.work = self.root / "work"
        for folder in (self.code, self.scratch, self.files, self.work):
            folder.mkdir(mode=0o700)

    def fill(self, version: Path) -> Path:
        """Copy a version's code in; its folder in the slot."""
        return Path(shutil.copytree(version, self.code / version.name))

    def remove(self) -> None:
        """Take the folders away; what cannot be removed stays for the next start."""
        shutil.rmtree(self.root, ignore_errors=True)


def clear_slots(home: Home) -> None:
    """Remove the slots of processes that are gone, and what was being started for them."""
    end_orphans(home)
    for slot in (home.run / "slots").glob("*-*"):
        if not is_owned(slot):
            shutil.rmtree(slot, ignore_errors=True)


@dataclass(frozen=True, slots=True)
class Cell:
    """What a host is to be confined to."""

    measured: Measured
    slot: Slot
    home: Home
    runs: bool = True  # there to serve a run, so it has files
    brought: Path | None = None  # the packages that its template requires
    compiles: bool = False  # its slot may be written, and what is compiled in it is kept

    def mounts(self) -> bwrap.Mounts:
        """What an isolated host sees."""
        brought = (self.brought,) if self.brought else ()
        files, work = (self.slot.files, self.slot.work) if self.runs else (None, None)
        return bwrap.Mounts((*runtime(), *brought), self.slot.code, files, work, slot_writable=self.compiles)

    def inside(self, folder: Path) -> Path:
        """The path at which a host sees a folder of its slot."""
        return bwrap.CODE / folder.relative_to(self.slot.code) if self.measured.is_isolated else folder


@dataclass(slots=True)
class Launch:
    """A process about to be started. `close` gives the descriptors back once it is."""

    command: list[str]
    environment: dict[str, str]
    handles: list[int] = field(default_factory=list)
    is_kept: bool = False  # by a keeper, which is asked to end it

    def close(self) -> None:
        """Close this process's copies."""
        for handle in self.handles:
            os.close(handle)
        self.handles.clear()


def canonical(folder: Path) -> Path:
    """A folder without links on the way."""
    return Path(os.path.realpath(folder))


def packages() -> tuple[Path, ...]:
    """Where this program lies, and the folders that packages are imported from."""
    found = [Path(entry).resolve() for entry in sys.path if Path(entry).name in ("site-packages", "dist-packages")]
    kept = [folder for folder in dict.fromkeys(found) if folder.is_dir()]
    return (_PACKAGE_ROOT, *(folder for folder in kept if folder != _PACKAGE_ROOT))


def interpreter() -> Path:
    """The Python itself, behind the links of a virtual environment."""
    return Path(getattr(sys, "_base_executable", "") or sys.executable).resolve()


def runtime() -> tuple[Path, ...]:
    """The folders that Python and its packages live in."""
    prefixes = {Path(sys.base_prefix).resolve(), Path(sys.base_exec_prefix).resolve()}
    prefixes.add(Path(sysconfig.get_path("stdlib")).resolve())
    return (*sorted(prefixes), interpreter().parent, *packages())


def prepare(cell: Cell, wire: int) -> Launch:
    """The command for a host at its level. `wire` is its end of the socket.

    Raises:
        Unfit: it cannot be confined there: a path is a link.
    """
    program = first_words("inside", wire, cell.measured, cell.slot)
    if not cell.measured.is_isolated:
        return kept(program, cell.slot)
    return walled(cell.mounts(), program, cell.measured)


def first_words(module: str, wire: int, measured: Measured, slot: Slot) -> list[str]:
    """The command of a sandbox's first process: `main` of a module of this room, with its end of the socket and its level."""
    given = [str(wire), measured.code, slot.root.name, *map(str, packages())]
    return [str(interpreter()), "-P", "-s", "-S", "-c", _STUB.format(module), *given]


def walled(mounts: bwrap.Mounts, program: list[str], measured: Measured) -> Launch:
    """The command that runs a program of ours within walls (L3, L4).

    Raises:
        Unfit: the walls cannot be described: a path is a link.
    """
    launch = Launch([], {})
    try:
        people, groups = (_kept(launch, data, "accounts") for data in bwrap.people_and_groups())
        filtered = _kept(launch, seccomp.outer(), "calls")
        words = bwrap.arguments(
            mounts, seccomp=filtered, people=people, groups=groups, no_more_users=measured.no_more_users
        )
        listed = _kept(launch, bwrap.encoded(words), "arguments")
    except (OSError, ValueError, seccomp.UnknownArchitecture) as problem:
        launch.close()
        raise Unfit(f"the sandbox cannot be described: {problem}") from problem
    launch.command = limits.sacrificed([str(bwrap.PROGRAM), "--args", str(listed), "--", *program])
    if measured.is_capped:
        launch.command, launch.environment = [*scopes.words(), *launch.command], scopes.environment()
    return launch


def _kept(launch: Launch, data: bytes, name: str) -> int:
    launch.handles.append(bwrap.sealed(data, name))
    return launch.handles[-1]


def kept(program: list[str], slot: Slot) -> Launch:
    """The command that runs a program of ours without walls, beneath a keeper where there can be one."""
    scratch = str(slot.scratch)
    environment = bwrap.ENVIRONMENT | {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": scratch, "TMPDIR": scratch}
    if sys.platform == "win32":
        environment["SYSTEMROOT"] = os.environ.get("SYSTEMROOT", "")
    if sys.platform != "linux":
        return Launch(program, environment)
    return Launch([str(interpreter()), "-I", "-S", keeping.__file__, *program], environment, is_kept=True)


@dataclass(frozen=True, slots=True)
class Given:
    """What a host without walls of its own is given at its place on this computer: the version's folder, the run's files, and the folder
    that its steps write into."""

    code: Path | None = None
    files: Path | None = None
    work: Path | None = None


def request(cell: Cell, given: Given) -> dict[str, Any]:
    """The first frame to a host: what it is to leave itself, and where it is to try whether it can write."""
    written = [cell.slot.scratch, *([cell.slot.code] if cell.compiles else []), *filter(None, [given.work])]
    tried = [] if cell.measured.level is NONE else _tried(cell, given)
    seen = (*runtime(), *filter(None, (given.code, cell.brought, given.files)))
    return asking(seen, written, tried, [str(bwrap.FILES)] if cell.runs and cell.measured.is_isolated else [])


def asking(readable: Iterable[Path], writable: Iterable[Path], tried: list[str], known: list[str]) -> dict[str, Any]:
    """The frame that asks a sandbox to confine itself and to report: what it may read besides the system and what it may write where
    there are no walls, where it is to try to write, and which folders it is to look at."""
    seen = [*(Path(path) for path in _SYSTEM.split()), *readable]
    return {
        "t": "confine",
        "readable": [str(path) for path in seen if os.access(path, os.F_OK)],
        "writable": [str(path) for path in writable],
        "tried": tried,
        "known": known,
    }


def _tried(cell: Cell, given: Given) -> list[str]:
    if cell.measured.is_isolated:
        files = [str(bwrap.FILES)] if cell.runs else []
        return ["/", "/usr", "/dev", *files, *([] if cell.compiles else [str(bwrap.CODE)])]
    return ["/", str(cell.home.root), *([str(given.files)] if given.files else [])]


def judge(cell: Cell, given: Given, found: dict[str, Any], pid: int) -> None:
    """Compare what a host reports of itself, and what the kernel says of its first process, with what it was to be.

    Raises:
        Unfit: it is something else.
    """
    if cell.measured.level is NONE:
        return
    with reading_a_report():
        if not cell.measured.is_isolated:
            wrong = selftest.restricted(found, hidden=_tried(cell, given))
        else:
            known = {str(bwrap.FILES): identity(cell.slot.files)} if cell.runs else {}
            root = bwrap.top_level(cell.mounts())
            tells = not landlock.can_hide()
            wrong = selftest.isolated(found, root=root, unwritable=_tried(cell, given), known=known, tells=tells)
        if cell.measured.is_capped:
            wrong += scopes.wrong_with(pid)
    if wrong:
        raise Unfit("; ".join(wrong))


@contextlib.contextmanager
def reading_a_report() -> Iterator[None]:
    """What comes from inside may be anything.

    Raises:
        Unfit: it is no report.
    """
    try:
        yield
    except (KeyError, TypeError, ValueError, OSError, IndexError, AttributeError) as problem:
        raise Unfit(f"its report cannot be read ({type(problem).__name__}: {problem})") from problem


def identity(folder: Path) -> list[int]:
    """Device and inode of a folder.

    Raises:
        OSError: it is not there.
    """
    found = folder.stat()
    return [found.st_dev, found.st_ino]
