"""Tells a person who is elsewhere: asks the office what is to be heard, and hands it to the tray.

A click leads to the gate and decides nothing. Without a tray nobody is asked anything.
"""

from __future__ import annotations

from typing import Protocol

from PySide6.QtCore import QTimer, Slot
from PySide6.QtWidgets import QWidget

from counterfoil.clock import Clock
from counterfoil.desktop.bridge import Bridge
from counterfoil.desktop.frame.tray import Tray
from counterfoil.desktop.news_facts import News
from counterfoil.desktop.office import Changes, Counts, Part, RunnerSeen

_LOOK = 60_000  # milliseconds between two looks at what was held back


class Frame(Protocol):
    """What the window can do for a click."""

    def raise_again(self) -> None:
        """Come to the front."""

    def show_page(self, key: object) -> None:
        """Go to a page."""

    def show_gate(self, gate_id: object) -> None:
        """Show one gate."""

    def show_run(self, run_id: object) -> None:
        """Show one run."""

    def pause_everything(self) -> None:
        """Ask whether everything is to be paused."""


class Herald(Tray):
    """The tray of one window, and what is told there."""

    def __init__(self, bridge: Bridge, clock: Clock, window: QWidget, frame: Frame) -> None:
        """`window` and `frame` are the same thing: whose child this is, and what it can do."""
        super().__init__(window)
        self._bridge, self._clock, self._window, self._frame = bridge, clock, window, frame
        self._counts, self._runner_seen = Counts(), False
        self._turns = QTimer(self, interval=_LOOK)
        self._turns.timeout.connect(self.ask)
        self._turns.start()
        self.opened.connect(self._front)
        self.wanted.connect(self._go)
        self.pause_wanted.connect(self._pause_asked)

    def changed(self, changes: Changes) -> None:
        """Something may be to be told."""
        if changes.parts & {Part.INBOX, Part.SCHEDULES}:
            self.ask()

    @Slot()
    def ask(self) -> None:
        """Is there anything to tell? Off the lane that gates come by."""
        if self.there:
            looking = self._window.isActiveWindow() and not self._window.isMinimized()
            self._bridge.ask(self, lambda office: office.news(looking=looking), self._arrived, slow=True)

    def _arrived(self, news: News | None) -> None:
        if news is not None:
            self.tell(news)

    def show_counts(self, counts: Counts) -> None:
        """How many gates wait."""
        if counts.for_me != self._counts.for_me:
            self._counts = counts
            self.show_state(counts.for_me, paused=self._runner_seen)

    def show_runner(self, seen: RunnerSeen) -> None:
        """Whether everything is paused."""
        if bool(seen.paused_by) != self._runner_seen:
            self._runner_seen = bool(seen.paused_by)
            self.show_state(self._counts.for_me, paused=self._runner_seen)

    @Slot()
    def _front(self) -> None:
        self._frame.raise_again()

    @Slot(object)
    def _go(self, news: object) -> None:
        """Show what a notice was about."""
        self._frame.raise_again()
        if isinstance(news, News):
            if news.gate_id:
                self._frame.show_gate(news.gate_id)
            elif news.run_id:
                self._frame.show_run(news.run_id)
            else:
                self._frame.show_page("inbox" if news.gates else "schedules")

    @Slot()
    def _pause_asked(self) -> None:
        self._frame.raise_again()
        self._frame.pause_everything()
