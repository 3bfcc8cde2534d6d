"""What a person sees at stop 1, and what both stops show: tables, figures and sentences out of a review.

Accounts are shown whole, in groups.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from counterfoil import Evidence, Field, Money, file, table, text
from pay_invoices.accounts import grouped
from pay_invoices.invoices import PDF_TEXT, PageBox, Pile, money_shown
from pay_invoices.memory import Omitted
from pay_invoices.review import Handled, InvoiceException, PayRow, Review

_FACT_COLUMNS = ("What", "Before", "Expected", "From", "Now", "Found", "Found in")
_KINDS = {
    "folder": ("sub-folder", "sub-folders"),
    "hidden file": ("hidden file", "hidden files"),
    "special file": ("pipe or device", "pipes or devices"),
    "unreadable": ("entry this account may not read", "entries this account may not read"),
    "not copied": ("entry that runs are not given", "entries that runs are not given"),
}


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


def elsewhere_flags(exceptions: Sequence[InvoiceException]) -> list[str]:
    """How many of these are in other runs: one sentence for each run and whom it waits for, and one on what follows."""
    said = [notice.text for one in exceptions for notice in one.notices if notice.kind == "in_other_run"]
    return [_elsewhere(count, where.rstrip(".")) for where, count in Counter(said).items()]


def _elsewhere(count: int, where: str) -> str:
    who = f"{count} of these invoices {'is' if count == 1 else 'are'} {where[:1].lower()}{where[1:]}."
    until = " until that gate is closed" if ", waiting for " in where else ""
    return f"{who} {'It is' if count == 1 else 'They are'} held and cannot be included{until}."


def exception_form(exceptions: list[InvoiceException]) -> list[Field]:
    """Stop 1: two fields per exception, `choice.K` and `reason.K`; a reason is needed to pay or to reject."""
    form: list[Field] = []
    for one in exceptions:
        choice, wants = f"choice.{one.k}", [name for name in one.choices if name != "hold"]
        about = f"{one.reason} {one.advice} Without an answer it is held."
        default = None if one.can_pay else "hold"  # what nobody can pay needs no answer
        form.append(
            Field(
                name=choice,
                type="choice",
                label=_label(one),
                help=about,
                choices=one.choices,
                default=default,
            )
        )
        help_ = f"Needed to {' or to '.join(wants)}."
        form.append(Field(name=f"reason.{one.k}", label=f"{one.k}. Reason", help=help_, required_when={choice: wants}))
    return form


def _label(one: InvoiceException) -> str:
    return f"{one.k}. {' '.join(part for part in (one.supplier, one.number) if part) or one.files[0]}"


def exception_evidence(
    asked: list[InvoiceException], judged: Review, documents: Pile, omitted: list[Omitted]
) -> list[Evidence]:
    """Stop 1: one table of everything that needs a look, and per exception what was known beside what is there now.

    `omitted` is what was decided before: it is shown when it is not asked about.
    """
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
        for one in asked
    ]
    pieces = [table(rows, title="Needs your answer", flagged=[i for i, one in enumerate(asked) if one.can_pay])]
    for one in asked:
        facts = _facts(one)
        pieces += [facts] if facts is not None else []
        pieces += _pages(one)
    pieces.append(
        table([payable_cells(row) for row in judged.payable], title="Ready to pay", total=total_cells(judged.payable))
    )
    here = {file for one in asked for file in one.files}
    pieces += omitted_evidence([one for one in omitted if not here & set(one.files)], "Decided already")
    return pieces + account_evidence(judged, documents)


def _facts(one: InvoiceException) -> Evidence | None:
    if not one.facts:
        return None
    rows = []
    for fact in one.facts:
        old, new = ("Expected", "Found") if fact.compared else ("Before", "Now")
        rows.append(
            {"What": fact.label, old: fact.old, "From": fact.old_source, new: fact.new, "Found in": fact.new_source}
        )
    columns = [name for name in _FACT_COLUMNS if any(name in row for row in rows)]
    return table(rows, title=_label(one), columns=columns)


def _pages(one: InvoiceException) -> list[Evidence]:
    """The pages of an exception with a box around everything that was found there."""
    if one.invoice is None:
        return []
    boxes = one.invoice.boxes
    if one.invoice.syntax != PDF_TEXT:
        # The data counts, so of the page only what the exception is about is shown.
        boxes = [box for box in boxes if box.field in _fields_of(one)]
    return page_evidence(one.files[0], _label(one), boxes)


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
        "Settled before": len(judged.exported) + len(judged.rejected),
    }


def payable_cells(row: PayRow) -> dict[str, Any]:
    return {
        "No.": row.n,
        "Supplier": row.invoice.seller,
        "Account": grouped(row.iban),
        "Invoice": row.invoice.number,
        "Due": row.invoice.due_date,
        "Amount": Money(row.amount, "EUR"),
        "Warnings": "; ".join(notice.text for notice in row.warnings),
    }


def total_cells(rows: list[PayRow]) -> dict[str, Any]:
    return {"Supplier": f"{len(rows)} payments", "Amount": Money(sum((row.amount for row in rows), Decimal(0)), "EUR")}


def account_line(judged: Review, documents: Pile) -> str:
    """Where every file of the folder went, as a sum that balances, and what was not read."""
    ways = [
        f"{len(judged.payable)} ready",
        f"{len(judged.exceptions)} to look at",
        f"{len(judged.exported)} exported before{_runs(judged.exported)}",
        f"{len(judged.rejected)} rejected before{_runs(judged.rejected)}",
    ]
    files = "1 file" if judged.documents == 1 else f"{judged.documents} files"
    counts = Counter(one.what for one in documents.not_read)
    kinds = [f"{count} {_KINDS[what][count > 1]}" for what, count in sorted(counts.items())]
    tail = f"; not read: {', '.join(kinds)}" if kinds else ""
    return f"{files} = {' + '.join(ways)}{tail}."


def _runs(handled: list[Handled]) -> str:
    runs = list(dict.fromkeys(one.run for one in handled))
    return f" (run {', '.join(runs)})" if runs else ""


def account_evidence(judged: Review, documents: Pile) -> list[Evidence]:
    """The account of the folder: the sum, what earlier runs settled, what was not read."""
    pieces = [text(account_line(judged, documents), title="What lies in the folder")]
    handled = [
        {"File": one.file, "Invoice": one.number, "What": one.sentence} for one in [*judged.exported, *judged.rejected]
    ]
    if handled:
        pieces.append(table(handled, title="Settled before"))
    if documents.not_read:
        skipped = [{"Name": one.path, "What": _KINDS[one.what][0]} for one in documents.not_read]
        pieces.append(table(skipped, title="Not read"))
    return pieces


def omitted_evidence(omitted: list[Omitted], title: str) -> list[Evidence]:
    rows = [
        {
            "No.": one.n,
            "Supplier": one.supplier,
            "Invoice": one.number,
            "Amount": one.amount,
            "State": one.state,
            "By": one.by,
            "Why": one.why,
            "Files": ", ".join(one.files),
        }
        for one in omitted
    ]
    return [table(rows, title=title)] if rows else []
