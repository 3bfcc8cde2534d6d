"""UN/CEFACT CII (XRechnung, ZUGFeRD 2, Factur-X) and its ancestor ZUGFeRD 1: one reader, two sets of element names."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from lxml.etree import _Element

from pay_invoices.invoices import Invoice, Source, TaxRow
from pay_invoices.lines import Line, lines_sum, odd_lines
from pay_invoices.means import Means, choose
from pay_invoices.picking import Picker, find, find_all, number_in, path_of, text_at, texts_at, tidy
from pay_invoices.profiles import profile_name


@dataclass(frozen=True, slots=True)
class Dialect:
    """The element names in which the two dialects differ."""

    syntax: str
    context: str
    document: str
    transaction: str
    agreement: str
    settlement: str
    totals: str
    line_agreement: str
    line_delivery: str
    line_settlement: str
    line_totals: str
    percent: str


CII = Dialect(
    syntax="CII",
    context="ExchangedDocumentContext",
    document="ExchangedDocument",
    transaction="SupplyChainTradeTransaction",
    agreement="ApplicableHeaderTradeAgreement",
    settlement="ApplicableHeaderTradeSettlement",
    totals="SpecifiedTradeSettlementHeaderMonetarySummation",
    line_agreement="SpecifiedLineTradeAgreement",
    line_delivery="SpecifiedLineTradeDelivery",
    line_settlement="SpecifiedLineTradeSettlement",
    line_totals="SpecifiedTradeSettlementLineMonetarySummation",
    percent="RateApplicablePercent",
)
ZUGFERD_1 = Dialect(
    syntax="ZUGFeRD 1",
    context="SpecifiedExchangedDocumentContext",
    document="HeaderExchangedDocument",
    transaction="SpecifiedSupplyChainTradeTransaction",
    agreement="ApplicableSupplyChainTradeAgreement",
    settlement="ApplicableSupplyChainTradeSettlement",
    totals="SpecifiedTradeSettlementMonetarySummation",
    line_agreement="SpecifiedSupplyChainTradeAgreement",
    line_delivery="SpecifiedSupplyChainTradeDelivery",
    line_settlement="SpecifiedSupplyChainTradeSettlement",
    line_totals="SpecifiedTradeSettlementMonetarySummation",
    percent="ApplicablePercent",
)
_DATE = "DateTimeString"
# Lines of EXTENDED that repeat other lines (BT-X-8): subtotals and remarks.
_REPEATING = frozenset({"GROUP", "INFORMATION"})


def read(root: _Element, file: str, sha256: str, attachment: str, dialect: Dialect) -> Invoice:
    """The invoice of a root element `CrossIndustryInvoice` or `CrossIndustryDocument`."""
    agreement = f"{dialect.transaction}/{dialect.agreement}"
    settlement = f"{dialect.transaction}/{dialect.settlement}"
    totals = f"{settlement}/{dialect.totals}"
    pick = Picker(root, text_at(root, f"{settlement}/InvoiceCurrencyCode"))
    target = choose(_means(root, settlement))
    if target.place is not None:
        pick.where.append(Source("iban", path_of(target.place)))
    seller = find(root, f"{agreement}/SellerTradeParty")
    vat_id, seller_ids = ("", []) if seller is None else _identities(pick, seller)
    name = pick.text("seller", f"{agreement}/SellerTradeParty/Name")
    payee = pick.text("payee", f"{settlement}/PayeeTradeParty/Name")
    lines = _lines(root, dialect)
    profile_id = pick.text("profile", f"{dialect.context}/GuidelineSpecifiedDocumentContextParameter/ID")
    return Invoice(
        file=file,
        sha256=sha256,
        attachment=attachment,
        syntax=dialect.syntax,
        profile=profile_name(profile_id),
        profile_id=profile_id,
        type_code=pick.text("type_code", f"{dialect.document}/TypeCode"),
        number=pick.text("number", f"{dialect.document}/ID"),
        issue_date=pick.day("issue_date", f"{dialect.document}/IssueDateTime/{_DATE}"),
        due_date=pick.day("due_date", f"{settlement}/SpecifiedTradePaymentTerms/DueDateDateTime/{_DATE}"),
        currency=pick.text("currency", f"{settlement}/InvoiceCurrencyCode"),
        seller=name,
        seller_vat_id=vat_id,
        seller_ids=seller_ids,
        buyer=pick.text("buyer", f"{agreement}/BuyerTradeParty/Name"),
        payee="" if payee == name else payee,
        means_code=target.code,
        iban=target.iban,
        other_ibans=list(target.other_ibans),
        bic=target.bic,
        reference=pick.text("reference", f"{settlement}/PaymentReference"),
        terms=text_at(root, f"{settlement}/SpecifiedTradePaymentTerms/Description"),
        preceding=_preceding(root, settlement),
        line_count=len(lines),
        lines_sum=lines_sum(lines),
        odd_lines=odd_lines(lines),
        lines_total=pick.money("lines_total", f"{totals}/LineTotalAmount"),
        allowances=pick.money("allowances", f"{totals}/AllowanceTotalAmount"),
        charges=pick.money("charges", f"{totals}/ChargeTotalAmount"),
        net=pick.money("net", f"{totals}/TaxBasisTotalAmount"),
        tax=_tax_total(pick, totals),
        gross=pick.money("gross", f"{totals}/GrandTotalAmount"),
        prepaid=pick.money("prepaid", f"{totals}/TotalPrepaidAmount"),
        rounding=pick.money("rounding", f"{totals}/RoundingAmount"),
        third_party=None,
        due=pick.money("due", f"{totals}/DuePayableAmount"),
        taxes=[_tax_row(pick, row, dialect) for row in find_all(root, f"{settlement}/ApplicableTradeTax")],
        notes=texts_at(root, f"{dialect.document}/IncludedNote/Content")[:20],
        odd=pick.odd,
        where=pick.where,
    )


def _identities(pick: Picker, party: _Element) -> tuple[str, list[str]]:
    """The VAT id and the other identifiers of a party."""
    vat_id, others = "", [*texts_at(party, "GlobalID"), *texts_at(party, "ID")]
    others += texts_at(party, "SpecifiedLegalOrganization/ID")
    for registration in find_all(party, "SpecifiedTaxRegistration/ID"):
        number = tidy(registration.text)
        if registration.get("schemeID") == "VA" and number and not vat_id:
            vat_id = number.replace(" ", "").upper()
            pick.where.append(Source("seller_vat_id", path_of(registration)))
        elif number:
            others.append(number)
    return vat_id, [number for number in dict.fromkeys(others) if number != vat_id]


def _means(root: _Element, settlement: str) -> list[Means]:
    return [
        Means(
            text_at(means, "TypeCode"),
            text_at(means, "PayeePartyCreditorFinancialAccount/IBANID")
            or text_at(means, "PayeePartyCreditorFinancialAccount/ProprietaryID"),
            text_at(means, "PayeeSpecifiedCreditorFinancialInstitution/BICID"),
            "",
            find(means, "PayeePartyCreditorFinancialAccount/IBANID"),
        )
        for means in find_all(root, f"{settlement}/SpecifiedTradeSettlementPaymentMeans")
    ]


def _preceding(root: _Element, settlement: str) -> list[str]:
    document = f"{settlement}/InvoiceReferencedDocument"
    return texts_at(root, f"{document}/IssuerAssignedID") or texts_at(root, f"{document}/ID")


def _tax_total(pick: Picker, totals: str) -> Decimal | None:
    """The tax in the invoice's currency: a second amount may state it in the currency of the books (BT-111)."""
    found = find_all(pick.root, f"{totals}/TaxTotalAmount")
    matching = [element for element in found if (element.get("currencyID") or pick.currency) == pick.currency]
    if not pick.currency:
        matching = found
    if not matching:
        return None
    amount = pick.amount("tax", matching[0])
    if amount is not None:
        pick.where.append(Source("tax", path_of(matching[0])))
    return amount


