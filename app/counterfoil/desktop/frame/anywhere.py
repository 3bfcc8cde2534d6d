"""Ctrl+K over the window: what it offers, and the focus that it gives back."""

from __future__ import annotations

from typing import Any, Protocol

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtWidgets import QApplication, QWidget

from counterfoil.desktop.commands import Command
from counterfoil.desktop.frame.palette import Palette
from counterfoil.desktop.frame.sidebar import PAGES
from counterfoil.desktop.office import RunnerSeen, Workspace
from counterfoil.desktop.parts.focus import give_back
from counterfoil.desktop.settings_facts import TABS
from counterfoil.desktop.words.plain import one_line

_LOOKS = (("system", "Look as the system does"), ("light", "Look light"), ("dark", "Look dark"))


class Frame(Protocol):
    """What can be gone to from anywhere."""

    pages: dict[str, Any]
    workspaces: tuple[Workspace, ...]
    runner: RunnerSeen


class Anywhere(QObject):
    """Opens and closes the palette of one window.

    Signals:
        chosen(Command): do this.
    """

    chosen = Signal(object)

    def __init__(self, window: QWidget, frame: Frame) -> None:
        """`window` and `frame` are the same thing: what the palette lies over, and what it can find."""
        super().__init__(window)
        self._window, self._frame = window, frame
        self.palette: Palette | None = None
        self._back: QWidget | None = None

    def toggle(self) -> None:
        """Open it; once more closes it."""
        if self.palette is not None:
            self._close()
            return
        self._back = QApplication.focusWidget()
        self.palette = Palette(self._window, self.commands())
        self.palette.closed.connect(self._close)
        self.palette.chosen.connect(self.chosen)
        self.palette.open()

    def commands(self) -> list[Command]:
        """Pages, gates, runs and templates that are known here, workspaces, looks."""
        made = [
            Command("page", f"Go to {words}", key, f"Ctrl+{number}") for number, (key, words, _) in enumerate(PAGES, 1)
        ]
        made.append(Command("page", "Go to Settings", "settings", "Ctrl+,"))
        made.extend(Command("setting", f"Settings: {words}", key, "settings") for key, words in TABS)
        for page in self._frame.pages.values():
            made.extend(page.commands())
        made.append(Command("workspace", "All workspaces", "", "workspace"))
        made.extend(Command("workspace", one_line(one.name), one.path, "workspace") for one in self._frame.workspaces)
        paused = bool(self._frame.runner.paused_by)
        made.append(Command("resume", "Resume everything") if paused else Command("pause", "Pause everything…"))
        made.extend(Command("look", words, mode, "look") for mode, words in _LOOKS)
        return made

    @Slot()
    def _close(self) -> None:
        if self.palette is not None:
            self.palette.hide()
            self.palette.deleteLater()
            self.palette = None
        give_back(self._back)
