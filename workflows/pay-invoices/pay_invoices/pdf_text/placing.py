"""From a place among the words to a box that a record can hold and a window can draw."""

from __future__ import annotations

from pay_invoices.invoices import PageBox
from pay_invoices.pdf_text.layout import Box
from pay_invoices.picking import tidy


def page_box(field: str, text: str, box: Box) -> PageBox:
    """The box of a field with its words as written, to a tenth of a point."""
    return PageBox(
        field, tidy(text), box.page, round(box.x0, 1), round(box.top, 1), round(box.x1, 1), round(box.bottom, 1)
    )
