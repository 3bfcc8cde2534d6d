"""The payment file: pain.001.001.09 for SEPA credit transfers, made from given values only, so that the same ones give the same bytes.

Written with lxml and not with sepaxml: that library takes ids and creation time from the clock and from chance, and lets nonsense
IBANs pass. Its copy of the ISO 20022 schema is what every file is validated against before it leaves this module.
"""

from __future__ import annotations

import functools
import importlib.resources
from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

from lxml import etree
from lxml.etree import _Element

from pay_invoices.accounts import iban_problem, in_sepa, valid_bic
from pay_invoices.hostile_xml import XmlRefused, parse
from pay_invoices.invoices import Invoice
from pay_invoices.picking import find, find_all, number_in, text_at
from pay_invoices.problems import MOST
from pay_invoices.references import creditor_reference
from pay_invoices.sepa_text import is_sepa_id, sepa_id, sepa_text

NAMESPACE = "urn:iso:std:iso:20022:tech:xsd:pain.001.001.09"
_PREFIXES: Any = {None: NAMESPACE}  # the stubs know no default namespace
_CENT = Decimal("0.01")
# Outside the EEA a bank may still ask for the BIC; inside, a wrong one only does harm.
_EEA = frozenset("AT BE BG CY CZ DE DK EE ES FI FR GR HR HU IE IS IT LI LT LU LV MT NL NO PL PT RO SE SI SK".split())


@dataclass(frozen=True, slots=True)
class Payment:
    """One transfer: to whom, where, how much in euro, its id (35 characters of the SEPA set) and what the payee reads.

    With a structured creditor reference (`reference`, and its `issuer` where it has one) that is what is sent instead of words.
    """

    name: str
    iban: str
    bic: str  # "" leaves it out
    amount: Decimal
    end_to_end_id: str
    remittance: str
    reference: str = ""
    issuer: str = ""


@dataclass(frozen=True, slots=True)
class Transfer:
    """One transfer as it stands in a written file."""

    iban: str
    amount: Decimal
    end_to_end_id: str


@dataclass(frozen=True, slots=True)
class ReadBack:
    """What a written file says, counted and added up anew from its transfers."""

    count: int
    control_sum: Decimal
    transfers: list[Transfer]


def payment_of(invoice: Invoice, iban: str, amount: Decimal, end_to_end_id: str) -> Payment:
    """The transfer that pays an invoice."""
    bic = invoice.bic if iban == invoice.iban and iban[:2] not in _EEA and valid_bic(invoice.bic) else ""
    reference, issuer = creditor_reference(invoice.reference, iban)
    words = reference or remittance(invoice)
    return Payment(invoice.payee or invoice.seller, iban, bic, amount, end_to_end_id, words, reference, issuer)


def remittance(invoice: Invoice) -> str:
    """What the payee reads in words: the reference they asked for, and the invoice number, never cut unless it alone is too long."""
    number, reference = sepa_text(invoice.number, 140), sepa_text(invoice.reference, 140)
    if not reference or reference in number:
        return number
    both = reference if number in reference else f"{reference} / {number}"
    return both if len(both) <= 140 else number


def end_to_end_id(run: str, n: int, number: str) -> str:
    """An id that is the same for one row of one run and different for any other: R12-3-BW-7741."""
    return sepa_id(f"R{run}-{n}-{number}").rstrip("-")


