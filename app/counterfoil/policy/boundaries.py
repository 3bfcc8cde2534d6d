"""Which paths lie beneath the workspace, how names are compared, and how they are shown: said once, for every room.

Comparing spellings would miss `.GIT`, `.ｇit` or `.g<zero width>it`, which some file systems take for `.git`; so names are folded first.
"""

from __future__ import annotations

import functools
import os
import unicodedata

LONGEST_PATH = 1024  # bytes; well under what every file system takes
LONGEST_NAME = 240  # bytes; leaves room for the ending of a temporary file beside it

# Signs that are drawn as nothing and are not of the category Cf: joiners, fillers, vowel marks, variation selectors, tags.
_IGNORED = (
    (0x034F, 0x034F),
    (0x115F, 0x1160),
    (0x17B4, 0x17B5),
    (0x180B, 0x180F),
    (0x2065, 0x2065),
    (0x3164, 0x3164),
    (0xFE00, 0xFE0F),
    (0xFFA0, 0xFFA0),
    (0xFFF0, 0xFFF8),
    (0xE0000, 0xE0FFF),
)


def trouble_with(path: object) -> str | None:
    """Why no effect may touch this path, as one sentence; None where it lies beneath the workspace and is nobody's own.

    A good path is relative, with `/` between its names, in its one spelling (no `.`, no empty name).
    """
    if not isinstance(path, str) or not path:
        return "A path is text, relative to the workspace."
    if "\x00" in path:
        return f"The path “{visible(path)}” holds a NUL."
    parts = path.split("/")
    if path.startswith("/") or ".." in parts or "\\" in path or ":" in parts[0]:
        return f"The path “{visible(path)}” does not lie beneath the workspace."
    if "" in parts or "." in parts:
        return f"The path “{visible(path)}” is not in its plain form."
    try:
        sizes = [len(os.fsencode(part)) for part in parts]
    except UnicodeEncodeError:
        return f"The path “{visible(path)}” cannot be written as a file name."
    if max(sizes) > LONGEST_NAME or sum(sizes) + len(sizes) > LONGEST_PATH:
        return f"The path “{visible(path[:60])}…” is longer than file systems take."
    return None


def folded(name: str) -> str:
    """A name as the most forgiving file system reads it: compatibility forms, case, invisible signs, trailing dots, blanks and streams."""
    if name.isascii():
        plain = name.lower()
    else:
        plain = "".join(sign for sign in unicodedata.normalize("NFKC", name) if not _is_ignored(sign))
        plain = unicodedata.normalize("NFKC", plain.casefold())
    return plain.split(":", 1)[0].strip().rstrip(". ")


def visible(text: str) -> str:
    """A text for people, in which signs that hide or reorder others (control, bidi, zero width, undecodable) are spelled out."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(sign if _is_plain(sign) else f"\\u{ord(sign):04x}" for sign in text)


def _is_plain(sign: str) -> bool:
    return unicodedata.category(sign) not in ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp") and not _is_ignored(sign)


@functools.lru_cache(maxsize=8192)  # a folder's names are made of few signs
def _is_ignored(sign: str) -> bool:
    """Whether a sign is drawn as nothing and ignored where names are compared (Default_Ignorable_Code_Point of Unicode)."""
    code = ord(sign)
    return unicodedata.category(sign) == "Cf" or any(first <= code <= last for first, last in _IGNORED)
