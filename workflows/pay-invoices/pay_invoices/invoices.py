"""What an invoice is here: the figures as the issuer wrote them, and where in the document each was found.

Nothing is recomputed on reading; a computed figure is only ever compared with a written one. Money is Decimal, never float.
A field that is missing is "" or None, a field that is there and cannot be understood is listed in `odd`.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal

# UNTDID 1001, the subset EN 16931 allows: documents that ask for money back.
CREDIT_TYPES = frozenset({"81", "83", "261", "262", "296", "308", "381", "396", "420", "458", "502", "503", "532"})
# The same list: documents that ask for money.
INVOICE_TYPES = frozenset(
    """71 80 82 84 102 130 202 203 204 211 218 219 295 326 331 380 382 383 384 385 386 387 388 389 390 393 394 395
    456 457 471 472 473 500 501 527 553 575 623 633 780 817 870 875 876 877 935""".split()
)
# Also on that list, but no demand for payment: for booking only, and pro forma.
UNPAYABLE_TYPES = {"751": "is for booking only", "325": "is a pro forma invoice"}
CORRECTION = "384"
PDF_TEXT = "PDF text"


@dataclass(frozen=True, slots=True)
class Source:
    """Where a field was found: its name in `Invoice` and the path of element names, counted from 1 where they repeat."""

    field: str
    path: str


@dataclass(frozen=True, slots=True)
class OddField:
    """A field that is there but cannot be understood; `text` is what stands there, `problem` a sentence."""

    field: str
    path: str
    text: str
    problem: str


@dataclass(frozen=True, slots=True)
class PageBox:
    """Where something stands on a page: what it is, its words as written, the page from 1, the box in points from the upper left
    corner of the page as it is shown.

    `field` is the name of a field of `Invoice`; also "paid" (the pages say it is paid), "collected" (they speak of a direct debit) and,
    of a hybrid PDF, "page_total" (the total its pages state) and "page_iban" (an account they name and the XML does not).
    """

    field: str
    text: str
    page: int
    x0: float
    top: float
    x1: float
    bottom: float


@dataclass(frozen=True, slots=True)
class TaxRow:
    """One line of the tax breakdown (BG-23): category code, rate in per cent, what is taxed, the tax."""

    category: str
    rate: Decimal | None
    basis: Decimal | None
    amount: Decimal | None


@dataclass(frozen=True, slots=True)
class OddLine:
    """An invoice line whose amount is not quantity times price: its id, what it should be, what is written."""

    line: str
    expected: Decimal
    found: Decimal


@dataclass(frozen=True, slots=True)
class Invoice:
    """One invoice or credit note; the comments name the terms of EN 16931."""

    file: str  # relative to the workspace
    sha256: str  # of the whole file, 64 lower-case hex digits
    attachment: str  # the name of the XML inside a PDF, else ""
    syntax: str  # "UBL", "CII", "ZUGFeRD 1" or "PDF text"
    profile: str  # a readable name, "" where the identifier is unknown
    profile_id: str  # BT-24
    type_code: str  # BT-3
    number: str  # BT-1
    issue_date: date | None  # BT-2
    due_date: date | None  # BT-9
    currency: str  # BT-5
    seller: str  # BT-27, else BT-28
    seller_vat_id: str  # BT-31, upper case without blanks
    seller_ids: list[str]  # BT-29, BT-30, BT-32
    buyer: str  # BT-44
    payee: str  # BT-59, "" when it is the seller
    means_code: str  # BT-81
    iban: str  # BT-84, upper case without blanks, as written otherwise
    other_ibans: list[str]
    bic: str  # BT-86
    reference: str  # BT-83
    terms: str  # BT-20
    preceding: list[str]  # BT-25: numbers of the invoices this one corrects or credits
    line_count: int
    lines_sum: Decimal | None  # added up here, None without lines
    odd_lines: list[OddLine]  # at most 20
    lines_total: Decimal | None  # BT-106
    allowances: Decimal | None  # BT-107
    charges: Decimal | None  # BT-108
    net: Decimal | None  # BT-109
    tax: Decimal | None  # BT-110
    gross: Decimal | None  # BT-112
    prepaid: Decimal | None  # BT-113
    rounding: Decimal | None  # BT-114
    third_party: Decimal | None  # BT-DEX-002 added up
    due: Decimal | None  # BT-115
    taxes: list[TaxRow]  # BG-23
    notes: list[str]  # BT-22
    odd: list[OddField]
    where: list[Source]
    boxes: list[PageBox] = field(default_factory=list)  # of a PDF: where its pages say so
    page_total: Decimal | None = None  # of a hybrid PDF: the total as its pages state it

    @property
    def is_credit(self) -> bool:
        """Whether the type says that the seller owes the buyer."""
        return self.type_code in CREDIT_TYPES

    @property
    def signed_gross(self) -> Decimal | None:
        """Gross as seen by the buyer who pays: negative for a credit note (a positive 381 means money back)."""
        if self.gross is None:
            return None
        return -self.gross if self.is_credit else self.gross

    @property
    def ibans(self) -> list[str]:
        """Every account the document names, the first one first."""
        return [self.iban, *self.other_ibans] if self.iban else list(self.other_ibans)

    def box_of(self, field: str) -> PageBox | None:
        """Where a field stands on the pages, None when it was not looked for or not found there."""
        return next((box for box in self.boxes if box.field == field), None)

    def path_of(self, field: str) -> str:
        """Where a field was found, for people: attachment and path; "" when it was not found."""
        path = next((source.path for source in self.where if source.field == field), "")
        return f"{self.attachment}: {path}" if path and self.attachment else path


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A file that gives no invoice: `reason_code` is one of `refusals.CODES`, reason and advice are one sentence each."""

    file: str
    reason_code: str
    reason: str
    advice: str
    sha256: str = ""


