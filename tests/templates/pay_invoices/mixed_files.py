"""A folder as offices have them: e-invoices of all syntaxes, and thirty invoices that are only pages."""

from collections.abc import Iterator, Sequence
from itertools import cycle
from pathlib import Path

from pay_invoices.invoices import Invoice
from pay_invoices.reading import read_document
from templates.pay_invoices.render_pages import LAYOUTS, lines_of, render
from templates.pay_invoices.render_words import LANGUAGES

FILES, PAGES = 100, 30


def mixed(samples: Sequence[Path]) -> Iterator[tuple[str, bytes]]:
    """Names and bytes of 100 files: the samples again and again, then pages drawn of XML files among them, in all layouts and languages."""
    for number, path in zip(range(FILES - PAGES), cycle(samples), strict=False):
        yield f"{number:03d} {path.name}", path.read_bytes()
    sources = [path.read_bytes() for path in samples if path.suffix == ".xml"]
    read = [(xml, read_document("a.xml", xml)) for xml in sources[:PAGES]]
    drawn = [(xml, invoice) for xml, invoice in read if isinstance(invoice, Invoice)]
    looks = zip(range(PAGES), cycle(drawn), cycle(LAYOUTS), cycle(LANGUAGES.values()), strict=False)
    for number, (xml, invoice), layout, language in looks:
        yield f"page {number:02d}.pdf", render(invoice, lines_of(xml), layout, language)
