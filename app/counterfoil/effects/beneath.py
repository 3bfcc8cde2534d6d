"""A folder, and what may be done beneath it: every name on the way is opened without following links, so nothing leads out of it.

A folder is opened by one call that follows no link and leaves the root by no way (openat2), or name by name where the kernel has no such
call; a file is then reached through its folder's handle. So a link that is put in the way between a check and an act makes the act fail
instead of going elsewhere.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import hashlib
import os
import stat
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from counterfoil.clock import boot
from counterfoil.effects import kernel
from counterfoil.policy.boundaries import visible

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_UNABLE = frozenset({errno.ENOSYS, errno.EINVAL, errno.EOPNOTSUPP, errno.EPERM, errno.EMLINK})
_CHUNK = 1024 * 1024
TEMPORARY = ".counterfoil-"  # how every name begins that a set uses beside the files it changes


class Blocked(Exception):
    """Something other than a readable regular file is in the way; the message is a sentence, `path` says where."""

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(f"“{visible(path)}” {reason}.")
        self.path = path
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Seen:
    """One regular file as it is: SHA-256 of its bytes, size, permission bits, number of names, group, device and inode, when it was last
    changed (UTC microseconds)."""

    sha: str
    size: int
    mode: int
    names: int
    group: int
    device: int
    inode: int
    changed_us: int


class Beneath:
    """An open folder; close it, or use it in `with`.

    Raises:
        Blocked: the folder itself is gone, is a link, or may not be read.
    """

    def __init__(self, root: str, handle: int | None = None) -> None:
        try:
            self._root = os.open(root, _FOLDER) if handle is None else handle
        except OSError as problem:
            raise Blocked(root, f"cannot be opened as a folder: {_cause(problem)}") from problem

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the folder."""
        os.close(self._root)

    def inner(self, path: str, *, make: bool = False) -> Beneath:
        """A folder beneath this one, with nothing above it within reach; made (0755) where `make` says so.

        Raises:
            FileNotFoundError: it is missing.
            Blocked: something on the way is no folder.
        """
        return Beneath(path, self._open_folder(path, make=make))

    def make_private(self) -> None:
        """Nobody else on this computer gets into this folder any more."""
        os.fchmod(self._root, 0o700)

    @property
    def identity(self) -> str:
        """Which folder this is, whatever its name: `device:inode:boot`; see `same_folder`."""
        status = os.fstat(self._root)
        return f"{status.st_dev}:{status.st_ino}:{boot()[:8]}"

    @property
    def device(self) -> tuple[int, str]:
        """The device, and the mount where the system tells: between two equal ones a file is renamed and not copied."""
        return os.fstat(self._root).st_dev, _mount_of(self._root)

    def lock(self) -> None:
        """Wait for other sets that are being applied to this folder; the lock ends with this object.

        Some network drives know no locks; there the runner's own lease has to do.
        """
        with contextlib.suppress(OSError):
            fcntl.flock(self._root, fcntl.LOCK_EX)

    @contextlib.contextmanager
    def folder_of(self, path: str, *, make: bool = False) -> Iterator[tuple[int, str]]:
        """The open folder that holds a path, and the last name; missing folders are made (0755) where `make` says so.

        Raises:
            FileNotFoundError: a folder on the way is missing.
            Blocked: something on the way is no folder, or may not be entered.
        """
        folder, _, name = path.rpartition("/")
        handle = self._open_folder(folder, make=make)
        try:
            yield handle, name
        finally:
            os.close(handle)

    def _open_folder(self, path: str, *, make: bool = False) -> int:
        if not path:
            return os.dup(self._root)
        opening = kernel.openat2()
        if opening is not None:
            # What is in the way is found out by walking: it has to be named.
            with contextlib.suppress(OSError):
                return opening(self._root, path, _FOLDER)
        return self._walk(path, make=make)

    def _walk(self, path: str, *, make: bool) -> int:
        handle = os.dup(self._root)
        folders = path.split("/")
        try:
            for depth, folder in enumerate(folders, start=1):
                handle = _enter(handle, folder, "/".join(folders[:depth]), make=make)
        except BaseException:
            os.close(handle)
            raise
        return handle

    def look(self, path: str) -> Seen | None:
        """The file at a path, read to its end; None where there is nothing, not even its folder.

        Raises:
            Blocked: something is there that is no regular file, or it may not be read.
        """
        with self._reading(path) as handle:
            return None if handle is None else _seen(handle)

    def read(self, path: str, limit: int) -> bytes | None:
        """The bytes of the file at a path; None where there is nothing.

        Raises:
            Blocked: as `look`, or it holds more than `limit` bytes.
        """
        with self._reading(path) as handle:
            if handle is None:
                return None
            with os.fdopen(os.dup(handle), "rb") as source:
                data = source.read(limit + 1)
        if len(data) > limit:
            raise Blocked(path, f"holds more than {limit // 2**20} MB")
        return data

    def head(self, path: str, length: int) -> bytes | None:
        """The first bytes of the file at a path; None where there is nothing."""
        with self._reading(path) as handle:
            return None if handle is None else os.pread(handle, length, 0)

    @contextlib.contextmanager
    def _reading(self, path: str) -> Iterator[int | None]:
        with contextlib.ExitStack() as stack:
            try:
                folder, name = stack.enter_context(self.folder_of(path))
                handle = open_file(folder, name, path)
            except FileNotFoundError:
                yield None
                return
            stack.callback(os.close, handle)
            yield handle

    def is_folder(self, path: str) -> bool:
        """Whether a folder is at a path, and neither a link nor anything else."""
        try:
            with self.folder_of(path) as (folder, name):
                return stat.S_ISDIR(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode)
        except (FileNotFoundError, Blocked):
            return False

    def names_in(self, path: str) -> list[str]:
        """What lies directly in a folder, by name; the temporary files of sets that are being applied are not told.

        Raises:
            FileNotFoundError: there is no such folder.
            Blocked: it is no folder, or may not be read.
        """
        handle = self._open_folder(path)
        try:
            return sorted(name for name in os.listdir(handle) if not is_temporary(name))
        except PermissionError as problem:
            raise Blocked(path, f"cannot be read: {_cause(problem)}") from problem
        finally:
            os.close(handle)

    def missing_folders(self, path: str) -> list[str]:
        """Of the folders down to this one, those that do not exist, outermost first."""
        folders = path.split("/") if path else []
        for depth in range(len(folders), 0, -1):
            if self.is_folder("/".join(folders[:depth])):
                return ["/".join(folders[:deeper]) for deeper in range(depth + 1, len(folders) + 1)]
        return ["/".join(folders[:depth]) for depth in range(1, len(folders) + 1)]

    def sync(self, path: str) -> None:
        """Make the names in a folder durable; nothing to do where it is gone."""
        with contextlib.suppress(FileNotFoundError, Blocked):
            handle = self._open_folder(path)
            try:
                os.fsync(handle)
            finally:
                os.close(handle)

    def make_folder(self, path: str, mode: int | None = None) -> None:
        """Make a folder and those above it that are missing; a new one gets these permission bits, or those new folders get.

        Raises:
            Blocked: something on the way is no folder.
            FileExistsError: something that is no folder has the name.
        """
        with self.folder_of(path, make=True) as (folder, name):
            try:
                os.mkdir(name, 0o755, dir_fd=folder)
            except FileExistsError:
                if not stat.S_ISDIR(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode):
                    raise
                return
            os.fsync(folder)
        if mode is not None:
            handle = self._open_folder(path)
            try:
                os.fchmod(handle, mode)
            finally:
                os.close(handle)

    def remove_folder(self, path: str) -> None:
        """Remove an empty folder.

        Raises:
            OSError: it is not empty, or may not be removed.
            Blocked: something on the way is no folder.
        """
        with self.folder_of(path) as (folder, name):
            os.rmdir(name, dir_fd=folder)


