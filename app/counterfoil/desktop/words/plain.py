"""Text that other people wrote, made safe to show: what is invisible or turns the line around becomes visible.

Nothing is dropped, because a person who decides must see that something was there.
"""

from __future__ import annotations

import html
import unicodedata

_CONTROL_PICTURES = 0x2400
_LONG = 200  # signs
_JOINERS = "\u200c\u200d"  # some scripts are written wrongly without them


def plain(text: object, *, lines: bool = False) -> str:
    """The text with control, direction and zero-width characters shown by name; `lines` keeps line ends and tabs."""
    written = str(text)
    if written.isprintable():
        return written
    if lines and len(written) > _LONG:  # most lines of a long text hold nothing odd
        return "\n".join(
            line if line.replace("\t", "").isprintable() else _signs(line, lines=True) for line in written.split("\n")
        )
    return _signs(written, lines=lines)


def _signs(written: str, *, lines: bool) -> str:
    return "".join(_visible(sign, lines) for sign in written)


def _visible(sign: str, lines: bool) -> str:
    if sign.isprintable() or (lines and sign in "\n\t") or sign in _JOINERS or unicodedata.category(sign) == "Zs":
        return sign
    code = ord(sign)
    if code < 0x20:
        return chr(_CONTROL_PICTURES + code)
    return "\u2421" if code == 0x7F else f"‹U+{code:04X}›"


def one_line(text: object) -> str:
    """The text on one line: line ends become blanks, the rest as `plain`."""
    return plain(" ".join(str(text).split()))


def tip(text: str) -> str:
    """The text for a tooltip: Qt would read what looks like markup there, pictures to fetch included, so that is written out."""
    if "<" not in text and "&lt;" not in text:
        return text
    return f'<p style="white-space:pre-wrap">{html.escape(text)}</p>'


def quoted(text: object) -> str:
    """The text in the product's quotation marks."""
    return f"‘{one_line(text)}’"
