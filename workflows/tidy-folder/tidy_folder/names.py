"""New names: made of a day, a supplier and what was there, safe on every computer, and unchanged when made again."""

from __future__ import annotations

import functools
import re
import unicodedata
from datetime import date

from counterfoil.policy.boundaries import LONGEST_NAME, LONGEST_PATH, folded
from tidy_folder.days import day_in_name, leading_day

_FORBIDDEN = re.compile(r'[\\/:*?"<>|\x00-\x1f\x7f]+')
_UNSEEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn"})
_LONGEST_SUPPLIER = 60  # characters; the legal names of companies are shorter
_JOINERS = "\u200c\u200d"  # which Persian, Indic scripts and emoji need


def new_stem(stem: str, day: date | None, supplier: str) -> str:
    """The name that a file gets, without its ending; the old one where there is nothing to add.

    The day stands first, then the supplier, then what is left of the old name when the day that stood in it is taken out. A part that is
    in the old name already is not added again.
    """
    rest = safe(stem)
    if leading_day(rest) is not None:
        head, rest = rest[:10], rest[10:].strip(" _-")
    elif day is not None:
        head = day.isoformat()
        there = day_in_name(rest)
        if there is not None and there.day == day:
            rest = _closed(rest[: there.start], rest[there.end :])
    else:
        return stem
    name = safe(supplier)[:_LONGEST_SUPPLIER].strip() if _plain(supplier) else ""
    if name and _plain(name) in _plain(rest):
        name = ""
    return safe(" ".join(part for part in (head, name, rest) if part))


def safe(text: str) -> str:
    """A text that can be part of a file name anywhere: composed, without signs that some system takes for its own."""
    composed = unicodedata.normalize("NFC", text)
    kept = "".join(sign for sign in composed if sign in _JOINERS or unicodedata.category(sign) not in _UNSEEN)
    return re.sub(r"\s+", " ", _FORBIDDEN.sub("-", kept)).strip(" .-_") or "file"


def numbered(stem: str, number: int) -> str:
    """The stem of the number-th file that wants a name: the first has none."""
    return stem if number < 2 else f"{stem} ({number})"


def fits_in(path: str) -> bool:
    """Whether a path is short enough for every effect and every file system."""
    name = path.rpartition("/")[2].encode("utf-8", "surrogateescape")
    return len(name) <= LONGEST_NAME and len(path.encode("utf-8", "surrogateescape")) < LONGEST_PATH


def key_of(path: str) -> str:
    """What two paths have in common that cannot lie side by side on every computer."""
    return "/".join(_folded(part) for part in path.split("/"))


@functools.lru_cache(maxsize=65_536)
def _folded(part: str) -> str:
    return folded(part)


def deceives(name: str) -> bool:
    """Whether a name holds signs that change how it reads: controls, and those that turn the direction of what follows."""
    return any(
        unicodedata.category(sign) == "Cc" or "\u202a" <= sign <= "\u202e" or "\u2066" <= sign <= "\u2069"
        for sign in name
    )


def is_text(name: str) -> bool:
    """Whether a name is text at all; the bytes of some are not UTF-8."""
    return not any("\ud800" <= sign <= "\udfff" for sign in name)


def _closed(before: str, after: str) -> str:
    """What stood around a day, joined as if it had never been there."""
    left, right = before.rstrip(" _-."), after.lstrip(" _-.")
    return f"{left} {right}".strip() if left and right else left or right


def _plain(text: str) -> str:
    return "".join(sign for sign in unicodedata.normalize("NFKD", text).casefold() if sign.isalnum())
