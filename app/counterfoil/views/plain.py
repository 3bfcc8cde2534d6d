"""Recorded values as the contract's JSON: tags become text, money an amount with its currency, bytes their digest and length.

A record keeps types so that a workflow gets back what it gave; a reader of JSON wants values. This is a one-way door: nothing
is decoded from what it makes.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Callable
from datetime import datetime
from typing import Any

from counterfoil.clock import iso, to_us
from counterfoil.store.blobs import Blobs


def contract(value: Any) -> Any:
    """A plain value with codec tags (authoring.codec) as the contract writes it.

    Decimals, dates and paths are text, instants `2026-11-30T08:55:12.204Z`, spans seconds, bytes `{"sha256", "bytes"}`, a secret
    `{"secret": name}`, Money `{"amount", "currency"}`; a dataclass loses its type name.
    """
    if isinstance(value, list):
        return [contract(item) for item in value]
    if not isinstance(value, dict):
        return value
    for tag, rule in _TAGS.items():
        if tag in value:
            return rule(value)
    return {key: contract(item) for key, item in value.items() if key != "$type"}


def recorded(text: str | None) -> Any:
    """A recorded text as the contract writes it; None for no text."""
    return None if text is None else contract(json.loads(text))


def kept(blobs: Blobs, text: str, in_blob: bool) -> Any:
    """The plain value, tags and all, of a column that may keep its text in a blob."""
    return json.loads(blobs.text(text, in_blob))


def _seconds(span_us: int) -> int | float:
    return span_us // 1_000_000 if span_us % 1_000_000 == 0 else span_us / 1_000_000


def _bytes(data: bytes) -> dict[str, Any]:
    return {"sha256": hashlib.sha256(data).hexdigest(), "bytes": len(data)}


def _mapping(pairs: list[list[Any]]) -> Any:
    """An object where every key has a text of its own, else the pairs."""
    keys = [contract(key) for key, _ in pairs]
    names = [str(key) for key in keys]
    if all(isinstance(key, str | int | float) for key in keys) and len(set(names)) == len(names):
        return {name: contract(item) for name, (_, item) in zip(names, pairs, strict=True)}
    return [[key, contract(item)] for key, (_, item) in zip(keys, pairs, strict=True)]


_TAGS: dict[str, Callable[[dict[str, Any]], Any]] = {
    "$dec": lambda value: value["$dec"],
    "$date": lambda value: value["$date"],
    "$at": lambda value: iso(to_us(datetime.fromisoformat(value["$at"]))),
    "$span": lambda value: _seconds(value["$span"]),
    "$path": lambda value: value["$path"],
    "$bytes": lambda value: _bytes(base64.b64decode(value["$bytes"])),
    "$blob": lambda value: {"sha256": value["$blob"], "bytes": value["size"]},
    "$secret": lambda value: {"secret": value["$secret"]},
    "$map": lambda value: _mapping(value["$map"]),
}
