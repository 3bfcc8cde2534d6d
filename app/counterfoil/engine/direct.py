"""A session and its desk in one process, by direct calls: the same frames and the same checks as through a socket."""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import functools
from collections.abc import Coroutine
from typing import Any

from counterfoil.authoring.parameters import decode_params
from counterfoil.authoring.workflows import Workflow
from counterfoil.engine import aftermath, staging
from counterfoil.engine.claiming import claim
from counterfoil.engine.desk import CLOSE, Desk, Reply
from counterfoil.engine.holding import Powers
from counterfoil.engine.loops import WorkflowLoop
from counterfoil.engine.session import Session
from counterfoil.facts import ENDED, RunState
from counterfoil.store import runs


class DirectPort:
    """Hands frames to a desk in a context of the desk's own, so that it is never mistaken for the workflow body."""

    def __init__(self, desk: Desk, loop: WorkflowLoop) -> None:
        self._desk = desk
        self._loop = loop
        self.tasks: set[asyncio.Task[Any]] = set()

    def call(self, header: dict[str, Any], tail: bytes = b"") -> asyncio.Task[Reply]:
        """One frame and its reply."""
        task = self._task(self._answered(header, tail))
        self._remember(task)
        return task

    async def _answered(self, header: dict[str, Any], tail: bytes) -> Reply:
        return await self._desk.handle(header, tail) or CLOSE

    def tell(self, header: dict[str, Any]) -> None:
        """One frame without a reply."""
        self._remember(self._task(self._answered(header, b"")))

    def _task(self, work: Coroutine[Any, Any, Reply]) -> asyncio.Task[Reply]:
        with self._loop.trusted():
            return self._loop.create_task(work, context=contextvars.Context())

    def _remember(self, task: asyncio.Task[Reply]) -> None:
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)


async def advance(powers: Powers, run_id: str, workflow: Workflow[Any, Any]) -> RunState:
    """Advance a ready run in this process until it ends or waits; its state then."""
    loop = asyncio.get_running_loop()
    if not isinstance(loop, WorkflowLoop):
        raise TypeError("a session needs a WorkflowLoop")
    claimed = await claim(powers, run_id)
    if claimed is None:
        return RunState(runs.get(powers.database.reader, run_id)["state"])
    hold = claimed.hold
    stopped = await aftermath.laid_out(claimed)
    if stopped is not None:
        return stopped
    port = DirectPort(Desk(hold), loop)
    session = Session(port, staging.on_stage(claimed.hold, claimed.opening), loop)
    params = decode_params(workflow.params, claimed.opening.parameters)
    playing = loop.create_task(session.play(workflow, params))
    await _first_of(loop, playing, hold.suspended, hold.over)
    if hold.suspended.is_set():
        hold.end(RunState.WAITING)
    await _let_go(playing, stuck=hold.ended is RunState.READY)
    await asyncio.gather(*hold.tasks, *port.tasks, return_exceptions=True)
    state = await aftermath.settle(hold)
    if state in ENDED:
        await powers.copying.do(functools.partial(powers.stages.remove, run_id))
    return state


async def _first_of(loop: WorkflowLoop, playing: asyncio.Task[None], *events: asyncio.Event) -> None:
    waiters = [loop.create_task(event.wait()) for event in events]
    await asyncio.wait([playing, *waiters], return_when=asyncio.FIRST_COMPLETED)
    for waiter in waiters:
        waiter.cancel()


async def _let_go(playing: asyncio.Task[None], *, stuck: bool) -> None:
    """Wait for the session's end; a step that took too long is not waited for, as a host would not be."""
    if stuck:
        playing.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await playing
