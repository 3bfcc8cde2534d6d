"""Invoices drawn as pages, out of what the XML samples say: four layouts as offices use them, in six languages.

The pages hold what real ones hold beside the figures: telephone numbers, order and delivery dates, conditions with words such as "paid",
discounts, the seller's capital. Drawn by ReportLab, whose files differ from the hand-written PDFs of the other tests.
"""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal

from lxml import etree
from reportlab.lib.pagesizes import A4
from reportlab.pdfgen.canvas import Canvas

from pay_invoices.accounts import grouped
from pay_invoices.invoices import Invoice, TaxRow
from templates.pay_invoices.render_words import Language

_WIDTH, _HEIGHT = A4
_LEFT, _RIGHT = 56.0, 539.0
_STREET, _TOWN, _ELSEWHERE = "Hafenstraße 12", "20457 Hamburg", "50667 Köln"


@dataclass(frozen=True)
class Line:
    """A line of the invoice as people read it."""

    name: str
    quantity: str
    price: Decimal
    total: Decimal


@dataclass(frozen=True)
class Extras:
    """What a test does to a page: adds a sentence, a stamp, an account; leaves out a label with its value; changes one sum by a cent."""

    sentence: str = ""
    stamp: str = ""
    second_iban: str = ""
    without: frozenset[str] = frozenset()
    altered: str = ""


def lines_of(xml: bytes) -> list[Line]:
    """Name, quantity, price and total of every line of an invoice in UBL or CII."""
    root = etree.fromstring(xml)
    paths = (
        ("InvoiceLine", "Item/Name", "InvoicedQuantity", "Price/PriceAmount", "LineExtensionAmount"),
        ("CreditNoteLine", "Item/Name", "CreditedQuantity", "Price/PriceAmount", "LineExtensionAmount"),
        (
            "IncludedSupplyChainTradeLineItem",
            "SpecifiedTradeProduct/Name",
            "SpecifiedLineTradeDelivery/BilledQuantity",
            "SpecifiedLineTradeAgreement/NetPriceProductTradePrice/ChargeAmount",
            "SpecifiedLineTradeSettlement/SpecifiedTradeSettlementLineMonetarySummation/LineTotalAmount",
        ),
    )
    found = []
    for tag, *fields in paths:
        for element in root.iter("{*}" + tag):
            texts = [element.findtext("/".join("{*}" + step for step in path.split("/"))) or "0" for path in fields]
            name, quantity, price, total = (text.strip() for text in texts)
            found.append(Line(" ".join(name.split())[:46], quantity, Decimal(price), Decimal(total)))
    return found


class _Sheet:
    """A page being drawn, measured from the top."""

    def __init__(self, font: str) -> None:
        self._out = io.BytesIO()
        self._canvas = Canvas(self._out, pagesize=A4, invariant=1)
        self._font = font
        self.pages = 1

    def text(self, x: float, y: float, text: str, size: float = 9.5, *, bold: bool = False) -> None:
        self._canvas.setFont(self._face(bold=bold), size)
        self._canvas.drawString(x, _HEIGHT - y, text)

    def right(self, x: float, y: float, text: str, size: float = 9.5, *, bold: bool = False) -> None:
        self._canvas.setFont(self._face(bold=bold), size)
        self._canvas.drawRightString(x, _HEIGHT - y, text)

    def rule(self, y: float, left: float = _LEFT, right: float = _RIGHT) -> None:
        self._canvas.setLineWidth(0.5)
        self._canvas.line(left, _HEIGHT - y, right, _HEIGHT - y)

    def turn(self) -> None:
        self._canvas.showPage()
        self.pages += 1

    def bytes(self) -> bytes:
        self._canvas.save()
        return self._out.getvalue()

    def _face(self, *, bold: bool) -> str:
        names = {"Times-Roman": "Times-Bold"}
        return names.get(self._font, f"{self._font}-Bold") if bold else self._font


