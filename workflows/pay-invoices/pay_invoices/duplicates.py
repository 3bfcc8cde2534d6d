"""Which documents are one invoice, which credit another, and which only share a number.

The rule, found on 365 public documents of which 60 keys repeat: same seller, number and signed gross, both asking for money, is the
same invoice in other clothes; a credit note with them credits it; the same number with another gross is a number used twice.
Nothing is dropped: whatever is not the chosen document comes back with the reason.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from pay_invoices.invoices import PDF_TEXT, Invoice, money_text, normal
from pay_invoices.means import COLLECTED

SAME_FILE = "same_file"
SAME_INVOICE = "same_invoice"


@dataclass(frozen=True, slots=True)
class Identity:
    """Who a seller is, for comparing: VAT id, other ids and name, each normalised, "" or empty when unknown."""

    vat_id: str
    ids: frozenset[str]
    name: str


@dataclass(frozen=True, slots=True)
class Copy:
    """A document that is another one again: `kind` is SAME_FILE or SAME_INVOICE."""

    invoice: Invoice
    kind: str
    of: Invoice


@dataclass(frozen=True, slots=True)
class Sorted:
    """Documents sorted by the rule: those that stand for themselves, copies, and numbers used for different amounts."""

    originals: list[Invoice]
    copies: list[Copy]
    # File of an original -> others of the same seller and number with another gross.
    reused: dict[str, list[Invoice]]
    # File of an original -> copies that state another account, amount due or currency, or of which one says that it is paid.
    disagreeing: dict[str, list[Invoice]]


def identity(invoice: Invoice) -> Identity:
    """The seller of an invoice, for comparing."""
    return identity_of(invoice.seller_vat_id, invoice.seller_ids, invoice.seller)


def identity_of(vat_id: str, ids: Iterable[str], name: str) -> Identity:
    """A seller by its parts, as an invoice or a ledger row has them."""
    return Identity(_id(vat_id), frozenset(_id(number) for number in ids if number.strip()), normal(name))


def same_seller(one: Identity, other: Identity) -> bool:
    """VAT ids decide when both are known, else a shared id, else the name."""
    if one.vat_id and other.vat_id:
        return one.vat_id == other.vat_id
    known, theirs = one.ids | _one(one.vat_id), other.ids | _one(other.vat_id)
    if known and theirs and known & theirs:
        return True
    return bool(one.name) and one.name == other.name


def seller_key(invoice: Invoice) -> str:
    """A stable text for a seller: the VAT id, else the first other id in order, else the normalised name."""
    seller = identity(invoice)
    if seller.vat_id:
        return f"vat:{seller.vat_id}"
    if seller.ids:
        return f"id:{min(seller.ids)}"
    return f"name:{seller.name}"


def supplier_id(invoice: Invoice) -> str:
    """The id a ledger keeps for a seller: as written, the VAT id first; "" when there is none."""
    return invoice.seller_vat_id or (invoice.seller_ids[0] if invoice.seller_ids else "")


def number_key(number: str) -> str:
    """An invoice number for comparing: no blanks, no case; leading zeros count."""
    return normal(number).replace(" ", "")


def claim_key(invoice: Invoice) -> str:
    """The stable text by which an invoice is the same one in every run and syntax: seller, number, signed gross, currency."""
    gross = "" if invoice.signed_gross is None else money_text(invoice.signed_gross)
    return "|".join(("invoice", seller_key(invoice), number_key(invoice.number), gross, invoice.currency))


def same_invoice(one: Invoice, other: Invoice) -> bool:
    """Same seller, number and signed gross, and both ask for money or both credit."""
    return one.is_credit == other.is_credit and one.signed_gross == other.signed_gross and shares_number(one, other)


def shares_number(one: Invoice, other: Invoice) -> bool:
    """Same seller and number, whatever the amounts."""
    return (
        bool(one.number)
        and number_key(one.number) == number_key(other.number)
        and same_seller(identity(one), identity(other))
    )


def credits(note: Invoice, invoice: Invoice) -> bool:
    """Whether a credit note credits this invoice: it names its number, or has the same number and gross."""
    if not note.is_credit or invoice.is_credit or not same_seller(identity(note), identity(invoice)):
        return False
    if number_key(invoice.number) in {number_key(number) for number in note.preceding}:
        return True
    return shares_number(note, invoice) and note.gross == invoice.gross


def sort(invoices: list[Invoice]) -> Sorted:
    """Apply the rule to the documents of one folder; the result does not depend on their order."""
    originals: dict[str, list[Invoice]] = {}  # by number, so that a large folder needs no comparison of all with all
    copies: list[Copy] = []
    reused: dict[str, list[Invoice]] = {}
    for invoice in sorted(invoices, key=_preference):
        alike = originals.setdefault(number_key(invoice.number), [])
        twins = [other for other in alike if shares_number(invoice, other) and other.is_credit == invoice.is_credit]
        original = next((other for other in twins if same_invoice(invoice, other)), None)
        if original is not None:
            kind = SAME_FILE if invoice.sha256 == original.sha256 else SAME_INVOICE
            copies.append(Copy(invoice, kind, original))
            continue
        for other in twins:
            reused.setdefault(other.file, []).append(invoice)
            reused.setdefault(invoice.file, []).append(other)
        alike.append(invoice)
    found = [invoice for alike in originals.values() for invoice in alike]
    return Sorted(sorted(found, key=_preference), copies, reused, _disagreeing(copies))


def _disagreeing(copies: list[Copy]) -> dict[str, list[Invoice]]:
    found: dict[str, list[Invoice]] = {}
    for copy in copies:
        if _disagree(copy.invoice, copy.of):
            found.setdefault(copy.of.file, []).append(copy.invoice)
    return found


def _disagree(one: Invoice, other: Invoice) -> bool:
    """Whether two forms tell different things about the payment; a form without an account (MINIMUM) tells nothing about it."""
    accounts = bool(one.ibans) and bool(other.ibans) and set(one.ibans) != set(other.ibans)
    collected = (one.means_code in COLLECTED) != (other.means_code in COLLECTED)
    paid = (one.box_of("paid") is None) != (other.box_of("paid") is None)
    return accounts or collected or paid or (one.due, one.currency) != (other.due, other.currency)


def _preference(invoice: Invoice) -> tuple[bool, bool, bool, str]:
    """A document that names an account comes first, data before read text, then what people can read: the PDF before the bare XML."""
    return not invoice.iban, invoice.syntax == PDF_TEXT, not invoice.attachment, invoice.file


def _id(text: str) -> str:
    return normal(text).replace(" ", "")


def _one(text: str) -> frozenset[str]:
    return frozenset((text,)) if text else frozenset()
