"""A schedule from the first word to its run, in the real window with the real runner: written, kept, run, paused, removed."""

import re
import shutil
from collections.abc import Generator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from counterfoil.desktop.parts.labels import Prose
from counterfoil.desktop.theme import Theme
from counterfoil.places import Home, bundled
from desktop.real_home import end_runners
from desktop.real_window import Seat


@pytest.fixture
def seat(theme: Theme, tmp_path: Path) -> Generator[Seat]:
    """A person at a window on a bare data folder."""
    made = Seat(Home(tmp_path / "home"), theme)
    yield made
    made.close()
    end_runners()


def texts(widget: Any) -> str:
    return "\n".join(label.text() for label in widget.findChildren(Prose) if label.isVisible())


def test_a_schedule_is_written_kept_run_and_removed(seat: Seat, tmp_path: Path) -> None:
    folder = tmp_path / "Scans"
    shutil.copytree(bundled("workflows") / "tidy-folder" / "sample", folder)
    window = seat.window
    window.show_page("schedules")
    page = window.pages["schedules"]
    seat.until(page.nothing.isVisible, "no schedules yet")
    seat.click(page._start)
    editor = page.editor
    at = seat.until(lambda: _found(editor.sentence.template, "Tidy a folder"), "the templates")
    editor.sentence.template.setCurrentIndex(at)
    editor.sentence.template.activated.emit(at)
    editor._take_folder(str(folder))
    seat.until(lambda: editor.fields.editors, "what the template wants to know")
    next(one for one in editor.fields.editors if one.name == "folder").fill(".")
    hour = f"{(datetime.now(UTC).hour + 12) % 24:02}:00"  # it does not come while this is looked at
    editor.rule.setText(f"every weekday at {hour}")
    seat.until(lambda: len(editor.ahead.texts) == 5, "the next five")
    seat.until(lambda: editor.save.text().strip() == "Save", "it can be saved")
    seat.until(lambda: len(editor.ready.texts) >= 4, "what it needs")
    assert "It stops and asks" in editor.ready.texts[-1]
    editor._judge()
    seat.until(lambda: editor._judged == editor.draft(), "it was judged as it stands")
    seat.click(editor.save)
    seat.until(lambda: page.sheet is not None, "whether it starts at login")
    seat.click(page.sheet.other)
    seat.until(lambda: page.sheet is None, "the answer is taken")
    seat.until(lambda: page.head.isVisible() and page.head.shown.name == "Tidy a folder", "it is kept")
    assert f"Every weekday at {hour}" in page.head.sentence.text()
    days = page.calendar.adapter
    seat.click(page.calendar.after)  # of this month no weekday may be left
    seat.until(lambda: {one.fate for day in days.days for one in day.firings} == {"planned"}, "the firings ahead")
    seat.click(page.head.run)
    seat.until(lambda: "A run is started beside the rule" in texts(page), "its run is started")
    seat.until(lambda: page.head.shown.last.beside == "now", "the list says so")
    run_id = page.head.shown.last.run_id
    window.show_run(run_id)
    detail = window.pages["runs"].detail
    seat.until(lambda: re.search("Planned (today|yesterday)", detail.path.text()), "the run says when it was planned")
    assert "by the schedule ‘Tidy a folder’" in detail.path.text(), detail.path.text()
    window.show_page("schedules")
    seat.click(page.head.switch)
    seat.until(page.head.chip.isVisible, "it is paused")
    seat.click(page.head.remove)
    seat.click(page.sheet.act)
    seat.until(page.nothing.isVisible, "it is removed")


def _found(combo: Any, words: str) -> int:
    at = int(combo.findText(words))
    return max(0, at)
