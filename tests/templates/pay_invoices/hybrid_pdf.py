"""A one-page PDF for people with the XML inside for programs, written by hand: no library, no clock, no chance, no compression,
so that the same paper gives the same bytes on every machine.

It is a plain PDF 1.7 with an associated file (ISO 32000-2, 14.13), not a PDF/A-3: the standard fonts are not embedded.
"""

from __future__ import annotations

import hashlib
from datetime import date
from decimal import Decimal

from templates.pay_invoices.papers import Paper

_LEFT, _RIGHT, _TOP = 56, 539, 786  # A4 in points, 2 cm margins
_FONTS = b"/Font << /F1 4 0 R /F2 5 0 R >>"
# Advance widths of Helvetica, in thousandths, for what amounts are made of.
_WIDTHS = {**dict.fromkeys("0123456789€", 556), **dict.fromkeys("., ", 278), "-": 333, "%": 889}
_UNITS = {"C62": "", "HUR": "h", "KWH": "kWh", "KGM": "kg", "DAY": "days", "MON": "months", "XPK": "packs", "LTR": "l"}


def pdf(attachments: list[tuple[str, bytes]], page: bytes = b"") -> bytes:
    """A PDF with one page of content and any files attached, in the order given."""
    files = []
    specs = []
    for index, (name, data) in enumerate(attachments):
        stream, spec = 7 + 2 * index, 8 + 2 * index
        files.append(_stream(data, b"/Type /EmbeddedFile /Subtype /text#2Fxml /Params << /Size %d >> " % len(data)))
        files.append(
            b"<< /Type /Filespec /F (%s) /UF (%s) /AFRelationship /Alternative /EF << /F %d 0 R /UF %d 0 R >> >>"
            % (_escaped(name), _escaped(name), stream, stream)
        )
        specs.append((name, spec))
    names = b" ".join(b"(%s) %d 0 R" % (_escaped(name), spec) for name, spec in sorted(specs))
    related = b" ".join(b"%d 0 R" % spec for _, spec in specs)
    embedded = b" /Names << /EmbeddedFiles << /Names [%s] >> >> /AF [%s]" % (names, related) if specs else b""
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R%s >>" % embedded,
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 6 0 R /Resources << %s >> >>" % _FONTS,
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica-Bold /Encoding /WinAnsiEncoding >>",
        _stream(page, b""),
        *files,
    ]
    return _assembled(objects)


def hybrid_pdf(paper: Paper, xml: bytes, attachment: str = "factur-x.xml") -> bytes:
    """A paper as a page to read, with its XML attached."""
    return pdf([(attachment, xml)], _page(paper))


