"""What a person sees at the two stops: tables, figures and sentences out of a review. Accounts are shown whole, in groups."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Any

from counterfoil import Evidence, Field, Money, file, table
from pay_invoices.accounts import grouped
from pay_invoices.checks import run_checks
from pay_invoices.invoices import PDF_TEXT, Invoice, PageBox, money_shown, sums_shown
from pay_invoices.reasons import place
from pay_invoices.review import InvoiceException, PayRow, Review

SHOWN_FIELDS = (("due", "Amount due"), ("iban", "Account"), ("number", "Invoice number"), ("due_date", "Due date"))
_BOXED_FIELDS = frozenset({"due", "iban", "number", "due_date", "page_total", "page_iban"})


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


def exception_title(exceptions: list[InvoiceException]) -> str:
    """What stop 1 asks: how many need an answer, and how many are set aside whatever is answered."""
    asked = sum(1 for one in exceptions if one.can_pay)
    aside = len(exceptions) - asked
    parts = [f"{asked} {'invoice needs' if asked == 1 else 'invoices need'} your answer"] if asked else []
    if aside:
        parts.append(
            f"{aside} {'is' if aside == 1 else 'are'} set aside"
            if asked
            else f"{aside} {'file is' if aside == 1 else 'files are'} set aside"
        )
    return ", ".join(parts) + " before payment"


def exception_form(exceptions: list[InvoiceException]) -> list[Field]:
    """Stop 1: two fields per exception, `choice.K` and `reason.K`; a reason is needed to pay or to reject."""
    form: list[Field] = []
    for one in exceptions:
        subject = " ".join(part for part in (one.supplier, one.number) if part) or one.files[0]
        choice, wants = f"choice.{one.k}", [name for name in one.choices if name != "hold"]
        about = f"{one.reason} {one.advice} Without an answer it is held."
        default = None if one.can_pay else "hold"  # what nobody can pay needs no answer
        form.append(
            Field(
                name=choice,
                type="choice",
                label=f"{one.k}. {subject}",
                help=about,
                choices=one.choices,
                default=default,
            )
        )
        help_ = f"Needed to {' or to '.join(wants)}."
        form.append(Field(name=f"reason.{one.k}", label=f"{one.k}. Reason", help=help_, required_when={choice: wants}))
    return form


def exception_evidence(judged: Review) -> list[Evidence]:
    """Stop 1: one table of everything that needs a look, and per exception what was known beside what is there now."""
    rows = [
        {
            "No.": one.k,
            "Supplier": one.supplier,
            "Invoice": one.number,
            "Amount": money_shown(one.amount, one.currency) if one.amount is not None else "",
            "Why": one.reason,
            "What to do": one.advice,
            "Files": ", ".join(one.files),
            "Can be paid": "yes, with a reason" if one.can_pay else "no",
        }
        for one in judged.exceptions
    ]
    pieces = [
        table(rows, title="Needs your answer", flagged=[i for i, one in enumerate(judged.exceptions) if one.can_pay])
    ]
    for one in judged.exceptions:
        facts = _facts(one)
        pieces += [facts] if facts is not None else []
        pieces += _pages(one)
    pieces.append(table([_payable(row) for row in judged.payable], title="Ready to pay", total=_total(judged.payable)))
    return pieces


def _facts(one: InvoiceException) -> Evidence | None:
    if not one.facts:
        return None
    rows = [
        {
            "What": fact.label,
            "Before": fact.old,
            "From": fact.old_source,
            "Now": fact.new,
            "Found in": fact.new_source,
        }
        for fact in one.facts
    ]
    return table(rows, title=f"{one.k}. {one.supplier or one.files[0]} {one.number}".strip())


def _pages(one: InvoiceException) -> list[Evidence]:
    """The pages of an exception with a box around everything that was found there."""
    if one.invoice is None:
        return []
    boxes = one.invoice.boxes
    if one.invoice.syntax != PDF_TEXT:
        # The data counts, so of the page only what the exception is about is shown.
        boxes = [box for box in boxes if box.field in _fields_of(one)]
    return page_evidence(one.files[0], f"{one.k}. {one.supplier or one.files[0]} {one.number}".strip(), boxes)


def _fields_of(one: InvoiceException) -> set[str]:
    found = {"page_total"} if "page_disagrees" in one.kinds else set()
    return found | ({"iban", "page_iban"} if "changed_account" in one.kinds else set())


def page_evidence(path: str, title: str, boxes: list[PageBox]) -> list[Evidence]:
    """One piece per page: the page of a PDF with boxes drawn; nothing without boxes."""
    pages: dict[int, list[PageBox]] = {}
    for box in boxes:
        pages.setdefault(box.page, []).append(box)
    return [
        file(
            path,
            title=f"{title}, page {page}",
            page=page,
            boxes=[(box.x0, box.top, box.x1, box.bottom) for box in found],
        )
        for page, found in sorted(pages.items())
    ]


def exception_figures(judged: Review) -> dict[str, Any]:
    """Key figures of stop 1."""
    return {
        "Files": judged.documents,
        "Ready to pay": len(judged.payable),
        "To look at": len(judged.exceptions),
        "Total ready": Money(judged.total, "EUR"),
    }


def _payable(row: PayRow) -> dict[str, Any]:
    return {
        "No.": row.n,
        "Supplier": row.invoice.seller,
        "Account": grouped(row.iban),
        "Invoice": row.invoice.number,
        "Due": row.invoice.due_date,
        "Amount": Money(row.amount, "EUR"),
        "Warnings": "; ".join(notice.text for notice in row.warnings),
    }


def _total(rows: list[PayRow]) -> dict[str, Any]:
    return {"Supplier": f"{len(rows)} payments", "Amount": Money(sum((row.amount for row in rows), Decimal(0)), "EUR")}


def batch_evidence(rows: list[PayRow], judged: Review, checks: list[CheckRow]) -> list[Evidence]:
    """Stop 2: the payments, what is left out and why, where each figure comes from, every check."""
    pieces = []
    if rows:
        payments = [{**_payable(row), "Reason": row.reason, "File": row.invoice.file} for row in rows]
        flagged = [index for index, row in enumerate(rows) if row.warnings or row.reason]
        pieces.append(table(payments, title="Payments", total=_total(rows), flagged=flagged))
    paid = {row.k for row in rows if row.k}
    left_out = [
        {
            "Supplier": one.supplier,
            "Invoice": one.number,
            "Amount": money_shown(one.amount, one.currency),
            "Why": one.reason,
            "Files": ", ".join(one.files),
        }
        for one in judged.exceptions
        if one.k not in paid
    ]
    if left_out:
        pieces.append(table(left_out, title="Not in this file"))
    handled = [
        {"File": one.file, "Invoice": one.number, "What": one.sentence} for one in [*judged.exported, *judged.rejected]
    ]
    if handled:
        pieces.append(table(handled, title="Settled before"))
    pieces.append(_check_evidence(checks))
    pieces.append(_source_evidence(rows))
    for row in rows:
        shown = [box for box in row.invoice.boxes if box.field in _BOXED_FIELDS]
        pieces += page_evidence(row.invoice.file, f"{row.invoice.seller} {row.invoice.number}", shown)
    return pieces


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


def batch_figures(rows: list[PayRow], total: Decimal, pay_on: date, debtor_iban: str) -> dict[str, Any]:
    """Key figures of stop 2."""
    return {
        "Total": Money(total, "EUR"),
        "Payments": len(rows),
        "Pay on": pay_on,
        "From account": grouped("".join(debtor_iban.split()).upper()),
    }


def batch_flags(rows: list[PayRow]) -> list[str]:
    """Sentences on what deserves a second look before approving."""
    first = [row.invoice.seller for row in rows if any(notice.kind == "first_payment" for notice in row.warnings)]
    overdue = [row for row in rows if any(notice.kind == "overdue" for notice in row.warnings)]
    flags = []
    if first:
        flags.append(f"First payment to {', '.join(first)}: no earlier payment to compare with.")
    if overdue:
        flags.append(f"{len(overdue)} overdue: {sums_shown([(row.amount, 'EUR') for row in overdue])}.")
    return flags
