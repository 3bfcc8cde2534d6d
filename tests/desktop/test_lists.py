"""The inbox list, the runs and the steps: plain objects first, then Qt's model tester over their adapters."""

import dataclasses
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QAbstractItemModelTester
from PySide6.QtWidgets import QScrollArea, QWidget
from pytestqt.qtbot import QtBot

from counterfoil.desktop.gate.index_bar import IndexBar
from counterfoil.desktop.inbox.adapter import InboxAdapter, Role, state_words
from counterfoil.desktop.inbox.delegate import name_shown
from counterfoil.desktop.inbox.rows import Entry, Group, InboxList, bulk_choice, entry_id, matches
from counterfoil.desktop.inbox.view import InboxView
from counterfoil.desktop.office import InboxRow, Tab
from counterfoil.desktop.parts.buttons import Button
from counterfoil.desktop.runs.list_view import RunsAdapter
from counterfoil.desktop.runs.rows import chosen, counts
from counterfoil.desktop.runs.steps import GAP, RESTART, STEP, lines, recorded_time
from counterfoil.desktop.runs.steps_view import StepsAdapter
from counterfoil.desktop.tables.stepping import Steps, steps
from counterfoil.desktop.theme import Theme
from counterfoil.desktop.tokens import GROUP_ROW, INBOX_ROW
from desktop import fake_runs
from desktop.fake_office import FakeOffice
from desktop.figures import HOUR, NOW, day


@pytest.fixture
def rows(theme: Theme) -> tuple[InboxRow, ...]:
    return FakeOffice().inbox(Tab.FOR_ME, None)


def row(number: int, **more: Any) -> InboxRow:
    made = InboxRow(
        gate_id=f"{number:032x}",
        number=number,
        run_id=f"{number:032x}",
        kind="approval",
        title=f"Gate {number}",
        why="",
        template="T",
        workspace="/w",
        asked_at=NOW - number,
        digest=f"{number:064x}",
    )
    return dataclasses.replace(made, **more)


def titles(entries: list[Entry]) -> list[str]:
    return [f"[{entry.title} {entry.count}]" if isinstance(entry, Group) else str(entry.number) for entry in entries]


def test_groups_by_deadline(rows: tuple[InboxRow, ...]) -> None:
    inbox = InboxList()
    inbox.start(rows, Tab.FOR_ME)
    assert titles(inbox.entries(NOW)) == [
        "[Due today 2]",
        "79",
        "81",
        "[This week 1]",
        "74",
        "[No deadline 3]",
        "70",
        "77",
        "76",
    ]


def test_decided_ones_by_day_newest_first() -> None:
    inbox = InboxList()
    inbox.start([row(1, closed_at=day(-1, 9)), row(2, closed_at=day(0, 8)), row(3, closed_at=day(0, 7))], Tab.DECIDED)
    assert titles(inbox.entries(NOW)) == ["[Today 2]", "2", "3", "[Yesterday 1]", "1"]


@pytest.mark.parametrize("wanted, found", [("credit", True), ("DISPUTED", True), ("xyz", False), ("  ", True)])
def test_search_by_words(rows: tuple[InboxRow, ...], wanted: str, found: bool) -> None:
    assert matches(next(one for one in rows if one.number == 79), wanted) is found


def test_search_by_digits_however_the_amount_is_written() -> None:
    assert matches(row(1, search="credit note €1,320.00"), "1320")
    assert matches(row(1, search="de89 3704 0044 0532 0130 00"), "DE8937")
    assert not matches(row(1, search="€1,320.00"), "1321")


def test_new_rows_wait_while_the_list_is_in_use() -> None:
    inbox = InboxList()
    inbox.start([row(1)], Tab.FOR_ME)
    assert inbox.merge([row(1), row(2), row(3)], in_use=True) == set()
    assert (titles(inbox.entries(NOW)), inbox.held_back) == (["[No deadline 1]", "1"], 2)
    inbox.let_in()
    assert inbox.held_back == 0
    assert len(inbox.entries(NOW)) == 4


def test_the_first_rows_come_in_at_once_even_so() -> None:
    inbox = InboxList()
    inbox.start([], Tab.FOR_ME)
    inbox.merge([row(1)], in_use=True)
    assert inbox.held_back == 0


