"""Options that several commands share, as one value: a dataclass whose fields are options is declared once and taken whole."""

from __future__ import annotations

import dataclasses
import functools
import inspect
from collections.abc import Callable, Iterator
from typing import Any, get_type_hints


def gathering(command: Callable[..., Any]) -> Callable[..., Any]:
    """A command as typer is to see it: in the place of each parameter that is a dataclass, the fields of that class as options."""
    hints = get_type_hints(command, include_extras=True)
    wholes = {name: kind for name, kind in hints.items() if dataclasses.is_dataclass(kind) and isinstance(kind, type)}
    shown = [one for found in inspect.signature(command).parameters.values() for one in _spread(found, hints, wholes)]

    def run(**given: Any) -> Any:
        made = {
            name: kind(**{field.name: given.pop(field.name) for field in dataclasses.fields(kind)})
            for name, kind in wholes.items()
        }
        return command(**given, **made)

    functools.update_wrapper(run, command)
    del run.__wrapped__  # type: ignore[attr-defined]  # typer would look through it
    run.__signature__ = inspect.Signature(shown)  # type: ignore[attr-defined]  # what `inspect` goes by
    run.__annotations__ = {one.name: one.annotation for one in shown}
    return run


def _spread(found: inspect.Parameter, hints: dict[str, Any], wholes: dict[str, type]) -> Iterator[inspect.Parameter]:
    if found.name not in wholes:
        yield found.replace(annotation=hints[found.name])
        return
    kind = wholes[found.name]
    options = get_type_hints(kind, include_extras=True)
    for field in dataclasses.fields(kind):
        yield inspect.Parameter(
            field.name, inspect.Parameter.KEYWORD_ONLY, default=field.default, annotation=options[field.name]
        )
