"""UBL 2.1 invoices and credit notes, by the syntax binding of EN 16931 (CEN/TS 16931-3-2)."""

from __future__ import annotations

from decimal import Decimal

from lxml.etree import _Element

from pay_invoices.invoices import CREDIT_TYPES, Invoice, Source, TaxRow
from pay_invoices.lines import Line, lines_sum, odd_lines
from pay_invoices.means import Means, choose
from pay_invoices.picking import Picker, find, find_all, local, number_in, path_of, text_at, texts_at, tidy
from pay_invoices.profiles import XRECHNUNG_EXTENSION, profile_name

_SELLER = "AccountingSupplierParty/Party"
_BUYER = "AccountingCustomerParty/Party"
_TOTAL = "LegalMonetaryTotal"
_NAMES = ("PartyLegalEntity/RegistrationName", "PartyName/Name")


def read(root: _Element, file: str, sha256: str, attachment: str) -> Invoice:
    """The invoice of a UBL root element `Invoice` or `CreditNote`."""
    pick = Picker(root, text_at(root, "DocumentCurrencyCode"))
    target = choose(_means(root))
    if target.place is not None:
        pick.where.append(Source("iban", path_of(target.place)))
    seller = find(root, _SELLER)
    vat_id, seller_ids = ("", []) if seller is None else _identities(pick, seller)
    name = pick.text("seller", *(f"{_SELLER}/{path}" for path in _NAMES))
    payee = pick.text("payee", "PayeeParty/PartyName/Name", "PayeeParty/PartyLegalEntity/RegistrationName")
    tax_total = _tax_total(root, pick.currency)
    lines = _lines(root)
    profile_id = pick.text("profile", "CustomizationID")
    return Invoice(
        file=file,
        sha256=sha256,
        attachment=attachment,
        syntax="UBL",
        profile=profile_name(profile_id),
        profile_id=profile_id,
        type_code=_type_code(pick),
        number=pick.text("number", "ID"),
        issue_date=pick.day("issue_date", "IssueDate"),
        due_date=pick.day("due_date", "DueDate", "PaymentMeans/PaymentDueDate", "PaymentTerms/PaymentDueDate"),
        currency=pick.text("currency", "DocumentCurrencyCode"),
        seller=name,
        seller_vat_id=vat_id,
        seller_ids=seller_ids,
        buyer=pick.text("buyer", *(f"{_BUYER}/{path}" for path in _NAMES)),
        payee="" if payee == name else payee,
        means_code=target.code,
        iban=target.iban,
        other_ibans=list(target.other_ibans),
        bic=target.bic,
        reference=target.reference,
        terms=text_at(root, "PaymentTerms/Note"),
        preceding=texts_at(root, "BillingReference/InvoiceDocumentReference/ID"),
        line_count=len(lines),
        lines_sum=lines_sum(lines),
        odd_lines=odd_lines(lines),
        lines_total=pick.money("lines_total", f"{_TOTAL}/LineExtensionAmount"),
        allowances=pick.money("allowances", f"{_TOTAL}/AllowanceTotalAmount"),
        charges=pick.money("charges", f"{_TOTAL}/ChargeTotalAmount"),
        net=pick.money("net", f"{_TOTAL}/TaxExclusiveAmount"),
        tax=None if tax_total is None else pick.money("tax", "TaxAmount", within=tax_total),
        gross=pick.money("gross", f"{_TOTAL}/TaxInclusiveAmount"),
        prepaid=pick.money("prepaid", f"{_TOTAL}/PrepaidAmount"),
        rounding=pick.money("rounding", f"{_TOTAL}/PayableRoundingAmount"),
        third_party=_third_party(pick, profile_name(profile_id)),
        due=pick.money("due", f"{_TOTAL}/PayableAmount"),
        taxes=[] if tax_total is None else [_tax_row(pick, row) for row in find_all(tax_total, "TaxSubtotal")],
        notes=texts_at(root, "Note")[:20],
        odd=pick.odd,
        where=pick.where,
    )


