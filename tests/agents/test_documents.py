"""Spreadsheets and documents as text: real files made by the libraries that people's programs use, hostile ones refused with a sentence."""

import io
from email.message import EmailMessage
from pathlib import Path

import pytest
from docx import Document
from docx.oxml import parse_xml
from reportlab.pdfgen.canvas import Canvas

from counterfoil.authoring.agents.document_tools import read_document
from counterfoil.authoring.agents.paging import PAGE, Refused
from counterfoil.authoring.agents.sheet_tools import read_cells
from house.repository import ROOT

_W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'


def test_a_workbook_is_read_by_rows_with_their_numbers(folder: Path) -> None:
    book = next((ROOT / "workflows" / "weekly-report" / "sample").rglob("*.xlsx"))
    (folder / "a.xlsx").write_bytes(book.read_bytes())
    first = read_cells("a.xlsx", rows=3).splitlines()
    assert first[0].startswith("[“a.xlsx”")
    assert "rows 1 to 3 of" in first[0]
    assert [line.partition(":")[0] for line in first[1:]] == ["1", "2", "3"]
    assert " | " in first[1]
    with pytest.raises(Refused, match="has no sheet “Nope”; it has: "):
        read_cells("a.xlsx", "Nope")


def test_a_csv_is_a_sheet_too(folder: Path) -> None:
    (folder / "a.csv").write_text("name;amount\nMüller;12,50\nMeier;3\n")
    assert read_cells("a.csv", first_row=2).splitlines()[1:] == ["2: Müller | 12,50", "3: Meier | 3"]
    assert read_cells("a.csv", first_column=2).splitlines()[1] == "1: amount"


def test_a_pdf_is_read_by_pages(folder: Path) -> None:
    out = io.BytesIO()
    canvas = Canvas(out)
    for words in ("Contract of sale", "Signed in Basel"):
        canvas.drawString(72, 700, words)
        canvas.showPage()
    canvas.showPage()
    canvas.save()
    (folder / "a.pdf").write_bytes(out.getvalue())
    lines = read_document("a.pdf").splitlines()
    assert lines[1:5] == ["[page 1 of 3]", "Contract of sale", "[page 2 of 3]", "Signed in Basel"]
    assert lines[-1] == "[no text on this page: it may be a picture]"


def test_a_word_document_tells_tables_headers_and_tracked_changes(folder: Path) -> None:
    paper = Document()
    paper.sections[0].header.paragraphs[0].text = "Draft 3"
    paper.add_paragraph("The rent is 1200.")
    table = paper.add_table(1, 2)
    table.cell(0, 0).text, table.cell(0, 1).text = "Deposit", "3600"
    changed = parse_xml(
        f"<w:p {_W}><w:r><w:t>Notice: </w:t></w:r><w:del><w:r><w:delText>3 months</w:delText></w:r></w:del>"
        "<w:ins><w:r><w:t>6 </w:t></w:r><w:r><w:t>months</w:t></w:r></w:ins></w:p>"
    )
    paper.element.body.insert(2, changed)
    paper.save(str(folder / "a.docx"))
    lines = read_document("a.docx").splitlines()[1:]
    assert lines == [
        "[header] Draft 3",
        "The rent is 1200.",
        "| Deposit | 3600 |",
        "Notice: [deleted: 3 months][inserted: 6 months]",
    ]


def test_a_mail_tells_headers_text_and_what_is_attached(folder: Path) -> None:
    mail = EmailMessage()
    mail["From"], mail["Subject"] = "a@example.org", "Offer"
    mail.set_content("Please find it attached.")
    mail.add_alternative("<p>other</p>", subtype="html")
    mail.add_attachment(b"12345", maintype="application", subtype="pdf", filename="offer.pdf")
    (folder / "a.eml").write_bytes(mail.as_bytes())
    assert read_document("a.eml").splitlines()[1:] == [
        "From: a@example.org",
        "Subject: Offer",
        "",
        "Please find it attached.",
        "[attached: offer.pdf, application/pdf, 5 bytes]",
    ]


def test_every_mail_of_the_samples_is_read(folder: Path) -> None:
    for n, mail in enumerate(sorted((ROOT / "tests").rglob("samples/**/*.eml"))[:40]):
        (folder / f"{n}.eml").write_bytes(mail.read_bytes())
        assert len(read_document(f"{n}.eml")) < PAGE + 3000


@pytest.mark.parametrize("name", ["a.pdf", "a.docx", "a.eml", "a.xlsx", "a.ods"])
@pytest.mark.parametrize("data", [b"", b"PK\x03\x04 no archive", b"%PDF-1.7\n%%EOF", b"\x00" * 4000])
def test_what_is_damaged_is_refused_with_a_sentence(folder: Path, name: str, data: bytes) -> None:
    (folder / name).write_bytes(data)
    read = read_cells if name.endswith(("x", "ods")) and "doc" not in name else read_document
    with pytest.raises(Refused, match=r"^“a\.[a-z]+” (is|cannot)"):
        read(name)
