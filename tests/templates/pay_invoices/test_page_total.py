"""A hybrid PDF shows one thing to people and says another to programs: totals are compared, and a difference stops the payment."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest

from counterfoil.authoring.codec import decode, encode
from pay_invoices.checks import CHECKS, failed, run_checks
from pay_invoices.invoices import CORRECTION, Invoice, Pile, pile
from pay_invoices.ledgers import VendorRow
from pay_invoices.pdf_text.page_total import compared
from pay_invoices.presenting import page_evidence
from pay_invoices.reading import read_document
from pay_invoices.review import InvoiceException, Review, review
from templates.pay_invoices.cii_papers import cii_xml
from templates.pay_invoices.hybrid_pdf import hybrid_pdf
from templates.pay_invoices.orders import IBAN, OTHER_IBAN, PLAIN, TODAY, paper, priced
from templates.pay_invoices.page_words import reading_of
from templates.pay_invoices.render_pages import Extras, lines_of, render
from templates.pay_invoices.render_words import DE, LANGUAGES

SAMPLES = Path(__file__).resolve().parents[2] / "samples/einvoice"
FOLDER = SAMPLES / "zugferd-corpus/ZUGFeRDv1/correct/Mustangproject"
RE_503 = FOLDER / "MustangGnuaccountingBeispielRE-20150613_503.pdf"
HYBRID = hybrid_pdf(PLAIN, cii_xml(PLAIN))


def read(data: bytes, name: str = "invoices/a.pdf") -> Invoice:
    found = read_document(name, data)
    assert isinstance(found, Invoice), found
    return found


def judged(*invoices: Invoice, vendors: list[VendorRow] | None = None) -> Review:
    return review(list(invoices), [], vendors or [], {}, TODAY)


def exception(found: Invoice, vendors: list[VendorRow] | None = None) -> InvoiceException:
    (one,) = judged(found, vendors=vendors).exceptions
    return one


def test_the_page_of_503_and_its_data_disagree() -> None:
    found = read(RE_503.read_bytes(), RE_503.name)
    assert (found.gross, found.page_total) == (Decimal("571.04"), Decimal("406.82"))
    one = exception(found)
    assert one.kind == "page_disagrees"
    assert not one.can_pay
    assert one.reason.startswith("The page shows €406.82 as its total, the data inside says €571.04.")
    fact = one.facts[0]
    assert (fact.old, fact.new) == ("€571.04", "€406.82")
    assert fact.new_source == f"{RE_503.name}, page 1"


def test_its_page_is_evidence_with_the_box() -> None:
    found = read(RE_503.read_bytes(), RE_503.name)
    (piece,) = page_evidence(found.file, "503", [box for box in found.boxes if box.field == "page_total"])
    assert piece.kind == "file"
    assert piece.title == "503, page 1"
    assert piece.data["path"] == RE_503.name
    assert piece.data["page"] == 1
    ((x0, top, x1, bottom),) = piece.data["boxes"]
    assert (x0, top) == pytest.approx((139, 587), abs=2)
    assert 20 < x1 - x0 < 60
    assert 8 < bottom - top < 20


def test_a_page_that_agrees_says_so() -> None:
    found = read(HYBRID)
    assert found.page_total == found.gross == Decimal("369.00")
    assert CHECKS["Page total"](found).passed
    assert {box.field for box in found.boxes} == {"page_total", "iban"}


def test_a_page_of_another_invoice_is_found_out() -> None:
    other = paper(items=priced("90.00"))
    found = read(hybrid_pdf(other, cii_xml(PLAIN)))
    assert found.page_total == Decimal("90.00")
    assert CHECKS["Page total"](found).passed is False
    assert exception(found).kind == "page_disagrees"


def beside(text: str) -> Invoice:
    """The plain invoice over 369.00 beside a page that says something else."""
    return compared(replace(read(HYBRID), boxes=[], page_total=None), reading_of(text))


@pytest.mark.parametrize(
    "text,total",
    [
        ("Description   Qty   Amount\nDesk   1   369.00\nChair  1   1,000.00\nGrand total   1,369.00", "1369.00"),
        ("Total   369.00\nVAT 23 %   84.87\nInvoice total   453.87", "453.87"),
        ("Net   300.00\nVAT 23 %   69.00\nTotal   369.00\nPaid   100.00\nAmount due   269.00", "269.00"),
        ("Net   300.00\nVAT 23 %   69.00\nTotal   369.00\nAmount due   369.00", "369.00"),
    ],
)
def test_what_the_page_calls_its_total_counts_not_a_line_that_is_as_much(text: str, total: str) -> None:
    found = beside(text)
    assert found.page_total == Decimal(total)
    assert CHECKS["Page total"](found).passed is (total == "369.00")


def test_a_page_that_says_it_is_paid_while_its_data_does_not_is_held() -> None:
    found = beside("Net   300.00\nVAT 23 %   69.00\nTotal   369.00\n\nPAID IN FULL")
    assert exception(found).kind == "already_paid"


def test_a_page_without_a_total_is_a_check_that_could_not_be_made() -> None:
    found = read(hybrid_pdf(paper(items=()), cii_xml(PLAIN)).replace(b"Tj", b"TJ"))
    check = CHECKS["Page total"](found)
    assert check.passed is None
    assert check.detail == "No total was found on the pages."


def test_an_account_that_only_the_page_names_is_a_warning() -> None:
    found = read(hybrid_pdf(paper(iban=OTHER_IBAN), cii_xml(PLAIN)))
    (row,) = judged(found).payable
    assert row.iban == IBAN
    assert [notice.text for notice in row.warnings if notice.kind == "page_account"] == [
        "Its page names another account: DE89 3704 0044 0532 0130 00."
    ]


def test_every_other_hybrid_pdf_of_the_samples_agrees() -> None:
    for path in sorted(SAMPLES.rglob("*.pdf")):
        found = read_document(path.name, path.read_bytes())
        if isinstance(found, Invoice) and path != RE_503:
            assert CHECKS["Page total"](found).passed, path.name
            assert found.box_of("page_total") is not None


PATH = SAMPLES / "xrechnung-testsuite/standard/01.07a-INVOICE_ubl.xml"


def shown(extras: Extras | None = None, layout: str = "letter", language: str = "de", path: Path = PATH) -> Invoice:
    xml = path.read_bytes()
    truth = read(xml)
    return read(render(truth, lines_of(xml), layout, LANGUAGES[language], extras), "invoices/page.pdf")


def test_a_proved_page_is_paid_with_a_warning_that_says_where_it_comes_from() -> None:
    found = shown()
    (row,) = judged(found).payable
    assert [notice.kind for notice in row.warnings] == ["overdue", "first_payment", "page_text"]
    assert found.path_of("due") == "page 1"
    assert failed(run_checks(found)) == []


def test_what_is_not_proved_is_shown_with_everything_that_was_found() -> None:
    one = exception(shown(Extras(altered=DE.gross[0])))
    assert one.kind == "unproved"
    assert not one.can_pay
    assert one.reason == (
        "Not everything on the page is proved: the total (no net amount and tax on the pages add up to it)."
    )
    facts = {fact.label: (fact.new, fact.new_source) for fact in one.facts}
    assert facts["Total, not proved"] == ("45,23 €", "invoices/page.pdf, page 1")
    assert facts["Invoice number"] == ("R1234567", "invoices/page.pdf, page 1")
    assert one.invoice is not None
    assert {"number", "issue_date", "seller", "iban", "gross"} <= {box.field for box in one.invoice.boxes}


def test_a_missing_date_is_for_a_person_to_judge() -> None:
    one = exception(shown(Extras(without=frozenset({DE.issued[0]}))))
    assert one.kinds == ["unproved"]
    assert one.can_pay
    assert one.amount == Decimal("45.22")


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_page_that_says_it_is_paid_is_held(language: str) -> None:
    one = exception(shown(Extras(sentence=LANGUAGES[language].paid), language=language))
    assert "already_paid" in one.kinds
    assert "The page says that it is paid: “" in one.reason


@pytest.mark.parametrize("stamp", ["BEZAHLT", "PAID", "ACQUITTÉE", "VOLDAAN", "PAGADO", "PAGATO"])
def test_a_stamp_says_it_too(stamp: str) -> None:
    assert exception(shown(Extras(stamp=stamp))).kind == "already_paid"


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_page_that_speaks_of_a_direct_debit_is_held(language: str) -> None:
    one = exception(shown(Extras(sentence=LANGUAGES[language].collected), language=language))
    assert "direct_debit" in one.kinds
    assert not one.can_pay


def test_several_unknown_accounts_are_held_and_a_known_one_is_paid() -> None:
    found = shown(Extras(second_iban=OTHER_IBAN))
    one = exception(found)
    assert one.kind == "several_accounts"
    assert one.can_pay
    assert "DE79 0000 0000 1234 5678 90 would be paid" in one.advice
    known = VendorRow(found.seller, found.seller_vat_id, OTHER_IBAN, date(2025, 1, 1), date(2026, 10, 1), "R-1", "3")
    (row,) = judged(found, vendors=[known]).payable
    assert row.iban == OTHER_IBAN


def test_a_known_account_beside_another_is_held_when_the_claim_was_sold() -> None:
    found = shown(Extras(second_iban=OTHER_IBAN, sentence="Die Forderung ist an die Faktor Bank AG abgetreten."))
    known = VendorRow(found.seller, found.seller_vat_id, OTHER_IBAN, date(2025, 1, 1), date(2026, 10, 1), "R-1", "3")
    one = exception(found, vendors=[known])
    assert one.kind == "several_accounts"
    assert "abgetreten" in one.reason


def test_a_credit_note_on_a_page_is_never_paid() -> None:
    path = next(SAMPLES.rglob("testout-ZF2PushCreditNote.xml"))
    for language in LANGUAGES:
        found = shown(path=path, language=language)
        assert exception(found).kind == "credit_note"
        assert found.signed_gross == Decimal("-3.57")


def test_a_correction_on_a_page_is_for_a_person_to_judge() -> None:
    found = replace(shown(), type_code=CORRECTION)
    one = exception(found)
    assert one.kinds == ["correction"]
    assert one.can_pay


def test_the_same_invoice_as_data_counts_before_its_page() -> None:
    xml = read(PATH.read_bytes(), "invoices/data.xml")
    found = judged(xml, shown())
    assert [row.invoice.file for row in found.payable] == ["invoices/data.xml"]
    assert [one.kind for one in found.exceptions] == ["same_invoice"]


def test_a_copy_that_says_it_is_paid_is_not_passed_over() -> None:
    xml, page = read(PATH.read_bytes(), "invoices/data.xml"), shown(Extras(stamp="BEZAHLT"))
    found = judged(xml, page)
    assert found.payable == []
    (one,) = (one for one in found.exceptions if one.kind == "forms_disagree")
    assert [(fact.label, fact.old, fact.new) for fact in one.facts if fact.label == "Paid"] == [
        ("Paid", "not said", "“BEZAHLT”")
    ]


def test_boxes_are_recorded() -> None:
    documents = pile([shown(), read(HYBRID)])
    assert decode(encode(documents), Pile) == documents
