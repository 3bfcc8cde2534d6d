"""What a host does to itself, from inside, before any code of an author: the last door is closed behind it."""

from __future__ import annotations

import ctypes
from pathlib import Path
from typing import Any

from counterfoil.sandbox import landlock, seccomp

_SET_DUMPABLE = 4
WALLED = frozenset({"L3", "L4"})  # the levels with namespaces around a sandbox


def confine(level: str, wanted: dict[str, Any], *, programs: bool = False) -> None:
    """Leave this process what its level allows and no more, for good. `programs`: it is there to become another program.

    Isolated (L3, L4), the walls stand already: what is left is to hide what /proc tells of processes, where the kernel can, and to refuse a
    workflow programs and sockets. Restricted (L2, L1), all of it
    is done here, which is why there must be one thread only.

    Raises:
        OSError: the kernel does not do it.
    """
    if level == "L0":
        return
    if level in WALLED:
        landlock.hide_processes()
        if not programs:
            hide()
            seccomp.install(seccomp.inner())
        return
    landlock.drop_capabilities()
    readable, writable = ([Path(path) for path in wanted[name]] for name in ("readable", "writable"))
    landlock.restrict(readable, writable)
    seccomp.install(seccomp.outer())
    seccomp.install(seccomp.inner(programs=programs, walls=False))


def hide() -> None:
    """Close this process's memory and descriptors to every other one of its account.

    Raises:
        OSError: the kernel does not do it.
    """
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(_SET_DUMPABLE, 0, 0, 0, 0):
        raise OSError(ctypes.get_errno(), "the process stays open to others")
