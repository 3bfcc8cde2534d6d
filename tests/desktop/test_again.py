"""Running again: as it was, with changes, or from a step; what happened outside is named before anything starts, and why is asked."""

from typing import Any

import pytest
from PySide6.QtCore import Qt

from counterfoil.desktop.parts.labels import Prose
from counterfoil.desktop.protection.sheet import ProtectionSheet
from counterfoil.desktop.run_facts import AgainOf, ForkLook
from counterfoil.desktop.runs.again_sheet import CHANGED, STEP, AgainSheet
from counterfoil.desktop.runs.running_again import again_banner
from counterfoil.desktop.runs.steps import lines
from counterfoil.desktop.theme import Theme
from counterfoil.errors import LessProtection
from desktop.conftest import Desk
from desktop.fake_runs import run_seen
from desktop.test_pages import texts

RUN = f"{5:032x}"
KEPT = ForkLook(
    (
        "2 effects of run 5 already happened and are not repeated: payments.xml, 14 moves.",
        "Approvals are never carried over to another run.",
    ),
    start=10,
    kept=2,
)
AGAIN = ForkLook(("It begins at step 7, so that all of it is done again.",), start=7)
SPLIT = ForkLook(refusal="Step 9 was approved together with steps before it.", way="Go on from step 10.")


@pytest.fixture
def run(desk: Desk) -> Any:
    """The page of a run that is done."""
    desk.office.fork_looks = {(9, False): KEPT, (9, True): AGAIN, (8, False): SPLIT}
    desk.window.show_page("runs")
    desk.settle()
    page = desk.window.pages["runs"]
    page.show_run(RUN)
    desk.settle()
    return page.detail


def opened(desk: Desk, run: Any, how: str = "") -> AgainSheet:
    desk.click(run.again)
    sheet: AgainSheet = run.sheet
    if how:
        desk.click(sheet.how.segments[how])
    return sheet


def started(desk: Desk) -> list[tuple[str, Any]]:
    """What was started, and how."""
    return [entry for entry in desk.office.log if entry[0] in ("start_again", "fork_run", "start_run")]


def test_the_same_starts_with_a_reason_and_is_shown(desk: Desk, run: Any) -> None:
    sheet = opened(desk, run)
    assert sheet.title.text() == "Run 5 again"
    assert "Approvals are never carried over to another run." in texts(sheet)
    assert (sheet.act.isEnabled(), sheet.act.text()) == (False, "Give a reason first")
    desk.press(Qt.Key.Key_Escape)
    desk.office.lacking["start_again"] = [LessProtection("Less than before.", "")]
    sheet = opened(desk, run)
    sheet.reason.setFocus()
    desk.type("again")
    desk.click(sheet.act)
    assert isinstance(run.running_again.asking.sheet, ProtectionSheet)
    desk.press(Qt.Key.Key_Escape)  # nobody has agreed to less protection
    assert started(desk) == []
    sheet = opened(desk, run)
    sheet.reason.setFocus()
    desk.type("wrong month")
    assert sheet.act.text() == "Run it again"
    desk.click(sheet.act)
    assert started(desk) == [("start_again", (RUN, "wrong month"))]
    assert run.run_id == f"{14:032x}"


def test_with_changes_its_form_opens_and_says_why(desk: Desk, run: Any) -> None:
    sheet = opened(desk, run, CHANGED)
    sheet.reason.setFocus()
    desk.type("wrong month")
    assert sheet.act.text() == "Open its form"
    desk.click(sheet.act)
    templates: Any = desk.window.pages["templates"]
    assert desk.window.shown is templates
    assert "Run 5 again. Change what is to be different." in texts(templates.form)
    filled = templates.form.values()
    assert (filled["debtor_iban"], filled["folder"]) == ("DE75512108001245126199", "invoices")
    assert started(desk) == []
    desk.click(templates.form.run)
    assert ("again", AgainOf(RUN, 5, "wrong month")) in desk.office.log
    desk.window.pages["templates"].open_template("/t/pay-invoices")
    desk.settle()
    assert "Run 5 again" not in texts(templates.form)


def test_from_a_step_names_what_happened_and_is_not_repeated(desk: Desk, run: Any) -> None:
    sheet = opened(desk, run, STEP)
    assert [line.texts[:2] for line in sheet.steps.adapter.lines[:3]] == [
        ("1", "List files"),
        ("2", "3 at once"),
        ("3", "Run checks"),
    ]
    assert KEPT.words[0] in texts(sheet)
    sheet.steps.setFocus()
    desk.press(Qt.Key.Key_Up)
    assert SPLIT.refusal in texts(sheet)
    assert SPLIT.way in texts(sheet)
    assert (sheet.act.isEnabled(), sheet.act.text(), sheet.repeat.isVisible()) == (False, "Choose another step", True)
    desk.press(Qt.Key.Key_Up)
    assert not sheet.repeat.isVisible()  # nothing before it happened
    for _ in range(2):
        desk.press(Qt.Key.Key_Down)
    sheet.reason.setFocus()
    desk.type("lost")
    assert (sheet.act.isEnabled(), sheet.act.text()) == (True, "Go on from step 10")
    desk.click(sheet.repeat)
    assert (AGAIN.words[0] in texts(sheet), sheet.act.text()) == (True, "Go on from step 7")
    desk.click(sheet.act)
    assert started(desk) == [("fork_run", (RUN, 9, "lost", True))]
    assert run.run_id == f"{14:032x}"


def test_steps_that_were_taken_over_say_in_which_run_they_were_done() -> None:
    again_of = {"run_id": RUN, "number": 5, "ordinal": 3, "reason": ""}
    document = {**run_seen(f"{12:032x}").document, "again_of": again_of}
    told = [(one.title, one.once) for one in lines(document, {"1"}) if one.kind == "step"]
    assert told[0] == ("List files", "in run 5")
    assert {once for _, once in told[2:5]} == {"in run 5"}
    assert {once for _, once in told[6:]} == {""}


def test_a_run_says_which_one_it_is_again_and_why(theme: Theme) -> None:
    document = {"again_of": {"run_id": RUN, "number": 5, "ordinal": 9, "reason": "wrong month"}}
    banner = again_banner(document)
    assert banner.words.text() == "Run 5 again, from step 10. What it did before that is kept and not repeated."
    assert "‘wrong month’" in [one.text() for one in banner.findChildren(Prose)]
