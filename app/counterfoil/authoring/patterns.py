"""Patterns of names and paths, as people write them: `*` stands for any signs of one name, `**` for folders too, `[*]` for the sign
itself; all else is itself."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable

_STAR = "[*]"


def exactly(text: str) -> str:
    """The pattern that only this text fits."""
    return text.replace("*", _STAR)


def is_open(pattern: str) -> bool:
    """Whether more than one text can fit a pattern."""
    return "*" in pattern.replace(_STAR, "")


@functools.lru_cache(maxsize=1024)
def of_text(pattern: str) -> re.Pattern[str]:
    """A pattern of texts that are no paths: every `*` stands for any signs."""
    signs = re.split(r"(\[\*\]|\*+)", pattern)
    parts = (r"\*" if sign == _STAR else ".*" if sign.startswith("*") else re.escape(sign) for sign in signs)
    return re.compile("".join(parts), re.DOTALL)


@functools.lru_cache(maxsize=1024)
def of_path(pattern: str) -> re.Pattern[str]:
    """A pattern of paths with `/` between names."""
    parts: list[str] = []
    for sign in re.split(r"(\[\*\]|\*\*/?|\*)", pattern):
        match sign:
            case "[*]":
                parts.append(r"\*")
            case "**/":
                parts.append("(?:.*/)?")
            case "**":
                parts.append(".*")
            case "*":
                parts.append("[^/]*")
            case _:
                parts.append(re.escape(sign))
    return re.compile("".join(parts), re.DOTALL)


def is_among(path: str, patterns: Iterable[str]) -> bool:
    """Whether a path is meant by one of these patterns, whatever the case of its letters; one without `/` means names in any folder."""
    plain = path.lower()
    name = plain.rpartition("/")[2]
    return any(
        of_path(pattern.lower()).fullmatch(plain if "/" in pattern else name) is not None for pattern in patterns
    )
