"""What every child process needs is loaded once in its parent: the library, some hundred expressions, the formats of accounts."""

from __future__ import annotations

from functools import cache

from pay_invoices.accounts import iban_problem
from pay_invoices.pdf_text.labels import compile_labels


@cache
def load_words() -> None:
    """Load what reading pages needs, 250 ms the first time."""
    import pypdfium2  # noqa: F401

    compile_labels()
    iban_problem("DE89370400440532013000")
