"""What a process that reads hostile bytes may take: memory, processor time, and no file of its own."""

from __future__ import annotations

import contextlib

MEMORY = 1_000_000_000  # bytes of address space
SECONDS = 15  # of processor time


def bound(memory: int = MEMORY) -> None:
    """Bound this process for good; where the system has no such bounds, the caller's clock is left."""
    with contextlib.suppress(ImportError, OSError, ValueError):
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
        resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
