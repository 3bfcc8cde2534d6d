"""“Pause everything” in the window: what it means before it is done, who did it, and resuming; on the fake office and a real database."""

from pathlib import Path
from typing import Any

from PySide6.QtCore import Qt

from counterfoil.desktop.frame.pausing import sentences
from counterfoil.desktop.office import Part, RunnerSeen, RunnerState
from counterfoil.desktop.parts.buttons import Button
from counterfoil.desktop.real_office.office import RealOffice
from counterfoil.inbox.accounts import account
from counterfoil.places import Home
from desktop.conftest import Desk
from schedules.routines import Desk as Rows


def pause_button(desk: Desk) -> Button:
    desk.window.sidebar.runner._toggle()
    desk.settle()
    return next(one for one in desk.window.findChildren(Button) if one.text().strip() == "Pause everything…")


def test_a_pause_is_explained_done_and_taken_back(desk: Desk) -> None:
    window, line = desk.window, desk.window.sidebar.runner
    pausing: Any = window._pausing
    desk.click(pause_button(desk))
    assert pausing.sheet.isVisible()
    desk.press(Qt.Key.Key_Escape)
    assert [act for act, _ in desk.office.log if act == "pause_everything"] == []
    desk.click(pause_button(desk))
    desk.click(pausing.sheet.act)
    desk.look()
    assert line._face.accessibleName() == "Runner: Paused by Anna at 08:55."
    assert [one.title for one in window.anywhere.commands() if one.act in ("pause", "resume")] == ["Resume everything"]
    desk.click(line.resume)
    desk.look()
    assert line._face.accessibleName().startswith("Runner: Running")
    assert [what for act, what in desk.office.log if act == "pause_everything"] == [True, False]


def test_what_is_in_the_middle_is_named() -> None:
    busy = RunnerSeen(RunnerState.RUNNING, doing=("Weekly report", "Triage"))
    assert "In the middle now: ‘Weekly report’ and ‘Triage’." in sentences(busy)[1]
    assert sentences(RunnerSeen(RunnerState.OFF))[1] == "Nothing is in the middle of something now."


def test_a_pause_is_kept_and_seen_by_every_window(tmp_path: Path) -> None:
    rows = Rows(tmp_path)
    office, other = (RealOffice(Home(tmp_path), rows.clock) for _ in range(2))
    other.changes()
    office.pause_everything(on=True)
    found = other.changes()
    assert found is not None
    assert {Part.RUNNER, Part.TRAIL} <= found.parts
    seen = other.runner()
    assert seen.paused_by == account()
    assert seen.paused_at is not None
    other.pause_everything(on=False)
    assert office.runner().paused_by == ""
    for one in (office, other):
        one.close()
    rows.database.close()
