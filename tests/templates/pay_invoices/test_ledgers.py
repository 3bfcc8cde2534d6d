"""The tables keep every text, are safe to open in a spreadsheet, and refuse what a spreadsheet has damaged."""

from __future__ import annotations

import csv
import io
from dataclasses import replace
from datetime import date
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pay_invoices.ledgers import (
    EXPORTED,
    LEDGER_COLUMNS,
    REJECTED,
    VENDOR_COLUMNS,
    DamagedTable,
    LedgerRow,
    VendorRow,
    ledger_cells,
    plain_cell,
    read_ledger,
    read_vendors,
    safe_cell,
    table_bytes,
    vendor_cells,
)

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
DAYS = st.none() | st.dates()
MONEY = st.none() | st.decimals("-99999", "99999", places=2)
IBANS = st.sampled_from(["", "GB94BARC10201530093459"])
LEDGER_ROWS = st.builds(
    LedgerRow,
    run=st.integers(1, 10**6).map(str),
    state=st.sampled_from([EXPORTED, REJECTED]),
    supplier=TEXT,
    supplier_id=TEXT,
    number=TEXT,
    type=st.sampled_from(["380", "381"]),
    issue_date=DAYS,
    due_date=DAYS,
    currency=st.sampled_from(["EUR", "SEK"]),
    gross=MONEY,
    amount=MONEY,
    iban=IBANS,
    file=TEXT,
    sha256=st.just("ab" * 32),
    folder=TEXT,
    payment_file=TEXT,
    end_to_end_id=TEXT,
    at=st.just("2026-11-30T08:55:12Z"),
    reason=TEXT,
)
ROW = LedgerRow(
    run="12",
    state=EXPORTED,
    supplier="Arden & Hale Ltd",
    supplier_id="IE7654321AB",
    number="A-100",
    type="380",
    issue_date=date(2026, 11, 2),
    due_date=date(2026, 12, 2),
    currency="EUR",
    gross=Decimal("369.00"),
    amount=Decimal("369.00"),
    iban="IE29AIBK93115212345678",
    file="invoices/a.xml",
    sha256="ab" * 32,
    folder="invoices",
    payment_file="payments/12.xml",
    end_to_end_id="R12-1-A-100",
    at="2026-11-30T08:55:12Z",
    reason="",
)
GOOD = table_bytes(LEDGER_COLUMNS, [ledger_cells(ROW), ledger_cells(replace(ROW, number="A-101"))])


@given(st.lists(LEDGER_ROWS, max_size=5))
def test_ledger_rows_come_back(rows: list[LedgerRow]) -> None:
    data = table_bytes(LEDGER_COLUMNS, [ledger_cells(row) for row in rows])
    assert [replace(row, line=0) for row in read_ledger(data)] == rows


@given(st.lists(st.builds(VendorRow, TEXT, TEXT, IBANS, DAYS, DAYS, TEXT, st.just("7")), max_size=5))
def test_vendor_rows_come_back(rows: list[VendorRow]) -> None:
    data = table_bytes(VENDOR_COLUMNS, [vendor_cells(row) for row in rows])
    assert [replace(row, line=0) for row in read_vendors(data)] == rows


@given(st.text(st.sampled_from("=+-@'\t\ra "), max_size=6))
def test_no_text_looks_like_a_formula_and_all_come_back(text: str) -> None:
    safe = safe_cell(text)
    assert not safe.startswith(("=", "+", "-", "@", "\t", "\r"))
    assert plain_cell(safe) == text


def test_names_with_an_apostrophe_are_left_as_they_are() -> None:
    assert safe_cell("'t Hooft BV") == plain_cell("'t Hooft BV") == "'t Hooft BV"


def test_numbers_stay_numbers() -> None:
    cells = ledger_cells(replace(ROW, supplier='=HYPERLINK("x")', gross=Decimal("-5.5"), number="-7"))
    assert (cells["supplier"], cells["gross"], cells["number"]) == ('\'=HYPERLINK("x")', "-5.50", "'-7")


