"""The keys that work everywhere in the window: pages, the palette, workspaces, find, and from pane to pane."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from PySide6.QtCore import QObject, Qt, Slot
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QApplication, QMainWindow, QWidget

from counterfoil.desktop.frame.sidebar import PAGES, Sidebar


class Frame(Protocol):
    """What keys do to a window."""

    sidebar: Sidebar

    @property
    def shown(self) -> Any:
        """The page in front, None before the first one."""

    def show_page(self, key: object) -> None:
        """Go to a page."""

    def open_palette(self) -> None:
        """Go anywhere, do anything."""


class FrameKeys(QObject):
    """For one window, which is `frame` as well."""

    def __init__(self, window: QMainWindow, frame: Frame) -> None:
        super().__init__(window)
        self._frame = frame
        for number, (key, _words, _icon) in enumerate(PAGES, 1):
            shortcut = QShortcut(QKeySequence(f"Ctrl+{number}"), window)
            shortcut.setProperty("page", key)
            shortcut.activated.connect(self._page)
        for keys, slot in (
            ("Ctrl+,", self._settings),
            ("Ctrl+K", frame.open_palette),
            ("Ctrl+Shift+W", frame.sidebar.switcher.open_menu),
            ("Ctrl+F", self._find_here),
            ("F6", self._next_pane),
            ("Shift+F6", self._pane_before),
        ):
            QShortcut(QKeySequence(keys), window).activated.connect(slot)

    @Slot()
    def _page(self) -> None:
        sender = self.sender()
        if sender is not None:
            self._frame.show_page(sender.property("page"))

    @Slot()
    def _settings(self) -> None:
        self._frame.show_page("settings")

    @Slot()
    def _find_here(self) -> None:
        page = self._frame.shown
        if page is not None:
            page.find_here()

    @Slot()
    def _next_pane(self) -> None:
        self._step(1)

    @Slot()
    def _pane_before(self) -> None:
        self._step(-1)

    def _step(self, way: int) -> None:
        page = self._frame.shown
        if page is None:
            return
        buttons: Mapping[str, QWidget] = self._frame.sidebar.buttons
        stops: list[QWidget] = [buttons[self._frame.sidebar.shown], *page.panes()]
        here = QApplication.focusWidget()
        at = next(
            (n for n, stop in enumerate(stops) if here is not None and (stop is here or stop.isAncestorOf(here))), -1
        )
        stops[(at + way) % len(stops)].setFocus(Qt.FocusReason.ShortcutFocusReason)
