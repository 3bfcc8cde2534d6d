"""Asking on the terminal before something goes on with less protection; without one, the options say it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Annotated, TypeVar

import typer

from counterfoil.cli.call import Call
from counterfoil.errors import LessProtection, NotIsolated
from counterfoil.policy.protection import Consent
from counterfoil.sandbox.probing import measured

T = TypeVar("T")
Protection = Annotated[
    str,
    typer.Option(
        "--protection",
        metavar="LEVEL",
        help="Go on with this level, such as L2, where there was a higher one before.",
        show_default=False,
    ),
]
Unprotected = Annotated[
    str,
    typer.Option(
        "--unprotected",
        metavar="NAME",
        help="Where nothing confines code: the folder's name, to run it all the same until this session ends.",
        show_default=False,
    ),
]


def with_consent(call: Call, place: Path, given: Consent, act: Callable[[Consent], T]) -> T:
    """Do it; where it is refused for want of protection, ask a person who sits there, and do it with what they agreed to.

    Raises:
        NotIsolated, LessProtection: nobody can be asked, or the answer was no.
    """
    for _ in range(2):  # a fall, and nothing left
        try:
            return act(given)
        except NotIsolated as problem:
            if not call.can_ask or given.folder:
                raise
            call.say(f"{problem.message} To let it, type the folder's name (‘{place.name}’); anything else stops.")
            given = replace(given, folder=_typed("name: "))
            if not given.folder:
                raise
        except LessProtection as problem:
            if not call.can_ask or given.level:
                raise
            call.say(f"{problem.message} Type yes to go on with that; anything else stops.")
            if _typed("go on: ") != "yes":
                raise
            given = replace(given, level=measured(call.home).code)
    return act(given)


def _typed(what: str) -> str:
    try:
        return input(what).strip()
    except EOFError:
        return ""