def test_columns_and_words_are_kept_by_people_and_never_renamed() -> None:
    assert ",".join(LEDGER_COLUMNS) == (
        "run,state,supplier,supplier_id,number,type,issue_date,due_date,currency,gross,amount,iban,file,sha256,folder,"
        "payment_file,end_to_end_id,at,reason"
    )
    assert ",".join(VENDOR_COLUMNS) == "supplier,supplier_id,iban,first_used,last_used,invoice,run"
    assert (EXPORTED, REJECTED) == ("exported", "rejected")
    assert list(ledger_cells(ROW)) == LEDGER_COLUMNS


def test_missing_and_empty_tables_hold_nothing() -> None:
    for data in (None, b"", b"\r\n", table_bytes(LEDGER_COLUMNS, [])):
        assert read_ledger(data) == []


def test_lines_are_counted_as_an_editor_counts_them() -> None:
    two = table_bytes(LEDGER_COLUMNS, [ledger_cells(replace(ROW, reason="two\nlines")), ledger_cells(ROW)])
    assert [row.line for row in read_ledger(two)] == [2, 4]


def test_a_mark_at_the_start_and_blank_lines_do_not_matter() -> None:
    assert len(read_ledger(b"\xef\xbb\xbf" + GOOD + b"\r\n\r\n")) == 2


def test_accounts_may_be_written_in_groups() -> None:
    data = GOOD.replace(b"IE29AIBK93115212345678", b"ie29 aibk 9311 5212 3456 78")
    assert read_ledger(data)[0].iban == "IE29AIBK93115212345678"


DAMAGE = {
    "semicolons": (GOOD.replace(b",", b";"), 1, "not separated by commas"),
    "a column removed": (GOOD.replace(b"sha256,", b"", 1), 1, "“sha256” is missing"),
    "a column added": (GOOD.replace(b"reason", b"reason,note", 1), 1, "“note” is not known"),
    "columns moved": (GOOD.replace(b"run,state", b"state,run", 1), 1, "another order"),
    "a German date": (GOOD.replace(b"2026-12-02", b"02.12.2026", 1), 2, "due_date is “02.12.2026”"),
    "a decimal comma": (GOOD.replace(b"369.00", b'"369,00"', 1), 2, "gross is “369,00”"),
    "an unknown state": (GOOD.replace(b"exported", b"paid", 1), 2, "“paid” instead of exported"),
    "a row cut off": (GOOD[:-40], 3, "cells instead of 19"),
    "a quote left open": (GOOD.replace(b"invoices/a.xml", b'"invoices/a.xml', 1), 3, "not valid CSV"),
    "another encoding": (GOOD.replace(b"Arden & Hale", "Müller".encode("cp1252"), 1), 2, "not UTF-8"),
    "a spreadsheet file": (b"PK\x03\x04\x14\0\x06\0" + b"\xff" * 40, 1, "not UTF-8"),
}


@pytest.mark.parametrize("case", DAMAGE)
def test_a_damaged_table_names_line_problem_and_remedy(case: str) -> None:
    data, line, words = DAMAGE[case]
    with pytest.raises(DamagedTable) as caught:
        read_ledger(data)
    assert str(caught.value).startswith(f"ledger.csv, line {line}: ")
    assert words in str(caught.value)
    assert "Put back the last good copy" in str(caught.value)


def test_the_vendor_table_names_itself() -> None:
    with pytest.raises(DamagedTable, match=r"^vendors\.csv, line 1: "):
        read_vendors(b"name;iban\r\n")


@given(st.binary(max_size=200))
def test_any_bytes_are_rows_or_a_damage(data: bytes) -> None:
    for damaged in (data, GOOD + data, GOOD[: len(GOOD) // 2] + data):
        try:
            rows = read_ledger(damaged)
        except DamagedTable:
            continue
        assert all(isinstance(row, LedgerRow) for row in rows)


def test_what_is_written_is_plain_csv() -> None:
    rows = list(csv.DictReader(io.StringIO(GOOD.decode(), newline="")))
    assert [row["number"] for row in rows] == ["A-100", "A-101"]
