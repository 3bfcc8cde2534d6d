"""PDFs nobody vouches for: limits, crashes, locked and broken files, and text that a person would not see."""

from __future__ import annotations

import io
import os
import signal
from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest
from pypdf import PdfReader, PdfWriter
from pypdf.generic import DecodedStreamObject, NameObject
from reportlab.lib.pagesizes import A4
from reportlab.pdfgen.canvas import Canvas

from pay_invoices.invoices import Invoice, Unreadable
from pay_invoices.pdf_attachments import PdfRefused, xml_attachments
from pay_invoices.pdf_text import guarded, weight
from pay_invoices.pdf_text.guarded import GaveNothing, in_child
from pay_invoices.pdf_text.invoice import read_text_pdf
from pay_invoices.pdf_text.page_total import with_page_values
from pay_invoices.pdf_text.pages import PagesRefused, read_pages
from pay_invoices.reading import MAX_BYTES, read_document
from templates.pay_invoices.cii_papers import cii_xml
from templates.pay_invoices.hybrid_pdf import hybrid_pdf, pdf
from templates.pay_invoices.orders import PLAIN as PAPER

HEIGHT = A4[1]
LINES = (
    "Seller: Arden & Hale Ltd",
    "Invoice number: A-100",
    "Invoice date: 2 November 2026",
    "Net total: 1,000.00 EUR",
    "VAT 23 %: 230.00 EUR",
    "Total: 1,230.00 EUR",
    "IBAN: IE29 AIBK 9311 5212 3456 78",
)


def drawn(lines: tuple[str, ...] = LINES, pages: int = 1) -> tuple[Canvas, io.BytesIO]:
    """A canvas with an invoice on each page, its last page still open."""
    out = io.BytesIO()
    canvas = Canvas(out, pagesize=A4, invariant=1)
    for number in range(pages):
        if number:
            canvas.showPage()
        canvas.setFont("Helvetica", 10)
        for row, line in enumerate(lines):
            canvas.drawString(60, HEIGHT - 80 - 18 * row, line)
    return canvas, out


def saved(drawing: tuple[Canvas, io.BytesIO]) -> bytes:
    canvas, out = drawing
    canvas.save()
    return out.getvalue()


PLAIN = saved(drawn())


def invoice(data: bytes) -> Invoice:
    found = read_document("invoices/a.pdf", data)
    assert isinstance(found, Invoice), found
    return found


def refusal(data: bytes) -> str:
    found = read_document("invoices/a.pdf", data)
    assert isinstance(found, Unreadable), found
    assert found.reason
    assert found.advice
    return found.reason_code


def test_the_plain_page_is_accepted() -> None:
    found = invoice(PLAIN)
    assert found.odd == []
    assert found.due == Decimal("1230.00")


def locked(password: str) -> bytes:
    writer = PdfWriter(clone_from=PdfReader(io.BytesIO(PLAIN)))
    writer.encrypt(password, "owner", algorithm="RC4-128")
    out = io.BytesIO()
    writer.write(out)
    return out.getvalue()


def test_each_state_keeps_its_words() -> None:
    assert refusal(locked("secret")) == "encrypted_pdf"
    assert invoice(locked("")).due == Decimal("1230.00")
    assert refusal(PLAIN[:300]) == "damaged_pdf"
    assert refusal(b"%PDF-1.7\n" + b"\0" * 5000) == "damaged_pdf"
    assert refusal(pdf([])) == "plain_pdf"
    assert refusal(PLAIN + b"\0" * MAX_BYTES) == "too_large"
    assert refusal(saved(drawn(("Dear reader,", "thank you.")))) == "no_invoice"


def test_two_hundred_pages_are_read_and_no_more() -> None:
    assert len(read_pages(saved(drawn(("Invoice",), 200)), look=False)) == 200
    assert refusal(saved(drawn(("Invoice",), 201))) == "too_many_pages"


def nested(depth: int) -> bytes:
    """Forms of which each draws the one before three times: a few bytes that unpack to three to the power of `depth`."""
    canvas, out = drawn()
    for number in range(depth):
        canvas.beginForm(f"f{number}")
        canvas.rect(0, 0, 9, 9)
        for _ in range(3 if number else 0):
            canvas.doForm(f"f{number - 1}")
        canvas.endForm()
    canvas.doForm(f"f{depth - 1}")
    return saved((canvas, out))


def test_pages_that_swell_are_refused_before_they_are_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """A host may start no process, so nothing but this keeps it from being ended for its memory."""
    monkeypatch.setattr(guarded, "CAN_FORK", False)
    assert invoice(nested(4)).due == Decimal("1230.00")
    assert refusal(nested(15)) == "too_large"
    assert refusal(nested(25)) == "too_large"  # deeper than any page is
    monkeypatch.setattr(weight, "MOST_CONTENT", 100)
    assert refusal(PLAIN) == "too_large"


