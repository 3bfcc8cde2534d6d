"""What the two tables say about an invoice: was it exported or rejected before, and to which account its supplier was paid last.

The tables grow for years, so they are indexed once per review; every question then looks at a handful of rows.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from datetime import date
from decimal import Decimal

from pay_invoices.duplicates import Identity, identity, identity_of, number_key, same_seller
from pay_invoices.invoices import Invoice, Unreadable
from pay_invoices.ledgers import EXPORTED, REJECTED, LedgerRow, VendorRow


@dataclass(frozen=True, slots=True)
class Known:
    """An account a supplier was paid to: whose, first and last used on which day, and where that is written."""

    seller: Identity
    supplier: str
    iban: str
    first_used: date | None
    last_used: date | None
    source: str
    line: int


class History:
    """The rows of both tables, asked about one document at a time."""

    def __init__(self, ledger: list[LedgerRow], vendors: list[VendorRow]) -> None:
        self._by_number: defaultdict[str, list[tuple[LedgerRow, Identity]]] = defaultdict(list)
        self._by_sha: defaultdict[str, list[LedgerRow]] = defaultdict(list)
        self._by_gross: defaultdict[tuple[str, Decimal], list[tuple[LedgerRow, Identity]]] = defaultdict(list)
        self._by_seller: defaultdict[str, list[Known]] = defaultdict(list)
        self._by_iban: defaultdict[str, list[Known]] = defaultdict(list)
        for row in ledger:
            self._by_number[number_key(row.number)].append((row, _seller(row)))
            self._by_sha[row.sha256].append(row)
            if row.gross is not None and row.state == EXPORTED:
                self._by_gross[row.currency, row.gross].append((row, _seller(row)))
        for known in [*map(_from_vendor, vendors), *(_from_ledger(row) for row in ledger if row.state == EXPORTED)]:
            self._by_iban[known.iban].append(known)
            for token in _tokens(known.seller):
                self._by_seller[token].append(known)

    def exported(self, document: Invoice | Unreadable) -> LedgerRow | None:
        """The row that exported this invoice, in whichever file it then came."""
        for row in self._by_sha.get(document.sha256, ()):
            if document.sha256 and row.state == EXPORTED:
                return row
        return self._same(document, EXPORTED) if isinstance(document, Invoice) else None

    def rejected(self, document: Invoice | Unreadable) -> LedgerRow | None:
        """The row that rejected this very file: a rejection is of a document, its twin may still be paid."""
        for row in self._by_sha.get(document.sha256, ()):
            if document.sha256 and row.state == REJECTED and row.file == document.file:
                return row
        return None

    def rejected_elsewhere(self, invoice: Invoice) -> LedgerRow | None:
        """The row that rejected this invoice when it came in another file."""
        return self._same(invoice, REJECTED)

    def same_number(self, invoice: Invoice) -> LedgerRow | None:
        """A row that exported the same supplier's number with another gross amount."""
        rows = self._numbered(invoice, invoice.number, EXPORTED)
        return next((row for row in rows if row.gross != invoice.signed_gross), None)

    def alike(self, invoice: Invoice) -> LedgerRow | None:
        """A row that exported the same supplier's amount of the same day under another number."""
        if invoice.signed_gross is None or invoice.issue_date is None:
            return None
        wanted, number = identity(invoice), number_key(invoice.number)
        rows = self._by_gross.get((invoice.currency, invoice.signed_gross), ())
        found = (row for row, seller in rows if row.issue_date == invoice.issue_date and same_seller(wanted, seller))
        return next((row for row in found if number_key(row.number) != number), None)

    def corrected(self, invoice: Invoice) -> LedgerRow | None:
        """A row that exported an invoice which this one says it corrects."""
        found = (row for number in invoice.preceding for row in self._numbered(invoice, number, EXPORTED))
        return next(found, None)

    def accounts(self, invoice: Invoice) -> list[Known]:
        """Every account this supplier was paid to, the last used one last."""
        wanted = identity(invoice)
        # Found under its id and under its name, a row counts once.
        found = dict.fromkeys(
            known
            for token in sorted(_tokens(wanted))
            for known in self._by_seller.get(token, ())
            if known.iban and same_seller(wanted, known.seller)
        )
        return sorted(found, key=lambda known: (known.last_used or date.min, known.line))

    def others_paid_to(self, iban: str, invoice: Invoice) -> list[str]:
        """Other suppliers that were paid to the same account."""
        wanted = identity(invoice)
        found = (known.supplier for known in self._by_iban.get(iban, ()) if not same_seller(wanted, known.seller))
        return list(dict.fromkeys(found))

    def first_used(self, invoice: Invoice, iban: str) -> date | None:
        """The day this supplier was first paid to this account."""
        days = [known.first_used for known in self.accounts(invoice) if known.iban == iban]
        return min((day for day in days if day is not None), default=None)

    def _numbered(self, invoice: Invoice, number: str, state: str) -> list[LedgerRow]:
        """The rows of this supplier with that number."""
        key, wanted = number_key(number), identity(invoice)
        rows = self._by_number.get(key, ()) if key else ()
        return [row for row, seller in rows if row.state == state and same_seller(wanted, seller)]

    def _same(self, invoice: Invoice, state: str) -> LedgerRow | None:
        """The row of this supplier with this number and signed gross."""
        rows = self._numbered(invoice, invoice.number, state)
        return next((row for row in rows if row.gross is not None and row.gross == invoice.signed_gross), None)


def _seller(row: LedgerRow | VendorRow) -> Identity:
    # The tables keep one id without its kind, so it is compared with every id of an invoice.
    return identity_of("", [row.supplier_id], row.supplier)


def _tokens(seller: Identity) -> set[str]:
    return {f"id:{number}" for number in {seller.vat_id, *seller.ids} if number} | {f"name:{seller.name}"}


def _from_vendor(row: VendorRow) -> Known:
    last = row.last_used or row.first_used
    source = f"vendors.csv, line {row.line}"
    return Known(_seller(row), row.supplier, row.iban, row.first_used or last, last, source, row.line)


def _from_ledger(row: LedgerRow) -> Known:
    day = day_of(row.at)
    return Known(_seller(row), row.supplier, row.iban, day, day, f"ledger.csv, line {row.line}", row.line)


def day_of(instant: str) -> date | None:
    """The day of an instant as the ledger keeps it, None for anything else."""
    try:
        return date.fromisoformat(instant[:10])
    except ValueError:
        return None
