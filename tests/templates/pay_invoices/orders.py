"""Papers that tests order: one plain invoice to vary, and the fact of reading it back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import date
from decimal import Decimal
from typing import Any

from pay_invoices.invoices import Invoice
from pay_invoices.reading import read_document
from templates.pay_invoices.papers import Item, Paper, Party, ubl_xml

SELLER = Party("Arden & Hale Ltd", "1 Mill Lane", "D01", "Dublin", "IE", "IE7654321AB", "99112")
BUYER = Party("Larkfield Trading GmbH", "Ankerstraße 12", "50667", "Köln", "DE", "DE123456789")
IBAN, OTHER_IBAN = "IE29AIBK93115212345678", "DE89370400440532013000"
PLAIN = Paper(
    "A-100",
    date(2026, 11, 2),
    date(2026, 12, 2),
    SELLER,
    BUYER,
    (Item("Advice", Decimal(2), "HUR", Decimal("150.00"), Decimal(23)),),
    iban=IBAN,
)
TODAY = date(2026, 11, 30)


def paper(**changes: Any) -> Paper:
    """The plain paper with changes; its due amount is 369.00 EUR."""
    return replace(PLAIN, **changes)


def invoice(file: str = "invoices/a.xml", write: Callable[[Paper], bytes] = ubl_xml, **changes: Any) -> Invoice:
    """A paper with changes, written and read."""
    found = read_document(file, write(paper(**changes)))
    assert isinstance(found, Invoice), found
    return found


def priced(net: str, rate: str = "0", category: str = "Z") -> tuple[Item, ...]:
    """One line over a net amount."""
    return (Item("Work", Decimal(1), "C62", Decimal(net), Decimal(rate), category),)
