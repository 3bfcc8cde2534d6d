"""Supplier payments: a folder of e-invoices goes in, one approved payment file comes out. Nothing is sent to a bank.

Reading, judging and making bytes are steps; the two stops for a person stand in the body, where one can read them.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal

from counterfoil import (
    Decision,
    Effect,
    FileRefused,
    FilesChanged,
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
from pay_invoices import settlement
from pay_invoices.batch_page import (
    CheckRow,
    batch_evidence,
    batch_fields,
    batch_figures,
    batch_flags,
    batch_title,
    check_rows,
)
from pay_invoices.invoices import Invoice, NotRead, Pile, Unreadable, money_shown, pile
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
from pay_invoices.means import compact
from pay_invoices.memory import Memory
from pay_invoices.payment import ReadBack, pay_on_problem, payment_xml, read_back
from pay_invoices.presenting import (
    account_line,
    elsewhere_flags,
    exception_evidence,
    exception_figures,
    exception_form,
    exception_title,
)
from pay_invoices.reading import read_document
from pay_invoices.refusals import name_trouble, refused, safe_name
from pay_invoices.review import InvoiceException, PayRow, Review, claims_of, review

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
    pay_on: date = param(label="Pay on", help="The day the bank is asked to execute.", remember=True, check="not_past")


@dataclass(frozen=True)
class Tables:
    """What the team keeps beside its invoices, as read at the start of the run."""

    ledger: list[LedgerRow]
    vendors: list[VendorRow]
    archived: list[str]


@dataclass(frozen=True)
class Look:
    """Everything one look at the folder and the tables gave."""

    documents: Pile
    tables: Tables
    judged: Review
    checks: list[CheckRow]
    pay_on: date
    day: date


@dataclass(frozen=True)
class Receipt:
    """What came of a run; files = exported + held + rejected + settled before."""

    summary: str
    files: int
    exported: int
    held: int
    rejected: int
    total: Money
    payment_file: str | None
    settled_before: int


@step(process=True, title="Read invoices")
def read_invoices(folder: Folder) -> Pile:
    """Every file of the folder, read by content; one that gives no invoice is kept with its reason."""
    door = files()
    found = [entry for entry in door.list(folder) if entry.path.removeprefix("./") not in (LEDGER, VENDORS)]
    documents: list[Invoice | Unreadable] = []
    for number, entry in enumerate(found, start=1):
        report(f"Reading {number} of {len(found)}")
        trouble = name_trouble(entry.path)
        if trouble is not None:
            documents.append(trouble)
            continue
        try:
            documents.append(read_document(entry.path, door.read(entry.path)))
        except FileRefused as problem:
            documents.append(refused(entry.path, problem.reason))
    sorted_out = pile(documents, [NotRead(safe_name(one.path), one.kind) for one in door.left_out(folder)])
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
def judge(documents: Pile, tables: Tables, elsewhere: dict[str, str], pay_on: date, own_iban: str) -> Review:
    """What can be paid, what a person must look at, what was handled before."""
    judged = review(documents.documents, tables.ledger, tables.vendors, elsewhere, pay_on, own_iban)
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
    pay_on: date,
    day: date,
) -> settlement.Batch:
    """The bytes, rows and moves of one batch; the same arguments give the same bytes."""
    path = f"payments/r-{run}.xml"
    xml = None
    if rows:
        xml = payment_xml(
            settlement.payments(rows, run),
            debtor_name=p.debtor_name,
            debtor_iban=p.debtor_iban,
            pay_on=pay_on,
            message_id=message_id,
            created_at=created_at,
        )
    at = day.isoformat()
    exported = settlement.exported_rows(rows, run=run, folder=p.folder, payment_file=path, at=at)
    refusals = settlement.rejected_rows(judged.exceptions, rejected, run=run, folder=p.folder, at=at)
    vendors = settlement.vendor_rows(rows, tables.vendors, run=run, used_on=day)
    total = sum((row.amount for row in rows), Decimal(0))
    report(f"{len(rows)} payments, {money_shown(total, 'EUR')}")
    return settlement.Batch(
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


def plan_of(batch: settlement.Batch) -> list[Effect]:
    """The effects of a batch, in the order they are performed."""
    plan = [write_file(batch.path, batch.xml)] if batch.xml is not None else []
    if batch.ledger:
        plan.append(append_rows(LEDGER, batch.ledger, columns=LEDGER_COLUMNS))
    if batch.vendors:
        plan.append(append_rows(VENDORS, batch.vendors, columns=VENDOR_COLUMNS))
    if batch.moves:
        plan.append(move_files(batch.moves))
    return plan


async def look_around(p: PayInvoices) -> Look:
    """Read the folder and the tables as they are now, and judge every document."""
    documents = await read_invoices(p.folder)
    tables = await read_tables()
    day = now().date()
    pay_on = max(p.pay_on, day)
    elsewhere = await claimed_elsewhere(claims_of(documents.documents))
    judged, checks = await parallel(
        judge(documents, tables, elsewhere, pay_on, compact(p.debtor_iban)), list_checks(documents)
    )
    return Look(documents, tables, judged, checks, pay_on, day)


async def ask_about(asked: list[InvoiceException], look: Look, memory: Memory) -> None:
    """Stop 1, only when something needs an answer; whatever is not answered is held."""
    answers = await ask(
        exception_title(asked),
        exception_form(asked),
        evidence=exception_evidence(asked, look.judged, look.documents, memory.omitted(look.judged)),
        figures=exception_figures(look.judged),
        flags=[*memory.notes, *elsewhere_flags(asked), *(f"{one.k}. {one.reason}" for one in asked)],
    )
    memory.answered(asked, answers, answers.by)


async def batch_of(rows: list[PayRow], look: Look, memory: Memory, p: PayInvoices) -> settlement.Batch:
    """The batch of this round; its ids and creation time are the run's own, so they are the same however often it is made."""
    run = this_run()
    message_id = f"R{run.number}-{run.run_id[:20]}"
    return await make_batch(
        rows,
        look.judged,
        look.tables,
        memory.reject(look.judged),
        p,
        str(run.number),
        message_id,
        from_us(run.created_us),
        look.pay_on,
        look.day,
    )


