"""What a server answered, as a record keeps it: bounded, readable, without cookies and without the secrets that went out."""

from __future__ import annotations

import email.utils
import json
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from datetime import UTC
from typing import Any, Protocol

from counterfoil.clock import Clock, to_us
from counterfoil.effects.redacting import Redactor

LARGEST_TEXT = 1024 * 1024  # bytes of an answer's body that are kept
_UNTOLD = frozenset({"set-cookie", "set-cookie2"})


class Response(Protocol):
    """The part of an httpx response that is used here."""

    @property
    def status_code(self) -> int:
        """The status."""

    @property
    def headers(self) -> Mapping[str, str]:
        """Header fields, repeated ones joined."""

    @property
    def charset_encoding(self) -> str | None:
        """The encoding that the header names."""

    def aiter_bytes(self) -> AsyncIterator[bytes]:
        """The body, piece by piece."""


@dataclass(frozen=True, slots=True)
class Answer:
    """Status, header fields by lower-case name, and the body as text; `truncated` when the body was longer than 1 MiB."""

    status: int
    headers: dict[str, str]
    text: str
    truncated: bool

    @property
    def plain(self) -> dict[str, Any]:
        """The outcome as plain JSON."""
        return {"status": self.status, "headers": self.headers, "text": self.text, "truncated": self.truncated}


async def read_answer(response: Response, redact: Redactor) -> Answer:
    """Read an answer up to its limit."""
    body = bytearray()
    async for piece in response.aiter_bytes():
        body += piece
        if len(body) > LARGEST_TEXT:
            break
    headers = {name.lower(): redact(value) for name, value in response.headers.items() if name.lower() not in _UNTOLD}
    text = _decoded(bytes(body[:LARGEST_TEXT]), response.charset_encoding)
    return Answer(response.status_code, headers, redact(text), len(body) > LARGEST_TEXT)


def _decoded(body: bytes, encoding: str | None) -> str:
    try:
        return body.decode(encoding or "utf-8", "replace")
    except LookupError:
        return body.decode("utf-8", "replace")


def retry_after(answer: Answer, clock: Clock) -> float | None:
    """Seconds that the other side wants to be left alone, from a number or a date in Retry-After; None where it names none."""
    given = answer.headers.get("retry-after", "").strip()
    if given.isascii() and given.isdigit():
        return float(given[:9])
    try:
        at = email.utils.parsedate_to_datetime(given)
    except (ValueError, TypeError):
        return None
    until = to_us(at if at.tzinfo else at.replace(tzinfo=UTC))
    return max(0.0, (until - clock.now_us()) / 1_000_000)


def wire_json(plain: Any) -> Any:
    """A plain value with codec tags as other programs read JSON: decimals and dates as text, bytes as base64, spans in seconds."""
    if isinstance(plain, list):
        return [wire_json(item) for item in plain]
    if not isinstance(plain, dict):
        return plain
    for tag in ("$dec", "$date", "$at", "$path", "$bytes"):
        if tag in plain:
            return plain[tag]
    if "$span" in plain:
        return plain["$span"] / 1_000_000
    if "$map" in plain:
        return {_name(key): wire_json(item) for key, item in plain["$map"]}
    return {key: wire_json(item) for key, item in plain.items() if key != "$type"}


def _name(key: Any) -> str:
    value = wire_json(key)
    return value if isinstance(value, str) else json.dumps(value)
