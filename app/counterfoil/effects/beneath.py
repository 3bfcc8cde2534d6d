"""A folder, and what may be done beneath it: every name on the way is opened without following links, so nothing leads out of it.

Paths are never handed to the system whole. A folder is opened name by name, and a file is then reached through its folder's handle,
so a link that is put in the way between a check and an act makes the act fail instead of going elsewhere.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import fcntl
import functools
import hashlib
import os
import stat
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Self

from counterfoil.policy.boundaries import visible

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_NOREPLACE, _EXCHANGE = 1, 2  # flags of renameat2(2)
_UNABLE = frozenset({errno.ENOSYS, errno.EINVAL, errno.EOPNOTSUPP, errno.EPERM, errno.EMLINK})
_CHUNK = 1024 * 1024


class Blocked(Exception):
    """Something other than a readable regular file is in the way; the message is a sentence, `path` says where."""

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(f"“{visible(path)}” {reason}.")
        self.path = path
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Seen:
    """One regular file as it is: SHA-256 of its bytes, size, permission bits, number of names, group, device and inode."""

    sha: str
    size: int
    mode: int
    names: int
    group: int
    device: int
    inode: int


class Beneath:
    """An open folder; close it, or use it in `with`.

    Raises:
        Blocked: the folder itself is gone, is a link, or may not be read.
    """

    def __init__(self, root: str) -> None:
        try:
            self._root = os.open(root, _FOLDER)
        except OSError as problem:
            raise Blocked(root, f"cannot be opened as a folder: {_cause(problem)}") from problem

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._root)

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
        *folders, name = path.split("/")
        handle = os.dup(self._root)
        try:
            for depth, folder in enumerate(folders, start=1):
                handle = _enter(handle, folder, "/".join(folders[:depth]), make=make)
            yield handle, name
        finally:
            os.close(handle)

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

    def missing_folders(self, path: str) -> list[str]:
        """The folders on the way to a path that do not exist, outermost first."""
        folders = path.split("/")[:-1]
        for depth in range(len(folders), 0, -1):
            with contextlib.suppress(FileNotFoundError), self.folder_of("/".join([*folders[:depth], "x"])):
                return ["/".join(folders[:deeper]) for deeper in range(depth + 1, len(folders) + 1)]
        return ["/".join(folders[:depth]) for depth in range(1, len(folders) + 1)]

    def sync(self, path: str) -> None:
        """Make the names in the folder that holds a path durable; nothing to do where that folder is gone."""
        with contextlib.suppress(FileNotFoundError), self.folder_of(path) as (folder, _):
            os.fsync(folder)

    def remove_folder(self, path: str) -> None:
        """Remove a folder if it is there and empty."""
        with contextlib.suppress(OSError, Blocked), self.folder_of(path) as (folder, name):
            os.rmdir(name, dir_fd=folder)


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
    return Seen(sha, size, mode, status.st_nlink, status.st_gid, status.st_dev, status.st_ino)


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


@functools.cache
def _renameat2() -> Callable[..., int] | None:
    """The system call that renames without replacing, where this system has it."""
    try:
        found = ctypes.CDLL(None, use_errno=True).renameat2
    except (AttributeError, OSError, TypeError):
        return None
    found.argtypes = (ctypes.c_int, ctypes.c_char_p, ctypes.c_int, ctypes.c_char_p, ctypes.c_uint)
    found.restype = ctypes.c_int
    call: Callable[..., int] = found
    return call


def _rename_with(flag: int, from_folder: int, name: str, to_folder: int, new: str) -> bool:
    """Rename by renameat2 with a flag; False where this system or file system cannot."""
    call = _renameat2()
    if call is None:
        return False
    if call(from_folder, os.fsencode(name), to_folder, os.fsencode(new), flag) == 0:
        return True
    number = ctypes.get_errno()
    if number in (errno.ENOSYS, errno.EINVAL, errno.EOPNOTSUPP):
        return False
    raise OSError(number, os.strerror(number), new)


def rename_new(from_folder: int, name: str, to_folder: int, new: str) -> None:
    """Rename a file to a name that is free, and never onto something.

    Raises:
        FileExistsError: the name is taken.
        OSError: EXDEV where the folders are on different devices.
    """
    if _rename_with(_NOREPLACE, from_folder, name, to_folder, new):
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


def exchange(folder: int, one: str, other: str) -> bool:
    """Let two files of a folder change places at once; False where this system or file system cannot."""
    return _rename_with(_EXCHANGE, folder, one, folder, other)
