"""Not now, or somebody else: the sheets, the tabs, the way back, several at once, and what the office of a data folder makes of it."""

from datetime import timedelta

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QMenu

from counterfoil.desktop.gate.aside_sheets import GiveSheet, SnoozeSheet
from counterfoil.desktop.inbox.bulk import BulkPanel
from counterfoil.desktop.office import Counts, Part, Tab
from counterfoil.desktop.parts.boxes import Banner
from counterfoil.desktop.parts.labels import Prose
from counterfoil.desktop.real_office.office import RealOffice
from counterfoil.errors import GateClosed
from counterfoil.facts import RunState
from counterfoil.inbox.giving import Handing, give
from desktop import figures
from desktop.conftest import Desk, MakeDesk
from desktop.fake_office import FakeOffice
from desktop.figures import HOUR, NOW
from desktop.real_home import RowsHome
from desktop.test_inbox_page import banners, detail, go, page
from views.rows import spec

G81, G79 = f"{81:032x}", f"{79:032x}"


def acts(desk: Desk, act: str) -> list[object]:
    """What was done of a kind, in order."""
    return [what for name, what in desk.office.log if name == act]


def gates_of(desk: Desk, act: str) -> list[str]:
    """With which gates something was done, in order."""
    return [what[0] for name, what in desk.office.log if name == act]


def tabs(desk: Desk) -> list[str]:
    """The tabs that are there, as a screen reader says them."""
    return [one.accessibleName() for one in page(desk).pane.tabs.segments.values() if one.isVisible()]


def chosen_in_menu(desk: Desk, button: str) -> None:
    """Choose from the menu that is open."""
    menu = next(one for one in desk.window.findChildren(QMenu) if one.isVisible())
    next(action for action in menu.actions() if action.text() == button).trigger()
    menu.close()
    desk.settle()


def snooze_sheet(desk: Desk) -> SnoozeSheet:
    """The sheet that asks until when."""
    sheet = detail(desk).deciding.aside.sheet
    assert isinstance(sheet, SnoozeSheet)
    return sheet


