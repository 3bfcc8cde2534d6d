"""Notices on top of the inbox: what was missed while this computer was off, and what cannot run. They are read only where there are any,
and off the lane that gates come by."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QObject

from counterfoil.desktop.bridge import Bridge, Latest
from counterfoil.desktop.office import Changes, Counts, Part
from counterfoil.desktop.schedule_facts import SchedulesSeen


class Standing(QObject):
    """Keeps the cards of the inbox true."""

    def __init__(self, bridge: Bridge, inbox: Any, parent: QObject) -> None:
        super().__init__(parent)
        self._bridge, self._inbox = bridge, inbox
        self._latest = Latest()
        self._count = 0
        inbox.pane.notices.got_it.connect(self._got_it)

    def show_counts(self, counts: Counts) -> None:
        """How many stand now."""
        if counts.notices or self._count:
            self._count = counts.notices
            self._look()

    def changed(self, changes: Changes) -> None:
        """The words of one may have changed."""
        if Part.SCHEDULES in changes.parts and self._count:
            self._look()

    def _look(self) -> None:
        self._latest.take(self._bridge.ask(self, lambda office: office.schedules.look(None), self._arrived, slow=True))

    def _arrived(self, seen: SchedulesSeen) -> None:
        self._inbox.pane.notices.show_notices(seen.notices)

    def _got_it(self) -> None:
        self._bridge.ask(self, lambda office: office.schedules.got_it(), self._done)

    def _done(self, _nothing: object) -> None:
        self._look()
