"""Values over 64 KiB between a session and its desk: bytes come ahead in chunks, the desk hashes and keeps them, frames name them.

What a session may name or read back is what it has handed over itself, and what its run's records name; so a value is looked through
before it is kept, wherever it lies.
"""

from __future__ import annotations

import asyncio
import json
from typing import Any

from counterfoil.authoring.codec import Unrecordable, blob_shas, check_plain
from counterfoil.engine import killpoints
from counterfoil.engine.frames import TAIL_LIMIT, too_deep
from counterfoil.engine.holding import Breach, Hold
from counterfoil.engine.shapes import identity_in, whole
from counterfoil.facts import INLINE_LIMIT
from counterfoil.store import blob_rows, records

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
        self._read: tuple[object, bytes] = ((), b"")

    async def put(self, frame: dict[str, Any], tail: bytes) -> tuple[dict[str, Any], bytes]:
        """Take a chunk; on the last one keep the whole and answer with the desk's own digest."""
        if not isinstance(frame["last"], bool):
            raise Breach("a chunk that is neither the last nor another")
        self._parts.append(tail)
        self._size += len(tail)
        self._total += len(tail)
        if self._size > BLOB_LIMIT or self._total > QUOTA:
            raise Breach("more bytes than a run may hand over")
        if not frame["last"]:
            return {"k": "ok"}, b""
        data = b"".join(self._parts)
        self._parts, self._size = [], 0
        sha = await asyncio.to_thread(self._hold.powers.blobs.put, data)
        killpoints.reach("after_blob")
        await self._hold.do(lambda txn: blob_rows.note(txn, sha, len(data)), durable=False)
        self._hold.shas.add(sha)
        return {"k": "ok", "sha": sha}, b""

    async def value(self, frame: dict[str, Any]) -> tuple[str, bool]:
        """A frame's value as a row keeps it: inline text, or the digest of what was handed over before."""
        if "rb" in frame:
            sha = self._known(frame["rb"])
            await asyncio.to_thread(self._text_of_blob, sha)
            return sha, True
        text = frame["r"]
        if not isinstance(text, str) or len(text.encode("utf-8", "surrogatepass")) > INLINE_LIMIT:
            raise Breach("a value that is no text, or too long to come inline")
        self._checked(text)
        return text, False

    async def text(self, frame: dict[str, Any]) -> str:
        """A frame's value as text, wherever it lies."""
        if "rb" in frame:
            return await asyncio.to_thread(self._text_of_blob, self._known(frame["rb"]))
        return (await self.value(frame))[0]

    def _text_of_blob(self, sha: str) -> str:
        text = self._hold.powers.blobs.get(sha).decode("utf-8")
        self._checked(text)
        return text

    def _checked(self, text: str) -> None:
        """Whether a text is JSON that any reader of ours can take: not too deep, only tags of ours, only bytes of this run."""
        plain = json.loads(text, parse_constant=_refuse_constant)
        if text.count("[") + text.count("{") > VALUE_DEPTH and too_deep(plain, VALUE_DEPTH):
            raise Breach(f"a value nested over {VALUE_DEPTH} deep")
        if '"$' not in text and "\\u0024" not in text:
            return
        try:
            check_plain(plain)
        except Unrecordable as problem:
            raise Breach(f"a value of no value's shape: {problem}") from problem
        if not set(blob_shas(plain)) <= self._hold.shas:
            raise Breach("a value that names bytes which were never handed over")

    def _known(self, sha: Any) -> str:
        if not isinstance(sha, str) or sha not in self._hold.shas:
            raise Breach("bytes that were never handed over")
        return sha

    async def fetch(self, frame: dict[str, Any], _: bytes) -> tuple[dict[str, Any], bytes]:
        """Hand back a part of a recorded value, or of bytes that this run's records name."""
        start = whole(frame["from"], "a fetch from nowhere")
        asked: object = ("sha", self._known(frame["sha"])) if "sha" in frame else identity_in(frame)
        if self._read[0] != asked:
            self._read = asked, await asyncio.to_thread(self._data, asked)
        data = self._read[1]
        if start + TAIL_LIMIT >= len(data):
            self._read = (), b""
        return {"k": "ok", "size": len(data)}, data[start : start + TAIL_LIMIT]

    def _data(self, asked: Any) -> bytes:
        hold = self._hold
        if asked[0] == "sha":
            return hold.powers.blobs.get(asked[1])
        with hold.powers.database.connect() as conn:
            row = records.get(conn, hold.run_id, *asked)
        if row is None:
            raise Breach("a fetch of what was never recorded")
        text = hold.powers.blobs.text(row["payload"], row["payload_blob"])
        if '"$blob"' in text:
            hold.shas.update(blob_shas(json.loads(text)))
        return text.encode("utf-8", "surrogatepass")


def _refuse_constant(name: str) -> None:
    raise Breach(f"a value that holds {name}")