@dataclass
class _Job:
    """One invoice on its way to paper; `way` says which of two words a layout takes."""

    invoice: Invoice
    lines: list[Line]
    language: Language
    extras: Extras
    way: int
    sheet: _Sheet

    def money(self, value: Decimal | None) -> str:
        return self.language.money(value or Decimal(0), self.invoice.currency)

    def word(self, pair: tuple[str, str]) -> str:
        return pair[self.way]

    @property
    def title(self) -> str:
        if self.invoice.is_credit:
            return self.language.credit
        return self.language.correction if self.invoice.type_code == "384" else self.word(self.language.title)

    @property
    def facts(self) -> list[tuple[str, str]]:
        """Label and value of what the head of an invoice says; other numbers and dates stand between them."""
        invoice, language = self.invoice, self.language
        issued = invoice.issue_date
        assert issued is not None
        long = self.way == 1
        facts = [
            (self.word(language.number), invoice.number),
            (language.customer, "100482"),
            (self.word(language.issued), language.day(issued, long=long)),
            (language.delivered, language.day(issued - timedelta(days=9), long=long)),
        ]
        if invoice.due_date is not None:
            facts.append((self.word(language.due_on), language.day(invoice.due_date, long=long)))
        return [fact for fact in facts if fact[0] not in self.extras.without]

    @property
    def sums(self) -> list[tuple[str, str]]:
        """Label and amount of every sum, in the order of the standard."""
        invoice, language = self.invoice, self.language
        rows: list[tuple[str, Decimal | None]] = []
        if invoice.allowances or invoice.charges:
            rows.append((self.word(language.lines_total), invoice.lines_total))
            rows.append((language.allowances, -(invoice.allowances or Decimal(0))))
            rows.append((language.charges, invoice.charges or Decimal(0)))
        rows.append((self.word(language.net), invoice.net))
        rows += [(self.vat(row), row.amount) for row in self.taxes]
        rows.append((self.word(language.gross), invoice.gross))
        if invoice.prepaid:
            rows.append((self.word(language.prepaid), -invoice.prepaid))
        if invoice.rounding:
            rows.append((language.rounding, invoice.rounding))
        if invoice.due != invoice.gross or self.way == 1:
            rows.append((self.word(language.due), invoice.due))
        cent, nothing = Decimal("0.01"), Decimal(0)
        return [
            (label, self.money((value or nothing) + (cent if label == self.extras.altered else nothing)))
            for label, value in rows
            if label not in self.extras.without
        ]

    @property
    def taxes(self) -> list[TaxRow]:
        return [row for row in self.invoice.taxes if row.amount or not self.untaxed]

    @property
    def untaxed(self) -> bool:
        return not any(row.amount for row in self.invoice.taxes)

    def vat(self, row: TaxRow) -> str:
        rate = self.language.rate(row.rate or Decimal(0))
        return f"{rate} {self.word(self.language.vat)}" if self.way else f"{self.word(self.language.vat)} {rate}"

    @property
    def sentences(self) -> list[str]:
        """What stands under the sums."""
        language, found = self.language, []
        if self.invoice.due_date is not None and self.way == 0:
            found.append(language.pay_by.format(day=language.day(self.invoice.due_date, long=False)))
        if self.untaxed:
            found.append(language.untaxed)
        return [
            *found,
            language.discount,
            language.conditions,
            *([self.extras.sentence] if self.extras.sentence else []),
        ]

    @property
    def holder(self) -> str:
        return self.invoice.payee or self.invoice.seller

    @property
    def accounts(self) -> list[str]:
        return [grouped(iban) for iban in (self.invoice.iban, self.extras.second_iban) if iban]


def _letter(job: _Job) -> None:
    """A letter after DIN 5008: sender's line over the address, facts to the right, bank details in the foot."""
    sheet, invoice, language = job.sheet, job.invoice, job.language
    sheet.text(_LEFT, 60, invoice.seller, 17, bold=True)
    sheet.text(_LEFT, 130, f"{invoice.seller} · {_STREET} · {_TOWN}", 7)
    for offset, text in enumerate((invoice.buyer, "Ankergasse 4", _ELSEWHERE)):
        sheet.text(_LEFT, 148 + 13 * offset, text, 10.5)
    for offset, (label, value) in enumerate(job.facts):
        sheet.text(350, 148 + 14 * offset, label)
        sheet.text(455, 148 + 14 * offset, value)
    sheet.text(_LEFT, 262, job.title, 15, bold=True)
    y = _items(job, 290)
    y = _sums_right(job, y + 16)
    _paragraph(job, y + 18)
    _foot(job, language)


