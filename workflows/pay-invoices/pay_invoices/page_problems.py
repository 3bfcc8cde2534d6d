"""What the pages of a PDF give reason to doubt: values that are not proved, words such as "paid", figures other than the XML's.

A person sees the page with everything that was found there. What a payment needs must be proved; the rest a person may judge.
"""

from __future__ import annotations

from pay_invoices.accounts import grouped
from pay_invoices.checks import page_total
from pay_invoices.invoices import PDF_TEXT, Invoice, PageBox, money_shown
from pay_invoices.reasons import Around, Fact, Problem, place

# Fields of an invoice that was read from its pages, in the order people see them.
NAMES = {
    "type_code": "kind of document",
    "number": "invoice number",
    "issue_date": "date of issue",
    "due_date": "due date",
    "seller": "supplier",
    "seller_vat_id": "VAT id",
    "iban": "account",
    "currency": "currency",
    "net": "net amount",
    "tax": "tax",
    "gross": "total",
    "due": "amount due",
    "paid": "paid",
    "collected": "direct debit",
    "assigned": "who is to be paid",
    "page_total": "total on the page",
    "page_iban": "account on the page",
}
# Without these nothing can be paid, whatever a person thinks.
_NEEDED = frozenset({"type_code", "number", "seller", "currency", "gross", "due"})


def unproved(invoice: Invoice, _: Around) -> Problem | None:
    """What the pages do not say, say twice, or say so that it cannot be proved."""
    if invoice.syntax != PDF_TEXT or not invoice.odd:
        return None
    said = [f"the {NAMES[odd.field]} ({odd.problem})" for odd in invoice.odd]
    more = f", and {len(said) - 3} more" if len(said) > 3 else ""
    can_pay = not any(odd.field in _NEEDED for odd in invoice.odd)
    advice = (
        "Look at the page; pay only if all else is right, with a reason."
        if can_pay
        else "Look at the page; ask the supplier for an e-invoice, or hold it and enter it by hand."
    )
    return Problem(
        "unproved",
        f"Not everything on the page is proved: {'; '.join(said[:3])}{more}.",
        advice,
        can_pay=can_pay,
        facts=list(_found(invoice)),
    )


def _found(invoice: Invoice) -> list[Fact]:
    """Everything that was looked for: what stands on the page, or that it is not there."""
    doubts = {odd.field: odd for odd in invoice.odd}
    facts = []
    for field, name in NAMES.items():
        boxes = [box for box in invoice.boxes if box.field == field]
        if not boxes and field not in doubts:
            continue
        label = name[0].upper() + name[1:] + (", not proved" if field in doubts else "")
        text = " + ".join(dict.fromkeys(box.text for box in boxes)) or (doubts[field].text or "not found")
        facts.append(Fact(label, "", text, "", page_place(invoice, boxes[0]) if boxes else invoice.file))
    return facts


def page_place(invoice: Invoice, box: PageBox) -> str:
    """A place on a page for people: file and page."""
    return f"{invoice.file}, page {box.page}"


def disagrees(invoice: Invoice, _: Around) -> Problem | None:
    """The page that people see and the data that programs read state different totals."""
    box = invoice.box_of("page_total")
    if box is None or page_total(invoice).passed is not False:
        return None
    shown, inside = money_shown(invoice.page_total, invoice.currency), money_shown(invoice.gross, invoice.currency)
    return Problem(
        "page_disagrees",
        f"The page shows {shown} as its total, the data inside says {inside}.",
        "Ask the supplier which one counts, on a number you already have.",
        can_pay=False,
        facts=[Fact("Total", inside, shown, place(invoice, "gross"), page_place(invoice, box), compared=True)],
    )


def already_paid(invoice: Invoice, _: Around) -> Problem | None:
    """The page says that it is paid."""
    box = invoice.box_of("paid")
    if box is None:
        return None
    return Problem(
        "already_paid",
        f"The page says that it is paid: “{box.text}”.",
        "Look at the page and into your account; pay only if nothing was paid.",
        can_pay=True,
        facts=[Fact("On the page", "", box.text, "", page_place(invoice, box))],
    )


def collected(invoice: Invoice, around: Around) -> Problem | None:
    """The page speaks of a direct debit; it may only offer one, or the account on it may be the buyer's own."""
    box = invoice.box_of("collected")
    if box is None:
        return None
    known = any(account.iban in invoice.ibans for account in around.history.accounts(invoice))
    return Problem(
        "direct_debit",
        f"The page speaks of a direct debit: “{box.text}”.",
        "Look at the page; pay only if the supplier does not collect the amount."
        if known
        else "Look at the page; if the supplier does not collect the amount, ask for an account to pay to.",
        can_pay=known,
        facts=[Fact("On the page", "", box.text, "", page_place(invoice, box))],
    )


def several_accounts(invoice: Invoice, around: Around) -> Problem | None:
    """The pages name several accounts: none of them is known, or they say that another than the known one is to be paid."""
    if invoice.syntax != PDF_TEXT or not invoice.other_ibans:
        return None
    known, assigned = around.history.accounts(invoice), invoice.box_of("assigned")
    paid_before = bool(known) and known[-1].iban in invoice.ibans
    if paid_before and assigned is None:
        return None
    boxes = {box.text: box for box in invoice.boxes if box.field == "iban"}
    why = f"and say: “{assigned.text}”" if assigned else "and none of them was paid before"
    target = known[-1].iban if paid_before else invoice.iban
    return Problem(
        "several_accounts",
        f"The pages name {len(invoice.ibans)} accounts, {why}.",
        f"Ask the supplier which one is to be paid; {grouped(target)} would be paid.",
        can_pay=True,
        facts=[
            Fact("Account", "", grouped(iban), "", page_place(invoice, boxes[iban]) if iban in boxes else invoice.file)
            for iban in invoice.ibans
        ],
    )