def test_the_open_gate_stays_in_the_list_though_it_is_decided() -> None:
    inbox = InboxList()
    inbox.start([row(1), row(2)], Tab.FOR_ME)
    inbox.merge([row(2)], in_use=False, keep=row(1).gate_id)
    assert {"1", "2"} <= set(titles(inbox.entries(NOW)))
    assert [entry.count for entry in inbox.entries(NOW) if isinstance(entry, Group)] == [1]  # as the tab says
    inbox.merge([], in_use=False, keep=row(1).gate_id)
    assert [entry.count for entry in inbox.entries(NOW) if isinstance(entry, Group)] == [0]
    inbox.merge([row(2)], in_use=False)
    assert "1" not in titles(inbox.entries(NOW))


def test_what_this_person_did_is_no_change() -> None:
    inbox = InboxList()
    inbox.start([row(1, unread=True), row(2)], Tab.FOR_ME)
    changed = inbox.merge([row(1, draft=True), row(2, title="Other")], in_use=False)
    assert changed == {row(2).gate_id}


def test_next_gate_of_a_run_is_the_newest() -> None:
    inbox = InboxList()
    inbox.start([row(1, run_id="r"), row(5, run_id="r"), row(9, run_id="s")], Tab.FOR_ME)
    found = inbox.of_run("r", but=row(1).gate_id)
    assert found is not None
    assert found.number == 5
    assert inbox.of_run("q") is None


def test_several_gates_can_be_decided_only_when_they_are_alike() -> None:
    able, left_out, why = bulk_choice([row(1), row(2, bulk="has flags"), row(3)])
    assert ([one.number for one in able], [one.number for one in left_out], why) == ([1, 3], [2], "")
    assert bulk_choice([row(1), row(2, template="Other")])[2].startswith("These gates are of different")
    assert (
        bulk_choice([row(1, kind="question"), row(2, kind="question")])[2] == "Only approvals can be decided together."
    )
    assert bulk_choice([row(1, bulk="x"), row(2, bulk="x")])[2] == "Each of these needs a look of its own."
    mine = bulk_choice([row(1), row(2, draft=True), row(3, closed="Decided")])  # what is filled in is not passed over
    assert ([one.number for one in mine[0]], [one.alone for one in mine[1]]) == (
        [1],
        ["you have filled something in", "it is decided"],
    )


def test_state_words_of_a_row() -> None:
    assert state_words(row(1, needed=2, given=1), NOW) == "1 of 2 approvals"
    assert state_words(row(1, draft=True, due_at=NOW + HOUR), NOW) == "Draft"
    assert state_words(row(1, due_at=NOW - HOUR), NOW) == "Overdue since Today 07:55"


def test_adapter_keeps_qts_rules_through_every_kind_of_change(rows: tuple[InboxRow, ...], qtbot: QtBot) -> None:
    adapter = InboxAdapter()
    QAbstractItemModelTester(adapter, QAbstractItemModelTester.FailureReportingMode.Fatal)
    inbox = InboxList()
    inbox.start(rows, Tab.FOR_ME)
    resets = []
    adapter.modelReset.connect(lambda: resets.append(1))
    adapter.show_entries(inbox.entries(NOW), NOW)
    inbox.merge(rows[:-2], in_use=False)
    adapter.show_entries(inbox.entries(NOW), NOW)
    inbox.merge([*rows, row(300, due_at=day(0, 20))], in_use=False)
    adapter.show_entries(inbox.entries(NOW), NOW, {rows[0].gate_id})
    assert len(resets) == 1  # only the first time; later rows came and went one by one
    assert adapter.index(adapter.row_of(rows[0].gate_id)).data(Role.TINTED)
    adapter.settle()
    inbox.wanted = "nobody"
    adapter.show_entries(inbox.entries(NOW), NOW)
    assert adapter.rowCount() == 0


