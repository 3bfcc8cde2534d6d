"""Values over 64 KiB between a session and its desk: bytes come ahead in chunks, the desk hashes and keeps them, frames name them."""

from __future__ import annotations

import asyncio
import json
from typing import Any

from counterfoil.authoring.codec import blob_shas
from counterfoil.engine import killpoints
from counterfoil.engine.frames import TAIL_LIMIT, too_deep
from counterfoil.engine.holding import Breach, Hold
from counterfoil.facts import INLINE_LIMIT
from counterfoil.store import blobs as blob_rows
from counterfoil.store import records

QUOTA = 2 * 1024 * 1024 * 1024  # bytes one session may hand over
BLOB_LIMIT = 512 * 1024 * 1024
VALUE_DEPTH = 64


class Uploads:
    """What one session has handed over, and what it may read back."""

    def __init__(self, hold: Hold) -> None:
        self._hold = hold
        self._parts: list[bytes] = []
        self._size = 0
        self._total = 0

    async def put(self, frame: dict[str, Any], tail: bytes) -> tuple[dict[str, Any], bytes]:
        """Take a chunk; on the last one keep the whole and answer with the desk's own digest."""
        self._parts.append(tail)
        self._size += len(tail)
        self._total += len(tail)
        if self._size > BLOB_LIMIT or self._total > QUOTA:
            raise Breach("more bytes than a run may hand over")
        if frame["last"] is not True:
            return {"k": "ok"}, b""
        data = b"".join(self._parts)
        self._parts, self._size = [], 0
        sha = await asyncio.to_thread(self._hold.powers.blobs.put, data)
        killpoints.reach("after_blob")
        await self._hold.do(lambda txn: blob_rows.note(txn, sha, len(data)), durable=False)
        self._hold.shas.add(sha)
        return {"k": "ok", "sha": sha}, b""

    def value(self, frame: dict[str, Any]) -> tuple[str, bool]:
        """A frame's value as a row keeps it: inline text, or the digest of what was handed over before."""
        if "rb" in frame:
            return self._known(frame["rb"]), True
        text = frame["r"]
        if not isinstance(text, str) or len(text.encode("utf-8", "surrogatepass")) > INLINE_LIMIT:
            raise Breach("a value that is no text, or too long to come inline")
        self._checked(text)
        return text, False

    def text(self, frame: dict[str, Any]) -> str:
        """A frame's value as text, wherever it lies."""
        kept, in_blob = self.value(frame)
        text = self._hold.powers.blobs.text(kept, in_blob)
        if in_blob:
            self._checked(text)
        return text

    def _checked(self, text: str) -> None:
        plain = json.loads(text)
        if text.count("[") + text.count("{") > VALUE_DEPTH and too_deep(plain, VALUE_DEPTH):
            raise Breach(f"a value nested over {VALUE_DEPTH} deep")
        if '"$blob"' in text and not set(blob_shas(plain)) <= self._hold.shas:
            raise Breach("a value that names bytes which were never handed over")

    def _known(self, sha: Any) -> str:
        if sha not in self._hold.shas:
            raise Breach("bytes that were never handed over")
        return str(sha)

    async def fetch(self, frame: dict[str, Any], _: bytes) -> tuple[dict[str, Any], bytes]:
        """Hand back a part of a recorded value, or of bytes that this run's records name."""
        start = frame["from"]
        if type(start) is not int or start < 0:
            raise Breach("a fetch from nowhere")
        data = await asyncio.to_thread(self._data, frame)
        return {"k": "ok", "size": len(data)}, data[start : start + TAIL_LIMIT]

    def _data(self, frame: dict[str, Any]) -> bytes:
        hold = self._hold
        if "sha" in frame:
            return hold.powers.blobs.get(self._known(frame["sha"]))
        with hold.powers.database.connect() as conn:
            row = records.get(conn, hold.run_id, str(frame["p"]), int(frame["o"]))
        if row is None:
            raise Breach("a fetch of what was never recorded")
        text = hold.powers.blobs.text(row["payload"], row["payload_blob"])
        if '"$blob"' in text:
            hold.shas.update(blob_shas(json.loads(text)))
        return text.encode("utf-8", "surrogatepass")
