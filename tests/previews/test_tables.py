"""Tables in texts and in spreadsheets: rows that came and went, cells that changed, told by header and by place."""

from datetime import date, datetime, time, timedelta
from typing import Any

import pytest

from counterfoil.previews.delimited import compare_tables
from counterfoil.previews.grids import MOST_CELLS, MOST_ROWS, Value, cell_text, compare_rows, letters

LEDGER = "id;name;amount\n1;Halden;100.00\n2;Okafor;250.00\n3;Quinta;75.50\n"


def told(before: str | None, after: str) -> dict[str, Any]:
    """A change in short: what is not empty."""
    change = compare_tables(before, after)
    assert change is not None
    shown = {
        "added": [(line.number, *line.cells) for line in change.added],
        "removed": [(line.number, *line.cells) for line in change.removed],
        "changed": [(cell.at, cell.column, cell.before, cell.after) for cell in change.changed],
        "notes": list(change.notes),
    }
    return {name: value for name, value in shown.items() if value}


def test_a_cell() -> None:
    assert told(LEDGER, LEDGER.replace("250.00", "999.00")) == {"changed": [("row 3", "amount", "250.00", "999.00")]}


def test_a_row_in_the_middle_moves_nothing_else() -> None:
    after = LEDGER.replace("2;Okafor", "9;New;1.00\n2;Okafor")
    assert told(LEDGER, after) == {"added": [(3, "9", "New", "1.00")]}
    assert told(after, LEDGER) == {"removed": [(3, "9", "New", "1.00")]}


def test_rows_are_matched_by_their_first_cell_where_their_number_differs() -> None:
    after = "id;name;amount\n1;Halden;100.00\n3;Quinta;80.00\n4;Neu;5.00\n"
    assert told(LEDGER, after) == {
        "removed": [(3, "2", "Okafor", "250.00")],
        "changed": [("row 3", "amount", "75.50", "80.00")],
        "added": [(4, "4", "Neu", "5.00")],
    }


def test_columns_that_come_and_go() -> None:
    after = "id;amount;iban\n1;100.00;NL91\n2;250.00;\n3;75.50;\n"
    found = told(LEDGER, after)
    assert found["notes"] == ["Column “iban” is new.", "Column “name” is gone."]
    assert ("row 2", "iban", "", "NL91") in found["changed"]
    assert ("row 2", "name", "Halden", "") in found["changed"]
    assert told(LEDGER, "name;id;amount\nHalden;1;100.00\nOkafor;2;250.00\nQuinta;3;75.50\n") == {
        "notes": ["The columns stand in another order."]
    }


def test_cells_beyond_the_header_are_not_passed_over() -> None:
    assert told("a,b\n1,2\n", "a,b\n1,2,3\n") == {"changed": [("row 2", "column 3", "", "3")]}


def test_a_new_table_is_all_rows() -> None:
    assert told(None, "a,b\n1,2\n3,4\n") == {"added": [(2, "1", "2"), (3, "3", "4")]}


@pytest.mark.parametrize("after", ["just text\n", "a,b\n1,2,3\n4\n\n5,6,7,8\n9\n", "a,a\n1,2\n", ""])
def test_what_is_no_table_is_none(after: str) -> None:
    assert compare_tables("a,b\n1,2\n", after) is None


def test_names_and_cells_that_hide_something_are_spelled_out() -> None:
    found = told("id,na\u202eme\n1,a\n", "id,na\u202eme\n1,b\u200b\n")
    assert found["changed"] == [("row 2", "na\\u202eme", "a", "b\\u200b")]


def test_more_than_is_shown_is_counted() -> None:
    many = "".join(f"{n},x\n" for n in range(MOST_CELLS + 500))
    change = compare_tables("a,b\n" + many, "a,b\n" + many.replace(",x", ",y"))
    assert change is not None
    assert (len(change.changed), change.more) == (MOST_CELLS, 500)
    grown = compare_tables("a,b\n", "a,b\n" + many)
    assert grown is not None
    assert (len(grown.added), grown.more) == (MOST_ROWS, MOST_CELLS + 500 - MOST_ROWS)


def test_rows_with_nothing_in_common_came_and_went() -> None:
    found = compare_rows([("a", 1, 2, 3)], [("b", 7, 8, 9)], lambda row, column: (f"{row}", f"{column}"))
    assert (len(found.removed), len(found.added), found.changed) == (1, 1, [])


@pytest.mark.parametrize(
    "value, text",
    [
        (None, ""),
        (1.0, "1"),
        (0.1 + 0.2, "0.30000000000000004"),
        (1e300, "1e+300"),
        (7, "7"),
        (datetime.fromisoformat("2026-11-30"), "2026-11-30"),
        (datetime.fromisoformat("2026-11-30T08:05"), "2026-11-30 08:05:00"),
        (date(2026, 11, 30), "2026-11-30"),
        (time(8, 5), "08:05:00"),
        (timedelta(hours=25), "1 day, 1:00:00"),
        ("two\nlines", "two ⏎ lines"),
        ("a\u2066b", "a\\u2066b"),
        ("x" * 500, "x" * 400 + "… (100 more signs)"),
    ],
)
def test_values_as_people_read_them(value: Value, text: str) -> None:
    assert cell_text(value) == text


def test_columns_are_named_as_in_spreadsheets() -> None:
    assert [letters(at) for at in (0, 25, 26, 51, 52, 701, 702)] == ["A", "Z", "AA", "AZ", "BA", "ZZ", "AAA"]
