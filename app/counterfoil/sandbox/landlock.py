"""Landlock by bare system calls: what is left where no namespaces may be made. Rights only go down, for this process and its children.

Numbers and layouts are those of linux/landlock.h; they are the same on every architecture.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import struct
from collections.abc import Iterable
from pathlib import Path

_CREATE, _ADD, _RESTRICT = 444, 445, 446
_EXECUTE, _WRITE, _READ, _LIST = 1, 2, 4, 8
_ALL_OF_FIRST = (1 << 13) - 1
_REFER, _TRUNCATE, _DEVICE = 1 << 13, 1 << 14, 1 << 15  # since 2, 3 and 5
_FILE_ONLY = _EXECUTE | _WRITE | _READ | _TRUNCATE | _DEVICE
_TCP = 0b11  # bind, connect; since 4
_SCOPES = 0b11  # abstract sockets, signals; since 6
# What of /proc says nothing of where anything lies: figures of the computer, and of this process its state, its memory and its network.
_FIGURES = "cpuinfo meminfo stat uptime loadavg version filesystems sys".split()
_OWN = "self/status self/stat self/statm self/maps self/net".split()


def abi() -> int:
    """The version of the kernel's Landlock; 0 where there is none."""
    found = ctypes.CDLL(None, use_errno=True).syscall(_CREATE, None, ctypes.c_size_t(0), 1)
    return max(int(found), 0)


def handled(version: int) -> int:
    """The file rights that a version knows, all of which are taken away where no rule gives them."""
    rights = _ALL_OF_FIRST
    for since, right in ((2, _REFER), (3, _TRUNCATE), (5, _DEVICE)):
        if version >= since:
            rights |= right
    return rights


def restrict(readable: Iterable[Path], writable: Iterable[Path]) -> None:
    """Leave this thread nothing of the file system but these; no TCP, and no signal to or socket of others where the kernel can.

    Raises:
        OSError: the kernel refuses, or a path cannot be opened.
    """
    version = abi()
    libc = ctypes.CDLL(None, use_errno=True)
    everything = handled(version)
    attributes = struct.pack("=QQQ", everything, _TCP if version >= 4 else 0, _SCOPES if version >= 6 else 0)
    size = 24 if version >= 6 else 16 if version >= 4 else 8
    rules = _called(libc, _CREATE, ctypes.c_char_p(attributes), ctypes.c_size_t(size), 0)
    try:
        for path in readable:
            _allow(libc, rules, path, everything & (_EXECUTE | _READ | _LIST))
        for path in writable:
            _allow(libc, rules, path, everything & ~_DEVICE)
        if libc.prctl(38, 1, 0, 0, 0):  # PR_SET_NO_NEW_PRIVS
            raise OSError(ctypes.get_errno(), "no_new_privs")
        _called(libc, _RESTRICT, rules, 0)
    finally:
        os.close(rules)


def can_hide() -> bool:
    """Whether the kernel can hide what /proc tells of processes: from version 2 on, before which that forbids renaming from folder to
    folder."""
    return abi() >= 2


def hide_processes() -> bool:
    """Take from this thread the reading of what /proc tells of processes: their mounts name the folders that are seen here as the rest of
    the computer knows them, a person's name among them. For within walls, where everything else that can be seen may be read.

    False where the kernel cannot.

    Raises:
        OSError: the kernel refuses, or a path cannot be opened.
    """
    if not can_hide():
        return False
    libc = ctypes.CDLL(None, use_errno=True)
    rules = _called(libc, _CREATE, ctypes.c_char_p(struct.pack("=Q", _READ | _REFER)), ctypes.c_size_t(8), 0)
    try:
        _allow(libc, rules, Path("/"), _REFER)
        seen = [path for path in Path("/").iterdir() if path.name != "proc"]
        for path in (*seen, *(Path("/proc") / name for name in (*_FIGURES, *_OWN))):
            with contextlib.suppress(FileNotFoundError):  # a link that leads nowhere yet, a figure that is not kept
                _allow(libc, rules, path, _READ)
        _called(libc, _RESTRICT, rules, 0)
    finally:
        os.close(rules)
    return True


def _allow(libc: ctypes.CDLL, rules: int, path: Path, rights: int) -> None:
    handle = os.open(path, os.O_PATH | os.O_CLOEXEC)
    try:
        if not path.is_dir():
            rights &= _FILE_ONLY
        _called(libc, _ADD, rules, 1, ctypes.c_char_p(struct.pack("=Qi", rights, handle)), 0)
    finally:
        os.close(handle)


def _called(libc: ctypes.CDLL, number: int, *arguments: object) -> int:
    result = libc.syscall(number, *arguments)
    if result < 0:
        raise OSError(ctypes.get_errno(), f"Landlock: {os.strerror(ctypes.get_errno())}")
    return int(result)


def drop_capabilities() -> None:
    """Give up every capability, bounding set included; nothing for an ordinary account.

    Raises:
        OSError: the kernel refuses.
    """
    libc = ctypes.CDLL(None, use_errno=True)
    for capability in range(64):
        libc.prctl(
            24, capability, 0, 0, 0
        )  # PR_CAPBSET_DROP; fails beyond the last, and where there is nothing to drop
    libc.prctl(47, 4, 0, 0, 0)  # PR_CAP_AMBIENT, clear all
    header = struct.pack("=Ii", 0x20080522, 0)
    if libc.capset(ctypes.c_char_p(header), ctypes.c_char_p(bytes(24))):
        raise OSError(ctypes.get_errno(), f"capabilities: {os.strerror(ctypes.get_errno())}")
