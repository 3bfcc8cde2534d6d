"""Why an invoice is not simply paid: one function per reason, each with what to do next. Their order is their weight.

A problem that nobody may overrule here (a credit note, another currency) cannot be paid; one that a person may judge (a changed
account, a wrong sum) can, with a reason. Words of the document stand in quotation marks.
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal

from pay_invoices import checks, page_problems
from pay_invoices.accounts import grouped, iban_problem, in_sepa
from pay_invoices.duplicates import claim_key, credits, identity, number_key, same_seller
from pay_invoices.invoices import CORRECTION, INVOICE_TYPES, PDF_TEXT, UNPAYABLE_TYPES, Invoice, money_shown
from pay_invoices.means import CARD, COLLECTED, DIRECT_DEBIT
from pay_invoices.reasons import Around, Fact, Problem, day_shown, place

# Recorded: kinds may be added, never renamed. Heaviest first; the first three come from reading and comparing.
KINDS = (
    "unreadable", "same_file", "same_invoice", "incomplete", "unproved", "page_disagrees", "credit_note", "not_payable_type",
    "unclear_currency", "foreign_currency", "nothing_due", "unpayable_amount", "in_other_run", "forms_disagree",
    "already_paid", "direct_debit", "card", "missing_iban", "invalid_iban", "several_accounts", "outside_sepa",
    "own_account",
    "changed_account", "number_reused", "correction", "credited", "rejected_before", "broken_sum", "broken_tax",
    "broken_line", "odd_field",
)  # fmt: skip
MOST = Decimal("999999999.99")  # the largest SEPA credit transfer


def problems_of(invoice: Invoice, around: Around) -> list[Problem]:
    """Everything that keeps an invoice from simply being paid, heaviest first."""
    if invoice.is_credit:
        return [_credit_note(invoice, around)]
    found = [finder(invoice, around) for finder in _FINDERS]
    return sorted((problem for problem in found if problem is not None), key=lambda problem: KINDS.index(problem.kind))


def _credit_note(invoice: Invoice, around: Around) -> Problem:
    credited = [other.number for other in around.folder.originals if credits(invoice, other)] or invoice.preceding
    of = f" for {', '.join(f'“{number}”' for number in credited[:3])}" if credited else ""
    return Problem(
        "credit_note",
        f"This is a credit note{of} over {money_shown(invoice.gross, invoice.currency)}: the supplier owes you.",
        "Settle it with the supplier or deduct it from a later payment by hand; it is never paid.",
        can_pay=False,
    )


def _incomplete(invoice: Invoice, _: Around) -> Problem | None:
    if invoice.syntax == PDF_TEXT:
        return None  # what pages do not say is unproved
    needed = {
        "number": invoice.number,
        "seller": invoice.seller,
        "gross amount": invoice.gross,
        "amount due": invoice.due,
    }
    missing = [name for name, value in needed.items() if value in ("", None)]
    if not missing:
        return None
    odd = next((one for one in invoice.odd if one.field in ("gross", "due")), None)
    why = f" ({odd.problem})" if odd else ""
    return Problem(
        "incomplete",
        f"The {missing[0]} is missing or cannot be understood{why}.",
        "Ask the supplier for a corrected invoice.",
        can_pay=False,
    )


def _type(invoice: Invoice, _: Around) -> Problem | None:
    code = invoice.type_code
    if code in INVOICE_TYPES:
        return None
    why = UNPAYABLE_TYPES.get(code)
    reason = (
        f"Type {code} {why}: it is no demand for payment." if why else f"Its type “{code[:10]}” is not a known one."
    )
    return Problem(
        "not_payable_type", reason, "File it without paying, or ask the supplier for an invoice.", can_pay=False
    )


def _currency(invoice: Invoice, _: Around) -> Problem | None:
    check = checks.currency(invoice)
    if not invoice.currency and invoice.syntax == PDF_TEXT:
        return None
    if check.passed is False:
        return Problem("unclear_currency", check.detail, "Ask the supplier for a corrected invoice.", can_pay=False)
    if invoice.currency == "EUR":
        return None
    amount = money_shown(invoice.due, invoice.currency)
    return Problem(
        "foreign_currency",
        f"{amount} are due, and this file takes euro only.",
        "Pay it in your bank's portal as a foreign payment.",
        can_pay=False,
    )


def _amount(invoice: Invoice, _: Around) -> Problem | None:
    due = invoice.due
    if due is None:
        return None
    shown = money_shown(due, invoice.currency)
    if due <= 0:
        reason = "Nothing is due." if due == 0 else f"{shown} are due: the supplier owes you."
        return Problem(
            "nothing_due", reason, "There is nothing to pay; file it, or settle it with the supplier.", can_pay=False
        )
    if due != due.quantize(checks.CENT) or due > MOST:
        why = "more decimals than cents" if due <= MOST else "more than one transfer can carry"
        return Problem(
            "unpayable_amount", f"{shown} are due, {why}.", "Ask the supplier for a corrected invoice.", can_pay=False
        )
    return None


def _elsewhere(invoice: Invoice, around: Around) -> Problem | None:
    sentence = around.elsewhere.get(claim_key(invoice))
    if sentence is None:
        return None
    said = f"{sentence[:1].upper()}{sentence[1:].rstrip('.')}."
    return Problem("in_other_run", said, "Decide it there first; it cannot be paid from here.", can_pay=False)


def _forms_disagree(invoice: Invoice, around: Around) -> Problem | None:
    others = around.folder.disagreeing.get(invoice.file)
    if not others:
        return None
    facts = [fact for other in others for fact in _differences(invoice, other)]
    return Problem(
        "forms_disagree",
        "The same invoice lies here in two forms that tell different things about the payment.",
        "Ask the supplier which one counts, take the other out of the folder, then run again.",
        can_pay=False,
        facts=facts,
    )


def _differences(one: Invoice, other: Invoice) -> list[Fact]:
    pairs = (
        ("Account", "iban", " / ".join(map(grouped, one.ibans)), " / ".join(map(grouped, other.ibans))),
        ("Paid by", "means", _collection(one), _collection(other)),
        ("Amount due", "due", money_shown(one.due, one.currency), money_shown(other.due, other.currency)),
        ("Paid", "paid", _said_paid(one), _said_paid(other)),
    )
    return [
        Fact(label, old, new, place(one, name), place(other, name)) for label, name, old, new in pairs if old != new
    ]


def _collection(invoice: Invoice) -> str:
    code = invoice.means_code
    return "direct debit" if code in DIRECT_DEBIT else "card" if code in CARD else "transfer"


def _said_paid(invoice: Invoice) -> str:
    box = invoice.box_of("paid")
    return f"“{box.text}”" if box else "not said"


def _collected(invoice: Invoice, _: Around) -> Problem | None:
    if invoice.means_code in DIRECT_DEBIT:
        return Problem(
            "direct_debit",
            "The supplier collects the amount by direct debit, so paying it would pay twice.",
            "File it; if you have no mandate with this supplier, ask for an account to pay to.",
            can_pay=False,
        )
    if invoice.means_code in CARD:
        return Problem(
            "card",
            "The invoice says that it is paid by card, so paying it would pay twice.",
            "File it; if no card was charged, ask the supplier for an account to pay to.",
            can_pay=False,
        )
    return None


def _account(invoice: Invoice, _: Around) -> Problem | None:
    if invoice.means_code in COLLECTED:
        return None
    if not invoice.iban:
        return Problem(
            "missing_iban", "The invoice names no account.", "Ask the supplier for their IBAN.", can_pay=False
        )
    problem = iban_problem(invoice.iban)
    if problem:
        facts = [Fact("Account", "", invoice.iban, "", place(invoice, "iban"))]
        return Problem("invalid_iban", problem, "Ask the supplier for the right IBAN.", can_pay=False, facts=facts)
    if not in_sepa(invoice.iban):
        return Problem(
            "outside_sepa",
            f"The account {grouped(invoice.iban)} lies outside the countries a SEPA transfer reaches.",
            "Pay it in your bank's portal as a foreign payment.",
            can_pay=False,
        )
    return None


def _own_account(invoice: Invoice, around: Around) -> Problem | None:
    if not around.own_iban or not invoice.iban or around.accounts_of(invoice):
        return None
    return Problem(
        "own_account",
        "The account it names is your own, the one that is paid from.",
        "Ask the supplier for their account; if yours is not the one given at the start, start again with the right one.",
        can_pay=False,
        facts=[
            Fact("Account", grouped(around.own_iban), grouped(invoice.iban), "your account", place(invoice, "iban"))
        ],
    )


def _changed_account(invoice: Invoice, around: Around) -> Problem | None:
    accounts = around.history.accounts(invoice)
    if not accounts or not invoice.iban or accounts[-1].iban in invoice.ibans:
        return None
    last = accounts[-1]
    before = any(account.iban in invoice.ibans for account in accounts)
    old, new = grouped(last.iban), grouped(next(iter(around.accounts_of(invoice)), invoice.iban))
    since = f" since {day_shown(last.last_used)}" if last.last_used else ""
    return Problem(
        "changed_account",
        f"The account of “{invoice.seller}” changed{since}{', back to one used before' if before else ''}.",
        "Call the supplier on a number you already have, and pay only if they confirm the new account.",
        can_pay=True,
        facts=[
            Fact("Account", old, new, last.source, place(invoice, "iban")),
            Fact("Last used", day_shown(last.last_used), "never" if not before else "earlier", last.source, ""),
        ],
        told=f"Account changed: {old} → {new}.",
    )


def _number_reused(invoice: Invoice, around: Around) -> Problem | None:
    others = [
        (money_shown(other.gross, other.currency), place(other, "gross"))
        for other in around.folder.reused.get(invoice.file, [])
    ]
    row = around.history.same_number(invoice)
    if row is not None:
        others.append((money_shown(row.gross, row.currency), f"ledger.csv, line {row.line}, run {row.run}"))
    if not others:
        return None
    new = money_shown(invoice.gross, invoice.currency)
    return Problem(
        "number_reused",
        f"The supplier used the number “{invoice.number}” more than once, with different amounts.",
        "Ask the supplier which one counts; one of them may be a correction of the other.",
        can_pay=True,
        facts=[Fact("Gross amount", old, new, source, place(invoice, "gross")) for old, source in others],
    )


def _correction(invoice: Invoice, around: Around) -> Problem | None:
    """A correction (384) replaces an invoice, so the one it names must not be paid as well."""
    if invoice.type_code != CORRECTION:
        return None
    row = around.history.corrected(invoice)
    numbers = {number_key(number) for number in invoice.preceding}
    here = [
        other
        for other in around.folder.originals
        if number_key(other.number) in numbers and same_seller(identity(other), identity(invoice))
    ]
    if row is None and not here:
        return _correction_on_a_page() if invoice.syntax == PDF_TEXT else None
    where = f"was exported in run {row.run}" if row else "lies in this folder too"
    return Problem(
        "correction",
        f"This corrects “{row.number if row else here[0].number}”, which {where}.",
        "Pay only what is still missing; paying both in full would pay twice.",
        can_pay=True,
    )


def _correction_on_a_page() -> Problem:
    return Problem(
        "correction",
        "The page calls itself a correction, and which invoice it corrects is not read from pages.",
        "Look at the page; pay only what is still missing.",
        can_pay=True,
    )


def _credited(invoice: Invoice, around: Around) -> Problem | None:
    notes = [note for note in around.folder.originals if credits(note, invoice)]
    if not notes:
        return None
    first = notes[0]
    return Problem(
        "credited",
        f"A credit note for it lies here: “{first.number}” over {money_shown(first.gross, first.currency)}.",
        "Paying means paying in full; to deduct the credit, hold it and pay the difference by hand.",
        can_pay=True,
        facts=[Fact("Credit note", "", money_shown(first.gross, first.currency), "", place(first, "gross"))],
    )


def _rejected_before(invoice: Invoice, around: Around) -> Problem | None:
    row = around.history.rejected_elsewhere(invoice)
    if row is None:
        return None
    return Problem(
        "rejected_before",
        f"Run {row.run} rejected it when it came in another file: “{row.reason}”.",
        "Find out whether the reason still holds before paying.",
        can_pay=True,
    )


def _failures(kind: str, reason: str, names: tuple[str, ...]) -> Callable[[Invoice, Around], Problem | None]:
    def finder(invoice: Invoice, _: Around) -> Problem | None:
        found = [check for name in names if (check := checks.CHECKS[name](invoice)).passed is False]
        facts = [
            Fact(f"{one.name}: {one.detail}", one.expected, one.found, "computed", invoice.file, compared=True)
            for one in found
        ]
        advice = "Ask the supplier for a corrected invoice, or pay the amount due with a reason."
        return Problem(kind, reason, advice, can_pay=True, facts=facts) if found else None

    return finder


def _odd_field(invoice: Invoice, _: Around) -> Problem | None:
    if invoice.syntax == PDF_TEXT:
        return None
    odd = next((one for one in invoice.odd if one.field not in ("gross", "due", "currency")), None)
    check = checks.required_fields(invoice)
    if check.passed or (odd is None and invoice.odd):
        return None
    facts = [Fact(odd.field, "", odd.text, "", f"{invoice.file}, {odd.path}")] if odd else []
    reason = f"A field cannot be understood: {odd.problem}." if odd else check.detail
    return Problem("odd_field", reason, "Ask the supplier for a corrected invoice.", can_pay=True, facts=facts)


_FINDERS: tuple[Callable[[Invoice, Around], Problem | None], ...] = (
    _incomplete,
    page_problems.unproved,
    page_problems.disagrees,
    page_problems.already_paid,
    page_problems.collected,
    page_problems.several_accounts,
    _type,
    _currency,
    _amount,
    _elsewhere,
    _forms_disagree,
    _collected,
    _account,
    _own_account,
    _changed_account,
    _number_reused,
    _correction,
    _credited,
    _rejected_before,
    _failures("broken_sum", "The sums do not add up.", checks.ARITHMETIC),
    _failures("broken_tax", "The tax is not what its rate gives.", checks.TAX),
    _failures("broken_line", "A line is not quantity times price.", ("Line amounts",)),
    _odd_field,
)
