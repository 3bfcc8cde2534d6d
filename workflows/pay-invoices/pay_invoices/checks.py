"""The arithmetic of EN 16931 and what else can be judged from one invoice alone.

A check passes, fails or could not be made; silence never means it passed. The issuer's figures are compared, never replaced.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal

from pay_invoices.accounts import grouped, iban_problem
from pay_invoices.invoices import CREDIT_TYPES, INVOICE_TYPES, PDF_TEXT, UNPAYABLE_TYPES, Invoice, TaxRow, money_shown
from pay_invoices.profiles import MINIMUM

CENT = Decimal("0.01")
_UNTAXED = frozenset({"E", "AE", "K", "G", "O", "Z"})  # UNCL 5305: categories whose tax is nothing


@dataclass(frozen=True, slots=True)
class Check:
    """One check: passed True, False, or None when it could not be made; expected and found are texts for people."""

    name: str
    passed: bool | None
    detail: str
    expected: str = ""
    found: str = ""


def run_checks(invoice: Invoice) -> list[Check]:
    """Every check of one invoice, always the same ones in the same order."""
    return [check(invoice) for check in CHECKS.values()]


def failed(checks: list[Check], *names: str) -> list[Check]:
    """Those that failed, all of them or only these names."""
    return [check for check in checks if check.passed is False and (not names or check.name in names)]


def required_fields(invoice: Invoice) -> Check:
    """Whether all is there that a payment and its record need, and all of it can be understood."""
    needed = {
        "number": invoice.number,
        "seller": invoice.seller,
        "issue date": invoice.issue_date,
        "net amount": invoice.net,
        "gross amount": invoice.gross,
        "amount due": invoice.due,
    }
    missing = [name for name, value in needed.items() if value in ("", None)]
    if invoice.odd:
        first = invoice.odd[0]
        return _failed("Required fields", f"{first.path}: {first.problem}.", "", first.text)
    if missing:
        return _failed("Required fields", f"Missing: {', '.join(missing)}.")
    return Check("Required fields", passed=True, detail="All there.")


def document_type(invoice: Invoice) -> Check:
    """Whether the type code (UNTDID 1001) is one that EN 16931 allows."""
    code = invoice.type_code
    if code in CREDIT_TYPES:
        return Check("Document type", True, "A credit note: it is never paid.", "", code)
    if code in UNPAYABLE_TYPES:
        return Check("Document type", True, f"Type {code} {UNPAYABLE_TYPES[code]}: it is never paid.", "", code)
    if code in INVOICE_TYPES:
        return Check("Document type", True, "A demand for payment.", "", code)
    return _failed("Document type", f"Type “{code[:10]}” is not one that EN 16931 allows.", "380", code)


def currency(invoice: Invoice) -> Check:
    """Whether the currency is stated, the same for all amounts."""
    code = invoice.currency
    other = next((odd for odd in invoice.odd if odd.field == "currency"), None)
    if other is not None:
        return _failed("Currency", f"{other.path}: {other.problem}.", code, other.text)
    if len(code) != 3 or not code.isascii() or not code.isupper():
        return _failed("Currency", "The invoice does not say in which currency it is.", "a code such as EUR", code)
    return Check("Currency", True, f"All amounts are in {code}.", "", code)


def profile(invoice: Invoice) -> Check:
    """Whether the specification identifier names a profile."""
    if invoice.syntax == PDF_TEXT:
        return _impossible("Profile", "It was read from its pages, which name no profile.")
    if invoice.profile:
        return Check("Profile", True, f"{invoice.syntax}, {invoice.profile}.", "", invoice.profile_id)
    detail = "The specification identifier names no profile of the standard."
    return _failed("Profile", detail, "urn:cen.eu:en16931:2017", invoice.profile_id)


def line_amounts(invoice: Invoice) -> Check:
    """Whether every line is quantity times price."""
    if not invoice.line_count:
        return _impossible("Line amounts", _no_lines(invoice))
    if not invoice.odd_lines:
        return Check("Line amounts", True, f"{invoice.line_count} lines are quantity times price.")
    first = invoice.odd_lines[0]
    detail = f"Line {first.line} is not quantity times price."
    return _failed("Line amounts", detail, _money(first.expected, invoice), _money(first.found, invoice))


def sum_of_lines(invoice: Invoice) -> Check:
    """BR-CO-10: the lines add up to the stated sum."""
    if invoice.lines_sum is None or invoice.lines_total is None:
        return _impossible("Sum of lines", _no_lines(invoice))
    detail = f"{invoice.line_count} lines added up."
    return _compare("Sum of lines", detail, invoice.lines_sum, invoice.lines_total, invoice)


def net_amount(invoice: Invoice) -> Check:
    """BR-CO-13: lines - allowances + charges = net."""
    if invoice.lines_total is None or invoice.net is None:
        unstated = "The profile does not state the sum of lines."
        return _impossible("Net amount", _no_lines(invoice) if invoice.syntax == PDF_TEXT else unstated)
    expected = invoice.lines_total - _zero(invoice.allowances) + _zero(invoice.charges)
    return _compare("Net amount", "Lines - allowances + charges.", expected, invoice.net, invoice)


def tax_per_rate(invoice: Invoice) -> Check:
    """BR-CO-17: what is taxed times the rate is the tax, within the rounding of the lines."""
    if not invoice.taxes:
        return _impossible("Tax per rate", _no_breakdown(invoice))
    for row in invoice.taxes:
        expected = _tax_of(row)
        if expected is None or row.amount is None:
            return _impossible("Tax per rate", f"Category {row.category} states no rate or no amount.")
        if abs(expected - row.amount) > _tolerance(invoice):
            detail = f"{_money(row.basis, invoice)} at {_rate(row)} %."
            return _failed("Tax per rate", detail, _money(_cents(expected), invoice), _money(row.amount, invoice))
    rates = ", ".join(f"{_rate(row)} %" for row in invoice.taxes)
    return Check("Tax per rate", True, f"{rates} of what is taxed.")


def taxed_amounts(invoice: Invoice) -> Check:
    """What is taxed at all rates together is the net amount."""
    bases = [row.basis for row in invoice.taxes if row.basis is not None]
    if not bases or invoice.net is None or len(bases) < len(invoice.taxes):
        return _impossible("Taxed amounts", _no_breakdown(invoice))
    return _compare(
        "Taxed amounts", "What is taxed at each rate, added up.", sum(bases, Decimal(0)), invoice.net, invoice
    )


def tax_amount(invoice: Invoice) -> Check:
    """BR-CO-14: the taxes of the breakdown add up to the stated tax."""
    amounts = [row.amount for row in invoice.taxes if row.amount is not None]
    if not amounts or invoice.tax is None:
        return _impossible("Tax amount", _no_breakdown(invoice))
    return _compare("Tax amount", "Tax of each rate, added up.", sum(amounts, Decimal(0)), invoice.tax, invoice)


def gross_amount(invoice: Invoice) -> Check:
    """BR-CO-15: net + tax = gross."""
    if invoice.net is None or invoice.gross is None:
        return _impossible("Gross amount", "Net or gross amount is not stated.")
    tax = invoice.tax if invoice.tax is not None else sum((_zero(row.amount) for row in invoice.taxes), Decimal(0))
    return _compare("Gross amount", "Net + tax.", invoice.net + tax, invoice.gross, invoice)


def amount_due(invoice: Invoice) -> Check:
    """BR-CO-16, with BR-DEX-09 for third-party money: gross - prepaid + rounding (+ third parties) = due."""
    if invoice.gross is None or invoice.due is None:
        return _impossible("Amount due", "Gross amount or amount due is not stated.")
    expected = invoice.gross - _zero(invoice.prepaid) + _zero(invoice.rounding) + _zero(invoice.third_party)
    if invoice.profile == MINIMUM and _cents(expected) != _cents(invoice.due):
        return _impossible("Amount due", "The profile MINIMUM has no field for what is prepaid, so due may differ.")
    words = "Gross - prepaid + rounding" + (" + collected for others." if invoice.third_party is not None else ".")
    return _compare("Amount due", words, expected, invoice.due, invoice)


def account(invoice: Invoice) -> Check:
    """Length, format and mod-97 of the account to pay to."""
    problem = iban_problem(invoice.iban)
    if not invoice.iban:
        return _impossible("Account", problem)
    if problem:
        return _failed("Account", problem, "", invoice.iban)
    return Check("Account", True, "Length, format and check digits are right.", "", grouped(invoice.iban))


def page_total(invoice: Invoice) -> Check:
    """Whether the pages of a hybrid PDF show the total that its XML states."""
    if invoice.syntax == PDF_TEXT or not invoice.attachment:
        return Check("Page total", True, "There is one form only, so nothing can differ.")
    box = invoice.box_of("page_total")
    if invoice.page_total is None or box is None:
        return _impossible("Page total", "No total was found on the pages.")
    expected = invoice.due if invoice.page_total == invoice.due else invoice.gross
    same = invoice.page_total == expected
    detail = f"Page {box.page} beside the data inside."
    return Check("Page total", same, detail, _money(expected, invoice), _money(invoice.page_total, invoice))


# By name, in the order people see them; names are recorded and shown.
CHECKS: dict[str, Callable[[Invoice], Check]] = {
    "Required fields": required_fields,
    "Document type": document_type,
    "Currency": currency,
    "Profile": profile,
    "Line amounts": line_amounts,
    "Sum of lines": sum_of_lines,
    "Net amount": net_amount,
    "Tax per rate": tax_per_rate,
    "Taxed amounts": taxed_amounts,
    "Tax amount": tax_amount,
    "Gross amount": gross_amount,
    "Amount due": amount_due,
    "Account": account,
    "Page total": page_total,
}
ARITHMETIC = ("Sum of lines", "Net amount", "Gross amount", "Amount due")
TAX = ("Tax per rate", "Taxed amounts", "Tax amount")


def _no_lines(invoice: Invoice) -> str:
    return "Lines are not read from pages." if invoice.syntax == PDF_TEXT else "The profile has no lines."


def _no_breakdown(invoice: Invoice) -> str:
    if invoice.syntax == PDF_TEXT:
        return "The pages have no tax breakdown that could be read."
    return "The profile has no tax breakdown."


def _tax_of(row: TaxRow) -> Decimal | None:
    if row.basis is None:
        return None
    if row.rate is None:
        return Decimal(0) if row.category in _UNTAXED else None
    return row.basis * row.rate / 100


def _rate(row: TaxRow) -> str:
    return "0" if row.rate is None else f"{row.rate.normalize():f}"


def _tolerance(invoice: Invoice) -> Decimal:
    """Half a cent per line, for issuers who round the tax of each line; at least 1 cent, at most the 1.00 of the standard's test."""
    return min(max(CENT, Decimal("0.005") * invoice.line_count), Decimal(1))


def _compare(name: str, detail: str, expected: Decimal, found: Decimal, invoice: Invoice) -> Check:
    same = _cents(expected) == _cents(found)
    return Check(name, same, detail, _money(expected, invoice), _money(found, invoice))


def _failed(name: str, detail: str, expected: str = "", found: str = "") -> Check:
    return Check(name, passed=False, detail=detail, expected=expected, found=found)


def _impossible(name: str, detail: str) -> Check:
    return Check(name, passed=None, detail=detail)


def _cents(amount: Decimal) -> Decimal:
    return amount.quantize(CENT, ROUND_HALF_UP)


def _zero(amount: Decimal | None) -> Decimal:
    return Decimal(0) if amount is None else amount


def _money(amount: Decimal | None, invoice: Invoice) -> str:
    return money_shown(amount, invoice.currency)
