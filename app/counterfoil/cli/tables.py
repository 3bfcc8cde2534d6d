"""Tables for a terminal that never cut what they show: where the columns do not fit, each row is written as a block of lines."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

from counterfoil.cli.call import harmless
from counterfoil.cli.words import Cell

_GAP = 2


def table(columns: Sequence[str], rows: Sequence[Sequence[Cell]], width: int, *, indent: int = 0) -> list[str]:
    """A table as lines of at most `width` columns where that is possible; figures stand to the right."""
    names = [harmless(name) for name in columns]
    texts = [[harmless(cell.text) for cell in row] for row in rows]
    sizes = [max([_wide(name), *(_wide(row[at]) for row in texts)]) for at, name in enumerate(names)]
    if indent + sum(sizes) + _GAP * (len(sizes) - 1) > width:
        return _blocks(names, texts, indent)
    rights = [_is_figures([row[at] for row in rows]) for at in range(len(names))]
    lines = [_line(names, sizes, rights), *(_line(row, sizes, rights) for row in texts)]
    return [f"{' ' * indent}{text}".rstrip() for text in lines]


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


def _line(texts: Sequence[str], sizes: Sequence[int], rights: Sequence[bool]) -> str:
    parts = []
    for text, size, right in zip(texts, sizes, rights, strict=True):
        blank = " " * (size - _wide(text))
        parts.append(blank + text if right else text + blank)
    return (" " * _GAP).join(parts)


def _blocks(names: Sequence[str], texts: Sequence[Sequence[str]], indent: int) -> list[str]:
    lines: list[str] = []
    for row in texts:
        entries = [(name, text) for name, text in zip(names, row, strict=True) if text]
        lines.extend([*pairs(entries, indent=indent), ""])
    return lines[:-1]


def _wide(text: str) -> int:
    """Terminal columns a text takes."""
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(character) else 2 if unicodedata.east_asian_width(character) in "WF" else 1
        for character in text
    )