def test_a_document_has_its_time_and_no_more() -> None:
    with pytest.raises(PagesRefused) as refused:
        read_pages(PLAIN, until=0.0)
    assert refused.value.code == "too_slow"
    found = read_text_pdf("a.pdf", PLAIN, "", seconds=0.0)
    assert isinstance(found, Unreadable)
    assert found.reason_code == "too_slow"
    inside = invoice(hybrid_pdf(PAPER, cii_xml(PAPER)))
    with pytest.raises(PdfRefused) as late:
        xml_attachments(PLAIN, seconds=0.0)
    assert late.value.code == "too_slow"
    unread = with_page_values(replace(inside, boxes=[], page_total=None), PLAIN, seconds=0.0)
    assert unread.page_total is None
    assert unread.gross == inside.gross


def forever() -> bytes:
    while True:
        pass


def grown() -> bytes:
    return b"x" * (guarded.MEMORY + 64 * 1024**2)


def killed() -> bytes:
    os.kill(os.getpid(), signal.SIGKILL)
    return b""


@pytest.mark.skipif(not guarded.CAN_FORK, reason="no processes can be forked here")
def test_what_crashes_or_never_ends_ends_alone() -> None:
    assert in_child(lambda: b"answer", 20.0) == b"answer"
    with pytest.raises(GaveNothing) as nothing:
        in_child(forever, 0.05)
    assert nothing.value.late
    for work in (killed, lambda: os._exit(0), grown, lambda: bytes(-1)):
        with pytest.raises(GaveNothing) as nothing:
            in_child(work, 20.0)
        assert not nothing.value.late


@pytest.mark.skipif(not guarded.CAN_FORK, reason="no processes can be forked here")
def test_a_sandbox_without_processes_reads_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse() -> int:
        raise PermissionError("no processes")

    monkeypatch.setattr(guarded, "_fork", refuse)
    assert in_child(lambda: b"answer", 20.0) == b"answer"
    assert invoice(PLAIN).due == Decimal("1230.00")


OTHER = "IBAN: DE89 3704 0044 0532 0130 00"


def hidden(how: str) -> bytes:
    """The plain page with a second account that no person sees."""
    canvas, out = drawn()
    if how == "clipped":
        path = canvas.beginPath()
        path.rect(60, HEIGHT - 420, 30, 30)
        canvas.clipPath(path, stroke=0, fill=0)
    if how == "squeezed":
        canvas.translate(60, 0)
        canvas.scale(0.02, 1)
    text = canvas.beginText(60, HEIGHT - 400)
    text.setFont("Helvetica", {"tiny": 0.5, "small": 2.9}.get(how, 10))
    if how in ("white", "white on rules"):
        canvas.setFillGray(1)
    if how == "mode 3":
        text.setTextRenderMode(3)
    if how == "off the page":
        text.setTextOrigin(60, HEIGHT + 40)
    text.textLine(OTHER)
    canvas.drawText(text)
    if how == "covered":
        canvas.setFillGray(1)
        canvas.rect(50, HEIGHT - 420, 400, 40, stroke=0, fill=1)
    if how in ("covered by a picture", "white on rules"):
        for x in range(50, 400, 8):
            canvas.setFillGray(0.3 if x % 16 else 0.9)
            canvas.rect(x, HEIGHT - 420, 8 if how == "covered by a picture" else 0.5, 40, stroke=0, fill=1)
    return saved((canvas, out))


@pytest.mark.parametrize(
    "how",
    [
        "white",
        "white on rules",
        "mode 3",
        "off the page",
        "tiny",
        "small",
        "squeezed",
        "clipped",
        "covered",
        "covered by a picture",
    ],
)
def test_text_that_nobody_sees_does_not_count(how: str) -> None:
    found = invoice(hidden(how))
    assert found.iban == "IE29AIBK93115212345678"
    assert found.other_ibans == []


def test_words_that_nobody_sees_do_not_count_either() -> None:
    canvas, out = drawn(LINES[1:])
    canvas.setFillGray(1)
    canvas.drawString(60, HEIGHT - 400, "Seller: Somebody Else Ltd. Paid in full.")
    found = invoice(saved((canvas, out)))
    assert found.seller == ""
    assert found.box_of("paid") is None


def test_what_a_file_says_that_its_drawing_means_is_not_believed() -> None:
    canvas, out = drawn(LINES[:5])
    code: list[str] = vars(canvas)["_code"]
    for y, said, shown in ((400, LINES[5], "Total: 9,230.00 EUR"), (420, LINES[6], OTHER)):
        code.append(f"/Span <</ActualText ({said})>> BDC")
        canvas.drawString(60, HEIGHT - y, shown)
        code.append("EMC")
    found = invoice(saved((canvas, out)))
    assert found.ibans == ["DE89370400440532013000"]
    assert found.gross is None
    assert [(box.field, box.text) for box in found.boxes if box.field == "gross"] == [("gross", "9,230.00 EUR")]


