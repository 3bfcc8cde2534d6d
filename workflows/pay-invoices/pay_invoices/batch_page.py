"""What a person sees at stop 2: what is paid and what is not, what would be written and moved, and every check behind it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import Any

from counterfoil import Evidence, Field, Money, table
from pay_invoices.accounts import grouped
from pay_invoices.bank_days import bank_day_note
from pay_invoices.checks import run_checks
from pay_invoices.invoices import Invoice, Pile, sums_shown
from pay_invoices.memory import Omitted
from pay_invoices.payment import payment_of
from pay_invoices.presenting import account_evidence, omitted_evidence, page_evidence, payable_cells, total_cells
from pay_invoices.reasons import day_shown, place
from pay_invoices.review import PayRow, Review
from pay_invoices.sepa_text import sepa_text
from pay_invoices.settlement import Batch

SHOWN_FIELDS = (("due", "Amount due"), ("iban", "Account"), ("number", "Invoice number"), ("due_date", "Due date"))
_BOXED_FIELDS = frozenset({"due", "iban", "number", "due_date", "page_total", "page_iban"})
_TOLD_ALONE = frozenset({"shared_account", "alike", "several_accounts", "page_account", "other_payee", "correction"})


@dataclass(frozen=True, slots=True)
class CheckRow:
    """One check of one document: passed, failed, or impossible (None)."""

    file: str
    name: str
    passed: bool | None
    detail: str
    expected: str
    found: str


def check_rows(invoices: list[Invoice]) -> list[CheckRow]:
    """Every check of every invoice."""
    return [
        CheckRow(invoice.file, check.name, check.passed, check.detail, check.expected, check.found)
        for invoice in invoices
        for check in run_checks(invoice)
    ]


def batch_evidence(
    rows: list[PayRow], judged: Review, documents: Pile, omitted: list[Omitted], batch: Batch, checks: list[CheckRow]
) -> list[Evidence]:
    """Stop 2: the payments, what is left out and why, what is written and moved, every check, where each figure comes from."""
    pieces = []
    if rows:
        flagged = [index for index, row in enumerate(rows) if row.warnings or row.reason]
        pieces.append(table(_payments(rows), title="Payments", total=total_cells(rows), flagged=flagged))
    pieces += omitted_evidence(omitted, "Not in this file")
    pieces += account_evidence(judged, documents)
    pieces += _written_evidence(batch)
    pieces.append(_check_evidence(checks))
    pieces.append(_source_evidence(rows))
    for row in rows:
        shown = [box for box in row.invoice.boxes if box.field in _BOXED_FIELDS]
        pieces += page_evidence(row.invoice.file, f"{row.invoice.seller} {row.invoice.number}", shown)
    return pieces


def _payments(rows: list[PayRow]) -> list[dict[str, Any]]:
    """The payments with what the payee reads, and the name as a bank can take it where that is spelled differently."""
    transfers = [payment_of(row.invoice, row.iban, row.amount, "-") for row in rows]
    names = [sepa_text(one.name, 70) for one in transfers]
    spelled = any(name != one.name for name, one in zip(names, transfers, strict=True))
    found = []
    for row, one, name in zip(rows, transfers, names, strict=True):
        shown = {**payable_cells(row), "Reason": row.reason, "Payee reads": sepa_text(one.remittance, 140)}
        if spelled:
            shown["Name in the file"] = name if name != one.name else ""
        found.append({**shown, "File": row.invoice.file})
    return found


def _written_evidence(batch: Batch) -> list[Evidence]:
    """The rows of both tables and the moves, as they are in the plan."""
    pieces = []
    if batch.ledger:
        names = ("state", "supplier", "number", "amount", "gross", "currency", "file", "reason")
        rows = [{name.capitalize(): row[name] for name in names} for row in batch.ledger]
        pieces.append(table(rows, title="Rows for the ledger"))
    if batch.vendors:
        columns = ("supplier", "iban", "first_used", "last_used", "invoice")
        rows = [{name.capitalize().replace("_", " "): row[name] for name in columns} for row in batch.vendors]
        pieces.append(table(rows, title="Rows for the vendor ledger"))
    if batch.moves:
        moved = [
            {
                "From": old,
                "To": new,
                "Note": "" if old.rpartition("/")[2] == new.rpartition("/")[2] else "renamed: the name is taken",
            }
            for old, new in batch.moves
        ]
        flagged = [index for index, row in enumerate(moved) if row["Note"]]
        pieces.append(table(moved, title="Files moved", flagged=flagged))
    return pieces


def batch_fields(rows: list[PayRow], omitted: list[Omitted]) -> list[Field]:
    """What a person may fill in at stop 2: both lists make the payment file anew and ask again."""
    found = []
    if rows:
        help_ = "Row numbers to leave out; the payment file is made anew without them and asked again."
        found.append(_rows_field("hold", "Hold these rows", help_, [row.n for row in rows]))
    again = [one.n for one in omitted if one.again]
    if again:
        help_ = "Rows of “Not in this file” to take in again; one that needs an answer is asked about anew."
        found.append(_rows_field("include", "Take these rows in again", help_, again))
    return found


def _rows_field(name: str, label: str, help_: str, numbers: list[int]) -> Field:
    choices = [str(n) for n in numbers]
    return Field(name=name, type="list[integer]", label=label, help=help_, choices=choices, remakes=True)


def _check_evidence(checks: list[CheckRow]) -> Evidence:
    rows = [
        {
            "Result": {True: "passed", False: "failed", None: "could not be made"}[check.passed],
            "Check": check.name,
            "File": check.file,
            "Detail": check.detail,
            "Expected": check.expected,
            "Found": check.found,
        }
        for check in sorted(checks, key=lambda check: check.passed is True)
    ]
    return table(rows, title="Checks", flagged=[index for index, row in enumerate(rows) if row["Result"] != "passed"])


def _source_evidence(rows: list[PayRow]) -> Evidence:
    found = [
        {"Invoice": row.invoice.number, "What": label, "Place": place(row.invoice, name)}
        for row in rows
        for name, label in SHOWN_FIELDS
        if row.invoice.path_of(name)
    ]
    return table(found, title="Where each figure comes from")


def batch_title(rows: list[PayRow], rejections: int, ledger: str) -> str:
    """What stop 2 asks."""
    recorded = "record 1 rejection" if rejections == 1 else f"record {rejections} rejections"
    if not rows:
        return f"{recorded.capitalize()} in {ledger}"
    tail = f" and {recorded}" if rejections else ""
    return f"Write payment file for {len(rows)} {'invoice' if len(rows) == 1 else 'invoices'}{tail}"


def batch_figures(rows: list[PayRow], batch: Batch, pay_on: date, debtor_iban: str, omitted: int) -> dict[str, Any]:
    """Key figures of stop 2."""
    return {
        "Total": Money(batch.total, "EUR"),
        "Payments": len(rows),
        "Pay on": pay_on,
        "From account": grouped(debtor_iban),
        "Not in this file": omitted,
    }


def batch_flags(rows: list[PayRow], pay_on: date) -> list[str]:
    """Sentences on what deserves a second look before approving: what a person chose to pay all the same comes first."""
    flags = [
        f"{row.invoice.seller} {row.invoice.number}: {_against(row)} Included because: “{row.reason}”."
        for row in rows
        if row.k
    ]
    first = [row.invoice.seller for row in rows if _has(row, "first_payment")]
    overdue = [row for row in rows if _has(row, "overdue")]
    if first:
        flags.append(f"First payment to {', '.join(dict.fromkeys(first))}: no earlier payment to compare with.")
    if overdue:
        flags.append(
            f"{len(overdue)} {'payment is' if len(overdue) == 1 else 'payments are'} due before {day_shown(pay_on)}: "
            f"{sums_shown([(row.amount, 'EUR') for row in overdue])}."
        )
    for row in rows:
        told = [notice.text for notice in row.warnings if notice.kind in _TOLD_ALONE]
        if told and not row.k:
            flags.append(f"{row.invoice.seller} {row.invoice.number}: {' '.join(told)}")
    pages = sum(1 for row in rows if _has(row, "page_text"))
    if pages:
        flags.append(f"{pages} read from the words on pages, not from e-invoice data: compare them with the page.")
    note = bank_day_note(pay_on) if rows else ""
    return [*flags, note] if note else flags


def _against(row: PayRow) -> str:
    """What stands against a payment that a person chose all the same, without what is told for all rows together."""
    return " ".join(
        notice.text for notice in row.warnings if notice.kind not in ("first_payment", "overdue", "page_text")
    )


def _has(row: PayRow, kind: str) -> bool:
    return any(notice.kind == kind for notice in row.warnings)
