"""Work side by side. Raw tasks are refused, because their order cannot be replayed; these two can."""

from __future__ import annotations

from collections.abc import Awaitable
from typing import Any, TypeVar

from counterfoil.authoring import machine

T = TypeVar("T")


async def parallel(*awaitables: Awaitable[T]) -> list[T]:
    """Run branches side by side; results in the order given.

    Every branch settles before the failure with the lowest index is raised; siblings are not cancelled.
    """
    branch = machine.require("parallel()")
    return await branch.machine.parallel(branch, awaitables)


async def first(*awaitables: Awaitable[Any]) -> tuple[int, Any]:
    """Run branches side by side until one has ended: (its index, its result). The winner is a record; the others are cancelled."""
    branch = machine.require("first()")
    return await branch.machine.first(branch, awaitables)
