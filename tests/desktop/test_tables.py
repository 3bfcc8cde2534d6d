"""Tables as plain objects, then through Qt's model tester: arranging, fitting, holding, copying; identifiers are never cut."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QAbstractItemModelTester, QTest
from pytestqt.qtbot import QtBot

from counterfoil.desktop.tables.adapter import Role, TableAdapter
from counterfoil.desktop.tables.cells import folded_lines, row_height
from counterfoil.desktop.tables.diff_view import DiffAdapter, DiffView
from counterfoil.desktop.tables.fitting import balanced, broken, fit, packed
from counterfoil.desktop.tables.table import Table, as_lines, from_evidence, from_texts, heading
from counterfoil.desktop.tables.view import TableView
from counterfoil.desktop.theme import Theme
from counterfoil.previews.texts import compare
from desktop.figures import NEW, OLD, checks_table, euro, payments_table

TODAY = date(2026, 11, 30)


def payments() -> Table:
    return from_evidence(payments_table()["data"], TODAY, numbers_shown=False)


def wide(text: str) -> int:
    """Eight pixels a sign."""
    return 8 * len(text)


def test_columns_are_told_apart() -> None:
    kinds = {column.title: column.kind for column in payments().columns}
    assert kinds == {
        "Supplier": "text",
        "Account": "identifier",
        "Invoice": "identifier",
        "Due": "date",
        "Amount": "amount",
        "File": "identifier",
    }


def test_flagged_rows_come_first_and_the_total_stays_last() -> None:
    lines = payments().arrange()
    assert [line.flagged for line in lines[:4]] == [True, True, True, False]
    assert lines[0].note == "38% above the usual amount"
    assert lines[-1].total
    assert lines[-1].texts[-2] == "€41,208.90"


def test_the_number_column_names_the_rows_and_is_not_shown() -> None:
    assert [line.number for line in payments().lines] == list(range(1, 13))
    assert "No." not in [column.title for column in payments().columns]
    shown = from_evidence(payments_table()["data"], TODAY)
    assert (shown.columns[0].title, shown.columns[0].kind) == ("No.", "number")


def test_empty_columns_are_left_out() -> None:
    assert "Reason" not in [column.title for column in payments().columns]


@pytest.mark.parametrize(
    "wanted, found", [("halden", 1), ("2760", 1), ("DE8937", 1), ("first payment", 1), ("nobody", 0)]
)
def test_filter_finds_words_digits_and_notes(wanted: str, found: int) -> None:
    assert len(payments().arrange(wanted)) == found


def test_sorting_knows_amounts() -> None:
    amount = [column.title for column in payments().columns].index("Amount")
    lines = payments().arrange(by=amount, descending=True)
    assert lines[0].texts[amount] == "€7,616.00"
    assert lines[-1].total


def test_copy_is_in_full() -> None:
    table = payments()
    text = as_lines(table.columns, table.lines[:1])
    assert "DE89 3704 0044 0532 0130 00" in text
    assert text.splitlines()[0].startswith("Supplier\tAccount")


def test_adapter_keeps_qts_rules(qtbot: QtBot, theme: Theme) -> None:
    adapter = TableAdapter(payments(), holdable=True)
    tester = QAbstractItemModelTester(adapter, QAbstractItemModelTester.FailureReportingMode.Fatal)
    adapter.wanted("e")
    adapter.sort(5, Qt.SortOrder.DescendingOrder)
    adapter.wanted("nobody")
    adapter.wanted("")
    adapter.sort(-1)
    adapter.hold((1, 3))
    assert tester.model() is adapter
    assert adapter.index(0, 0).data(Qt.ItemDataRole.CheckStateRole) == Qt.CheckState.Checked
    assert adapter.index(0, 1).data(Qt.ItemDataRole.AccessibleTextRole).startswith("Flagged. Supplier: Meridian")


def test_a_name_that_ends_in_a_stop_is_heard_with_one(theme: Theme) -> None:
    data = {"columns": ["supplier", "note"], "rows": [["Studio Wójcik sp. z o.o.", "First payment."]], "flagged": [0]}
    adapter = TableAdapter(from_evidence(data, TODAY))
    heard = adapter.index(0, 0).data(Qt.ItemDataRole.AccessibleTextRole)
    assert heard == "Flagged. Supplier: Studio Wójcik sp. z o.o. First payment."


def test_an_empty_table_keeps_qts_rules(qtbot: QtBot, theme: Theme) -> None:
    adapter = TableAdapter(from_evidence({}, TODAY))
    QAbstractItemModelTester(adapter, QAbstractItemModelTester.FailureReportingMode.Fatal)
    assert adapter.rowCount() == 0
    assert adapter.rowCount(QModelIndex()) == 0
    view = TableView(TableAdapter(from_evidence({"columns": ["a"], "rows": []}, TODAY)), "Nothing")
    qtbot.addWidget(view)
    view.resize(760, 300)
    view.show()
    view.refit()
    assert view.height() == 36  # its head


def test_rows_without_columns_are_none() -> None:
    assert from_evidence({"columns": [], "rows": [[], []], "total": None, "flagged": [1]}, TODAY).lines == ()


def test_a_filter_that_finds_nothing_leaves_the_head(qtbot: QtBot, theme: Theme) -> None:
    adapter = TableAdapter(payments())
    view = TableView(adapter, "Payments")
    qtbot.addWidget(view)
    view.resize(760, 300)
    view.show()
    high = view.height()
    adapter.wanted("nothing is called that")
    assert (adapter.rowCount(), view.height()) == (0, 36)
    adapter.wanted("")
    assert view.height() == high


def test_holding_a_row_tells_its_number(qtbot: QtBot, theme: Theme) -> None:
    adapter = TableAdapter(payments(), holdable=True)
    with qtbot.waitSignal(adapter.held_changed, timeout=20_000):
        adapter.toggle(adapter.index(2, 0))
    assert adapter.held == (3,)
    assert not adapter.setData(adapter.index(2, 1), Qt.CheckState.Checked, Qt.ItemDataRole.CheckStateRole)


def test_space_holds_the_current_row(qtbot: QtBot, theme: Theme) -> None:
    adapter = TableAdapter(payments(), holdable=True)
    view = TableView(adapter, "Payments")
    qtbot.addWidget(view)
    view.resize(760, 700)
    view.show()
    view.setCurrentIndex(adapter.index(1, 1))
    QTest.keyClick(view, Qt.Key.Key_Space)
    assert adapter.held == (2,)
    QTest.keyClick(view, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert "PL61 1090 1014 0000 0712 1981 2874" in QGuiApplication.clipboard().text()


@pytest.mark.parametrize("room", [300, 420, 506, 694, 1000, 1400])
def test_nothing_is_cut_however_narrow(theme: Theme, room: int) -> None:
    table = payments()
    fitted = fit(table.columns, table.lines, room, wide, wide)
    assert fitted.width <= max(room, sum(fitted.widths))
    assert set(fitted.kept) | set(fitted.folded) == set(range(len(table.columns)))
    for line in table.lines:
        below = " ".join(folded_lines(fitted, line)).replace(" ", "")
        for at in fitted.folded:
            assert line.texts[at].replace(" ", "") in below
        assert row_height(fitted, line) >= 38


def test_amount_and_supplier_never_go_below(theme: Theme) -> None:
    table = payments()
    titles = [column.title for column in table.columns]
    kept = {titles[at] for at in fit(table.columns, table.lines, 300, wide, wide).kept}
    assert {"Supplier", "Amount"} <= kept


@given(
    st.lists(st.text(alphabet="abcde0123456789", min_size=1, max_size=40), min_size=1, max_size=8), st.integers(8, 400)
)
def test_breaking_loses_nothing(words: list[str], width: int) -> None:
    text = " ".join(words)
    for lines in (broken(text, width, wide), balanced(text, width, wide), packed([text], width, wide)):
        assert "".join(lines).replace(" ", "") == text.replace(" ", "")
        assert all(wide(line) <= max(width, 8) for line in lines)


def test_an_account_breaks_near_its_middle() -> None:
    assert balanced("PL61 1090 1014 0000 0712 1981 2874", wide("PL61 1090 1014 0000 0712 1981"), wide) == [
        "PL61 1090 1014 0000",
        "0712 1981 2874",
    ]


def test_five_thousand_rows_are_there_at_once(qtbot: QtBot, theme: Theme) -> None:
    rows = [[f"Supplier {n}", OLD, euro(f"{n}.00")] for n in range(5000)]
    adapter = TableAdapter(from_evidence({"columns": ["supplier", "account", "amount"], "rows": rows}, TODAY))
    view = TableView(adapter, "Many")
    qtbot.addWidget(view)
    view.resize(700, 600)
    view.show()
    assert view.rowHeight(4999) >= 38
    assert view.height() < 1000
    assert adapter.index(4999, 1).data() == "GB94 BARC 1020 1530 0934 59"


def test_checks_that_passed_are_folded(theme: Theme) -> None:
    table = from_evidence(checks_table()["data"], TODAY)
    adapter = TableAdapter(table)
    assert table.count_of("Result", "Passed") == 110
    adapter.hide_rows("Passed")
    assert [line.texts[0] for line in adapter.lines] == ["Failed", "Could not be made"]
    adapter.hide_rows("")
    assert adapter.rowCount() == 112


def test_texts_of_files_make_a_table_too() -> None:
    table = from_texts(("supplier", "amount"), [("Halden", "5480.00")], TODAY)
    assert table.columns[1].kind == "amount"
    assert table.lines[0].texts == ("Halden", "5,480.00")


def test_an_account_is_marked_whole_where_it_differs() -> None:
    before = f"supplier,iban\nHalden,NO93\nBrightwater,{OLD},x\nOkafor,NL91\n"
    lines = compare(before, before.replace(OLD, NEW))
    gone, added = (next(line for line in lines if line.sign == sign) for sign in "−+")
    assert [gone.text[at : at + many] for at, many in gone.marks] == [OLD]
    assert [added.text[at : at + many] for at, many in added.marks] == [NEW]
    assert (gone.old, added.new) == (3, 3)


def test_what_stayed_is_folded() -> None:
    before = "\n".join(f"line {n}" for n in range(100))
    lines = compare(before, before + "\nlast")
    assert [line.sign for line in lines] == ["…", " ", " ", "+"]
    assert lines[0].text == "98 lines unchanged"


def test_a_new_file_is_all_added() -> None:
    assert {line.sign for line in compare(None, "a\nb")} == {"+"}
    assert compare("", "") == []


def test_differences_keep_qts_rules(qtbot: QtBot, theme: Theme) -> None:
    adapter = DiffAdapter(compare("a\nb\n", "a\nc\n"))
    QAbstractItemModelTester(adapter, QAbstractItemModelTester.FailureReportingMode.Fatal)
    assert adapter.index(1, 0).data(Qt.ItemDataRole.AccessibleTextRole) == "removed, line 2: b"
    view = DiffView(adapter.lines, "Differences")
    qtbot.addWidget(view)
    view.show()
    assert view.accessibleName() == "Differences"


def test_line_of_a_cell_is_there_for_the_delegate(theme: Theme) -> None:
    adapter = TableAdapter(payments())
    assert adapter.index(0, 0).data(Role.LINE).number == 1
    assert adapter.index(0, 4).data(Role.KIND) == "amount"


def test_what_every_row_says_alike_is_told_once(qtbot: QtBot, theme: Theme) -> None:
    columns = ("run", "state", "supplier", "iban", "amount", "sha256", "folder")
    rows = [
        ("1", "exported", f"Supplier number {n} & Sons", NEW, f"{n}.00", f"{n:064x}", "invoices") for n in range(1, 9)
    ]
    table = from_texts(columns, rows, TODAY)
    view = TableView(TableAdapter(table), "Rows")
    held = view.captioned()
    qtbot.addWidget(held)
    held.resize(560, 600)
    held.show()
    assert view.caption.text().startswith("In every row · ")
    assert "State: exported" in view.caption.text()
    titles = [table.columns[at].title for at in view.fit.kept]
    assert "Supplier" in titles
    assert "Amount" in titles
    assert set(view.fit.kept) | set(view.fit.folded) | set(view.fit.told_once) == set(range(len(columns)))


def test_what_most_rows_leave_empty_goes_below_and_the_account_stays(theme: Theme) -> None:
    rows = [["Halden Paper AS", NEW, None, euro("5480.00"), None] for _ in range(5)]
    rows[0][2], rows[0][4] = "Confirmed by phone with Ms Brandt", "Halden Paper (Oslo)"
    columns = ["Supplier", "Account", "Reason", "Amount", "Name in the file"]
    table = from_evidence({"columns": [*columns, "Remark of nobody"], "rows": [[*row, None] for row in rows]}, TODAY)
    fitted = fit(table.columns, table.lines, 620, wide, wide)
    assert [table.columns[at].title for at in fitted.kept] == ["Supplier", "Account", "Amount"]
    assert fitted.below(table.lines[0]) == [
        "Reason: Confirmed by phone with Ms Brandt",
        "Name in the file: Halden Paper (Oslo)",
    ]
    assert fitted.below(table.lines[1]) == []  # an empty cell says nothing below, either


def test_the_head_of_a_row_is_its_first_text_not_its_number(theme: Theme) -> None:
    table = from_evidence(payments_table()["data"], TODAY)
    fitted = fit(table.columns, table.lines, 2000, wide, wide)
    assert table.columns[fitted.head].title == "Supplier"
    assert fitted.inset == fitted.widths[0]  # what is told below stands under the supplier, not under the number


def test_headings_write_the_names_of_things_as_people_do() -> None:
    assert [heading(title) for title in ("pay_on", "supplier_id", "iban", "sha256", "No.")] == [
        "Pay on",
        "Supplier ID",
        "IBAN",
        "SHA-256",
        "No.",
    ]


def test_counts_stand_at_the_right_and_years_have_no_groups() -> None:
    data = {"columns": ["Year", "Letters", "Cost"], "rows": [[2024, 1200, euro("8640.00")], [2025, 7, euro("9480.00")]]}
    table = from_evidence(data, TODAY)
    assert [column.right for column in table.columns] == [False, True, True]
    assert [line.texts[:2] for line in table.lines] == [("2024", "1,200"), ("2025", "7")]


def test_a_table_without_columns_takes_no_room() -> None:
    assert (fit((), (), 400, wide, wide).widths, fit((), (), 400, wide, wide).kept) == ((), ())