def is_temporary(name: str) -> bool:
    """Whether a set that is being applied has put this file there, for moments."""
    return name.startswith(TEMPORARY)


def same_folder(recorded: str | None, found: str) -> bool:
    """Whether two identities name one folder. After another start of the computer devices may be numbered anew; inodes stay."""
    if recorded is None:
        return False
    (device, inode, start), (now, there, here) = recorded.split(":"), found.split(":")
    return inode == there and (device == now or start != here)


def _mount_of(handle: int) -> str:
    """The number of the mount that an open folder lies on; "" where the system does not say."""
    try:
        told = Path(f"/proc/self/fdinfo/{handle}").read_text(encoding="ascii")
    except OSError:
        return ""
    return next((line.split()[1] for line in told.splitlines() if line.startswith("mnt_id:")), "")


def _enter(handle: int, folder: str, path: str, *, make: bool) -> int:
    if make:
        with contextlib.suppress(FileExistsError):
            os.mkdir(folder, 0o755, dir_fd=handle)
            os.fsync(handle)
    try:
        child = os.open(folder, _FOLDER, dir_fd=handle)
    except FileNotFoundError:
        raise
    except OSError as problem:
        if problem.errno in (errno.ENOTDIR, errno.ELOOP):
            raise Blocked(path, "is a link or no folder; links are not followed") from problem
        if problem.errno in (errno.EACCES, errno.EPERM):
            raise Blocked(path, f"cannot be entered: {_cause(problem)}") from problem
        raise
    os.close(handle)
    return child


