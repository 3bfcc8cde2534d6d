"""Protection on the screen: the badge says what was measured, and nothing goes on with less unless a person says so."""

from datetime import date
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QWidget

from cli.note_template import write_template
from counterfoil.desktop.gate.reading import read
from counterfoil.desktop.gate.trouble import TroublePanel
from counterfoil.desktop.parts.boxes import Banner
from counterfoil.desktop.protection.badge import ProtectionBadge
from counterfoil.errors import LessProtection, NotIsolated, RunEnded
from counterfoil.policy import protection
from counterfoil.policy.protection import Consent, Told
from desktop import figures
from desktop.conftest import Desk
from desktop.figures import WORKSPACE
from desktop.real_home import RowsHome

BARE = NotIsolated("No isolation on this system. Workflow code would run as you.", "--unprotected ‘Payables’")
FELL = LessProtection(
    "The last run in this folder was “Isolated” (L3). Now: Restricted, not isolated.", "--protection L2"
)
NAME = Path(WORKSPACE).name


def words_of(widget: QWidget) -> list[str]:
    return [label.text() for label in widget.findChildren(QLabel) if label.isVisible()]


def agreed(desk: Desk) -> list[Any]:
    return [what for act, what in desk.office.log if act == "agreed"]


def started(desk: Desk) -> int:
    return sum(act == "start_run" for act, _ in desk.office.log)


@pytest.fixture
def templates(desk: Desk) -> Any:
    """The form of a template, filled in."""
    desk.window.show_page("templates")
    page: Any = desk.window.pages["templates"]
    page.open_template("/t/pay-invoices")
    desk.settle()
    desk.type("invoices")
    page.form._check()
    desk.settle()
    return page


def test_a_fall_is_put_before_a_person_with_the_way_to_raise_it(desk: Desk, templates: Any, shots: Any) -> None:
    form = templates.form
    desk.office.lacking["start_run"] = [FELL]
    desk.click(form.run)
    sheet = form.asking.sheet
    shots(desk.window, "less-protection")
    said = words_of(sheet)
    assert FELL.message in said
    assert "bubblewrap is not installed." in said
    assert "Install bubblewrap, then run: counterfoil doctor" in said
    assert not [line for line in said if "--protection" in line]
    assert sheet.act.text() == "Go on with ‘Restricted’"
    desk.press(Qt.Key.Key_Return, on=sheet)
    assert started(desk) == 0, "Enter agrees to nothing"
    desk.click(sheet.act)
    assert agreed(desk) == [Consent(level="L2")]
    assert started(desk) == 1


def test_leaving_it_starts_nothing(desk: Desk, templates: Any) -> None:
    desk.office.lacking["start_run"] = [FELL]
    desk.click(templates.form.run)
    desk.press(Qt.Key.Key_Escape, on=templates.form.asking.sheet)
    assert (started(desk), agreed(desk)) == (0, [])
    assert templates.form.run.isEnabled()
    assert templates.form.run.accessibleName() == "Run"
    assert templates.form.asking.sheet is None


def test_without_any_the_folders_name_is_typed(desk: Desk, templates: Any, shots: Any) -> None:
    desk.office.told = Told("L0", "Landlock is off.", "Load this:", "profile x {\n  userns,\n}\n")
    desk.office.lacking["start_run"] = [BARE]
    desk.click(templates.form.run)
    sheet = templates.form.asking.sheet
    assert desk.focus() is sheet.name
    assert not sheet.act.isEnabled()
    assert sheet.act.text() == "Type the folder's name first"
    desk.type(NAME[:-1])
    assert not sheet.act.isEnabled()
    desk.type(NAME[-1])
    shots(desk.window, "no-protection")
    assert "profile x {\n  userns,\n}" in words_of(sheet)
    desk.click(sheet.act)
    assert agreed(desk) == [Consent(folder=NAME)]
    assert started(desk) == 1


def test_what_was_agreed_to_before_stands_in_the_next_question(desk: Desk, templates: Any) -> None:
    desk.office.lacking["start_run"] = [BARE, FELL]
    desk.click(templates.form.run)
    desk.type(NAME)
    desk.click(templates.form.asking.sheet.act)
    desk.click(templates.form.asking.sheet.act)
    assert agreed(desk) == [Consent(level="L2", folder=NAME)]


def test_a_refusal_without_end_is_said_and_asked_no_more(desk: Desk, templates: Any) -> None:
    desk.office.lacking["start_run"] = [FELL] * 9
    desk.click(templates.form.run)
    for _ in range(3):
        desk.click(templates.form.asking.sheet.act)
    assert templates.form.asking.sheet is None
    assert FELL.message in words_of(templates.form)
    assert started(desk) == 0


def test_a_form_whose_code_nothing_confines_is_asked_about_before_it_is_read(desk: Desk) -> None:
    desk.window.show_page("templates")
    page: Any = desk.window.pages["templates"]
    desk.office.lacking["template"] = [BARE, BARE]
    page.open_template("/t/pay-invoices")
    desk.settle()
    desk.press(Qt.Key.Key_Escape, on=page.asking.sheet)
    assert page.stack.currentIndex() == 1, "back to the gallery"
    page.open_template("/t/pay-invoices")
    desk.settle()
    desk.type(NAME)
    desk.click(page.asking.sheet.act)
    assert agreed(desk) == [Consent(folder=NAME)]
    assert page.form.isVisible()