def _foot(job: _Job, language: Language) -> None:
    sheet, invoice = job.sheet, job.invoice
    sheet.rule(740)
    company = [invoice.seller, _STREET, _TOWN, "Tel. +49 40 555 0182"]
    register = [
        "HRB 88213",
        "Kapital 250.000,00 EUR",
        f"{language.vat_id} {invoice.seller_vat_id}" if invoice.seller_vat_id else "",
    ]
    bank = [
        f"{language.bank}: Hafenbank",
        *(f"IBAN {account}" for account in job.accounts),
        f"BIC {invoice.bic}" if invoice.bic else "",
    ]
    if invoice.payee:
        bank.append(f"{language.holder}: {invoice.payee}")
    for x, column in ((_LEFT, company), (220, register), (365, bank)):
        for offset, text in enumerate(text for text in column if text):
            sheet.text(x, 756 + 11 * offset, text, 8)
    sheet.right(_RIGHT, 825, f"{language.page} 1 {language.of} 1", 8)


def _grid(job: _Job) -> None:
    """Boxes and tables: seller and buyer by name, facts as a row of heads over a row of values, a table of taxes."""
    sheet, invoice, language = job.sheet, job.invoice, job.language
    sheet.text(_LEFT, 64, job.title, 20, bold=True)
    for x, label, name, vat_id in (
        (_LEFT, language.seller, invoice.seller, invoice.seller_vat_id),
        (320, language.buyer, invoice.buyer, "DE298765432"),
    ):
        sheet.text(x, 96, label, 8, bold=True)
        for offset, text in enumerate(
            (name, _STREET if x == _LEFT else "Ankergasse 4", _TOWN if x == _LEFT else _ELSEWHERE)
        ):
            sheet.text(x, 110 + 12 * offset, text)
        if vat_id:
            sheet.text(x, 146, f"{language.vat_id}: {vat_id}")
    sheet.rule(166)
    for offset, (label, value) in enumerate(job.facts):
        sheet.text(_LEFT + 98 * offset, 180, label, 7.5, bold=True)
        sheet.text(_LEFT + 98 * offset, 194, value)
    y = _items(job, 224)
    y = _tax_table(job, y + 22)
    y = _sums_right(job, y + 20)
    for offset, (label, value) in enumerate(_bank_rows(job)):
        sheet.text(_LEFT, y + 24 + 14 * offset, label)
        sheet.text(190, y + 24 + 14 * offset, value)
    _paragraph(job, y + 90)


def _tax_table(job: _Job, y: float) -> float:
    sheet, language = job.sheet, job.language
    if job.untaxed:
        return y
    columns = (120.0, 220.0, 320.0)
    sheet.text(_LEFT, y, "%", bold=True)
    for x, head in zip(columns, (language.net[0], language.vat[0], language.gross[0]), strict=True):
        sheet.right(x + 60, y, head, bold=True)
    for row in job.taxes:
        y += 13
        basis, tax = row.basis or Decimal(0), row.amount or Decimal(0)
        sheet.text(_LEFT, y, language.rate(row.rate or Decimal(0)))
        for x, value in zip(columns, (basis, tax, basis + tax), strict=True):
            sheet.right(x + 60, y, language.amount(value))
    return y


def _plain(job: _Job) -> None:
    """Everything on the left, as word processors write it: label and value in one run of text, sums as sentences."""
    sheet, invoice, language = job.sheet, job.invoice, job.language
    issued = language.day(invoice.issue_date, long=False) if invoice.issue_date else ""
    sheet.text(_LEFT, 60, invoice.seller, 13, bold=True)
    sheet.text(_LEFT, 76, f"{_STREET}, {_TOWN}")
    sheet.text(_LEFT, 90, "Tel. +49 40 555 0182 - office@seller.example")
    for offset, text in enumerate((f"{language.buyer}:", invoice.buyer, "Ankergasse 4", _ELSEWHERE)):
        sheet.text(_LEFT, 124 + 13 * offset, text)
    y = 200.0
    head = [job.title, *(f"{label}: {value}" for label, value in job.facts if value != issued)]
    for text in [*head, f"{job.word(language.issued)}: {issued}", f"{language.order}: B-2016/44"]:
        sheet.text(_LEFT, y, text, 14 if text == job.title else 9.5, bold=text == job.title)
        y += 15
    y = _items(job, y + 12)
    for label, value in job.sums:
        y += 15
        sheet.text(_LEFT, y, f"{label}: {value}")
    y += 12
    for label, value in _bank_rows(job):
        y += 14
        sheet.text(_LEFT, y, f"{label}: {value}")
    _paragraph(job, y + 24)


