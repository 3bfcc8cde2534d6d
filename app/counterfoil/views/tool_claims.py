"""What a server says that a tool of its does, in words. It sorts and words questions, and allows nothing: servers say what they like."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

DESTROYS, READS = "may destroy something", "only reads"
_FIRST = (DESTROYS, "", READS)  # in this order people look at them


def claim_of(definition: Mapping[str, Any]) -> str:
    """The end of `says that it …`; empty where the server says nothing that counts."""
    hints = definition.get("annotations")
    if not isinstance(hints, Mapping):
        return ""
    if hints.get("readOnlyHint") is True:
        return READS
    return DESTROYS if hints.get("destructiveHint") is True else ""


def place_of(claim: str) -> int:
    """Where a tool stands among others by what its server says: what may destroy first, what only reads last."""
    return _FIRST.index(claim)
