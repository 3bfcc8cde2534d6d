"""Content-addressed payloads: bytes over 64 KiB lie in files named by their SHA-256, written and synced before the row that
names them. A file without a row is an orphan and harmless; a row without its file is damage and says so."""

from __future__ import annotations

import hashlib
import os
import tempfile
from pathlib import Path

from counterfoil.errors import Damaged
from counterfoil.facts import INLINE_LIMIT
from counterfoil.places import Home

_PIECE = 1024 * 1024


class Blobs:
    """The blob folder of a home."""

    def __init__(self, home: Home) -> None:
        self._root = home.blobs

    @property
    def root(self) -> Path:
        """The folder itself."""
        return self._root

    def path(self, sha: str) -> Path:
        """Where the bytes of a digest lie."""
        return self._root / sha[:2] / sha

    def put(self, data: bytes) -> str:
        """Keep bytes, synced to disk; their SHA-256. Putting the same bytes again costs nothing."""
        sha = hashlib.sha256(data).hexdigest()
        target = self.path(sha)
        if target.exists():
            return sha
        target.parent.mkdir(mode=0o700, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=target.parent)
        try:
            with os.fdopen(handle, "wb") as out:
                out.write(data)
                out.flush()
                os.fsync(out.fileno())
            os.replace(name, target)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise
        sync_folder(target.parent)
        return sha

    def open(self, sha: str) -> int:
        """The bytes of a digest as an open file, not compared with it; the caller closes it.

        Raises:
            Damaged: they are gone.
        """
        try:
            return os.open(self.path(sha), os.O_RDONLY | os.O_CLOEXEC)
        except FileNotFoundError as problem:
            raise self._missing(sha) from problem

    def put_file(self, source: int, most: int) -> tuple[str, int]:
        """Keep what an open file holds from its present place on, as `put` does; SHA-256 and length.

        Raises:
            ValueError: it holds more than `most` bytes.
        """
        handle, name = tempfile.mkstemp(dir=self._root)
        try:
            digest, size = hashlib.sha256(), 0
            with os.fdopen(handle, "wb") as out:
                while piece := os.read(source, _PIECE):
                    size += len(piece)
                    if size > most:
                        raise ValueError(f"more than {most} bytes")
                    digest.update(piece)
                    out.write(piece)
                out.flush()
                os.fsync(out.fileno())
            target = self.path(digest.hexdigest())
            target.parent.mkdir(mode=0o700, exist_ok=True)
            os.replace(name, target)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise
        sync_folder(target.parent)
        return digest.hexdigest(), size

    def get(self, sha: str) -> bytes:
        """The bytes of a digest.

        Raises:
            Damaged: they are gone, or are not what the digest says.
        """
        try:
            data = self.path(sha).read_bytes()
        except FileNotFoundError as problem:
            raise self._missing(sha) from problem
        if hashlib.sha256(data).hexdigest() != sha:
            raise Damaged(f"The kept content {sha[:12]} was changed on disk.", "Restore a backup of the data folder.")
        return data

    def head(self, sha: str, length: int) -> bytes:
        """The first bytes of a digest, without checking the rest.

        Raises:
            Damaged: they are gone.
        """
        try:
            with self.path(sha).open("rb") as file:
                return file.read(length)
        except FileNotFoundError as problem:
            raise self._missing(sha) from problem

    def _missing(self, sha: str) -> Damaged:
        return Damaged(
            f"The kept content {sha[:12]} is missing from {self._root}.", "Restore a backup of the data folder."
        )

    def keep_text(self, text: str) -> tuple[str, bool]:
        """A text as a row keeps it: itself, or the digest of a blob when it is over 64 KiB; and which of the two."""
        raw = text.encode("utf-8", "surrogatepass")
        if len(raw) <= INLINE_LIMIT:
            return text, False
        return self.put(raw), True

    def text(self, kept: str, in_blob: bool) -> str:
        """The text that a row keeps."""
        return self.get(kept).decode("utf-8", "surrogatepass") if in_blob else kept


def sync_folder(folder: Path) -> None:
    """Make a rename in a folder durable (a no-op where folders cannot be opened)."""
    try:
        handle = os.open(folder, os.O_RDONLY | getattr(os, "O_DIRECTORY", 0))
    except OSError:
        return
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
