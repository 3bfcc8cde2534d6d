"""How effects are put to people: sizes, counts and names in plain words, never in words of an author or a document."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePosixPath

from counterfoil.policy.boundaries import visible


def size_words(size: int) -> str:
    """A size as people say it: `812 bytes`, `3.4 kB`, `12.0 MB` (a kB is 1,000 bytes)."""
    if size < 1000:
        return "1 byte" if size == 1 else f"{size} bytes"
    for unit in ("kB", "MB"):
        size_in_unit = size / 1000 if unit == "kB" else size / 1_000_000
        if size_in_unit < 999.95:
            return f"{size_in_unit:.1f} {unit}"
    return f"{size / 1_000_000_000:.1f} GB"


def counted(number: int, one: str, many: str) -> str:
    """A number with its noun."""
    return f"{number} {one if number == 1 else many}"


def others(names: Sequence[str], noun: str = "other file") -> str:
    """The first name, and how many there are beside it."""
    if len(names) < 2:
        return visible("".join(names))
    return f"{visible(names[0])} and {counted(len(names) - 1, noun, noun + 's')}"


def other_folder(path: str) -> str:
    """That a folder was swapped for another one, as the beginning of a sentence."""
    return f"{visible(path)} is another folder than the one that was approved"


def folder_of(path: str) -> str:
    """The folder that holds a path, as people see it."""
    parent = PurePosixPath(path).parent.as_posix()
    return "the workspace folder" if parent == "." else f"{visible(parent)}/"


def shortened(text: str, longest: int = 80) -> str:
    """A text for one line, cut with an ellipsis."""
    line = visible(text)
    return line if len(line) <= longest else f"{line[: longest - 1]}…"
