"""Text a bank accepts: the SEPA character set (EPC217-08), with letters of Europe's scripts written in it instead of dropped."""

from __future__ import annotations

import re
import unicodedata

_ALLOWED = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/-?:().,'+ ")
# Letters that decomposition leaves as they are, and signs with a usual spelling.
_LETTERS = {
    "ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "đ": "d", "ð": "d", "þ": "th", "ł": "l", "ħ": "h", "ı": "i", "ĸ": "k", "ŋ": "n",
    "&": "+", "_": "-", "–": "-", "—": "-", "‘": "'", "’": "'", "´": "'", "`": "'", "@": "(at)", "€": "EUR", "№": "No",
}  # fmt: skip
_GREEK = dict(
    zip(
        "αβγδεζηθικλμνξοπρσςτυφχψω",
        "a v g d e z i th i k l m n x o p r s s t y f ch ps o".split(),
        strict=True,
    )
)
_CYRILLIC = dict(
    zip(
        "абвгдежзийклмнопрстуфхцчшщъыьэюяђјљњћџ",
        "a b v g d e zh z i y k l m n o p r s t u f h ts ch sh sht a y y e yu ya dj j lj nj c dz".split(),
        strict=True,
    )
)
_SPELLED = {**_LETTERS, **_GREEK, **_CYRILLIC}


def sepa_text(text: str, limit: int) -> str:
    """A text in the SEPA character set, at most `limit` characters; what has no spelling becomes a full stop."""
    spelled = "".join(_spell(letter) for letter in unicodedata.normalize("NFC", text))
    return " ".join(spelled.split())[:limit].strip()


def sepa_id(text: str, limit: int = 35) -> str:
    """An identifier in the SEPA character set: no blanks, no slash at either end, never two slashes in a row."""
    words = sepa_text(text, 10 * limit).replace(" ", "")
    return re.sub(r"/{2,}", "/", words)[:limit].strip("/")


def is_sepa_id(text: str) -> bool:
    """Whether a text may stand as an identifier as it is."""
    return bool(text) and text == sepa_id(text)


def _spell(letter: str) -> str:
    if letter in _ALLOWED:
        return letter
    if letter.isspace():
        return " "
    small = letter.lower()
    spelled = _SPELLED.get(letter) or _SPELLED.get(small)
    if spelled is None:
        base = "".join(part for part in unicodedata.normalize("NFKD", small) if not unicodedata.combining(part))
        spelled = "".join(part if part in _ALLOWED else _SPELLED.get(part, ".") for part in base) or "."
    return spelled.capitalize() if letter != small else spelled
