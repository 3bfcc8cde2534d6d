"""Signing in to a connector at an address (OAuth): what was granted lies in the keyring, and nowhere else.

The runner has nobody to show a page to. It uses what was granted and renews it; where that is not enough, what it does waits at a gate
until a person has signed in (`counterfoil connector sign-in`), and goes on at that very step.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, NoReturn, Protocol
from urllib.parse import parse_qs, urlsplit

from counterfoil.connectors.turns import note_signed_out
from counterfoil.effects.redacting import KNOWN
from counterfoil.effects.secrets import LONGEST_VALUE
from counterfoil.errors import SecretMissing

PATH = "/signed-in"
PATIENCE = 300.0  # seconds in which somebody signs in
_PIECE = LONGEST_VALUE - 100  # characters of one entry in the keyring
_HEAD = 16 * 1024  # bytes of a browser's request
_CLIENT = "Counterfoil"
ShowPage = Callable[[str], Awaitable[None]]


class Vault(Protocol):
    """The part of a keyring that is used here."""

    def get(self, name: str) -> str:
        """A value; SecretMissing where there is none."""

    def set(self, name: str, value: str) -> None:
        """Keep a value."""

    def remove(self, name: str) -> None:
        """Remove a value; SecretMissing where there is none."""


_TOKENS = ("access_token", "refresh_token")


def tokens_of(name: str) -> list[str]:
    """What the tokens of a connector are called where they are taken out of what is said."""
    return [f"{name} {which}" for which in _TOKENS]


class SignInNeeded(Exception):
    """Nobody has signed in, or what was granted is over."""


class Granted:
    """What an address has granted to a connector, in the keyring; entries are short, so a long value lies in several."""

    def __init__(self, name: str, vault: Vault) -> None:
        self._name = name
        self._vault = vault

    async def get_tokens(self) -> Any:
        """The tokens, or None."""
        from mcp.shared.auth import OAuthToken  # lazy, as everything of the library

        kept = await self._read("granted")
        if kept is None:
            return None
        self._know(kept["tokens"])
        return OAuthToken.model_validate(kept["tokens"])

    async def set_tokens(self, tokens: Any) -> None:
        """Keep tokens, with when they came."""
        plain = tokens.model_dump(mode="json", exclude_none=True)
        self._know(plain)
        await self._write("granted", {"tokens": plain, "at": time.time()})

    def _know(self, tokens: Mapping[str, Any]) -> None:
        """Tokens are secrets, too, wherever a server quotes them."""
        for which, name in zip(_TOKENS, tokens_of(self._name), strict=True):
            KNOWN.add(name, str(tokens.get(which) or ""))

    async def get_client_info(self) -> Any:
        """As what we are known there, or None."""
        from mcp.shared.auth import OAuthClientInformationFull

        kept = await self._read("known")
        return None if kept is None else OAuthClientInformationFull.model_validate(kept)

    async def set_client_info(self, client_info: Any) -> None:
        """Keep as what we are known there."""
        await self._write("known", client_info.model_dump(mode="json", exclude_none=True))

    async def ends_at(self) -> float | None:
        """When what was granted is over, in seconds since 1970; None where nobody knows."""
        kept = await self._read("granted")
        lasts = kept["tokens"].get("expires_in") if kept is not None else None
        return None if kept is None or lasts is None else float(kept["at"]) + float(lasts)

    async def forget(self) -> None:
        """Remove everything."""
        for what in ("granted", "known"):
            await asyncio.to_thread(self._forget, what)

    async def _read(self, what: str) -> Any:
        text = await asyncio.to_thread(self._pieces, what)
        return None if text is None else json.loads(text)

    def _pieces(self, what: str) -> str | None:
        try:
            count, _, first = self._vault.get(self._entry(what, 0)).partition("|")
            return first + "".join(self._vault.get(self._entry(what, n)) for n in range(1, int(count)))
        except (SecretMissing, ValueError):
            return None

    async def _write(self, what: str, value: Any) -> None:
        text = json.dumps(value, ensure_ascii=True)
        pieces = [text[start : start + _PIECE] for start in range(0, len(text), _PIECE)]
        await asyncio.to_thread(self._put, what, pieces)

    def _put(self, what: str, pieces: list[str]) -> None:
        for n, piece in reversed(list(enumerate(pieces))):  # the first one names how many there are, so it comes last
            self._vault.set(self._entry(what, n), piece if n else f"{len(pieces)}|{piece}")

    def _forget(self, what: str) -> None:
        n = 0
        while True:
            try:
                self._vault.remove(self._entry(what, n))
            except SecretMissing:
                return
            n += 1

    def _entry(self, what: str, n: int) -> str:
        return f"{self._name}-{what}-{n}" if n else f"{self._name}-{what}"


async def renewing(url: str, granted: Granted) -> Any:
    """What signs requests where nobody is there: with what was granted, renewed where it can be. SignInNeeded where that is over."""
    import httpx2

    class Nobody(httpx2.Auth):
        async def async_auth_flow(self, request: Any) -> Any:
            response = yield request
            if response.status_code == 401:
                _refused()

    if await granted.get_tokens() is None:
        return Nobody()
    provider = await signing(url, granted, _nobody_looks, _nobody_answers, "http://127.0.0.1/")
    provider.context.token_expiry_time = await granted.ends_at()
    return provider


def _refused() -> NoReturn:
    note_signed_out()
    raise SignInNeeded


async def _nobody_looks(_: str) -> None:
    _refused()


async def _nobody_answers() -> Any:
    _refused()


async def signing(
    url: str,
    granted: Any,
    show: ShowPage,
    answered: Callable[[], Awaitable[Any]],
    back: str,
    *,
    known_at: str | None = None,
) -> Any:
    """What signs requests where somebody is there: `show` opens a page, `answered` waits until it has sent a browser to `back`.

    `known_at` is an address that says who we are, for those that want to look there.
    """
    from mcp.client.auth import OAuthClientProvider
    from mcp.shared.auth import OAuthClientMetadata
    from pydantic import AnyUrl

    about = OAuthClientMetadata(client_name=_CLIENT, redirect_uris=[AnyUrl(back)])
    return OAuthClientProvider(url, about, granted, show, answered, client_metadata_url=known_at)


# -------------------------------------------------------------------------------------------------- where a browser comes


@dataclass(slots=True)
class Waiting:
    """A page of this computer to which a browser is sent in the end; `back` is its address."""

    back: str
    _found: asyncio.Future[Any]

    async def answered(self) -> Any:
        """What the browser has brought.

        Raises:
            TimeoutError: nobody came.
        """
        async with asyncio.timeout(PATIENCE):
            return await self._found


@asynccontextmanager
async def waiting(port: int = 0) -> AsyncIterator[Waiting]:
    """Wait for a browser, on this computer alone.

    Raises:
        OSError: the port is taken.
    """
    found: asyncio.Future[Any] = asyncio.get_running_loop().create_future()

    async def came(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            async with asyncio.timeout(10):
                head = await reader.readuntil(b"\r\n\r\n")
            is_it = _take(head.split(b" ")[1].decode("ascii", "replace"), found)
            page = _DONE if is_it else _OTHER
            writer.write(f"HTTP/1.1 {'200 OK' if is_it else '404 Not Found'}\r\n{_HEADERS}\r\n{page}".encode())
            await writer.drain()
        except (OSError, TimeoutError, IndexError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            pass  # not a browser
        finally:
            writer.close()

    server = await asyncio.start_server(came, "127.0.0.1", port, limit=_HEAD)
    async with server:
        yield Waiting(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}{PATH}", found)


def _take(target: str, found: asyncio.Future[Any]) -> bool:
    """Take what a browser brings; False where it wants something else."""
    from mcp.client.auth import AuthorizationCodeResult

    parts = urlsplit(target)
    if parts.path != PATH:
        return False
    query = {key: values[0] for key, values in parse_qs(parts.query).items()}
    if not found.done():
        if "code" in query:
            found.set_result(
                AuthorizationCodeResult(code=query["code"], state=query.get("state"), iss=query.get("iss"))
            )
        else:
            found.set_exception(
                SignInNeeded(query.get("error_description") or query.get("error") or "nothing was granted")
            )
    return True


_HEADERS = "Content-Type: text/html; charset=utf-8\r\nConnection: close\r\nReferrer-Policy: no-referrer\r\n"
_DONE = "<!doctype html><title>Counterfoil</title><p>You can close this page and go back to Counterfoil.</p>"
_OTHER = "<!doctype html><title>Counterfoil</title><p>There is nothing here.</p>"
