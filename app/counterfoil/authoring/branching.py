"""Work side by side. Raw tasks are refused, because their order cannot be replayed; these two can."""

from __future__ import annotations

from collections.abc import Awaitable
from typing import Any, TypeVar, overload

from counterfoil.authoring import machine

T = TypeVar("T")
T1 = TypeVar("T1")
T2 = TypeVar("T2")
T3 = TypeVar("T3")


# Unlike results keep their types when unpacked, as with asyncio.gather: a list at run time, a tuple to the type checker.
@overload
async def parallel(first_: Awaitable[T1], second: Awaitable[T2], /) -> tuple[T1, T2]: ...
@overload
async def parallel(first_: Awaitable[T1], second: Awaitable[T2], third: Awaitable[T3], /) -> tuple[T1, T2, T3]: ...
@overload
async def parallel(*awaitables: Awaitable[T]) -> list[T]: ...


async def parallel(*awaitables: Awaitable[Any]) -> Any:
    """Run branches side by side; results in the order given.

    Every branch settles before the failure with the lowest index is raised; siblings are not cancelled.
    """
    branch = machine.require("parallel()")
    return await branch.machine.parallel(branch, awaitables)


async def first(*awaitables: Awaitable[Any]) -> tuple[int, Any]:
    """Run branches side by side until one has ended: (its index, its result). The winner is a record; the others are cancelled."""
    branch = machine.require("first()")
    return await branch.machine.first(branch, awaitables)
