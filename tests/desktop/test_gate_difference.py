"""What differs between a gate as somebody had it before them and as it is now, and which answers are kept."""

import copy
import dataclasses
from collections.abc import Callable
from datetime import date
from typing import Any

import pytest
from PySide6.QtWidgets import QWidget

from counterfoil.desktop.gate.carrying import carry_over
from counterfoil.desktop.gate.difference import between
from counterfoil.desktop.gate.differences import FIRST
from counterfoil.desktop.gate.facts_grid import Changed
from counterfoil.desktop.gate.reading import Reading, read
from counterfoil.desktop.gate.session import Session
from counterfoil.desktop.gate_facts import Draft
from counterfoil.desktop.office import Part
from counterfoil.desktop.parts.boxes import Banner
from counterfoil.desktop.parts.buttons import Button
from counterfoil.desktop.tables.view import TableView
from desktop import figures
from desktop.conftest import Desk
from desktop.figures import ME, NOW, euro, seen

TODAY = date(2026, 11, 30)


def reading(document: dict[str, Any], **more: Any) -> Reading:
    return read(seen(document, **more), TODAY)


def told(old: Reading, new: Reading) -> dict[str, list[tuple[str, str, str]]]:
    return {part.title: [dataclasses.astuple(change) for change in part.changes] for part in between(old, new, TODAY)}


def payments(rows: Callable[[list[list[Any]]], None] | None = None) -> dict[str, Any]:
    document = figures.batch()
    if rows is not None:
        rows(document["evidence"][0]["data"]["rows"])
    return document


def batch(document: dict[str, Any], bodies: tuple[dict[str, Any], ...] = figures.BODIES, **more: Any) -> Reading:
    return reading(document, bodies=bodies, figures=figures.BATCH_FIGURES, **more)


def test_the_same_question_has_no_difference() -> None:
    assert told(batch(payments()), batch(payments())) == {}


def test_a_row_that_came_one_that_went_and_a_field_that_changed() -> None:
    def change(rows: list[list[Any]]) -> None:
        rows[3][5] = euro("5490.00")
        del rows[5]
        rows.insert(
            0, [13, "Arden & Hale", "GB29NWBK60161331926819", "AH-9", "2026-12-20", euro("10.00"), None, "", "x.xml"]
        )
        for number, row in enumerate(rows, 1):
            row[0] = number  # the others only move

    assert told(batch(payments()), batch(payments(change))) == {
        "Payments": [
            (
                "Arden & Hale · GB29 NWBK 6016 1331 9268 19",
                "",
                "Arden & Hale · GB29 NWBK 6016 1331 9268 19 · AH-9 · 20 Dec · €10.00 · x.xml",
            ),
            ("Halden Paper AS · NO93 8601 1117 947: Amount", "€5,480.00", "€5,490.00"),
            (
                "Lindqvist Studio AB · SE45 5000 0000 0583 9825 7466",
                "Lindqvist Studio AB · SE45 5000 0000 0583 9825 7466 · F-0087 · 11 Dec · €3,420.00 · invoices/F-0087.xml",
                "",
            ),
        ]
    }


def test_a_column_that_every_row_has_lost_is_told_once() -> None:
    def change(rows: list[list[Any]]) -> None:
        for row in rows:
            row[8] = None

    assert told(batch(payments()), batch(payments(change))) == {"Payments": [("Column File", "in 12 rows", "")]}


def test_figures_flags_title_and_the_plan() -> None:
    document = payments() | {"title": "Write payment file for 11 invoices", "flags": ["One payment is overdue."]}
    bodies = copy.deepcopy(figures.BODIES)
    bodies[0]["args"]["data"] = {"sha256": "99887766" * 8, "bytes": 17_000}
    bodies[3]["args"]["moves"].pop()
    new = reading(document, bodies=bodies, figures=(("Total", euro("36369.90")), ("Payments", 11), ("Held", 2)))
    parts = told(batch(payments()), new)
    assert parts["What is asked"] == [
        ("What is asked", "Write payment file for 12 invoices", "Write payment file for 11 invoices")
    ]
    assert parts["Key figures"] == [("Total", "€41,208.90", "€36,369.90"), ("Payments", "12", "11")]
    assert [change[0] for change in parts["Flags"]] == ["Flag", "Flag"]
    assert parts["Plan"] == [
        ("Write payments/payments.xml: Data", "18.2 kB, seal 3f9a 2c71", "17.0 kB, seal 9988 7766"),
        ("Move 12 files to archive/2026-11/", "invoices/VF26-01874.pdf · archive/2026-11/VF26-01874.pdf", ""),
    ]


