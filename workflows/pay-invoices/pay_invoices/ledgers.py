"""The two tables a team keeps beside its invoices: what was exported or rejected (ledger.csv) and which accounts are known
(vendors.csv).

Both are plain CSV so that people can read them in a spreadsheet, and both are only ever appended to. A table a spreadsheet has
rewritten (other separators, other dates) is refused with the line and the remedy, because appending to it would damage it further.
Text cells that a spreadsheet would take for a formula get an apostrophe in front; reading takes it off again.
"""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass
from datetime import date
from decimal import Decimal

from pay_invoices.invoices import money_text
from pay_invoices.picking import number_in

LEDGER_COLUMNS = [
    "run", "state", "supplier", "supplier_id", "number", "type", "issue_date", "due_date", "currency", "gross", "amount",
    "iban", "file", "sha256", "folder", "payment_file", "end_to_end_id", "at", "reason",
]  # fmt: skip
VENDOR_COLUMNS = ["supplier", "supplier_id", "iban", "first_used", "last_used", "invoice", "run"]
EXPORTED = "exported"
REJECTED = "rejected"
_FORMULA = ("=", "+", "-", "@", "\t", "\r")
_REMEDY = "Put back the last good copy, or save it as CSV in UTF-8 with commas, dates like 2026-11-30 and amounts like 1320.00."


@dataclass(frozen=True, slots=True)
class LedgerRow:
    """One line of ledger.csv: an invoice that went into a payment file, or that a person rejected."""

    run: str  # the run's number
    state: str  # EXPORTED or REJECTED; never "paid", which only the bank knows
    supplier: str
    supplier_id: str
    number: str
    type: str
    issue_date: date | None
    due_date: date | None
    currency: str
    gross: Decimal | None  # signed: negative for a credit note
    amount: Decimal | None  # what was put into the payment file
    iban: str
    file: str
    sha256: str
    folder: str
    payment_file: str
    end_to_end_id: str
    at: str  # the day the payment file was made, 2026-11-30; older rows hold an instant
    reason: str
    line: int = 0  # its line in the file, from 1; 0 for a new one


@dataclass(frozen=True, slots=True)
class VendorRow:
    """One line of vendors.csv: an account a supplier was paid to."""

    supplier: str
    supplier_id: str
    iban: str
    first_used: date | None
    last_used: date | None
    invoice: str
    run: str
    line: int = 0  # its line in the file, from 1; 0 for a new one


class DamagedTable(ValueError):
    """A table cannot be trusted; the message names file, line, what is wrong and what to do."""

    def __init__(self, file: str, line: int, problem: str) -> None:
        super().__init__(f"{file}, line {line}: {problem}. {_REMEDY}")
        self.file = file
        self.line = line


def read_ledger(data: bytes | None, *, file: str = "ledger.csv") -> list[LedgerRow]:
    """The rows of a ledger, oldest first; none for a file that is missing (None) or empty.

    Raises:
        DamagedTable: it is no UTF-8 CSV with exactly `LEDGER_COLUMNS`, or a state, date or amount cannot be understood.
    """
    return [_ledger_row(file, line, cells) for line, cells in _rows(data, LEDGER_COLUMNS, file)]


def read_vendors(data: bytes | None, *, file: str = "vendors.csv") -> list[VendorRow]:
    """The rows of a vendor ledger, oldest first; none for a file that is missing (None) or empty.

    Raises:
        DamagedTable: it is no UTF-8 CSV with exactly `VENDOR_COLUMNS`, or a date cannot be understood.
    """
    return [_vendor_row(file, line, cells) for line, cells in _rows(data, VENDOR_COLUMNS, file)]


def ledger_cells(row: LedgerRow) -> dict[str, str]:
    """A row as cells by column, safe for spreadsheets; the argument of `append_rows` with `LEDGER_COLUMNS`."""
    return {
        "run": row.run,
        "state": row.state,
        "supplier": safe_cell(row.supplier),
        "supplier_id": safe_cell(row.supplier_id),
        "number": safe_cell(row.number),
        "type": safe_cell(row.type),
        "issue_date": _day_text(row.issue_date),
        "due_date": _day_text(row.due_date),
        "currency": safe_cell(row.currency),
        "gross": _money_cell(row.gross),
        "amount": _money_cell(row.amount),
        "iban": safe_cell(row.iban),
        "file": safe_cell(row.file),
        "sha256": row.sha256,
        "folder": safe_cell(row.folder),
        "payment_file": safe_cell(row.payment_file),
        "end_to_end_id": safe_cell(row.end_to_end_id),
        "at": row.at,
        "reason": safe_cell(row.reason),
    }


def vendor_cells(row: VendorRow) -> dict[str, str]:
    """A row as cells by column, safe for spreadsheets; the argument of `append_rows` with `VENDOR_COLUMNS`."""
    return {
        "supplier": safe_cell(row.supplier),
        "supplier_id": safe_cell(row.supplier_id),
        "iban": safe_cell(row.iban),
        "first_used": _day_text(row.first_used),
        "last_used": _day_text(row.last_used),
        "invoice": safe_cell(row.invoice),
        "run": row.run,
    }


