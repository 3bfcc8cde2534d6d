"""Tables for a terminal that never cut what they show: columns that do not fit side by side follow below their row."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

from counterfoil.cli.call import harmless
from counterfoil.cli.words import Cell

_GAP = 2
_BELOW = "      "


def table(columns: Sequence[str], rows: Sequence[Sequence[Cell]], width: int, *, indent: int = 0) -> list[str]:
    """A table as lines of at most `width` columns where that is possible; figures stand to the right.

    Columns that do not fit follow below their row, with their names; nothing is ever cut.
    """
    filled = [at for at in range(len(columns)) if any(row[at].text for row in rows) or at == 0]
    names = [harmless(columns[at]) for at in filled]
    rows = [[row[at] for at in filled] for row in rows]
    texts = [[harmless(cell.text) for cell in row] for row in rows]
    sizes = [max([_wide(name), *(_wide(row[at]) for row in texts)]) for at, name in enumerate(names)]
    columns_of = [[row[at] for row in rows] for at in range(len(names))]
    rights = [_is_figures(column) for column in columns_of]
    fitting = _fitting(sizes, [any(cell.money for cell in column) for column in columns_of], width - indent)
    below = [at for at in range(len(names)) if at not in fitting]
    lines = [_line(names, sizes, rights, fitting)]
    for row in texts:
        lines.append(_line(row, sizes, rights, fitting))
        left = [f"{names[at]}: {row[at]}" if names[at] else row[at] for at in below if row[at]]
        lines.extend(_flowing(left, width - indent))
    return [f"{' ' * indent}{text}".rstrip() for text in lines]


def _fitting(sizes: Sequence[int], money: Sequence[bool], width: int) -> list[int]:
    """The columns that fit side by side: the first three and those with money before the rest; never fewer than one."""
    order = sorted(range(len(sizes)), key=lambda at: (at > 2 and not money[at], at))
    taken = -_GAP
    fitting: list[int] = []
    for at in order:
        if taken + sizes[at] + _GAP <= width or not fitting:
            taken += sizes[at] + _GAP
            fitting.append(at)
    return sorted(fitting)


def _flowing(parts: Sequence[str], width: int) -> list[str]:
    """Texts one after another, each whole, with a new line where the next would not fit."""
    lines: list[str] = []
    for part in parts:
        longer = f"{lines[-1]} · {part}" if lines else ""
        if lines and _wide(longer) <= width:
            lines[-1] = longer
        else:
            lines.append(f"{_BELOW}{part}")
    return lines


def pairs(entries: Sequence[tuple[str, str]], *, indent: int = 0) -> list[str]:
    """Labels with their values, the values below one another."""
    wide = max((_wide(harmless(label)) for label, _ in entries), default=0)
    return [
        f"{' ' * indent}{harmless(label)}{' ' * (wide - _wide(harmless(label)) + _GAP)}{harmless(text)}".rstrip()
        for label, text in entries
    ]


def _is_figures(column: Sequence[Cell]) -> bool:
    filled = [cell for cell in column if cell.text]
    return bool(filled) and all(cell.figure for cell in filled)


def _line(texts: Sequence[str], sizes: Sequence[int], rights: Sequence[bool], fitting: Sequence[int]) -> str:
    parts = []
    for at in fitting:
        blank = " " * (sizes[at] - _wide(texts[at]))
        parts.append(blank + texts[at] if rights[at] else texts[at] + blank)
    return (" " * _GAP).join(parts)


def _wide(text: str) -> int:
    """Terminal columns a text takes."""
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(character) else 2 if unicodedata.east_asian_width(character) in "WF" else 1
        for character in text
    )