def _tax_row(pick: Picker, row: _Element, dialect: Dialect) -> TaxRow:
    return TaxRow(
        text_at(row, "CategoryCode"),
        number_in(text_at(row, dialect.percent)),
        pick.amount_at("tax basis", "BasisAmount", row),
        pick.amount_at("tax amount", "CalculatedAmount", row),
    )


def _lines(root: _Element, dialect: Dialect) -> list[Line]:
    elements = find_all(root, f"{dialect.transaction}/IncludedSupplyChainTradeLineItem")
    coded = any(text_at(element, "AssociatedDocumentLineDocument/LineStatusReasonCode") for element in elements)
    return [line for element in elements if (line := _line(element, dialect, coded=coded)) is not None]


def _line(element: _Element, dialect: Dialect, *, coded: bool) -> Line | None:
    document = "AssociatedDocumentLineDocument"
    total = number_in(text_at(element, f"{dialect.line_settlement}/{dialect.line_totals}/LineTotalAmount"))
    if total is None:
        return None
    status = text_at(element, f"{document}/LineStatusReasonCode")
    child = bool(text_at(element, f"{document}/ParentLineID"))
    price = f"{dialect.line_agreement}/NetPriceProductTradePrice"
    extras = find_all(element, f"{dialect.line_settlement}/SpecifiedTradeAllowanceCharge")
    return Line(
        text_at(element, f"{document}/LineID"),
        total,
        number_in(text_at(element, f"{dialect.line_delivery}/BilledQuantity")),
        number_in(text_at(element, f"{price}/ChargeAmount")),
        number_in(text_at(element, f"{price}/BasisQuantity")),
        sum((_signed(extra) for extra in extras), Decimal(0)),
        counts=status not in _REPEATING if coded else not child,
    )


def _signed(element: _Element) -> Decimal:
    amount = number_in(text_at(element, "ActualAmount")) or Decimal(0)
    charge = text_at(element, "ChargeIndicator/Indicator").casefold() in ("true", "1")
    return amount if charge else -amount
