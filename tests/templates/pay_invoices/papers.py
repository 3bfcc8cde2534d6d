"""Invoices made to order, in every syntax: one description, four writers, so that a test can ask for the same invoice twice.

The writers follow the element order of the schemas and compute nothing but sums; a stated figure can be overridden to be wrong on
purpose.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

from lxml import etree
from lxml.etree import _Element

EN_16931 = "urn:cen.eu:en16931:2017"
PEPPOL = f"{EN_16931}#compliant#urn:fdc:peppol.eu:2017:poacc:billing:3.0"
XRECHNUNG = f"{EN_16931}#compliant#urn:xeinkauf.de:kosit:xrechnung_3.0"
BASIC = f"{EN_16931}#compliant#urn:factur-x.eu:1p0:basic"
ZUGFERD_1 = "urn:ferd:CrossIndustryDocument:invoice:1p0:comfort"
_CAC = "urn:oasis:names:specification:ubl:schema:xsd:CommonAggregateComponents-2"
_CBC = "urn:oasis:names:specification:ubl:schema:xsd:CommonBasicComponents-2"
_EXEMPTIONS = {"AE": "VATEX-EU-AE", "G": "VATEX-EU-G"}
_CENT = Decimal("0.01")


@dataclass(frozen=True)
class Party:
    """Seller or buyer."""

    name: str
    street: str
    postcode: str
    city: str
    country: str
    vat_id: str = ""
    company_id: str = ""


@dataclass(frozen=True)
class Item:
    """One line: what, how many of which unit (UN/ECE code), the price of one, tax category and rate."""

    name: str
    quantity: Decimal
    unit: str
    price: Decimal
    rate: Decimal
    category: str = "S"

    @property
    def total(self) -> Decimal:
        """The line's amount in cents."""
        return cents(self.quantity * self.price)


@dataclass(frozen=True)
class Extra:
    """An allowance or a charge on the whole invoice."""

    reason: str
    amount: Decimal
    rate: Decimal
    category: str = "S"
    charge: bool = False

    @property
    def signed(self) -> Decimal:
        """Positive for a charge."""
        return self.amount if self.charge else -self.amount


@dataclass(frozen=True)
class Tax:
    """One row of the breakdown."""

    category: str
    rate: Decimal
    basis: Decimal
    amount: Decimal


@dataclass(frozen=True)
class Paper:
    """One invoice or credit note; `stated` overrides figures by name: net, tax, gross, due."""

    number: str
    issued: date
    due_on: date | None
    seller: Party
    buyer: Party
    items: tuple[Item, ...]
    iban: str = ""
    bic: str = ""
    reference: str = ""
    type_code: str = "380"
    currency: str = "EUR"
    means: str = "58"
    profile: str = EN_16931
    extras: tuple[Extra, ...] = ()
    prepaid: Decimal = Decimal(0)
    rounding: Decimal = Decimal(0)
    note: str = ""
    terms: str = ""
    preceding: str = ""
    other_ibans: tuple[str, ...] = ()
    payee: str = ""
    stated: Mapping[str, Decimal] = field(default_factory=dict)

    @property
    def lines(self) -> Decimal:
        """The sum of the lines."""
        return sum((item.total for item in self.items), Decimal(0))

    @property
    def net(self) -> Decimal:
        """Lines - allowances + charges."""
        computed = self.lines + sum((extra.signed for extra in self.extras), Decimal(0))
        return self.stated.get("net", computed)

    @property
    def taxes(self) -> list[Tax]:
        """The breakdown, one row per category and rate."""
        bases: dict[tuple[str, Decimal], Decimal] = {}
        for item in self.items:
            bases[item.category, item.rate] = bases.get((item.category, item.rate), Decimal(0)) + item.total
        for extra in self.extras:
            bases[extra.category, extra.rate] = bases.get((extra.category, extra.rate), Decimal(0)) + extra.signed
        return [Tax(kind, rate, basis, cents(basis * rate / 100)) for (kind, rate), basis in sorted(bases.items())]

    @property
    def tax(self) -> Decimal:
        """All taxes."""
        return self.stated.get("tax", sum((row.amount for row in self.taxes), Decimal(0)))

    @property
    def gross(self) -> Decimal:
        """Net + tax."""
        return self.stated.get("gross", self.net + self.tax)

    @property
    def due(self) -> Decimal:
        """Gross - prepaid + rounding."""
        return self.stated.get("due", self.gross - self.prepaid + self.rounding)

    @property
    def allowances(self) -> Decimal:
        """All allowances on the whole invoice."""
        return sum((extra.amount for extra in self.extras if not extra.charge), Decimal(0))

    @property
    def charges(self) -> Decimal:
        """All charges on the whole invoice."""
        return sum((extra.amount for extra in self.extras if extra.charge), Decimal(0))