def test_the_rest_of_a_list_is_put_in_and_a_mixed_up_one_is_shown_anew(qtbot: QtBot) -> None:
    adapter = InboxAdapter()
    QAbstractItemModelTester(adapter, QAbstractItemModelTester.FailureReportingMode.Fatal)
    inbox = InboxList()
    resets: list[int] = []
    adapter.modelReset.connect(lambda: resets.append(1))
    rows = [row(n, due_at=NOW + n * HOUR if n % 2 else None) for n in range(1, 301)]
    inbox.start([rows[0], rows[2]], Tab.FOR_ME, whole=False)
    adapter.show_entries(inbox.entries(NOW), NOW)
    inbox.merge(rows, in_use=True)
    assert inbox.held_back == 0  # the rest is not news
    adapter.show_entries(inbox.entries(NOW), NOW)
    assert (adapter.entries, len(resets)) == (inbox.entries(NOW), 1)
    inbox.merge(rows[2:], in_use=True)
    adapter.show_entries(inbox.entries(NOW), NOW)
    assert (adapter.entries, adapter.row_of(rows[0].gate_id), len(resets)) == (inbox.entries(NOW), -1, 1)
    assert adapter.row_of(rows[2].gate_id) == 1
    inbox.merge([dataclasses.replace(one, due_at=NOW - one.number * HOUR) for one in rows], in_use=False)
    adapter.show_entries(inbox.entries(NOW), NOW)
    assert (adapter.entries, len(resets)) == (inbox.entries(NOW), 2)


def test_a_look_that_brings_nothing_new_arranges_nothing() -> None:
    inbox = InboxList()
    rows = tuple(row(n) for n in range(50))
    inbox.start(rows, Tab.FOR_ME)
    inbox.merge(rows, in_use=False)
    entries = inbox.entries(NOW)
    assert inbox.merge(rows, in_use=False) == set()
    assert inbox.entries(NOW) is entries
    assert inbox.entries(NOW + 2 * HOUR) is not entries  # a deadline may have passed
    inbox.merge(rows[1:], in_use=False)
    assert len(inbox.entries(NOW)) == len(entries) - 1


@pytest.mark.parametrize(
    "old, new, gone, come",
    [
        ("abc", "abc", (), ()),
        ("abc", "ac", ((1, 2),), ()),
        ("abcdef", "adg", ((4, 6), (1, 3)), ((2, 3),)),
        ("ad", "abcde", (), ((1, 3), (4, 5))),
    ],
)
def test_steps_from_one_order_to_another(old: str, new: str, gone: tuple[Any, ...], come: tuple[Any, ...]) -> None:
    assert steps(old, new) == Steps(gone, come)


@pytest.mark.parametrize("old, new", [("abc", "acb"), ("ab", "cd"), ("", "ab")])
def test_what_changes_places_is_shown_anew(old: str, new: str) -> None:
    assert steps(old, new) is None
    assert steps([str(n) for n in range(200)], [str(n) for n in range(0, 200, 2)]) is None  # too many steps


def test_headings_are_no_stops_and_rows_are_one_sentence(rows: tuple[InboxRow, ...]) -> None:
    adapter = InboxAdapter()
    inbox = InboxList()
    inbox.start(rows, Tab.FOR_ME)
    adapter.show_entries(inbox.entries(NOW), NOW)
    assert adapter.flags(adapter.index(0)) == Qt.ItemFlag.NoItemFlags
    said = adapter.index(1).data(Qt.ItemDataRole.AccessibleTextRole)
    assert (
        said
        == "Unread. Send credit note to Arden & Hale. €1,320.00. Customer disputed 3 delivery lines. Credit notes. 4 h 35 min left."
    )


def test_ten_thousand_rows_are_arranged_at_once() -> None:
    inbox = InboxList()
    inbox.start([row(n, due_at=NOW + n * HOUR if n % 3 else None) for n in range(10_000)], Tab.FOR_ME)
    entries = inbox.entries(NOW)
    assert len({entry_id(entry) for entry in entries}) == len(entries)


def test_runs_by_state_and_words() -> None:
    found = fake_runs.rows()
    assert counts(found) == {"all": 9, "care": 1, "running": 1, "waiting": 4, "done": 2, "cancelled": 2}
    assert [one.number for one in chosen(found, "done", "")] == [5, 4]
    assert [one.number for one in chosen(found, "all", "r-12")] == [12]
    assert [one.number for one in chosen(found, "care", "scans")] == [3]


def test_runs_keep_qts_rules(qtbot: QtBot) -> None:
    adapter = RunsAdapter()
    QAbstractItemModelTester(adapter, QAbstractItemModelTester.FailureReportingMode.Fatal)
    adapter.show_rows(list(fake_runs.rows()), NOW)
    adapter.show_rows(list(fake_runs.rows()[2:]), NOW)
    said = adapter.index(0).data(Qt.ItemDataRole.AccessibleTextRole)
    assert said == "Update Q4 price list. Running: compare prices. Run 10 · 2 min ago · Anna. 1 of 7."


