"""Names that came out of a sandbox: which are refused, and which would be taken for another name by some file system.

Names are bytes to the system and text with kept bytes (surrogateescape) to us. Two names with one key (`policy.boundaries.folded`) are one
file where case, width or invisible signs do not count, so of two the new one is refused.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable

from counterfoil.policy.boundaries import LONGEST_NAME, folded, visible

_DEVICES = frozenset(
    ["con", "prn", "aux", "nul", "conin$", "conout$", "clock$"]
    + [f"{port}{number}" for port in ("com", "lpt") for number in "0123456789¹²³"]
)
_SHORT = re.compile(r"[^~.]{1,8}~[0-9]{1,6}(\.[^.]{0,3})?")  # as DOS shortens names: GIT~1 is another spelling of .git


def trouble_with_name(name: str) -> str | None:
    """Why a new name is refused, as the end of a sentence; None for one that every file system takes for itself."""
    plain = folded(name)
    rules = (
        (name in ("", ".", "..") or "\x00" in name or "/" in name, "has a name that no file can have"),
        (any(ord(sign) < 32 or 127 <= ord(sign) < 160 for sign in name), "has control characters in its name"),
        (len(os.fsencode(name)) > LONGEST_NAME, "has a longer name than file systems take"),
        (":" in name, "has a colon in its name, which other systems take for something else"),
        ("\\" in name, "has a backslash in its name, which other systems take for a folder"),
        (not plain, "has a name of which some systems leave nothing"),
        (plain.partition(".")[0].rstrip(" ") in _DEVICES, "has the name of a device of Windows"),
        (_SHORT.fullmatch(plain), "has a shortened name, which some systems take for another file"),
        (name != name.rstrip(". "), "ends with a dot or a blank, which some systems leave away"),
    )
    return next((reason for holds, reason in rules if holds), None)


def twins(new: Iterable[str], others: Iterable[str]) -> dict[str, str]:
    """New names of a folder that some system takes for another name in it, with that name; `others` are those that stay there."""
    by_key = {folded(name): name for name in others}
    found: dict[str, str] = {}
    for name in sorted(new):
        other = by_key.setdefault(folded(name), name)
        if other != name:
            found[name] = other
    return found


def twin_words(other: str) -> str:
    """Why a twin is refused, as the end of a sentence."""
    return f"has a name that some systems take for “{visible(other)}”"
