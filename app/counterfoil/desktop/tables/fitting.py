"""How wide columns are and where cells break: amounts keep one line, identifiers break at their groups, texts at blanks.

Pure arithmetic over a measure of text, so that it is tested without a window.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from counterfoil.desktop.tables.table import Column, Line

Measure = Callable[[str], int]
PADDING = 24  # left and right of a cell together
_SAMPLED = 300  # rows measured for widths; of the others the longest text counts
_LEAST_TEXT, _LEAST_IDENTIFIER = 96, 190


def widths(
    columns: Sequence[Column], lines: Sequence[Line], room: int, measure: Measure, heading: Measure
) -> list[int]:
    """Column widths for the room there is; more than the room where nothing can break any more."""
    natural = [_natural(at, column, lines, measure, heading) for at, column in enumerate(columns)]
    spare = room - sum(natural)
    if spare >= 0:
        return _spread(columns, natural, spare)
    least = [_least(at, column, lines, measure, natural[at]) for at, column in enumerate(columns)]
    slack = [wide - narrow for wide, narrow in zip(natural, least, strict=True)]
    if sum(slack) <= -spare:
        return least
    return _shrink(natural, slack, -spare)


def broken(text: str, width: int, measure: Measure) -> list[str]:
    """The lines of a text in a width: broken at blanks, and inside a word only where it alone is too wide."""
    lines: list[str] = []
    current = ""
    for word in text.split(" "):
        tried = f"{current} {word}" if current else word
        if measure(tried) <= width:
            current = tried
            continue
        if current:
            lines.append(current)
        while measure(word) > width and len(word) > 1:
            fit = _fitting(word, width, measure)
            lines.append(word[:fit])
            word = word[fit:]  # noqa: PLW2901 - what is left of it
        current = word
    return [*lines, current]


def _natural(at: int, column: Column, lines: Sequence[Line], measure: Measure, heading: Measure) -> int:
    widest = max((measure(text) for text in _sample(at, lines)), default=0)
    notes = max((measure(line.note) + 18 for line in lines[:_SAMPLED] if line.note), default=0) if at == 0 else 0
    if column.kind == "text":
        widest = min(widest, 320)
    return max(widest, min(notes, 260), heading(column.title)) + PADDING


def _least(at: int, column: Column, lines: Sequence[Line], measure: Measure, natural: int) -> int:
    if column.kind == "amount":
        return natural
    if column.kind == "text":
        return min(natural, _LEAST_TEXT + PADDING)
    halves = (_half(text) for text in _sample(at, lines))
    return min(natural, min(max((measure(half) for half in halves), default=0), _LEAST_IDENTIFIER) + PADDING)


def _half(text: str) -> str:
    """The longer part of an identifier that is broken in two at a blank."""
    words = text.split(" ")
    if len(words) == 1:
        return text
    middle = (len(words) + 1) // 2
    return max(" ".join(words[:middle]), " ".join(words[middle:]), key=len)


def _sample(at: int, lines: Sequence[Line]) -> list[str]:
    texts = [line.texts[at] for line in lines[:_SAMPLED]]
    if len(lines) > _SAMPLED:
        texts.append(max((line.texts[at] for line in lines[_SAMPLED:]), key=len))
    return texts


def _spread(columns: Sequence[Column], natural: list[int], spare: int) -> list[int]:
    """Room to spare goes to texts, else to the first column."""
    takers = [at for at, column in enumerate(columns) if column.kind == "text"] or [0]
    share, rest = divmod(spare, len(takers))
    given = list(natural)
    for at in takers:
        given[at] += share
    given[takers[0]] += rest
    return given


def _shrink(natural: list[int], slack: list[int], missing: int) -> list[int]:
    """Take what is missing from the columns that can break, in proportion."""
    total = sum(slack)
    taken = [give * missing // total for give in slack]
    short = missing - sum(taken)
    for at in sorted(range(len(slack)), key=lambda at: slack[at] - taken[at], reverse=True):
        extra = min(short, slack[at] - taken[at])
        taken[at] += extra
        short -= extra
    return [wide - less for wide, less in zip(natural, taken, strict=True)]


def _fitting(word: str, width: int, measure: Measure) -> int:
    low, high = 1, len(word)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if measure(word[:middle]) <= width else (low, middle - 1)
    return low
