"""Text that other people wrote, made safe to show: what is invisible or turns the line around becomes visible.

Nothing is dropped, because a person who decides must see that something was there.
"""

from __future__ import annotations

import unicodedata

_CONTROL_PICTURES = 0x2400
_TURNING = frozenset(range(0x202A, 0x202F)) | frozenset(range(0x2066, 0x206A)) | {0x200E, 0x200F, 0x061C}
_HIDDEN = frozenset({0x200B, 0x2060, 0xFEFF, 0x00AD, 0x180E})


def plain(text: object, *, lines: bool = False) -> str:
    """The text with control, direction and zero-width characters shown by name; `lines` keeps line ends and tabs."""
    written = str(text)
    if written.isascii() and written.isprintable():
        return written
    return "".join(_visible(sign, lines) for sign in written)


def _visible(sign: str, lines: bool) -> str:
    code = ord(sign)
    if lines and sign in "\n\t":
        return sign
    if code < 0x20:
        return chr(_CONTROL_PICTURES + code)
    if code == 0x7F:
        return "\u2421"
    if code in _TURNING or code in _HIDDEN or 0x80 <= code < 0xA0 or code in (0x2028, 0x2029):
        return f"‹U+{code:04X}›"
    if 0xD800 <= code <= 0xDFFF or unicodedata.category(sign) == "Cn":
        return f"‹U+{code:04X}›"
    return sign


def one_line(text: object) -> str:
    """The text on one line: line ends become blanks, the rest as `plain`."""
    return plain(" ".join(str(text).split()))


def quoted(text: object) -> str:
    """The text in the product's quotation marks."""
    return f"‘{one_line(text)}’"
