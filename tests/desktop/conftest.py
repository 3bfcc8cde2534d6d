"""One application for all tests, a window on the fake office where a test asks for one, and the clock of the composed figures."""

import gc
import os
import time
from collections.abc import Callable, Generator
from pathlib import Path

import pytest
import shiboken6
from PySide6.QtCore import QCoreApplication, QEvent, QObject, QSettings, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog, QMenu, QWidget
from pytestqt.qtbot import QtBot

from counterfoil.desktop.frame import pages
from counterfoil.desktop.frame.window import Window
from counterfoil.desktop.theme import Theme
from desktop.fake_bridge import FakeBridge
from desktop.fake_office import FakeOffice
from desktop.real_home import RowsHome
from desktop.real_window import Seat

SECOND = 1_000_000


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The offscreen platform says what it cannot do for a window, since nobody is there to do it: raise it, grab keys for a menu."""
    for item in items:
        if "desktop" in item.path.parts:
            item.add_marker(pytest.mark.qt_log_ignore("This plugin does not support", extend=True))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """As in the program, nothing is collected while Qt is at work: it would free widgets in the middle of a walk over all of them."""
    if "desktop" not in item.path.parts:
        return (yield)
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()


@pytest.fixture(autouse=True, scope="session")
def in_utc() -> Generator[None]:
    """Times on the screen are those of the figures, wherever the tests run."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TZ", "UTC")
        time.tzset()
        yield
    time.tzset()


@pytest.fixture(autouse=True, scope="session")
def no_page_by_itself() -> Generator[None]:
    """A test's window has the pages that somebody went to, not others that a slow computer had the time to make ahead."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pages, "HEAVY", ())
        yield


@pytest.fixture(scope="session")
def theme(qapp: QApplication) -> Theme:
    """The look, with the bundled fonts; made once, as in the program."""
    made = Theme(qapp)
    made.choose("light")
    return made


class Stopped:
    """A clock that reads what the office's does."""

    def __init__(self, office: FakeOffice) -> None:
        self._office = office

    def now_us(self) -> int:
        return self._office.now


class Desk:
    """A window on a fake office, and the hands that use it."""

    def __init__(self, window: Window, office: FakeOffice, bridge: FakeBridge) -> None:
        self.window, self.office, self.bridge = window, office, bridge

    def settle(self) -> None:
        """Let everything that is under way arrive."""
        for _ in range(30):
            QCoreApplication.processEvents()
            QCoreApplication.sendPostedEvents(None, int(QEvent.Type.DeferredDelete))

    def later(self, seconds: float = 1) -> None:
        """Time passes."""
        self.office.now += int(seconds * SECOND)
        self.settle()

    def press(self, key: Qt.Key, *modifiers: Qt.KeyboardModifier, on: QWidget | None = None) -> None:
        """A key, where the focus is."""
        held = Qt.KeyboardModifier.NoModifier
        for modifier in modifiers:
            held |= modifier
        target = on or QApplication.focusWidget() or self.window
        QTest.keyClick(target, key, held)
        self.settle()

    def type(self, text: str) -> None:
        """Text, where the focus is."""
        QTest.keyClicks(QApplication.focusWidget() or self.window, text)
        self.settle()

    def click(self, widget: QWidget | None) -> None:
        """The left button, in the middle of a widget."""
        assert widget is not None
        assert widget.isVisible()
        QTest.mouseClick(widget, Qt.MouseButton.LeftButton)
        self.settle()

    def focus(self) -> QWidget:
        """What the keyboard is on."""
        here = QApplication.focusWidget()
        assert here is not None
        return here

    def decisions(self) -> list[object]:
        """What was decided, in order."""
        return [what for act, what in self.office.log if act == "decide"]

    def look(self) -> None:
        """The worker's look for changes comes round."""
        self.bridge.look()
        self.settle()


MakeDesk = Callable[..., Desk]


class _Flashes(QObject):
    """Sees every window that is shown. A part that is made visible before it has its place is a window of its own for a moment."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[str] = []

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802 - Qt's name
        shown = event.type() == QEvent.Type.Show and isinstance(watched, QWidget) and watched.isWindow()
        allowed = isinstance(watched, Window | QMenu | QFileDialog) or watched.objectName() == "qtooltip_label"
        if shown and isinstance(watched, QWidget) and not allowed:
            self.seen.append(f"{type(watched).__name__} {watched.accessibleName() or watched.objectName()}")
        return False


@pytest.fixture
def home(tmp_path: Path) -> Generator[RowsHome]:
    """A data folder without gates yet, and a minute to take decisions back: five seconds are over before a loaded machine looks."""
    made = RowsHome(tmp_path, undo_seconds=60)
    made.office.close()
    yield made
    made.rows.database.close()


@pytest.fixture
def seats(qapp: QApplication, theme: Theme) -> Generator[list[Seat]]:
    """Real windows that a test has opened; each is closed at the end."""
    opened: list[Seat] = []
    yield opened
    for seat in opened:
        seat.close()


@pytest.fixture
def flashes(qapp: QApplication) -> Generator[_Flashes]:
    """What was a window and should not have been."""
    watch = _Flashes()
    qapp.installEventFilter(watch)
    yield watch
    qapp.removeEventFilter(watch)


@pytest.fixture
def make_desk(qtbot: QtBot, theme: Theme, tmp_path: Path, flashes: _Flashes) -> Generator[MakeDesk]:
    """Opens a window on an office; afterwards nothing else may have been a window."""
    opened: list[Window] = []

    def make(office: FakeOffice | None = None, size: tuple[int, int] = (1440, 900), *, begin: bool = True) -> Desk:
        made = office or FakeOffice()
        bridge = FakeBridge(made)
        window = Window(Stopped(made), theme, QSettings(str(tmp_path / "window.ini"), QSettings.Format.IniFormat))
        opened.append(window)
        window.resize(*size)
        window.show()
        window.activateWindow()
        desk = Desk(window, made, bridge)
        if begin:
            window.begin(bridge)
        desk.settle()
        return desk

    yield make
    for window in filter(shiboken6.isValid, opened):
        window.close()
        QCoreApplication.sendPostedEvents(None, int(QEvent.Type.DeferredDelete))
        shiboken6.delete(window)  # at once and in Qt's order, never by a garbage collection in the middle of something
    assert flashes.seen == []


@pytest.fixture
def desk(make_desk: MakeDesk) -> Desk:
    """A window with the composed figures, a second after its first gate came up."""
    made = make_desk()
    made.later()
    return made


@pytest.fixture
def shots() -> Callable[[QWidget, str], None]:
    """Keeps pictures in the folder COUNTERFOIL_SHOTS names; without it does nothing."""
    folder = os.environ.get("COUNTERFOIL_SHOTS")

    def shoot(widget: QWidget, name: str) -> None:
        if folder:
            Path(folder).mkdir(parents=True, exist_ok=True)
            widget.grab().save(str(Path(folder) / f"{name}.png"))

    return shoot
