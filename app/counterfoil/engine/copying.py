"""Work on the files of many runs, done in a few threads: where much of it is small, one crossing into a thread serves many runs.

Each is told as soon as the loop gets round to it. Those that are told at once commit what follows in the same transactions.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections import deque
from collections.abc import Callable
from typing import Any, TypeVar

T = TypeVar("T")
COPIES = 2  # workspaces copied at a time; more would only be slower
Done = tuple[asyncio.Future[Any], Any, BaseException | None]


class Copying:
    """Takes work in the order in which it comes."""

    def __init__(self) -> None:
        self._waiting: deque[tuple[Callable[[], Any], asyncio.Future[Any]]] = deque()
        self._done: deque[Done] = deque()
        self._telling = False
        self._working: set[asyncio.Task[None]] = set()

    async def do(self, work: Callable[[], T]) -> T:
        """Do something that blocks; what it raises is raised here. When its caller is cancelled it is done whole or not at all."""
        loop = asyncio.get_running_loop()
        done: asyncio.Future[T] = loop.create_future()
        self._waiting.append((work, done))
        if len(self._working) < COPIES:
            task = loop.create_task(self._work(loop))
            self._working.add(task)
            task.add_done_callback(self._working.discard)
        return await done

    async def _work(self, loop: asyncio.AbstractEventLoop) -> None:
        while self._waiting:
            await asyncio.to_thread(self._all, loop)
        self._tell()

    def _all(self, loop: asyncio.AbstractEventLoop) -> None:
        """In a thread: everything that waits."""
        while True:
            try:
                work, done = self._waiting.popleft()
            except IndexError:
                return
            if not done.cancelled():
                self._done.append(_done(work, done))
                if not self._telling:
                    self._telling = True
                    with contextlib.suppress(RuntimeError):  # the loop has ended meanwhile
                        loop.call_soon_threadsafe(self._tell)

    def _tell(self) -> None:
        self._telling = False
        while self._done:
            done, found, problem = self._done.popleft()
            if done.done():  # nobody waits for it any more
                continue
            if problem is None:
                done.set_result(found)
            else:
                done.set_exception(problem)


def _done(work: Callable[[], Any], done: asyncio.Future[Any]) -> Done:
    try:
        return done, work(), None
    except BaseException as problem:  # noqa: BLE001 - it is raised where the work was asked for
        return done, None, problem
