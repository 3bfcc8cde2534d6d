"""Texts as cells of CSV files that we write: none of them is a formula when a spreadsheet opens it, and each can be read back."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence

from weekly_report.counting import Line
from weekly_report.money import plain_amount

_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def safe_cell(text: str) -> str:
    """A text with an apostrophe before it where a spreadsheet would take it for a formula."""
    return f"'{text}" if text.startswith(_FORMULA) or _is_quoted(text) else text


def plain_cell(text: str) -> str:
    """The text that `safe_cell` was given."""
    return text[1:] if _is_quoted(text) else text


def lines_csv(lines: Sequence[Line]) -> bytes:
    """Every line with the file, sheet and cell that its amount stands in: UTF-8, commas, CRLF."""
    groups = list(dict.fromkeys(group for line in lines for group in line.groups))
    held = io.StringIO()
    writer = csv.writer(held, lineterminator="\r\n")
    writer.writerow(["file", "sheet", "cell", "day", *groups, "amount", "currency"])
    for line in lines:
        said = [safe_cell(line.groups.get(group, "")) for group in groups]
        where = [safe_cell(line.file), safe_cell(line.sheet), line.cell, line.day.isoformat()]
        writer.writerow([*where, *said, plain_amount(line.amount), line.currency])
    return held.getvalue().encode("utf-8")


def _is_quoted(text: str) -> bool:
    rest = text.lstrip("'")
    return text.startswith("'") and rest.startswith(_FORMULA)