def test_sources_are_told_by_their_names() -> None:
    fewer = payments()
    del fewer["evidence"][2]  # the page of an invoice; that of the suppliers stays
    assert told(batch(payments()), batch(fewer)) == {"Sources": [("Source", "BW-7741.pdf", "")]}


def test_a_plan_item_less_and_a_text_that_is_another() -> None:
    old = batch(payments() | {"evidence": [_text("Dear Arden,\nhere it is.\nBye")]})
    fewer = payments() | {"evidence": [_text("Dear Arden,\nhere they are.\nBye")]}
    del fewer["plan"][2]
    new = batch(fewer, (*figures.BODIES[:2], figures.BODIES[3]))
    assert told(old, new) == {
        "Letter": [("Line 2", "here it is.", "here they are.")],
        "Plan": [("The plan", "Add 1 row to vendors.csv", "")],
    }


def _text(words: str) -> dict[str, Any]:
    return {"kind": "text", "title": "Letter", "source": None, "data": words}


def test_answers_follow_their_row_and_what_changed_is_asked_again() -> None:
    old = Session(reading(figures.exceptions()), NOW)
    old.choose("1", "hold")
    old.choose("2", "pay")
    old.fill("reason.2", "they sent a new one")
    document = figures.exceptions()
    brightwater, quinta = document["evidence"][1:3]
    for piece, label in (
        (quinta, "1. Quinta da Serra Lda FT 2026/388"),
        (brightwater, "2. Brightwater Logistics Ltd BW-7741"),
    ):
        piece["title"] = label
    document["fields"][0]["label"], document["fields"][2]["label"] = quinta["title"], brightwater["title"]
    rows = document["evidence"][0]["data"]["rows"]
    rows.reverse()
    rows[0][0], rows[1][0] = 1, 2
    document["flags"] = []  # what each row says of itself stays
    brightwater["data"]["rows"][0][3] = figures.OLD
    new = Session(reading(document), NOW)
    assert carry_over(old, new) == ["Brightwater Logistics Ltd BW-7741 · €9,112.50"]
    assert new.values == {"choice.1": "pay", "reason.1": "they sent a new one"}


def test_held_rows_stay_held_under_another_number_and_edits_only_of_what_is_the_same() -> None:
    old = Session(batch(payments()), NOW)
    old.held, old.edits = (2, 4), {"1": {"path": "x"}, "2": {"path": "y"}}
    bodies = copy.deepcopy(figures.BODIES)
    bodies[1]["args"]["rows"].pop()

    def change(rows: list[list[Any]]) -> None:
        rows[3][5] = euro("1.00")
        del rows[0]
        for number, row in enumerate(rows, 1):
            row[0] = number

    new = Session(batch(payments(change), bodies), NOW)
    carry_over(old, new)
    assert new.held == (1,)  # the second row moved up; the fourth says something else
    assert new.edits == {"1": {"path": "x"}}


# --------------------------------------------------------------------------------------------------------- in the window


@pytest.fixture(autouse=True)
def the_batch(request: pytest.FixtureRequest) -> None:
    """Where a test has a window, the payment file is asked about in it."""
    if "desk" in request.fixturenames:
        office = request.getfixturevalue("desk").office
        office.add(figures.batch(), figures=figures.BATCH_FIGURES, bodies=figures.BODIES)


def marked(desk: Desk) -> list[str]:
    page = desk.window.pages["inbox"].detail.page
    return [change.accessibleName() for change in page.differences.findChildren(Changed)]


def changed_gate(desk: Desk, number: int) -> None:
    desk.bridge.changed_now(Part.INBOX)
    desk.settle()
    detail = desk.window.pages["inbox"].detail
    banner = next(one for one in detail.findChildren(Banner) if "Look again" in one.words.text())
    desk.click(banner.findChild(Button))


def test_show_what_changed_lists_what_changed(desk: Desk, shots: Callable[[QWidget, str], None]) -> None:
    desk.window.show_gate(f"{82:032x}")
    desk.settle()
    document = desk.office.documents[f"{82:032x}"]
    document["digest"] = "ab" * 32
    document["evidence"][0]["data"]["rows"][3][5] = euro("5490.00")
    changed_gate(desk, 82)
    assert desk.window.pages["inbox"].detail.page.differences.accessibleName() == (
        "This changed while it was open. 1 thing is different now."
    )
    assert marked(desk) == ["removed: €5,480.00", "added: €5,490.00"]
    shots(desk.window, "what-changed")
    desk.bridge.changed_now(Part.INBOX)  # another look does not take it away
    desk.settle()
    assert marked(desk) == ["removed: €5,480.00", "added: €5,490.00"]