def cents(amount: Decimal) -> Decimal:
    """Rounded to cents, half up."""
    return amount.quantize(_CENT, ROUND_HALF_UP)


class Writer:
    """Builds a tree from prefixed names such as "cbc:ID"."""

    def __init__(self, root: str, prefixes: Mapping[str | None, str], currency: str) -> None:
        self._prefixes = prefixes
        self.currency = currency
        nsmap: Any = dict(prefixes)  # the stubs know no default namespace
        self.root = etree.Element(self._name(root), nsmap=nsmap)

    def add(self, parent: _Element, path: str, value: object = None, **attributes: str) -> _Element:
        """A chain of elements; the last holds the value."""
        for name in path.split("/"):
            parent = etree.SubElement(parent, self._name(name))
        if value is not None:
            parent.text = f"{value:f}" if isinstance(value, Decimal) else str(value)
        for name, text in attributes.items():
            parent.set(name, text)
        return parent

    def bytes(self) -> bytes:
        """The document."""
        return etree.tostring(self.root, xml_declaration=True, encoding="UTF-8", pretty_print=True)

    def _name(self, prefixed: str) -> str:
        prefix, _, local = prefixed.rpartition(":")
        return f"{{{self._prefixes[prefix or None]}}}{local}"


def ubl_xml(paper: Paper) -> bytes:
    """UBL 2.1: a CreditNote for type 381, else an Invoice."""
    kind = "CreditNote" if paper.type_code == "381" else "Invoice"
    out = Writer(kind, {None: _ubl(kind), "cac": _CAC, "cbc": _CBC}, paper.currency)
    root = out.root
    out.add(root, "cbc:CustomizationID", paper.profile)
    out.add(root, "cbc:ProfileID", "urn:fdc:peppol.eu:2017:poacc:billing:01:1.0")
    out.add(root, "cbc:ID", paper.number)
    out.add(root, "cbc:IssueDate", paper.issued.isoformat())
    if paper.due_on and kind == "Invoice":
        out.add(root, "cbc:DueDate", paper.due_on.isoformat())
    out.add(root, f"cbc:{kind}TypeCode", paper.type_code)
    if paper.note:
        out.add(root, "cbc:Note", paper.note)
    out.add(root, "cbc:DocumentCurrencyCode", paper.currency)
    out.add(root, "cbc:BuyerReference", "AP")
    if paper.preceding:
        out.add(root, "cac:BillingReference/cac:InvoiceDocumentReference/cbc:ID", paper.preceding)
    _ubl_party(out, out.add(root, "cac:AccountingSupplierParty/cac:Party"), paper.seller)
    _ubl_party(out, out.add(root, "cac:AccountingCustomerParty/cac:Party"), paper.buyer)
    if paper.payee:
        out.add(root, "cac:PayeeParty/cac:PartyName/cbc:Name", paper.payee)
    _ubl_means(out, paper)
    if paper.terms:
        out.add(root, "cac:PaymentTerms/cbc:Note", paper.terms)
    for extra in paper.extras:
        _ubl_extra(out, extra)
    _ubl_totals(out, paper)
    for number, item in enumerate(paper.items, 1):
        _ubl_line(out, kind, number, item)
    return out.bytes()


def _ubl(kind: str) -> str:
    return f"urn:oasis:names:specification:ubl:schema:xsd:{kind}-2"


