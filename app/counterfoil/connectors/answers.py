"""What a tool answered, as a record keeps it: bounded, plain, and never read as anything but text and data.

`{"text", "data", "parts", "failed", "truncated", "trouble"}`: the text of all its parts; what it gave as data; pictures and other bytes;
whether the tool says that it failed; whether something was cut or left out; what is wrong with the answer, as a sentence.
"""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Iterable, Mapping
from typing import Any

from counterfoil.authoring.codec import to_plain
from counterfoil.effects.redacting import KNOWN
from counterfoil.policy.boundaries import visible

LONGEST_TEXT = 1024 * 1024  # characters of text, and bytes of data, that are kept
LARGEST_BYTES = 4 * 1024 * 1024  # bytes of pictures and the like, together
Outcome = dict[str, Any]


def failed(text: str) -> Outcome:
    """The outcome of a call that its server refused."""
    return {**_EMPTY, "text": text[:LONGEST_TEXT], "failed": True}


def outcome_of(result: Mapping[str, Any], trouble: str | None = None) -> Outcome:
    """The outcome of a call from its result as the wire spells it."""
    held = _Held()
    blocks = result.get("content")
    held.take(blocks if isinstance(blocks, list) else [])
    data, fits = _data(result.get("structuredContent"))
    return {
        "text": "\n".join(held.texts),
        "data": data,
        "parts": held.parts,
        "failed": result.get("isError") is True,
        "truncated": held.cut or not fits,
        "trouble": trouble,
    }


_EMPTY: Outcome = {"text": "", "data": None, "parts": [], "failed": False, "truncated": False, "trouble": None}


class _Held:
    """Parts of an answer as they are taken, within their bounds."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self.parts: list[dict[str, Any]] = []
        self.cut = False
        self._text_left, self._bytes_left = LONGEST_TEXT, LARGEST_BYTES

    def take(self, blocks: Iterable[Any]) -> None:
        """Take content blocks, each by its type; what is of no type that is known is told and left out."""
        for block in blocks:
            if not isinstance(block, Mapping):
                self.cut = True
            elif isinstance(block.get("text"), str):
                self._say(block["text"])
            elif isinstance(block.get("data"), str):
                self._keep(block["data"], str(block.get("mimeType") or ""), "")
            elif block.get("type") == "resource_link":
                self._say(
                    f"[{visible(str(block.get('name') or ''))[:200]}: {visible(str(block.get('uri') or ''))[:1000]}]"
                )
            elif isinstance(inner := block.get("resource"), Mapping):
                self._resource(inner)
            else:
                self.cut = True

    def _resource(self, inner: Mapping[str, Any]) -> None:
        if isinstance(inner.get("text"), str):
            self._say(inner["text"])
        elif isinstance(inner.get("blob"), str):
            self._keep(inner["blob"], str(inner.get("mimeType") or ""), str(inner.get("uri") or ""))
        else:
            self.cut = True

    def _say(self, text: str) -> None:
        kept = text[: self._text_left]
        self._text_left -= len(kept)
        self.cut |= len(kept) < len(text) and self._text_left <= 0
        self.texts.append(kept)

    def _keep(self, coded: str, kind: str, name: str) -> None:
        try:
            size = len(base64.b64decode(coded, validate=True)) if len(coded) <= 2 * LARGEST_BYTES else None
        except (binascii.Error, ValueError):
            size = None
        if size is None or size > self._bytes_left:
            self.cut = True
            return
        self._bytes_left -= size
        self.parts.append({"type": visible(kind)[:100], "name": visible(name)[:1000], "data": {"$bytes": coded}})


def _data(given: Any) -> tuple[Any, bool]:
    """What a tool gave as data, and whether it fits; tags in it are data like anything else."""
    if given is None:
        return None, True
    try:
        text = json.dumps(given, ensure_ascii=False, allow_nan=False)
    except (ValueError, RecursionError):
        return None, False
    if len(text) > LONGEST_TEXT:
        return None, False
    return to_plain(_named(given), {}), True


def _named(value: Any) -> Any:
    """Data without secrets among its names; its texts have passed the sieve."""
    if isinstance(value, list):
        return [_named(item) for item in value]
    if isinstance(value, dict):
        return {KNOWN(str(key)): _named(item) for key, item in value.items()}
    return value
