"""Documents nobody vouches for are read in a process of its own: a crash, an endless loop or a swollen memory ends there."""

from __future__ import annotations

import contextlib
import os
import pickle
import select
import signal
import sys
import threading
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar, cast

_T = TypeVar("_T")
MEMORY = 512 * 1024**2  # bytes beyond what the process already has
# Steps run beside each other, and what a sandbox may hold is counted over all of its processes: 2 GB.
_PLACES = threading.BoundedSemaphore(2)
MAX_ANSWER = 256 * 1024**2
_END = b"\nwhole"  # an answer that was cut off does not end so
CAN_FORK = hasattr(os, "fork") and sys.platform != "darwin"


class GaveNothing(RuntimeError):
    """The work ended without an answer; `late` says that its time was up."""

    def __init__(self, *, late: bool) -> None:
        super().__init__("time is up" if late else "the process ended")
        self.late = late


def in_child(work: Callable[[], _T], seconds: float) -> _T:
    """What `work` returns, computed in a forked child with limits on time and memory; in this process where none can be forked.

    What the child needs is best loaded before: each child begins with what this process has.

    Raises:
        GaveNothing: the child crashed, raised, or took longer than `seconds`.
    """
    if not CAN_FORK:
        return work()
    with _PLACES:
        return _forked(work, seconds)


def _forked(work: Callable[[], _T], seconds: float) -> _T:
    reading, writing = os.pipe()
    try:
        pid = _fork()
    except OSError:  # a sandbox may forbid new processes
        os.close(reading)
        os.close(writing)
        return work()
    if pid == 0:
        os.close(reading)
        _answer(work, writing, seconds)
    os.close(writing)
    try:
        answer = _collect(reading, time.monotonic() + seconds)
    finally:
        os.close(reading)
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
    # The child is this program with this program's rights: what it says is as good as what would have been computed here.
    return cast("_T", pickle.loads(answer))  # noqa: S301


def _fork() -> int:
    with warnings.catch_warnings():
        # Python 3.12 warns that other threads' locks stay taken in the child; ours calls no code that would wait for them.
        warnings.simplefilter("ignore", DeprecationWarning)
        return os.fork()


def _answer(work: Callable[[], object], writing: int, seconds: float) -> None:
    status = 1
    try:
        _limit(seconds)
        answer = memoryview(pickle.dumps(work()) + _END)
        while answer:
            answer = answer[os.write(writing, answer) :]
        status = 0
    finally:
        os._exit(status)


def _limit(seconds: float) -> None:
    import resource

    with contextlib.suppress(OSError, ValueError):
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
        ceiling = pages * resource.getpagesize() + MEMORY
        resource.setrlimit(resource.RLIMIT_AS, (ceiling, ceiling))
    with contextlib.suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_CPU, (int(seconds) + 1, int(seconds) + 2))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _collect(reading: int, until: float) -> bytes:
    parts: list[bytes] = []
    size = 0
    while True:
        left = until - time.monotonic()
        if left <= 0 or not select.select([reading], [], [], left)[0]:
            raise GaveNothing(late=True)
        part = os.read(reading, 1 << 20)
        if not part:
            break
        parts.append(part)
        size += len(part)
        if size > MAX_ANSWER:
            break
    answer = b"".join(parts)
    if not answer.endswith(_END) or size > MAX_ANSWER:
        raise GaveNothing(late=False)
    return answer.removesuffix(_END)
