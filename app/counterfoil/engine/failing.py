"""What a failure deserves: its class from the names of its type, when to try again, and when to ask a person.

The class is judged here, on the runner's side; a host can only say which exception it saw.
"""

from __future__ import annotations

import errno
import hashlib
from typing import Any

from counterfoil.facts import FailureClass

_TRANSIENT = frozenset(
    {
        "ConnectionError", "TimeoutError", "BlockingIOError", "InterruptedError", "BrokenPipeError", "TransportError",
        "TimeoutException", "ConnectError", "ReadTimeout", "RemoteProtocolError", "IncompleteRead", "gaierror", "SSLError",
    }
)  # fmt: skip
_STRUCTURAL = frozenset(
    {
        "TypeError", "ValueError", "KeyError", "IndexError", "AttributeError", "NameError", "AssertionError", "LookupError",
        "ArithmeticError", "ImportError", "SyntaxError", "NotImplementedError", "RecursionError", "FileNotFoundError",
        "PermissionError", "IsADirectoryError", "NotADirectoryError", "FileRefused", "RefusedUse", "Unrecordable",
    }
)  # fmt: skip
_TRANSIENT_ERRNO = frozenset(
    {errno.EAGAIN, errno.EINTR, errno.EBUSY, errno.ETXTBSY, errno.ENOSPC, errno.EMFILE, errno.ENFILE}
)
FIRST_WAIT_US = 1_000_000
LONGEST_WAIT_US = 300_000_000
UNKNOWN_TRIES = 3  # an unknown class gets few tries, whatever the step declares
EFFECT_TRIES = 5
RETRIES_CAP = 50


def classify(error: dict[str, Any]) -> FailureClass:
    """The class of a described exception (`mro`: type names, nearest first; `errno`)."""
    if error.get("errno") in _TRANSIENT_ERRNO:
        return FailureClass.TRANSIENT
    for name in error.get("mro", ()):
        if name in _TRANSIENT:
            return FailureClass.TRANSIENT
        if name in _STRUCTURAL:
            return FailureClass.STRUCTURAL
    return FailureClass.UNKNOWN


def may_retry(failure: FailureClass, tries: int, retries: int) -> bool:
    """Whether a further try is due after `tries` failed ones, when `retries` were declared."""
    allowed = min(retries, RETRIES_CAP)
    if failure is FailureClass.STRUCTURAL:
        return False
    if failure is FailureClass.UNKNOWN:
        allowed = min(allowed, UNKNOWN_TRIES)
    return tries <= allowed


def wait_us(tries: int, seed: str, retry_after_s: float | None = None) -> int:
    """How long to wait before the next try, in microseconds: doubling, with a jitter that is the same on every computation."""
    if retry_after_s is not None:
        return min(int(retry_after_s * 1_000_000), 24 * 3600 * 1_000_000)
    base = min(FIRST_WAIT_US * 2 ** max(tries - 1, 0), LONGEST_WAIT_US)
    jitter = int.from_bytes(hashlib.sha256(f"{seed}/{tries}".encode()).digest()[:4]) / 2**32
    return int(base * (0.75 + jitter / 2))
