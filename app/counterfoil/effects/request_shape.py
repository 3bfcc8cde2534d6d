"""The shape of an `http@1` body. Addresses are held to plain ASCII with one reading, so that what policy reads is where it goes."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import urlsplit

from counterfoil.effects import shapes
from counterfoil.engine.ports import BadEffect
from counterfoil.policy.boundaries import visible
from counterfoil.store.blobs import Blobs

_METHODS = frozenset({"GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE"})
_HOST = re.compile(r"(?:[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?|\[[0-9A-Fa-f:.]+\])(?::[0-9]{1,5})?")
_URL_SIGNS = re.compile(r"[A-Za-z0-9._~:/?#\[\]@!$&'()*+,;=%{}|^-]+")
_TOKEN = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}")
# These are ours or the protocol's: a second one would let two readers of a request see two requests.
_OURS = frozenset("host content-length transfer-encoding connection upgrade te trailer expect idempotency-key".split())


def check_request(args: object, blobs: Blobs) -> None:
    """Raise BadEffect unless the arguments are one request."""
    given = shapes.exactly(args, ("method", "url", "json", "data", "headers", "reconcile", "keyed"))
    if not isinstance(given["method"], str) or given["method"] not in _METHODS:
        raise BadEffect(f"The method is none of {', '.join(sorted(_METHODS))}.")
    _check_url(given["url"], "The address")
    _check_headers(given["headers"])
    _check_body(given, blobs)
    if not isinstance(given["keyed"], bool):
        raise BadEffect("Whether it is keyed is neither true nor false.")
    if given["reconcile"] is not None:
        _check_url(given["reconcile"], "The address to ask at")
        if "{key}" not in given["reconcile"].partition("://")[2].partition("/")[2]:
            raise BadEffect("The address to ask at has no {key} in its path or query.")


def _check_url(value: object, what: str) -> None:
    url = shapes.text(value, what, longest=4000, empty=False)
    if not _URL_SIGNS.fullmatch(url):
        raise BadEffect(f"{what} “{visible(url[:80])}” holds signs that have to be percent-encoded.")
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        raise BadEffect(f"{what} “{url[:80]}” cannot be read.") from None
    if parts.scheme not in ("http", "https") or not _HOST.fullmatch(parts.netloc) or port == 0:
        raise BadEffect(f"{what} “{url[:80]}” is not http:// or https:// with a host, and without a user.")


def _check_headers(headers: object) -> None:
    if not isinstance(headers, dict) or len(headers) > 64:
        raise BadEffect("The headers are no object of at most 64.")
    for name, value in headers.items():
        if not isinstance(name, str) or not _TOKEN.fullmatch(name):
            raise BadEffect("A header's name is none.")
        if name.lower() in _OURS:
            raise BadEffect(f"The header {name} is set by Counterfoil itself.")
        _check_header_value(name, value)
    if len({name.lower() for name in headers}) != len(headers):
        raise BadEffect("A header is named twice.")


def _check_header_value(name: str, value: Any) -> None:
    if isinstance(value, dict):
        shapes.text(shapes.exactly(value, ("$secret",))["$secret"], "A secret's name", longest=64, empty=False)
    elif not shapes.text(value, f"The header {name}", longest=8000).isascii():
        raise BadEffect(f"The header {name} holds signs that no header can carry.")


def _check_body(given: dict[str, Any], blobs: Blobs) -> None:
    if given["json"] is not None and given["data"] is not None:
        raise BadEffect("A request has json or data, not both.")
    if given["json"] is None and given["data"] is None:
        return
    if given["method"] in ("GET", "HEAD"):
        raise BadEffect(f"A {given['method']} request has no body.")
    shapes.json_value(given["json"], "The JSON")
    if given["data"] is not None:
        shapes.content_size(given["data"], "The data", blobs)