def _ubl_party(out: Writer, party: _Element, who: Party) -> None:
    address = out.add(party, "cac:PostalAddress")
    out.add(address, "cbc:StreetName", who.street)
    out.add(address, "cbc:CityName", who.city)
    out.add(address, "cbc:PostalZone", who.postcode)
    out.add(address, "cac:Country/cbc:IdentificationCode", who.country)
    if who.vat_id:
        scheme = out.add(party, "cac:PartyTaxScheme")
        out.add(scheme, "cbc:CompanyID", who.vat_id)
        out.add(scheme, "cac:TaxScheme/cbc:ID", "VAT")
    legal = out.add(party, "cac:PartyLegalEntity")
    out.add(legal, "cbc:RegistrationName", who.name)
    if who.company_id:
        out.add(legal, "cbc:CompanyID", who.company_id)


def _ubl_means(out: Writer, paper: Paper) -> None:
    for iban in (paper.iban, *paper.other_ibans) if paper.iban else ("",):
        means = out.add(out.root, "cac:PaymentMeans")
        out.add(means, "cbc:PaymentMeansCode", paper.means)
        if paper.reference:
            out.add(means, "cbc:PaymentID", paper.reference)
        if iban:
            account = out.add(means, "cac:PayeeFinancialAccount")
            out.add(account, "cbc:ID", iban)
            if paper.bic:
                out.add(account, "cac:FinancialInstitutionBranch/cbc:ID", paper.bic)


def _ubl_extra(out: Writer, extra: Extra) -> None:
    element = out.add(out.root, "cac:AllowanceCharge")
    out.add(element, "cbc:ChargeIndicator", "true" if extra.charge else "false")
    out.add(element, "cbc:AllowanceChargeReason", extra.reason)
    out.add(element, "cbc:Amount", extra.amount, currencyID=out.currency)
    _ubl_category(out, out.add(element, "cac:TaxCategory"), extra.category, extra.rate)


def _ubl_category(out: Writer, category: _Element, kind: str, rate: Decimal, *, why: str = "") -> None:
    out.add(category, "cbc:ID", kind)
    out.add(category, "cbc:Percent", rate)
    if why:
        out.add(category, "cbc:TaxExemptionReasonCode", why)
    out.add(category, "cac:TaxScheme/cbc:ID", "VAT")


def _ubl_totals(out: Writer, paper: Paper) -> None:
    unit = paper.currency
    tax = out.add(out.root, "cac:TaxTotal")
    out.add(tax, "cbc:TaxAmount", paper.tax, currencyID=unit)
    for row in paper.taxes:
        sub = out.add(tax, "cac:TaxSubtotal")
        out.add(sub, "cbc:TaxableAmount", row.basis, currencyID=unit)
        out.add(sub, "cbc:TaxAmount", row.amount, currencyID=unit)
        _ubl_category(
            out, out.add(sub, "cac:TaxCategory"), row.category, row.rate, why=_EXEMPTIONS.get(row.category, "")
        )
    total = out.add(out.root, "cac:LegalMonetaryTotal")
    out.add(total, "cbc:LineExtensionAmount", paper.lines, currencyID=unit)
    out.add(total, "cbc:TaxExclusiveAmount", paper.net, currencyID=unit)
    out.add(total, "cbc:TaxInclusiveAmount", paper.gross, currencyID=unit)
    for name, amount in (
        ("AllowanceTotalAmount", paper.allowances),
        ("ChargeTotalAmount", paper.charges),
        ("PrepaidAmount", paper.prepaid),
        ("PayableRoundingAmount", paper.rounding),
    ):
        if amount:
            out.add(total, f"cbc:{name}", amount, currencyID=unit)
    out.add(total, "cbc:PayableAmount", paper.due, currencyID=unit)


def _ubl_line(out: Writer, kind: str, number: int, item: Item) -> None:
    line = out.add(out.root, f"cac:{kind}Line")
    out.add(line, "cbc:ID", number)
    out.add(
        line, "cbc:InvoicedQuantity" if kind == "Invoice" else "cbc:CreditedQuantity", item.quantity, unitCode=item.unit
    )
    out.add(line, "cbc:LineExtensionAmount", item.total, currencyID=out.currency)
    what = out.add(line, "cac:Item")
    out.add(what, "cbc:Name", item.name)
    _ubl_category(out, out.add(what, "cac:ClassifiedTaxCategory"), item.category, item.rate)
    out.add(line, "cac:Price/cbc:PriceAmount", item.price, currencyID=out.currency)