def _long(job: _Job) -> None:
    """Two pages in a typewriter's letters: the head on both, the sums on the second."""
    sheet, language = job.sheet, job.language
    _long_head(job)
    _items(job, 230)
    sheet.right(_RIGHT, 800, f"{language.page} 1/2", 8)
    sheet.turn()
    _long_head(job)
    y = _sums_right(job, 240)
    for offset, (label, value) in enumerate(_bank_rows(job)):
        sheet.text(_LEFT, y + 30 + 14 * offset, label)
        sheet.text(230, y + 30 + 14 * offset, value)
    _paragraph(job, y + 110)
    sheet.right(_RIGHT, 800, f"{language.page} 2/2", 8)


def _long_head(job: _Job) -> None:
    sheet, invoice = job.sheet, job.invoice
    sheet.text(_LEFT, 56, invoice.seller, 12, bold=True)
    sheet.text(_LEFT, 70, f"{_STREET} - {_TOWN}")
    sheet.right(_RIGHT, 56, job.title, 16, bold=True)
    sheet.text(_LEFT, 110, job.language.buyer, bold=True)
    for offset, text in enumerate((invoice.buyer, "Ankergasse 4", _ELSEWHERE)):
        sheet.text(_LEFT, 124 + 13 * offset, text)
    for offset, (label, value) in enumerate(job.facts):
        sheet.right(430, 110 + 14 * offset, f"{label}:", 8.5)
        sheet.right(_RIGHT, 110 + 14 * offset, value, 8.5)


def _bank_rows(job: _Job) -> list[tuple[str, str]]:
    rows = [(job.language.holder, job.holder), *(("IBAN", account) for account in job.accounts)]
    return [*rows, *([("BIC", job.invoice.bic)] if job.invoice.bic else [])]


def _items(job: _Job, y: float) -> float:
    sheet, language = job.sheet, job.language
    sheet.text(_LEFT, y, language.item, bold=True)
    for x, head in ((330, language.quantity), (435, language.price), (_RIGHT, language.line_total)):
        sheet.right(x, y, head, bold=True)
    sheet.rule(y + 4)
    for line in job.lines[:14]:
        y += 14
        sheet.text(_LEFT, y, line.name, 9)
        sheet.right(330, y, line.quantity, 9)
        sheet.right(435, y, language.amount(line.price), 9)
        sheet.right(_RIGHT, y, language.amount(line.total), 9)
    sheet.rule(y + 6)
    return y + 6


def _sums_right(job: _Job, y: float) -> float:
    for label, value in job.sums:
        job.sheet.text(330, y, label)
        job.sheet.right(_RIGHT, y, value)
        y += 14
    if job.extras.stamp:
        job.sheet.text(120, y, job.extras.stamp, 22, bold=True)
        y += 30
    return y


def _paragraph(job: _Job, y: float) -> None:
    for sentence in job.sentences:
        for text in _wrapped(sentence, 92):
            job.sheet.text(_LEFT, y, text, 8.5)
            y += 11


def _wrapped(text: str, width: int) -> list[str]:
    rows = [""]
    for word in text.split():
        rows = [*rows, word] if len(rows[-1]) + len(word) >= width else [*rows[:-1], f"{rows[-1]} {word}".strip()]
    return rows


LAYOUTS: dict[str, tuple[Callable[[_Job], None], int, str]] = {
    "letter": (_letter, 0, "Helvetica"),
    "grid": (_grid, 1, "Helvetica"),
    "plain": (_plain, 0, "Times-Roman"),
    "long": (_long, 1, "Courier"),
}


def render(invoice: Invoice, lines: list[Line], layout: str, language: Language, extras: Extras | None = None) -> bytes:
    """A PDF that shows an invoice and holds no data beside its text.

    Args:
        invoice: the values, from the XML.
        lines: its lines, which the pages show too.
        layout: a key of LAYOUTS.
        language: the words and notations.
        extras: what a test adds or leaves out.
    """
    draw, way, font = LAYOUTS[layout]
    sheet = _Sheet(font)
    draw(_Job(invoice, lines, language, extras or Extras(), way, sheet))
    return sheet.bytes()
