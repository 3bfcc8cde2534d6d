"""Branches that run side by side: `parallel`, which settles them all, and `first`, whose winner is a record.

A parent lends its liveness to its branches and gets it back from the last that ends, in a race from the first. A branch that has lost is
cancelled before the winner is recorded; what its calls still do at the desk ends there by itself.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Sequence
from typing import Any

from counterfoil.authoring import machine
from counterfoil.authoring.codec import digest
from counterfoil.authoring.machine import Branch, Durable, Machine
from counterfoil.engine.asking import Line
from counterfoil.engine.loops import WorkflowLoop
from counterfoil.engine.replaying import Identity, Recorded, Replay, child_path
from counterfoil.errors import Mismatch, RefusedUse
from counterfoil.facts import StepKind

Tasks = Sequence[asyncio.Task[Any]]


class _Share:
    """The liveness that a parent has lent to its branches."""

    def __init__(self, line: Line, branches: int, *, race: bool) -> None:
        self._line = line
        self._left = branches
        self._race = race
        self._returned = False
        line.live += branches - 1

    def ended(self, *, over: bool) -> None:
        """A branch has ended: the one whose end the parent waits for gives the liveness back, the others let go of theirs.

        `over`: it ended by what ends the session, for which the parent waits in any case.
        """
        self._left -= 1
        if not self._returned and (self._race or over or self._left == 0):
            self._returned = True
        else:
            self._line.rest()


class SideBySide:
    """The branches of one session."""

    def __init__(self, owner: Machine, line: Line, replay: Replay, loop: WorkflowLoop) -> None:
        self._owner = owner
        self._line = line
        self._replay = replay
        self._loop = loop

    async def parallel(self, branch: Branch, awaitables: Sequence[Awaitable[Any]]) -> list[Any]:
        """Run branches side by side and settle them all; then the failure with the lowest index speaks."""
        try:
            ordinal = self._replay.fork(branch)
            children = self._children(branch, ordinal, len(awaitables))
        except (Mismatch, RefusedUse):
            _discard(awaitables)
            raise
        if not awaitables:
            return []
        tasks = self._start(children, awaitables, race=False)
        try:
            await self._ended(tasks)
        except BaseException:  # this branch has itself lost a race
            await self._stop(children, tasks)
            raise
        problems = [_problem(task) for task in tasks if task.done()]
        over = [problem for problem in problems if problem is not None and not isinstance(problem, Exception)]
        if over:
            await self._stop(children, tasks)
            raise over[0]
        branch.at_us = max(child.at_us for child in children)
        raised = [problem for problem in problems if problem is not None]
        if raised:
            raise raised[0]
        return [task.result() for task in tasks]

    async def first(self, branch: Branch, awaitables: Sequence[Awaitable[Any]]) -> tuple[int, Any]:
        """Run branches until one has ended; which one is a record, so replay runs only that one."""
        args_digest = digest(str(len(awaitables)))
        try:
            identity, record = self._replay.take(branch, StepKind.RACE, "first", args_digest)
            children = self._children(branch, identity[1], len(awaitables))
        except (Mismatch, RefusedUse):
            _discard(awaitables)
            raise
        if record is not None:
            return await self._again(branch, identity, record, children, awaitables)
        tasks = self._start(children, awaitables, race=True)
        try:
            await self._ended(tasks, one=True)
        except BaseException:  # this branch has itself lost a race
            await self._stop(children, tasks)
            raise
        winner = next(index for index, task in enumerate(tasks) if task.done())
        problem = _problem(tasks[winner])
        await self._stop(_others(children, winner), _others(tasks, winner))
        if problem is not None and not isinstance(problem, Exception):
            raise problem
        for child in _others(children, winner):
            self._replay.pass_over(child.path)
        frame = {"t": "race", "p": identity[0], "o": identity[1], "d": args_digest, "winner": winner, "of": len(tasks)}
        branch.at_us = (await self._line.call(frame))["at"]
        if problem is not None:
            raise problem
        return winner, tasks[winner].result()

    async def _again(
        self,
        branch: Branch,
        identity: Identity,
        record: Recorded,
        children: list[Branch],
        awaitables: Sequence[Awaitable[Any]],
    ) -> tuple[int, Any]:
        """The race is recorded: only its winner runs."""
        winner = int(json.loads(await self._line.text_of(identity, record)))
        for child in _others(children, winner):
            self._replay.pass_over(child.path)
        _discard(_others(awaitables, winner))
        tasks = self._start([children[winner]], [awaitables[winner]], race=False)
        try:
            await self._ended(tasks)
        except BaseException:
            await self._stop([children[winner]], tasks)
            raise
        branch.at_us = max(record.at_us, children[winner].at_us)
        problem = _problem(tasks[0])
        if problem is not None:
            raise problem
        return winner, tasks[0].result()

    # ----------------------------------------------------------------------------------------------------------- tasks

    def _children(self, branch: Branch, ordinal: int, count: int) -> list[Branch]:
        return [Branch(self._owner, child_path(branch.path, ordinal, index), branch.at_us) for index in range(count)]

    def _start(self, children: list[Branch], awaitables: Sequence[Awaitable[Any]], *, race: bool) -> Tasks:
        share = _Share(self._line, len(children), race=race)
        with self._loop.trusted():
            return [
                self._loop.create_task(self._branch(child, awaitable, share))
                for child, awaitable in zip(children, awaitables, strict=True)
            ]

    @staticmethod
    async def _branch(child: Branch, awaitable: Awaitable[Any], share: _Share) -> Any:
        child.task = asyncio.current_task()
        machine.enter(child)
        over = True
        try:
            result = await awaitable
            child.refuse_forgotten()
            over = False
            return result
        except Exception:
            over = False
            raise
        finally:
            share.ended(over=over)

    async def _ended(self, tasks: Tasks, *, one: bool = False) -> None:
        """Wait until all tasks have ended, or one of them, or until one has ended the session; makes no tasks itself."""
        done: asyncio.Future[None] = self._loop.create_future()
        left = len(tasks)

        def ended(task: asyncio.Task[Any]) -> None:
            nonlocal left
            left -= 1
            over = not isinstance(_problem(task), Exception | None)
            if (left == 0 or one or over) and not done.done():
                done.set_result(None)

        for task in tasks:
            task.add_done_callback(ended)
        if tasks:
            await done

    async def _stop(self, children: Sequence[Branch], tasks: Tasks) -> None:
        """End branches that nobody waits for any more; their `finally` blocks run, but may not wait again."""
        for child, task in zip(children, tasks, strict=True):
            child.lost = True
            task.cancel()
        left = [task for task in tasks if not task.done()]
        while left:
            await self._ended(left, one=True)
            left = [task for task in left if not task.done()]


def _others(items: Sequence[Any], index: int) -> list[Any]:
    return [item for at, item in enumerate(items) if at != index]


def _problem(task: asyncio.Task[Any]) -> BaseException | None:
    """What a branch has raised; asking for it also says that somebody has looked."""
    if task.cancelled():
        return RefusedUse("a branch has cancelled itself; return, or raise an exception of your own")
    return task.exception()


def _discard(awaitables: Sequence[Awaitable[Any]]) -> None:
    """These are not going to be awaited, on purpose."""
    for awaitable in awaitables:
        if isinstance(awaitable, Durable):
            awaitable.forget()
        elif asyncio.iscoroutine(awaitable):
            awaitable.close()
