"""What passes between the protocol's library and a server, looked at on its way.

The library refuses a whole listing for the sake of one tool, and every call with it. So listings are thinned out before it sees them, and
kept as the server said them: pins are made of what was said, not of what was understood. Only secrets are taken out of everything a server
says, before anybody hears it: those that this process has had in its hands. Of definitions of tools the server's own alone, so that a tool
has the same pin for every process.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from types import TracebackType
from typing import Any, Self

from counterfoil.connectors.definitions import MOST_TOOLS, read_tools
from counterfoil.effects.redacting import KNOWN

Streams = tuple[Any, Any]  # what is heard and what is told, as the library types them
Transport = AbstractAsyncContextManager[Streams]
Redact = Callable[[str], str]
# what the protocol itself says, and where: a secret that is such a word must not break it, and anything else there is a server's
_WORDS = frozenset({"type", "role", "mode", "method", "action", "resultType", "format"})
_SAID = frozenset(
    "text image audio resource resource_link tool_use tool_result user assistant form url accept decline cancel complete input_required"
    " object array string number integer boolean null email uri date date-time time"
    " elicitation/create sampling/createMessage roots/list".split()
)


class Sieve:
    """Knows which answers are listings. `raw` holds what they said since `begin`; `ended` says that nothing more comes. `secrets` are the
    names of those that the server was given."""

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        self._own = tuple(secrets)
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
        result = getattr(message, "result", None)
        is_listing = isinstance(result, dict) and message.id in self._listings
        _tidy(message, KNOWN.of(self._own) if is_listing else KNOWN)
        if is_listing:
            result = message.result
            self._listings.discard(message.id)
            said = result.get("tools")
            if isinstance(said, list):
                self.raw += said[: MOST_TOOLS + 1]
                usable = {one.tool for one in read_tools("", "", said)[0]}
                result["tools"] = [one for one in said if isinstance(one, dict) and one.get("name") in usable]
        return item


def _tidy(message: Any, redact: Redact) -> None:
    """Take secrets out of what a message says, in place."""
    for part in ("params", "result"):
        if isinstance(said := getattr(message, part, None), dict):
            setattr(message, part, _without_secrets(said, redact))
    if (error := getattr(message, "error", None)) is not None:
        error.message, error.data = redact(error.message), _without_secrets(error.data, redact)


def _without_secrets(value: Any, redact: Redact, key: str = "") -> Any:
    match value:
        case str():
            return value if key in _WORDS and value in _SAID else redact(value)
        case list():
            return [_without_secrets(one, redact, key) for one in value]
        case dict():
            return {name: _without_secrets(one, redact, str(name)) for name, one in value.items()}
    return value


@asynccontextmanager
async def sifted(transport: Transport, sieve: Sieve) -> AsyncIterator[Streams]:
    """A transport whose messages pass a sieve."""
    async with transport as (reading, writing):
        yield _Reading(reading, sieve), _Writing(writing, sieve)


class _Stream:
    """One of the two: it opens and closes with what it stands before."""

    def __init__(self, inner: Any, sieve: Sieve) -> None:
        self._inner, self._sieve = inner, sieve

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


class _Reading(_Stream):
    @property
    def last_context(self) -> Any:
        return getattr(self._inner, "last_context", None)

    async def receive(self) -> Any:
        return self._sieve.into(await self._inner.receive())

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Any:
        try:
            return self._sieve.into(await self._inner.__anext__())
        except StopAsyncIteration:
            self._sieve.ended = True
            raise


class _Writing(_Stream):
    async def send(self, item: Any, /) -> None:
        self._sieve.out(item)
        await self._inner.send(item)
