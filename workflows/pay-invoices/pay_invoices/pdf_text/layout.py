"""Words put together as people see them: lines, and on each line the cells that gaps set apart. Cells one under another are a block."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from statistics import median

from pay_invoices.pdf_text.pages import Page, Word

_GAP = 0.65  # of a word's height: a wider gap starts a new cell; a blank in text is about 0.25 wide
_BLANKS = 1.4  # the same in widths of the usual blank, for text that is set wide


@dataclass(frozen=True, slots=True)
class Box:
    """A place on a page: number from 1, edges in points from the upper left corner of the page as shown."""

    page: int
    x0: float
    top: float
    x1: float
    bottom: float


@dataclass
class Cell:
    """Neighbouring words of one line; `block` numbers the paragraph or column it belongs to, `line` its line on the page."""

    page: int
    line: int
    words: list[Word]
    block: int = -1
    starts: list[int] = field(default_factory=list)  # where each word begins in `plain`

    def __post_init__(self) -> None:
        self.x0 = self.words[0].x0
        self.x1 = max(word.x1 for word in self.words)
        self.top = min(word.top for word in self.words)
        self.bottom = max(word.bottom for word in self.words)

    @property
    def height(self) -> float:
        """Of the box, in points."""
        return self.bottom - self.top

    @cached_property
    def text(self) -> str:
        """The words as written, one blank between."""
        return " ".join(word.text for word in self.words)

    @cached_property
    def plain(self) -> str:
        """The words for comparing: no case, no accents, one blank between; `starts` tells where each begins."""
        parts: list[str] = []
        at = 0
        for word in self.words:
            part = plain(word.text)
            self.starts.append(at)
            parts.append(part)
            at += len(part) + 1
        return " ".join(parts)

    def word_at(self, offset: int) -> int:
        """The index of the word that holds a position of `plain`; the number of words when it lies behind all of them."""
        length = len(self.plain)
        if offset >= length:
            return len(self.words)
        return max(index for index, start in enumerate(self.starts) if start <= offset)

    def box(self, first: int = 0, last: int | None = None) -> Box:
        """Around the words from `first` to before `last`."""
        words = self.words[first:last]
        return Box(
            self.page,
            min(word.x0 for word in words),
            min(word.top for word in words),
            max(word.x1 for word in words),
            max(word.bottom for word in words),
        )


@dataclass(frozen=True)
class Sheet:
    """One page as lines of cells, the uppermost line and the leftmost cell first."""

    number: int
    width: float
    height: float
    lines: list[list[Cell]]

    @property
    def cells(self) -> Iterator[Cell]:
        """Every cell in reading order."""
        return (cell for line in self.lines for cell in line)


def plain(text: str) -> str:
    """A text for comparing: compatibility form, no case, no accents."""
    folded = unicodedata.normalize("NFKD", text.casefold())
    return folded if folded.isascii() else "".join(letter for letter in folded if not unicodedata.combining(letter))


def sheets_of(pages: list[Page]) -> list[Sheet]:
    """The pages as lines of cells, with blocks numbered through the document."""
    rows = [_rows(page) for page in pages]
    gap = _cell_gap(rows)
    sheets = [
        Sheet(
            page.number,
            page.width,
            page.height,
            [_cells(page.number, line, row, gap) for line, row in enumerate(lines)],
        )
        for page, lines in zip(pages, rows, strict=True)
    ]
    first = 0
    for sheet in sheets:
        first = _number_blocks(sheet, first)
    return sheets


def _rows(page: Page) -> list[list[Word]]:
    """The words of each line from left to right, the uppermost line first."""
    rows: list[list[Word]] = []
    for word in sorted(_once(page.words), key=lambda word: (word.top + word.bottom, word.x0)):
        row = next((row for row in reversed(rows[-4:]) if _level(row[0], word) and _level(row[-1], word)), None)
        if row is None:
            rows.append([word])
        else:
            row.append(word)
    return [clear for row in rows if (clear := _unstacked(sorted(row, key=lambda word: word.x0)))]


def _unstacked(row: list[Word]) -> list[Word]:
    """Without words that lie on one another, as when figures are typed over others: nobody can tell which one is meant."""
    stacked: set[int] = set()
    for index, (left, right) in enumerate(pairwise(row)):
        if left.x1 - right.x0 > 0.5 * min(left.x1 - left.x0, right.x1 - right.x0):
            stacked |= {index, index + 1}
    return [word for index, word in enumerate(row) if index not in stacked]


def _cell_gap(pages: list[list[list[Word]]]) -> float:
    """From which gap on, in heights of a word, a new cell begins."""
    gaps = [
        (right.x0 - left.x1) / min(left.height, right.height)
        for rows in pages
        for row in rows
        for left, right in pairwise(row)
    ]
    blanks = [gap for gap in gaps if 0.1 < gap < 1.2]
    return max(_GAP, _BLANKS * median(blanks)) if len(blanks) >= 10 else _GAP


def _once(words: list[Word]) -> list[Word]:
    """Without words drawn twice on one spot to look bold."""
    seen: dict[tuple[str, int, int], Word] = {}
    for word in words:
        key = (word.text, round(word.x0 / 2), round(word.top / 2))
        seen.setdefault(key, word)
    return list(seen.values())


def _level(one: Word, other: Word) -> bool:
    """Whether two words stand on one line; a tall title between two lines of an address joins only one of them."""
    return abs((one.top + one.bottom) - (other.top + other.bottom)) < 0.8 * min(one.height, other.height)


def _cells(page: int, line: int, words: list[Word], gap: float) -> list[Cell]:
    groups: list[list[Word]] = []
    for word in words:
        last = groups[-1][-1] if groups else None
        if last is not None and word.x0 - last.x1 < gap * min(last.height, word.height):
            groups[-1].append(word)
        else:
            groups.append([word])
    return [Cell(page, line, group) for group in groups]


def _number_blocks(sheet: Sheet, first: int) -> int:
    """Give each cell the number of its block: cells of neighbouring lines that start or end at one edge and lie close."""
    following = first
    for above, below in zip([[], *sheet.lines], sheet.lines, strict=False):
        for cell in below:
            upper = next((other for other in above if _under(other, cell)), None)
            if upper is None:
                cell.block = following
                following += 1
            else:
                cell.block = upper.block
    return following


def _under(upper: Cell, cell: Cell) -> bool:
    near = cell.top - upper.bottom < 0.9 * min(upper.height, cell.height)
    aligned = abs(upper.x0 - cell.x0) < 4 or abs(upper.x1 - cell.x1) < 4
    return near and aligned
