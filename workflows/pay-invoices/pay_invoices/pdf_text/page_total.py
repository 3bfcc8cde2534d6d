"""What the pages of a hybrid PDF show beside what its XML says: people read the one, programs the other, and sometimes they differ."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from time import monotonic

from pay_invoices.invoices import Invoice, PageBox
from pay_invoices.pdf_text.guarded import GaveNothing, in_child
from pay_invoices.pdf_text.identifiers import accounts_of
from pay_invoices.pdf_text.layout import sheets_of
from pay_invoices.pdf_text.loading import load_words
from pay_invoices.pdf_text.pages import SECONDS, PagesRefused, read_pages
from pay_invoices.pdf_text.placing import page_box
from pay_invoices.pdf_text.sayings import sayings_of
from pay_invoices.pdf_text.search import Reading
from pay_invoices.pdf_text.tokens import Amount
from pay_invoices.pdf_text.totals import totals_of
from pay_invoices.pdf_text.vocabulary import STRONG


def with_page_values(invoice: Invoice, data: bytes, *, seconds: float = SECONDS) -> Invoice:
    """The invoice of a hybrid PDF with what its pages show: the total they state, that it is paid, and the boxes of total and account.

    Args:
        invoice: what the XML says; it comes back unchanged when the pages cannot be read.
        data: the whole PDF.
        seconds: how long the pages may take, in a child process of their own.
    """
    load_words()

    def work() -> Invoice:
        return compared(invoice, Reading(sheets_of(read_pages(data, until=monotonic() + seconds))))

    try:
        return in_child(work, seconds)
    except (GaveNothing, PagesRefused):
        return invoice


def compared(invoice: Invoice, reading: Reading) -> Invoice:
    """The invoice beside pages whose words are known already."""
    boxes = [*_account(reading, invoice), *_paid(reading, invoice)]
    stated = {abs(figure) for figure in (invoice.gross, invoice.due) if figure is not None}
    found = _due(reading, stated) or _named(reading, stated) or _other(reading) or _anywhere(reading, stated)
    if found is None:
        return replace(invoice, boxes=boxes)
    value = abs(found.value) if invoice.is_credit else found.value
    return replace(invoice, boxes=[page_box("page_total", found.text, found.box), *boxes], page_total=value)


def _paid(reading: Reading, invoice: Invoice) -> list[PageBox]:
    """Where the page says that it is paid, unless its data says so too."""
    said = None if invoice.prepaid or not invoice.due else sayings_of(reading.sheets).paid
    return [] if said is None else [page_box("paid", said.text, said.box)]


def _account(reading: Reading, invoice: Invoice) -> list[PageBox]:
    """Where the account of the XML stands; the accounts of the page instead when it is not among them."""
    shown = accounts_of(reading)
    same = [page_box("iban", placed.text, placed.box) for placed in shown if placed.text in invoice.ibans]
    if same or not invoice.ibans:
        return same
    return [page_box("page_iban", placed.text, placed.box) for placed in shown]


def _named(reading: Reading, stated: set[Decimal]) -> Amount | None:
    """The amount that the page calls the total or the amount due, when it is what the XML says.

    Under the head of a column any line of the invoice may stand, and beside a plainer name a weaker one counts for nothing.
    """
    claims = [one for one in reading.named if one.role in ("gross", "due") and (one.level > 1 or not one.above)]
    plainest = [one for one in claims if one.role == "gross" and one.level == STRONG and not one.above] or claims
    named = [one for one in claims if abs(one.amount.value) in stated]
    if named and not any(abs(one.amount.value) in stated for one in plainest):
        named = [one for one in named if one.level == STRONG and not one.above]
    return max(named, key=lambda one: one.level).amount if named else None


def _due(reading: Reading, stated: set[Decimal]) -> Amount | None:
    """What the page plainly calls the amount due, when it is something else than the XML says."""
    dues = {one.amount.value: one.amount for one in reading.named if one.role == "due" and one.level == STRONG}
    named = [amount for value, amount in dues.items() if value != 0]
    return None if any(abs(amount.value) in stated for amount in named) else next(iter(named), None)


def _anywhere(reading: Reading, stated: set[Decimal]) -> Amount | None:
    """What the XML says, standing on the page without a name that is known here."""
    return next((amount for amount in reading.all_amounts if abs(amount.value) in stated), None)


def _other(reading: Reading) -> Amount | None:
    """What the page calls the total: the proved one, else the plainest if there is no doubt which that is."""
    totals = totals_of(reading, untaxed=True)
    if totals.proof is not None:
        return totals.proof.gross.amount
    plain = {
        one.amount.value: one.amount
        for one in totals.claimed
        if one.level == 3 and not one.above and one.amount.value != 0
    }
    return max(plain.values(), key=lambda amount: abs(amount.value), default=None)