@pytest.mark.parametrize("table", ["<31> <0039> <39> <0031>", "<30> <39> [<0030> <0039> <0032>]"])
def test_figures_that_a_font_says_and_does_not_draw_are_not_read(table: str) -> None:
    writer = PdfWriter(clone_from=PdfReader(io.BytesIO(PLAIN)))
    said = DecodedStreamObject()
    kind = "range" if "[" in table else "char"
    said.set_data(f"begincmap 2 beginbf{kind} {table} endbf{kind} endcmap".encode())
    resources: Any = writer.pages[0]["/Resources"]
    for font in resources["/Font"].values():
        font.get_object()[NameObject("/ToUnicode")] = writer._add_object(said)
    out = io.BytesIO()
    writer.write(out)
    assert refusal(out.getvalue()) == "no_invoice"


def test_an_amount_of_which_a_part_is_hidden_is_not_read() -> None:
    canvas, out = drawn((*LINES[:5], "Total:", LINES[6]))
    path = canvas.beginPath()
    path.rect(104, 0, 500, HEIGHT)
    canvas.clipPath(path, stroke=0, fill=0)
    canvas.drawString(96, HEIGHT - 170, "1,230.00 EUR")  # as ",230.00"
    found = invoice(saved((canvas, out)))
    assert found.gross is None


def test_what_stands_in_a_field_hides_what_is_printed_there() -> None:
    canvas, out = drawn()
    canvas.acroForm.textfield(name="iban", value=OTHER, x=58, y=int(HEIGHT) - 195, width=300, height=16, borderWidth=0)
    assert invoice(saved((canvas, out))).ibans == []


def test_figures_typed_over_others_are_not_read() -> None:
    canvas, out = drawn()
    canvas.setFillGray(1)
    canvas.rect(95, HEIGHT - 175, 60, 14, stroke=0, fill=1)
    canvas.setFillGray(0)
    canvas.drawString(89, HEIGHT - 170, "9,230.00")
    found = invoice(saved((canvas, out)))
    assert found.gross is None
    assert [odd.field for odd in found.odd if odd.field == "gross"] == ["gross"]


def test_white_on_dark_is_seen() -> None:
    canvas, out = drawn(LINES[:-1])
    canvas.setFillGray(0.1)
    canvas.rect(50, HEIGHT - 420, 400, 40, stroke=0, fill=1)
    canvas.setFillGray(1)
    canvas.drawString(60, HEIGHT - 405, LINES[-1])
    assert invoice(saved((canvas, out))).iban == "IE29AIBK93115212345678"


@pytest.mark.parametrize("turn", [90, 180, 270])
def test_boxes_lie_where_the_turned_page_shows_them(turn: int) -> None:
    out = io.BytesIO()
    canvas = Canvas(out, pagesize=A4, invariant=1)
    width, height = A4
    canvas.setPageRotation(turn)
    # ReportLab turns the sheet with the rotation, so that it is shown upright again.
    canvas.translate(*{90: (height, 0), 180: (width, height), 270: (0, width)}[turn])
    canvas.rotate(turn)
    canvas.setFont("Helvetica", 10)
    for row, line in enumerate(LINES):
        canvas.drawString(60, height - 80 - 18 * row, line)
    (page,) = read_pages(saved((canvas, out)))
    (straight,) = read_pages(PLAIN)
    assert page.height == pytest.approx(height)
    assert [word.text for word in page.words] == [word.text for word in straight.words]
    for one, other in zip(page.words, straight.words, strict=True):
        assert (one.x0, one.top, one.x1, one.bottom) == pytest.approx(
            (other.x0, other.top, other.x1, other.bottom), abs=1
        )


@pytest.mark.parametrize("turn", [90, 180, 270])
def test_a_page_that_lies_on_its_side_names_nothing(turn: int) -> None:
    writer = PdfWriter(clone_from=PdfReader(io.BytesIO(PLAIN)))
    writer.pages[0].rotate(turn)
    out = io.BytesIO()
    writer.write(out)
    assert refusal(out.getvalue()) == "no_invoice"


def test_words_end_at_marks_that_labels_end_with() -> None:
    texts = [word.text for word in read_pages(saved(drawn(("Kundennummer:2 n°562 10:30 http://a.example",))))[0].words]
    assert texts == ["Kundennummer:", "2", "n°", "562", "10:30", "http://a.example"]


def test_a_page_full_of_totals_is_answered() -> None:
    rows = tuple(
        f"Total net VAT {row % 25} %: {row}.{row:02}  Gross total: {row * 3}.10  Net total: {row * 2}.20"
        for row in range(40)
    )
    found = read_document("a.pdf", saved(drawn(("Invoice number: 1", *rows))))
    assert isinstance(found, Invoice)
    assert found.due is None
