"""The program's window from start to end: application, look, first paint, then the office and the first page.

Nothing but Qt and the frame is imported before the window is on the screen; the store and the rest of the program come in the worker's
own thread afterwards.
"""

from __future__ import annotations

import importlib
import locale
import os
import signal
import sys
from collections.abc import Callable

import shiboken6
from PySide6.QtCore import QMessageLogContext, QObject, QSettings, Qt, QTimer, QtMsgType, Slot, qInstallMessageHandler
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication

from counterfoil.clock import SystemClock
from counterfoil.desktop import no_display
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
    application = _application()
    application.setLayoutDirection(
        Qt.LayoutDirection.LeftToRight
    )  # the window speaks English, whatever the system does
    single = SingleWindow(home)
    if not single.first:
        return _raise_first(home)
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


def _application() -> QApplication:
    """Qt's application. Where Qt can draw nothing it would end the process with words for programmers; ours are said instead."""
    said: list[str] = []

    def heard(kind: QtMsgType, _context: QMessageLogContext, message: str) -> None:
        said.append(message)
        if kind == QtMsgType.QtFatalMsg:
            sys.stderr.write(no_display(said[0].strip().splitlines()[0].rstrip(".")))
            sys.stderr.flush()
            os._exit(1)

    before = qInstallMessageHandler(heard)
    try:
        application = QApplication(sys.argv[:1])
    finally:
        qInstallMessageHandler(before)
        sys.stderr.writelines(f"{message}\n" for message in said)
    # Qt takes the system's: names of days and months would speak another language.
    locale.setlocale(locale.LC_TIME, "C")
    return application


def _raise_first(home: Home) -> int:
    """There is a window for this data folder: it comes to the front, and the terminal is told."""
    if raise_other(home):
        sys.stderr.write("counterfoil: the window is open already and comes to the front.\n")
        return 0
    sys.stderr.write(
        "counterfoil: the window is open already but does not answer. End its process, then start again; nothing is lost.\n"
    )
    return 1


def office_opener(home: Home) -> Callable[[], Office]:
    """Opens the real office, importing what it needs in the thread that asks first."""

    def opener() -> Office:
        module, name = _REAL_OFFICE
        office: Office = getattr(importlib.import_module(module), name)(home)
        return office

    return opener