def test_of_many_differences_the_first_stand_on_the_page_and_all_in_a_sheet(
    desk: Desk, shots: Callable[[QWidget, str], None]
) -> None:
    desk.window.show_gate(f"{82:032x}")
    desk.settle()
    document = desk.office.documents[f"{82:032x}"]
    document["digest"] = "ab" * 32
    for row in document["evidence"][0]["data"]["rows"]:
        row[5] = euro("1.00")
    changed_gate(desk, 82)
    box = desk.window.pages["inbox"].detail.page.differences
    assert len(marked(desk)) == 2 * FIRST
    desk.click(box.findChildren(Button)[-1])
    assert box.sheet.findChildren(TableView)[0].model().rowCount() == 12
    shots(desk.window, "what-changed-all")


def test_a_newer_round_keeps_the_answers_to_rows_that_are_the_same(
    desk: Desk, shots: Callable[[QWidget, str], None]
) -> None:
    gate_id, newer = f"{81:032x}", f"{97:032x}"
    desk.window.show_gate(gate_id)
    desk.settle()
    detail = desk.window.pages["inbox"].detail
    detail.session.choose("1", "hold")
    detail.session.choose("2", "hold")
    detail.draft.keep()
    document = copy.deepcopy(desk.office.documents[gate_id]) | {"gate_id": newer, "number": 97, "digest": "cd" * 32}
    document["evidence"][2]["data"][3] = ["Invoice says", euro("9541.40")]
    desk.office.add(document, figures=figures.EXCEPTION_FIGURES)
    desk.office.seen[newer] = dataclasses.replace(desk.office.seen[newer], earlier=gate_id)
    desk.office.documents[gate_id] |= {"state": "superseded", "closed_at": "2026-11-30T08:54:00.000Z"}
    desk.office.seen[gate_id] = dataclasses.replace(desk.office.seen[gate_id], successor=newer)
    desk.bridge.changed_now(Part.INBOX)
    desk.settle()
    banner = next(one for one in detail.findChildren(Banner) if one.words.text() == "A newer round is open.")
    desk.click(banner.findChild(Button))
    assert detail.session.values == {"choice.1": "hold"}
    assert marked(desk) == ["removed: €1,541.40", "added: €9,541.40"]
    assert detail.page.differences.accessibleName() == "This changed at 08:54. 1 thing is different now."
    desk.later()
    assert desk.office.drafts[newer].values == {"choice.1": "hold"}
    shots(desk.window, "newer-round")


def test_the_round_after_sending_back_tells_what_is_different(
    desk: Desk, shots: Callable[[QWidget, str], None]
) -> None:
    before, newer = f"{82:032x}", f"{98:032x}"
    made = {
        "verdict": "returned",
        "by": ME,
        "at": "2026-11-30T08:41:00.000Z",
        "comment": "wrong period",
        "effective_at": None,
    }
    document = copy.deepcopy(desk.office.documents[before]) | {"gate_id": newer, "number": 98, "digest": "cd" * 32}
    desk.office.documents[before] |= {"state": "decided", "decisions": [made]}
    desk.office.drafts[before] = Draft(values={"hold": [2]}, held=(2,))
    del document["evidence"][0]["data"]["rows"][1]
    desk.office.add(document, figures=figures.BATCH_FIGURES, bodies=figures.BODIES)
    desk.office.seen[newer] = dataclasses.replace(desk.office.seen[newer], earlier=before)
    desk.window.show_gate(newer)
    desk.settle()
    page = desk.window.pages["inbox"].detail.page
    assert page.differences.accessibleName() == "You sent this back at 08:41: ‘wrong period’. 1 thing is different now."
    assert len(marked(desk)) == 1
    assert marked(desk)[0].startswith("removed: Studio Wójcik sp. z o.o. · PL61 1090 1014 0000 0712 1981 2874")
    assert desk.window.pages["inbox"].detail.session.held == ()  # what was sent back with it is done with
    shots(desk.window, "round-2")


def test_a_round_that_came_back_the_same_says_so(desk: Desk) -> None:
    before, newer = f"{82:032x}", f"{98:032x}"
    made = {
        "verdict": "returned",
        "by": "user:ben",
        "at": "2026-11-30T08:41:00.000Z",
        "comment": "",
        "effective_at": None,
    }
    document = copy.deepcopy(desk.office.documents[before]) | {"gate_id": newer, "number": 98, "digest": "cd" * 32}
    desk.office.documents[before] |= {"state": "decided", "decisions": [made]}
    desk.office.add(document, figures=figures.BATCH_FIGURES, bodies=figures.BODIES)
    desk.office.seen[newer] = dataclasses.replace(desk.office.seen[newer], earlier=before)
    desk.window.show_gate(newer)
    desk.settle()
    words = desk.window.pages["inbox"].detail.page.differences.accessibleName()
    assert words == "Ben sent this back at 08:41. Nothing is different now."