def _assembled(objects: list[bytes]) -> bytes:
    out = bytearray(b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n")
    offsets = []
    for number, body in enumerate(objects, 1):
        offsets.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    start = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    out += b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    mark = hashlib.sha256(bytes(out)).hexdigest()[:32].encode()
    out += b"trailer\n<< /Size %d /Root 1 0 R /ID [<%s> <%s>] >>\n" % (len(objects) + 1, mark, mark)
    out += b"startxref\n%d\n%%%%EOF\n" % start
    return bytes(out)


def _stream(data: bytes, entries: bytes) -> bytes:
    return b"<< %s/Length %d >>\nstream\n%s\nendstream" % (entries, len(data), data)


def _escaped(text: str) -> bytes:
    return text.encode("cp1252").replace(b"\\", b"\\\\").replace(b"(", b"\\(").replace(b")", b"\\)")


class _Page:
    """Text and rules, drawn from the top down."""

    def __init__(self) -> None:
        self.parts: list[bytes] = []

    def text(self, x: float, y: float, text: str, size: int = 10, *, bold: bool = False) -> None:
        font = b"F2" if bold else b"F1"
        self.parts.append(b"BT /%s %d Tf %.2f %.2f Td (%s) Tj ET" % (font, size, x, y, _escaped(text)))

    def right(self, x: float, y: float, text: str, size: int = 10, *, bold: bool = False) -> None:
        width = sum(_WIDTHS.get(letter, 556) for letter in text) * size / 1000
        self.text(x - width, y, text, size, bold=bold)

    def rule(self, y: float) -> None:
        self.parts.append(b"0.6 G 0.5 w %d %.2f m %d %.2f l S" % (_LEFT, y, _RIGHT, y))


def _page(paper: Paper) -> bytes:
    page = _Page()
    seller = paper.seller
    page.text(_LEFT, _TOP, seller.name, 16, bold=True)
    page.text(_LEFT, _TOP - 18, f"{seller.street}, {seller.postcode} {seller.city}, {seller.country}", 9)
    page.text(_LEFT, _TOP - 30, f"VAT id {seller.vat_id}" if seller.vat_id else "", 9)
    page.text(_LEFT, _TOP - 90, paper.buyer.name, 11)
    page.text(_LEFT, _TOP - 104, paper.buyer.street, 11)
    page.text(_LEFT, _TOP - 118, f"{paper.buyer.postcode} {paper.buyer.city}", 11)
    page.text(_LEFT, _TOP - 176, f"Invoice {paper.number}", 14, bold=True)
    facts = [("Date", _day(paper.issued)), ("Due", _day(paper.due_on) if paper.due_on else "")]
    for index, (label, value) in enumerate(facts):
        page.text(380, _TOP - 90 - 14 * index, label)
        page.text(440, _TOP - 90 - 14 * index, value)
    y = _rows(page, paper, _TOP - 210)
    y = _sums(page, paper, y - 8)
    _foot(page, paper, y - 40)
    return b"\n".join(page.parts)


def _day(day: date) -> str:
    return day.isoformat()


def _rows(page: _Page, paper: Paper, y: float) -> float:
    for x, head in ((_LEFT, "Description"), (305, "Quantity"), (390, "Price")):
        page.text(x, y, head, 9, bold=True)
    page.text(_RIGHT - 34, y, "Amount", 9, bold=True)
    page.rule(y - 5)
    for item in paper.items:
        y -= 20
        page.text(_LEFT, y, item.name)
        page.text(305, y, f"{item.quantity:f} {_UNITS.get(item.unit, item.unit)}".strip())
        page.text(390, y, f"{item.price:f}")
        page.right(_RIGHT, y, _money(item.total))
    for extra in paper.extras:
        y -= 20
        page.text(_LEFT, y, extra.reason)
        page.right(_RIGHT, y, _money(extra.signed))
    page.rule(y - 8)
    return y - 8


def _sums(page: _Page, paper: Paper, y: float) -> float:
    lines = [("Net", paper.net)]
    lines += [(f"VAT {row.rate:f} %" + _why(row.category), row.amount) for row in paper.taxes]
    lines += [("Total", paper.gross)]
    if paper.prepaid:
        lines += [("Already paid", -paper.prepaid)]
    for label, amount in lines:
        y -= 16
        page.text(340, y, label)
        page.right(_RIGHT, y, _money(amount))
    y -= 20
    page.text(340, y, f"Amount due {paper.currency}", 11, bold=True)
    page.right(_RIGHT, y, _money(paper.due), 11, bold=True)
    return y


def _why(category: str) -> str:
    return {"AE": " (reverse charge)", "G": " (export)"}.get(category, "")


def _foot(page: _Page, paper: Paper, y: float) -> None:
    grouped = " ".join(paper.iban[start : start + 4] for start in range(0, len(paper.iban), 4))
    lines = [paper.note, "Please pay to", f"IBAN {grouped}", f"BIC {paper.bic}" if paper.bic else ""]
    lines += [f"Reference {paper.reference or paper.number}"]
    for line in lines:
        if line:
            page.text(_LEFT, y, line)
            y -= 14


def _money(amount: Decimal) -> str:
    return f"{amount:,.2f}"