def test_a_gate_is_snoozed_undone_and_woken_and_every_count_agrees(desk: Desk) -> None:
    go(desk, 81)
    waiting = desk.window.counts.for_me
    desk.click(detail(desk).bar.more)
    chosen_in_menu(desk, "Snooze…")
    at = snooze_sheet(desk).choices[0].key
    desk.click(snooze_sheet(desk).choices[0])
    assert acts(desk, "snooze") == [(G81, at)]
    assert detail(desk).bar.done.text() == "Snoozed until today 09:55."
    desk.look()
    assert "Snoozed 1" in tabs(desk)
    assert (desk.window.counts.for_me, desk.window.windowTitle()) == (waiting - 1, f"Counterfoil ({waiting - 1})")
    row = page(desk).pane.list.row(G81)
    assert row is not None
    assert row.closed == "Snoozed until today 09:55"
    desk.press(Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert acts(desk, "wake") == [(G81, None)]
    desk.look()
    assert "Snoozed 1" not in tabs(desk)
    assert desk.window.counts.for_me == waiting
    assert detail(desk).bar.primary.isVisible()
    assert desk.decisions() == []


def test_a_key_decides_nothing_while_the_bar_offers_undo(desk: Desk) -> None:
    go(desk, 74)
    page(desk).set_aside("snooze")
    desk.settle()
    desk.click(snooze_sheet(desk).choices[0])
    desk.look()
    desk.later()
    desk.press(Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    assert desk.decisions() == []
    desk.press(Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    desk.look()
    desk.later()
    desk.press(Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    assert len(desk.decisions()) == 1


def test_the_sheet_offers_nothing_after_the_deadline_and_says_why(desk: Desk) -> None:
    go(desk, 81)
    page(desk).set_aside("snooze")
    desk.settle()
    sheet = snooze_sheet(desk)
    assert [one.text() for one in sheet.choices] == ["In 1 hour", "This afternoon, 16:00"]
    said = [one.text() for one in sheet.findChildren(Prose)]
    assert "Tomorrow, 08:00: after the deadline, 16:00." in said
    for day, clock, words in (
        ("", "08:00", "Choose a time, or give a day"),
        ("soon", "08:00", "Write the day like 2026-12-31, the time like 16:00"),
        ("2020-01-01", "08:00", "That is past"),
        ("2027-01-01", "08:00", "After the deadline, today 16:00"),
        ("2026-11-30", "10:30", "Snooze until today 10:30"),
    ):
        sheet.day.fill(day)
        sheet.time.setText(clock)
        sheet._edited()
        assert (sheet.act.text().strip(), sheet.act.isEnabled()) == (words, words.startswith("Snooze"))
    desk.press(Qt.Key.Key_Escape)
    assert detail(desk).deciding.aside.sheet is None
    assert acts(desk, "snooze") == []


def test_a_gate_is_given_and_taken_back(desk: Desk) -> None:
    go(desk, 79)
    page(desk).set_aside("give")
    desk.settle()
    sheet = detail(desk).deciding.aside.sheet
    assert isinstance(sheet, GiveSheet)
    assert not sheet.act.isEnabled()
    assert [sheet.who.itemText(at) for at in range(sheet.who.count())] == ["Choose…", "Ben"]
    sheet.who.setCurrentIndex(1)
    sheet.why.setText("You know them.")
    desk.click(sheet.act)
    assert acts(desk, "give") == [(G79, ("user:ben", "You know them."))]
    desk.look()
    assert "For others 1" in tabs(desk)
    assert any(said.startswith("Given to Ben by you") for said in banners(desk))
    assert detail(desk).bar.primary.text().strip() == "This waits for Ben"
    assert not detail(desk).bar.primary.isEnabled()
    assert ("take", "Take it") in detail(desk).deciding.aside.ways()
    banner = next(one for one in detail(desk).findChildren(Banner) if one.words.text().startswith("Given to Ben"))
    desk.click(next(one for one in banner.findChildren(type(detail(desk).bar.undo)) if one.text().strip() == "Take it"))
    desk.look()
    assert "For others 1" not in tabs(desk)
    assert detail(desk).bar.primary.isEnabled()
    assert desk.decisions() == []


def test_what_is_refused_is_said_and_leaves_the_gate_as_it_was(desk: Desk) -> None:
    go(desk, 81)
    page(desk).set_aside("snooze")
    desk.settle()
    desk.office.refuse = GateClosed("Ben approved this at 08:41. Nothing left to decide.", "")
    desk.click(snooze_sheet(desk).choices[0])
    assert "Ben approved this at 08:41. Nothing left to decide." in banners(desk)
    assert not detail(desk).bar.put_off


def test_the_palette_offers_what_can_be_done_with_the_open_gate(desk: Desk) -> None:
    go(desk, 81)
    offered = {one.title: one for one in page(desk).commands() if one.act == "aside"}
    assert list(offered) == ["Snooze…", "Give to…"]
    desk.window._ways.do(offered["Snooze…"])
    desk.settle()
    assert snooze_sheet(desk).isVisible()


def test_several_are_snoozed_at_once_and_seen_again(make_desk: MakeDesk) -> None:
    office = FakeOffice()
    for number in (201, 202):
        office.add(figures.gate(number, "approval", "Write a file", due_at=NOW + 2 * HOUR))
    desk = make_desk(office)
    inbox = page(desk)
    ids = [f"{number:032x}" for number in (201, 202)]
    inbox._several(ids)
    desk.settle()
    bulk: BulkPanel = inbox.bulk
    desk.click(bulk.later)
    assert bulk.sheet is not None
    desk.click(bulk.sheet.choices[0])
    assert gates_of(desk, "snooze") == ids
    assert bulk._said.text() == "Snoozed 2 gates until today 09:55."
    desk.click(bulk.undo)
    assert gates_of(desk, "wake") == ids


# ---------------------------------------------------------------------------------------------------- the real office


def numbers(office: RealOffice, tab: Tab) -> list[int]:
    """What stands in a tab."""
    return [row.number for row in office.inbox(tab, None)]


def test_the_office_counts_and_lists_alike_and_notices_by_the_clock_that_a_gate_is_back(home: RowsHome) -> None:
    rows = home.rows
    asked = [home.ask(rows.run()["run_id"], 0, spec(title=f"Question {n}")) for n in range(3)]
    ids = [gate["gate_id"] for gate in asked]
    for gate in asked:
        rows.claim(gate["run_id"])
        rows.move(gate["run_id"], RunState.WAITING)
    office = RealOffice(rows.home, rows.clock)
    assert numbers(office, Tab.FOR_ME) == [1, 2, 3]
    until = rows.clock.now_us() + HOUR
    office.snooze(ids[0], until)
    give(rows.database, rows.blobs, ids[1], Handing(office._me, "user:ben", "You know them."))
    changed = office.changes()
    assert changed is not None
    assert Part.INBOX in changed.parts
    assert [numbers(office, tab) for tab in (Tab.FOR_ME, Tab.FOR_OTHERS, Tab.SNOOZED)] == [[3], [2], [1]]
    assert office.inbox(Tab.FOR_ME, None, 5) == office.inbox(Tab.FOR_ME, None)
    for workspace in (None, rows.workspace):
        counts: Counts = office.counts(workspace)
        assert (counts.for_me, counts.for_others, counts.snoozed) == (1, 1, 1)
    assert office.inbox(Tab.FOR_OTHERS, None)[0].handed == "Given to Ben by you"
    seen = office.gate(ids[1])
    assert (seen.may_decide, seen.why_not) == (False, "This waits for Ben")
    assert office.gate(ids[0]).asleep_until == until
    assert [row.words for row in office.runs(None, wanted="for ben").rows] == ["Waiting for Ben"]
    assert office.run(seen.document["run_id"]).words == "Waiting for Ben"
    assert office.changes() is None
    rows.clock.advance(timedelta(hours=1))
    back = office.changes()
    assert back is not None
    assert back.parts == {Part.INBOX}
    assert numbers(office, Tab.FOR_ME) == [1, 3]
    assert office.changes() is None
    office.take(ids[1])
    assert numbers(office, Tab.FOR_ME) == [1, 2, 3]
    assert {person.principal for person in office.people(ids[1])} >= {"user:anna"} - {office._me}
    office.close()


def test_tabs_that_find_no_room_in_one_line_stand_in_two_alike(make_desk: MakeDesk) -> None:
    office = FakeOffice()
    desk = make_desk(office, (1100, 700))
    track = page(desk).pane.tabs

    def stand() -> list[tuple[int, int, int]]:
        return [(one.x(), one.y(), one.width()) for one in track.segments.values() if one.isVisible()]

    assert len({top for _, top, _ in stand()}) == 1
    office.snooze(G81, NOW + 2 * HOUR)
    office.give(G79, "user:ben", "")
    desk.look()
    first, second, third, fourth = stand()
    assert (first[1], second[1]) == (third[1] - 30, fourth[1] - 30)
    assert (first[0], second[0]) == (third[0], fourth[0])
    assert (first[2], second[2]) == (third[2], fourth[2])
    assert abs(first[2] - second[2]) <= 1
    assert fourth[0] + fourth[2] == track.width() - 2
    assert track.width() == page(desk).pane.search.width()
    for one in track.segments.values():
        one.hide()
    line = track.layout()
    assert line is not None
    assert line.heightForWidth(0) == 4, "its margins"