@dataclass(frozen=True, slots=True)
class NotRead:
    """What lies in the folder and was not read: its path, and what it is, as `LeftOut.kind` says."""

    path: str
    what: str


@dataclass(frozen=True, slots=True)
class Pile:
    """What reading a folder gave, in a form every record can hold."""

    invoices: list[Invoice]
    unreadable: list[Unreadable]
    not_read: list[NotRead] = field(default_factory=list)

    @property
    def documents(self) -> list[Invoice | Unreadable]:
        """Everything that was read."""
        return [*self.invoices, *self.unreadable]


def pile(documents: list[Invoice | Unreadable], not_read: list[NotRead] | None = None) -> Pile:
    """Sort what was read into invoices and files that gave none, each in the order given."""
    return Pile(
        [document for document in documents if isinstance(document, Invoice)],
        [document for document in documents if isinstance(document, Unreadable)],
        not_read or [],
    )


def money_text(amount: Decimal) -> str:
    """An amount with a point and at least two decimals: 1320.00, 0.125, -3.10."""
    if amount == amount.quantize(Decimal("0.01")):
        return f"{amount:.2f}"
    return f"{amount.normalize():f}"


def money_shown(amount: Decimal | None, currency: str) -> str:
    """An amount for people: €14,201.22, SEK 3,400.00, -€3.10; "no amount" for None."""
    if amount is None:
        return "no amount"
    whole, _, cents = money_text(abs(amount)).partition(".")
    unit = "€" if currency == "EUR" else f"{currency} " if currency else ""
    return f"{'-' if amount < 0 else ''}{unit}{int(whole):,}.{cents}"


def sums_shown(amounts: list[tuple[Decimal, str]]) -> str:
    """Amounts added up per currency, never across: "€14,201.22 and SEK 3,400.00"; "€0.00" for none."""
    sums: dict[str, Decimal] = {}
    for amount, currency in amounts:
        sums[currency] = sums.get(currency, Decimal(0)) + amount
    return " and ".join(money_shown(total, currency) for currency, total in sorted(sums.items())) or "€0.00"


def normal(text: str) -> str:
    """A text for comparing: compatibility form, case folded, blanks as one."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())
