"""Labels in cells: which part of a cell names a value, what it names, and where the value may follow."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from pay_invoices.pdf_text.layout import Cell, Sheet
from pay_invoices.pdf_text.vocabulary import ITEM_HEADS, label_patterns, one_of

_END = r"(?![\w°])"
_FILLER = re.compile(r"(?:\s|[:.=*|#–-]|\(?\b(?:in|en|em)? ?(?:eur|euro|€|usd|\$|£|gbp|chf)\)?(?=\W|$))*")
# Labels of names are everyday words: they count alone in their cell, or with a colon.
_NAMING = frozenset({"seller", "buyer", "holder", "name"})
_MARK = re.compile(r"[:|;,•●·/)(–-]$|^[-–|•●·]$")


@dataclass(frozen=True, slots=True)
class Label:
    """A label in a cell: its words from `first` to before `last`; `rest` is the first word behind it and what fills between."""

    role: str
    level: int
    cell: Cell
    first: int
    last: int
    rest: int

    @property
    def alone(self) -> bool:
        """Whether nothing else follows in its cell."""
        return self.rest >= len(self.cell.words)


@cache
def compile_labels() -> tuple[re.Pattern[str], list[tuple[str, int, re.Pattern[str]]]]:
    """One expression that says whether anything matches at all, then each on its own: only so is the longest found."""
    each = label_patterns()
    anything = re.compile(f"(?:{'|'.join(pattern for _, _, pattern in each)}){_END}")
    return anything, [(role, level, re.compile(f"(?:{pattern}){_END}")) for role, level, pattern in each]


_ITEM_HEAD = re.compile(f"{one_of(ITEM_HEADS)}{_END}")


def labels_in(cell: Cell) -> list[Label]:
    """The labels of a cell; at one place the longest wins, and equally long ones of several roles stand side by side."""
    found: list[Label] = []
    plain = cell.plain
    index = 0
    while index < len(cell.words):
        if not _may_start(cell, index):
            index += 1
            continue
        here = _longest(plain, cell.starts[index])
        if not here:
            index += 1
            continue
        end = here[0][2]
        last = cell.word_at(end - 1) + 1
        filler = _FILLER.match(plain, end)
        rest = cell.word_at(filler.end() if filler else end)
        found += [
            Label(role, level, cell, index, last, max(rest, last))
            for role, level, _ in here
            if role not in _NAMING or rest >= len(cell.words) or ":" in plain[end : cell.starts[rest]]
        ]
        index = max(last, index + 1)
    return found


def _longest(plain: str, start: int) -> list[tuple[str, int, int]]:
    """(role, level, end) of the longest matches at a place; a role's stronger level counts."""
    anything, each = compile_labels()
    if anything.match(plain, start) is None:
        return []
    best: dict[str, tuple[str, int, int]] = {}
    length = 0
    for role, level, matcher in each:
        matched = matcher.match(plain, start)
        end = start + len(matched[0].rstrip()) if matched else 0  # a blank behind it makes a name no longer
        if matched is None or end < length:
            continue
        if end > length:
            best, length = {}, end
        if role not in best or best[role][1] < level:
            best[role] = (role, level, length)
    return list(best.values())


def _may_start(cell: Cell, index: int) -> bool:
    """At the start of a cell, after a mark, after a figure."""
    if index == 0:
        return True
    before = cell.words[index - 1].text
    return bool(_MARK.search(before)) or any(letter.isdigit() for letter in before)


def is_item_head(line: list[Cell], least: int = 2) -> bool:
    """Whether a line is the head of a table of what was delivered: at least as many of its cells name a column of one."""
    return sum(bool(_ITEM_HEAD.fullmatch(cell.plain.strip(" .:"))) for cell in line) >= least


def right_of(sheet: Sheet, cell: Cell) -> Iterator[Cell]:
    """The cells to the right on the same line, the nearest first."""
    return (other for other in sheet.lines[cell.line] if other.x0 > cell.x0)


def below(sheet: Sheet, cell: Cell, reach: float) -> Iterator[Cell]:
    """The cells under this one, the nearest line first, down to `reach` times its height below it."""
    for line in sheet.lines[cell.line + 1 :]:
        if line[0].top - cell.bottom > reach * cell.height:
            return
        yield from (other for other in line if in_column(cell, other) and belongs(sheet, cell, other))


def belongs(sheet: Sheet, head: Cell, cell: Cell) -> bool:
    """Whether of all cells on its line the head is the one whose edges or middle are nearest to those of the cell."""
    nearest = min(sheet.lines[head.line], key=lambda other: _apart(other, cell))
    return nearest is head or _apart(nearest, cell) == _apart(head, cell)


def _apart(one: Cell, other: Cell) -> float:
    middle = abs((one.x0 + one.x1) - (other.x0 + other.x1)) / 2
    return min(abs(one.x0 - other.x0), abs(one.x1 - other.x1), middle)


def in_column(head: Cell, other: Cell) -> bool:
    """Whether a cell stands under another: they overlap sideways, or begin or end at one edge."""
    overlap = min(head.x1, other.x1) - max(head.x0, other.x0)
    return overlap > 0 or abs(head.x0 - other.x0) < 6 or abs(head.x1 - other.x1) < 6
