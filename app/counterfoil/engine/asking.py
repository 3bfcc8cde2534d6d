"""The session's way to the desk: calls and their replies, bytes ahead of what names them, and who is still live.

Liveness: a branch that waits for a person, a timer or an effect is not live. When none is, the session says so together with the number
of replies it has received; the desk suspends the run only when that is also the number it has sent. A branch that is cancelled while its
call is under way leaves the call behind: its reply is counted when it comes.

At most 64 calls are unanswered at a time, 8 of them kept for calls that are answered at once, so that waiting never stops a record.
"""

from __future__ import annotations

import asyncio
import collections
import functools
import json
from collections.abc import Awaitable
from typing import Any, Protocol

from counterfoil.authoring.codec import blob_shas
from counterfoil.engine.loops import WorkflowLoop
from counterfoil.engine.replaying import Identity, Recorded
from counterfoil.errors import Closed
from counterfoil.facts import INLINE_LIMIT

CHUNK = 1024 * 1024
WAITS, PROMPT = 56, 8  # unanswered calls: those that may wait, those that are answered at once
Reply = tuple[dict[str, Any], bytes]


class Port(Protocol):
    """The way to the desk."""

    def call(self, header: dict[str, Any], tail: bytes = b"") -> Awaitable[Reply]:
        """Send a frame and wait for its reply. A Future or Task costs less than a coroutine."""
        ...

    def tell(self, header: dict[str, Any]) -> None:
        """Send a frame that has no reply."""
        ...


class Slots:
    """Places for unanswered calls; who finds none waits in line."""

    def __init__(self, free: int) -> None:
        self._free = free
        self._line: collections.deque[asyncio.Future[None]] = collections.deque()

    async def take(self) -> None:
        """Take a place, waiting for one if need be."""
        if self._free:
            self._free -= 1
            return
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._line.append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                self.give()
            raise

    def give(self) -> None:
        """Leave a place, to the next in line if there is one."""
        while self._line:
            turn = self._line.popleft()
            if not turn.done():
                turn.set_result(None)
                return
        self._free += 1


class Line:
    """One session's calls. `live` counts the branches that can go on by themselves."""

    def __init__(self, port: Port, loop: WorkflowLoop) -> None:
        self._port = port
        self._loop = loop
        self._seen = 0
        self._handed: set[str] = set()
        self._waits = Slots(WAITS)
        self._prompt = Slots(PROMPT)
        self.live = 0

    # ------------------------------------------------------------------------------------------------------- liveness

    def rest(self) -> None:
        """One branch less is live."""
        self.live -= 1
        if self.live == 0:
            self._loop.call_soon(self._say_idle)

    def _say_idle(self) -> None:
        if self.live == 0:
            self._port.tell({"t": "idle", "seen": self._seen})

    # ---------------------------------------------------------------------------------------------------------- calls

    def tell(self, header: dict[str, Any]) -> None:
        """Send a frame that has no reply."""
        self._port.tell(header)

    async def call(self, header: dict[str, Any], tail: bytes = b"") -> dict[str, Any]:
        """A call that is answered at once.

        Raises:
            Closed: the desk has ended this session.
        """
        return await self._call(self._prompt, header, tail)

    async def wait(self, header: dict[str, Any]) -> dict[str, Any]:
        """A call during which this branch is not live."""
        self.rest()
        try:
            return await self._call(self._waits, header, b"")
        finally:
            self.live += 1

    async def _call(self, slots: Slots, header: dict[str, Any], tail: bytes) -> dict[str, Any]:
        await slots.take()
        asked = self._future(self._port.call(header, tail))
        try:
            reply, more = await asyncio.shield(asked)
        except asyncio.CancelledError:
            asked.add_done_callback(functools.partial(self._came_late, slots))
            raise
        except BaseException:
            slots.give()
            raise
        slots.give()
        self._seen += 1
        if reply["k"] == "close":
            raise Closed
        if more:
            reply["tail"] = more
        return reply

    def _future(self, asked: Awaitable[Reply]) -> asyncio.Future[Reply]:
        with self._loop.trusted():
            return asyncio.ensure_future(asked)

    def _came_late(self, slots: Slots, asked: asyncio.Future[Reply]) -> None:
        """The reply to a call whose branch is gone."""
        slots.give()
        if not asked.cancelled() and asked.exception() is None:
            self._seen += 1
            self._say_idle()

    # ---------------------------------------------------------------------------------------------------------- values

    async def put(self, data: bytes) -> str:
        """Hand bytes to the desk ahead of the frame that names them; their digest as the desk computed it."""
        sha = ""
        for start in range(0, max(len(data), 1), CHUNK):
            last = start + CHUNK >= len(data)
            reply = await self.call({"t": "put", "last": last}, data[start : start + CHUNK])
            sha = reply.get("sha", "")
        return sha

    async def with_text(
        self, header: dict[str, Any], text: str, blobs: dict[str, bytes], room: int = INLINE_LIMIT
    ) -> dict[str, Any]:
        """A header with a value: inline up to `room` bytes (64 KiB at most), else put ahead and named."""
        for sha, data in blobs.items():
            if sha not in self._handed:
                self._handed.add(await self.put(data))
        raw = text.encode("utf-8", "surrogatepass")
        if len(raw) <= min(room, INLINE_LIMIT):
            header["r"] = text
        else:
            header["rb"] = await self.put(raw)
        return header

    async def text_of(self, identity: Identity, record: Recorded) -> str:
        """A record's text, fetched when it lies with the desk."""
        if record.payload is None:
            record.payload = (await self.fetch({"p": identity[0], "o": identity[1]})).decode("utf-8", "surrogatepass")
        return record.payload

    async def fetch(self, what: dict[str, Any]) -> bytes:
        """All bytes of a recorded value, or of a blob that one names."""
        parts, start = [], 0
        while True:
            reply = await self.call({"t": "fetch", "from": start, **what})
            part = reply.get("tail", b"")
            parts.append(part)
            start += len(part)
            if start >= reply["size"] or not part:
                return b"".join(parts)

    async def blobs_in(self, text: str) -> dict[str, bytes]:
        """The bytes that a recorded text names, by digest."""
        held: dict[str, bytes] = {}
        if '"$blob"' in text:
            for sha in blob_shas(json.loads(text)):
                if sha not in held:
                    held[sha] = await self.fetch({"sha": sha})
        return held
