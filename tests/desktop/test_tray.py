"""The tray and the notices of the desktop: what is told, together or at once, where a click leads; without a tray nothing is lost."""

import contextlib
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtWidgets import QSystemTrayIcon

from counterfoil.desktop.frame.tray import face
from counterfoil.desktop.news_facts import News
from counterfoil.desktop.office import Part
from counterfoil.desktop.real_office.office import RealOffice
from counterfoil.desktop.theme import Theme
from desktop.conftest import Desk, MakeDesk
from desktop.fake_schedules import GATE
from desktop.real_home import RowsHome
from views.rows import spec


@pytest.fixture
def home(tmp_path: Path) -> Generator[RowsHome]:
    made = RowsHome(tmp_path)
    yield made
    made.close()


class Told:
    """A window with a tray, and what was told there."""

    def __init__(self, desk: Desk, herald: Any) -> None:
        self.desk, self.herald = desk, herald
        self.said: list[str] = []
        herald.icon.showMessage = lambda title, words, *_: self.said.append(f"{title} | {words}")
        herald.icon.supportsMessages = lambda: True
        herald.icon.show = lambda: None
        herald.icon.isVisible = lambda: True

    def come(self, *news: News) -> None:
        """Something is to be heard."""
        self.desk.office.to_tell += news
        self.desk.bridge.changed_now(Part.INBOX)
        self.desk.settle()


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


def test_what_is_to_be_heard_is_told_and_a_click_opens_its_gate(told: Callable[[bool], Told]) -> None:
    seen = told(False)
    seen.come(News("Needs you: Write payment file, by 16:00", GATE))
    assert seen.said == ["Counterfoil | Needs you: Write payment file, by 16:00"]
    seen.desk.window.show_page("trail")
    seen.herald.icon.messageClicked.emit()
    seen.desk.settle()
    assert seen.desk.window._current == "inbox"
    assert seen.desk.window.pages["inbox"].detail.session.reading.seen.gate_id == GATE
    assert seen.desk.decisions() == []


def test_who_looks_at_the_window_is_told_nothing(told: Callable[[bool], Told]) -> None:
    seen = told(True)
    seen.come(News("Needs you"))
    assert seen.said == []
    assert ("news", True) in seen.desk.office.log


def test_several_lead_to_the_inbox_and_a_missed_firing_to_its_page(told: Callable[[bool], Told]) -> None:
    seen = told(False)
    seen.desk.window.show_page("trail")
    seen.come(News("3 things need you"))
    seen.herald.icon.messageClicked.emit()
    assert seen.desk.window._current == "inbox"
    seen.come(News("While this computer was off: ‘Weekly report’ ran late", gates=False))
    seen.herald.icon.messageClicked.emit()
    assert seen.desk.window._current == "schedules"


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


def test_without_a_tray_title_and_inbox_tell(desk: Desk) -> None:
    herald: Any = desk.window.herald
    assert not herald.there
    herald.tell(News("Needs you: x"))
    herald._left = 1
    herald.look()
    assert not herald._again.isActive()
    assert desk.window.windowTitle() == "Counterfoil (6)"


def test_the_office_tells_once_and_holds_back_in_quiet_hours(home: RowsHome) -> None:
    settings = home.rows.home.root / "settings.toml"
    run = home.rows.run()
    home.ask(run["run_id"], 1, spec(title="Write it"))
    found = home.office.news(looking=False)
    assert found is not None
    assert (found.words, len(found.gate_id)) == (
        "Needs you: an approval",
        32,
    )  # titles stay off screens that others see
    assert home.office.news(looking=False) is None
    settings.write_text('[notifications]\nquiet = "00:00-23:59"\nhide = false\n', encoding="utf-8")
    home.ask(run["run_id"], 2, spec(title="Send it"))
    assert home.office.news(looking=False) is None
    settings.write_text("[notifications]\nhide = false\ndigest = 0\n", encoding="utf-8")
    found = home.office.news(looking=False)
    assert found is not None
    assert found.words == "Needs you: Send it"
    settings.write_text("[notifications]\n", encoding="utf-8")
    home.ask(run["run_id"], 4, spec(title="Too soon after the last"))
    with contextlib.closing(RealOffice(home.rows.home, home.rows.clock)) as anew:  # as after opening the window again
        assert anew.news(looking=False) is None
    home.ask(run["run_id"], 3, spec(title="Seen already"))
    assert home.office.news(looking=True) is None
    assert home.office.news(looking=False) is None


@pytest.mark.parametrize("waiting", [0, 3, 42, 1000])
def test_the_icon_is_drawn(theme: Theme, waiting: int) -> None:
    assert not face(waiting).pixmap(32, 32).isNull()