def payment_xml(
    payments: list[Payment],
    *,
    debtor_name: str,
    debtor_iban: str,
    pay_on: date,
    message_id: str,
    created_at: datetime,
) -> bytes:
    """The file, valid against the schema, byte for byte the same for the same arguments.

    Args:
        payments: at least one; names and remittance are written in the SEPA character set.
        debtor_name: the payer, up to 70 characters are kept.
        debtor_iban: the account to pay from; blanks and case do not matter.
        pay_on: the requested execution date.
        message_id: 1 to 33 characters of the SEPA set, unique for the payer; the one batch in the file gets it with "-1".
        created_at: an instant with a zone.

    Raises:
        ValueError: there is no payment, or one of these values cannot stand in a payment file; the message says which.
    """
    debtor = "".join(debtor_iban.split()).upper()
    name = sepa_text(debtor_name, 70)
    _check_header(debtor, name, message_id, created_at)
    _check_payments(payments)
    count, total = str(len(payments)), _euro(sum((payment.amount for payment in payments), Decimal(0)))
    document = etree.Element(f"{{{NAMESPACE}}}Document", nsmap=_PREFIXES)
    order = _add(document, "CstmrCdtTrfInitn")
    header = _add(order, "GrpHdr")
    _add(header, "MsgId", message_id)
    _add(header, "CreDtTm", created_at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"))
    _add(header, "NbOfTxs", count)
    _add(header, "CtrlSum", total)
    _add(_add(header, "InitgPty"), "Nm", name)
    batch = _batch(order, f"{message_id}-1", count, total, pay_on)
    _add(_add(batch, "Dbtr"), "Nm", name)
    _add_path(batch, "DbtrAcct/Id/IBAN", debtor)
    _add_path(batch, "DbtrAgt/FinInstnId/Othr/Id", "NOTPROVIDED")
    _add(batch, "ChrgBr", "SLEV")
    for payment in payments:
        _transfer(batch, payment)
    data = bytes(etree.tostring(document, xml_declaration=True, encoding="UTF-8", pretty_print=True))
    problems = schema_problems(data)
    if problems:
        raise ValueError(f"The payment file is not valid pain.001.001.09: {problems[0]}")
    return data


def schema_problems(data: bytes) -> list[str]:
    """What the ISO 20022 schema says against a file; empty when it is valid.

    Raises:
        ValueError: it is not even XML.
    """
    document = _parsed(data)
    try:
        _schema().assertValid(document)
    except etree.DocumentInvalid as problem:
        return [str(problem)]
    return []


def read_back(data: bytes) -> ReadBack:
    """Count and add up the transfers of a written file, independently of how it was made.

    Raises:
        ValueError: it is no pain.001.001.09, or count or control sum at either level differ from its transfers.
    """
    root = _parsed(data)
    order = find(root, "CstmrCdtTrfInitn")
    if order is None or root.tag != f"{{{NAMESPACE}}}Document":
        raise ValueError("The file is not a pain.001.001.09 payment file.")
    found: list[Transfer] = []
    for batch in find_all(order, "PmtInf"):
        transfers = [_read_transfer(element) for element in find_all(batch, "CdtTrfTxInf")]
        _check_level(batch, transfers, "batch")
        found += transfers
    header = find(order, "GrpHdr")
    _check_level(order if header is None else header, found, "file")
    return ReadBack(len(found), sum((one.amount for one in found), Decimal(0)), found)


def pay_on_problem(pay_on: date, today: date) -> str:
    """Why a bank would not take an order for that day, as a sentence; "" when it would. A day that has passed is moved, not refused."""
    if (pay_on - today).days > 365:
        return f"{pay_on.isoformat()} is more than a year away; banks refuse that, so set pay_on nearer."
    return ""


def _check_header(debtor: str, name: str, message_id: str, created_at: datetime) -> None:
    problem = iban_problem(debtor)
    if problem:
        raise ValueError(f"The account to pay from: {problem}")
    if not in_sepa(debtor):
        raise ValueError(f"The account to pay from lies outside the SEPA countries: {debtor[:2]}.")
    if not name:
        raise ValueError("The payer's name is empty; set debtor_name.")
    if not is_sepa_id(message_id) or len(message_id) > 33:
        raise ValueError(f"The message id “{message_id}” is not 1 to 33 characters of the SEPA character set.")
    if created_at.tzinfo is None:
        raise ValueError("The creation time has no zone.")


def _check_payments(payments: list[Payment]) -> None:
    if not payments:
        raise ValueError("There is no payment to write.")
    for payment in payments:
        what = f"The payment {payment.end_to_end_id}"
        problem = iban_problem(payment.iban)
        if problem:
            raise ValueError(f"{what}: {problem}")
        if not in_sepa(payment.iban):
            raise ValueError(f"{what}: its account lies outside the SEPA countries.")
        if not 0 < payment.amount <= MOST or payment.amount != payment.amount.quantize(_CENT):
            raise ValueError(f"{what}: {payment.amount} is not an amount in euro and cents that a transfer can carry.")
        if not is_sepa_id(payment.end_to_end_id):
            raise ValueError(f"{what}: its id is not 1 to 35 characters of the SEPA character set.")
        if payment.reference and not is_sepa_id(payment.reference):
            raise ValueError(f"{what}: its reference is not 1 to 35 characters of the SEPA character set.")
        if not sepa_text(payment.name, 70):
            raise ValueError(f"{what}: it has no name to pay to.")
    ids = [payment.end_to_end_id for payment in payments]
    twice = next((one for one in ids if ids.count(one) > 1), None)
    if twice:
        raise ValueError(f"Two payments have the same id {twice}.")


def _batch(order: _Element, batch_id: str, count: str, total: str, pay_on: date) -> _Element:
    batch = _add(order, "PmtInf")
    _add(batch, "PmtInfId", batch_id)
    _add(batch, "PmtMtd", "TRF")
    _add(batch, "NbOfTxs", count)
    _add(batch, "CtrlSum", total)
    _add_path(batch, "PmtTpInf/SvcLvl/Cd", "SEPA")
    _add_path(batch, "ReqdExctnDt/Dt", pay_on.isoformat())
    return batch


def _transfer(batch: _Element, payment: Payment) -> None:
    transfer = _add(batch, "CdtTrfTxInf")
    _add_path(transfer, "PmtId/EndToEndId", payment.end_to_end_id)
    _add_path(transfer, "Amt/InstdAmt", _euro(payment.amount)).set("Ccy", "EUR")
    if payment.bic:
        _add_path(transfer, "CdtrAgt/FinInstnId/BICFI", payment.bic)
    _add_path(transfer, "Cdtr/Nm", sepa_text(payment.name, 70))
    _add_path(transfer, "CdtrAcct/Id/IBAN", payment.iban)
    text = sepa_text(payment.remittance, 140)
    if payment.reference:
        _add_reference(_add_path(transfer, "RmtInf/Strd/CdtrRefInf", None), payment)
    elif text:
        _add_path(transfer, "RmtInf/Ustrd", text)


def _add(parent: _Element, name: str, text: str | None = None) -> _Element:
    element = etree.SubElement(parent, f"{{{NAMESPACE}}}{name}")
    element.text = text
    return element


def _add_reference(parent: _Element, payment: Payment) -> None:
    """A structured reference as the SEPA guidelines want it: type SCOR, the issuer where there is one, the bare reference."""
    kind = _add(parent, "Tp")
    _add_path(kind, "CdOrPrtry/Cd", "SCOR")
    if payment.issuer:
        _add(kind, "Issr", payment.issuer)
    _add(parent, "Ref", payment.reference)


def _add_path(parent: _Element, path: str, text: str | None) -> _Element:
    """A chain of elements, the last with a text; returns the last."""
    for name in path.split("/"):
        parent = _add(parent, name)
    parent.text = text
    return parent


def _euro(amount: Decimal) -> str:
    return f"{amount:.2f}"


@functools.cache
def _schema() -> etree.XMLSchema:
    path = importlib.resources.files("sepaxml").joinpath("schemas", "pain.001.001.09.xsd")
    return etree.XMLSchema(etree.fromstring(path.read_bytes()))


def _parsed(data: bytes) -> _Element:
    try:
        return parse(data)
    except XmlRefused as refusal:
        raise ValueError("The payment file is not valid XML.") from refusal


def _read_transfer(element: _Element) -> Transfer:
    amount = find(element, "Amt/InstdAmt")
    value = None if amount is None else number_in((amount.text or "").strip())
    if amount is None or value is None or amount.get("Ccy") != "EUR":
        raise ValueError("A transfer of the file states no amount in euro.")
    return Transfer(text_at(element, "CdtrAcct/Id/IBAN"), value, text_at(element, "PmtId/EndToEndId"))


def _check_level(element: _Element, transfers: list[Transfer], level: str) -> None:
    count, stated = text_at(element, "NbOfTxs"), number_in(text_at(element, "CtrlSum"))
    total = sum((one.amount for one in transfers), Decimal(0))
    if count != str(len(transfers)):
        raise ValueError(f"The {level} states {count} transfers and holds {len(transfers)}.")
    if stated != total:
        raise ValueError(f"The {level} states the control sum {stated} and its transfers add up to {total}.")
