"""Patterns of names and paths, as people write them: `*` stands for any signs of one name, `**` for folders too; all else is itself."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable


@functools.lru_cache(maxsize=1024)
def of_text(pattern: str) -> re.Pattern[str]:
    """A pattern of texts that are no paths: every `*` stands for any signs."""
    return re.compile(".*".join(map(re.escape, re.split(r"\*+", pattern))), re.DOTALL)


@functools.lru_cache(maxsize=1024)
def of_path(pattern: str) -> re.Pattern[str]:
    """A pattern of paths with `/` between names."""
    parts: list[str] = []
    for sign in re.split(r"(\*\*/?|\*)", pattern):
        match sign:
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
