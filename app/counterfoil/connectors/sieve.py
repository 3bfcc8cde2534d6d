"""What passes between the protocol's library and a server, looked at on its way.

The library refuses a whole listing for the sake of one tool, and every call with it. So listings are thinned out before it sees them, and
kept as the server said them: pins are made of what was said, not of what was understood. Only secrets that this process has had in its
hands are taken out of everything a server says, before anybody hears it.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from types import TracebackType
from typing import Any, Self

from counterfoil.connectors.definitions import MOST_TOOLS, read_tools
from counterfoil.effects.redacting import KNOWN

Streams = tuple[Any, Any]  # what is heard and what is told, as the library types them
Transport = AbstractAsyncContextManager[Streams]
_WORDS = frozenset(
    {"type", "role", "mode", "method", "action", "resultType", "format"}
)  # whose values are the protocol's own


class Sieve:
    """Knows which answers are listings. `raw` holds what they said since `begin`; `ended` says that nothing more comes."""

    def __init__(self) -> None:
        self.raw: list[Any] = []
        self.ended = False
        self._listings: set[str | int] = set()

    def begin(self) -> None:
        """A listing begins."""
        self.raw = []

    def out(self, item: Any) -> None:
        """A message goes to the server."""
        if getattr(item.message, "method", None) == "tools/list":
            self._listings.add(item.message.id)

    def into(self, item: Any) -> Any:
        """A message comes from the server: without secrets, and a listing without what cannot be used."""
        message: Any = getattr(item, "message", None)
        _tidy(message)
        result = getattr(message, "result", None)
        if isinstance(result, dict) and message.id in self._listings:
            self._listings.discard(message.id)
            said = result.get("tools")
            if isinstance(said, list):
                self.raw += said[: MOST_TOOLS + 1]
                usable = {one.tool for one in read_tools("", "", said)[0]}
                result["tools"] = [one for one in said if isinstance(one, dict) and one.get("name") in usable]
        return item


def _tidy(message: Any) -> None:
    """Take secrets out of what a message says, in place."""
    for part in ("params", "result"):
        if isinstance(said := getattr(message, part, None), dict):
            setattr(message, part, _without_secrets(said))
    if (error := getattr(message, "error", None)) is not None:
        error.message, error.data = KNOWN(error.message), _without_secrets(error.data)


def _without_secrets(value: Any, key: str = "") -> Any:
    match value:
        case str():
            return value if key in _WORDS else KNOWN(value)
        case list():
            return [_without_secrets(one, key) for one in value]
        case dict():
            return {name: _without_secrets(one, str(name)) for name, one in value.items()}
    return value


@asynccontextmanager
async def sifted(transport: Transport, sieve: Sieve) -> AsyncIterator[Streams]:
    """A transport whose messages pass a sieve."""
    async with transport as (reading, writing):
        yield _Reading(reading, sieve), _Writing(writing, sieve)


class _Reading:
    def __init__(self, inner: Any, sieve: Sieve) -> None:
        self._inner, self._sieve = inner, sieve

    @property
    def last_context(self) -> Any:
        return getattr(self._inner, "last_context", None)

    async def receive(self) -> Any:
        return self._sieve.into(await self._inner.receive())

    async def aclose(self) -> None:
        await self._inner.aclose()

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Any:
        try:
            return self._sieve.into(await self._inner.__anext__())
        except StopAsyncIteration:
            self._sieve.ended = True
            raise

    async def __aenter__(self) -> Self:
        await self._inner.__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> bool | None:
        leaves: bool | None = await self._inner.__aexit__(kind, value, trace)
        return leaves


class _Writing:
    def __init__(self, inner: Any, sieve: Sieve) -> None:
        self._inner, self._sieve = inner, sieve

    async def send(self, item: Any, /) -> None:
        self._sieve.out(item)
        await self._inner.send(item)

    async def aclose(self) -> None:
        await self._inner.aclose()

    async def __aenter__(self) -> Self:
        await self._inner.__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> bool | None:
        leaves: bool | None = await self._inner.__aexit__(kind, value, trace)
        return leaves
