"""The tray and the notices of the desktop: what is told, together or at once, where a click leads; without a tray nothing is lost."""

import dataclasses
from collections.abc import Callable
from typing import Any

import pytest
from PySide6.QtWidgets import QSystemTrayIcon

from counterfoil.desktop.frame.news import REST_US, Gathering, News, digest, of_gates
from counterfoil.desktop.frame.tray import face
from counterfoil.desktop.office import Part, Tab
from counterfoil.desktop.schedule_facts import NoticeSeen
from counterfoil.desktop.theme import Theme
from desktop import figures
from desktop.conftest import Desk, MakeDesk
from desktop.fake_office import FakeOffice
from desktop.fake_schedules import AWAY
from desktop.figures import HOUR, MINUTE, NOW


class Told:
    """A window with a tray, and what was told there."""

    def __init__(self, desk: Desk, herald: Any) -> None:
        self.desk, self.herald = desk, herald
        self.said: list[str] = []
        herald.icon.showMessage = lambda title, words, *_: self.said.append(f"{title} | {words}")
        herald.icon.supportsMessages = lambda: True
        herald.icon.show = lambda: None
        herald.icon.isVisible = lambda: True

    def come(self, number: int, **more: Any) -> None:
        """A gate comes."""
        document = figures.question() | {
            "gate_id": f"{number:032x}",
            "number": number,
            "digest": f"{number:064x}",
            **more,
        }
        self.desk.office.add(document, template="Contract renewals", run=6)
        self.desk.look()


@pytest.fixture
def told(make_desk: MakeDesk, monkeypatch: pytest.MonkeyPatch) -> Callable[[bool], Told]:
    def open_one(active: bool) -> Told:
        desk = make_desk()
        made = Told(desk, desk.window.herald)
        monkeypatch.setattr(QSystemTrayIcon, "isSystemTrayAvailable", staticmethod(lambda: True))
        monkeypatch.setattr(desk.window, "isActiveWindow", lambda: active)
        made.herald.begin()
        desk.window._ask_frame(frozenset({Part.INBOX}))
        desk.settle()
        return made

    return open_one


def test_a_gate_that_comes_is_told_once_and_a_click_opens_it(told: Callable[[bool], Told]) -> None:
    seen = told(False)
    assert seen.said == []  # what waited before is no news
    seen.come(301)
    assert seen.said == ["Needs you: Which cost centre carries the Beaune tasting? | Contract renewals"]
    seen.desk.window.show_page("trail")
    seen.herald.icon.messageClicked.emit()
    seen.desk.settle()
    assert seen.desk.window._current == "inbox"
    assert seen.desk.window.pages["inbox"].detail.session.reading.seen.gate_id == f"{301:032x}"
    assert seen.desk.decisions() == []
    seen.desk.look()
    assert len(seen.said) == 1


def test_who_looks_at_the_window_is_told_nothing(told: Callable[[bool], Told]) -> None:
    seen = told(True)
    seen.come(301)
    assert seen.said == []


def test_what_comes_soon_after_is_told_together(told: Callable[[bool], Told]) -> None:
    seen = told(False)
    for number in (301, 302, 303):
        seen.come(number)
    assert len(seen.said) == 1
    seen.desk.office.now += REST_US
    seen.herald._turn()
    assert seen.said[1].startswith("2 things for you | Needs you:")


def test_icon_and_menu_say_how_many_and_whether_all_is_paused(told: Callable[[bool], Told]) -> None:
    seen = told(False)
    assert seen.herald.icon.toolTip() == "Counterfoil: 6 gates for you"
    seen.desk.office.pause_everything(on=True)
    seen.desk.look()
    assert seen.herald.icon.toolTip().endswith(", paused")
    assert [one.text() for one in seen.herald.menu.actions() if one.isVisible()] == [
        "6 gates for you",
        "Open Counterfoil",
        "Resume everything",
        "Close the window",
    ]


def test_a_missed_firing_is_told(told: Callable[[bool], Told]) -> None:
    seen = told(False)
    seen.herald.notice(NoticeSeen("away", AWAY, "home"))
    assert seen.said == [f"Did not run | {AWAY}"]
    seen.herald.icon.messageClicked.emit()
    seen.desk.settle()
    assert seen.desk.window._current == "schedules"


def test_without_a_tray_title_and_inbox_tell(desk: Desk) -> None:
    herald: Any = desk.window.herald
    assert not herald.there
    herald.tell(News("Needs you: x"))
    herald._left = 1
    herald.look()
    assert not herald._again.isActive()
    assert desk.window.windowTitle() == "Counterfoil (6)"


def test_a_near_deadline_waits_for_nothing() -> None:
    rows = FakeOffice().inbox(Tab.FOR_ME, None)
    soon = dataclasses.replace(rows[0], due_at=NOW + 30 * MINUTE)
    later = dataclasses.replace(rows[1], due_at=NOW + 3 * HOUR)
    gathering = Gathering()
    assert len(gathering.take(of_gates({}, [later], NOW), NOW)) == 1
    assert gathering.take(of_gates({}, [later], NOW), NOW + MINUTE) == []
    [urgent] = gathering.take(of_gates({}, [soon], NOW), NOW + 2 * MINUTE)
    assert urgent.title.endswith("by today 09:25")
    assert of_gates({soon.gate_id: soon.digest}, [soon], NOW) == []


def test_many_things_are_listed_shortly() -> None:
    held = [News(f"Needs you: {number}") for number in range(5)]
    assert digest(held).words == "Needs you: 0; Needs you: 1; Needs you: 2; and 2 more"
    assert digest([News("a", page="schedules"), News("b")]).page == "inbox"


@pytest.mark.parametrize("waiting", [0, 3, 42, 1000])
def test_the_icon_is_drawn(theme: Theme, waiting: int) -> None:
    assert not face(waiting).pixmap(32, 32).isNull()