async def approve_batch(
    rows: list[PayRow], batch: settlement.Batch, look: Look, memory: Memory, p: PayInvoices, number: int
) -> Decision:
    """Stop 2: the whole batch before a person."""
    omitted, rejected = memory.omitted(look.judged), memory.reject(look.judged)
    held = [one for one in look.judged.exceptions if one.k not in rejected]
    return await approve(
        batch_title(rows, len(rejected), LEDGER),
        plan=plan_of(batch),
        evidence=batch_evidence(rows, look.judged, look.documents, omitted, batch, look.checks),
        figures=batch_figures(rows, batch, look.pay_on, compact(p.debtor_iban), len(omitted)),
        flags=[*memory.notes, *elsewhere_flags(held), *batch_flags(rows, look.pay_on)],
        fields=batch_fields(rows, omitted),
        claims=[row.claim for row in rows],
        round=number,
    )


async def performed(decision: Decision, memory: Memory) -> bool:
    """Perform what was approved; False where files changed since, so that nothing was written and it is to be asked anew."""
    try:
        await decision.perform(on_conflict="raise")
    except FilesChanged as changed:
        memory.changed(changed.paths, decision.by)
        return False
    return True


def receipt(summary: str, look: Look, memory: Memory, rows: list[PayRow], batch: settlement.Batch | None) -> Receipt:
    """What came of the run, as figures that add up to the files of the folder."""
    judged = look.judged
    written = batch is not None
    rejected = len(memory.reject(judged)) if written else 0
    exported = len(rows) if written else 0
    return Receipt(
        summary,
        judged.documents,
        exported,
        len(judged.payable) + len(judged.exceptions) - exported - rejected,
        rejected,
        Money(batch.total if batch else Decimal(0), "EUR"),
        batch.path if batch and rows else None,
        len(judged.exported) + len(judged.rejected),
    )


@workflow("pay-invoices")
async def pay_invoices(p: PayInvoices) -> Receipt:
    memory = Memory()
    number = 0  # of the round at stop 2
    while True:
        look = await look_around(p)
        memory.looked(look.documents, look.judged)
        if too_far := pay_on_problem(look.pay_on, look.day):
            return receipt(f"{too_far} Nothing was written.", look, memory, [], None)
        if summary := settlement.nothing_new(look.judged, look.tables.ledger, p.folder):
            told = [summary, account_line(look.judged, look.documents), *memory.notes]
            return receipt(" ".join(told), look, memory, [], None)
        if look.pay_on != p.pay_on:
            memory.moved(p.pay_on, look.pay_on)
        rows = memory.rows(look.judged)
        try:
            asked = memory.unanswered(look.judged)
            if asked:
                await ask_about(asked, look, memory)
                continue
            if not rows and not memory.reject(look.judged):
                summary = f"Everything is held. Nothing was written. {account_line(look.judged, look.documents)}"
                return receipt(summary, look, memory, [], None)
            batch = await batch_of(rows, look, memory, p)
            number += 1
            decision = await approve_batch(rows, batch, look, memory, p, number)
            if rows and look.pay_on < now().date():
                continue  # approved too late for its day: made anew for today, and asked once more
            if not await performed(decision, memory):
                continue
        except Returned as back:
            memory.returned(back.by, back.comment, back.answers, look.judged)
            continue
        if batch.xml is not None:
            await read_payment_file(batch.path, len(rows), batch.total)
        summary = settlement.outcome(rows, batch, len(memory.reject(look.judged)), LEDGER)
        return receipt(summary, look, memory, rows, batch)
