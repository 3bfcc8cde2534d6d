"""Twelve invented contracts with what is true of them: tables, headers, text boxes, tracked changes, two columns, a password, a scan.

The words stand in the clauses below; what a contract says is known because it was written here.
"""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Callable
from dataclasses import dataclass, field

from docx import Document
from docx.document import Document as Written
from PIL import Image, ImageDraw
from reportlab.lib.pagesizes import A4
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas

_W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
_WHO = 'w:id="7" w:author="Lea Brandt" w:date="2026-11-01T09:00:00Z"'


@dataclass(frozen=True)
class Composed:
    """A contract: its file, and for each fact (value, words) and each point (words, place) what it really says."""

    name: str
    data: bytes
    facts: dict[str, tuple[str, str]]
    points: dict[str, tuple[str, str]] = field(default_factory=dict)
    readable: bool = True


def contracts() -> list[Composed]:
    """All twelve, in the order of their names."""
    return [make() for make in _MAKERS]


# ------------------------------------------------------------------------------------------------------------- papers


def _saved(document: Written) -> bytes:
    held = io.BytesIO()
    document.save(held)
    return held.getvalue()


def _docx(title: str, clauses: list[str]) -> Written:
    document = Document()
    document.add_heading(title, 1)
    for clause in clauses:
        document.add_paragraph(clause)
    return document


def _rewritten(data: bytes, change: Callable[[str], str]) -> bytes:
    """The document with its body's XML changed: what no library writes is written by hand."""
    held = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as package, zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as out:
        for name in package.namelist():
            body = package.read(name)
            out.writestr(name, change(body.decode()).encode() if name == "word/document.xml" else body)
    return held.getvalue()


def _pdf(pages: list[list[str]], *, picture_of: int | None = None) -> bytes:
    """Lines page by page; page number `picture_of` (from 0) is a picture of its lines."""
    held = io.BytesIO()
    canvas = Canvas(held, pagesize=A4, invariant=True)
    for number, lines in enumerate(pages):
        if number == picture_of:
            canvas.drawImage(ImageReader(_picture(lines)), 40, 300, 500, 400)
        else:
            for at, line in enumerate(lines):
                canvas.drawString(60, 780 - 18 * at, line)
        canvas.showPage()
    canvas.save()
    return held.getvalue()


def _picture(lines: list[str]) -> Image.Image:
    picture = Image.new("L", (500, 400), 255)
    pen = ImageDraw.Draw(picture)
    for at, line in enumerate(lines):
        pen.text((10, 10 + 16 * at), line, fill=0)
    return picture


# ----------------------------------------------------------------------------------------------------------- contracts


def _plain() -> Composed:
    parties = "This agreement is made between Brightwater Ltd and Okafor Catering GmbH."
    liability = "Liability is limited to the fees paid in the twelve months before the claim."
    document = _docx(
        "Catering agreement",
        [
            parties,
            "It begins on 1 January 2026 and ends on 31 December 2027.",
            "Either party may give notice three (3) months before the end.",
            liability,
            "The laws of England apply.",
        ],
    )
    facts = {
        "starts": ("2026-01-01", "It begins on 1 January 2026 and ends on"),
        "ends": ("2027-12-31", "and ends on 31 December 2027."),
        "notice": ("3 months", "Either party may give notice three (3) months before the end."),
        "law": ("laws of England", "The laws of England apply."),
        "party": ("Brightwater Ltd", parties),
    }
    return Composed("01 plain.docx", _saved(document), facts, {"Liability": (liability, "paragraph 5")})


def _table() -> Composed:
    document = _docx("Rahmenvertrag", ["Zwischen der Nordlicht AG und der Weber KG wird Folgendes vereinbart."])
    rows = [("Laufzeit", "vom 01.04.2026 bis zum 31.03.2029"), ("Kündigung", "sechs Monate zum Ende der Laufzeit")]
    table = document.add_table(rows=0, cols=2)
    for left, right in rows:
        cells = table.add_row().cells
        cells[0].text, cells[1].text = left, right
    facts = {
        "ends": ("2029-03-31", "bis zum 31.03.2029"),
        "notice": ("6 months", "sechs Monate zum Ende der Laufzeit"),
    }
    return Composed(
        "02 table.docx",
        _saved(document),
        facts,
        {"Termination": ("sechs Monate zum Ende der Laufzeit", "table 1, row 2")},
    )


def _header() -> Composed:
    document = _docx("Services", ["The supplier keeps everything confidential for five years after the end."])
    document.sections[0].header.paragraphs[0].text = "Contract C-2026-118, valid from 2026-03-01 onwards"
    document.sections[0].footer.paragraphs[0].text = "The law of Ireland governs this contract."
    facts = {
        "starts": ("2026-03-01", "Contract C-2026-118, valid from 2026-03-01 onwards"),
        "law": ("law of Ireland", "The law of Ireland governs this contract."),
    }
    words = "keeps everything confidential for five years"
    return Composed("03 header.docx", _saved(document), facts, {"Confidentiality": (words, "paragraph 2")})


