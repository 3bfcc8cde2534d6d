"""The same papers as UN/CEFACT CII (XRechnung, Factur-X) and as ZUGFeRD 1."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from lxml.etree import _Element

from templates.pay_invoices.papers import ZUGFERD_1, Extra, Item, Paper, Party, Tax, Writer


@dataclass(frozen=True)
class _Names:
    """Where the two dialects differ."""

    root: str
    prefixes: dict[str | None, str]
    context: str
    document: str
    transaction: str
    header: str  # prefix of the three header groups
    line: str  # prefix of the three line groups
    totals: str
    line_totals: str
    percent: str
    lines_first: bool


_STANDARD = "urn:un:unece:uncefact:data:standard:"
_CII = _Names(
    root="rsm:CrossIndustryInvoice",
    prefixes={
        "rsm": f"{_STANDARD}CrossIndustryInvoice:100",
        "ram": f"{_STANDARD}ReusableAggregateBusinessInformationEntity:100",
        "udt": f"{_STANDARD}UnqualifiedDataType:100",
    },
    context="rsm:ExchangedDocumentContext",
    document="rsm:ExchangedDocument",
    transaction="rsm:SupplyChainTradeTransaction",
    header="ApplicableHeaderTrade",
    line="SpecifiedLineTrade",
    totals="SpecifiedTradeSettlementHeaderMonetarySummation",
    line_totals="SpecifiedTradeSettlementLineMonetarySummation",
    percent="RateApplicablePercent",
    lines_first=True,
)
_ZUGFERD_1 = _Names(
    root="rsm:CrossIndustryDocument",
    prefixes={
        "rsm": "urn:ferd:CrossIndustryDocument:invoice:1p0",
        "ram": f"{_STANDARD}ReusableAggregateBusinessInformationEntity:12",
        "udt": f"{_STANDARD}UnqualifiedDataType:15",
    },
    context="rsm:SpecifiedExchangedDocumentContext",
    document="rsm:HeaderExchangedDocument",
    transaction="rsm:SpecifiedSupplyChainTradeTransaction",
    header="ApplicableSupplyChainTrade",
    line="SpecifiedSupplyChainTrade",
    totals="SpecifiedTradeSettlementMonetarySummation",
    line_totals="SpecifiedTradeSettlementMonetarySummation",
    percent="ApplicablePercent",
    lines_first=False,
)


def cii_xml(paper: Paper) -> bytes:
    """UN/CEFACT CII D16B."""
    return _xml(paper, _CII, paper.profile)


def zugferd_1_xml(paper: Paper) -> bytes:
    """ZUGFeRD 1.0, profile COMFORT."""
    return _xml(paper, _ZUGFERD_1, ZUGFERD_1)


def _xml(paper: Paper, names: _Names, profile: str) -> bytes:
    out = Writer(names.root, names.prefixes, paper.currency)
    root = out.root
    out.add(root, f"{names.context}/ram:GuidelineSpecifiedDocumentContextParameter/ram:ID", profile)
    document = out.add(root, names.document)
    out.add(document, "ram:ID", paper.number)
    if not names.lines_first:
        out.add(document, "ram:Name", "INVOICE")
    out.add(document, "ram:TypeCode", paper.type_code)
    _day(out, out.add(document, "ram:IssueDateTime"), paper.issued)
    if paper.note:
        out.add(document, "ram:IncludedNote/ram:Content", paper.note)
    transaction = out.add(root, names.transaction)
    if names.lines_first:
        _lines(out, transaction, paper, names)
    agreement = out.add(transaction, f"ram:{names.header}Agreement")
    out.add(agreement, "ram:BuyerReference", "AP")
    _party(out, out.add(agreement, "ram:SellerTradeParty"), paper.seller, names)
    _party(out, out.add(agreement, "ram:BuyerTradeParty"), paper.buyer, names)
    delivery = out.add(transaction, f"ram:{names.header}Delivery")
    _day(out, out.add(delivery, "ram:ActualDeliverySupplyChainEvent/ram:OccurrenceDateTime"), paper.issued)
    _settlement(out, out.add(transaction, f"ram:{names.header}Settlement"), paper, names)
    if not names.lines_first:
        _lines(out, transaction, paper, names)
    return out.bytes()


def _day(out: Writer, element: _Element, day: date) -> None:
    out.add(element, "udt:DateTimeString", day.strftime("%Y%m%d"), format="102")


def _party(out: Writer, party: _Element, who: Party, names: _Names) -> None:
    if who.company_id and not names.lines_first:
        out.add(party, "ram:ID", who.company_id)
    out.add(party, "ram:Name", who.name)
    if who.company_id and names.lines_first:
        out.add(party, "ram:SpecifiedLegalOrganization/ram:ID", who.company_id)
    address = out.add(party, "ram:PostalTradeAddress")
    out.add(address, "ram:PostcodeCode", who.postcode)
    out.add(address, "ram:LineOne", who.street)
    out.add(address, "ram:CityName", who.city)
    out.add(address, "ram:CountryID", who.country)
    if who.vat_id:
        out.add(party, "ram:SpecifiedTaxRegistration/ram:ID", who.vat_id, schemeID="VA")


def _settlement(out: Writer, settlement: _Element, paper: Paper, names: _Names) -> None:
    if paper.reference:
        out.add(settlement, "ram:PaymentReference", paper.reference)
    out.add(settlement, "ram:InvoiceCurrencyCode", paper.currency)
    if paper.payee:
        out.add(settlement, "ram:PayeeTradeParty/ram:Name", paper.payee)
    _means(out, settlement, paper)
    for row in paper.taxes:
        _tax(out, settlement, row, names)
    for extra in paper.extras:
        _extra(out, settlement, extra, names)
    if paper.due_on:
        _day(out, out.add(settlement, "ram:SpecifiedTradePaymentTerms/ram:DueDateDateTime"), paper.due_on)
    _totals(out, out.add(settlement, f"ram:{names.totals}"), paper, names)
    if paper.preceding:
        reference = out.add(settlement, "ram:InvoiceReferencedDocument")
        out.add(reference, "ram:IssuerAssignedID" if names.lines_first else "ram:ID", paper.preceding)


def _means(out: Writer, settlement: _Element, paper: Paper) -> None:
    for iban in (paper.iban, *paper.other_ibans) if paper.iban else ("",):
        means = out.add(settlement, "ram:SpecifiedTradeSettlementPaymentMeans")
        out.add(means, "ram:TypeCode", paper.means)
        if iban:
            out.add(means, "ram:PayeePartyCreditorFinancialAccount/ram:IBANID", iban)
        if iban and paper.bic:
            out.add(means, "ram:PayeeSpecifiedCreditorFinancialInstitution/ram:BICID", paper.bic)


def _tax(out: Writer, settlement: _Element, row: Tax, names: _Names) -> None:
    tax = out.add(settlement, "ram:ApplicableTradeTax")
    out.add(tax, "ram:CalculatedAmount", row.amount)
    out.add(tax, "ram:TypeCode", "VAT")
    if row.category == "AE":
        out.add(tax, "ram:ExemptionReason", "Reverse charge")
    if row.category == "G":
        out.add(tax, "ram:ExemptionReason", "Export")
    out.add(tax, "ram:BasisAmount", row.basis)
    out.add(tax, "ram:CategoryCode", row.category)
    out.add(tax, f"ram:{names.percent}", row.rate)


def _extra(out: Writer, settlement: _Element, extra: Extra, names: _Names) -> None:
    element = out.add(settlement, "ram:SpecifiedTradeAllowanceCharge")
    out.add(element, "ram:ChargeIndicator/udt:Indicator", "true" if extra.charge else "false")
    out.add(element, "ram:ActualAmount", extra.amount)
    out.add(element, "ram:Reason", extra.reason)
    tax = out.add(element, "ram:CategoryTradeTax")
    out.add(tax, "ram:TypeCode", "VAT")
    out.add(tax, "ram:CategoryCode", extra.category)
    out.add(tax, f"ram:{names.percent}", extra.rate)


def _totals(out: Writer, totals: _Element, paper: Paper, names: _Names) -> None:
    out.add(totals, "ram:LineTotalAmount", paper.lines)
    out.add(totals, "ram:ChargeTotalAmount", paper.charges)
    out.add(totals, "ram:AllowanceTotalAmount", paper.allowances)
    out.add(totals, "ram:TaxBasisTotalAmount", paper.net)
    out.add(totals, "ram:TaxTotalAmount", paper.tax, currencyID=paper.currency)
    if paper.rounding and names.lines_first:
        out.add(totals, "ram:RoundingAmount", paper.rounding)
    out.add(totals, "ram:GrandTotalAmount", paper.gross)
    if paper.prepaid:
        out.add(totals, "ram:TotalPrepaidAmount", paper.prepaid)
    out.add(totals, "ram:DuePayableAmount", paper.due)


def _lines(out: Writer, transaction: _Element, paper: Paper, names: _Names) -> None:
    for number, item in enumerate(paper.items, 1):
        line = out.add(transaction, "ram:IncludedSupplyChainTradeLineItem")
        out.add(line, "ram:AssociatedDocumentLineDocument/ram:LineID", number)
        if names.lines_first:
            out.add(line, "ram:SpecifiedTradeProduct/ram:Name", item.name)
        _line_groups(out, line, item, names)
        if not names.lines_first:
            out.add(line, "ram:SpecifiedTradeProduct/ram:Name", item.name)


def _line_groups(out: Writer, line: _Element, item: Item, names: _Names) -> None:
    price = out.add(line, f"ram:{names.line}Agreement/ram:NetPriceProductTradePrice")
    out.add(price, "ram:ChargeAmount", item.price)
    out.add(line, f"ram:{names.line}Delivery/ram:BilledQuantity", item.quantity, unitCode=item.unit)
    settlement = out.add(line, f"ram:{names.line}Settlement")
    tax = out.add(settlement, "ram:ApplicableTradeTax")
    out.add(tax, "ram:TypeCode", "VAT")
    out.add(tax, "ram:CategoryCode", item.category)
    out.add(tax, f"ram:{names.percent}", item.rate)
    out.add(settlement, f"ram:{names.line_totals}/ram:LineTotalAmount", item.total)
