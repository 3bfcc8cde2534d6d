"""What a workflow body may not do, because it could not be replayed, is refused by name and with advice (engine.md 18).

| refused | test |
|---|---|
| create_task, gather, TaskGroup | test_raw_tasks_are_refused |
| asyncio.sleep, timeout, wait_for | test_timers_of_asyncio_are_refused |
| to_thread, run_in_executor | test_raw_threads_are_refused |
| a durable call from another task or thread | test_a_durable_call_from_elsewhere_is_refused |
| steps are exempt | test_steps_may_do_all_of_it |
"""

import asyncio
import threading
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from counterfoil import parallel, step, workflow
from counterfoil.facts import RunState
from engine.doing import Nothing
from engine.power_cut import PowerCut


@step
def one(n: int) -> int:
    return n + 1


async def nothing() -> None:
    """A coroutine."""


async def gathering() -> None:
    await asyncio.gather(one(1), one(2))


async def making_a_task() -> None:
    await asyncio.create_task(nothing())


async def grouping() -> None:
    async with asyncio.TaskGroup() as group:
        group.create_task(nothing())


async def ensuring() -> None:
    await asyncio.ensure_future(nothing())


async def sleeping() -> None:
    await asyncio.sleep(0.01)


async def timing_out() -> None:
    async with asyncio.timeout(5):
        await one(1)


async def waiting_for() -> None:
    await asyncio.wait_for(one(1), 5)


async def threading_() -> None:
    await asyncio.to_thread(print)


async def executing() -> None:
    await asyncio.get_running_loop().run_in_executor(None, print)


def refusal(harness: PowerCut, body: Callable[[], Awaitable[Any]]) -> str:
    """The message of the failure gate that a body's rule-breaking opens."""

    @workflow("rules")
    async def flow(p: Nothing) -> Any:
        await body()

    harness.start(flow)
    assert harness.advance() == RunState.WAITING
    error = harness.spec()["about"]["error"]
    assert error["type"] == "RefusedUse"
    return str(error["message"])


@pytest.mark.parametrize("body", [gathering, making_a_task, grouping, ensuring])
def test_raw_tasks_are_refused(harness: PowerCut, body: Any) -> None:
    message = refusal(harness, body)
    assert "raw task" in message
    assert "await parallel(a, b)" in message
    assert harness.records() == []


@pytest.mark.parametrize("body", [sleeping, timing_out, waiting_for])
def test_timers_of_asyncio_are_refused(harness: PowerCut, body: Any) -> None:
    message = refusal(harness, body)
    assert "asyncio timer" in message
    assert "await sleep(" in message or "timeout=" in message
    assert harness.records() == []


@pytest.mark.parametrize("body", [threading_, executing])
def test_raw_threads_are_refused(harness: PowerCut, body: Any) -> None:
    message = refusal(harness, body)
    assert "raw thread" in message
    assert "@step" in message


def test_the_same_in_a_branch(harness: PowerCut) -> None:
    message = refusal(harness, lambda: parallel(one(1), gathering()))
    assert "raw task" in message


def test_a_durable_call_from_elsewhere_is_refused(harness: PowerCut) -> None:
    made: list[Any] = []

    @step
    async def smuggling() -> None:
        async def outside() -> None:
            await asyncio.sleep(0)
            await asyncio.sleep(0)

        made.append(asyncio.get_running_loop().create_task(outside()))
        await made[0]

    async def in_a_thread() -> None:
        problems: list[BaseException] = []

        def work() -> None:
            try:
                asyncio.run(_awaiting(one(1)))
            except BaseException as problem:  # noqa: BLE001 - it is looked at below
                problems.append(problem)

        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
        if problems:
            raise problems[0]

    async def _awaiting(call: Awaitable[Any]) -> None:
        await call

    @workflow("rules")
    async def flow(p: Nothing) -> Any:
        await smuggling()
        await in_a_thread()

    harness.start(flow)
    assert harness.advance() == RunState.DONE  # outside of the run's own context a step just runs
    assert [row["name"] for row in harness.records()] == ["smuggling"]


def test_a_durable_call_of_one_branch_awaited_by_another_stands_in_the_other(harness: PowerCut) -> None:
    """A call has its identity where it is awaited, so handing one over is no way around the order."""

    async def giving(box: list[Any]) -> int:
        box.append(one(1))
        return await one(10)

    async def taking(box: list[Any]) -> int:
        await one(20)
        return int(await box[0]) if box else 0

    @workflow("handing")
    async def flow(p: Nothing) -> Any:
        box: list[Any] = []
        return await parallel(giving(box), taking(box))

    harness.start(flow)
    harness.advance()
    places = {(row["path"], row["ordinal"]) for row in harness.records()}
    assert places == {("0/0", 0), ("0/1", 0), ("0/1", 1)}


def test_steps_may_do_all_of_it(harness: PowerCut) -> None:
    @step
    async def busy() -> int:
        async with asyncio.TaskGroup() as group:
            task = group.create_task(asyncio.to_thread(lambda: 1))
        async with asyncio.timeout(5):
            await asyncio.sleep(0)
            await asyncio.gather(asyncio.sleep(0), asyncio.wait_for(asyncio.sleep(0), 5))
        return task.result()

    @workflow("busy")
    async def flow(p: Nothing) -> int:
        return sum(await parallel(busy(), busy()))

    harness.start(flow)
    assert harness.advance() == RunState.DONE
    assert harness.result() == 2


def test_a_call_that_is_already_running_elsewhere_is_no_way_out(harness: PowerCut) -> None:
    """A durable verb in a task that the step before left behind: it has no branch of its own."""
    left: list[Any] = []

    @step
    async def leaving() -> None:
        async def later() -> None:
            await asyncio.sleep(0)
            await asyncio.sleep(0)
            left.append(await one(5))

        left.append(asyncio.get_running_loop().create_task(later()))

    @workflow("leaving")
    async def flow(p: Nothing) -> Any:
        await leaving()
        task = left[0]
        while not task.done():
            await one(1)
        return type(task.exception()).__name__

    harness.start(flow)
    assert harness.advance() == RunState.DONE
    assert harness.result() == "RefusedUse"
