"""Reading one document by what it contains; its name says nothing. Every way this can fail is a value with words, not an exception."""

from __future__ import annotations

import hashlib
from collections.abc import Callable

from lxml.etree import QName, _Element

from pay_invoices import cii, ubl
from pay_invoices.hostile_xml import XmlRefused, looks_like_xml, parse
from pay_invoices.invoices import Invoice, Unreadable
from pay_invoices.pdf_attachments import Attachment, PdfRefused, looks_like_pdf, xml_attachments
from pay_invoices.pdf_text.invoice import read_text_pdf
from pay_invoices.pdf_text.page_total import with_page_values
from pay_invoices.picking import tidy
from pay_invoices.refusals import name_trouble, unreadable

MAX_BYTES = 50 * 1024 * 1024

_Reader = Callable[[_Element, str, str, str], Invoice]
_UBL = "urn:oasis:names:specification:ubl:schema:xsd:"
_DRAFTS = "urn:un:unece:uncefact:data:standard:CBFBUY:"
_READERS: dict[tuple[str, str], _Reader] = {
    (f"{_UBL}Invoice-2", "Invoice"): ubl.read,
    (f"{_UBL}CreditNote-2", "CreditNote"): ubl.read,
    ("urn:un:unece:uncefact:data:standard:CrossIndustryInvoice:100", "CrossIndustryInvoice"): (
        lambda root, file, sha256, attachment: cii.read(root, file, sha256, attachment, cii.CII)
    ),
    ("urn:ferd:CrossIndustryDocument:invoice:1p0", "CrossIndustryDocument"): (
        lambda root, file, sha256, attachment: cii.read(root, file, sha256, attachment, cii.ZUGFERD_1)
    ),
}
_PICTURES = (
    b"\x89PNG",
    b"\xff\xd8\xff",
    b"GIF8",
    b"II*\0",
    b"MM\0*",
    b"BM",
    b"\0\0\0\x18ftyphei",
    b"\0\0\0\x1cftyphei",
)


def read_document(name: str, data: bytes) -> Invoice | Unreadable:
    """The invoice of one file, or why there is none.

    Args:
        name: the path relative to the workspace; it is kept with the result and never looked at for what the file is.
        data: all bytes of the file, up to 50 MB.
    """
    bad_name = name_trouble(name)
    if bad_name is not None:
        return bad_name
    if len(data) > MAX_BYTES:
        return unreadable(name, "too_large", f" ({len(data) // 1024**2} MB, files up to 50 MB are read)")
    sha256 = hashlib.sha256(data).hexdigest()
    if not data:
        return unreadable(name, "empty_file", sha256=sha256)
    if looks_like_pdf(data):
        return _read_pdf(name, data, sha256)
    if looks_like_xml(data):
        return _read_xml(name, data, sha256)
    return unreadable(name, _other_kind(data), sha256=sha256)


def _other_kind(data: bytes) -> str:
    if data.startswith(_PICTURES) or (data[:4] == b"RIFF" and data[8:12] == b"WEBP"):
        return "picture"
    if data.startswith((b"PK\x03\x04", b"\xd0\xcf\x11\xe0")):
        return "office_file"
    head = data[:4096].lower()
    if b"\nfrom:" in b"\n" + head and b"\nsubject:" in b"\n" + head:
        return "mail"
    return "other_file"


def _read_xml(name: str, data: bytes, sha256: str) -> Invoice | Unreadable:
    if data[:200].lstrip(b"\xef\xbb\xbf \t\r\n").lower().startswith((b"<html", b"<!doctype html")):
        return unreadable(name, "other_file", sha256=sha256)
    try:
        root = parse(data)
    except XmlRefused as refusal:
        return unreadable(name, refusal.code, refusal.detail, sha256=sha256)
    reader = _reader(root)
    if reader is None:
        code, detail = _foreign(root)
        return unreadable(name, code, detail, sha256=sha256)
    return reader(root, name, sha256, "")


def _reader(root: _Element) -> _Reader | None:
    tag = QName(root)
    return _READERS.get((tag.namespace or "", tag.localname))


def _foreign(root: _Element) -> tuple[str, str]:
    """The code and detail for a well-formed document of another kind."""
    tag = QName(root)
    namespace = tag.namespace or ""
    if tag.localname in ("FatturaElettronica", "FatturaElettronicaSemplificata") or "fatturapa" in namespace.casefold():
        return "fatturapa", ""
    if namespace.startswith(_DRAFTS):
        return "draft_xml", ""
    return "unknown_xml", f" (its root element is “{tidy(tag.localname)[:60]}”)"


def _read_pdf(name: str, data: bytes, sha256: str) -> Invoice | Unreadable:
    try:
        attachments = xml_attachments(data)
    except PdfRefused as refusal:
        return unreadable(name, refusal.code, refusal.detail, sha256=sha256)
    invoices: list[Invoice] = []
    refusals: list[Unreadable] = []
    for attachment in attachments:
        found = _read_attachment(name, attachment, sha256)
        if isinstance(found, Invoice):
            invoices.append(found)
        else:
            refusals.append(found)
    if not invoices:
        return _worst(refusals) or read_text_pdf(name, data, sha256)
    if len({_essence(invoice) for invoice in invoices}) > 1:
        return unreadable(name, "contradicting_attachments", f"{len(invoices)} invoices", sha256=sha256)
    return with_page_values(invoices[0], data)


def _read_attachment(name: str, attachment: Attachment, sha256: str) -> Invoice | Unreadable:
    try:
        root = parse(attachment.data)
    except XmlRefused as refusal:
        code = "broken_attachment" if refusal.code == "broken_xml" else refusal.code
        return unreadable(name, code, refusal.detail, sha256=sha256)
    reader = _reader(root)
    if reader is None:
        code, detail = _foreign(root)
        return unreadable(name, code, detail, sha256=sha256)
    return reader(root, name, sha256, tidy(attachment.name)[:100])


def _worst(refusals: list[Unreadable]) -> Unreadable | None:
    """Of several attachments that are no invoice, the one that says most; XML of another kind counts as none."""
    return next((refusal for refusal in refusals if refusal.reason_code != "unknown_xml"), None)


def _essence(invoice: Invoice) -> tuple[object, ...]:
    """What two descriptions of one invoice must agree on before either is believed."""
    return (
        invoice.number,
        invoice.is_credit,
        invoice.currency,
        invoice.gross,
        invoice.due,
        invoice.iban,
        invoice.seller_vat_id or invoice.seller,
    )
