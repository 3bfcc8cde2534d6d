"""Numbers and days as people write them: what a column says, and what it leaves open."""

from __future__ import annotations

from datetime import date, datetime
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weekly_report.amounts import amount_of, convention_of, written
from weekly_report.days import day_of, order_of, read_day


@pytest.mark.parametrize(
    "cell, mark, amount",
    [
        ("1.234,50", ",", "1234.50"),
        ("1,234.50", ".", "1234.50"),
        ("1 234,50", ",", "1234.50"),
        ("1\u202f234,50", ",", "1234.50"),
        ("1'234.50", ".", "1234.50"),
        ("12,34,567.00", ".", "1234567.00"),
        ("(75,50)", ",", "-75.50"),
        ("75.50-", ".", "-75.50"),
        ("−75.50", ".", "-75.50"),
        ("+ £1,100.00", ".", "1100.00"),
        ("-€3.10", ".", "-3.10"),
        ("0,5", ",", "0.5"),
        (",5", ",", "0.5"),
        ("1.234", ",", "1234"),
        ("1.234", ".", "1.234"),
        ("1234", None, "1234"),
        ("EUR 12", None, "12"),
        ("1.234.567", None, "1234567"),
        (0.1 + 0.2, None, "0.3"),
        (1840.5, None, "1840.5"),
        ("0,123", None, "0.123"),
    ],
)
def test_a_cell_under_the_columns_convention(cell: object, mark: str | None, amount: str) -> None:
    assert amount_of(cell, mark) == Decimal(amount)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "cell",
    [
        "",
        "n/a",
        "12 %",
        "1.23.4",
        "12,345,6",
        "1,2345,678.00",
        "--5",
        "(-5)",
        "5 EUR USD",
        "A12",
        "12.03.2026",
        True,
        None,
        "1.234",
    ],
)
def test_what_is_no_number_is_none(cell: object) -> None:
    assert amount_of(cell, "." if cell != "1.234" else None) is None  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "cells, mark, is_asked",
    [
        (["1.234,50", "99"], ",", False),
        (["1.234", "99,5"], ",", False),
        (["1.234", "1.234.567"], ",", False),
        (["1.234", "0.5"], ".", False),
        (["1.234", "2.500"], None, True),
        (["1.234,50", "1,234.50"], None, False),
        (["1.234,50", "1,234.50", "1.234"], None, True),
        (["12", 5.5, None], None, False),
    ],
)
def test_a_column_says_what_comma_and_point_mean_or_is_asked(
    cells: list[str], mark: str | None, is_asked: bool
) -> None:
    found = convention_of(cells)
    assert (found.mark, found.is_asked) == (mark, is_asked)


@pytest.mark.parametrize(
    "cell, currency, shared",
    [("€5", "EUR", ""), ("5 Kč", "CZK", ""), ("CHF 5", "CHF", ""), ("$5", "", "$"), ("5 kr", "", "kr"), ("5", "", "")],
)
def test_a_currency_beside_a_number(cell: str, currency: str, shared: str) -> None:
    found = written(cell)
    assert found is not None
    assert (found.currency, found.shared) == (currency, shared)


@given(
    st.decimals(min_value=-(10**9), max_value=10**9, places=2),
    st.sampled_from([(",", "."), (".", ","), (" ", ","), ("'", ".")]),
)
def test_every_amount_reads_as_it_was_written(amount: Decimal, signs: tuple[str, str]) -> None:
    thousands, mark = signs
    cell = f"{amount:,.2f}".replace(",", "T").replace(".", mark).replace("T", thousands)
    assert amount_of(cell, mark) == amount  # type: ignore[arg-type]
    assert amount_of(cell, convention_of([cell]).mark) == amount


@pytest.mark.parametrize(
    "cell",
    [
        "2026-11-23", "2026/11/23", "2026.11.23.", "20261123", "23.11.2026", "23.11.26", "23. 11. 2026", "Mo, 23.11.2026",
        "Mon 23/11/2026", "11/23/2026", "23-Nov-2026", "23 nov. 2026", "23. November 2026", "23 de noviembre de 2026",
        "November 23, 2026", "23 listopada 2026", "2026-11-23T08:15:00Z", "23.11.2026 08:15", "11/23/2026 8:15 PM",
        "46349", 46349.0, 46349.84, date(2026, 11, 23), datetime.fromisoformat("2026-11-23T09:00"),
    ],
)  # fmt: skip
def test_a_day_is_read(cell: object) -> None:
    assert day_of(cell, None) == date(2026, 11, 23)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "cell", ["", "pending", "31.02.2026", "13/13/2026", "1", 12.0, True, None, "2026", "Nov 2026", "23.11."]
)
def test_what_is_no_day_is_none(cell: object) -> None:
    assert read_day(cell) is None  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "cells, order",
    [
        (["03/04/2026", "27/11/2026"], "day"),
        (["03/04/2026", "11/27/2026"], "month"),
        (["03/04/2026", "05/06/2026"], None),
        (["27/11/2026", "11/27/2026"], None),
        (["03.04.2026"], None),
    ],
)
def test_a_column_says_whether_the_day_stands_first(cells: list[str], order: str | None) -> None:
    assert order_of(cells) == order
    assert day_of("03/04/2026", "day") == date(2026, 4, 3)
    assert day_of("03/04/2026", "month") == date(2026, 3, 4)
    assert day_of("03/04/2026", None) is None
    assert day_of("27/11/2026", "month") == date(2026, 11, 27), "what can only be read one way is"
