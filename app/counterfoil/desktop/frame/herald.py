"""Tells a person who is elsewhere: compares what waits with what was known, gathers, and hands it to the tray.

A click leads to the gate and decides nothing. Without a tray nobody is asked anything.
"""

from __future__ import annotations

from typing import Protocol

from PySide6.QtCore import QTimer, Slot
from PySide6.QtWidgets import QWidget

from counterfoil.clock import Clock
from counterfoil.desktop.bridge import Bridge, Latest
from counterfoil.desktop.frame.news import Gathering, News, of_gates
from counterfoil.desktop.frame.tray import Tray
from counterfoil.desktop.office import Changes, Counts, InboxRow, Part, RunnerSeen, Tab
from counterfoil.desktop.schedule_facts import NoticeSeen

_LOOK = 60_000  # milliseconds between two looks at what was held back


class Frame(Protocol):
    """What the window can do for a click."""

    def raise_again(self) -> None:
        """Come to the front."""

    def show_page(self, key: object) -> None:
        """Go to a page."""

    def show_gate(self, gate_id: object) -> None:
        """Show one gate."""

    def pause_everything(self) -> None:
        """Ask whether everything is to be paused."""


class Herald(Tray):
    """The tray of one window, and what is told there."""

    def __init__(self, bridge: Bridge, clock: Clock, window: QWidget, frame: Frame) -> None:
        """`window` and `frame` are the same thing: whose child this is, and what it can do."""
        super().__init__(window)
        self._bridge, self._clock, self._window, self._frame = bridge, clock, window, frame
        self._latest = Latest()
        self._known: dict[str, str] | None = None
        self._gathering = Gathering()
        self._counts, self._runner_seen = Counts(), False
        self._turns = QTimer(self, interval=_LOOK)
        self._turns.timeout.connect(self._turn)
        self._turns.start()
        self.opened.connect(self._front)
        self.wanted.connect(self._go)
        self.pause_wanted.connect(self._pause_asked)

    def changed(self, changes: Changes) -> None:
        """Gates may have come."""
        if Part.INBOX in changes.parts and self.there:
            self._latest.take(self._bridge.ask(self, lambda office: office.inbox(Tab.FOR_ME, None), self._rows))

    def show_counts(self, counts: Counts) -> None:
        """How many gates wait."""
        if self.there and self._known is None:
            self.changed(Changes(frozenset({Part.INBOX})))
        if counts.for_me != self._counts.for_me:
            self._counts = counts
            self.show_state(counts.for_me, paused=self._runner_seen)

    def show_runner(self, seen: RunnerSeen) -> None:
        """Whether everything is paused."""
        if bool(seen.paused_by) != self._runner_seen:
            self._runner_seen = bool(seen.paused_by)
            self.show_state(self._counts.for_me, paused=self._runner_seen)

    @Slot(object)
    def notice(self, notice: object) -> None:
        """A schedule did not run, or cannot."""
        if isinstance(notice, NoticeSeen) and notice.kind in ("away", "not_ready", "held_up"):
            self._take([News("Did not run" if notice.kind != "not_ready" else "Cannot run", notice.words, "schedules")])

    def _rows(self, rows: tuple[InboxRow, ...]) -> None:
        before, self._known = self._known, {row.gate_id: row.digest for row in rows}
        if before is not None:
            self._take(of_gates(before, rows, self._clock.now_us()))

    def _take(self, news: list[News]) -> None:
        if self._window.isActiveWindow() and not self._window.isMinimized():
            self._gathering.forget()
            return
        for one in self._gathering.take(news, self._clock.now_us()):
            self.tell(one)

    @Slot()
    def _turn(self) -> None:
        self._take([])

    @Slot()
    def _front(self) -> None:
        self._frame.raise_again()

    @Slot(object)
    def _go(self, news: object) -> None:
        """Show what a notice was about."""
        self._frame.raise_again()
        if isinstance(news, News):
            if news.page == "inbox" and news.what:
                self._frame.show_gate(news.what)
            else:
                self._frame.show_page(news.page)

    @Slot()
    def _pause_asked(self) -> None:
        self._frame.raise_again()
        self._frame.pause_everything()
