"""The program's window from start to end: application, look, first paint, then the office and the first page.

Nothing but Qt and the frame is imported before the window is on the screen; the store and the rest of the program come in the worker's
own thread afterwards.
"""

from __future__ import annotations

import importlib
import signal
import sys
from collections.abc import Callable

import shiboken6
from PySide6.QtCore import QObject, QSettings, Qt, QTimer, Slot
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication

from counterfoil.clock import SystemClock
from counterfoil.desktop.bridge import Bridge, ThreadBridge
from counterfoil.desktop.frame.single import SingleWindow, raise_other
from counterfoil.desktop.frame.window import Window
from counterfoil.desktop.interpreter import Collector
from counterfoil.desktop.office import Office
from counterfoil.desktop.theme import Theme
from counterfoil.places import Home

_REAL_OFFICE = ("counterfoil.desktop.real_office.office", "open_real")
_PULSE = 250  # milliseconds


class Begin(QObject):
    """Opens the bridge once the event loop runs, that is, after the first paint."""

    def __init__(self, window: Window, bridge: Bridge) -> None:
        super().__init__(window)
        self._window, self._bridge = window, bridge
        self._collector = Collector()
        self._pulse = QTimer(self)
        self._pulse.timeout.connect(self._beat)
        self._pulse.start(_PULSE)
        self._first = QTimer(self, singleShot=True, interval=0)
        self._first.timeout.connect(self._begin)
        self._first.start()

    def stop(self) -> None:
        """The event loop is over."""
        self._pulse.stop()

    @Slot()
    def _beat(self) -> None:
        """Lets Python see Ctrl+C in the terminal, and tidy up."""
        self._collector.look()

    @Slot()
    def _begin(self) -> None:
        self._window.begin(self._bridge)


def run(home: Home) -> int:
    """Show the window of a data folder until it is closed; 0, also when the window was there already."""
    QGuiApplication.setApplicationName("counterfoil")
    QGuiApplication.setDesktopFileName("counterfoil")
    application = QApplication(sys.argv[:1])
    application.setLayoutDirection(
        Qt.LayoutDirection.LeftToRight
    )  # the window speaks English, whatever the system does
    if raise_other(home):
        return 0
    single = SingleWindow(home)
    settings = QSettings(str(home.root / "window.ini"), QSettings.Format.IniFormat)
    theme = Theme(application)
    theme.choose(str(settings.value("look", "system")))
    window = Window(SystemClock(), theme, settings)
    single.asked.connect(window.raise_again)
    window.show()
    begin = Begin(window, ThreadBridge(office_opener(home)))
    signal.signal(signal.SIGINT, lambda *_: application.quit())
    code = application.exec()
    single.close()
    # In Qt's order, while the application still lives; Python would take it apart in any order.
    begin.stop()
    shiboken6.delete(window)
    return code


def office_opener(home: Home) -> Callable[[], Office]:
    """Opens the real office, importing what it needs in the thread that asks first."""

    def opener() -> Office:
        module, name = _REAL_OFFICE
        office: Office = getattr(importlib.import_module(module), name)(home)
        return office

    return opener
