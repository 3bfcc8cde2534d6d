"""Values of a call that are absent or plain text, taken as they are: typer would import pydantic, which takes 0.2 s, to find out the same.

Whatever has to be converted or judged, a number or a path, still goes typer's way.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any


def taken_plainly(command: Any) -> Any:
    """The command, and those below it, with such values spared the detour."""
    for below in getattr(command, "commands", {}).values():
        taken_plainly(below)
    command.get_params = functools.partial(_parameters, command.get_params)
    return command


def _parameters(ordinary: Callable[[Any], list[Any]], context: Any) -> list[Any]:
    """Its parameters, `--help` among them, which is in no list before it is asked for."""
    found = ordinary(context)
    for parameter in found:
        if not isinstance(parameter.process_value, functools.partial):
            parameter.process_value = functools.partial(_taken, parameter, parameter.process_value)
    return found


def _taken(parameter: Any, ordinary: Callable[[Any, Any], Any], context: Any, value: Any) -> Any:
    several = parameter.nargs != 1 or getattr(parameter, "multiple", False)
    annotation = getattr(getattr(parameter, "type_descriptor", None), "annotation", None)
    absent = value is None and not parameter.required
    if not absent and (several or type(value) is not str or annotation is not str):
        return ordinary(context, value)
    plain = () if absent and several else value
    return parameter.callback(context, parameter, plain) if parameter.callback is not None else plain
