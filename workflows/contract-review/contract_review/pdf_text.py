"""The text of a PDF, page by page; a page that is a picture says so."""

from __future__ import annotations

import pypdfium2 as pdfium

from contract_review.papers import NoText, Passage

MOST_PAGES = 300
_FEWEST_SIGNS = 20  # a page with less is taken for a picture


def passages_of(data: bytes) -> tuple[list[Passage], list[int]]:
    """A passage for each page with text, and the numbers of the pages without.

    Raises:
        NoText: it cannot be read, has a password, or is nothing but pictures.
    """
    try:
        document = pdfium.PdfDocument(data)
    except pdfium.PdfiumError as problem:
        raise NoText("It is damaged, or has a password.") from problem
    try:
        number = len(document)
        if number > MOST_PAGES:
            raise NoText(f"It has {number:,} pages; {MOST_PAGES} are the most that one review takes.")
        texts = [_text_of(document, at) for at in range(number)]
    finally:
        document.close()
    blank = [at for at, text in enumerate(texts, start=1) if len(text) < _FEWEST_SIGNS]
    found = [Passage(f"page {at}", text) for at, text in enumerate(texts, start=1) if len(text) >= _FEWEST_SIGNS]
    if not found:
        raise NoText("It is a scan: there is no text on its pages. Have it recognised, then put it here again.")
    return found, blank


def _text_of(document: pdfium.PdfDocument, at: int) -> str:
    try:
        page = document[at]
        return " ".join(page.get_textpage().get_text_bounded().replace("\ufffe", "").replace("\u00ad", "").split())
    except pdfium.PdfiumError:
        return ""
