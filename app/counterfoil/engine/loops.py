"""The event loop of a workflow: it refuses, by name and with advice, what could not be replayed.

A workflow body that makes raw tasks or uses asyncio's timers would resume in another order. Steps are exempt: what happens in them
is recorded as a whole.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Iterator
from typing import Any

from counterfoil.authoring import machine
from counterfoil.errors import RefusedUse


class WorkflowLoop(asyncio.SelectorEventLoop):
    """A selector loop that asks who is calling before it makes tasks, timers or threads."""

    _trusted = 0

    @contextlib.contextmanager
    def trusted(self) -> Iterator[None]:
        """The engine's own calls, which never leave this block with an await."""
        self._trusted += 1
        try:
            yield
        finally:
            self._trusted -= 1

    def _refuse_body(self, what: str, instead: str) -> None:
        if self._trusted:
            return
        branch = machine.current()
        if branch is not None and not branch.in_step:
            raise RefusedUse(f"{what} in a workflow body cannot be replayed; {instead}")

    def create_task(self, coro: Any, **kwargs: Any) -> asyncio.Task[Any]:
        """Refused in a workflow body: gather, TaskGroup and create_task end here."""
        try:
            self._refuse_body("a raw task (asyncio.gather, TaskGroup, create_task)", "write `await parallel(a, b)`")
        except RefusedUse:
            if hasattr(coro, "close"):
                coro.close()  # it will never be awaited, and must not warn about that
            raise
        return super().create_task(coro, **kwargs)

    def call_later(  # type: ignore[override]  # looser than the typed original
        self, delay: float, callback: Any, *args: Any, context: Any = None
    ) -> asyncio.TimerHandle:
        """Refused in a workflow body: asyncio.sleep ends here."""
        self._refuse_body("an asyncio timer (asyncio.sleep)", "write `await sleep(timedelta(...))`")
        with self.trusted():
            return super().call_later(delay, callback, *args, context=context)

    def call_at(  # type: ignore[override]  # looser than the typed original
        self, when: float, callback: Any, *args: Any, context: Any = None
    ) -> asyncio.TimerHandle:
        """Refused in a workflow body: asyncio.timeout and wait_for end here."""
        self._refuse_body("an asyncio timer (asyncio.timeout, wait_for)", "give the step a `timeout=`")
        return super().call_at(when, callback, *args, context=context)

    def run_in_executor(  # type: ignore[override]  # looser than the typed original
        self, executor: Any, func: Any, *args: Any
    ) -> asyncio.Future[Any]:
        """Refused in a workflow body: to_thread ends here."""
        self._refuse_body("a raw thread (asyncio.to_thread)", "make the function a @step")
        with self.trusted():
            return super().run_in_executor(executor, func, *args)
