"""A session and its desk in one process, by direct calls: the same frames and the same checks as through a socket."""

from __future__ import annotations

import asyncio
import contextvars
from collections.abc import Awaitable
from typing import Any

from counterfoil.authoring.parameters import decode_params
from counterfoil.authoring.workflows import Workflow
from counterfoil.engine import aftermath
from counterfoil.engine.asking import Reply
from counterfoil.engine.claiming import claim
from counterfoil.engine.desk import Desk
from counterfoil.engine.holding import Powers
from counterfoil.engine.loops import WorkflowLoop
from counterfoil.engine.session import Session
from counterfoil.facts import RunState
from counterfoil.store import runs


class DirectPort:
    """Hands frames to a desk in a context of the desk's own, so that it is never mistaken for the workflow body."""

    def __init__(self, desk: Desk, loop: WorkflowLoop) -> None:
        self._desk = desk
        self._loop = loop
        self._tasks: set[asyncio.Task[Any]] = set()

    def _task(self, header: dict[str, Any], tail: bytes) -> asyncio.Task[Any]:
        with self._loop.trusted():
            return self._loop.create_task(self._desk.handle(header, tail), context=contextvars.Context())

    def call(self, header: dict[str, Any], tail: bytes = b"") -> Awaitable[Reply]:
        """One frame and its reply; the desk has it before anything that is said next."""
        return self._answered(self._task(header, tail))

    @staticmethod
    async def _answered(task: asyncio.Task[Any]) -> Reply:
        reply: Reply | None = await task
        return reply if reply is not None else ({"k": "close"}, b"")

    def tell(self, header: dict[str, Any]) -> None:
        """One frame without a reply."""
        task = self._task(header, b"")
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


async def advance(powers: Powers, run_id: str, workflow: Workflow[Any, Any]) -> RunState:
    """Advance a ready run in this process until it ends or waits; its state then."""
    loop = asyncio.get_running_loop()
    if not isinstance(loop, WorkflowLoop):
        raise TypeError("a session needs a WorkflowLoop")
    claimed = await claim(powers, run_id)
    if claimed is None:
        with powers.database.connect() as conn:
            return RunState(runs.get(conn, run_id)["state"])
    hold = claimed.hold
    session = Session(DirectPort(Desk(hold), loop), claimed.opening, loop)
    params = decode_params(workflow.params, claimed.opening.parameters)
    playing = loop.create_task(session.play(workflow, params))
    waiters = [loop.create_task(hold.suspended.wait()), loop.create_task(hold.over.wait())]
    await asyncio.wait([playing, *waiters], return_when=asyncio.FIRST_COMPLETED)
    for waiter in waiters:
        waiter.cancel()
    if hold.suspended.is_set():
        hold.end(RunState.WAITING)
    await playing
    await asyncio.gather(*hold.tasks, return_exceptions=True)
    return await aftermath.settle(hold)