def _stopped(desk: Desk) -> Any:
    """The page of a gate whose run was promised more."""
    about = {
        "why": "protection",
        "step": None,
        "error": {"message": "It was started “Isolated” (L3); now: Restricted."},
    }
    document = figures.failure() | {"gate_id": "9" * 32, "number": 99}
    desk.office.add(document, about=about)
    desk.look()
    inbox: Any = desk.window.pages["inbox"]
    desk.window.show_page("inbox")
    inbox.detail.show_gate("9" * 32)
    desk.settle()
    desk.later()
    return inbox.detail


def test_a_run_that_was_promised_more_goes_on_when_a_person_agrees(desk: Desk, shots: Any) -> None:
    detail = _stopped(desk)
    panel: TroublePanel = detail.page.trouble
    assert words_of(panel)[0] == "It was started “Isolated” (L3); now: Restricted."
    desk.office.lacking["try_again"] = [FELL, FELL]
    desk.click(panel.buttons[0])
    shots(desk.window, "gate-less-protection")
    desk.press(Qt.Key.Key_Escape, on=detail.deciding.asking.protection.sheet)
    assert agreed(desk) == desk.decisions() == []
    desk.click(panel.buttons[0])
    desk.click(detail.deciding.asking.protection.sheet.act)
    assert agreed(desk) == [Consent(level="L2")]
    assert [act for act, _ in desk.office.log if act in ("try_again", "decide")] == ["try_again"]


def test_the_sheet_goes_with_its_gate(desk: Desk) -> None:
    detail = _stopped(desk)
    desk.office.lacking["try_again"] = [FELL]
    desk.click(detail.page.trouble.buttons[0])
    assert detail.deciding.asking.protection.sheet is not None
    detail.show_gate(figures.failure()["gate_id"])
    desk.later()
    assert detail.deciding.asking.protection.sheet is None
    assert not detail.deciding.asking.busy


@pytest.mark.parametrize("problem, told", [(FELL, 0), (RunEnded("Run 8 has ended. Nothing was changed."), 1)])
def test_a_refusal_that_comes_late_is_not_put_before_another_gate(desk: Desk, problem: Exception, told: int) -> None:
    detail = _stopped(desk)
    desk.office.lacking["try_again"] = [problem]
    desk.bridge.holding = True
    desk.click(detail.page.trouble.buttons[0])
    detail.show_gate(f"{79:032x}")
    desk.bridge.let_go()
    desk.settle()
    assert detail.gate_id == f"{79:032x}"
    assert detail.deciding.asking.protection.sheet is None
    assert not detail.deciding.asking.busy
    said = [one for one in desk.window.notices.findChildren(Banner) if one.isVisible()]
    assert [one.words.text() for one in said] == ["Run 8 has ended. Nothing was changed."][:told]


@pytest.mark.parametrize("mark", ["L0", "L1/4", "L2", "L3", "L3/root", "L4"])
def test_the_badge_says_the_sentence(desk: Desk, mark: str) -> None:
    badge = ProtectionBadge(mark)
    badge.setParent(desk.window)
    badge.show()
    assert badge.text().strip() == protection.badge(mark)
    assert badge.accessibleName() == f"Protected: {protection.badge(mark)}"
    assert badge.toolTip() == badge.accessibleDescription() == protection.sentence(mark)


def test_runs_and_gates_carry_the_badge(desk: Desk) -> None:
    inbox: Any = desk.window.pages["inbox"]
    assert inbox.detail.page.findChildren(ProtectionBadge)
    desk.window.show_page("runs")
    runs: Any = desk.window.pages["runs"]
    desk.settle()
    runs.detail.show_run(desk.office.run_rows[0].run_id)
    desk.settle()
    assert runs.detail.protected.accessibleName() == "Protected: Isolated"


@pytest.mark.parametrize("attempts, said", [(0, "was set aside: x."), (1, "after 1 try: x."), (5, "after 5 tries: x.")])
def test_tries_are_told_where_there_were_some(desk: Desk, attempts: int, said: str) -> None:
    about = {"why": "set_aside", "step": None, "error": {"message": "x"}, "attempts": attempts}
    desk.office.add(figures.failure() | {"gate_id": "9" * 32}, about=about)
    panel = TroublePanel(read(desk.office.gate("9" * 32), date(2026, 12, 7)))
    assert said in " ".join(label.text() for label in panel.findChildren(QLabel))


def test_the_real_office_asks_and_goes_on(tmp_path: Path) -> None:
    """A level that nobody knows is higher than all, so whatever is measured here is a fall."""
    home = RowsHome(tmp_path)
    workspace = Path(home.rows.workspace)
    folder = str(write_template(workspace))
    start = home.office._rooms.templates.start
    home.rows.run()
    home.rows.database.transact(lambda txn: txn.conn.exec_driver_sql("UPDATE run SET isolation = 'L5'"))
    with pytest.raises(LessProtection) as refused:
        start(folder, str(workspace), {"text": "x"}, Consent())
    told = home.office.protection()
    assert told is not None
    assert protection.sentence(told.mark) in refused.value.message
    run_id = start(folder, str(workspace), {"text": "x"}, Consent(level=protection.code_of(told.mark)))
    assert home.office.run(run_id).isolation == told.mark
    home.close()
