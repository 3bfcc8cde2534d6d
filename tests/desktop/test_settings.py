"""The Settings page on the fake office: by keys and mouse, what is kept at once, what is refused beside its field."""

from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QLineEdit, QPushButton, QWidget

from counterfoil.desktop.parts.labels import Prose
from counterfoil.errors import WrongUse
from desktop.conftest import Desk

CTRL = Qt.KeyboardModifier.ControlModifier


@pytest.fixture
def page(desk: Desk) -> Any:
    desk.press(Qt.Key.Key_Comma, CTRL)
    return desk.window.pages["settings"]


def texts(widget: QWidget) -> str:
    return "\n".join(label.text() for label in widget.findChildren(Prose) if label.isVisible())


def button(widget: QWidget, name: str) -> QPushButton:
    return next(one for one in widget.findChildren(QPushButton) if one.accessibleName() == name and one.isVisible())


def did(desk: Desk, act: str) -> list[Any]:
    return [what for name, what in desk.office.log if name == act]


def fill(desk: Desk, name: str, typed: str, key: Qt.Key = Qt.Key.Key_Return) -> QLineEdit:
    """Type into the field of a name, and leave it by a key."""
    found = next(one for one in desk.window.findChildren(QLineEdit) if one.accessibleName() == name)
    found.setFocus()
    found.selectAll()
    desk.press(Qt.Key.Key_Delete)
    desk.type(typed)
    desk.press(key)
    return found


def test_the_palette_goes_to_each_part_before_the_page_was_made(desk: Desk) -> None:
    assert "settings" not in desk.window.pages
    desk.press(Qt.Key.Key_K, CTRL)
    desk.type("settings: storage")
    desk.press(Qt.Key.Key_Return)
    page = desk.window.pages["settings"]
    assert (desk.window.shown, page.tabs.chosen) == (page, "storage")
    assert desk.window.sidebar.buttons["settings"].accessibleDescription() == "current page"
    assert "/data/anna/counterfoil" in texts(page)
    assert "80.0 MB of 256 GB are free where it lies." in texts(page)


def test_what_is_set_holds_at_once_and_what_cannot_be_meant_is_said_beside_it(desk: Desk, page: Any) -> None:
    field = fill(desk, "Seconds to take one back", "soon")
    assert did(desk, "set_undo") == []
    assert "‘soon’ is no number of seconds from 0 to 60." in texts(page)
    assert field.accessibleDescription() == "‘soon’ is no number of seconds from 0 to 60."
    assert field.text() == "soon", "what was typed is there to be mended"
    page.show_tab("general")
    desk.settle()
    assert field.text() == "soon", "looking again takes nothing away"
    fill(desk, "Seconds to take one back", "12")
    desk.press(Qt.Key.Key_Tab)
    assert did(desk, "set_undo") == ["12"], "leaving a field that was kept keeps nothing again"
    assert "From now on a decision can be taken back for 12 seconds." in texts(page)


def test_the_look_is_chosen_here_and_shown_here_wherever_it_was_chosen(desk: Desk, page: Any) -> None:
    segments = page.tab.look._editor.segments
    desk.click(segments["dark"])
    try:
        assert desk.window._theme.mode == "dark"
        desk.window.sidebar.look_chosen.emit("light")
        assert segments["light"].isChecked()
    finally:
        desk.window.choose_look("light")


def test_quiet_hours_are_two_times_or_none(desk: Desk, page: Any) -> None:
    page.show_tab("notifications")
    desk.settle()
    fill(desk, "Quiet from", "18:00", Qt.Key.Key_Tab)
    assert did(desk, "set_quiet") == []
    assert "Kept when there are both times, or neither." in texts(page)
    fill(desk, "Quiet until", "7:00")
    assert did(desk, "set_quiet") == [("18:00", "7:00")]
    fill(desk, "Quiet from", "")
    fill(desk, "Quiet until", "")
    assert did(desk, "set_quiet")[1:] == [("", "")]
    desk.click(page.tab.hide_names._editor)
    assert did(desk, "set_hide") == [False]


def test_people_who_are_away_are_mailed_when_the_button_says_so(desk: Desk, page: Any) -> None:
    page.show_tab("notifications")
    desk.settle()
    mail = page.tab
    desk.click(mail.mail)
    assert "There is no address yet." in texts(page)
    mail.to.fill("anna@example.org")
    desk.click(mail.mail)
    assert "The account is a folder whose workspace may send mail. Choose one that is there." in texts(page)
    assert did(desk, "set_mail") == []
    mail.account.fill("/data/anna/Larkfield/Sales")
    desk.click(mail.mail)
    assert did(desk, "set_mail") == [("anna@example.org", "/data/anna/Larkfield/Sales", "30")]
    desk.click(mail.nobody)
    assert did(desk, "set_mail")[1:] == [("", "", "")]
    assert not mail.nobody.isVisible()


def test_starting_at_login_is_one_button_and_stopping_it_says_what_follows(desk: Desk, page: Any) -> None:
    page.show_tab("background")
    desk.settle()
    desk.click(button(page.tab, "Start at login"))
    assert did(desk, "start_at_login") == [True]
    desk.click(button(page.tab, "Start at login no more…"))
    desk.press(Qt.Key.Key_Escape)
    assert did(desk, "start_at_login") == [True], "Esc changes nothing"
    assert desk.focus().accessibleName() == "Start at login no more…"
    desk.click(button(page.tab, "Start at login no more…"))
    desk.click(page.tab.sheet.act)
    assert did(desk, "start_at_login") == [True, False]


def test_health_puts_first_what_wants_something_and_copies_what_it_shows(desk: Desk, page: Any) -> None:
    page.show_tab("health")
    desk.settle()
    names = [one.accessibleName() for one in page.tab.findChildren(QWidget) if ": " in one.accessibleName()]
    assert names[0] == "Runner: Look at this"
    assert names[-1] == "Time zones: Fine"
    desk.click(button(page.tab, "Copy the next step: Runner"))
    assert QGuiApplication.clipboard().text() == "Start it: counterfoil runner"
    give = button(page.tab, "Copy for support…")
    give.setFocus()
    desk.click(give)
    desk.click(page.tab.sheet.copy)
    assert QGuiApplication.clipboard().text() == desk.office.settings.found.support
    desk.press(Qt.Key.Key_Escape)
    assert desk.focus() is give
    page.show_tab("general")
    page.show_tab("health")
    desk.settle()
    assert len(did(desk, "health")) == 1, "it takes seconds, so it is done when it is asked for"
    desk.click(page.tab.again)
    assert len(did(desk, "health")) == 2


def test_a_file_that_cannot_be_read_is_said_and_nothing_is_shown_as_set(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken() -> Any:
        raise WrongUse("settings.toml cannot be read.", "Mend the file, or move it aside.")

    monkeypatch.setattr(desk.office.settings, "general", broken)
    desk.press(Qt.Key.Key_Comma, CTRL)
    page = desk.window.pages["settings"]
    assert "settings.toml cannot be read." in texts(page)
    assert not page.tab.undo.isVisible()
    monkeypatch.undo()
    page.show_tab("general")
    desk.settle()
    assert page.tab.undo.isVisible()
