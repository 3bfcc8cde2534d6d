"""From a review and a person's choices to what is written: the batch, its payments, the rows of both tables, the moves."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal
from pathlib import PurePosixPath
from typing import Any

from pay_invoices.duplicates import SAME_FILE, SAME_INVOICE, supplier_id
from pay_invoices.history import History
from pay_invoices.invoices import Invoice, money_shown
from pay_invoices.ledgers import EXPORTED, REJECTED, LedgerRow, VendorRow
from pay_invoices.payment import Payment, end_to_end_id, payment_of
from pay_invoices.review import InvoiceException, PayRow, Review


@dataclass(frozen=True, slots=True)
class Choices:
    """What a person decided about the exceptions: number (k) -> reason for those to pay and to reject, the rest is held."""

    pay: dict[int, str]
    reject: dict[int, str]
    hold: list[int]


@dataclass(frozen=True)
class Batch:
    """Everything that one approval covers, made once: bytes, rows and moves."""

    path: str
    xml: bytes | None
    ledger: list[dict[str, str]]
    vendors: list[dict[str, str]]
    moves: list[tuple[str, str]]
    total: Decimal


def read_choices(exceptions: list[InvoiceException], answers: Mapping[str, Any]) -> Choices:
    """The answers of the question gate, fields `choice.K` and `reason.K`; an exception without an answer is held.

    Raises:
        ValueError: a choice is none of the exception's, or paying or rejecting lacks its reason; the message names the field.
    """
    pay: dict[int, str] = {}
    reject: dict[int, str] = {}
    hold: list[int] = []
    for one in exceptions:
        choice = str(answers.get(f"choice.{one.k}") or "hold")
        reason = str(answers.get(f"reason.{one.k}") or "").strip()
        if choice not in one.choices:
            raise ValueError(f"choice.{one.k} is “{choice}”; exception {one.k} can be: {', '.join(one.choices)}.")
        if choice == "hold":
            hold.append(one.k)
        elif not reason:
            raise ValueError(f"reason.{one.k} is missing; say why exception {one.k} is to {choice}.")
        else:
            (pay if choice == "pay" else reject)[one.k] = reason
    return Choices(pay, reject, hold)


def batch(review: Review, pay: dict[int, str], hold: list[int] | None = None) -> list[PayRow]:
    """The rows to pay: all payable ones, then the exceptions a person chose to pay, without the held ones.

    Args:
        review: the judgement of the folder.
        pay: number of an exception (k) -> why it is paid all the same.
        hold: row numbers (n) to leave out; numbers do not move when others are left out.

    Raises:
        ValueError: a number does not exist, an exception cannot be paid, or a reason is missing.
    """
    rows = list(review.payable)
    known = {one.k: one for one in review.exceptions}
    for k in sorted(pay):
        if k not in known:
            raise ValueError(f"There is no exception {k}; there are {len(known)}.")
        rows.append(_row_of(known[k], number_of(review, known[k]), pay[k].strip()))
    held = set(hold or [])
    unknown = sorted(held - {row.n for row in rows})
    if unknown:
        raise ValueError(f"There is no row {unknown[0]}; there are {len(rows)}.")
    return [row for row in rows if row.n not in held]


def number_of(review: Review, one: InvoiceException) -> int:
    """The row number of an exception: they follow the payable rows, whatever becomes of each, so no number ever moves."""
    return len(review.payable) + one.k


def payments(rows: list[PayRow], run: str) -> list[Payment]:
    """One transfer per row; the ids depend on run, row number and invoice number only."""
    return [
        payment_of(row.invoice, row.iban, row.amount, end_to_end_id(run, row.n, row.invoice.number)) for row in rows
    ]


def exported_rows(rows: list[PayRow], *, run: str, folder: str, payment_file: str, at: str) -> list[LedgerRow]:
    """The ledger rows of a batch; `at` is the day the payment file was made, 2026-11-30."""
    return [
        replace(
            _ledger_row(row.invoice, run=run, folder=folder, at=at),
            state=EXPORTED,
            amount=row.amount,
            iban=row.iban,
            payment_file=payment_file,
            end_to_end_id=end_to_end_id(run, row.n, row.invoice.number),
            reason=row.reason,
        )
        for row in rows
    ]


def rejected_rows(
    exceptions: list[InvoiceException], reasons: dict[int, str], *, run: str, folder: str, at: str
) -> list[LedgerRow]:
    """The ledger rows of the exceptions a person rejected: k -> reason; the others are left alone."""
    return [
        replace(_rejected(one, run=run, folder=folder, at=at), reason=reasons[one.k])
        for one in exceptions
        if one.k in reasons
    ]


def vendor_rows(rows: list[PayRow], vendors: list[VendorRow], *, run: str, used_on: date) -> list[VendorRow]:
    """The vendor ledger rows of a batch, one per supplier and account."""
    history = History([], vendors)
    found: dict[tuple[str, str], VendorRow] = {}
    for row in rows:
        invoice = row.invoice
        first = history.first_used(invoice, row.iban) or used_on
        key = (supplier_id(invoice) or invoice.seller, row.iban)
        found[key] = VendorRow(invoice.seller, supplier_id(invoice), row.iban, first, used_on, invoice.number, run)
    return list(found.values())


def archive_moves(rows: list[PayRow], existing: list[str], *, archive: str = "archive") -> list[tuple[str, str]]:
    """(from, to) for every paid file; a name that is taken gets "-2" before its suffix.

    Args:
        rows: the batch.
        existing: paths relative to the workspace that lie in the archive already.
        archive: the target folder, relative to the workspace.
    """
    taken = {path.casefold() for path in existing}  # some file systems ignore case
    moves: list[tuple[str, str]] = []
    for row in rows:
        target = _free(f"{archive}/{PurePosixPath(row.invoice.file).name}", taken)
        taken.add(target.casefold())
        moves.append((row.invoice.file, target))
    return moves


def nothing_new(review: Review, ledger: list[LedgerRow], folder: str) -> str:
    """The result of a run that has nothing to decide, as a sentence; "" when there is something to pay or to answer."""
    if review.payable or review.exceptions:
        return ""
    here = [row for row in ledger if row.folder == folder]
    if not here:
        known = len(review.exported) + len(review.rejected)
        return (
            f"Nothing new: {known} of {review.documents} files were settled before."
            if known
            else "Nothing to do: 0 files."
        )
    exported = [row for row in here if row.state == EXPORTED]
    rejected = len(here) - len(exported)
    runs = list(dict.fromkeys(row.run for row in exported))
    where = f" in run {runs[0]}" if len(runs) == 1 else f" in runs {', '.join(runs)}" if runs else ""
    tail = f", {rejected} rejected" if rejected else ""
    return f"Nothing new: {len(exported)} of {len(here)} exported{where}{tail}."


def outcome(rows: list[PayRow], batch: Batch, rejections: int, ledger: str) -> str:
    """What was written, as sentences."""
    recorded = f"{rejections} rejection{'' if rejections == 1 else 's'} recorded in {ledger}."
    if not rows:
        return f"{recorded} Nothing was sent to a bank."
    count = f"{len(rows)} payment{'' if len(rows) == 1 else 's'}"
    tail = f" {recorded}" if rejections else ""
    return (
        f"{batch.path} is written: {count}, {money_shown(batch.total, 'EUR')}.{tail} Nothing was sent to a bank. "
        "Upload it in your bank's portal."
    )


def _row_of(one: InvoiceException, n: int, reason: str) -> PayRow:
    if not one.can_pay or one.invoice is None:
        raise ValueError(f"Exception {one.k} cannot be paid: {one.reason}")
    if not reason:
        raise ValueError(f"Exception {one.k} needs a reason to be paid; give reason.{one.k}.")
    warnings = [*one.notices, *one.warnings]
    return PayRow(n, one.invoice, one.iban, one.amount or Decimal(0), warnings, one.claim, one.k, reason)


def _ledger_row(invoice: Invoice, *, run: str, folder: str, at: str) -> LedgerRow:
    return LedgerRow(
        run=run,
        state=REJECTED,
        supplier=invoice.seller,
        supplier_id=supplier_id(invoice),
        number=invoice.number,
        type=invoice.type_code,
        issue_date=invoice.issue_date,
        due_date=invoice.due_date,
        currency=invoice.currency,
        gross=invoice.signed_gross,
        amount=None,
        iban="",
        file=invoice.file,
        sha256=invoice.sha256,
        folder=folder,
        payment_file="",
        end_to_end_id="",
        at=at,
        reason="",
    )


def _rejected(one: InvoiceException, *, run: str, folder: str, at: str) -> LedgerRow:
    if one.invoice is not None:
        row = _ledger_row(one.invoice, run=run, folder=folder, at=at)
        # A rejected copy says nothing about its original, so it leaves no gross by which the original would be found.
        return replace(row, gross=None) if one.kind in (SAME_FILE, SAME_INVOICE) else row
    return LedgerRow(
        run=run,
        state=REJECTED,
        supplier="",
        supplier_id="",
        number="",
        type="",
        issue_date=None,
        due_date=None,
        currency="",
        gross=None,
        amount=None,
        iban="",
        file=one.files[0],
        sha256=one.sha256,
        folder=folder,
        payment_file="",
        end_to_end_id="",
        at=at,
        reason="",
    )


def _free(path: str, taken: set[str]) -> str:
    stem, dot, suffix = path.rpartition(".")
    if not dot or "/" in suffix:
        stem, dot, suffix = path, "", ""
    candidate, counter = path, 1
    while candidate.casefold() in taken:
        counter += 1
        candidate = f"{stem}-{counter}{dot}{suffix}"
    return candidate
