"""The sample workspace is what its composer makes, and what the demonstration promises of it."""

from __future__ import annotations

from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path

import pytest

from pay_invoices.checks import run_checks
from pay_invoices.invoices import PDF_TEXT, Invoice, sums_shown
from pay_invoices.ledgers import read_ledger, read_vendors
from pay_invoices.payment import payment_xml, read_back
from pay_invoices.reading import read_document
from pay_invoices.review import Review, review
from pay_invoices.settlement import batch, exported_rows, payments
from templates.pay_invoices.compose_sample import TOTAL, sample_files
from templates.pay_invoices.mixed_files import mixed

SAMPLE = Path(__file__).resolve().parents[3] / "workflows/pay-invoices/sample"
TODAY = date(2026, 11, 30)


@pytest.fixture(scope="module")
def judged() -> Review:
    files = {path.relative_to(SAMPLE).as_posix(): path.read_bytes() for path in SAMPLE.rglob("*") if path.is_file()}
    documents = [read_document(name, data) for name, data in files.items() if name.startswith("invoices/")]
    ledger, vendors = read_ledger(files.get("ledger.csv")), read_vendors(files["vendors.csv"])
    return review(documents, ledger, vendors, {}, TODAY)


def test_the_files_are_what_the_composer_makes() -> None:
    on_disk = {path.relative_to(SAMPLE).as_posix(): path.read_bytes() for path in SAMPLE.rglob("*") if path.is_file()}
    assert on_disk == sample_files()


def test_twelve_clean_invoices_over_the_promised_sum(judged: Review) -> None:
    assert judged.documents == 17
    assert len(judged.payable) == 12
    assert judged.total == TOTAL == Decimal("41208.90")
    assert all(row.invoice.currency == "EUR" for row in judged.payable)


def test_fourteen_euro_invoices_of_fourteen_suppliers(judged: Review) -> None:
    euro = [row.invoice for row in judged.payable]
    euro += [one.invoice for one in judged.exceptions if one.can_pay and one.invoice]
    assert len(euro) == len({invoice.seller for invoice in euro}) == len({invoice.iban for invoice in euro}) == 14
    assert len({invoice.iban[:2] for invoice in euro}) >= 10
    assert {invoice.syntax for invoice in euro} == {"UBL", "CII", "ZUGFeRD 1"}
    assert sum(bool(invoice.attachment) for invoice in euro) == 5


def test_the_exceptions_are_the_composed_ones(judged: Review) -> None:
    assert [(one.k, one.kinds, one.supplier, one.can_pay) for one in judged.exceptions] == [
        (1, ["changed_account"], "Brightwater Logistics Ltd", True),
        (2, ["broken_sum"], "Quinta da Serra Lda", True),
        (3, ["same_invoice"], "Lindqvist Studio AB", False),
        (4, ["credit_note"], "Tallow & Sons Ltd", False),
        (5, ["foreign_currency"], "Norrsken Frakt AB", False),
    ]
    account = judged.exceptions[0].facts[0]
    assert (account.old, account.new) == ("GB94 BARC 1020 1530 0934 59", "GB29 NWBK 6016 1331 9268 19")
    assert (account.old_source, account.new_source) == (
        "vendors.csv, line 13",
        "invoices/BW-7741.pdf, field IBANID in factur-x.xml",
    )
    assert judged.exceptions[0].reason == "The account of “Brightwater Logistics Ltd” changed since 12 Nov 2026."
    held = [(one.amount, one.currency) for one in judged.exceptions if one.amount and one.can_pay]
    assert sums_shown(held) == "€10,653.90"


def test_the_warnings_are_the_composed_ones(judged: Review) -> None:
    assert {row.invoice.seller: [notice.kind for notice in row.warnings] for row in judged.payable if row.warnings} == {
        "Studio Wójcik sp. z o.o.": ["first_payment"],
        "Vantaan Siivous Oy": ["overdue"],
    }


def test_clean_invoices_pass_every_check_that_can_be_made(judged: Review) -> None:
    for row in judged.payable:
        assert [check.name for check in run_checks(row.invoice) if check.passed is not True] == []


def test_the_batch_becomes_one_valid_file_and_is_never_paid_again(judged: Review) -> None:
    rows = batch(judged, {})
    data = payment_xml(
        payments(rows, "1"),
        debtor_name="Larkfield Trading GmbH",
        debtor_iban="DE75512108001245126199",
        pay_on=TODAY,
        message_id="0" * 31 + "1",
        created_at=datetime(2026, 11, 30, 8, 55, 12, tzinfo=UTC),
    )
    found = read_back(data)
    assert (found.count, found.control_sum) == (12, TOTAL)
    assert [one.iban for one in found.transfers] == [row.iban for row in rows]
    ledger = exported_rows(rows, run="1", folder="invoices", payment_file="payments/1.xml", at="2026-11-30T08:55:12Z")
    documents = [
        read_document(f"invoices/{path.name}", path.read_bytes()) for path in sorted((SAMPLE / "invoices").iterdir())
    ]
    again = review(documents, ledger, read_vendors((SAMPLE / "vendors.csv").read_bytes()), {}, TODAY)
    # The twelve, and the one that lies there in another form too.
    assert (again.payable, len(again.exported), len(again.exceptions)) == ([], 13, 4)


def test_a_hundred_mixed_invoices_of_which_thirty_are_only_pages_are_all_read() -> None:
    samples = sorted((SAMPLE / "invoices").iterdir())
    documents = [read_document(f"invoices/{name}", data) for name, data in mixed(samples)]
    assert (
        len([run_checks(document) for document in documents if isinstance(document, Invoice)]) == len(documents) == 100
    )
    assert sum(isinstance(document, Invoice) and document.syntax == PDF_TEXT for document in documents) == 30
