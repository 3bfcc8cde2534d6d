"""What a reader of hostile bytes does to itself before it looks at them: from then on it has its memory and its pipes, and nothing else.

Only children load this module.
"""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from pathlib import Path

from counterfoil.previews.bounds import MEMORY, bound
from counterfoil.sandbox import landlock, seccomp


def confine(readable: Sequence[Path] = (), memory: int = MEMORY) -> None:
    """Open nothing but what is readable, start nothing, reach nobody, for good; where the kernel has no such walls, the bounds are left."""
    bound(memory)
    with contextlib.suppress(OSError, AttributeError, seccomp.UnknownArchitecture):
        landlock.drop_capabilities()
        landlock.restrict(readable, [])
        seccomp.install(seccomp.inner())
