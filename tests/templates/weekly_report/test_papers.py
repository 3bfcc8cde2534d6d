"""The DOCX and the PDF: the same bytes each time, every word in both, nothing of this computer in them."""

from __future__ import annotations

import io
from datetime import UTC, date, datetime
from decimal import Decimal

import pypdfium2
import pytest
from docx import Document

from templates.weekly_report.counted import WEEK
from weekly_report.counting import Dropped, Line, SheetFacts
from weekly_report.docx_paper import docx_of
from weekly_report.figures import Compared, Figure, compared, figures_of, ranges
from weekly_report.paper import Paper, paper_of
from weekly_report.pdf_paper import pdf_of
from weekly_report.reading import Count

AT = datetime(2026, 11, 30, 7, 0, 3, 12, tzinfo=UTC)


def line(
    row: int, day: int, amount: str, customer: str = "Žižkov & Söhne <b>", currency: str = "EUR", column: str = "D"
) -> Line:
    return Line(
        "sales/a.xlsx",
        "KW 48",
        row,
        f"{column}{row}",
        date(2026, 11, day),
        Decimal(amount),
        currency,
        {"customer": customer},
        (),
    )


@pytest.fixture(scope="module")
def paper() -> Paper:
    lines = [line(5, 23, "1234.50"), line(6, 24, "-20"), line(9, 24, "7.125", "Москва\x0b", "SEK")]
    dropped = [Dropped("sales/a.xlsx", "KW 48", 7, "D7 holds #REF!.", "x · #REF!")]
    sheets = [SheetFacts("sales/a.xlsx", "KW 48", 4, counted=3), SheetFacts("sales/b.csv", "", left_out="It is empty.")]
    count = Count(WEEK, 2, figures_of(lines), rows=3, shown=lines, dropped=dropped, dropped_rows=1, sheets=sheets)
    shown = compared(count.figures, {("total", "", "EUR"): Decimal(1000), ("customer", "Old", "EUR"): Decimal(50)}, 7)
    return paper_of(
        "Weekly report", count, shown, "Compared with the report on 16–22 Nov 2026.", "Two fairs.", [], "run 3"
    )


def words_of_docx(data: bytes) -> str:
    made = Document(io.BytesIO(data))
    cells = [cell.text for table in made.tables for row in table.rows for cell in row.cells]
    return "\n".join([*(one.text for one in made.paragraphs), *cells])


def words_of_pdf(data: bytes) -> str:
    pages = pypdfium2.PdfDocument(data)
    return "\n".join(page.get_textpage().get_text_range() for page in pages)


def test_both_say_the_same_and_all_of_it(paper: Paper) -> None:
    for said in (words_of_docx(docx_of(paper, AT)), words_of_pdf(pdf_of(paper))):
        for words in (
            "Weekly report", "23–29 Nov 2026, 3 rows of 1 table", "Two fairs.", "€1,214.50", "€1,000.00", "+€214.50", "+21.4 %",
            "SEK 7.125", "Žižkov & Söhne <b>", "Compared with the report", "Москва", "Old", "−€50.00", "−100.0 %", "D7 holds #REF!.",
            "b.csv", "It is empty.", "Where each figure comes from", "D5:D6", "Mon 23 Nov",
        ):  # fmt: skip
            assert words in said.replace("\r\n", " "), words


def test_the_same_report_gives_the_same_bytes(paper: Paper) -> None:
    assert docx_of(paper, AT) == docx_of(paper, AT)
    assert pdf_of(paper) == pdf_of(paper)
    about = Document(io.BytesIO(docx_of(paper, AT))).core_properties
    assert (about.created, about.modified) == (
        AT.replace(microsecond=0, tzinfo=UTC),
        AT.replace(microsecond=0, tzinfo=UTC),
    )
    assert (about.author, about.last_modified_by, about.comments) == ("Counterfoil", "", "")


def test_signs_that_no_font_holds_are_spelled_out() -> None:
    made = Paper("Report 中", "x", [], "y")
    assert "Report [U+4E2D]" in words_of_pdf(pdf_of(made))
    assert "Report 中" in words_of_docx(docx_of(made, AT))


def test_long_tables_go_over_pages() -> None:
    lines = [line(row, 23, "1.00", f"Customer {row} with a name that is rather long") for row in range(5, 30)]
    count = Count(WEEK, 1, figures_of(lines), rows=len(lines), sheets=[SheetFacts("a", "", counted=25)])
    made = paper_of("Weekly report", count, [Compared(figure, None) for figure in count.figures], "", "", [], "run 3")
    assert len(pypdfium2.PdfDocument(pdf_of(made))) > 1


def test_cells_in_a_row_are_told_as_one_run() -> None:
    lines = [line(row, 23, "1") for row in (5, 6, 7, 9, 11, 12)] + [line(6, 23, "1", column="AA")]
    assert ranges(lines) == "D5:D7, D9, D11:D12, AA6"
    many = ranges([line(row, 23, "1") for row in range(2, 2_000, 2)])
    assert many.startswith("D2, D4, ")
    assert many.endswith("D80 and 959 more, the last of them D1998")


def test_figures_beside_those_before() -> None:
    now = [Figure("total", "", "EUR", Decimal(90), 2, []), Figure("day", "2026-11-23", "EUR", Decimal(90), 2, [])]
    now += [Figure("region", "North", "EUR", Decimal(90), 2, [])]
    before = {
        ("total", "", "EUR"): Decimal(-60),
        ("day", "2026-11-16", "EUR"): Decimal(10),
        ("region", "South", "EUR"): Decimal(5),
    }
    found = {
        (one.figure.kind, one.figure.of): (one.earlier, one.change, one.percent) for one in compared(now, before, 7)
    }
    assert found == {
        ("total", ""): (Decimal(-60), Decimal(150), "+250.0 %"),
        ("day", "2026-11-23"): (Decimal(10), Decimal(80), "+800.0 %"),
        ("region", "North"): (Decimal(0), Decimal(90), ""),
        ("region", "South"): (Decimal(5), Decimal(-5), "−100.0 %"),
    }
    assert [one.earlier for one in compared(now, None, 7)] == [None] * 3
    others = {("region", "all others", "EUR"): Decimal(5)}
    assert [one.earlier for one in compared(now[2:], others, 7)] == [None], "it may be among the others"


def test_tables_of_the_docx_go_over_pages_with_their_head_and_whole_rows(paper: Paper) -> None:
    for table in Document(io.BytesIO(docx_of(paper, AT))).tables:
        heads = [row._tr.xpath("./w:trPr/w:tblHeader") != [] for row in table.rows]
        assert heads == [True] + [False] * (len(table.rows) - 1)
        assert all(row._tr.xpath("./w:trPr/w:cantSplit") for row in table.rows)
        assert [column.width for column in table.columns] == [cell.width for cell in table.rows[0].cells]