def _tracked() -> Composed:
    """Sixty days were struck out and ninety put in their place; nobody has accepted it."""
    document = _docx("Lease", ["Notice is NOTICE before the end.", "The lease ends on 30 June 2028."])
    struck = f"<w:del {_W} {_WHO}><w:r><w:delText>sixty days</w:delText></w:r></w:del>"
    added = f'<w:ins {_W} {_WHO.replace("7", "8", 1)}><w:r><w:t xml:space="preserve">ninety days</w:t></w:r></w:ins>'

    def change(body: str) -> str:
        return re.sub(
            r"<w:r><w:t>Notice is NOTICE before the end\.</w:t></w:r>",
            f'<w:r><w:t xml:space="preserve">Notice is </w:t></w:r>{struck}{added}'
            '<w:r><w:t xml:space="preserve"> before the end.</w:t></w:r>',
            body,
        )

    facts = {
        "notice": ("90 days", "Notice is ninety days before the end."),
        "ends": ("2028-06-30", "The lease ends on 30 June 2028."),
    }
    return Composed("04 tracked.docx", _rewritten(_saved(document), change), facts)


def _moved() -> Composed:
    """A sentence that was moved away is text in its new place alone."""
    document = _docx("Supply", ["OLD", "The buyer pays within 30 days.", "NEW"])
    sentence = "Prices rise by two percent a year."

    def change(body: str) -> str:
        old = f"<w:moveFrom {_W} {_WHO}><w:r><w:t>{sentence}</w:t></w:r></w:moveFrom>"
        new = f"<w:moveTo {_W} {_WHO}><w:r><w:t>{sentence}</w:t></w:r></w:moveTo>"
        return body.replace("<w:r><w:t>OLD</w:t></w:r>", old).replace("<w:r><w:t>NEW</w:t></w:r>", new)

    points = {
        "Price changes": (sentence, "paragraph 3"),
        "Payment terms": ("The buyer pays within 30 days.", "paragraph 2"),
    }
    return Composed("05 moved.docx", _rewritten(_saved(document), change), {}, points)


def _box() -> Composed:
    """What stands in a text box stands nowhere else."""
    document = _docx("Maintenance", ["BOX", "The agreement renews for one year each time."])
    box = (
        f'<w:pict {_W} xmlns:v="urn:schemas-microsoft-com:vml"><v:shape><v:textbox><w:txbxContent><w:p><w:r>'
        "<w:t>Subcontractors need our written consent.</w:t></w:r></w:p></w:txbxContent></v:textbox></v:shape></w:pict>"
    )

    def change(body: str) -> str:
        return body.replace("<w:t>BOX</w:t>", f"<w:t>See the box.</w:t>{box}")

    facts = {"renewal": ("1 year", "The agreement renews for one year each time.")}
    points = {"Subcontractors": ("Subcontractors need our written consent.", "text box at paragraph 2")}
    return Composed("06 box.docx", _rewritten(_saved(document), change), facts, points)


def _split() -> Composed:
    """One sentence over many runs, with a soft hyphen, curly quotes and a hard blank."""
    document = _docx("Data processing", [])
    paragraph = document.add_paragraph()
    for part in ("The processor “shall not” ", "trans\u00adfer per", "sonal data\u00a0out", "side the Union."):
        paragraph.add_run(part)
    points = {"Data protection": ('The processor "shall not" transfer personal data outside the Union.', "paragraph 2")}
    return Composed("07 split.docx", _saved(document), {}, points)


def _pages() -> Composed:
    first = ["Contrat de prestation", "Le contrat prend effet le 15 mars 2026 et se termine le 14 mars 2028."]
    second = ["Le preavis est de deux mois avant la fin.", "Le droit belge est applicable au contrat."]
    facts = {
        "starts": ("2026-03-15", "Le contrat prend effet le 15 mars 2026"),
        "ends": ("2028-03-14", "se termine le 14 mars 2028."),
        "notice": ("2 months", "Le preavis est de deux mois avant la fin."),
        "law": ("droit belge", "Le droit belge est applicable au contrat."),
    }
    points = {"Termination": ("Le preavis est de deux mois avant la fin.", "page 2")}
    return Composed("08 pages.pdf", _pdf([first, second]), facts, points)


def _broken_page() -> Composed:
    """A quotation that runs over the end of a page."""
    first = ["Framework", "The supplier is liable without limit for"]
    second = ["damage caused on purpose.", "This page has enough words to be read."]
    words = "The supplier is liable without limit for damage caused on purpose."
    return Composed("09 broken page.pdf", _pdf([first, second]), {}, {"Liability": (words, "page 1")})


def _annex() -> Composed:
    """Its second page is a picture, and what stands there cannot be told."""
    first = ["Hosting", "The term ends on October 31, 2026 and is not renewed."]
    second = ["Annex: notice is one year."]
    facts = {"ends": ("2026-10-31", "The term ends on October 31, 2026")}
    return Composed("10 annex.pdf", _pdf([first, second], picture_of=1), facts)


def _scan() -> Composed:
    return Composed("11 scan.pdf", _pdf([["Nothing but a picture."]], picture_of=0), {}, readable=False)


def _contradicts() -> Composed:
    """It says three and six months in one breath, and two ends."""
    document = _docx(
        "Agency",
        [
            "Notice is three (6) months in writing.",
            "The contract ends on 31 May 2027.",
            "Clause 9: the contract ends on 30 June 2027.",
        ],
    )
    return Composed("12 contradicts.docx", _saved(document), {})


_MAKERS = (
    _plain, _table, _header, _tracked, _moved, _box, _split, _pages, _broken_page, _annex, _scan, _contradicts,
)  # fmt: skip
