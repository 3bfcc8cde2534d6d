"""Files of unknown content on their way into the blobs: copied first and named by what was copied, so that a writer who is still at work
can make no difference between what is shown and what is kept. All are synced together at the end, which is far cheaper.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import TracebackType
from typing import Self

from counterfoil.store.blobs import Blobs, sync_folder

_CHUNK = 1024 * 1024
_AT_ONCE = 16  # syncs


class TooLarge(Exception):
    """A file holds more than may be taken in."""


class Intake:
    """Use it in `with`; of what was taken in, what is marked by `keep` becomes blobs by `settle`. The rest is thrown away."""

    def __init__(self, blobs: Blobs) -> None:
        self._blobs = blobs
        self._held: dict[str, Path] = {}
        self._kept: set[str] = set()
        self._number = 0
        self._folder = tempfile.TemporaryDirectory(prefix="intake-", dir=blobs.root)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._folder.cleanup()

    def take(self, handle: int, limit: int) -> tuple[str, int]:
        """Copy an open file from its present place to its end; SHA-256 and length of what was copied.

        Raises:
            TooLarge: it holds more than `limit` bytes.
        """
        self._number += 1
        target = Path(self._folder.name) / str(self._number)
        digest, size = hashlib.sha256(), 0
        with target.open("xb", buffering=0) as out:
            while piece := os.read(handle, _CHUNK):
                digest.update(piece)
                size += len(piece)
                if size > limit:
                    raise TooLarge
                out.write(piece)
        self._held[digest.hexdigest()] = target
        return digest.hexdigest(), size

    def keep(self, sha: str) -> None:
        """It is needed."""
        self._kept.add(sha)

    def settle(self) -> None:
        """Make everything that is needed a blob, synced to disk."""
        fresh = {sha: self._held[sha] for sha in self._kept if not self._blobs.path(sha).exists()}
        with ThreadPoolExecutor(
            _AT_ONCE, thread_name_prefix="intake"
        ) as syncing:  # syncs at one time share their commits
            list(syncing.map(_sync, fresh.values()))
            for sha, held in fresh.items():
                target = self._blobs.path(sha)
                with contextlib.suppress(FileExistsError):
                    target.parent.mkdir(mode=0o700)
                os.replace(held, target)
            list(syncing.map(sync_folder, {self._blobs.path(sha).parent for sha in fresh}))
        self._kept.clear()


def _sync(held: Path) -> None:
    with held.open("rb") as kept:
        os.fsync(kept.fileno())
