"""The whole judgement of one folder, as a value: what can be paid, what a person must look at, what was handled before.

Pure: documents, tables, other runs and the day go in. Every document comes out exactly once; nothing is dropped.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import date
from decimal import Decimal

from pay_invoices.accounts import grouped
from pay_invoices.duplicates import SAME_FILE, Copy, claim_key, seller_key, sort
from pay_invoices.history import History, day_of
from pay_invoices.invoices import CORRECTION, PDF_TEXT, Invoice, Unreadable, money_shown
from pay_invoices.ledgers import LedgerRow, VendorRow
from pay_invoices.problems import KINDS, problems_of
from pay_invoices.reasons import Around, Fact, Problem, day_shown, place


@dataclass(frozen=True, slots=True)
class Notice:
    """A warning that does not stop a payment; `kind` is a stable word, `text` a sentence."""

    kind: str
    text: str


@dataclass(frozen=True, slots=True)
class PayRow:
    """One payment of the batch: `n` stays the same over every round, `k` is the exception it came from or 0."""

    n: int
    invoice: Invoice
    iban: str
    amount: Decimal
    warnings: list[Notice]
    claim: str
    k: int = 0
    reason: str = ""  # why a person pays it although it was an exception


@dataclass(frozen=True, slots=True)
class InvoiceException:
    """One document that a person must decide on; several problems of one document are one exception."""

    k: int
    files: list[str]
    supplier: str
    number: str
    amount: Decimal | None  # due
    currency: str
    kind: str  # the heaviest of `kinds`, a literal of problems.KINDS
    kinds: list[str]
    reason: str  # one sentence per kind
    advice: str
    can_pay: bool
    facts: list[Fact]
    claim: str  # "" for a file that gives no invoice
    sha256: str
    iban: str  # where a payment would go
    warnings: list[Notice]
    invoice: Invoice | None
    notices: list[Notice] = field(
        default_factory=list
    )  # what stands against it, in sentences that need no facts beside them

    @property
    def key(self) -> str:
        """By what an answer is remembered: the invoice, or the very file where it is no invoice that could be paid."""
        return self.claim if self.can_pay else document_key(self.files[0], self.sha256)

    @property
    def choices(self) -> list[str]:
        """What a person may choose; holding it is the answer when none is given."""
        return ["pay", "hold", "reject"] if self.can_pay else ["hold", "reject"]


@dataclass(frozen=True, slots=True)
class Handled:
    """A document that an earlier run settled, and the sentence that says so."""

    file: str
    supplier: str
    number: str
    amount: Decimal | None
    currency: str
    run: str
    sentence: str


@dataclass(frozen=True, slots=True)
class Review:
    """The judgement: every document is in exactly one of the four lists."""

    pay_on: date
    documents: int
    payable: list[PayRow]
    exceptions: list[InvoiceException]
    exported: list[Handled]
    rejected: list[Handled]

    @property
    def total(self) -> Decimal:
        """The sum of the payable rows, in euro."""
        return sum((row.amount for row in self.payable), Decimal(0))

    @property
    def claims(self) -> list[str]:
        """The claims of everything that could be paid in this run."""
        return [row.claim for row in self.payable] + [one.claim for one in self.exceptions if one.can_pay]


def review(
    documents: list[Invoice | Unreadable],
    ledger: list[LedgerRow],
    vendors: list[VendorRow],
    elsewhere: dict[str, str],
    pay_on: date,
    own_iban: str = "",
) -> Review:
    """Judge the documents of one folder.

    Args:
        documents: what `read_document` and `refusals` gave, in any order; the result does not depend on it.
        ledger: earlier exports and rejections; an invoice exported once is never payable again.
        vendors: the accounts suppliers were paid to.
        elsewhere: claim key -> a sentence naming the run that holds the invoice in an open gate.
        pay_on: the day the bank is asked to pay on; what is due before is paid late.
        own_iban: the account that is paid from, upper case without blanks; an invoice that names no other cannot be paid.
    """
    history = History(ledger, vendors)
    exported, rejected, fresh = _settled(sorted(documents, key=lambda document: document.file), history)
    folder = sort([document for document in fresh if isinstance(document, Invoice)])
    around = Around(history, folder, elsewhere, pay_on, own_iban, _alike(folder.originals))
    payable: list[PayRow] = []
    exceptions = [_of_unreadable(document) for document in fresh if isinstance(document, Unreadable)]
    exceptions += [_of_copy(copy) for copy in folder.copies]
    for invoice in folder.originals:
        problems = problems_of(invoice, around)
        if problems:
            exceptions.append(_of_invoice(invoice, problems, pay_row(invoice, around)))
        else:
            payable.append(pay_row(invoice, around))
    return Review(pay_on, len(documents), _numbered(payable), _ranked(exceptions), exported, rejected)


def claims_of(documents: list[Invoice | Unreadable]) -> list[str]:
    """The claim keys of all readable invoices: what to ask other runs about before `review`."""
    return list(dict.fromkeys(claim_key(document) for document in documents if isinstance(document, Invoice)))


def pay_row(invoice: Invoice, around: Around) -> PayRow:
    """The payment of an invoice: to the account used last if the invoice names it, else to the first it names that is not ours."""
    accounts = around.history.accounts(invoice)
    known, named = accounts[-1].iban if accounts else "", around.accounts_of(invoice)
    iban = known if known in named else next(iter(named), invoice.iban)
    return PayRow(0, invoice, iban, invoice.due or Decimal(0), _notices(invoice, iban, around), claim_key(invoice))


def _settled(
    documents: list[Invoice | Unreadable], history: History
) -> tuple[list[Handled], list[Handled], list[Invoice | Unreadable]]:
    exported: list[Handled] = []
    rejected: list[Handled] = []
    fresh: list[Invoice | Unreadable] = []
    for document in documents:
        if row := history.exported(document):
            where = f" in {row.payment_file}" if row.payment_file else ""
            exported.append(_handled(document, row, f"Exported on {day_shown(day_of(row.at))}{where}, run {row.run}."))
        elif row := history.rejected(document):
            why = f": “{row.reason}”" if row.reason else ""
            rejected.append(_handled(document, row, f"Rejected on {day_shown(day_of(row.at))} in run {row.run}{why}."))
        else:
            fresh.append(document)
    return exported, rejected, fresh


def _handled(document: Invoice | Unreadable, row: LedgerRow, sentence: str) -> Handled:
    return Handled(document.file, row.supplier, row.number, row.amount, row.currency, row.run, sentence)


def _notices(invoice: Invoice, iban: str, around: Around) -> list[Notice]:
    found: list[Notice] = []
    if invoice.due_date is not None and invoice.due_date < around.pay_on:
        days = (around.pay_on - invoice.due_date).days
        span = "1 day" if days == 1 else f"{days} days"
        found.append(Notice("overdue", f"Due on {day_shown(invoice.due_date)}: {span} late."))
    if not around.history.accounts(invoice):
        found.append(Notice("first_payment", "No earlier payment to compare with."))
    others = around.history.others_paid_to(iban, invoice)
    if others:
        found.append(Notice("shared_account", f"This account was used for another supplier: “{others[0]}”."))
    found += _alike_notices(invoice, around)
    if invoice.other_ibans:
        count = len(invoice.ibans)
        found.append(Notice("several_accounts", f"The invoice names {count} accounts; {grouped(iban)} is used."))
    shown = invoice.box_of("page_iban")
    if shown is not None:
        found.append(Notice("page_account", f"Its page names another account: {grouped(shown.text)}."))
    if invoice.payee:
        found.append(Notice("other_payee", f"The money goes to “{invoice.payee}”, not to the seller."))
    if invoice.type_code == CORRECTION:
        found.append(Notice("correction", "This is a corrected invoice; make sure the one it replaces is not paid."))
    if invoice.syntax == PDF_TEXT:
        found.append(Notice("page_text", "Read from the words on its pages, not from e-invoice data."))
    elif not invoice.profile:
        found.append(Notice("unknown_profile", "The invoice names no known profile of the standard."))
    return found


def _alike(originals: list[Invoice]) -> dict[str, list[Invoice]]:
    """File -> other invoices of the folder from the same supplier over the same amount; all of them have other numbers."""
    groups: dict[tuple[str, str, Decimal], list[Invoice]] = {}
    for invoice in originals:
        if invoice.seller and invoice.gross and not invoice.is_credit:
            groups.setdefault((seller_key(invoice), invoice.currency, invoice.gross), []).append(invoice)
    return {one.file: [other for other in group if other is not one] for group in groups.values() for one in group}


def _alike_notices(invoice: Invoice, around: Around) -> list[Notice]:
    """An invoice sent twice under two numbers is paid twice, so what looks like one is said."""
    found = []
    for other in around.alike.get(invoice.file, [])[:3]:
        day = " of the same day" if other.issue_date and other.issue_date == invoice.issue_date else ""
        found.append(Notice("alike", f"Same supplier and amount as “{other.number}”{day}, other number."))
    row = around.history.alike(invoice)
    if row is not None:
        found.append(Notice("alike", f"Same supplier, amount and day as “{row.number}”, exported in run {row.run}."))
    return found


def document_key(file: str, sha256: str) -> str:
    """A stable text for one very file."""
    return f"file|{file}|{sha256}"


def _numbered(rows: list[PayRow]) -> list[PayRow]:
    rows.sort(key=lambda row: (row.invoice.seller.casefold(), row.invoice.number, row.invoice.file))
    return [replace(row, n=n) for n, row in enumerate(rows, 1)]


def _ranked(exceptions: list[InvoiceException]) -> list[InvoiceException]:
    """Those a person can decide come first, the heaviest first."""
    exceptions.sort(key=lambda one: (not one.can_pay, KINDS.index(one.kind), one.files))
    return [replace(one, k=k) for k, one in enumerate(exceptions, 1)]


def _of_unreadable(document: Unreadable) -> InvoiceException:
    return InvoiceException(
        k=0,
        files=[document.file],
        supplier="",
        number="",
        amount=None,
        currency="",
        kind="unreadable",
        kinds=["unreadable"],
        reason=document.reason,
        advice=document.advice,
        can_pay=False,
        facts=[],
        claim="",
        sha256=document.sha256,
        iban="",
        warnings=[],
        invoice=None,
    )


def _of_copy(copy: Copy) -> InvoiceException:
    same_file = copy.kind == SAME_FILE
    problem = Problem(
        copy.kind,
        f"This is the same {'file' if same_file else 'invoice in another form'} as {copy.of.file}.",
        f"Take it out of the folder; {copy.of.file} is the one that counts.",
        can_pay=False,
        facts=[
            Fact(
                "Gross amount",
                money_shown(copy.of.gross, copy.of.currency),
                money_shown(copy.invoice.gross, copy.invoice.currency),
                place(copy.of, "gross"),
                place(copy.invoice, "gross"),
            )
        ],
    )
    return _of_invoice(copy.invoice, [problem])


def _of_invoice(invoice: Invoice, problems: list[Problem], row: PayRow | None = None) -> InvoiceException:
    first = problems[0]
    return InvoiceException(
        k=0,
        files=[invoice.file],
        supplier=invoice.seller,
        number=invoice.number,
        amount=invoice.due,
        currency=invoice.currency,
        kind=first.kind,
        kinds=[problem.kind for problem in problems],
        reason=" ".join(problem.reason for problem in problems),
        advice=first.advice,
        can_pay=all(problem.can_pay for problem in problems),
        facts=[fact for problem in problems for fact in problem.facts],
        claim=claim_key(invoice),
        sha256=invoice.sha256,
        iban=row.iban if row else invoice.iban,
        warnings=row.warnings if row else [],
        invoice=invoice,
        notices=[Notice(problem.kind, problem.told or problem.reason) for problem in problems],
    )
