"""Everything the steps of pay-invoices return can be recorded and comes back equal: the codec is directed by these annotations."""

from __future__ import annotations

from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path

from counterfoil.authoring.codec import decode, encode
from pay_invoices.checks import Check, run_checks
from pay_invoices.invoices import Invoice, Pile, Unreadable, pile
from pay_invoices.ledgers import LedgerRow, VendorRow
from pay_invoices.payment import Payment, ReadBack, payment_xml, read_back
from pay_invoices.reading import read_document
from pay_invoices.review import PayRow, Review, review
from pay_invoices.settlement import archive_moves, batch, exported_rows, payments, rejected_rows, vendor_rows

SAMPLES = Path(__file__).resolve().parents[2] / "samples/einvoice"


def test_what_steps_return_comes_back_from_its_record() -> None:
    documents = [read_document(path.name, path.read_bytes()) for path in sorted(SAMPLES.rglob("*.*"))]
    heap = pile(documents)
    vendors = [VendorRow("Bei Spiel GmbH", "", "DE02120300000000202051", None, date(2020, 1, 1), "1", "", 2)]
    judged = review(documents, [], vendors, {}, date(2026, 11, 30))
    rows = batch(judged, {1: "checked"})
    transfers = payments(rows, "7")
    data = payment_xml(
        transfers,
        debtor_name="L",
        debtor_iban="DE02120300000000202051",
        pay_on=date(2026, 12, 1),
        message_id="m",
        created_at=datetime(2026, 11, 30, tzinfo=UTC),
    )
    exported = exported_rows(rows, run="7", folder="f", payment_file="p.xml", at="2026-11-30T00:00:00Z")
    rejected = rejected_rows(judged.exceptions, {2: "no"}, run="7", folder="f", at="2026-11-30T00:00:00Z")
    known = vendor_rows(rows, vendors, run="7", used_on=date(2026, 12, 1))
    checks = [run_checks(invoice) for invoice in heap.invoices]
    for value, annotation in (
        (documents, list[Invoice | Unreadable]),
        (heap, Pile),
        (judged, Review),
        (rows, list[PayRow]),
        (transfers, list[Payment]),
        (read_back(data), ReadBack),
        (exported + rejected, list[LedgerRow]),
        (known, list[VendorRow]),
        (checks, list[list[Check]]),
        (archive_moves(rows, []), list[tuple[str, str]]),
    ):
        assert decode(encode(value), annotation) == value
    assert judged.total == sum((row.amount for row in judged.payable), Decimal(0))