def _type_code(pick: Picker) -> str:
    code = pick.text("type_code", "InvoiceTypeCode", "CreditNoteTypeCode")
    if local(pick.root) == "Invoice" or code in CREDIT_TYPES:
        return code
    if code:
        pick.note("type_code", pick.root, code, f"the document is a credit note, its type says {code[:10]}")
    return "381"


def _identities(pick: Picker, party: _Element) -> tuple[str, list[str]]:
    """The VAT id and the other identifiers of a party."""
    vat_id, others = "", texts_at(party, "PartyIdentification/ID") + texts_at(party, "PartyLegalEntity/CompanyID")
    for scheme in find_all(party, "PartyTaxScheme"):
        number = text_at(scheme, "CompanyID")
        if text_at(scheme, "TaxScheme/ID").upper() == "VAT" and not vat_id:
            vat_id = pick.text("seller_vat_id", "CompanyID", within=scheme).replace(" ", "").upper()
        elif number:
            others.append(number)
    return vat_id, [number for number in dict.fromkeys(others) if number != vat_id]


def _means(root: _Element) -> list[Means]:
    return [
        Means(
            text_at(means, "PaymentMeansCode"),
            text_at(means, "PayeeFinancialAccount/ID"),
            text_at(means, "PayeeFinancialAccount/FinancialInstitutionBranch/ID"),
            text_at(means, "PaymentID"),
            find(means, "PayeeFinancialAccount/ID"),
        )
        for means in find_all(root, "PaymentMeans")
    ]


def _tax_total(root: _Element, currency: str) -> _Element | None:
    """The tax total in the invoice's currency: a second one may state the tax in the currency of the books (BT-111)."""
    totals = [
        total
        for total in find_all(root, "TaxTotal")
        if not currency or _unit(find(total, "TaxAmount"), currency) == currency
    ]
    with_rows = [total for total in totals if find(total, "TaxSubtotal") is not None]
    return next(iter([*with_rows, *totals]), None)


def _unit(amount: _Element | None, otherwise: str) -> str:
    return otherwise if amount is None else amount.get("currencyID") or otherwise


def _tax_row(pick: Picker, row: _Element) -> TaxRow:
    percent = text_at(row, "TaxCategory/Percent") or text_at(row, "Percent")
    return TaxRow(
        text_at(row, "TaxCategory/ID"),
        number_in(percent),
        pick.amount_at("tax basis", "TaxableAmount", row),
        pick.amount_at("tax amount", "TaxAmount", row),
    )


def _third_party(pick: Picker, profile: str) -> Decimal | None:
    """Money collected for others (BR-DEX-09); outside the extension PrepaidPayment only explains the prepaid amount."""
    if profile != XRECHNUNG_EXTENSION:
        return None
    amounts = [pick.amount("third_party", found) for found in find_all(pick.root, "PrepaidPayment/PaidAmount")]
    known = [amount for amount in amounts if amount is not None]
    return sum(known, Decimal(0)) if known else None


def _lines(root: _Element) -> list[Line]:
    """The top level only: the sub-lines of the XRechnung extension repeat what their parent sums up."""
    return [
        line
        for element in [*find_all(root, "InvoiceLine"), *find_all(root, "CreditNoteLine")]
        if (line := _line(element)) is not None
    ]


def _line(element: _Element) -> Line | None:
    total = number_in(text_at(element, "LineExtensionAmount"))
    if total is None:
        return None
    quantity = text_at(element, "InvoicedQuantity") or text_at(element, "CreditedQuantity")
    return Line(
        text_at(element, "ID"),
        total,
        number_in(quantity),
        number_in(text_at(element, "Price/PriceAmount")),
        number_in(text_at(element, "Price/BaseQuantity")),
        sum((_signed(one) for one in find_all(element, "AllowanceCharge")), Decimal(0)),
    )


def _signed(element: _Element) -> Decimal:
    amount = number_in(text_at(element, "Amount")) or Decimal(0)
    indicator = find(element, "ChargeIndicator")
    charge = indicator is not None and tidy(indicator.text).casefold() in ("true", "1")
    return amount if charge else -amount
