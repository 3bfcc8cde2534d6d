"""Words of others: what a step reads of them is told to the runner, so that what sends or spends asks from then on and the gate names it.

Mails, and files that the workspace or the template marks as foreign, are noticed as they are opened by Python. What a native library opens
by itself is not: read such a file through `files()` and hand over its bytes.
"""

from __future__ import annotations

import os
import sys
from typing import Any

from counterfoil.authoring import machine
from counterfoil.errors import RefusedUse


def foreign(source: str) -> None:
    """Say in a step that what it has read is words of others, where that is not seen by itself (“the supplier's letter”).

    Raises:
        RefusedUse: this is no step.
    """
    branch = machine.current()
    if branch is None:
        return
    if branch.overlay is None:
        raise RefusedUse("foreign() belongs into the step that reads: move it into a function with @step")
    branch.overlay.note_said(" ".join(str(source).split())[:300])


def notice_opens(root: str) -> None:
    """From now on what steps open beneath this folder is noticed, whichever way they open it. It cannot be switched off."""
    base = os.path.realpath(root)

    def hear(event: str, args: tuple[Any, ...]) -> None:
        if event != "open" or not isinstance(args[0], str | bytes):
            return
        branch = machine.current()
        flags = args[2] if isinstance(args[2], int) else 0
        # the door opens component by component, without following links, and says itself what it reads
        if branch is None or branch.overlay is None or flags & (os.O_WRONLY | os.O_NOFOLLOW):
            return
        path = os.path.realpath(os.fsdecode(args[0]))
        if path.startswith(f"{base}{os.sep}"):
            branch.overlay.note_read(path[len(base) + 1 :].replace(os.sep, "/"))

    sys.addaudithook(hear)
