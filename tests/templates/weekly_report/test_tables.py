"""Headers and columns: where they stand, what they are, and what a person is asked about them."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from templates.weekly_report.counted import asked, counted, dropped, left_out, totals
from templates.weekly_report.made_sheets import book, sheet, text
from weekly_report.reading import ONCE, TWICE

MON, TUE, WED = date(2026, 11, 23), date(2026, 11, 24), date(2026, 11, 25)
OPEN = [("Datum", "Betrag EUR"), ("23.11.2026", "1.234")]
TWO = [("23.11.2026", "100,50"), ("24.11.2026", "20")]


@pytest.mark.parametrize(
    "head",
    [
        ("Datum", "Betrag EUR"),
        ("Order date", "Amount (EUR)"),
        ("Date de vente", "Montant HT (€)"),
        ("Fecha", "Importe EUR"),
        ("Data vendita", "Fatturato EUR"),
        ("Verkoopdatum", "Omzet EUR"),
        ("Data sprzedaży", "Wartość EUR"),
        ("Datum prodeje", "Tržby EUR"),
        ("Försäljningsdatum", "Belopp EUR"),
        ("Ordredato", "Beløb EUR"),
        ("Päivämäärä", "Myynti EUR"),
        ("Дата", "Сумма EUR"),
        ("RECHNUNGSDATUM", "umsatz_netto_eur"),
    ],
)
def test_headers_in_many_languages(tmp_path: Path, head: tuple[str, str]) -> None:
    found = counted(tmp_path, {"a.csv": text([head, *TWO])})
    assert (totals(found), asked(found)) == ({"EUR": "120.50"}, [])


def test_titles_above_and_totals_below(tmp_path: Path) -> None:
    rows = [("Verkäufe", ""), ("Alle Beträge in EUR", ""), ("", ""), ("Datum", "Betrag"), *TWO, ("Summe", "120,50")]
    found = counted(tmp_path, {"a.csv": text(rows)})
    assert totals(found) == {"EUR": "120.50"}
    assert dropped(found) == {7: "It is a total of other rows."}
    [source] = found.figures[0].sources
    assert (source.file, source.cells, source.rows) == ("a.csv", "B5:B6", 2)
    assert found.sheets[0].header == 4


def test_tables_side_by_side_are_two(tmp_path: Path) -> None:
    rows = [
        ("Alle Beträge in EUR",),
        ("Datum", "Betrag", None, "Datum", "Betrag"),
        (MON, 5, None, TUE, 7),
        (None, None, None, WED, 8),
    ]
    found = counted(tmp_path, {"a.xlsx": book({"S": rows})})
    assert (totals(found), asked(found), found.dropped_rows) == ({"EUR": "20"}, [], 0)
    assert [source.cells for source in found.figures[0].sources] == ["B3, E3:E4"]


def test_totals_that_have_a_day_are_no_sales(tmp_path: Path) -> None:
    rows = [("Datum", "Kunde", "Betrag EUR"), ("23.11.2026", "Total Energies", "5"), ("29.11.2026", "Summe KW 48", "5")]
    rows += [("29.11.2026", "Grand total", "5"), ("29.11.2026", "Saldovortrag", "7")]
    found = counted(tmp_path, {"a.csv": text(rows)})
    assert totals(found) == {"EUR": "5"}
    assert list(dropped(found).values()) == [
        "It is a total of other rows.", "It is a total of other rows.", "It carries a balance or the sum of a statement.",
    ]  # fmt: skip


def test_a_table_that_was_pasted_twice_is_told(tmp_path: Path) -> None:
    found = counted(tmp_path, {"a.csv": text([("Datum", "Betrag EUR"), *TWO, *TWO])})
    assert totals(found) == {"EUR": "241.00"}
    assert found.notes == ["a.csv: each of its 4 rows stands in it at least twice; all of them are counted."]
    assert counted(tmp_path, {"a.csv": text([("Datum", "Betrag EUR"), *TWO, TWO[0]])}).notes == []


def test_a_header_of_two_rows_and_one_that_reaches_over_columns(tmp_path: Path) -> None:
    below = [("Datum", "Umsatz EUR", None), (None, "netto", "brutto"), (MON, 100, 119)]
    found = counted(tmp_path, {"a.xlsx": book({"S": sheet(below, merged=["B1:C1"])})})
    assert asked(found) == [("amount", ["Umsatz EUR netto", "Umsatz EUR brutto", "leave it out"])]
    above = [(None, "Umsatz EUR", None), ("Datum", "Betrag", "Betrag"), (MON, 100, 119)]
    found = counted(tmp_path, {"a.xlsx": book({"S": sheet(above, merged=["B1:C1"])})})
    assert asked(found)[0][1][:2] == ["Umsatz EUR Betrag (column B)", "Umsatz EUR Betrag (column C)"]
    chosen = counted(tmp_path, {}, answers={"amount": "Umsatz EUR Betrag (column C)"})
    assert totals(chosen) == {"EUR": "119"}


def test_a_header_that_comes_again_and_a_second_table_below(tmp_path: Path) -> None:
    rows = [
        ("Datum", "Betrag EUR"),
        TWO[0],
        ("Datum", "Betrag EUR"),
        TWO[1],
        ("", ""),
        ("Sales GBP", "Day"),
        ("7.00", "25.11.2026"),
    ]
    found = counted(tmp_path, {"a.csv": text(rows)})
    assert totals(found) == {"EUR": "120.50", "GBP": "7.00"}
    assert dropped(found) == {3: "It is the header again."}


def test_two_columns_could_be_the_amount(tmp_path: Path) -> None:
    rows = [("Datum", "Netto EUR", "Brutto EUR", "Steuer EUR"), ("23.11.2026", "100", "119", "19")]
    found = counted(tmp_path, {"a.csv": text(rows)})
    assert asked(found) == [("amount", ["Netto EUR", "Brutto EUR", "leave it out"])]
    assert found.questions[0].sample[1] == ["23.11.2026", "100", "119", "19"]
    assert totals(counted(tmp_path, {}, answers={"amount": "Brutto EUR"})) == {"EUR": "119"}
    away = counted(tmp_path, {}, answers={"amount": "leave it out"})
    assert (left_out(away), away.rows) == ({"a.csv": "A person left it out."}, 0)


def test_columns_that_say_the_same_are_not_asked_about(tmp_path: Path) -> None:
    rows = [
        ("Datum", "Valuta", "Betrag EUR", "Saldo"),
        ("23.11.2026", "23.11.2026", "5", "95"),
        ("24.11.2026", "24.11.2026", "6", "89"),
    ]
    assert totals(counted(tmp_path, {"a.csv": text(rows)})) == {"EUR": "11"}


def test_two_columns_could_be_the_day(tmp_path: Path) -> None:
    rows = [("Bestelldatum", "Lieferdatum", "Betrag EUR"), ("20.11.2026", "23.11.2026", "5")]
    found = counted(tmp_path, {"a.csv": text(rows)})
    assert asked(found) == [("day", ["Bestelldatum", "Lieferdatum", "leave it out"])]
    assert totals(counted(tmp_path, {}, answers={"day": "Lieferdatum"})) == {"EUR": "5"}


def test_a_name_that_nobody_knows_is_asked_about(tmp_path: Path) -> None:
    rows = [("Datum", "Kram", "Anzahl"), ("23.11.2026", "5,50", "3")]
    found = counted(tmp_path, {"a.csv": text(rows)})
    assert asked(found) == [("amount", ["Kram", "leave it out"])]
    answered = counted(tmp_path, {}, answers={"amount": "Kram", "currency": "CHF"})
    assert totals(answered) == {"CHF": "5.50"}


def test_a_table_without_a_header(tmp_path: Path) -> None:
    found = counted(tmp_path, {"a.csv": text([("23.11.2026", "A", "5,50 €"), ("24.11.2026", "B", "4,50 €")])})
    assert asked(found) == [("amount", ["column C", "leave it out"])]
    assert totals(counted(tmp_path, {}, answers={"amount": "column C"})) == {"EUR": "10.00"}


@pytest.mark.parametrize(
    "rows, question, answers, total",
    [
        ([("Datum", "Betrag"), ("23.11.2026", "5")], "currency", {"currency": "SEK"}, {"SEK": "5"}),
        ([("Date", "Amount"), ("23.11.2026", "$5")], "currency of $", {"currency of $": "CAD"}, {"CAD": "5"}),
        ([("Datum", "Belopp"), ("23.11.2026", "5 kr")], "currency of kr", {"currency of kr": "NOK"}, {"NOK": "5"}),
        (OPEN, "decimals", {"decimals": "the comma separates the decimals"}, {"EUR": "1234"}),
        (OPEN, "decimals", {"decimals": "the point separates the decimals"}, {"EUR": "1.234"}),
        ([("Date", "Amount EUR"), ("11/12/2026", "1"), ("11/23/2026", "5")], "", {}, {"EUR": "5"}),
    ],
)  # fmt: skip
def test_what_is_open_is_asked_and_never_guessed(
    tmp_path: Path, rows: list[tuple[str, str]], question: str, answers: dict[str, str], total: dict[str, str]
) -> None:
    found = counted(tmp_path, {"a.csv": text(rows)})
    assert [one.kind for one in found.questions] == ([question] if question else [])
    assert totals(counted(tmp_path, {}, answers=answers)) == total


def test_which_of_day_and_month_stands_first_is_asked_only_where_it_matters(tmp_path: Path) -> None:
    assert asked(counted(tmp_path, {"a.csv": text([("Date", "Amount EUR"), ("02/03/2026", "5")])})) == []
    week = text([("Date", "Amount EUR"), ("11/12/2026", "5"), ("12/11/2026", "7")])
    found = counted(tmp_path, {"a.csv": week})
    assert asked(found) == [], "neither 11 December nor 12 November lies in these weeks"
    rows = text([("Date", "Amount EUR"), ("02/03/2026", "5"), ("11/24/2026", "1"), ("24/11/2026", "2")])
    assert totals(counted(tmp_path, {"a.csv": rows})) == {"EUR": "3"}


def test_amounts_that_went_out_and_came_in(tmp_path: Path) -> None:
    rows = [
        ("Date", "Details", "Debit", "Credit", "Balance"),
        ("2026-11-23", "x", "512.0", "", "1"),
        ("2026-11-24", "y", "", "428.03", "2"),
    ]
    found = counted(tmp_path, {"a.csv": text(rows, delimiter=",")}, answers={"currency": "EUR"})
    assert totals(found) == {"EUR": "-83.97"}
    assert found.figures[0].sources[0].cells == "C2, D3"


def test_which_way_amounts_without_a_sign_went_is_asked(tmp_path: Path) -> None:
    rows = [("Date", "Amount EUR", "D/K"), ("2026-11-23", "5", "D"), ("2026-11-24", "8", "K")]
    found = counted(tmp_path, {"a.csv": text(rows)})
    assert asked(found) == [("direction", ["D takes away", "K takes away", "none of them", "leave it out"])]
    assert totals(counted(tmp_path, {}, answers={"direction": "D takes away"})) == {"EUR": "3"}
    assert totals(counted(tmp_path, {}, answers={"direction": "none of them"})) == {"EUR": "13"}
    customer = [("Date", "Amount EUR", "Customer"), ("2026-11-23", "5", "D"), ("2026-11-24", "8", "K")]
    assert asked(counted(tmp_path, {"a.csv": text(customer)})) == []


def test_a_currency_column_and_a_cell_that_says_otherwise(tmp_path: Path) -> None:
    rows = [
        ("Datum", "Betrag", "Währung"),
        ("23.11.2026", "5", "EUR"),
        ("23.11.2026", "7 SEK", "SEK"),
        ("24.11.2026", "£3", "EUR"),
    ]
    found = counted(tmp_path, {"a.csv": text(rows)})
    assert totals(found) == {"EUR": "5", "SEK": "7"}
    assert dropped(found) == {4: "It names two currencies, GBP and EUR."}


def test_rows_that_stand_in_two_files_are_asked_about(tmp_path: Path) -> None:
    month = [
        ("Datum", "Kunde", "Betrag EUR"),
        ("23.11.2026", "A", "5"),
        ("24.11.2026", "B", "6"),
        ("30.11.2026", "C", "7"),
    ]
    week = [
        ("Betrag EUR", "Datum", "Kunde"),
        ("5", "23.11.2026", "A"),
        ("6", "24.11.2026", "B"),
        ("1", "25.11.2026", "D"),
    ]
    found = counted(tmp_path, {"month.csv": text(month), "week.csv": text(week)})
    [question] = found.questions
    assert question.text == "2 rows stand in month.csv and in week.csv."
    once = counted(tmp_path, {}, answers={"copies": ONCE})
    assert (totals(once), dropped(once)) == ({"EUR": "12"}, dict.fromkeys((2, 3), "It stands in month.csv, too."))
    assert totals(counted(tmp_path, {}, answers={"copies": TWICE})) == {"EUR": "23"}
    same = counted(tmp_path, {"week.csv": text(month)})
    assert left_out(same) == {"week.csv": "It has the same content as month.csv, which is counted."}


def test_two_equal_rows_of_one_file_are_two_sales(tmp_path: Path) -> None:
    assert totals(counted(tmp_path, {"a.csv": text([("Datum", "Betrag EUR"), TWO[0], TWO[0]])})) == {"EUR": "201.00"}


def test_breakdowns_by_what_rows_are_told_apart_by(tmp_path: Path) -> None:
    rows = [
        ("Datum", "Kunde", "Region", "Betrag EUR"),
        ("23.11.2026", "A", "Nord", "5"),
        ("24.11.2026", "", "Nord", "6"),
    ]
    found = counted(
        tmp_path, {"a.csv": text(rows), "b.csv": text([("Day", "Client", "Sales EUR"), ("24.11.2026", "A", "1")])}
    )
    said = {(one.kind, one.of): f"{one.amount:f}" for one in found.figures}
    assert said == {
        ("total", ""): "12", ("day", "2026-11-23"): "5", ("day", "2026-11-24"): "7", ("region", "Nord"): "11",
        ("customer", "(not named)"): "6", ("customer", "A"): "6", ("file", "a.csv"): "11", ("file", "b.csv"): "1",
    }  # fmt: skip
