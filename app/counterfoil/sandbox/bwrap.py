"""Bubblewrap: the argument list of a sandbox, and the ways it is handed over.

The list goes through a sealed memory file, so that no command line shows it; the program starts with an empty environment, because the
first process inside keeps the one that bubblewrap was started with. Every destination is a path that nobody inside can have planted.
"""

from __future__ import annotations

import fcntl
import os
import stat
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

PROGRAM = Path("/usr/bin/bwrap")  # never looked up: a system's permission for it is bound to this path
CODE = Path("/template")  # where a host finds the version it runs
JOB = Path(
    "/job"
)  # where the stage is seen; to a host it is a link into FILES, which leads nowhere before its run is known
FILES = Path("/job-files")  # where a host's run has its files
WORK = Path("/job-work")  # where its steps write
TREE = "tree"  # the name of the files in their slot
NETWORK = Path("/network")  # the socket of the one way out, where there is any
_DATA = "/dev/shm", "/tmp"  # noqa: S108 - inside, both are memory of the sandbox's own
_SHARED_MEMORY, _SCRATCH = 64 * 1024 * 1024, 256 * 1024 * 1024  # bytes
_PEOPLE = b"root:x:0:0:root:/:/bin/false\ncounterfoil:x:1000:1000::/tmp/home:/bin/false\n"
_GROUPS = b"root:x:0:\ncounterfoil:x:1000:\n"
_OLD_LINKS = ("bin", "sbin", "lib", "lib64", "lib32", "libx32")
ENVIRONMENT = {
    "PATH": "/usr/bin",
    "HOME": "/tmp/home",  # noqa: S108
    "TMPDIR": "/tmp",  # noqa: S108
    "LANG": "C.UTF-8",
    "PYTHONHASHSEED": "0",
    "PYTHONNOUSERSITE": "1",
    "PYTHONDONTWRITEBYTECODE": "1",
}


@dataclass(frozen=True, slots=True)
class Mounts:
    """What is seen inside besides the system: the runtime, packages and other code at their own paths, a host's slot at `CODE`, the
    folder that gets its run's files at `FILES`, the one that its steps write into at `WORK`, a stage at `JOB`, a connector's way out at
    `NETWORK`. All of it can only be read, except `WORK` and where it says otherwise."""

    runtime: tuple[Path, ...]
    slot: Path | None = None
    files: Path | None = None
    work: Path | None = None
    slot_writable: bool = False
    stage: Path | None = None
    stage_writable: bool = False
    network: Path | None = None

    @property
    def own(self) -> tuple[Path, ...]:
        """Folders outside /usr that are seen at their own paths; shorter ones first."""
        return tuple(_outside_usr(self.runtime))

    @property
    def placed(self) -> list[tuple[Path, Path, bool]]:
        """What is seen at a path of its own making: from where, as what, and whether it may be written."""
        found = [
            (self.slot, CODE, self.slot_writable),
            (self.files, FILES, False),
            (self.work, WORK, True),
            (self.stage, JOB, self.stage_writable),
            (self.network, NETWORK, False),
        ]
        return [(source, seen, writable) for source, seen, writable in found if source is not None]

    @property
    def start(self) -> Path:
        """Where the first process stands."""
        return JOB if self.stage else CODE if self.slot else Path(_DATA[1])


def trusted(program: Path | None = None) -> str | None:
    """Why a bubblewrap is not used, or None when it is fine: there, owned by root, not setuid, and nobody else may write it."""
    program = program or PROGRAM
    try:
        found = os.lstat(program)
    except OSError:
        return f"{program} is not installed"
    if not stat.S_ISREG(found.st_mode):
        return f"{program} is no regular file"
    if found.st_uid != 0 or found.st_mode & 0o022:
        return f"{program} can be changed by somebody who is not the administrator"
    if found.st_mode & 0o6000:
        return f"{program} is setuid, which is not safe"
    return None


