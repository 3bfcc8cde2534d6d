"""From the words of the pages to an invoice: proved values, and for each one that is not the reason and the place of the doubt."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from decimal import Decimal
from time import monotonic
from typing import TypeVar

from pay_invoices.invoices import CORRECTION, PDF_TEXT, Invoice, OddField, PageBox, Source, TaxRow, Unreadable
from pay_invoices.pdf_text.facts import Fact, currency_of_document, days_of, number_of
from pay_invoices.pdf_text.guarded import GaveNothing, in_child
from pay_invoices.pdf_text.language import language_of
from pay_invoices.pdf_text.layout import Box, sheets_of
from pay_invoices.pdf_text.loading import load_words
from pay_invoices.pdf_text.pages import SECONDS, Page, PagesRefused, read_pages
from pay_invoices.pdf_text.parties import Parties, parties_of
from pay_invoices.pdf_text.placing import page_box
from pay_invoices.pdf_text.sayings import Saying, Sayings, sayings_of
from pay_invoices.pdf_text.search import Reading
from pay_invoices.pdf_text.tokens import Amount
from pay_invoices.pdf_text.totals import Totals, totals_of
from pay_invoices.picking import tidy
from pay_invoices.refusals import unreadable

_T = TypeVar("_T")
_INVOICE, _CREDIT, _PRO_FORMA = "380", "381", "325"


def read_text_pdf(file: str, data: bytes, sha256: str, *, seconds: float = SECONDS) -> Invoice | Unreadable:
    """The invoice that the pages of a PDF show; reading and judging happen in a child process with its own time.

    What could not be proved is empty and stands in `odd` with the reason; `boxes` says where everything was found.

    Args:
        file: the path relative to the workspace.
        data: the whole PDF.
        sha256: of the data.
        seconds: how long it may take.
    """
    load_words()

    def work() -> Invoice | Unreadable:
        try:
            pages = read_pages(data, until=monotonic() + seconds)
        except PagesRefused as refusal:
            return unreadable(file, refusal.code, refusal.detail, sha256=sha256)
        return invoice_of_pages(file, pages, sha256)

    try:
        return in_child(work, seconds)
    except GaveNothing as nothing:
        return unreadable(file, "too_slow" if nothing.late else "damaged_pdf", sha256=sha256)


def invoice_of_pages(file: str, pages: list[Page], sha256: str) -> Invoice | Unreadable:
    """The invoice on pages whose words are known already."""
    if not any(page.words for page in pages):
        return unreadable(file, "plain_pdf", sha256=sha256)
    reading = Reading(sheets_of(pages))
    said = sayings_of(reading.sheets)
    totals = totals_of(reading, untaxed=said.untaxed is not None)
    number = number_of(reading)
    figures = any(one.level > 1 for one in reading.named)
    if not number.text and not (figures and (said.invoice or said.credit)):
        return unreadable(file, "no_invoice", sha256=sha256)
    return _Assembly(reading, said, totals, number).invoice(file, sha256)


class _Assembly:
    """Collects places and doubts while the parts of one document are put together."""

    def __init__(self, reading: Reading, said: Sayings, totals: Totals, number: Fact[str]) -> None:
        self._reading, self._said, self._totals, self._number = reading, said, totals, number
        self._boxes: list[PageBox] = []
        self._odd: list[OddField] = []

    def invoice(self, file: str, sha256: str) -> Invoice:
        """The invoice; a credit note with negative figures gets positive ones, which is how the standard writes it."""
        totals, proof = self._totals, self._totals.proof
        type_code = self._type()
        turned = type_code == _CREDIT and proof is not None and proof.gross.amount.value < 0
        number = self._fact("number", self._number, "the pages name no invoice number")
        days = days_of(self._reading, language_of(self._reading.sheets))
        issued = self._fact("issue_date", days.issued, "the pages name no date of issue")
        due_date = self._fact("due_date", days.due, "")
        parties = parties_of(self._reading, collected=self._said.collected is not None)
        seller = self._fact("seller", parties.seller, "no label names the supplier")
        vat_id = self._fact("seller_vat_id", parties.vat_id, "")
        ibans = self._accounts(parties)
        currency = self._currency()
        net, tax, gross, due = self._figures(turned=turned)
        self._said_of_paying()
        return Invoice(
            file=file,
            sha256=sha256,
            attachment="",
            syntax=PDF_TEXT,
            profile="",
            profile_id="",
            type_code=type_code,
            number=number or "",
            issue_date=issued,
            due_date=due_date,
            currency=currency,
            seller=seller or "",
            seller_vat_id=vat_id or "",
            seller_ids=[],
            buyer="",
            payee=_payee(parties),
            means_code="",
            iban=ibans[0] if ibans else "",
            other_ibans=ibans[1:],
            bic="",
            reference="",
            terms="",
            preceding=[],
            line_count=0,
            lines_sum=None,
            odd_lines=[],
            lines_total=None,
            allowances=None,
            charges=None,
            net=net,
            tax=tax,
            gross=gross,
            prepaid=totals.prepaid,
            rounding=totals.rounding,
            third_party=None,
            due=due,
            taxes=[_turned(row) for row in totals.rows] if turned else totals.rows,
            notes=[],
            odd=self._odd,
            where=list(_sources(self._boxes)),
            boxes=self._boxes,
        )

    def _said_of_paying(self) -> None:
        self._words("paid", None if self._partly_paid() else self._said.paid)
        self._words("collected", self._said.collected)
        self._words("assigned", self._said.assigned)

    def _partly_paid(self) -> bool:
        """Whether the words that speak of a payment are the label of an advance, and something else remains to be paid."""
        said, totals = self._said.paid, self._totals
        if said is None or totals.due is None or totals.prepaid is None or totals.due.value == 0:
            return False
        labels = (one.label.cell.box() for one in self._reading.named if one.role == "prepaid" and not one.above)
        return said.box in labels

    def _type(self) -> str:
        """UNTDID 1001 by the title; what is no demand for payment is doubted, so that nobody pays a reminder or a quotation."""
        said = self._said
        for code, saying in ((_CREDIT, said.credit), (CORRECTION, said.correction), (_PRO_FORMA, said.pro_forma)):
            if saying is not None:
                self._words("type_code", saying)
                return code
        if said.other_paper is not None:
            self._words("type_code", said.other_paper)
            self._doubt(
                "type_code",
                said.other_paper.text,
                said.other_paper.box,
                f"the page calls itself “{said.other_paper.text[:40]}”",
            )
        elif said.invoice is None:
            self._doubt("type_code", "", None, "no page calls itself an invoice")
        return _INVOICE

    def _fact(self, field: str, fact: Fact[_T], missing: str) -> _T | None:
        """The value with its box; a doubt about it, or `missing` where it is needed and nowhere to be found."""
        if fact.box is not None:
            self._box(field, fact.text, fact.box)
        if fact.doubt or (fact.value is None and missing):
            self._doubt(field, fact.text, fact.box, fact.doubt or missing)
        return fact.value

    def _accounts(self, parties: Parties) -> list[str]:
        for placed in parties.ibans:
            self._box("iban", placed.text, placed.box)
        if not parties.ibans and parties.broken_iban is not None:
            self._box("iban", parties.broken_iban.text, parties.broken_iban.box)
            return [parties.broken_iban.text]
        return [placed.text for placed in parties.ibans]

    def _currency(self) -> str:
        proof = self._totals.proof
        amounts = [proof.net.amount, *proof.taxes, proof.gross.amount] if proof else []
        amounts += [self._totals.due] if self._totals.due else []
        claimed = [one.amount for one in self._totals.claimed[:1]]
        fact = currency_of_document(self._reading, amounts or claimed)
        if fact.doubt:
            self._doubt("currency", fact.text, fact.box, fact.doubt)
        return fact.value or ""

    def _figures(self, *, turned: bool) -> tuple[Decimal | None, Decimal | None, Decimal | None, Decimal | None]:
        """Net, tax, gross and due."""
        totals, proof = self._totals, self._totals.proof
        sign = -1 if turned else 1
        for field, doubt in totals.doubts.items():
            about = doubt.about
            if about is not None:
                self._box(field, about.text, about.box)
            self._doubt(field, about.text if about else "", about.box if about else None, doubt.why)
        if proof is None:
            return None, None, None, None
        self._amounts("net", [proof.net.amount])
        self._amounts("tax", proof.taxes)
        self._amounts("gross", [proof.gross.amount])
        due = totals.due
        if due is not None:
            self._amounts("due", [due])
        net, tax, gross = proof.values
        return sign * net, sign * tax, sign * gross, None if due is None else sign * due.value

    def _amounts(self, field: str, amounts: Iterable[Amount]) -> None:
        for amount in amounts:
            self._box(field, amount.text, amount.box)

    def _words(self, field: str, saying: Saying | None) -> None:
        if saying is not None:
            self._box(field, saying.text, saying.box)

    def _box(self, field: str, text: str, box: Box) -> None:
        self._boxes.append(page_box(field, text, box))

    def _doubt(self, field: str, text: str, box: Box | None, why: str) -> None:
        self._odd.append(OddField(field, f"page {box.page}" if box else "the pages", tidy(text)[:100], why))


def _payee(parties: Parties) -> str:
    """The account holder, when the money goes to somebody else than the seller."""
    holder, seller = parties.holder.value or "", parties.seller.value or ""
    return "" if holder.casefold() == seller.casefold() else holder


def _turned(row: TaxRow) -> TaxRow:
    return TaxRow(
        row.category, row.rate, None if row.basis is None else -row.basis, None if row.amount is None else -row.amount
    )


def _sources(boxes: list[PageBox]) -> Iterator[Source]:
    seen: set[str] = set()
    for box in boxes:
        if box.field not in seen:
            seen.add(box.field)
            yield Source(box.field, f"page {box.page}")
