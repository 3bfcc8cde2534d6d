"""Which mails were sorted, by which run, and where they went: a CSV in the workspace that a person can read and mend."""

from __future__ import annotations

import csv
import io

from pay_invoices.ledgers import safe_cell
from triage_mail.sorting import Sorted

LEDGER = "sorted-mail.csv"
COLUMNS = ("run", "key", "mail", "from", "subject", "is", "urgency", "went_to", "draft")
_KEY = "key"


def keys_in(data: bytes) -> list[str]:
    """The keys of the mails that were sorted before."""
    text = data.decode("utf-8-sig", "replace")
    return [row[_KEY] for row in csv.DictReader(io.StringIO(text, newline="")) if row.get(_KEY)]


def row_of(one: Sorted, run: str, target: str, draft: str) -> dict[str, str]:
    """The row of one mail."""
    row = {
        "run": run,
        _KEY: one.mail.key,
        "mail": one.mail.path,
        "from": one.mail.sender,
        "subject": one.mail.subject,
        "is": one.kind,
        "urgency": one.urgency,
        "went_to": target,
        "draft": draft,
    }
    return {name: safe_cell(text) for name, text in row.items()}  # a subject may be a formula
