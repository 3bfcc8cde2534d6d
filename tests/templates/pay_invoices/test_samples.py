"""Every public sample reads to the values its XML holds, to the cent; the broken ones are refused or flagged.

The table was written from the XML with regular expressions and by eye, never with the reader under test.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest

from pay_invoices.checks import failed, run_checks
from pay_invoices.invoices import Invoice, Unreadable
from pay_invoices.reading import read_document
from pay_invoices.review import review

SAMPLES = Path(__file__).resolve().parents[2] / "samples/einvoice"
XR, ZF = "xrechnung-testsuite", "zugferd-corpus"
KOSIT, COBA = "DE79000000001234567890", "DE88200800000970375700"

# File, type, number, currency, gross, due, IBAN. "M/" is the folder Mustangproject; its PDFs are named in full on disk.
EXPECTED = (
    ("extension/04.01a-INVOICE_ubl.xml", "380", "12345", "EUR", "14918.84", "4918.84", KOSIT),
    ("extension/04.02a-INVOICE_ubl.xml", "380", "12345", "EUR", "32.99", "32.99", ""),
    ("extension/04.04a-INVOICE_ubl.xml", "877", "17794", "EUR", "4175.44", "4175.44", KOSIT),
    ("standard/01.01a-INVOICE_ubl.xml", "380", "123456XX", "EUR", "336.9", "336.9", KOSIT),
    ("standard/01.01a-INVOICE_uncefact.xml", "380", "123456XX", "EUR", "336.9", "336.9", KOSIT),
    ("standard/01.02a-INVOICE_ubl.xml", "380", "123456", "EUR", "12.6", "12.6", KOSIT),
    ("standard/01.02a-INVOICE_uncefact.xml", "380", "123456", "EUR", "12.6", "12.6", KOSIT),
    ("standard/01.03a-INVOICE_ubl.xml", "380", "RR123456", "EUR", "182.2", "182.2", KOSIT),
    ("standard/01.03a-INVOICE_uncefact.xml", "380", "RR123456", "EUR", "182.2", "182.2", KOSIT),
    ("standard/01.04a-INVOICE_ubl.xml", "380", "1234/78/901", "EUR", "120", "120", KOSIT),
    ("standard/01.04a-INVOICE_uncefact.xml", "380", "1234/78/901", "EUR", "120", "120", KOSIT),
    ("standard/01.05a-INVOICE_ubl.xml", "380", "PRG1502112", "EUR", "10555.3", "10555.3", KOSIT),
    ("standard/01.05a-INVOICE_uncefact.xml", "380", "PRG1502112", "EUR", "10555.3", "10555.3", KOSIT),
    ("standard/01.06a-INVOICE_ubl.xml", "380", "R123456789", "EUR", "21701.7", "21701.7", KOSIT),
    ("standard/01.06a-INVOICE_uncefact.xml", "380", "R123456789", "EUR", "21701.7", "21701.7", KOSIT),
    ("standard/01.07a-INVOICE_ubl.xml", "380", "R1234567", "EUR", "45.22", "45.22", KOSIT),
    ("standard/01.07a-INVOICE_uncefact.xml", "380", "R1234567", "EUR", "45.22", "45.22", KOSIT),
    ("standard/01.08a-INVOICE_ubl.xml", "380", "R123456789", "EUR", "2825.87", "2825.87", KOSIT),
    ("standard/01.08a-INVOICE_uncefact.xml", "380", "R123456789", "EUR", "2825.87", "2825.87", KOSIT),
    ("standard/01.09a-INVOICE_ubl.xml", "380", "R123456", "EUR", "7197.12", "7197.12", KOSIT),
    ("standard/01.09a-INVOICE_uncefact.xml", "380", "R123456", "EUR", "7197.12", "7197.12", KOSIT),
    ("standard/01.10a-INVOICE_ubl.xml", "380", "Rechnungsnummer", "EUR", "2594.2", "2594.2", KOSIT),
    ("standard/01.10a-INVOICE_uncefact.xml", "380", "Rechnungsnummer", "EUR", "2594.2", "2594.2", KOSIT),
    ("standard/01.11a-INVOICE_ubl.xml", "380", "Rechnungsnummer", "EUR", "279.38", "279.38", KOSIT),
    ("standard/01.11a-INVOICE_uncefact.xml", "380", "Rechnungsnummer", "EUR", "279.38", "279.38", KOSIT),
    ("standard/01.12a-INVOICE_ubl.xml", "380", "Rechnungsnummer", "EUR", "305.37", "305.37", KOSIT),
    ("standard/01.12a-INVOICE_uncefact.xml", "380", "Rechnungsnummer", "EUR", "305.37", "305.37", KOSIT),
    ("standard/01.14a-INVOICE_ubl.xml", "380", "1234567", "EUR", "12829.69", "12829.69", KOSIT),
    ("standard/01.14a-INVOICE_uncefact.xml", "380", "1234567", "EUR", "12829.69", "12829.69", KOSIT),
    ("standard/01.15a-INVOICE_ubl.xml", "380", "0000123456", "EUR", "10686.2", "10686.2", KOSIT),
    ("standard/01.15a-INVOICE_uncefact.xml", "380", "0000123456", "EUR", "10686.2", "10686.2", KOSIT),
    ("standard/01.17a-INVOICE_ubl.xml", "380", "123456XX", "EUR", "336.9", "336.91", KOSIT),
    ("standard/01.17a-INVOICE_uncefact.xml", "380", "123456XX", "EUR", "336.9", "336.91", KOSIT),
    ("standard/01.18a-INVOICE_ubl.xml", "384", "PRG1502112", "EUR", "10555.3", "10555.3", KOSIT),
    ("standard/01.18a-INVOICE_uncefact.xml", "384", "PRG1502112", "EUR", "10555.3", "10555.3", KOSIT),
    ("standard/02.01a-INVOICE_ubl.xml", "380", "1234567", "EUR", "12829.69", "12829.69", KOSIT),
    ("standard/02.01a-INVOICE_uncefact.xml", "380", "1234567", "EUR", "12829.69", "12829.69", KOSIT),
    ("standard/03.01a-INVOICE_ubl.xml", "380", "123456789", "EUR", "804.86", "-225.14", ""),
    ("standard/03.01a-INVOICE_uncefact.xml", "380", "123456789", "EUR", "804.86", "-225.14", ""),
    ("standard/03.03a-INVOICE_ubl.xml", "380", "0000123456", "EUR", "10686.2", "10686.2", ""),
    ("standard/03.03a-INVOICE_uncefact.xml", "380", "0000123456", "EUR", "10686.2", "10686.2", ""),
    ("standard/03.06a-INVOICE_ubl.xml", "380", "112233", "EUR", "1804.00", "1804.00", KOSIT),
    ("standard/03.06a-INVOICE_uncefact.xml", "380", "112233", "EUR", "1804.00", "1804.00", KOSIT),
    ("technical-cius/01.05_minimal_test_ubl.xml", "380", "1234567", "EUR", "4743.75", "4743.75", KOSIT),
    ("technical-cius/01.05_minimal_test_uncefact.xml", "380", "1234567", "EUR", "4743.75", "4743.75", KOSIT),
    ("ZUGFeRDv1/correct/M/RE-20140703_502.pdf", "380", "RE-20140703/502", "EUR", "571.04", "571.04", COBA),
    ("ZUGFeRDv1/correct/M/RE-20150613_503.pdf", "380", "RE-20150613/503", "EUR", "571.04", "571.04", COBA),
    ("ZUGFeRDv1/correct/M/RE-20170509_505.pdf", "380", "RE-20170509/505", "EUR", "571.04", "571.04", COBA),
    ("ZUGFeRDv1/fail/M/fail1.pdf", "380", "RE-20151008/504", "", "571.04", "571.04", COBA),
    ("ZUGFeRDv1/fail/M/fail2.pdf", "380", "RE-20151008/504", "", "571.04", "571.04", COBA),
    ("ZUGFeRDv2/correct/M/RE-20190610_507.pdf", "380", "RE-20190610/507", "EUR", "571.04", "571.04", COBA),
    ("ZUGFeRDv2/correct/M/RE-20201121_508.pdf", "380", "RE-20201121/508", "EUR", "571.04", "571.04", COBA),
    ("ZUGFeRDv2/correct/M/hate1.xml", "380", "RE-20201121/508", "EUR", "293.81", "293.81", COBA),
    ("ZUGFeRDv2/correct/M/testout-XR.xml", "380", "123", "EUR", "1.00", "1.00", "DE12500105170648489890"),
    ("ZUGFeRDv2/correct/M/testout-ZF2PushAllowances.xml", "380", "123", "EUR", "4046.00", "4046.00", ""),
    ("ZUGFeRDv2/correct/M/testout-ZF2PushCreditNote.xml", "381", "123", "EUR", "3.57", "3.57", COBA),
    ("ZUGFeRDv2/correct/M/testout-ZF2PushEdge.xml", "380", "123", "CHF", "1.48", "1.48", ""),
    ("ZUGFeRDv2/correct/M/testout-ZF2PushItemChargesAllowances.xml", "380", "123", "EUR", "18.33", "18.33", ""),
    ("ZUGFeRDv2/correct/M/testout-ZF2PushReverseCharge.xml", "380", "123", "EUR", "15.00", "15.00", ""),
    ("ZUGFeRDv2/fail/M/RE-20171118_506.pdf", "380", "RE-20171118/506", "EUR", "571.04", "571.04", COBA),
    ("ZUGFeRDv2/fail/M/noNetPriceValidation.xml", "380", "RE-20201121/508", "EUR", "376.04", "376.04", COBA),
)


def path_of(short: str) -> Path:
    folder = XR if not short.startswith("ZUGFeRD") else ZF
    name = short.replace("M/RE-", "Mustangproject/MustangGnuaccountingBeispielRE-").replace("M/", "Mustangproject/")
    return SAMPLES / folder / name


def read(short: str) -> Invoice | Unreadable:
    return read_document(short, path_of(short).read_bytes())


def invoice(short: str) -> Invoice:
    found = read(short)
    assert isinstance(found, Invoice)
    return found


def faults(short: str) -> list[str]:
    return [check.name for check in failed(run_checks(invoice(short)))]


def test_every_sample_is_expected() -> None:
    on_disk = {path for path in SAMPLES.rglob("*") if path.suffix in (".xml", ".pdf")}
    listed = {path_of(row[0]) for row in EXPECTED} | {path_of(short) for short in UNREADABLE}
    assert listed == on_disk
    assert len(on_disk) == 63


@pytest.mark.parametrize("row", EXPECTED, ids=lambda row: row[0])
def test_values_are_those_of_the_xml(row: tuple[str, ...]) -> None:
    short, kind, number, currency, gross, due, iban = row
    found = invoice(short)
    assert (found.type_code, found.number, found.currency, found.iban) == (kind, number, currency, iban)
    assert (found.gross, found.due) == (Decimal(gross), Decimal(due))


@pytest.mark.parametrize("short", [row[0] for row in EXPECTED if row[0].endswith("_uncefact.xml")])
def test_both_syntaxes_give_one_invoice(short: str) -> None:
    cii, ubl = invoice(short), invoice(short.replace("_uncefact", "_ubl"))
    assert (cii.syntax, ubl.syntax) == ("CII", "UBL")
    assert essence(cii) == essence(ubl)


def essence(found: Invoice) -> Invoice:
    """All that two syntaxes must agree on; they differ in paths, and the credit transfer id of a seller (BT-90) stands elsewhere."""
    ids = [number for number in found.seller_ids if not number.startswith("[Bank assigned")]
    zero = Decimal(0)
    return replace(
        found,
        file="",
        sha256="",
        syntax="",
        where=[],
        seller_ids=ids,
        terms="",
        notes=[],
        tax=found.tax or zero,
        allowances=found.allowances or zero,
        charges=found.charges or zero,
        prepaid=found.prepaid or zero,
        rounding=found.rounding or zero,
    )


UNREADABLE = {
    "ZUGFeRDv1/correct/M/RE-20140519_499.pdf": "draft_xml",
    "ZUGFeRDv2/fail/M/factur-x-invalid-xml-encoding-attribute.pdf": "broken_attachment",
}


@pytest.mark.parametrize("short", UNREADABLE)
def test_what_is_no_invoice_says_why(short: str) -> None:
    found = read(short)
    assert isinstance(found, Unreadable)
    assert found.reason_code == UNREADABLE[short]


# The checks that fail; every other sample passes all of them or has no field to check.
FLAGGED = {
    "ZUGFeRDv1/correct/M/RE-20140703_502.pdf": ["Profile", "Line amounts", "Sum of lines"],
    "ZUGFeRDv1/correct/M/RE-20150613_503.pdf": ["Line amounts", "Sum of lines", "Page total"],
    "ZUGFeRDv1/fail/M/fail1.pdf": ["Required fields", "Currency", "Profile", "Line amounts", "Sum of lines"],
    "ZUGFeRDv1/fail/M/fail2.pdf": ["Currency"],
    "ZUGFeRDv2/fail/M/RE-20171118_506.pdf": ["Profile"],
    "ZUGFeRDv2/fail/M/noNetPriceValidation.xml": ["Line amounts"],
}


@pytest.mark.parametrize("short", [row[0] for row in EXPECTED])
def test_checks_fail_where_something_is_wrong_and_nowhere_else(short: str) -> None:
    assert faults(short) == FLAGGED.get(short, [])


def test_everything_meant_to_fail_is_refused_or_flagged() -> None:
    meant = {row[0] for row in EXPECTED if "/fail/" in row[0]}
    assert meant <= FLAGGED.keys()


def test_where_names_the_place_of_a_figure() -> None:
    xml = invoice("standard/01.14a-INVOICE_ubl.xml")
    assert xml.path_of("due") == "Invoice/LegalMonetaryTotal/PayableAmount"
    pdf = invoice("ZUGFeRDv2/correct/M/RE-20201121_508.pdf")
    assert pdf.attachment == "factur-x.xml"
    assert pdf.path_of("iban").startswith("factur-x.xml: CrossIndustryInvoice/SupplyChainTradeTransaction/")


def test_all_samples_in_one_folder_are_each_answered_once() -> None:
    documents = [read(short) for short in [*(row[0] for row in EXPECTED), *UNREADABLE]]
    found = review(documents, [], [], {}, date(2026, 11, 30))
    files = [row.invoice.file for row in found.payable] + [one.files[0] for one in found.exceptions]
    assert sorted(files) == sorted(document.file for document in documents)
    kinds = {one.files[0]: one.kind for one in found.exceptions}
    for short, kind in {
        "standard/01.07a-INVOICE_uncefact.xml": "same_invoice",
        "standard/01.18a-INVOICE_ubl.xml": "same_invoice",  # 384 for 380: only the type differs
        "standard/01.01a-INVOICE_ubl.xml": "forms_disagree",  # 01.17a owes a cent more for the same invoice
        "standard/01.08a-INVOICE_ubl.xml": "number_reused",
        "standard/03.01a-INVOICE_ubl.xml": "nothing_due",
        "extension/04.02a-INVOICE_ubl.xml": "direct_debit",
        "ZUGFeRDv1/correct/M/RE-20150613_503.pdf": "page_disagrees",
        "ZUGFeRDv2/correct/M/testout-ZF2PushCreditNote.xml": "credit_note",
        "ZUGFeRDv2/correct/M/testout-ZF2PushEdge.xml": "foreign_currency",
    }.items():
        assert kinds[short] == kind
    assert all(row.invoice.file not in FLAGGED or row.warnings for row in found.payable)


def test_third_party_money_of_the_extension_counts() -> None:
    text = path_of("extension/04.04a-INVOICE_ubl.xml").read_text(encoding="utf-8")
    paid = '<cac:PrepaidPayment><cbc:ID>x</cbc:ID><cbc:PaidAmount currencyID="EUR">29.96</cbc:PaidAmount></cac:PrepaidPayment>'
    text = text.replace("<cac:TaxTotal>", f"{paid}<cac:TaxTotal>", 1).replace(
        '<cbc:PayableAmount currencyID="EUR">4175.44', '<cbc:PayableAmount currencyID="EUR">4205.40'
    )
    found = read_document("x.xml", text.encode())
    assert isinstance(found, Invoice)
    assert found.third_party == Decimal("29.96")
    assert failed(run_checks(found)) == []