def open_file(folder: int, name: str, path: str) -> int:
    """An open regular file in an open folder; `path` is for the message.

    Raises:
        FileNotFoundError: there is nothing of that name.
        Blocked: it is no regular file, or may not be read.
    """
    status = os.stat(name, dir_fd=folder, follow_symlinks=False)  # first: opening a device can do something
    if not stat.S_ISREG(status.st_mode):
        raise Blocked(path, f"is {_kind_of(status.st_mode)}, no file")
    try:
        handle = os.open(name, _FILE, dir_fd=folder)
    except FileNotFoundError:
        raise
    except OSError as problem:
        raise Blocked(path, f"cannot be read: {_cause(problem)}") from problem
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise Blocked(path, "is no file any more")
    return handle


def _kind_of(mode: int) -> str:
    if stat.S_ISLNK(mode):
        return "a link"
    return "a folder" if stat.S_ISDIR(mode) else "a device or a pipe"


def _cause(problem: OSError) -> str:
    return (problem.strerror or str(problem)).lower()


def _seen(handle: int) -> Seen:
    status = os.fstat(handle)
    sha, size = hash_of(handle)
    mode = stat.S_IMODE(status.st_mode) & 0o777
    return Seen(
        sha, size, mode, status.st_nlink, status.st_gid, status.st_dev, status.st_ino, status.st_mtime_ns // 1000
    )


def hash_of(handle: int, also: Callable[[bytes], object] | None = None) -> tuple[str, int]:
    """SHA-256 and length of an open file from its present place to its end; each piece is given to `also`."""
    digest, size = hashlib.sha256(), 0
    while piece := os.read(handle, _CHUNK):
        digest.update(piece)
        size += len(piece)
        if also is not None:
            also(piece)
    return digest.hexdigest(), size


def write_all(handle: int, data: bytes) -> None:
    """Write every byte to an open file."""
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(handle, rest) :]


# ------------------------------------------------------------------------------------------------------------ renaming


def rename_new(from_folder: int, name: str, to_folder: int, new: str) -> None:
    """Rename a file to a name that is free, and never onto something.

    Raises:
        FileExistsError: the name is taken.
        OSError: EXDEV where the folders are on different devices.
    """
    if kernel.rename_with(kernel.NOREPLACE, from_folder, name, to_folder, new):
        return
    try:
        os.link(name, new, src_dir_fd=from_folder, dst_dir_fd=to_folder, follow_symlinks=False)
    except OSError as problem:
        if problem.errno not in _UNABLE:
            raise
    else:
        os.unlink(name, dir_fd=from_folder)
        return
    # Best effort, on file systems without second names: the gap between looking and renaming stays open.
    with contextlib.suppress(FileNotFoundError):
        os.stat(new, dir_fd=to_folder, follow_symlinks=False)
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), new)
    os.rename(name, new, src_dir_fd=from_folder, dst_dir_fd=to_folder)


def exchange(folder: int, one: str, other_folder: int, other: str) -> bool:
    """Let two files change places at once; False where this system or file system cannot.

    Raises:
        FileNotFoundError: one of them is gone.
        OSError: EXDEV where the folders are on different devices.
    """
    return kernel.rename_with(kernel.EXCHANGE, folder, one, other_folder, other)
