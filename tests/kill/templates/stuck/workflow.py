"""Steps that do the worst a step can do to its own run: end the process, or hold it for ever, until a file goes away."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

from counterfoil import Params, step, this_run, workflow


class Stuck(Params):
    how: str


def held() -> bool:
    """Whether the test still wants the step to be stuck."""
    return any((Path(folder) / f"hold-{this_run().number}").exists() for folder in sys.path)


def mark(name: str) -> None:
    """Say outside that a step begins, where somebody listens."""
    for marks in [place for folder in sys.path if (place := Path(folder) / ".marks").exists()]:
        handle = os.open(marks, os.O_WRONLY)
        os.write(handle, f"+ {name}\n".encode())
        os.close(handle)


@step
def leave() -> str:
    """End the process of the host, again and again."""
    mark("leave")
    if held():
        os._exit(3)
    return "stayed"


@step(process=True)
def stay() -> str:
    """Hold on in a forked child."""
    mark("stay")
    while held():
        time.sleep(0.01)
    return "left"


@workflow("stuck")
async def stuck(p: Stuck) -> str:
    return await (leave() if p.how == "leave" else stay())
