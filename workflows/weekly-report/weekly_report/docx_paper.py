"""The report as a DOCX. The same report gives the same bytes: times and names inside are the report's own, not this computer's."""

from __future__ import annotations

import io
import zipfile
from datetime import datetime

from docx import Document
from docx.document import Document as Written
from docx.enum.table import WD_TABLE_ALIGNMENT
from docx.enum.text import WD_ALIGN_PARAGRAPH
from docx.oxml import OxmlElement
from docx.oxml.ns import qn
from docx.shared import Cm, Pt, RGBColor
from docx.table import _Cell, _Row

from weekly_report.paper import Heading, Paper, Rows, Words

_WHEN = (1980, 1, 1, 0, 0, 0)  # the first instant that a zip can hold
_QUIET = RGBColor(0x5B, 0x63, 0x70)
_LINE, _SHADE = "D5D9E0", "F2F4F7"
_WIDTH = 17.0  # cm between the margins of a page


def docx_of(paper: Paper, at: datetime) -> bytes:
    """The bytes of the document; `at` is when the run began."""
    made = Document()
    section = made.sections[0]
    section.page_width, section.page_height = Cm(21), Cm(29.7)
    section.left_margin = section.right_margin = Cm(2)
    section.top_margin = section.bottom_margin = Cm(2)
    made.styles["Normal"].font.name = "Calibri"
    made.styles["Normal"].font.size = Pt(10)
    about = made.core_properties
    about.title, about.subject, about.author = _clean(paper.title), _clean(paper.subtitle), "Counterfoil"
    about.comments, about.last_modified_by, about.revision = "", "", 1
    about.created = about.modified = at.replace(tzinfo=None, microsecond=0)
    made.add_heading(_clean(paper.title), 0)
    made.add_paragraph(_clean(paper.subtitle)).runs[0].bold = True
    for block in paper.blocks:
        match block:
            case Heading(text):
                made.add_heading(_clean(text), 2)
            case Words(text, quiet):
                run = made.add_paragraph().add_run(_clean(text))
                if quiet:
                    run.font.size, run.font.color.rgb = Pt(9), _QUIET
            case Rows():
                _add_table(made, block)
    section.footer.paragraphs[0].text = _clean(paper.foot)
    held = io.BytesIO()
    made.save(held)
    return _dated(held.getvalue())


def _add_table(made: Written, block: Rows) -> None:
    table = made.add_table(rows=1 + len(block.rows), cols=len(block.columns))
    table.alignment = WD_TABLE_ALIGNMENT.LEFT
    table.autofit = False
    whole = sum(block.shares)
    widths = [Cm(_WIDTH * share / whole) for share in block.shares]
    for column, width in zip(table.columns, widths, strict=True):
        column.width = width  # some programs go by the grid, some by the cells
    # cells in one pass: asking a table for each cell reads all of it again
    for at, line in enumerate(table.rows):
        texts = block.columns if at == 0 else block.rows[at - 1]
        _keep_on_pages(line, head=at == 0)
        for cell, text, figure, width in zip(line.cells, texts, block.figures, widths, strict=True):
            cell.width = width
            _fill(cell, text, figure=figure, head=at == 0)
    made.add_paragraph()


def _keep_on_pages(line: _Row, *, head: bool) -> None:
    """No row is torn by the end of a page, and the names of the columns stand on each page."""
    properties = line._tr.get_or_add_trPr()  # noqa: SLF001 - as for borders below
    properties.append(OxmlElement("w:cantSplit"))
    if head:
        properties.append(OxmlElement("w:tblHeader"))


def _fill(cell: _Cell, text: str, *, figure: bool, head: bool) -> None:
    paragraph = cell.paragraphs[0]
    paragraph.paragraph_format.space_after = paragraph.paragraph_format.space_before = Pt(2)
    if figure:
        paragraph.alignment = WD_ALIGN_PARAGRAPH.RIGHT
    run = paragraph.add_run(_clean(text))
    run.font.size, run.bold = Pt(9), head
    properties = cell._tc.get_or_add_tcPr()  # noqa: SLF001 - borders and shades have no other door
    borders = OxmlElement("w:tcBorders")
    line = OxmlElement("w:bottom")
    for name, value in (("val", "single"), ("sz", "4"), ("color", _LINE)):
        line.set(qn(f"w:{name}"), value)
    borders.append(line)
    properties.append(borders)
    if head:
        shade = OxmlElement("w:shd")
        for name, value in (("val", "clear"), ("color", "auto"), ("fill", _SHADE)):
            shade.set(qn(f"w:{name}"), value)
        properties.append(shade)


def _clean(text: str) -> str:
    """A text without what XML cannot hold."""
    return "".join(sign if sign.isprintable() or sign == "\n" else "\ufffd" for sign in text)


def _dated(data: bytes) -> bytes:
    """The same archive with the same times in it, whenever it is made."""
    held = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as source, zipfile.ZipFile(held, "w") as target:
        for part in sorted(source.infolist(), key=lambda part: (part.filename != "[Content_Types].xml", part.filename)):
            entry = zipfile.ZipInfo(part.filename, _WHEN)
            entry.compress_type, entry.create_system = zipfile.ZIP_DEFLATED, 3
            target.writestr(entry, source.read(part))
    return held.getvalue()