def safe_cell(text: str) -> str:
    """A text that no spreadsheet takes for a formula; numbers are never passed here, so a negative amount stays one."""
    return f"'{text}" if text.startswith(_FORMULA) or _escaped(text) else text


def plain_cell(text: str) -> str:
    """The text that `safe_cell` was given."""
    return text[1:] if _escaped(text) else text


def table_bytes(columns: list[str], rows: list[dict[str, str]]) -> bytes:
    """A whole table as it stands on disk: UTF-8, commas, CRLF, header first."""
    text = io.StringIO()
    writer = csv.DictWriter(text, columns, lineterminator="\r\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue().encode("utf-8")


def _escaped(text: str) -> bool:
    # "'t Hooft" is a name, so the apostrophe alone says nothing.
    return text.startswith("'") and text[1:].startswith((*_FORMULA, "'"))


def _rows(data: bytes | None, columns: list[str], file: str) -> list[tuple[int, dict[str, str]]]:
    """(line, cells by column) for every row that is not blank."""
    if not data or not data.strip():
        return []
    reader = csv.reader(io.StringIO(_decoded(data, file), newline=""), strict=True)
    found: list[tuple[int, dict[str, str]]] = []
    line = 1
    try:
        for cells in reader:
            if line == 1:
                _check_header(cells, columns, file)
            elif cells:
                if len(cells) != len(columns):
                    raise DamagedTable(file, line, f"it has {len(cells)} cells instead of {len(columns)}")
                found.append((line, dict(zip(columns, map(plain_cell, cells), strict=True))))
            line = reader.line_num + 1
    except csv.Error as problem:
        raise DamagedTable(file, reader.line_num, f"it is not valid CSV ({problem})") from problem
    return found


def _decoded(data: bytes, file: str) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        line = data[: problem.start].count(b"\n") + 1
        raise DamagedTable(file, line, "it is not UTF-8 text") from problem


def _check_header(cells: list[str], columns: list[str], file: str) -> None:
    if cells == columns:
        return
    if len(cells) == 1 and any(mark in cells[0] for mark in ";\t|"):
        raise DamagedTable(file, 1, "the columns are not separated by commas")
    missing = [name for name in columns if name not in cells]
    extra = [name for name in cells if name not in columns]
    if missing:
        raise DamagedTable(file, 1, f"the column “{missing[0]}” is missing")
    raise DamagedTable(
        file, 1, f"the column “{extra[0][:40]}” is not known" if extra else "the columns are in another order"
    )


def _ledger_row(file: str, line: int, cells: dict[str, str]) -> LedgerRow:
    if cells["state"] not in (EXPORTED, REJECTED):
        raise DamagedTable(file, line, f"the state is “{cells['state'][:40]}” instead of {EXPORTED} or {REJECTED}")
    return LedgerRow(
        run=cells["run"],
        state=cells["state"],
        supplier=cells["supplier"],
        supplier_id=cells["supplier_id"],
        number=cells["number"],
        type=cells["type"],
        issue_date=_day(file, line, "issue_date", cells),
        due_date=_day(file, line, "due_date", cells),
        currency=cells["currency"],
        gross=_amount(file, line, "gross", cells),
        amount=_amount(file, line, "amount", cells),
        iban=cells["iban"].replace(" ", "").upper(),
        file=cells["file"],
        sha256=cells["sha256"],
        folder=cells["folder"],
        payment_file=cells["payment_file"],
        end_to_end_id=cells["end_to_end_id"],
        at=cells["at"],
        reason=cells["reason"],
        line=line,
    )


def _vendor_row(file: str, line: int, cells: dict[str, str]) -> VendorRow:
    return VendorRow(
        supplier=cells["supplier"],
        supplier_id=cells["supplier_id"],
        iban=cells["iban"].replace(" ", "").upper(),
        first_used=_day(file, line, "first_used", cells),
        last_used=_day(file, line, "last_used", cells),
        invoice=cells["invoice"],
        run=cells["run"],
        line=line,
    )


def _day(file: str, line: int, column: str, cells: dict[str, str]) -> date | None:
    text = cells[column]
    try:
        return date.fromisoformat(text) if text else None
    except ValueError as problem:
        raise DamagedTable(file, line, f"{column} is “{text[:40]}”, not a date like 2026-11-30") from problem


def _amount(file: str, line: int, column: str, cells: dict[str, str]) -> Decimal | None:
    text = cells[column]
    amount = number_in(text)
    if text and amount is None:
        raise DamagedTable(file, line, f"{column} is “{text[:40]}”, not an amount like 1320.00")
    return amount


def _day_text(day: date | None) -> str:
    return "" if day is None else day.isoformat()


def _money_cell(amount: Decimal | None) -> str:
    return "" if amount is None else money_text(amount)
