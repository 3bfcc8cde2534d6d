"""Two calls of Linux that Python has no words for: renaming with a condition (renameat2), opening beneath a folder (openat2).

Both say where this kernel or file system cannot, and their callers have another way then.
"""

from __future__ import annotations

import ctypes
import errno
import functools
import os
import sys
from collections.abc import Callable

NOREPLACE, EXCHANGE = 1, 2  # flags of renameat2(2)
_OPENAT2 = 437  # its number on every architecture that Linux knows
_BENEATH, _NO_SYMLINKS, _NO_MAGICLINKS = 0x08, 0x04, 0x02  # RESOLVE_ of openat2(2)
# Not RESOLVE_NO_XDEV: a folder of the team may have a drive mounted in it, and moving between the two is something that works.
_RESOLVE = _BENEATH | _NO_SYMLINKS | _NO_MAGICLINKS
_FOLDER = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_CLOEXEC", 0)
_UNABLE = frozenset({errno.ENOSYS, errno.EINVAL, errno.EOPNOTSUPP})


class _How(ctypes.Structure):
    """`struct open_how`."""

    _fields_ = (("flags", ctypes.c_uint64), ("mode", ctypes.c_uint64), ("resolve", ctypes.c_uint64))


@functools.cache
def renameat2() -> Callable[..., int] | None:
    """The system call that renames without replacing, where this system has it."""
    try:
        found = ctypes.CDLL(None, use_errno=True).renameat2
    except (AttributeError, OSError, TypeError):
        return None
    found.argtypes = (ctypes.c_int, ctypes.c_char_p, ctypes.c_int, ctypes.c_char_p, ctypes.c_uint)
    found.restype = ctypes.c_int
    call: Callable[..., int] = found
    return call


def rename_with(flag: int, from_folder: int, name: str, to_folder: int, new: str) -> bool:
    """Rename by renameat2 with a flag; False where this system or file system cannot.

    Raises:
        OSError: what the call says otherwise.
    """
    call = renameat2()
    if call is None:
        return False
    if call(from_folder, os.fsencode(name), to_folder, os.fsencode(new), flag) == 0:
        return True
    number = ctypes.get_errno()
    if number in _UNABLE:
        return False
    raise OSError(number, os.strerror(number), new)


@functools.cache
def openat2() -> Callable[[int, str, int], int] | None:
    """The system call that opens a path beneath a folder without following any link, where this kernel lets us use it.

    What is returned takes an open folder, a relative path and flags; it gives a handle, or raises OSError.
    """
    if sys.platform != "linux":
        return None
    try:
        syscall = ctypes.CDLL(None, use_errno=True).syscall
    except (AttributeError, OSError):
        return None
    syscall.restype = ctypes.c_long

    def call(folder: int, path: str, flags: int) -> int:
        how = _How(flags, 0, _RESOLVE)
        given = (ctypes.c_long(_OPENAT2), ctypes.c_int(folder), ctypes.c_char_p(os.fsencode(path)))
        handle = syscall(*given, ctypes.byref(how), ctypes.c_size_t(ctypes.sizeof(how)))
        if handle < 0:
            number = ctypes.get_errno()
            raise OSError(number, os.strerror(number), path)
        return int(handle)

    root = os.open("/", _FOLDER)
    try:  # an old kernel, or a container that forbids it, says so here and not in the middle of a set
        os.close(call(root, ".", _FOLDER))
    except OSError:
        return None
    finally:
        os.close(root)
    return call
