"""An exception as data, as it goes from a host to the desk and from a step's child process to its host."""

from __future__ import annotations

import traceback
from typing import Any

MESSAGE_LIMIT = 2000  # characters
TRACEBACK_LIMIT = 8000


class ChildRaised(Exception):
    """A step raised in its child process; `told` is what the child said of its exception."""

    def __init__(self, told: dict[str, Any]) -> None:
        super().__init__(told["message"])
        self.told = told


def describe(problem: BaseException) -> dict[str, Any]:
    """Type, names of its ancestors (nearest first), message, errno, and the end of the traceback.

    A group of one, as asyncio.TaskGroup makes it, speaks for the one exception in it.
    """
    if isinstance(problem, ChildRaised):
        return problem.told
    inner = problem
    while isinstance(inner, BaseExceptionGroup) and len(inner.exceptions) == 1:
        inner = inner.exceptions[0]
    number = getattr(inner, "errno", None)
    return {
        "type": type(inner).__name__,
        "mro": [kind.__name__ for kind in type(inner).__mro__],
        "message": _words_of(inner)[:MESSAGE_LIMIT],
        "errno": number if type(number) is int else None,
        "traceback": "".join(traceback.format_exception(problem))[-TRACEBACK_LIMIT:],
    }


def _words_of(problem: BaseException) -> str:
    try:
        return str(problem)
    except Exception:  # noqa: BLE001 - an author's __str__ may do anything
        return f"a {type(problem).__name__} without words"
