"""Secrets for this session only: the kernel of Linux keeps them in memory for the account, in no file, and forgets them when it restarts or
the account's last session ends. Other systems offer no such place that a second process could read."""

from __future__ import annotations

import ctypes
import os
import platform
import sys

_CALLS = {"x86_64": (248, 250), "aarch64": (217, 219)}  # add_key, keyctl
_OF_THE_ACCOUNT = -4  # KEY_SPEC_USER_KEYRING
_UNLINK, _SEARCH, _READ, _SETPERM = 9, 10, 11, 5
_MINE = 0x3F3F0000  # whoever holds it and the account itself; nobody else
_LONGEST = 32767  # bytes that a key of the type `user` holds


class NoSessionMemory(OSError):
    """The kernel keeps nothing for a session, or does not let this process ask."""


class SessionMemory:
    """Values by name, for one data folder."""

    def __init__(self, mark: str) -> None:
        self._mark = mark
        numbers = _CALLS.get(platform.machine()) if sys.platform == "linux" else None
        self._library = ctypes.CDLL(None, use_errno=True) if numbers is not None else None
        self._add, self._control = numbers or (0, 0)

    def set(self, name: str, value: str) -> None:
        """Keep a value.

        Raises:
            NoSessionMemory: it cannot be kept.
        """
        data = value.encode("utf-8")
        if len(data) > _LONGEST:
            raise NoSessionMemory("the value is longer than the kernel keeps")
        key = self._call(self._add, b"user", self._label(name), data, len(data), ctypes.c_int(_OF_THE_ACCOUNT))
        self._call(self._control, _SETPERM, key, _MINE)

    def get(self, name: str) -> str | None:
        """A value, or None where none is kept.

        Raises:
            NoSessionMemory: the kernel does not let this process ask.
        """
        key = self._find(name)
        if key is None:
            return None
        buffer = ctypes.create_string_buffer(_LONGEST)
        length = self._call(self._control, _READ, key, buffer, _LONGEST)
        return buffer.raw[:length].decode("utf-8")

    def remove(self, name: str) -> None:
        """Forget a value; nothing to do where none is kept."""
        key = self._find(name)
        if key is not None:
            self._call(self._control, _UNLINK, key, ctypes.c_int(_OF_THE_ACCOUNT))

    def _find(self, name: str) -> int | None:
        try:
            return self._call(self._control, _SEARCH, ctypes.c_int(_OF_THE_ACCOUNT), b"user", self._label(name), 0)
        except NoSessionMemory as problem:
            if problem.errno in _ABSENT:
                return None
            raise

    def _label(self, name: str) -> bytes:
        return f"counterfoil:{self._mark}:{name}".encode()

    def _call(self, number: int, *args: object) -> int:
        if self._library is None:
            raise NoSessionMemory("this system has no memory that lasts for a session")
        result = int(self._library.syscall(number, *args))
        if result < 0:
            code = ctypes.get_errno()
            raise NoSessionMemory(code, os.strerror(code))
        return result


_ABSENT = (126, 127, 128)  # ENOKEY, EKEYEXPIRED, EKEYREVOKED