def arguments(mounts: Mounts, *, seccomp: int, people: int, groups: int, no_more_users: bool = True) -> list[str]:
    """The options, in the order in which they are carried out; the numbers are descriptors. `no_more_users=False` is for systems
    where bubblewrap cannot switch user namespaces off inside; the filter refuses them all the same.

    Raises:
        ValueError: a path has a NUL in it, is not canonical, or would be hidden behind another.
    """
    words = "--unshare-user --unshare-pid --unshare-net --unshare-ipc --unshare-uts --unshare-cgroup-try".split()
    words += ["--disable-userns"] if no_more_users else []
    words += "--die-with-parent --new-session --uid 1000 --gid 1000 --hostname counterfoil --clearenv".split()
    for name, value in ENVIRONMENT.items():
        words += ["--setenv", name, value]
    words += _system()
    words += ["--ro-bind-data", str(people), "/etc/passwd", "--ro-bind-data", str(groups), "/etc/group"]
    words += ["--proc", "/proc", "--dev", "/dev"]
    words += ["--size", str(_SHARED_MEMORY), "--tmpfs", _DATA[0], "--remount-ro", "/dev"]
    words += ["--size", str(_SCRATCH), "--tmpfs", _DATA[1], "--dir", ENVIRONMENT["HOME"]]
    for path in mounts.own:
        words += ["--ro-bind", _canonical(path), _canonical(path)]
    for source, seen, writable in mounts.placed:
        if any(path.is_relative_to(seen) for path in mounts.own):
            raise ValueError(f"{seen} would hide what programs need from there")
        words += ["--bind" if writable else "--ro-bind", _canonical(source), str(seen)]
    if mounts.files is not None:
        words += ["--symlink", str(FILES / TREE), str(JOB)]
    # /proc too: to somebody who is really root, the kernel's settings in it are his own files, whatever the namespace says.
    words += ["--remount-ro", "/proc", "--remount-ro", "/", "--chdir", str(mounts.start)]
    return [*words, "--cap-drop", "ALL", "--seccomp", str(seccomp)]


def _system() -> list[str]:
    """/usr, the old names that lead into it, and the two files of /etc that programs need."""
    words = ["--ro-bind", "/usr", "/usr"]
    for name in _OLD_LINKS:
        path = Path("/") / name
        if path.is_symlink():
            words += ["--symlink", str(path.readlink()), str(path)]
        elif path.is_dir():
            words += ["--ro-bind", str(path), str(path)]
    for file in ("/etc/ld.so.cache", "/etc/localtime"):
        words += ["--ro-bind-try", file, file]
    return words


def _outside_usr(paths: Iterable[Path]) -> list[Path]:
    """Paths without those that lie beneath /usr or another of them; shorter ones first."""
    kept: list[Path] = [Path("/usr")]
    for path in sorted(set(paths), key=lambda one: (len(one.parts), str(one))):
        if not any(path.is_relative_to(one) for one in kept):
            kept.append(path)
    return kept[1:]


def _canonical(path: Path) -> str:
    text = str(path)
    if "\0" in text or not path.is_absolute() or os.path.realpath(text) != text:
        raise ValueError(f"not a canonical path: {text!r}")
    return text


def top_level(mounts: Mounts) -> set[str]:
    """The names that `/` has inside; anything else there is a fault."""
    links = {name for name in _OLD_LINKS if (Path("/") / name).exists()}
    beneath = [*mounts.own, *(seen for _, seen, _ in mounts.placed), *([JOB] if mounts.files else [])]
    return {"usr", "etc", "proc", "dev", "tmp", *links, *(path.parts[1] for path in beneath)}


def sealed(data: bytes, name: str) -> int:
    """A descriptor to read these bytes from; nobody can change them any more. The caller closes it."""
    handle = os.memfd_create(name, os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    try:
        with os.fdopen(os.dup(handle), "wb") as out:
            out.write(data)
        os.lseek(handle, 0, os.SEEK_SET)
        fcntl.fcntl(handle, 1033, 0x1 | 0x2 | 0x4 | 0x8)  # F_ADD_SEALS: seal, shrink, grow, write
    except BaseException:
        os.close(handle)
        raise
    return handle


def encoded(words: Iterable[str]) -> bytes:
    """Arguments as bubblewrap reads them from a descriptor, each ended by a NUL.

    Raises:
        ValueError: one of them has a NUL in it.
    """
    found = [os.fsencode(word) for word in words]
    if any(b"\0" in word for word in found):
        raise ValueError("an argument with a NUL in it")
    return b"".join(word + b"\0" for word in found)


def people_and_groups() -> tuple[bytes, bytes]:
    """The two accounts that are known inside."""
    return _PEOPLE, _GROUPS
