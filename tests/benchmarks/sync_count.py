"""Counts what the disk is really asked for: SQLite's own xSync calls and Python's fsync, not what the program says of itself.

SQLite reaches files through a table of functions (https://sqlite.org/vfs.html). While a count is open, files that are opened get a copy of
that table in which xSync counts before it syncs.
"""

from __future__ import annotations

import _sqlite3
import contextlib
import ctypes
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest

_OPEN = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p)
_SYNC = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_int)
_POINTER = ctypes.sizeof(ctypes.c_void_p)
_METHODS = _POINTER * 19  # sqlite3_io_methods, version 3: a number and 18 functions
_X_SYNC = _POINTER * 5  # the fifth function
_kept: list[Any] = []  # what SQLite points to lives as long as the process


class _Vfs(ctypes.Structure):
    """The head of a sqlite3_vfs."""

    _fields_ = (
        ("version", ctypes.c_int),
        ("file_size", ctypes.c_int),
        ("longest_path", ctypes.c_int),
        ("following", ctypes.c_void_p),
        ("name", ctypes.c_char_p),
        ("data", ctypes.c_void_p),
        ("open", ctypes.c_void_p),
    )


@dataclass(slots=True)
class Syncs:
    """Calls so far: `wal` of write-ahead logs, `checkpoints` of database files, `files` by Python's os.fsync."""

    wal: int = 0
    checkpoints: int = 0
    files: int = 0

    @property
    def all(self) -> int:
        """All that somebody waits for."""
        return self.wal + self.files

    def since(self, before: Syncs) -> Syncs:
        """What was added."""
        return Syncs(self.wal - before.wal, self.checkpoints - before.checkpoints, self.files - before.files)


def _default_vfs() -> _Vfs | None:
    """The table that Python's SQLite uses; None where its functions cannot be reached."""
    try:
        find = ctypes.CDLL(getattr(_sqlite3, "__file__", None)).sqlite3_vfs_find
    except (OSError, AttributeError):
        return None
    find.restype, find.argtypes = ctypes.POINTER(_Vfs), [ctypes.c_char_p]
    found: _Vfs = find(None).contents
    return found


def can_count() -> bool:
    """Whether SQLite's syncs can be counted here."""
    return _default_vfs() is not None


@contextlib.contextmanager
def counted() -> Iterator[Syncs]:
    """Count the syncs of every file that is opened from now on, and every os.fsync."""
    syncs = Syncs()
    with _sqlite_counted(syncs), _python_counted(syncs):
        yield syncs


@contextlib.contextmanager
def _sqlite_counted(syncs: Syncs) -> Iterator[None]:
    vfs = _default_vfs()
    if vfs is None:
        yield
        return
    before = vfs.open
    plain_open = _OPEN(before)

    def counting_open(table: int, name: int, file: int, flags: int, out: int) -> int:
        status = int(plain_open(table, name, file, flags, out))
        if status == 0:
            _count_in(file, syncs, is_wal=bool(name) and ctypes.string_at(name).endswith(b"-wal"))
        return status

    callback = _OPEN(counting_open)
    _kept.append(callback)
    vfs.open = ctypes.cast(callback, ctypes.c_void_p).value
    try:
        yield
    finally:
        vfs.open = before


def _count_in(file: int, syncs: Syncs, *, is_wal: bool) -> None:
    methods = ctypes.c_void_p.from_address(file)
    if not methods.value:
        return
    copy = ctypes.create_string_buffer(ctypes.string_at(methods.value, _METHODS), _METHODS)
    slot = ctypes.c_void_p.from_address(ctypes.addressof(copy) + _X_SYNC)
    plain_sync = _SYNC(slot.value or 0)

    def counting_sync(handle: int, flags: int) -> int:
        syncs.wal += is_wal
        syncs.checkpoints += not is_wal
        return int(plain_sync(handle, flags))

    callback = _SYNC(counting_sync)
    _kept.extend([copy, callback])
    slot.value = ctypes.cast(callback, ctypes.c_void_p).value
    methods.value = ctypes.addressof(copy)


@contextlib.contextmanager
def _python_counted(syncs: Syncs) -> Iterator[None]:
    plain: Callable[[int], None] = os.fsync

    def counting(handle: int) -> None:
        syncs.files += 1
        plain(handle)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", counting)
        yield
