"""Work side by side. Raw tasks are refused, because their order cannot be replayed; these two can."""

from __future__ import annotations

import functools
from collections.abc import Awaitable
from typing import Any, TypeVar, overload

from counterfoil.authoring import machine
from counterfoil.errors import RefusedUse

T = TypeVar("T")
T1 = TypeVar("T1")
T2 = TypeVar("T2")
T3 = TypeVar("T3")


# Unlike results keep their types when unpacked, as with asyncio.gather: a list at run time, a tuple to the type checker.
@overload
def parallel(first_: Awaitable[T1], second: Awaitable[T2], /) -> machine.Durable[tuple[T1, T2]]: ...
@overload
def parallel(
    first_: Awaitable[T1], second: Awaitable[T2], third: Awaitable[T3], /
) -> machine.Durable[tuple[T1, T2, T3]]: ...
@overload
def parallel(*awaitables: Awaitable[T]) -> machine.Durable[list[T]]: ...


def parallel(*awaitables: Awaitable[Any]) -> machine.Durable[Any]:
    """Run branches side by side; results in the order given.

    Every branch settles before the failure with the lowest index is raised; siblings are not cancelled.
    """
    return machine.Durable("parallel()", functools.partial(_parallel, awaitables))


async def _parallel(awaitables: tuple[Awaitable[Any], ...]) -> Any:
    branch = machine.require("parallel()")
    return await branch.machine.parallel(branch, awaitables)


@machine.durable
async def first(*awaitables: Awaitable[Any]) -> tuple[int, Any]:
    """Run branches side by side until one has ended: (its index, its result). The winner is a record; the others are cancelled.

    Raises:
        RefusedUse: there is no branch at all.
    """
    branch = machine.require("first()")
    if not awaitables:
        raise RefusedUse("first() needs at least one branch: first(a, b)")
    return await branch.machine.first(branch, awaitables)
