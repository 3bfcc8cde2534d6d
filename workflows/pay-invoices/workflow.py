"""Supplier payments: a folder of e-invoices goes in, one approved payment file comes out. Nothing is sent to a bank.

Reading, judging and making bytes are steps; the two stops for a person stand in the body, where one can read them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Decimal

from counterfoil import (
    Effect,
    Field,
    FileRefused,
    Folder,
    Money,
    Params,
    Returned,
    append_rows,
    approve,
    ask,
    claimed_elsewhere,
    files,
    move_files,
    now,
    parallel,
    param,
    report,
    step,
    this_run,
    workflow,
    write_file,
)
from counterfoil.clock import from_us
from counterfoil.facts import person
from pay_invoices import settlement
from pay_invoices.invoices import Invoice, Pile, Unreadable, money_shown, pile
from pay_invoices.ledgers import (
    LEDGER_COLUMNS,
    VENDOR_COLUMNS,
    LedgerRow,
    VendorRow,
    ledger_cells,
    read_ledger,
    read_vendors,
    vendor_cells,
)
from pay_invoices.payment import ReadBack, pay_on_problem, payment_xml, read_back
from pay_invoices.presenting import (
    CheckRow,
    batch_evidence,
    batch_figures,
    batch_flags,
    check_rows,
    exception_evidence,
    exception_figures,
    exception_form,
    exception_title,
)
from pay_invoices.reading import read_document
from pay_invoices.refusals import name_trouble, refused
from pay_invoices.review import PayRow, Review, claims_of, review

LEDGER = "ledger.csv"
VENDORS = "vendors.csv"
ARCHIVE = "archive"


class PayInvoices(Params):
    folder: Folder = param(
        label="Folder with invoices", help="Its files are read; those that are exported move to archive/."
    )
    debtor_name: str = param(label="Pay in the name of", remember=True)
    debtor_iban: str = param(
        label="Pay from account", help="The IBAN of your own account.", remember=True, check="iban"
    )
    pay_on: date = param(label="Pay on", help="The day the bank is asked to execute.", remember=True)


@dataclass(frozen=True)
class Tables:
    """What the team keeps beside its invoices, as read at the start of the run."""

    ledger: list[LedgerRow]
    vendors: list[VendorRow]
    archived: list[str]


@dataclass(frozen=True)
class Batch:
    """Everything that one approval covers, made once: bytes, rows and moves."""

    path: str
    xml: bytes | None
    ledger: list[dict[str, str]]
    vendors: list[dict[str, str]]
    moves: list[tuple[str, str]]
    total: Decimal


@dataclass(frozen=True)
class Receipt:
    """What came of a run."""

    summary: str
    files: int
    exported: int
    held: int
    rejected: int
    total: Money
    payment_file: str | None


@step(process=True, title="Read invoices")
def read_invoices(folder: Folder) -> Pile:
    """Every file of the folder, read by content; one that gives no invoice is kept with its reason."""
    found = files().list(folder)
    documents: list[Invoice | Unreadable] = []
    for number, entry in enumerate(found, start=1):
        report(f"Reading {number} of {len(found)}")
        trouble = name_trouble(entry.path)
        if trouble is not None:
            documents.append(trouble)
            continue
        try:
            documents.append(read_document(entry.path, files().read(entry.path)))
        except FileRefused as problem:
            documents.append(refused(entry.path, problem.reason))
    sorted_out = pile(documents)
    report(f"{len(sorted_out.invoices)} invoices, {len(sorted_out.unreadable)} other files")
    return sorted_out


@step(title="Read the ledgers")
def read_tables() -> Tables:
    """The ledger of exports, the vendor ledger, and the names that the archive holds."""
    door = files()
    ledger = read_ledger(door.read(LEDGER) if door.exists(LEDGER) else None, file=LEDGER)
    vendors = read_vendors(door.read(VENDORS) if door.exists(VENDORS) else None, file=VENDORS)
    archived = [entry.path for entry in door.list(ARCHIVE)] if door.is_folder(ARCHIVE) else []
    report(f"{len(ledger)} earlier rows, {len(vendors)} known accounts")
    return Tables(ledger, vendors, archived)


@step(process=True, title="Check and compare")
def judge(documents: Pile, tables: Tables, elsewhere: dict[str, str], today: date) -> Review:
    """What can be paid, what a person must look at, what was handled before."""
    judged = review([*documents.invoices, *documents.unreadable], tables.ledger, tables.vendors, elsewhere, today)
    report(f"{len(judged.payable)} to pay, {len(judged.exceptions)} to look at")
    return judged


@step(process=True, title="List the checks")
def list_checks(documents: Pile) -> list[CheckRow]:
    """Every check of every invoice, for the person who approves."""
    return check_rows(documents.invoices)


@step(process=True, title="Make the payment file")
def make_batch(
    rows: list[PayRow],
    judged: Review,
    tables: Tables,
    rejected: dict[int, str],
    p: PayInvoices,
    run: str,
    message_id: str,
    created_at: datetime,
) -> Batch:
    """The bytes, rows and moves of one batch; the same arguments give the same bytes."""
    path = f"payments/r-{run}.xml"
    at = created_at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    xml = None
    if rows:
        payments = settlement.payments(rows, run)
        xml = payment_xml(
            payments,
            debtor_name=p.debtor_name,
            debtor_iban=p.debtor_iban,
            pay_on=p.pay_on,
            message_id=message_id,
            created_at=created_at,
        )
    exported = settlement.exported_rows(rows, run=run, folder=p.folder, payment_file=path, at=at)
    refusals = settlement.rejected_rows(judged.exceptions, rejected, run=run, folder=p.folder, at=at)
    vendors = settlement.vendor_rows(rows, tables.vendors, run=run, used_on=created_at.date())
    total = sum((row.amount for row in rows), Decimal(0))
    report(f"{len(rows)} payments, {money_shown(total, 'EUR')}")
    return Batch(
        path,
        xml,
        [ledger_cells(row) for row in [*exported, *refusals]],
        [vendor_cells(row) for row in vendors],
        settlement.archive_moves(rows, tables.archived, archive=ARCHIVE),
        total,
    )


@step(title="Read the payment file back")
def read_payment_file(path: str, count: int, total: Decimal) -> ReadBack:
    """What was written, read anew: its count and control sum must be the approved ones."""
    found = read_back(files().read(path))
    if found.count != count or found.control_sum != total:
        raise ValueError(
            f"{path} holds {found.count} payments over {found.control_sum}, approved were {count} over {total}. "
            "Do not upload it; look at the file."
        )
    report(f"{found.count} payments, {money_shown(found.control_sum, 'EUR')}, as approved")
    return found


def plan_of(batch: Batch) -> list[Effect]:
    """The effects of a batch, in the order they are performed."""
    plan = [write_file(batch.path, batch.xml)] if batch.xml is not None else []
    if batch.ledger:
        plan.append(append_rows(LEDGER, batch.ledger, columns=LEDGER_COLUMNS))
    if batch.vendors:
        plan.append(append_rows(VENDORS, batch.vendors, columns=VENDOR_COLUMNS))
    if batch.moves:
        plan.append(move_files(batch.moves))
    return plan


async def decide_exceptions(judged: Review) -> settlement.Choices:
    """Stop 1, only when something needs an answer; whatever is not answered is held."""
    if not judged.exceptions:
        return settlement.Choices({}, {}, [])
    answers = await ask(
        exception_title(judged.exceptions),
        exception_form(judged.exceptions),
        evidence=exception_evidence(judged),
        figures=exception_figures(judged),
        flags=[f"{one.k}. {one.reason}" for one in judged.exceptions],
    )
    return settlement.read_choices(judged, answers)


HOLD = Field(
    name="hold",
    type="list[integer]",
    label="Hold these rows",
    help="Row numbers to leave out; the payment file is made anew without them and asked again.",
    remakes=True,
)


def hold_of(back: Returned) -> list[int]:
    """The rows that a person named when sending the batch back."""
    given = back.answers.get("hold")
    return [int(number) for number in given] if isinstance(given, Sequence) and not isinstance(given, str) else []


@workflow("pay-invoices")
async def pay_invoices(p: PayInvoices) -> Receipt:
    run = this_run()
    today = now().date()
    problem = pay_on_problem(p.pay_on, today)
    if problem:
        raise ValueError(problem)
    documents = await read_invoices(p.folder)
    tables = await read_tables()
    elsewhere = await claimed_elsewhere(claims_of([*documents.invoices, *documents.unreadable]))
    judged, checks = await parallel(judge(documents, tables, elsewhere, today), list_checks(documents))
    summary = settlement.nothing_new(judged, tables.ledger, p.folder)
    if summary:
        return Receipt(summary, judged.documents, 0, 0, len(judged.rejected), Money(Decimal(0), "EUR"), None)

    choices = await decide_exceptions(judged)
    held: set[int] = set()
    notes: list[str] = []
    while True:
        rows = settlement.batch(judged, choices.pay, sorted(held))
        if not rows and not choices.reject:
            return Receipt(
                "Everything is held. Nothing was written.",
                judged.documents,
                0,
                len(judged.exceptions) + len(held),
                0,
                Money(Decimal(0), "EUR"),
                None,
            )
        batch = await make_batch(
            rows,
            judged,
            tables,
            choices.reject,
            p,
            str(run.number),
            f"R{run.number}-{run.run_id[:20]}",
            from_us(run.created_us),
        )
        try:
            decision = await approve(
                f"Write payment file for {len(rows)} invoices"
                if rows
                else f"Record {len(choices.reject)} rejections in {LEDGER}",
                plan=plan_of(batch),
                evidence=batch_evidence(rows, judged, checks),
                figures=batch_figures(rows, batch.total, p.pay_on, p.debtor_iban),
                flags=[*notes, *batch_flags(rows)],
                fields=[HOLD] if rows else [],
                claims=[row.claim for row in rows],
                round=len(notes) + 1,
            )
        except Returned as back:
            held |= set(hold_of(back)) & {row.n for row in rows}
            notes.append(f"Sent back by {person(back.by)}: {back.comment or 'rows are held'}")
            continue
        break
    await decision.perform()
    if batch.xml is not None:
        await read_payment_file(batch.path, len(rows), batch.total)
    return Receipt(
        f"{batch.path} is written: {len(rows)} payments, {money_shown(batch.total, 'EUR')}. Nothing was sent to a bank. "
        "Upload it in your bank's portal."
        if rows
        else f"{len(choices.reject)} rejections are recorded in {LEDGER}. Nothing was sent to a bank.",
        judged.documents,
        len(rows),
        len(choices.hold) + len(held),
        len(choices.reject),
        Money(batch.total, "EUR"),
        batch.path if rows else None,
    )
