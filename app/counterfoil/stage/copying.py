"""One file of a workspace into a stage: cloned where the file system can, else read and written, its bytes hashed on the way.

A file that changes while it is read is no copy of anything; the caller tries again later.
"""

from __future__ import annotations

import errno
import fcntl
import hashlib
import os
import stat
import sys

from counterfoil.stage.manifest import Entry, Kind
from counterfoil.stage.survey import Seen

_FICLONE = 0x40049409  # ioctl: the target shares the source's blocks until one of them is written
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_WRITE = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_CHUNK = 1024 * 1024


class Unsettled(Exception):
    """It changed, or went away, while it was being copied."""


class Unreadable(Exception):
    """This account may not read it, or the drive it lies on fails; `problem` says which."""

    def __init__(self, problem: OSError) -> None:
        super().__init__(str(problem))
        self.problem = problem


class Copier:
    """Copies entries between open folders. `clones` tells whether files are cloned; it turns false at the first refusal."""

    def __init__(self, *, clones: bool = sys.platform == "linux") -> None:
        self.clones = clones

    def copy(self, seen: Seen, source: int, target: int, name: str) -> Entry:
        """Copy a file or a link out of an open folder, under a name that is free in another; how it was.

        Raises:
            Unsettled: it is not what was seen, or changed meanwhile; nothing is left.
            Unreadable: it cannot be read; nothing is left.
            OSError: the target cannot be written; nothing is left.
        """
        if seen.kind == "link":
            return _copy_link(seen, source, target, name)
        last = seen.path.rpartition("/")[2]
        try:
            reading = os.open(last, _READ, dir_fd=source)
        except OSError as problem:
            if problem.errno in (errno.ENOENT, errno.ELOOP, errno.ENXIO, errno.ENODEV):
                raise Unsettled(seen.path) from problem
            raise Unreadable(problem) from problem
        try:
            return self._copy_open(seen, reading, target, name)
        finally:
            os.close(reading)

    def _copy_open(self, seen: Seen, reading: int, target: int, name: str) -> Entry:
        before = os.fstat(reading)
        if not stat.S_ISREG(before.st_mode):
            raise Unsettled(seen.path)
        mode = (before.st_mode & 0o777) | 0o400
        writing = os.open(name, _WRITE, mode, dir_fd=target)
        try:
            sha = self._fill(reading, writing, before.st_size)
            if facts(os.fstat(reading)) != facts(before):
                raise Unsettled(seen.path)
            os.utime(writing, ns=(before.st_atime_ns, before.st_mtime_ns))
            made = os.fstat(writing)
            if made.st_mode & 0o777 != mode:  # this process makes files for fewer people
                os.fchmod(writing, mode)
                made = os.fstat(writing)
        except BaseException:
            os.close(writing)
            os.unlink(name, dir_fd=target)
            raise
        os.close(writing)
        return entry_of(seen.path, "file", before, sha, None, made)

    def _fill(self, reading: int, writing: int, size: int) -> str:
        """Write what is read, never more than was there; its digest."""
        if self.clones:
            try:
                clone(reading, writing)
            except OSError:
                self.clones = False
            else:
                return _hash(writing)
        digest, left = hashlib.sha256(), size
        while left:
            try:
                piece = os.read(reading, min(left, _CHUNK))
            except OSError as problem:
                raise Unreadable(problem) from problem
            if not piece:
                break
            digest.update(piece)
            left -= len(piece)
            if os.write(writing, piece) < len(piece):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return digest.hexdigest()


def clone(source: int, target: int) -> None:
    """Let an open file that is empty share the blocks of another.

    Raises:
        OSError: this file system cannot, or the files lie on different ones.
    """
    fcntl.ioctl(target, _FICLONE, source)


def entry_of(
    path: str,
    kind: Kind,
    status: os.stat_result,
    sha256: str | None = None,
    target: str | None = None,
    made: os.stat_result | None = None,
) -> Entry:
    """What a manifest keeps of an entry; `made` is the copy."""
    return Entry(
        path,
        kind,
        status.st_size if kind == "file" else 0,
        status.st_mtime_ns,
        status.st_ctime_ns,
        status.st_ino,
        status.st_mode & 0o777,
        sha256,
        target,
        made.st_ino if made else 0,
        made.st_ctime_ns if made else 0,
    )


def facts(status: os.stat_result) -> tuple[int, int, int, int]:
    """What tells that a file is another one, or was written to: size, times of change, inode."""
    return status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino


def is_as_before(entry: Entry, seen: Seen) -> bool:
    """Whether an entry of a manifest still stands in the workspace as it was. Of a folder only its being there counts."""
    if entry.kind != seen.kind:
        return False
    if entry.kind == "folder":
        return True
    if entry.kind == "link":
        return (entry.mtime_ns, entry.ctime_ns, entry.inode) == facts(seen.status)[1:]
    return (entry.size, entry.mtime_ns, entry.ctime_ns, entry.inode) == facts(seen.status)


def _copy_link(seen: Seen, source: int, target: int, name: str) -> Entry:
    """A link is copied as the text that it is; nobody looks at where it leads."""
    last = seen.path.rpartition("/")[2]
    try:
        text = os.readlink(last, dir_fd=source)
    except OSError as problem:
        raise Unsettled(seen.path) from problem
    os.symlink(text, name, dir_fd=target)
    return entry_of(seen.path, "link", seen.status, None, text)


def _hash(handle: int) -> str:
    digest = hashlib.sha256()
    while piece := os.read(handle, _CHUNK):
        digest.update(piece)
    return digest.hexdigest()
