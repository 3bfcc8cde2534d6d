"""What a tool may say at a time: a page of a long text, with a word on how to go on. No answer of a tool is longer than a page."""

from __future__ import annotations

from collections.abc import Sequence

PAGE = 20_000  # characters of one answer of a tool
LONGEST_LINE = 2_000


class Refused(Exception):
    """A tool cannot do what it was asked for; the message is a sentence that tells the agent what to do instead."""


def page_of(lines: Sequence[str], first: int, count: int, *, what: str, unit: str = "line") -> str:
    """Lines from `first` on (from 1), at most `count` and at most a page, with a heading that says which they are and how to go on.

    Raises:
        Refused: there is no such line.
    """
    total = len(lines)
    if first < 1 or count < 1 or (first > total and total):
        raise Refused(f"{what} has the {unit}s 1 to {total}; ask for a part of them.")
    shown, room = list[str](), PAGE
    for line in lines[first - 1 : first - 1 + count]:
        text = cut(line, LONGEST_LINE)
        room -= len(text) + 1
        if room < 0 and shown:
            break
        shown.append(text)
    last = first - 1 + len(shown)
    if not total:
        return f"{what} is empty."
    heading = f"{what}, {unit}s {first} to {last} of {total}"
    more = f"; go on with {unit} {last + 1}" if last < total else ""
    return "\n".join([f"[{heading}{more}]", *shown])


def cut(text: str, most: int = PAGE) -> str:
    """A text of at most `most` characters that says what it lacks."""
    return text if len(text) <= most else f"{text[:most]}… [{len(text) - most:,} more characters are left out]"
