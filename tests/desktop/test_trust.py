"""Connectors and permissions on the fake office, by mouse and keyboard."""

from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPushButton, QWidget

from counterfoil.desktop.parts.boxes import Banner
from counterfoil.desktop.parts.labels import Prose
from desktop.conftest import Desk


@pytest.fixture
def page(desk: Desk) -> Any:
    desk.window.show_page("connectors")
    desk.settle()
    return desk.window.pages["connectors"]


def show(desk: Desk, page: Any, tab: str) -> Any:
    page.show_tab(tab)
    desk.settle()
    return page.tab


def texts(widget: QWidget) -> str:
    """Everything that is written in a part of the window."""
    return "\n".join(label.text() for label in widget.findChildren(Prose) if label.isVisible())


def button(widget: QWidget, name: str) -> QPushButton:
    """The button of a name."""
    return next(one for one in widget.findChildren(QPushButton) if one.accessibleName() == name and one.isVisible())


def told(widget: QWidget) -> str:
    """The banner above a tab."""
    return " ".join(one.words.text() for one in widget.findChildren(Banner) if one.isVisible())


def did(desk: Desk, act: str) -> list[Any]:
    return [what for name, what in desk.office.log if name == act]


def test_a_card_says_what_a_connector_can_how_it_is_and_where_it_runs(desk: Desk, page: Any) -> None:
    seen = texts(page)
    assert "Read, draft and send mail" in seen
    assert "Does not start: ‘npx’ is not on this computer." in seen
    assert "‘send_mail’ now also takes ‘bcc’. It asks again until you look." in seen
    desk.click(button(page, "Test mail"))
    assert did(desk, "test_connector") == ["mail"]
    assert "mail answers with 3 tools." in told(page)


def test_a_changed_tool_is_looked_at_before_it_is_used(desk: Desk, page: Any) -> None:
    desk.click(button(page, "Compare the tools of mail"))
    sheet = page.tab.sheet
    assert sheet.isVisible()
    desk.press(Qt.Key.Key_Escape)
    assert did(desk, "accept_tools") == [], "Esc decides nothing"
    desk.click(button(page, "Compare the tools of mail"))
    desk.click(page.tab.sheet.accept)
    assert did(desk, "accept_tools") == ["mail"]
    assert "It asks again" not in texts(page)


def test_a_connector_is_switched_off_and_on(desk: Desk, page: Any) -> None:
    desk.click(button(page, "Switch off mail"))
    desk.click(button(page, "Switch on mail"))
    assert did(desk, "switch_connector") == [("mail", False), ("mail", True)]


def test_a_permission_is_taken_back_after_a_question(desk: Desk, page: Any) -> None:
    tab = show(desk, page, "permissions")
    assert "Granted by Anna 3 Nov, used 41 times, last today." in texts(tab)
    name = "Take back: Triage mail may move files in Post/ without asking."
    desk.click(button(tab, name))
    desk.press(Qt.Key.Key_Escape)
    assert did(desk, "take_back") == []
    desk.click(button(tab, name))
    desk.click(tab.sheet.act)
    assert did(desk, "take_back") == ["p1"]
    assert "Post/" not in texts(tab)


def test_what_changed_elsewhere_comes_when_the_page_is_shown(desk: Desk, page: Any) -> None:
    desk.window.show_page("inbox")
    desk.office.trust.cards = []
    desk.office._trusted()
    desk.look()
    desk.window.show_page("connectors")
    desk.settle()
    assert page.tab.nothing.isVisible()
