"""However headers, orders, separators, languages and forms of file drift: the same sales give the same figures."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from templates.weekly_report.counted import WEEK, counted
from templates.weekly_report.made_sheets import book, text

NAMES = {
    "day": [
        "Datum",
        "Date",
        "Order date",
        "Date de facture",
        "Fecha",
        "Data fattura",
        "Datum prodeje",
        "TAG",
        "Päivämäärä",
    ],
    "customer": ["Kunde", "Client name", "Cliente", "Customer", "Klant", "Zákazník"],
    "amount": ["Betrag (EUR)", "Amount EUR", "Montant HT (€)", "Importe €", "Umsatz in EUR", "Tržby EUR", "omzet_eur"],
}
DAYS = ["%Y-%m-%d", "%d.%m.%Y", "%d.%m.%y", "%d %b %Y", "%Y/%m/%d", "%a, %d.%m.%Y"]
TITLES = [[], ["Sales list"], ["Umsatzliste", "", "Stand: 30.11.2026"]]


@dataclass(frozen=True)
class Form:
    """How a table is written."""

    names: dict[str, str]
    order: tuple[str, ...]
    titles: list[str]
    day: str
    separators: tuple[str, str]
    delimiter: str
    as_workbook: bool
    typed: bool  # numbers and days as such, where it is a workbook
    total: bool
    more: bool  # columns that say nothing


@st.composite
def forms(draw: st.DrawFn) -> Form:
    """Any of them."""
    names = {role: draw(st.sampled_from(choices)) for role, choices in NAMES.items()}
    return Form(
        names,
        tuple(draw(st.permutations(["day", "customer", "amount", "note"]))),
        draw(st.sampled_from(TITLES)),
        draw(st.sampled_from(DAYS)),
        draw(st.sampled_from([(",", "."), (".", ","), (" ", ","), ("", ","), ("'", ".")])),
        draw(st.sampled_from([";", "\t", "|", ","])),
        draw(st.booleans()),
        draw(st.booleans()),
        draw(st.booleans()),
        draw(st.booleans()),
    )


Sale = tuple[date, str, Decimal]
SALES = st.lists(
    st.tuples(
        st.integers(-10, 12).map(lambda days: WEEK.first + timedelta(days=days)),
        st.sampled_from(["Brandt", "Halden", "Okafor & Söhne", "Žižkov"]),
        st.decimals(min_value=-99_999, max_value=99_999, places=2).filter(bool),
    ),
    min_size=3,
    max_size=12,
)


def written(form: Form, sales: list[Sale]) -> bytes:
    """The sales in this form."""
    columns = [*form.order, *(["Bearbeiter"] if form.more else [])]
    head = [{**form.names, "note": "Bemerkung"}.get(role, role) for role in columns]
    # a cell with two decimals says what the comma and the point mean, as each of them does here
    rows: list[list[object]] = [[title, *[""] * (len(columns) - 1)] for title in form.titles]
    rows.append(list(head))
    for day, customer, amount in sales:
        values = {"day": _day(form, day), "customer": customer, "amount": _amount(form, amount), "note": "ok"}
        rows.append([values.get(role, "x") for role in columns])
    if form.total:
        values = {"customer": "Summe", "amount": _amount(form, sum((sale[2] for sale in sales), Decimal(0)))}
        rows.append([values.get(role, "") for role in columns])
    if form.as_workbook:
        return book({"Sheet 1": [[None if cell == "" else cell for cell in row] for row in rows]})
    return text(rows, delimiter=form.delimiter)


def _day(form: Form, day: date) -> object:
    return day if form.as_workbook and form.typed else day.strftime(form.day)


def _amount(form: Form, amount: Decimal) -> object:
    if form.as_workbook and form.typed:
        return float(amount)
    thousands, mark = form.separators
    return f"{amount:,.2f}".replace(",", "T").replace(".", mark).replace("T", thousands)


@settings(max_examples=60, deadline=None)
@given(SALES, forms())
def test_the_same_sales_give_the_same_figures(sales: list[Sale], form: Form) -> None:
    with tempfile.TemporaryDirectory() as folder:
        found = counted(Path(folder), {"a.xlsx" if form.as_workbook else "a.csv": written(form, sales)})
    inside = [sale for sale in sales if sale[0] in WEEK]
    assert found.questions == []
    said = {(one.kind, one.of): (one.amount, one.rows) for one in found.figures if one.kind != "file"}
    expected: dict[tuple[str, str], tuple[Decimal, int]] = {}
    for day, customer, amount in inside:
        for key in (("total", ""), ("day", day.isoformat()), ("customer", customer)):
            before, rows = expected.get(key, (Decimal(0), 0))
            expected[key] = (before + amount, rows + 1)
    assert said == expected
    assert found.outside == len(sales) - len(inside)
    assert found.dropped_rows == (form.total and bool(inside))
