"""A real window on a real data folder: real office, real worker threads, and a person's hands."""

import contextlib
import time
from collections.abc import Callable
from typing import Any

import shiboken6
from PySide6.QtCore import QCoreApplication, QEvent, QSettings, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QPushButton, QWidget

from counterfoil.clock import SystemClock
from counterfoil.desktop.app import office_opener
from counterfoil.desktop.bridge import ThreadBridge
from counterfoil.desktop.frame.window import Window
from counterfoil.desktop.parts.boxes import Banner
from counterfoil.desktop.theme import Theme
from counterfoil.places import Home

PATIENCE = 120.0  # seconds; the runner, a host and the command line are started on shared cores
CTRL = Qt.KeyboardModifier.ControlModifier


class Seat:
    """One person at one window."""

    def __init__(self, home: Home, theme: Theme, size: tuple[int, int] = (1440, 900)) -> None:
        self.home = home
        self.theme = theme
        self.size = size
        self.said: set[str] = set()
        self.open()

    def open(self) -> None:
        """Start the window."""
        settings = QSettings(str(self.home.root / "window.ini"), QSettings.Format.IniFormat)
        self.window = Window(SystemClock(), self.theme, settings)
        self.window.resize(*self.size)
        self.window.show()
        self.window.activateWindow()
        self.bridge = ThreadBridge(office_opener(self.home))
        self.window.begin(self.bridge)

    def close(self) -> None:
        """Close it, if that was not done already."""
        if shiboken6.isValid(self.window):
            self.window.close()
            shiboken6.delete(self.window)

    def until(self, seen: Callable[[], Any], what: str, patience: float = PATIENCE) -> Any:
        """Work and wait until something is seen; what it was."""
        ends = time.monotonic() + patience
        while time.monotonic() < ends:
            self.turn()
            with contextlib.suppress(AttributeError, IndexError, KeyError, StopIteration):
                found = seen()
                if found:
                    self.listen()
                    return found
            QTest.qWait(20)
        self.listen()
        raise AssertionError(f"not seen in time: {what}; on the screen: {sorted(self.said)[-12:]}")

    def turn(self) -> None:
        """Let what is there arrive."""
        QCoreApplication.processEvents()
        QCoreApplication.sendPostedEvents(None, int(QEvent.Type.DeferredDelete))

    def rest(self, seconds: float) -> None:
        """Time passes, and the window goes on."""
        ends = time.monotonic() + seconds
        while time.monotonic() < ends:
            self.turn()
            QTest.qWait(10)

    def listen(self) -> None:
        """Keep everything that is written on the screen now."""
        self.said |= {label.text() for label in self.window.findChildren(QLabel) if label.isVisible()}
        self.said |= {button.text() for button in self.window.findChildren(QPushButton) if button.isVisible()}

    def press(self, key: Qt.Key, modifier: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
        """A key, where the focus is."""
        QTest.keyClick(QApplication.focusWidget() or self.window, key, modifier)
        QCoreApplication.processEvents()

    def click(self, widget: QWidget) -> None:
        """The left button."""
        assert widget.isVisible()
        assert widget.isEnabled()
        QTest.mouseClick(widget, Qt.MouseButton.LeftButton)
        QCoreApplication.processEvents()

    def banners(self) -> list[str]:
        """What the banners say that can be seen."""
        return [one.words.text() for one in self.window.findChildren(Banner) if one.isVisible()]

    def may_undo(self) -> bool:
        """Whether the last decision can be taken back."""
        return bool(self.detail.bar.undo.isVisible())

    @property
    def inbox(self) -> Any:
        """The inbox page."""
        return self.window.pages["inbox"]

    @property
    def detail(self) -> Any:
        """The gate that is open."""
        return self.inbox.detail

    def gate(self, kind: str, but: str = "") -> Any:
        """Wait for a gate of a kind that can be decided, other than `but`; its page."""

        def there() -> Any:
            session = self.detail.session
            able = session is not None and session.reading.kind == kind and session.reading.open
            if not able or session.reading.seen.gate_id in ("", but):
                return None
            waits = session.guarded(SystemClock().now_us()) or session.loading or self.detail.bar.counting
            return None if waits else self.detail.page

        return self.until(there, f"a gate of the kind {kind}")
