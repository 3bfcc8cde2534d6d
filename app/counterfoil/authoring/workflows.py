"""A workflow: the function the author wrote, under the name that its template folder has."""

from __future__ import annotations

import inspect
import typing
from collections.abc import Awaitable, Callable
from typing import Any, Generic, TypeVar

from counterfoil.authoring.parameters import Params
from counterfoil.errors import RefusedUse

ParamsT = TypeVar("ParamsT", bound=Params)
R = TypeVar("R")


class Workflow(Generic[ParamsT, R]):
    """The decorated function with its name; calling it makes the coroutine, which needs a run to be awaited in."""

    def __init__(self, name: str, function: Callable[[ParamsT], Awaitable[R]]) -> None:
        if not inspect.iscoroutinefunction(function):
            raise RefusedUse(
                f"workflow '{name}' must be an async function: write `async def {function.__name__}(p: Params)`"
            )
        self.name = name
        self.function = function
        self.__doc__ = function.__doc__

    @property
    def params(self) -> type[Params]:
        """The Params class of the first argument.

        Raises:
            RefusedUse: the function does not take exactly one annotated Params.
        """
        hints = typing.get_type_hints(self.function)
        names = list(inspect.signature(self.function).parameters)
        kind = hints.get(names[0]) if len(names) == 1 else None
        if not (isinstance(kind, type) and issubclass(kind, Params)):
            raise RefusedUse(f"workflow '{self.name}' must take one argument annotated with a subclass of Params")
        return kind

    def __call__(self, params: ParamsT) -> Awaitable[R]:
        return self.function(params)


def workflow(name: str) -> Callable[[Callable[[ParamsT], Awaitable[R]]], Workflow[ParamsT, R]]:
    """Name an async function as the workflow of a template: `@workflow("pay-invoices")`."""
    return lambda function: Workflow(name, function)


def find_workflow(namespace: dict[str, Any], expected: str) -> Workflow[Any, Any]:
    """The one workflow in a loaded module.

    Raises:
        RefusedUse: there is none, more than one, or its name is not the template's.
    """
    found = list({id(value): value for value in namespace.values() if isinstance(value, Workflow)}.values())
    if len(found) != 1:
        raise RefusedUse(f"workflow.py must hold exactly one @workflow function; it holds {len(found)}")
    if found[0].name != expected:
        raise RefusedUse(
            f"workflow.py names its workflow '{found[0].name}', the template is called '{expected}'; make them equal"
        )
    return found[0]
