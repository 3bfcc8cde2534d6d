"""Pages made of words at chosen places, for tests that need no PDF: what stands where is all that the reader sees of a page."""

from __future__ import annotations

from pay_invoices.pdf_text.layout import sheets_of
from pay_invoices.pdf_text.pages import Page, Word
from pay_invoices.pdf_text.search import Reading

_LETTER, _HEIGHT, _LEADING = 5.0, 10.0, 14.0


def page_of(text: str, number: int = 1) -> Page:
    """A page of typewriter letters: one line of text per line, one blank between words, two or more between cells."""
    words = []
    for row, line in enumerate(text.strip("\n").split("\n")):
        column = 0
        for part in line.split(" "):
            if part:
                x0, top = 50 + column * _LETTER, 50 + row * _LEADING
                words.append(Word(part, x0, top, x0 + len(part) * _LETTER, top + _HEIGHT))
            column += len(part) + 1
    return Page(number, 595, 842, words)


def reading_of(text: str) -> Reading:
    """A page as lines and cells, ready to be searched."""
    return Reading(sheets_of([page_of(text)]))
