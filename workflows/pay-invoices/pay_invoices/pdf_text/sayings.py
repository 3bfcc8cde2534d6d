"""What the pages say in words: that the invoice is paid, that it will be collected, that no tax is charged, what kind of paper it is."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import takewhile

from pay_invoices.pdf_text import paper_names, phrases
from pay_invoices.pdf_text.labels import is_item_head
from pay_invoices.pdf_text.layout import Box, Cell, Sheet
from pay_invoices.pdf_text.vocabulary import one_of


def _words(block: str) -> re.Pattern[str]:
    return re.compile(rf"\b{one_of(block)}\b")


def _titles(block: str) -> re.Pattern[str]:
    return re.compile(rf"\W*{one_of(block)}\b(?:[^\w:]*(?:{_NUMBER_WORDS})?[^\w:]*(?=\S*\d)\S+(?: \S+){{0,2}})?\W*")


_NUMBER_WORDS = r"nr|no|n|n°|number|nummer|numero|num|vom|du|of|van|de|del"
_PAID = (
    _words(phrases.PAID),
    re.compile(rf"\b{one_of(phrases.PAID_LABELS)}\W+(?:\w+\W+){{0,3}}?{one_of(phrases.PAID_MEANS)}\b"),
)
_STAMP = re.compile(rf"\W*{one_of(phrases.PAID_STAMP)}\W*")
_NOT_PAID = re.compile(rf"\b{one_of(phrases.NOT_PAID)}\b[^.;,]{{0,45}}$")
_COLLECTED = _words(phrases.COLLECTED)
_ASSIGNED = _words(phrases.ASSIGNED)
_UNTAXED = _words(phrases.UNTAXED)
_PRO_FORMA = _words(paper_names.PRO_FORMA)
_INVOICE = re.compile(one_of(paper_names.INVOICE))
_NO_DEMAND = _words(paper_names.NO_DEMAND)
_REPLACING = _words(paper_names.REPLACING)
_CREDIT = _titles(paper_names.CREDIT)
_CREDIT_FOR = re.compile(rf"^\W*{one_of(paper_names.CREDIT)} ?{one_of(paper_names.ABOUT)}(?!\w)")
_UNSURE = _words(paper_names.UNSURE)
_VOID = re.compile(rf"\W*{one_of(paper_names.STAMPS)}\W*")
_ALL_VOID = re.compile(f"^{_VOID.pattern}$")
_HEAD, _TITLE_WORDS = 0.6, 8  # the part of a first page, and the words of a cell, in which a title stands
_CORRECTION = _titles(paper_names.CORRECTION)
_OTHER_PAPER = _titles(paper_names.OTHER_PAPER)


@dataclass(frozen=True, slots=True)
class Saying:
    """Words found on a page, as written, and where."""

    text: str
    box: Box


@dataclass(frozen=True, slots=True)
class Sayings:
    """What the pages say: each is None when they do not."""

    paid: Saying | None
    collected: Saying | None
    assigned: Saying | None
    untaxed: Saying | None
    credit: Saying | None
    correction: Saying | None
    pro_forma: Saying | None
    other_paper: Saying | None
    invoice: Saying | None


def sayings_of(sheets: list[Sheet]) -> Sayings:
    """Everything the pages say in words that matters for paying."""
    return Sayings(
        paid=_paid(sheets),
        collected=_first(sheets, _COLLECTED),
        assigned=_first(sheets, _ASSIGNED),
        untaxed=_first(sheets, _UNTAXED),
        credit=_title(sheets, _CREDIT) or _head(sheets, _CREDIT_FOR),
        correction=_title(sheets, _CORRECTION) or _first(sheets, _REPLACING),
        pro_forma=_first(sheets, _PRO_FORMA),
        other_paper=_title(sheets, _OTHER_PAPER) or _unsure(sheets) or _first(sheets, _NO_DEMAND),
        invoice=_first(sheets, _INVOICE),
    )


def _paid(sheets: list[Sheet]) -> Saying | None:
    for cells in passages(sheets):
        text = " ".join(cell.plain for cell in cells)
        for pattern in _PAID:
            for matched in pattern.finditer(text):
                if not _negated(text, matched.start()):
                    return place_of(cells, matched)
    return next((_of(cell) for sheet in sheets for cell in sheet.cells if _STAMP.fullmatch(cell.plain)), None)


def _first(sheets: list[Sheet], pattern: re.Pattern[str]) -> Saying | None:
    for cells in passages(sheets):
        matched = pattern.search(" ".join(cell.plain for cell in cells))
        if matched is not None:
            return place_of(cells, matched)
    return None


def _negated(text: str, at: int) -> bool:
    return _NOT_PAID.search(text[max(0, at - 80) : at]) is not None


def _unsure(sheets: list[Sheet]) -> Saying | None:
    """Words that make it doubtful what the paper is: in its head, or as a stamp in capitals anywhere."""
    stamps = (cell for sheet in sheets for cell in sheet.cells if cell.text.isupper() and _VOID.fullmatch(cell.plain))
    stamp = next(stamps, None)
    return _of(stamp) if stamp is not None else _head(sheets, _UNSURE) or _head(sheets, _ALL_VOID)


def _head(sheets: list[Sheet], pattern: re.Pattern[str]) -> Saying | None:
    """A few words in the head of the first page, above what was delivered; no sentence. Letters set apart are read together."""
    for sheet in sheets[:1]:
        for line in takewhile(lambda line: not is_item_head(line), sheet.lines):
            for cell in line:
                text = _together(cell)
                short = len(text.split()) <= _TITLE_WORDS and not text.endswith(".")
                if short and cell.top < _HEAD * sheet.height and pattern.search(text):
                    return _of(cell)
    return None


def _together(cell: Cell) -> str:
    """The text of a cell, "G U T S C H R I F T" as one word."""
    apart = len(cell.words) > 3 and all(len(word.text) == 1 for word in cell.words)
    return cell.plain.replace(" ", "") if apart else cell.plain


def _title(sheets: list[Sheet], pattern: re.Pattern[str]) -> Saying | None:
    """A title fills its cell, and nothing to the right makes it a label such as "Order: 4711"."""
    for sheet in sheets[:1]:
        for line in takewhile(lambda line: not is_item_head(line), sheet.lines):
            for cell, following in zip(line, [*line[1:], None], strict=True):
                title = cell.top < _HEAD * sheet.height and pattern.fullmatch(_together(cell))
                if title and not cell.text.endswith(":") and not _is_value(following):
                    return _of(cell)
    return None


def _is_value(cell: Cell | None) -> bool:
    return cell is not None and (cell.text[0] in ":#" or any(letter.isdigit() for letter in cell.text))


def passages(sheets: list[Sheet]) -> Iterator[list[Cell]]:
    """Runs of text: each line, and each block of lines, because sentences run over the ends of lines."""
    for sheet in sheets:
        blocks: dict[int, list[Cell]] = {}
        for line in sheet.lines:
            yield line
            for cell in line:
                blocks.setdefault(cell.block, []).append(cell)
        yield from (cells for cells in blocks.values() if len(cells) > 1)


def _of(cell: Cell) -> Saying:
    return Saying(cell.text[:120], cell.box())


def place_of(cells: list[Cell], matched: re.Match[str]) -> Saying:
    """The cell in which a match begins."""
    at = 0
    for cell in cells:
        at += len(cell.plain) + 1
        if matched.start() < at:
            return _of(cell)
    return _of(cells[-1])
