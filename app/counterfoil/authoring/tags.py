"""Whether a plain value that came from elsewhere holds only tags of ours, each of its shape.

Whoever shows or reads a recorded value may rely on it afterwards: one bad tag from a hostile host must not break a list of runs.
"""

from __future__ import annotations

import base64
import binascii
import math
import re
from collections.abc import Callable
from datetime import UTC, date, datetime
from decimal import Decimal, InvalidOperation
from typing import Any

from counterfoil.authoring.encoding import Unrecordable

_SHA = re.compile(r"[0-9a-f]{64}\Z")
_LONGEST_SPAN_US = 10**9 * 86_400 * 10**6  # what a timedelta holds


def check_plain(plain: Any) -> None:
    """Walk a plain JSON value and refuse what no encoder of ours has made.

    Raises:
        Unrecordable: a tag is unknown or not of its shape, or a number is none.
    """
    stack = [plain]
    while stack:
        item = stack.pop()
        if isinstance(item, list):
            stack.extend(item)
        elif isinstance(item, dict):
            stack.extend(_parts(item))
        elif isinstance(item, float) and not math.isfinite(item):
            raise Unrecordable("NaN and infinity have no recorded form")


def _parts(plain: dict[str, Any]) -> list[Any]:
    """What is left to check in a dict once its own tag is known to be good."""
    tags = [key for key in plain if key.startswith("$")]
    if not tags:
        return list(plain.values())
    tag = "$blob" if "$blob" in tags else tags[0]
    rule = _SHAPES.get(tag)
    beside = {"size"} if tag == "$blob" else set(plain) if tag == "$type" else set()
    if rule is None or len(tags) > 1 or not set(plain) - {tag} <= beside:
        raise Unrecordable(f"{sorted(plain)[:4]} is no tag of a record")
    try:
        good = rule(plain)
    except (ValueError, TypeError, KeyError, InvalidOperation, binascii.Error, OverflowError):
        good = False
    if not good:
        raise Unrecordable(f"the tag {tag} is not of its shape")
    if tag == "$map":
        return [part for pair in plain["$map"] for part in pair]
    return [value for key, value in plain.items() if key != "$type"] if tag == "$type" else []


def _text(value: Any) -> bool:
    return isinstance(value, str)


def _is_pairs(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(pair, list) and len(pair) == 2 for pair in value)


def _is_instant(at: datetime) -> bool:
    return at.tzinfo is not None and at.astimezone(UTC) is not None


def _is_type(plain: dict[str, Any]) -> bool:
    money = plain["$type"] != "Money" or {"amount", "currency"} == set(plain) - {"$type"}
    return _text(plain["$type"]) and str(plain["$type"]).isidentifier() and money


_SHAPES: dict[str, Callable[[dict[str, Any]], bool]] = {
    "$dec": lambda plain: _text(plain["$dec"]) and isinstance(Decimal(plain["$dec"]), Decimal),
    "$date": lambda plain: isinstance(date.fromisoformat(plain["$date"]), date),
    "$at": lambda plain: _is_instant(datetime.fromisoformat(plain["$at"])),
    "$span": lambda plain: type(plain["$span"]) is int and abs(plain["$span"]) < _LONGEST_SPAN_US,
    "$path": lambda plain: _text(plain["$path"]),
    "$bytes": lambda plain: _text(plain["$bytes"]) and base64.b64decode(plain["$bytes"], validate=True) is not None,
    "$blob": lambda plain: bool(_SHA.match(plain["$blob"])) and type(plain["size"]) is int and plain["size"] >= 0,
    "$secret": lambda plain: _text(plain["$secret"]),
    "$map": lambda plain: _is_pairs(plain["$map"]),
    "$type": _is_type,
}
