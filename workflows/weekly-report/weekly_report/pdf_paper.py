"""The report as a PDF, in a font that comes with the template. The same report gives the same bytes on every computer."""

from __future__ import annotations

import functools
import io
from pathlib import Path
from xml.sax.saxutils import escape

from reportlab.lib.colors import HexColor
from reportlab.lib.enums import TA_RIGHT
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import ParagraphStyle
from reportlab.lib.units import cm
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.ttfonts import TTFont
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import Flowable, LongTable, Paragraph, SimpleDocTemplate, Spacer, TableStyle

from weekly_report.paper import Heading, Paper, Rows, Words

_FONTS = Path(__file__).resolve().parents[1] / "fonts"
_PLAIN, _BOLD = "Inter", "Inter-SemiBold"
_INK, _QUIET, _LINE, _SHADE = HexColor("#1A1D23"), HexColor("#5B6370"), HexColor("#D5D9E0"), HexColor("#F2F4F7")
_MARGIN = 2 * cm
_WIDTH = A4[0] - 2 * _MARGIN - 12  # a frame has 6 points of its own on each side


def pdf_of(paper: Paper) -> bytes:
    """The bytes of the document."""
    signs = _register()
    held = io.BytesIO()
    made = SimpleDocTemplate(
        held,
        pagesize=A4,
        leftMargin=_MARGIN,
        rightMargin=_MARGIN,
        topMargin=_MARGIN,
        bottomMargin=_MARGIN,
        title=paper.title,
        subject=paper.subtitle,
        author="Counterfoil",
        creator="Counterfoil",
        invariant=1,  # no time and no chance in it
    )
    story: list[Flowable] = [
        Paragraph(_text(paper.title, signs), _style(20, bold=True, after=4)),
        Paragraph(_text(paper.subtitle, signs), _style(10.5, quiet=True, after=12)),
    ]
    for block in paper.blocks:
        match block:
            case Heading(text):
                story.append(Paragraph(_text(text, signs), _style(12, bold=True, before=14, after=5, keep=True)))
            case Words(text, quiet):
                story.append(
                    Paragraph(_text(text, signs), _style(8.5 if quiet else 10, quiet=quiet, before=3, after=3))
                )
            case Rows():
                story += [_table(block, signs, _WIDTH), Spacer(1, 4)]

    def foot(canvas: Canvas, _: object) -> None:
        canvas.setFont(_PLAIN, 8)
        canvas.setFillColor(_QUIET)
        canvas.drawString(_MARGIN, 1.1 * cm, _plain(paper.foot, signs))
        canvas.drawRightString(A4[0] - _MARGIN, 1.1 * cm, f"Page {canvas.getPageNumber()}")

    made.build(story, onFirstPage=foot, onLaterPages=foot)
    return held.getvalue()


@functools.cache
def _register() -> frozenset[int]:
    """Make the fonts known; the code points that both of them hold."""
    known: list[frozenset[int]] = []
    for name, file in ((_PLAIN, "Inter-Regular.ttf"), (_BOLD, "Inter-SemiBold.ttf")):
        font = TTFont(name, str(_FONTS / file))
        pdfmetrics.registerFont(font)
        known.append(frozenset(font.face.charToGlyph))
    return known[0] & known[1]


@functools.cache
def _style(
    size: float,
    *,
    bold: bool = False,
    quiet: bool = False,
    right: bool = False,
    before: float = 0,
    after: float = 0,
    keep: bool = False,
) -> ParagraphStyle:
    style = ParagraphStyle(f"{size}{bold}{quiet}{right}{before}{after}")
    style.fontName, style.fontSize, style.leading = _BOLD if bold else _PLAIN, size, size * 1.35
    style.textColor = _QUIET if quiet else _INK
    style.spaceBefore, style.spaceAfter, style.keepWithNext = before, after, int(keep)
    style.splitLongWords = 1
    if right:
        style.alignment = TA_RIGHT
    return style


def _table(block: Rows, signs: frozenset[int], width: float) -> LongTable:
    whole = sum(block.shares)
    head = [
        Paragraph(_text(name, signs), _style(8.5, bold=True, right=figure))
        for name, figure in zip(block.columns, block.figures, strict=True)
    ]
    body = [
        [
            Paragraph(_text(cell, signs), _style(8.5, right=figure))
            for cell, figure in zip(row, block.figures, strict=True)
        ]
        for row in block.rows
    ]
    table = LongTable([head, *body], colWidths=[width * share / whole for share in block.shares], repeatRows=1)
    table.setStyle(
        TableStyle(
            [
                ("BACKGROUND", (0, 0), (-1, 0), _SHADE),
                ("LINEBELOW", (0, 0), (-1, -1), 0.5, _LINE),
                ("VALIGN", (0, 0), (-1, -1), "TOP"),
                ("TOPPADDING", (0, 0), (-1, -1), 3),
                ("BOTTOMPADDING", (0, 0), (-1, -1), 3),
                ("LEFTPADDING", (0, 0), (-1, -1), 4),
                ("RIGHTPADDING", (0, 0), (-1, -1), 4),
            ]
        )
    )
    return table


def _text(text: str, signs: frozenset[int]) -> str:
    """A text as the paragraphs of reportlab take it: nothing in it is markup."""
    return escape(_plain(text, signs))


def _plain(text: str, signs: frozenset[int]) -> str:
    """A text with what the font does not hold spelled out by its code, so that nothing vanishes."""
    return "".join(
        sign if ord(sign) in signs or sign == " " else f"[U+{ord(sign):04X}]" for sign in " ".join(text.split())
    )