def test_steps_with_restart_wait_and_parallel_work() -> None:
    document = fake_runs.run_seen(f"{5:032x}").document
    shown = lines(document, set())
    kinds = [line.kind for line in shown]
    assert kinds.count(GAP) == 2
    assert kinds.count(RESTART) == 1
    assert "Waited 2 h 10 min for a decision. Cost nothing." in [line.title for line in shown]
    group = next(line for line in shown if line.group)
    assert (group.title, group.folded) == ("3 at once", True)
    opened = lines(document, {"1"})
    assert len(opened) == len(shown) + 3
    assert [line.depth for line in opened if line.title == "Read invoices"] == [1, 1, 1]
    assert [line.once for line in shown if line.once] == ["once", "once", "once"]


def test_parallel_work_without_a_record_of_its_own_has_a_row() -> None:
    steps = [step for step in fake_runs.steps() if step["name"] != "parallel"]
    shown = lines({"steps": steps, "effects": [], "checkpoint": None}, set())
    group = next(line for line in shown if line.group)
    assert (group.title, group.summary, group.state) == ("3 at once", "Read invoices", "done")
    assert len([line for line in shown if line.kind == STEP]) == len(steps) - 3 + 1


def test_time_that_was_not_repeated() -> None:
    assert recorded_time(fake_runs.steps()) == 6_500_000


def test_steps_keep_qts_rules(qtbot: QtBot) -> None:
    adapter = StepsAdapter()
    QAbstractItemModelTester(adapter, QAbstractItemModelTester.FailureReportingMode.Fatal)
    document = fake_runs.run_seen(f"{5:032x}").document
    adapter.show_lines(lines(document, set()), exact=False)
    adapter.show_lines(lines(document, {"1"}), exact=True)
    assert "root:0" in adapter.index(0).data(Qt.ItemDataRole.AccessibleTextRole)


def test_a_row_where_a_heading_was_has_the_height_of_a_row(theme: Theme, qtbot: QtBot) -> None:
    """The header keeps heights over a reset: other rows may stand there then."""
    adapter = InboxAdapter()
    view = InboxView(adapter)
    qtbot.addWidget(view)
    some: list[Entry] = [Group("Due today", 1), row(1), Group("No deadline", 2), row(2), row(3)]
    others: list[Entry] = [Group("Today", 4), *(row(number) for number in range(11, 15))]
    for entries in (some, others, some):
        adapter.show_entries(entries, NOW)
        wanted = [GROUP_ROW if isinstance(entry, Group) else INBOX_ROW for entry in entries]
        assert [view.rowHeight(at) for at in range(len(entries))] == wanted


def test_a_template_with_a_long_name_is_named_in_its_row(theme: Theme) -> None:
    name = "Donaudampfschifffahrtsgesellschaftskapitänswitwen-Unterstützungskasse"
    assert name_shown("Letters", 100) == "Letters"
    assert name_shown(name, 140).startswith("Donaudampf")
    assert name_shown(name, 140).endswith("…")
    assert name_shown(name, 60) == ""


def test_a_part_with_a_long_name_keeps_no_other_out_of_the_index(qtbot: QtBot, theme: Theme) -> None:
    area, page = QScrollArea(), QWidget()
    qtbot.addWidget(area)
    place = QWidget(page)
    page.resize(460, 900)
    area.setWidget(page)
    area.resize(480, 300)
    area.show()
    bar = IndexBar([("a", "Donaudampfschifffahrt " * 4, None), ("b", "Files", 1), ("c", "Story", None)], area, place)
    bar.follow()
    links = [one.text().strip() for one in bar.findChildren(Button) if one.isVisible()]
    assert links == ["Files 1", "Story", "More"]
    bar.retire()


def test_a_row_is_heard_as_sentences_with_what_its_clock_says(theme: Theme) -> None:
    adapter = InboxAdapter()
    entries: list[Entry] = [row(1, title="Which account?", why="No. 7 has two.", due_at=NOW + 60 * HOUR)]
    adapter.show_entries(entries, NOW)
    heard = adapter.index(0).data(Qt.ItemDataRole.AccessibleTextRole)
    assert heard == "Which account? No. 7 has two. T. Decide by Wed 20:55."
